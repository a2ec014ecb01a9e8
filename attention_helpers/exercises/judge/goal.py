"""A goal for the hand, judged by the state of the explorer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...checks import INPUTS
from ...examples import Example, examples
from ...explorer import Explorer
from ...explorer.twin import labels
from ...text import fewest_decimals, number
from .comparing import kind
from .kinds import NOT_ATTEMPTED, PASSED, Verdict, not_yet

TRIED = "your explorer, as it stands"
AS_AT_THE_START = {
    "divide_by": "sqrt_d_k",
    "mask": "none",
    "normalise": "softmax",
    "axis": "rows",
    "dropout_p": 0.0,
    "heads": 1,
}
AGAIN = "Run the cell that makes the explorer again."
ONE_IS_ENOUGH = "One number is enough: more than one moved. reset starts over."
Trouble = tuple[str, ...] | None  # what came, and a hint


@dataclass(frozen=True, kw_only=True)
class Goal:
    """One number of some matrices to move, until a row is as wished."""

    name: str
    example: str
    edit: tuple[str, ...]  # where the number may stand
    asks: str  # the word whose row counts
    stage: str = "weights"
    watch: tuple[str, ...]  # the columns that are named where they are not as wished
    wish: str
    reached: Callable[..., bool]  # of the row, by the names of its columns
    nudge: str | Callable[..., str]  # or of the row
    elsewhere: Mapping[str, str] = field(default_factory=dict)  # hints, by matrix

    def judge(self, answer: Any) -> Verdict:
        """Say whether one changed number makes the row as it is wished."""
        made = f'explorer = explore("{self.example}", ...)'
        if none := no_explorer(answer, self._asked, made):
            return none
        trouble = self._stray(answer)
        if trouble is None and not answer.changes:
            hint = "No number of the explorer has moved yet."
            return Verdict(NOT_ATTEMPTED, (hint,))
        trouble = trouble or self._moved(answer) or self._missed(answer)
        if trouble is None:
            return Verdict(PASSED)
        came, hint = trouble
        return not_yet(TRIED, came, self._asked, hint)

    @property
    def _asked(self) -> str:
        where = " or ".join(self.edit)
        return f"one number of {where} moved, and {self.wish}"

    def _stray(self, explorer: Explorer) -> Trouble:
        """Return what is wrong if it is no longer the sentence with its options."""
        example = examples[self.example]
        if not began_as(explorer, example):
            came = f"the words {' '.join(explorer.tokens)}"
            if explorer.tokens == example.tokens:
                came = "the sentence with other tables"
            if starts_as(explorer, example):
                return came, "reset brings the sentence back."
            return came, AGAIN
        return changed_option(explorer, AS_AT_THE_START)

    def _moved(self, explorer: Explorer) -> Trouble:
        """Return what is wrong with the choice of the numbers that moved."""
        changes = explorer.changes
        for matrix, *_ in changes:
            if matrix not in self.edit:
                where = " or ".join(self.edit)
                hint = f"Leave {matrix} as it was: the number is one of {where}."
                return moved_in(changes), self.elsewhere.get(matrix, hint)
        if len(changes) > 1:
            return moved_in(changes), ONE_IS_ENOUGH
        return None

    def _missed(self, explorer: Explorer) -> Trouble:
        """Return what is wrong with the row."""
        example = examples[self.example]
        _, names = labels(example, self.stage)
        table = getattr(explorer.attention, self.stage)
        at = example.index(self.asks)
        row = dict(zip(names, table[at].tolist(), strict=True))
        if self.reached(row):
            return None
        if np.allclose(table[at], getattr(example.attend(), self.stage)[at], 0, 1e-12):
            hint = f"The row of {self.asks} is as it was: this number does not move it."
        else:
            hint = self.nudge(row) if callable(self.nudge) else self.nudge
        ((matrix, line, column), (before, now)), *_ = explorer.changes.items()
        came = went(f"{matrix}, {line} × {column}", before, now)
        return f"{came}; {self.asks} {self._has(row)}", hint

    def _has(self, row: Mapping[str, float]) -> str:
        """Say what the row holds, in words."""
        if self.stage == "context":
            held = (f"{name} {number(row[name])}" for name in self.watch)
            return f"ends up with {', '.join(held)}"
        most = max(row.values())
        top = [name for name, share in row.items() if share > most - 1e-9]
        looks = f"looks most at {top[0]} ({number(most)})"
        if len(top) > 1:
            looks = f"looks equally at {len(top)} words"
        watched = [name for name in self.watch if [name] != top]
        return ", ".join(
            [looks, *(f"at {name} {number(row[name])}" for name in watched)]
        )


def no_explorer(
    answer: Any, expected: str, itself: str = "the name before explore(...)"
) -> Verdict | None:
    """Return what is said where no explorer came; `itself` is what to give."""
    if answer is None or answer is ...:
        return Verdict(NOT_ATTEMPTED, ("Give check the explorer that you move.",))
    if not isinstance(answer, Explorer):
        hint = f"Give check the explorer itself: {itself}."
        return not_yet(TRIED, kind(answer), expected, hint)
    return None


def starts_as(explorer: Explorer, example: Example) -> bool:
    """Tell whether `reset` brings an example back."""
    return [*explorer.start["tokens"]] == [*example.tokens] and all(
        np.array_equal(explorer.start[name], getattr(example, name)) for name in INPUTS
    )


def began_as(explorer: Explorer, example: Example) -> bool:
    """Tell whether an explorer began with tables of an example, and has their sizes."""
    return (
        explorer.tokens == example.tokens
        and starts_as(explorer, example)
        and all(
            np.shape(getattr(explorer, name)) == np.shape(getattr(example, name))
            for name in INPUTS
        )
    )


def changed_option(explorer: Explorer, options: Mapping[str, Any]) -> Trouble:
    """Return what is wrong with the first option that is not as it was."""
    for option, value in options.items():
        if (now := getattr(explorer, option)) != value:
            hint = f"Set {option} back to {value!r}: numbers are to do it."
            return f"{option} is {now!r}", hint
    return None


def moved_in(places: Collection[tuple[str, Any, Any]]) -> str:
    """Say how many numbers moved, and in which matrices."""
    matrices = " and ".join(dict.fromkeys(matrix for matrix, _, _ in places))
    return f"{len(places)} number{'s' * (len(places) != 1)} moved, in {matrices}"


def went(place: str, before: float, now: float) -> str:
    """Say how far a number moved."""
    old, new = (number(x, fewest_decimals([x])) for x in (before, now))
    return f"{place} went from {old} to {new}"
