"""What an exercise is made of, what is said about an answer, and answers to type in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...checks import Matrix
from .comparing import close, fewer_digits, kind, numbers, resemblance, size, typed_in
from .running import has_gap

PASSED, NOT_YET, NOT_ATTEMPTED = "passed", "not yet", "not attempted yet"
UNKNOWN = "Which mistake this is, the check cannot tell."
FIVE = ("coins", "on", "bank", "by", "river")
SIX = ("Your", "journey", "starts", "with", "one", "step")


class Verdict(NamedTuple):
    """What is said about an answer."""

    status: str
    lines: tuple[str, ...] = ()


BLANK = Verdict(
    NOT_ATTEMPTED, ("Put your answer where the ... is and run the cell again.",)
)


class Wrong(NamedTuple):
    """A wrong way, and a sentence that is true of whatever gives the same results."""

    way: Any  # a function of the inputs, or for a blank the wrong answer itself
    says: str


class Note(NamedTuple):
    """A right way that deserves a word: `inputs` tell it from the others."""

    inputs: Mapping[str, Any]
    way: Callable[..., Any]
    says: str


class Case(NamedTuple):
    """Inputs for one call, and names for the rows and columns of its result."""

    inputs: Mapping[str, Any]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()


def draw(seed: int | tuple[int, ...], *shape: int) -> Matrix:
    """Draw a table between -1.5 and 1.5, the same on every machine."""
    drawn: Matrix = np.random.RandomState(seed).uniform(-1.5, 1.5, shape).round(2) + 0.0
    return drawn


def not_yet(tried: str, came: str, expected: str, *hints: str) -> Verdict:
    """Say what was tried, what came, what was expected, and a nudge."""
    facts = f"Tried: {tried}", f"Came: {came}", f"Expected: {expected}"
    return Verdict(NOT_YET, (*facts, *filter(None, hints)))


@dataclass(frozen=True, kw_only=True)
class Blank:
    """A number or a small table to type in."""

    name: str
    asks: str
    returns: str
    right: Any
    nudge: str
    wrong: tuple[Wrong, ...] = ()

    def judge(self, answer: Any) -> Verdict:
        """Compare the answer with the right one, then with the known wrong ones."""
        if answer is None or has_gap(answer):
            return BLANK
        try:
            came = numbers(answer)
        except ValueError as error:
            hint = "Type numbers without quotation marks."
            hint = hint if str(error).startswith("text") else self.nudge
            return not_yet(self.asks, str(error), self.returns, hint)
        right = numbers(self.right)
        if close(came, right, rtol=0, atol=1e-4):
            return Verdict(PASSED)
        typed = typed_in(answer) if came.shape == right.shape else size(came)
        named = (wrong.says for wrong in self.wrong if _typed_alike(came, wrong.way))
        hint = next(named, "") or resemblance(came, right) or fewer_digits(came, right)
        return not_yet(
            self.asks, typed, self.returns, hint or f"{UNKNOWN} {self.nudge}"
        )


def _typed_alike(came: Matrix, way: Any) -> bool:
    """Whole numbers are typed as they are; others may be rounded."""
    theirs = numbers(way)
    whole = np.array_equal(theirs, theirs.round())
    return close(came, theirs, rtol=0, atol=1e-4 if whole else 0.006)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """An exercise with a judge of its own."""

    name: str
    judge: Callable[[Any], Verdict]


def not_a(what: str, came: object, name: str, call: str) -> tuple[str, str]:
    """Say that something else came than the function or class itself."""
    return (
        f"{kind(came)}, not a {what}",
        f'Give check the {what} itself, without calling it: check("{name}", {call})',
    )
