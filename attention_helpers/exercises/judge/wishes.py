"""Chapter 6: judge wishes that an explorer has learned, or cannot learn."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...examples import examples
from ...explorer import goals
from ...learning import descend
from ...text import number
from .goal import AGAIN, AS_AT_THE_START, TRIED, changed_option, no_explorer
from .kinds import NOT_ATTEMPTED, PASSED, Verdict, not_yet

COINS = (
    "bank's attention weight at coins above 0.905, a loss below 0.1, by W_query alone"
)
TOGETHER = (
    "two wishes: each comes below 0.1 alone within 500 steps at rate 0.5, both together"
    " never do"
)
LEARNED, STEPS, RATE = 0.1, 500, 0.5


def judge_coins(answer: Any) -> Verdict:
    """Say whether *bank* was led to *coins* by W_query alone."""
    if trouble := _not_the_bank(answer, COINS):
        return trouble
    bank = examples["bank"]
    for matrix in ("W_key", "embeddings"):
        if not np.array_equal(getattr(answer, matrix), getattr(bank, matrix)):
            hint = f"{matrix} stays as it is: only what is asked is learned here."
            return not_yet(TRIED, f"{matrix} has other numbers", COINS, hint)
    if np.array_equal(answer.W_query, np.zeros((4, 2))):
        return Verdict(NOT_ATTEMPTED, ("No number of W_query has moved yet.",))
    if changed := changed_option(answer, AS_AT_THE_START):
        came, hint = changed
        return not_yet(TRIED, came, COINS, hint)
    row = answer.attention.weights[bank.index("bank")]
    share = row[bank.index("coins")]
    loss = float(-np.log(max(share, np.finfo(float).tiny)))
    if loss < LEARNED:
        return Verdict(PASSED)
    looks = bank.tokens[int(row.argmax())]
    came = (
        f"bank looks at coins {number(share)}, a loss of {number(loss)};"
        f" most at {looks}, {number(row.max())}"
    )
    if looks == "river":
        hint = "This leads to river. The wish is coins now."
    else:
        hint = (
            "Arrows point both ways: ask more for what coins tells, and ask where?"
            " less, since river tells that as well."
        )
    return not_yet(TRIED, came, COINS, hint)


def judge_pair(answer: Any) -> Verdict:
    """Say whether two wishes can each be learned, and not together: try it."""
    if trouble := _not_the_bank(answer, TOGETHER):
        return trouble
    bank = examples["bank"]
    if not answer.goal:
        return Verdict(
            NOT_ATTEMPTED, ("Click two shares: the explorer has no wish yet.",)
        )
    wishes = [
        (bank.index(wish.row), bank.index(wish.column))
        for wish in goals.wishes(answer.goal)
        if wish.kind == "weights"
    ]
    if not np.array_equal(answer.embeddings, bank.embeddings):
        hint = "The embeddings stay: they are what cannot be told apart, or can."
        return not_yet(TRIED, "embeddings with other numbers", TOGETHER, hint)
    rows = {row for row, _ in wishes}
    if len(wishes) != 2 or len(rows) != 2 or "context" in answer.goal:
        came = f"{len(wishes)} wish{'es' * (len(wishes) != 1)} about attention weights"
        came += ", in one row" * (len(rows) < len(wishes))
        hint = "Two wishes, each a click on an attention weight, in two rows."
        return not_yet(TRIED, came, TOGETHER, hint)
    for row, column in wishes:
        loss = learned((row, column))
        if loss >= LEARNED:
            came = (
                f"{bank.tokens[row]} → {bank.tokens[column]} alone ends at a loss of"
                f" {number(loss)}"
            )
            hint = "This wish fails even alone, so the other one is not to blame."
            return not_yet(TRIED, came, TOGETHER, hint)
    loss = learned(*wishes)
    if loss < LEARNED:
        hint = "Both are learned together. Which two words cannot ask for two things?"
        return not_yet(TRIED, f"together a loss of {number(loss)}", TOGETHER, hint)
    return Verdict(PASSED, (f"Together they stop at a loss of {number(loss)}.",))


@cache
def learned(*wishes: tuple[int, int]) -> float:
    """Learn wishes from the chapter's small start and return the last loss, once."""
    embeddings, goal = examples["bank"].embeddings, {"weights": dict(wishes)}
    small = np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2)).round(2)
    way = descend(embeddings, *small, goal=goal, rate=RATE, steps=STEPS)
    return float(way.losses[-1])


def _not_the_bank(answer: Any, expected: str) -> Verdict | None:
    """Return what is said where no explorer of the bank's words came."""
    if none := no_explorer(answer, expected):
        return none
    if answer.tokens != examples["bank"].tokens:
        came = f"the words {' '.join(answer.tokens)}"
        return not_yet(TRIED, came, expected, AGAIN)
    return None
