"""Run a learner's function so that whatever happens can be said in words."""

from __future__ import annotations

import contextlib
import copy
import dis
import inspect
import io
import re
import sysconfig
import traceback
import types
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Outcome:
    """What one call of a function led to."""

    result: Any = None
    error: str = ""  # "ValueError: ...", as Python says it
    line: str = ""  # " in line 3, return rows @ shares": the learner's own line
    words: str = ""  # the same error for people; empty where we have no better words
    gap: bool = False  # there is still a ... to fill
    printed: str = ""
    overwritten: str = ""  # the name of an input that the call changed


def run(function: Callable[..., Any], inputs: Mapping[str, Any]) -> Outcome:
    """Call a function on copies of the inputs; catch what it raises and prints."""
    given = copy.deepcopy(dict(inputs))
    printed = io.StringIO()
    try:
        with (
            contextlib.redirect_stdout(printed),
            warnings.catch_warnings(),
            np.errstate(all="warn"),
        ):
            warnings.simplefilter("ignore")
            result = function(*given.values())
    except (Exception, SystemExit) as error:
        said = "".join(traceback.format_exception_only(error)).strip()
        dots = re.search("llipsis|enough dimensions", said) and _holds_dots(function)
        return Outcome(
            error=_short(said),
            line=_line(error),
            words=_in_words(said),
            gap=isinstance(error, NotImplementedError) or bool(dots),
            printed=printed.getvalue(),
        )
    changed = (name for name in inputs if not _equal(given[name], inputs[name]))
    return Outcome(
        result=result,
        gap=has_gap(result) or (result is None and _does_nothing(function)),
        printed=printed.getvalue(),
        overwritten=next(changed, ""),
    )


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


def _code(function: object) -> types.CodeType | None:
    """Return the code that a learner wrote for a function."""
    code = getattr(getattr(function, "written", function), "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _holds_dots(function: object) -> bool:
    code = _code(function)
    return code is not None and any(const is ... for const in code.co_consts)


def _does_nothing(function: object) -> bool:
    """Tell whether a body reads no name: only ``...``, ``pass`` or a docstring."""
    code = _code(function)
    names = ("LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
    return code is not None and not any(
        step.opname.startswith(names) for step in dis.get_instructions(code)
    )


def _equal(after: object, before: object) -> bool:
    if not isinstance(before, np.ndarray):
        return True
    return np.array_equal(np.asarray(after), before)


# ---- errors in words ----

_LIBRARIES = tuple(
    str(path)
    for path in (
        Path(__file__).parents[1],
        Path(np.__file__).parents[1],
        *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")),
        "<frozen",
        "<__array_function__",
    )
)


def _line(error: BaseException) -> str:
    """Return the last line that is the learner's own."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)]
    if not own:
        return ""
    return f" in line {own[-1].lineno}, {own[-1].line}".rstrip(", ")


def _short(text: str) -> str:
    """Take the first line, and no memory addresses, which differ from run to run."""
    line = re.sub(r" at 0x[0-9a-fA-F]+", "", text.partition("\n")[0])
    return line if len(line) <= 200 else f"{line[:197]}..."


_PRODUCT = (
    "A matrix product needs as many columns on its left as rows on its right. Here the"
    " left has {0} and the right has {1}."
)
_WORDS = (
    (r"not aligned: (\d+) \(dim \d+\) != (\d+) ", _PRODUCT),
    (r"\(size (?P<right>\d+) is different from (?P<left>\d+)\)", _PRODUCT),
    (
        r"could not be broadcast .*shapes (\(.*\)) (\(.*\)) (\(.*\))$"
        r"|non-broadcastable output",
        "The result does not fit into the row or table that it is added to.",
    ),
    (
        r"could not be broadcast .*shapes? (.*)",
        "Working number by number needs tables of the same size, or one number a"
        " column. Here the sizes are {0}.",
    ),
    (
        r"^NameError: name '(.*?)' is not defined",
        "Nothing is called {0} here: a slip in the name, or a cell above that has not"
        " been run.",
    ),
    (
        r"AxisError: axis (-?\d+) is out of bounds",
        "There is no axis {0} here. axis=-1 always means along a row.",
    ),
    (
        r"^IndexError: index (-?\d+) is out of bounds",
        "There is no place {0}: places are counted from 0.",
    ),
    (r"^IndexError", "A place is asked for that is not there."),
    (
        r"Cannot cast ufunc '\w+' output from .*float.* to .*int",
        "A table of whole numbers cannot take fractions. Start from np.zeros(...),"
        " which holds fractions.",
    ),
    (
        r"only length-1 arrays|only 0-dimensional arrays|only size-1 arrays",
        "A function for one number was given many. np.exp takes a whole row; math.exp"
        " does not.",
    ),
    (
        r"^TypeError: (\w[\w.]*)\(\) (?:takes|missing) ",
        "{0} is called with more or fewer arguments than it takes. In a class, self is"
        " the first one.",
    ),
    (
        r"^OverflowError: math range error",
        "math.exp gives up: e to the power of such a score is larger than any float.",
    ),
    (
        r"can't multiply sequence by non-int",
        "A plain list times a number repeats the list. Make it an array first:"
        " np.array(...).",
    ),
    (
        r"unsupported operand .*'list'|not 'list'",
        "A plain list cannot do arithmetic. Make it an array first: np.array(...).",
    ),
    (
        r"'NoneType'",
        "Something here is None: perhaps a function of yours has no return.",
    ),
    (
        r"truth value of an array",
        "A whole array stands where one True or False is needed: .any() or .all(), or"
        " np.allclose.",
    ),
    (
        r"'(\w+)' object is not callable",
        "Brackets () stand after something that is no function, but {0}: perhaps a * is"
        " missing, or [] was meant.",
    ),
    (
        r"scores is -inf all along the axis",
        "A row has nothing left to look at: all its scores are −∞. A word may look at"
        " itself, so True stays on the diagonal.",
    ),
    (
        r"scores holds NaN or \+inf",
        "The scores hold NaN or +∞ here. 0 times infinity is NaN: choose instead of"
        " multiplying, np.where(mask, scores, -np.inf).",
    ),
    (
        r"read-only",
        "This table cannot be changed, and another name for it is no copy. Take a"
        " .copy() and change that.",
    ),
    (r"^ZeroDivisionError", "Something is divided by 0."),
    (r"^RecursionError", "The function calls itself without end."),
    (r"^SystemExit", "The function ends Python: take exit or quit out."),
)


def _in_words(said: str) -> str:
    for pattern, words in _WORDS:
        found = re.search(pattern, said)
        if found:
            named = found.groupdict()
            groups = [named["left"], named["right"]] if named else found.groups()
            return words.format(*groups)
    return ""
