"""A function or a class to write: it is tried on inputs that nobody has seen."""

from __future__ import annotations

import dis
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...attention import Attention
from ...checks import Matrix
from . import surroundings
from .classes import where_kept
from .comparing import (
    ATOL,
    close,
    exact,
    fewer_digits,
    first_difference,
    loop_slip,
    numbers,
    place,
    resemblance,
    size,
)
from .kinds import (
    BLANK,
    NOT_YET,
    PASSED,
    UNKNOWN,
    Case,
    Note,
    Verdict,
    Wrong,
    not_a,
    not_yet,
)
from .operands import failing_operands, same_operands
from .origin import codes_of, library_name
from .running import LEFT, Outcome, has_gap, leave_behind, returning_dots, run, takes
from .surroundings import Memory

LEFTOVERS = (
    "Places that nothing was put into hold what happens to be in memory: np.empty(...)"
    " does not clear them. Fill every place, or start from np.zeros(...)."
)
ATTENTION = ("attention", "self_attention", "multi_head_attention")


def _as_it_is(x: Any) -> Any:
    return x


def _alike(came: Matrix, way: Matrix) -> bool:
    """Float32, or another order of adding up, makes no other mistake."""
    return close(came, way, rtol=1e-4, atol=1e-5)


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function, tried on inputs that the learner has not seen."""

    name: str
    call: str  # as the notebook calls it: "weighted_average(shares, rows)"
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
    reads: Callable[..., str] | None = None  # (came, *inputs): a fact about what came
    also: Callable[[Any], tuple[str, str] | None] | None = None  # of a right one
    without: tuple[str, ...] = ()  # library functions not to be called, beside those
    lent: tuple[str, ...] = ()  # those of them that may be
    loops: bool = True  # whether there may be one
    random: bool = False  # whether two calls may differ
    what: str = "function"

    def judge(self, answer: Any) -> Verdict:
        """Try the function on every case; the first trouble is the verdict."""
        if answer is None or has_gap(answer):
            return BLANK
        if strange := self._strange(answer):
            return self._not_yet(None, *strange)
        function = self.prepare(answer)
        memory = Memory(function)
        for case in self.cases:
            if trouble := self._trouble(function, case, memory):
                return trouble
        if self._trouble(function, self.cases[0], memory):
            return self._changing(self.cases[0], memory)
        lacking = self._lacking(function)
        return lacking or Verdict(PASSED, tuple(self._notes(function)))

    def outcome(self, way: Callable[..., Any], case: Case) -> Matrix | str:
        """Return the numbers that a way gives, or in words what it gives instead."""
        outcome = run(way, case.inputs)
        if outcome.error or outcome.told:
            return outcome.words or outcome.error or outcome.told[0]
        try:
            return self.tidy(numbers(outcome.result, flags=True))
        except ValueError as error:
            return str(error)

    def fails(self, way: Callable[..., Any], case: Case) -> bool:
        """Tell whether a way goes wrong in a case."""
        return not self._is_right(self.outcome(way, case), case)

    def _is_right(
        self, came: Matrix | str, case: Case, atol: float = ATOL, rtol: float = 0
    ) -> bool:
        expected = numbers(self._right[id(case)], flags=True)
        rtol = self.rtol or rtol
        return not isinstance(came, str) and close(came, expected, rtol=rtol, atol=atol)

    @cached_property
    def _right(self) -> dict[int, Any]:
        """The right result of each case."""
        return {id(c): np.asarray(self.right(*c.inputs.values())) for c in self.cases}

    @cached_property
    def _ways(self) -> list[tuple[Wrong, dict[int, Matrix | str]]]:
        """The outcome of each known wrong way in each case."""
        return [
            (wrong, {id(case): self.outcome(wrong.way, case) for case in self.cases})
            for wrong in self.wrong
        ]

    # ---- before anything is tried, and when all results are right ----

    def _strange(self, answer: Any) -> tuple[str, str] | None:
        """Return what came, and a sentence, where that cannot be tried."""
        call = self.call.partition("(")[0]
        is_class = isinstance(answer, type)
        if not callable(answer) or is_class != (self.what == "class"):
            return not_a(self.what, answer, self.name, call)
        if library := library_name(answer):
            return (
                f"{library}, not a {self.what} of your own",
                f"Write {call} yourself, with {'class' if is_class else 'def'}, and"
                f' give check that: check("{self.name}", {call})',
            )
        n = len(self.cases[0].inputs)
        if not takes(self.prepare(answer), n):
            came = f"a {self.what} that does not take {n} argument{'s' * (n != 1)}"
            return came, f"It is called as {self.call}."
        return None

    def _lacking(self, function: Callable[..., Any]) -> Verdict | None:
        """Return what is missing although the results are right."""
        asked_for = {*ATTENTION, *self.without} - {*self.lent}
        for case in self.cases if self.what != "class" else ():
            if called := run(function, case.inputs, asked_for).called:
                came = f"the right result, but made by {called}, a library's function"
                hint = f"Write what {called} does yourself: {self.nudge}"
                return self._not_yet(case, came, hint)
        if not self.loops and _has_loop(function):
            came = "the right result, but with a loop"
            hint = "Products of whole tables go through all words at once."
            return self._not_yet(self.cases[0], came, hint)
        more = self.also(function) if self.also else None
        return self._not_yet(None, *more) if more else None

    def _notes(self, function: Callable[..., Any]) -> list[str]:
        notes = [
            note.says
            for note in self.notes
            if self._same(
                self.outcome(function, Case(note.inputs)),
                self.outcome(note.way, Case(note.inputs)),
            )
        ]
        inputs = self.cases[0].inputs
        if self.reads:  # before it is made tidy
            came = numbers(run(function, inputs).result)
            notes += filter(None, [self.reads(came, *inputs.values())])
        return notes

    # ---- one case ----

    def _trouble(
        self, function: Callable[..., Any], case: Case, memory: Memory
    ) -> Verdict | None:
        leave_behind(self._sizes(case))
        outcome = run(function, case.inputs)
        verdict = self._verdict(function, case, outcome)
        if not verdict or verdict.status != NOT_YET or LEFTOVERS in verdict.lines:
            return verdict
        if unfilled := returning_dots(function, case.inputs):
            hint = f"{unfilled} still returns a ... and waits to be filled."
            return self._not_yet(case, f"..., from {unfilled}", hint)
        if self._is_changing(function, case, memory):
            return self._changing(case, memory)
        if printed := textwrap.shorten(outcome.printed, 200):
            verdict = Verdict(NOT_YET, (*verdict.lines, f"It printed: {printed}"))
        return verdict

    def _verdict(
        self, function: Callable[..., Any], case: Case, outcome: Outcome
    ) -> Verdict | None:
        """Return what is wrong with an outcome, or None where it is right."""
        if outcome.gap:
            return BLANK
        if outcome.told:
            return self._not_yet(case, *outcome.told)
        if outcome.overwritten:
            return self._overwritten(case, outcome.overwritten)
        if outcome.error:
            return self._error(function, case, outcome)
        right = self._right[id(case)]
        expected = numbers(right, flags=True)
        try:
            came = self.tidy(numbers(outcome.result, flags=right.dtype == bool))
        except ValueError as error:
            return self._no_numbers(case, outcome, str(error))
        if not close(came, expected, rtol=self.rtol, atol=ATOL):
            return self._differs(function, case, came, right)
        if right.dtype == bool and np.asarray(outcome.result).dtype != bool:
            came_ = (
                f"a table of {np.asarray(outcome.result).dtype}, right in its places"
            )
            hint = "A mask holds True and False: dtype=bool, or a comparison like <=."
            return self._not_yet(case, came_, hint)
        return None

    def _sizes(self, case: Case) -> set[int]:
        """Return how many numbers a table of a learner's may have here."""
        shapes = [np.shape(x) for x in (*case.inputs.values(), self._right[id(case)])]
        sides = {1, *(side for shape in shapes for side in shape)}
        return {a * b for a in sides for b in sides}

    def _differs(
        self, function: Callable[..., Any], case: Case, came: Matrix, right: Any
    ) -> Verdict:
        """Say where a result differs, and why, as far as that is certain."""
        expected = numbers(right, flags=True)
        hint = (
            (LEFTOVERS if LEFT in came else "")
            or self._misordered(function)
            or self._named(function, case, came)
            or fewer_digits(came, expected)
            or self._taken(function)
            or (self.reads and self.reads(came, *case.inputs.values()))
            or loop_slip(came, expected)
            or resemblance(came, expected)
            or self._unknown(case)
        )
        if came.shape != expected.shape:
            theirs = f", {size(expected)}" if expected.ndim else ""
            return self._not_yet(case, size(came), hint, expected=theirs)
        at = first_difference(came, expected, self.rtol)
        flag = right.dtype == bool
        result = f"result[{', '.join(map(str, at))}] = " if at else ""
        there = place(at, (case.rows, case.columns))
        ours = result + exact(came[at], flag=flag) + (f" ({there})" if there else "")
        right_ = f", {'with ' if at else ''}{result}{exact(expected[at], flag=flag)}"
        return self._not_yet(case, ours, hint, expected=right_)

    def _error(
        self, function: Callable[..., Any], case: Case, outcome: Outcome
    ) -> Verdict:
        said = outcome.words or outcome.error
        came = f"an error{outcome.line}: {outcome.error}"
        hint = self._misordered(function) or (
            self._named_error(function, case, said) or self._taken(function)
        )
        return self._not_yet(case, came, outcome.words, hint)

    def _overwritten(self, case: Case, name: str) -> Verdict:
        return self._not_yet(
            case,
            f"{name}, an input, is no longer what it was",
            f"This overwrites {name}, an input: +=, -=, *=, /=, .pop() or an assignment"
            " to a place changes what came in, under a second name as well."
            " Make a new table, np.zeros(...) or a .copy(), or subtract without =.",
        )

    def _no_numbers(self, case: Case, outcome: Outcome, came: str) -> Verdict:
        result = outcome.result
        if result is None and outcome.printed:
            hint = "It prints, but returns nothing. return hands a result back."
        elif result is None:
            hint = (
                "The last line needs return, and after it a result: append, sort and"
                " print give None."
            )
        elif self._right[id(case)].dtype == bool:
            hint = "True and False are asked for, in a table or in lists of rows."
        elif isinstance(result, Attention):
            hint = f"An Attention holds every stage{self._stage(result, case)}."
        elif callable(result):
            hint = "A function comes back: perhaps the brackets () are missing."
        elif isinstance(result, tuple):
            hint = f"One thing is to be returned: {self.returns}."
        elif hasattr(result, "__next__"):
            hint = "It hands its numbers out one by one. list(...) collects them."
        else:
            hint = "Numbers are asked for: one, or a list or array of them."
        return self._not_yet(case, came, hint)

    def _stage(self, record: Attention, case: Case) -> str:
        """Name the stage that is asked for, where it is right."""
        for name, stage in vars(record).items():
            if stage is not None and self._is_right(stage, case):
                return f". What is asked for is its .{name}"
        return ", each under its name: .scores, .weights, .context"

    # ---- what is certain about a mistake ----

    def _named(
        self, function: Callable[..., Any], case: Case, came: Matrix | str
    ) -> str:
        """Return the sentence for the wrong way that gives the same in all cases."""
        for wrong, theirs in self._ways:
            here = theirs[id(case)]
            wrong_here = self._same(came, here) and not self._is_right(here, case)
            if wrong_here and all(
                isinstance(ours, str) or self._same(ours, theirs[id(other)])
                for other in self.cases
                for ours in [self.outcome(function, other)]
            ):
                return wrong.says
        return ""

    def _named_error(self, function: Callable[..., Any], case: Case, said: str) -> str:
        """Return the sentence for the wrong way that fails at the same operation."""
        ours = failing_operands(function, case.inputs)
        for wrong, theirs in self._ways:
            if self._same(said, theirs[id(case)]) and same_operands(
                ours, failing_operands(wrong.way, case.inputs)
            ):
                return wrong.says
        return ""

    def _misordered(self, function: Callable[..., Any]) -> str:
        """Say that the parameters stand in another order than they are called in."""
        if not surroundings.misordered(function, self.cases[0].inputs):
            return ""
        return f"The parameters stand in another order than in {self.call}."

    def _unknown(self, case: Case) -> str:
        """Say that a mistake is not known, and which inputs came out right."""
        first = self.cases[0]
        before = "" if case is first else f" With {_sizes(first)} it came out right."
        return f"{UNKNOWN}{before} {self.nudge}"

    def _same(self, came: Matrix | str, theirs: Matrix | str) -> bool:
        if isinstance(came, str) or isinstance(theirs, str):
            return type(came) is type(theirs) and came == theirs
        return self.alike(came, theirs)

    def _taken(self, function: Callable[..., Any]) -> str:
        """Tell what is taken from the notebook, or written out, for the inputs."""
        inputs = [case.inputs for case in self.cases]

        def is_right(given: Any) -> bool:
            case = next(case for case in self.cases if case.inputs is given)
            came = self.outcome(function, case)
            return self._is_right(came, case, atol=1e-7, rtol=1e-6)

        written = surroundings.written_sizes
        sizes = [] if self.random else written(function, inputs, is_right)
        if sizes:
            were = "were a size" if len(sizes) == 1 else "were sizes"
            return (
                f"All would be right if the {' and the '.join(map(str, sizes))} that it"
                f" has written out {were} of what comes in: len(...) counts rows,"
                " .shape[1] columns."
            )
        found = surroundings.name_that_matters(
            function,
            inputs,
            lambda: [self.outcome(function, case) for case in self.cases],
        )
        if not found:
            return ""
        name, value = found
        if self.what == "class" and name in inputs[0]:
            return f"{name} is the notebook's here. {where_kept(name, inputs[0])}"
        theirs = surroundings.described(value)
        return (
            f"{name} is none of its inputs but the notebook's, {theirs}, and the result"
            " depends on it. Take everything from what comes in."
        )

    # ---- what is remembered ----

    def _is_changing(
        self, function: Callable[..., Any], case: Case, memory: Memory
    ) -> bool:
        """Tell whether what came before makes a difference."""
        if self.random:
            return False
        once, again = self.outcome(function, case), self.outcome(function, case)
        with memory.as_at_first():
            at_first = self.outcome(function, case)
        first = self.cases[0]
        return (
            not self._same(once, again)
            or not self._same(again, at_first)
            or (case is not first and self.fails(function, first))
        )

    def _changing(self, case: Case, memory: Memory) -> Verdict:
        hint = (
            "Something is remembered between calls, or drawn at random: a global name,"
            " or a list or array as the default of a parameter."
        )
        if changed := memory.changed():
            hint = (
                f"Something is remembered between calls: {changed[0]}, outside of the"
                " function, keeps what each call leaves in it. Start it inside."
            )
        came = "another result when it is called again with the same inputs"
        return self._not_yet(case, came, hint)

    def _not_yet(
        self, case: Case | None, came: str, *hints: str, expected: str = ""
    ) -> Verdict:
        tried = f"{self.call}, {_sizes(case)}" if case else self.call
        return not_yet(tried, came, self.returns + expected, *hints)


def _has_loop(function: Callable[..., Any]) -> bool:
    """Tell whether a loop, or a list made by one, stands in a function."""
    return any(
        step.opname == "FOR_ITER" or "JUMP_BACKWARD" in step.opname
        for code in codes_of(function)
        for step in dis.get_instructions(code)
    )


def _sizes(case: Case) -> str:
    """Say how large the inputs are: "queries of size 5×3, keys of size 5×3"."""
    inputs = case.inputs.items()
    return ", ".join(f"{name} {_extent(np.asarray(x))}" for name, x in inputs)


def _extent(x: Any) -> str:
    if x.dtype == object:
        return "a function" if callable(x.item()) else "seeded"  # a generator
    return f"= {x}" if x.ndim == 0 else f"of size {'×'.join(map(str, x.shape))}"
