"""The kinds of exercise: a blank, a function, and one with a judge of its own.

An exercise is data: what is asked, the right way, and the wrong ways that are known.
A wrong answer is named by finding the wrong way that gives the same result.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from ..checks import Matrix
from .comparing import (
    ATOL,
    close,
    exact,
    first_difference,
    kind,
    numbers,
    place,
    resemblance,
    size,
    typed_in,
)
from .running import Outcome, has_gap, run, takes

PASSED, NOT_YET, NOT_ATTEMPTED = "passed", "not yet", "not attempted yet"
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
    """A wrong way, and the sentence that names it."""

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


def draw(seed: int, *shape: int) -> Matrix:
    """Draw a table between -1.5 and 1.5, the same on every machine."""
    drawn: Matrix = np.random.RandomState(seed).uniform(-1.5, 1.5, shape).round(2) + 0.0
    return drawn


def not_yet(tried: str, came: str, expected: str, *hints: str) -> Verdict:
    """Say what was tried, what came, what was expected, and a nudge."""
    facts = f"Tried: {tried}", f"Came: {came}", f"Expected: {expected}"
    return Verdict(NOT_YET, (*facts, *filter(None, hints)))


def _as_it_is(x: Any) -> Any:
    return x


def _alike(came: Matrix, way: Matrix) -> bool:
    """Wrong ways differ from the right one by more than three times as much."""
    return close(came, way, rtol=1e-3, atol=0.01)


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
            hint = "Type the number without quotation marks."
            hint = hint if isinstance(answer, str) else self.nudge
            return not_yet(self.asks, str(error), self.returns, hint)
        if close(came, numbers(self.right), rtol=0, atol=1e-4):
            return Verdict(PASSED)
        alike = (
            wrong.says
            for wrong in self.wrong
            if close(came, numbers(wrong.way), rtol=0, atol=0.006)
        )
        fits = came.shape == np.shape(self.right)
        typed = typed_in(answer) if fits else size(came)
        return not_yet(self.asks, typed, self.returns, next(alike, self.nudge))


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function, tried on inputs that the learner has not seen."""

    name: str
    call: str  # "weighted_average(shares, rows)"
    returns: str
    right: Callable[..., Any]
    cases: tuple[Case, ...]
    nudge: str
    wrong: tuple[Wrong, ...] = ()
    notes: tuple[Note, ...] = ()
    rtol: float = 0.0  # beside what four decimals can show
    alike: Callable[[Matrix, Matrix], bool] = _alike
    prepare: Callable[[Any], Any] = _as_it_is  # makes a function of the answer
    tidy: Callable[[Matrix], Matrix] = _as_it_is  # makes equal what counts as equal
    what: str = "function"

    def judge(self, answer: Any) -> Verdict:
        """Try the function on every case; the first trouble is the verdict."""
        if answer is None or has_gap(answer):
            return BLANK
        fits = isinstance(answer, type) if self.what == "class" else callable(answer)
        if not fits:
            came = f"{kind(answer)}, not a {self.what}"
            hint = f"Give check the {self.what} itself, without calling it:"
            name = self.call.partition("(")[0]
            return self._not_yet(
                None, came, "", hint + f' check("{self.name}", {name})'
            )
        n = len(self.cases[0].inputs)
        function = self.prepare(answer)
        if not takes(function, n):
            came = f"a {self.what} that does not take {n} argument{'s' * (n != 1)}"
            return self._not_yet(None, came, "", f"It is called as {self.call}.")
        for case in self.cases:
            trouble = self._trouble(function, case)
            if trouble:
                return trouble
        if self._trouble(function, self.cases[0]):
            return self._not_yet(
                self.cases[0],
                "another result at the second call than at the first",
                "",
                "Something is remembered between calls: a global name, or a list or"
                " array as the default of a parameter.",
            )
        return Verdict(PASSED, tuple(self._notes(function)))

    def outcome(self, way: Callable[..., Any], case: Case) -> Matrix | str:
        """Return the numbers that a way gives, or in words what it gives instead."""
        outcome = run(way, case.inputs)
        if outcome.error:
            return outcome.words or outcome.error
        try:
            return self.tidy(numbers(outcome.result, flags=True))
        except ValueError as error:
            return str(error)

    def fails(self, way: Callable[..., Any], case: Case) -> bool:
        """Tell whether a known way goes wrong in a case."""
        came = self.outcome(way, case)
        right = numbers(self.right(*case.inputs.values()), flags=True)
        return isinstance(came, str) or not close(
            came, right, rtol=self.rtol, atol=ATOL
        )

    def _trouble(self, function: Callable[..., Any], case: Case) -> Verdict | None:
        outcome = run(function, case.inputs)
        verdict = self._verdict(case, outcome)
        if verdict and verdict.status == NOT_YET and outcome.printed.strip():
            printed = f"It printed: {textwrap.shorten(outcome.printed, 200)}"
            verdict = Verdict(NOT_YET, (*verdict.lines, printed))
        return verdict

    def _verdict(self, case: Case, outcome: Outcome) -> Verdict | None:
        """Return what is wrong with an outcome, or None where it is right."""
        if outcome.gap:
            return BLANK
        if outcome.error:
            return self._error(case, outcome)
        if outcome.overwritten:
            return self._overwritten(case, outcome.overwritten)
        right = np.asarray(self.right(*case.inputs.values()))
        expected = numbers(right, flags=True)
        try:
            came = self.tidy(numbers(outcome.result, flags=right.dtype == bool))
        except ValueError as error:
            return self._no_numbers(case, outcome, str(error))
        if close(came, expected, rtol=self.rtol, atol=ATOL):
            return None
        return self._differs(case, came, expected)

    def _differs(self, case: Case, came: Matrix, expected: Matrix) -> Verdict:
        hint = self._named(case, came) or resemblance(came, expected) or self.nudge
        if came.shape != expected.shape:
            return self._not_yet(case, size(came), f", {size(expected)}", hint)
        at = first_difference(came, expected, self.rtol)
        flag = np.asarray(self.right(*case.inputs.values())).dtype == bool
        result = f"result[{', '.join(map(str, at))}] = " if at else ""
        there = place(at, (case.rows, case.columns))
        ours = result + exact(came[at], flag=flag) + (f" ({there})" if there else "")
        right = f", {'with ' if at else ''}{result}{exact(expected[at], flag=flag)}"
        return self._not_yet(case, ours, right, hint)

    def _named(self, case: Case, came: Matrix | str) -> str:
        """Return the sentence for the wrong way that goes wrong here, and alike."""
        earlier = list(takewhile(lambda other: other is not case, self.cases))
        for wrong in self.wrong:
            if self._same(came, self.outcome(wrong.way, case)) and not any(
                self.fails(wrong.way, other) for other in earlier
            ):
                return wrong.says
        return ""

    def _same(self, came: Matrix | str, theirs: Matrix | str) -> bool:
        if isinstance(came, str) or isinstance(theirs, str):
            return type(came) is type(theirs) and came == theirs
        return self.alike(came, theirs)

    def _error(self, case: Case, outcome: Outcome) -> Verdict:
        named = self._named(case, outcome.words or outcome.error)
        came = f"an error{outcome.line}: {outcome.error}"
        return self._not_yet(case, came, "", outcome.words, named)

    def _overwritten(self, case: Case, name: str) -> Verdict:
        return self._not_yet(
            case,
            f"a result, but {name} is no longer what it was",
            "",
            f"This overwrites {name}, an input. total = rows[0] or table = scores is a"
            " second name for the same numbers, and +=, *=, /= or an assignment to a"
            " place then changes them. Start from np.zeros(...) or a .copy().",
        )

    def _no_numbers(self, case: Case, outcome: Outcome, came: str) -> Verdict:
        hint = self.nudge
        if outcome.result is None:
            hint = "The last line needs return."
            if outcome.printed:
                hint = "It prints the result. return hands it back."
        return self._not_yet(case, came, "", hint)

    def _notes(self, function: Callable[..., Any]) -> list[str]:
        return [
            note.says
            for note in self.notes
            if self._same(
                self.outcome(function, Case(note.inputs)),
                self.outcome(note.way, Case(note.inputs)),
            )
        ]

    def _not_yet(
        self, case: Case | None, came: str, expected: str, *hints: str
    ) -> Verdict:
        inputs = case.inputs if case else {}
        sizes = (f"{name} {_extent(np.asarray(x))}" for name, x in inputs.items())
        tried = ", ".join((self.call, *sizes))
        return not_yet(tried, came, self.returns + expected, *hints)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """An exercise with a judge of its own."""

    name: str
    judge: Callable[[Any], Verdict]


Exercise = Blank | Function | Judged


def _extent(x: Any) -> str:
    if x.dtype == object:
        return "seeded"  # a random number generator
    return f"= {x}" if x.ndim == 0 else f"of size {'×'.join(map(str, x.shape))}"
