"""Wishes by name: what an explorer's goal may be, its loss, and how it is said.

`static/learning.js` has the same; a test compares the losses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..attention import Attention, side_by_side
from ..checks import check_mapping, finite_number, index_of, plain_text, unexpected
from ..facts import LIMITS
from ..learning import minus_log_shares
from .masks import MASKS

KINDS = ("weights", "context")
MOST_LOSSES = LIMITS["losses"]
Goal = dict[str, dict[str, "str | list[str | None]"]]
SUCH_AS = (
    "wishes by name, such as {'weights': {'bank': 'river'}} or"
    " {'context': {'bank': 'wet'}}, or None; a list of words is one wish a head"
)


class Wish(NamedTuple):
    """What one row should look at, or which number of its context be the largest."""

    kind: str  # the stage it is about
    row: str
    column: str
    at: int = 0  # its place among the wishes of its row

    def head(self, heads: int) -> int:
        """Return whose wish it is: one a head, in order; the last one has the rest."""
        return min(self.at, heads - 1)


def check_goal(name: str, given: Any) -> Goal:
    """Return the wishes as plain dictionaries of text, and lists of it."""
    try:
        kinds = {
            kind: check_mapping(name, wanted)
            for kind, wanted in check_mapping(name, given).items()
        }
    except ValueError:
        raise unexpected(name, given, SUCH_AS) from None
    known = all(isinstance(kind, str) and kind in KINDS for kind in kinds)
    if not known or not kinds or not all(kinds.values()):
        raise unexpected(name, given, SUCH_AS)
    found = []
    for kind in (kind for kind in KINDS if kind in kinds):
        for row, wanted in kinds[kind].items():
            several = kind == "weights" and isinstance(wanted, (list, tuple))
            columns = dict(enumerate(wanted if several else [wanted]))
            some = {k: x for k, x in columns.items() if not (several and x is None)}
            words = [row, *some.values()]
            few = len(some) > 0 and len(columns) <= LIMITS["heads"]
            if not few or not all(isinstance(word, str) for word in words):
                raise unexpected(name, given, SUCH_AS)
            row = plain_text(row)
            found += [Wish(kind, row, plain_text(x), k) for k, x in some.items()]
    return goal_of(found)


def goal_of(some: Iterable[Wish]) -> Goal:
    """Return the goal that holds these wishes; a list where a row has several."""
    goal: dict[str, dict[str, dict[int, str]]] = {}
    for kind, row, column, at in some:
        goal.setdefault(kind, {}).setdefault(row, {})[at] = column

    def listed(columns: dict[int, str]) -> str | list[str | None]:
        last = max(columns)
        return [columns.get(k) for k in range(last + 1)] if last else columns[0]

    return {
        kind: {row: listed(columns) for row, columns in wanted.items()}
        for kind, wanted in goal.items()
    }


def check_losses(name: str, given: Any) -> tuple[float, ...]:
    """Return finite numbers as a tuple."""
    items = given.tolist() if isinstance(given, np.ndarray) else given
    few = isinstance(items, (list, tuple)) and len(items) <= MOST_LOSSES
    losses = tuple(map(finite_number, items)) if few else (None,)
    if None in losses:
        most = f"a list of at most {MOST_LOSSES} finite numbers"
        raise unexpected(name, given, most)
    return losses  # type: ignore[return-value]


def check_rate(name: str, given: Any) -> float:
    """Return a finite number above 0."""
    number = finite_number(given)
    if number is None or number <= 0:
        raise unexpected(name, given, "a finite number above 0")
    return number


def wishes(goal: Goal | None) -> Iterator[Wish]:
    """Yield each wish."""
    for kind, wanted in (goal or {}).items():
        for row, columns in wanted.items():
            some = [columns] if isinstance(columns, str) else columns
            for at, column in enumerate(some):
                if column is not None:
                    yield Wish(kind, row, column, at)


def place(wish: Wish, tokens: tuple[str, ...], columns: tuple[str, ...]) -> Any:
    """Return row and column of a wish, or say what there is."""
    kind, row, column, _ = wish
    i = index_of(tokens, row, f" for goal[{kind!r}]")
    if kind == "weights":
        return i, index_of(tokens, column, f" for goal[{kind!r}][{row!r}]")
    if column not in columns:
        raise ValueError(
            f"goal['context'][{row!r}] is {column!r}; expected a column of context:"
            f" {', '.join(columns)}"
        )
    return i, columns.index(column)


def check_fits(wish: Wish, state: Any, columns: tuple[str, ...]) -> None:
    """Refuse a wish for what is not there, or for what the mask hides."""
    kind, row, column, _ = wish
    i, j = place(wish, state["tokens"], columns)
    seen = MASKS[state["mask"]].visible("weights", len(state["tokens"]))
    if kind == "weights" and seen is not None and not seen[i, j]:
        raise ValueError(
            f"goal['weights'][{row!r}] is {column!r}, which mask {state['mask']!r}"
            f" hides; expected a word that {row} may attend to"
        )
    check_shares(state, "goal is set", "a goal")


def check_shares(state: Any, said: str, what: str) -> None:
    """Refuse shares that are no softmax along rows, and say what asks for one."""
    for option, plain in (("normalise", "softmax"), ("axis", "rows")):
        if state[option] != plain:
            raise ValueError(
                f"{said} while {option} is {state[option]!r}; expected"
                f" {option}={plain!r} with {what}"
            )


def loss(of: Any, result: Attention, columns: tuple[str, ...]) -> float:
    """Return the mean of -log of the shares that an explorer's goal wants."""
    seen = MASKS[of.mask].seen(len(of.tokens))
    scores = result.masked_scores
    if MASKS[of.mask].renormalise:
        scores = np.where(seen, scores, -np.inf)
    scores = scores.reshape(of.heads, *seen.shape)
    contexts = side_by_side(result.context)
    losses = []
    for wish in wishes(of.goal):
        i, j = place(wish, of.tokens, columns)
        table = contexts if wish.kind == "context" else scores[wish.head(of.heads)]
        losses.append(minus_log_shares(table[[i]], [j])[0])
    return float(np.mean(losses))
