"""Wishes by name: what an explorer's goal may be, its loss, and how it is said.

`static/learning.js` has the same; a test compares the losses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..attention import Attention
from ..checks import check_mapping, finite_number, index_of, plain_text, unexpected
from ..learning import minus_log_shares
from .masks import MASKS

KINDS = ("weights", "context")
MOST_LOSSES = 5001  # as many as the page keeps
Wish = tuple[str, str, str]  # the stage, its row, its column
SUCH_AS = (
    "wishes by name, such as {'weights': {'bank': 'river'}} or"
    " {'context': {'bank': 'wet'}}, or None"
)


def check_goal(name: str, given: Any) -> dict[str, dict[str, str]]:
    """Return the wishes as plain dictionaries of text."""
    try:
        kinds = {
            kind: check_mapping(name, wanted)
            for kind, wanted in check_mapping(name, given).items()
        }
    except ValueError:
        raise unexpected(name, given, SUCH_AS) from None
    words = [
        word for wanted in kinds.values() for wish in wanted.items() for word in wish
    ]
    known = all(isinstance(kind, str) and kind in KINDS for kind in kinds)
    if not known or not kinds or not all(kinds.values()):
        raise unexpected(name, given, SUCH_AS)
    if not all(isinstance(word, str) for word in words):
        raise unexpected(name, given, SUCH_AS)
    return {
        kind: {plain_text(row): plain_text(col) for row, col in kinds[kind].items()}
        for kind in KINDS
        if kind in kinds
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


def wishes(goal: dict[str, dict[str, str]] | None) -> Iterator[Wish]:
    """Yield each wish: its kind, its row, its column, by name."""
    for kind, wanted in (goal or {}).items():
        for row, column in wanted.items():
            yield kind, row, column


def place(wish: Wish, tokens: tuple[str, ...], columns: tuple[str, ...]) -> Any:
    """Return row and column of a wish, or say what there is."""
    kind, row, column = wish
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
    kind, row, column = wish
    i, j = place(wish, state["tokens"], columns)
    seen = MASKS[state["mask"]].visible("weights", len(state["tokens"]))
    if kind == "weights" and seen is not None and not seen[i, j]:
        raise ValueError(
            f"goal['weights'][{row!r}] is {column!r}, which mask {state['mask']!r}"
            f" hides; expected a word that {row} may attend to"
        )
    for option, plain in (("normalise", "softmax"), ("axis", "rows")):
        if state[option] != plain:
            raise ValueError(
                f"goal is set while {option} is {state[option]!r}; expected"
                f" {option}={plain!r} with a goal"
            )


def loss(of: Any, result: Attention, columns: tuple[str, ...]) -> float:
    """Return the mean of -log of the shares that an explorer's goal wants."""
    may = MASKS[of.mask].may(len(of.tokens))
    scores = result.masked_scores
    if MASKS[of.mask].renormalise:
        scores = np.where(may, scores, -np.inf)
    tables = {"weights": scores, "context": result.context}
    losses = []
    for wish in wishes(of.goal):
        i, j = place(wish, of.tokens, columns)
        losses.append(minus_log_shares(tables[wish[0]], [i], [j])[0])
    return float(np.mean(losses))
