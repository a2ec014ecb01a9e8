"""Run a learner's function so that whatever happens can be said in words."""

from __future__ import annotations

import contextlib
import copy
import dis
import inspect
import io
import re
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .origin import class_behind, code_of, codes_of, is_library
from .surroundings import functions_of
from .words import UNFILLED, in_words


class Told(Exception):  # noqa: N818
    """Raised where an answer is used: what came, and a sentence about it."""


@dataclass(frozen=True)
class Outcome:
    """What one call of a function led to."""

    result: Any = None
    error: str = ""  # "ValueError: ...", as Python says it
    line: str = ""  # " in line 3, return rows @ shares": the learner's own line
    words: str = ""  # the same error for people; empty where we have no better words
    told: tuple[str, ...] = ()  # what came, and a sentence about it
    gap: bool = False  # there is still a ... to fill
    printed: str = ""
    overwritten: str = ""  # the name of an input that the call changed
    called: str = ""  # a library's function that is asked for, and was called


def run(
    function: Callable[..., Any],
    inputs: Mapping[str, Any],
    watched: Collection[str] = (),
) -> Outcome:
    """Call a function on copies of the inputs; catch what it raises and prints."""
    given = copy.deepcopy(dict(inputs))
    printed = io.StringIO()
    called: list[str] = []
    try:
        with quiet(printed), _noting_calls(watched, called):
            result = function(*given.values())
    except Told as told:
        return Outcome(told=told.args, printed=printed.getvalue())
    except (Exception, SystemExit) as error:
        said = "".join(traceback.format_exception_only(error)).strip()
        dots = re.search("llipsis|enough dimensions", said)
        unfilled = dots and any(map(_holds_dots, functions_of(function)))
        return Outcome(
            error=_short(said),
            line=_line(error),
            words=UNFILLED
            if unfilled
            else in_words(said, in_class=bool(class_behind(function))),
            gap=isinstance(error, NotImplementedError)
            or bool(dots and _holds_dots(function)),
            printed=printed.getvalue(),
        )
    changed = (name for name in inputs if not _equal(given[name], inputs[name]))
    gap = has_gap(result) and _holds_dots(function)
    return Outcome(
        result=result,
        gap=gap or (result is None and _does_nothing(function)),
        printed=printed.getvalue(),
        overwritten=next(changed, ""),
        called=next(iter(called), ""),
    )


def returning_dots(function: Callable[..., Any], inputs: Mapping[str, Any]) -> str:
    """Name a learner's function that is called on the way and returns ``...``."""
    found: list[str] = []

    def note(frame: types.FrameType, event: str, result: object) -> None:
        if (
            event == "return"
            and result is ...
            and not is_library(frame.f_code.co_filename)
        ):
            found.append(frame.f_code.co_name)

    with _profiled(note):
        run(function, inputs)
    return next(iter(found), "")


@contextlib.contextmanager
def quiet(printed: io.StringIO) -> Iterator[None]:
    """Keep what is printed, let no warning through, and NumPy never raise one."""
    with (
        contextlib.redirect_stdout(printed),
        warnings.catch_warnings(),
        np.errstate(all="warn"),
    ):
        warnings.simplefilter("ignore")
        yield


def _noting_calls(
    names: Collection[str], called: list[str]
) -> contextlib.AbstractContextManager[None]:
    """Note the calls of a library's Python functions of these names."""

    def note(frame: types.FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name in names and is_library(code.co_filename):
            called.append(code.co_name)

    return _profiled(note) if names else contextlib.nullcontext()


@contextlib.contextmanager
def _profiled(note: Callable[[types.FrameType, str, Any], None]) -> Iterator[None]:
    if sys.getprofile():  # somebody else's, who measures
        yield
        return
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


LEFT = 8765.4321  # in the memory that np.empty hands out next


def leave_behind(sizes: Collection[int]) -> None:
    """Leave a number in memory that no right result holds, as any program does.

    Else np.empty might find the right result there, of a check before.
    """
    for size in sizes:
        tables = [np.full(size, LEFT) for _ in range(8)]
        del tables


def has_gap(answer: object, depth: int = 3) -> bool:
    """Tell whether an answer is, or holds, a ``...`` that waits to be replaced."""
    if isinstance(answer, np.ndarray) and answer.dtype == object:
        answer = answer.ravel().tolist()
    if isinstance(answer, (list, tuple, set)) and depth:  # a list may hold itself
        return any(has_gap(item, depth - 1) for item in answer)
    return answer is ...


def takes(function: Callable[..., Any], n: int) -> bool:
    """Tell whether a function can be called with `n` arguments."""
    try:
        inspect.signature(function).bind(*range(n))
    except TypeError:
        return False
    except ValueError:  # some built-in functions do not say
        return True
    return True


def _holds_dots(function: object) -> bool:
    """Tell whether a ``...`` stands in a function, other than as a place: x[..., 0]."""
    for code in codes_of(function):
        steps = list(dis.get_instructions(code))
        for step, then in zip(steps, [*steps[1:], steps[0]], strict=True):
            is_place = "SUBSCR" in then.opname or then.argrepr == "[]"  # as 3.14 has it
            if step.opcode in dis.hasconst and has_gap((step.argval,)) and not is_place:
                return True
    return False


def _does_nothing(function: object) -> bool:
    """Tell whether a body reads no name: only ``...``, ``pass`` or a docstring."""
    code = code_of(function)
    names = ("LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
    return code is not None and not any(
        step.opname.startswith(names) for step in dis.get_instructions(code)
    )


def _equal(after: object, before: object) -> bool:
    if isinstance(before, list):
        return after == before
    if not isinstance(before, np.ndarray):
        return True
    return np.array_equal(np.asarray(after), before)


def _line(error: BaseException) -> str:
    """Return the last line that is the learner's own."""
    steps = traceback.walk_tb(error.__traceback__)
    own = [step for step in steps if not is_library(step[0].f_code.co_filename)]
    if not own:
        return ""
    (last,) = traceback.StackSummary.extract(own[-1:])  # the text of this one alone
    return f" in line {last.lineno}, {last.line}".rstrip(", ")


def _short(text: str) -> str:
    """Take the first line, and no memory addresses, which differ from run to run."""
    line = re.sub(r" at 0x[0-9a-fA-F]+", "", text.partition("\n")[0])
    return line if len(line) <= 200 else f"{line[:197]}..."
