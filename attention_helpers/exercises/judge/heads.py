"""Chapter 7: judge an explorer whose two heads were led by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...attention import multi_head_attention
from ...checks import INPUTS
from ...examples import Example, examples
from ...explorer import Explorer
from ...explorer.twin import labels
from ...text import number
from .goal import (
    AGAIN,
    AS_AT_THE_START,
    ONE_IS_ENOUGH,
    TRIED,
    began_as,
    changed_option,
    moved_in,
    no_explorer,
    went,
)
from .kinds import NOT_ATTEMPTED, PASSED, Verdict, not_yet

ENOUGH, NEAR, CORNER, MOST = 0.6, 0.3, np.array([3, 2]), 3
ONE = (
    "one number of W_query moved: coins gives river 0.6 or more in what kind?, and its"
    " row in where? is as it was"
)
BOTH = (
    "bank's context within 0.3 of kind 3, place 2, by two numbers of W_query or W_key,"
    " each from −3 to 3"
)
Place = tuple[str, int, int]


def judge_one(answer: Any) -> Verdict:
    """Say whether *coins* was led to *river* in one question, and not in the other."""
    two = examples["two questions"]
    if trouble := _strange(answer, ONE):
        return trouble
    moved = _moved(answer)
    hints = {
        "W_key": "A key answers whoever asks: with W_key other rows move as well. Let"
        " coins ask otherwise.",
        "W_value": "W_value decides what is handed over, never the attention weights.",
    }
    row = two.index("coins")
    came = _came(moved)
    hint = _elsewhere(moved, ("W_query",), hints)
    if not hint and len(moved) > 1:
        hint = ONE_IS_ENOUGH
    if hint:
        return not_yet(TRIED, came, ONE, hint)
    (_, i, j) = next(iter(moved))
    asks = two.columns["W_query"][j]
    share = _attend(answer).weights[j, row, two.index("river")]
    if two.embeddings[row, i] == 0:
        name = two.columns["embeddings"][i]
        hint = f"coins has no {name}, so this number is not in its query."
    elif asks != "what kind?":
        hint = "This is the column of where?, whose row is to stay as it was."
    elif share < ENOUGH:
        came += f"; in {asks} coins gives river {number(share, 3)}"
        hint = "The right number. The more coins asks what kind?, the larger the share."
    if hint:
        return not_yet(TRIED, came, ONE, hint)
    column = two.columns["W_value"].index("place")
    place, now, before = (
        number(float(record.output[row, column]))
        for record in (_attend(answer), _attend(answer, 1), _attend(two, 1))
    )
    more = (
        f"In {asks} coins gives river {number(share)}, and its place stays at {place}."
        f" With one head the same number takes place from {before} to {now}."
    )
    return Verdict(PASSED, (more, *_off(answer)))


def judge_both(answer: Any) -> Verdict:
    """Say whether two numbers bring *bank*'s context near the corner."""
    two = examples["two questions"]
    if trouble := _strange(answer, BOTH):
        return trouble
    moved = _moved(answer)
    hints = {
        "W_value": "With W_value the corner itself would move. Let bank look"
        " elsewhere: W_query or W_key.",
    }
    came = _came(moved)
    hint = _elsewhere(moved, ("W_query", "W_key"), hints)
    if not hint and len(moved) > 2:
        hint = "Two numbers are enough: more moved. reset starts over."
    if not hint and max(abs(now) for now in moved.values()) > MOST:
        hint = "Stay within the sliders, from −3 to 3."
    if hint:
        return not_yet(TRIED, came, BOTH, hint)
    context = np.ravel(_attend(answer).context[:, two.index("bank")])
    away = float(np.linalg.norm(context - CORNER))
    if away <= NEAR:
        more = f"{number(away)} away from the corner."
        return Verdict(PASSED, (more, *_off(answer)))
    names = two.columns["W_value"]
    held = (f"{n} {number(x)}" for n, x in zip(names, context, strict=True))
    came += f"; bank ends up with {', '.join(held)}, {number(away)} away"
    if len(moved) == 1:
        hint = "One number alone comes no nearer than 0.60."
    else:
        short = names[int(np.argmax(CORNER - context))]
        hint = {
            "kind": "kind falls short most: river's share in what kind? is too small.",
            "place": "place falls short most: bank's share of itself in where? is too"
            " small.",
        }[short]
    return not_yet(TRIED, came, BOTH, hint, *_off(answer))


def _attend(of: Explorer | Example, heads: int = 2) -> Any:
    """Compute the heads from an explorer's numbers, switched off or not."""
    matrices = of.W_query, of.W_key, of.W_value
    return multi_head_attention(of.embeddings, *matrices, heads=heads)


def _off(explorer: Explorer) -> tuple[str, ...]:
    """Say that both heads were counted, where the explorer shows less."""
    if not explorer.off:
        return ()
    off = "one is" if len(explorer.off) == 1 else "both are"
    return (f"That is with both heads on. In your explorer {off} off.",)


def _moved(explorer: Explorer) -> dict[Place, float]:
    """Return the numbers that are not the example's."""
    two = examples["two questions"]
    found: dict[Place, float] = {}
    for name in INPUTS:
        now = np.array(getattr(explorer, name))
        for i, j in np.argwhere(now != getattr(two, name)).tolist():
            found[name, i, j] = float(now[i, j])
    return found


def _came(moved: dict[Place, float]) -> str:
    """Say which numbers moved, one of them by name."""
    if len(moved) == 1:
        ((name, i, j), now), *_ = moved.items()
        two = examples["two questions"]
        before = getattr(two, name)[i, j]
        rows, columns = labels(two, name)
        return went(f"{name}, {rows[i]} × {columns[j]}", before, now)
    return moved_in(moved)


def _elsewhere(
    moved: dict[Place, float], allowed: tuple[str, ...], hints: dict[str, str]
) -> str:
    """Return what is said where a number of another matrix moved."""
    for name, *_ in moved:
        if name not in allowed:
            there = " or ".join(allowed)
            default = f"Leave {name} as it was: only {there} may move."
            return hints.get(name, default)
    return ""


def _strange(answer: Any, expected: str) -> Verdict | None:
    """Return what is said where no moved explorer of the two questions came."""
    if none := no_explorer(answer, expected):
        return none
    two = examples["two questions"]
    if not began_as(answer, two):
        hint = AGAIN
        came = f"another start: the words {' '.join(answer.tokens)} and their tables"
        return not_yet(TRIED, came, expected, hint)
    if not _moved(answer):
        return Verdict(NOT_ATTEMPTED, ("No number of the explorer has moved yet.",))
    if answer.heads != 2:
        hint = "Choose two heads: one row of shares cannot hold both answers."
        return not_yet(TRIED, f"heads is {answer.heads}", expected, hint)
    if changed := changed_option(answer, AS_AT_THE_START | {"heads": 2}):
        came, hint = changed
        return not_yet(TRIED, came, expected, hint)
    return None
