"""Chapter 3: the slider goal, judged by the state of the explorer."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..examples import MATRICES, examples
from ..explorer import Explorer
from ..text import fewest_decimals, number
from .comparing import kind
from .kinds import NOT_ATTEMPTED, PASSED, Verdict, not_yet

TRIED = "your explorer, as it stands"
GOAL = (
    "one number of one weight matrix moved, and river has the largest attention weight"
    " when coins asks"
)
AS_AT_THE_START = {
    "divide_by": "sqrt_d_k",
    "mask": "none",
    "normalise": "softmax",
    "axis": "rows",
    "dropout_p": 0.0,
}


def judge(answer: Any) -> Verdict:
    """Say whether one changed number makes *coins* look most at *river*."""
    if answer is None or answer is ...:
        return Verdict(NOT_ATTEMPTED, ("Give check the explorer that you move.",))
    if not isinstance(answer, Explorer):
        hint = 'Give check the explorer itself: explorer = explore("bank", ...).'
        return not_yet(TRIED, kind(answer), GOAL, hint)
    if not answer.changes and _stray(answer) is None:
        return Verdict(NOT_ATTEMPTED, ("No number of the explorer has moved yet.",))
    trouble = _stray(answer) or _moved(answer) or _missed(answer)
    return not_yet(TRIED, *trouble) if trouble else Verdict(PASSED)


def _stray(explorer: Explorer) -> tuple[str, str, str] | None:
    """Return what is wrong if it is no longer the bank with its options."""
    bank = examples["bank"]
    same = explorer.tokens == bank.tokens and all(
        np.array_equal(explorer.start[name] or (), getattr(bank, name))
        for name in ("embeddings", *MATRICES)
    )
    if not same:
        hint = 'Load the sentence again: explorer.load("bank").'
        return f"the words {' '.join(explorer.tokens)}", GOAL, hint
    for option, value in AS_AT_THE_START.items():
        now = getattr(explorer, option)
        if now != value:
            hint = f"Set {option} back to {value!r}: the goal is reached by a number."
            return f"{option} is {now!r}", GOAL, hint
    return None


def _moved(explorer: Explorer) -> tuple[str, str, str] | None:
    """Return what is wrong with the choice of the numbers that moved."""
    changes = explorer.changes
    matrices = {matrix for matrix, _, _ in changes}
    came = (
        f"{len(changes)} number{'s' * (len(changes) != 1)} moved, in "
        + " and ".join(
            matrix for matrix in ("embeddings", *MATRICES) if matrix in matrices
        )
    )
    if "embeddings" in matrices:
        hint = (
            "The words themselves changed. Leave the embeddings: what coins asks for,"
            " or what the words offer, is in a weight matrix."
        )
    elif "W_value" in matrices:
        hint = (
            "W_value decides what is handed over. It moves values and contexts, never"
            " the attention weights."
        )
    elif len(changes) > 1:
        hint = (
            "One number is enough: more than one moved. explorer.reset() starts over."
        )
    else:
        return None
    return came, GOAL, hint


def _plain(x: float) -> str:
    return number(x, fewest_decimals([x]))


def _missed(explorer: Explorer) -> tuple[str, str, str] | None:
    """Return what is wrong with where *coins* looks."""
    coins = explorer.attention.weights[explorer.tokens.index("coins")]
    river = explorer.tokens.index("river")
    others = np.delete(coins, river)
    if coins[river] > others.max() + 1e-9:
        return None
    ((matrix, row, column), (before, now)), *_ = explorer.changes.items()
    most = explorer.tokens[int(coins.argmax())] if coins[river] < others.max() else ""
    looks = (
        f"most at {most} ({number(coins.max())})" if most else "equally at two words"
    )
    came = (
        f"{matrix}, {row} × {column} went from {_plain(before)} to {_plain(now)}; coins"
        f" looks {looks}, at river {number(coins[river])}"
    )
    hint = (
        "coins asks where?, and bank answers that best. Either coins could ask"
        " something else, or river could answer better, or bank worse."
    )
    return came, GOAL, hint
