"""Tell what a learner wrote from what a library brings."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

import numpy as np

_LIBRARIES = (
    f"{Path(__file__).parents[2]}{os.sep}",  # this package
    f"{Path(np.__file__).parents[1]}{os.sep}",
    *(f"{sysconfig.get_path(n)}{os.sep}" for n in ("stdlib", "purelib", "platlib")),
    "<frozen",
    "<__array_function__",
)


def is_library(file: str) -> bool:
    """Tell whether code of this file is a library's."""
    return file.startswith(_LIBRARIES)


def unwrapped(answer: Any) -> Any:
    """Return the function inside partial, vectorize, a method or a decorator."""
    for _ in range(9):  # as deep as anybody wraps
        if isinstance(answer, functools.partial):
            answer = answer.func
        elif isinstance(answer, np.vectorize):
            answer = answer.pyfunc
        elif inner := _attribute(answer, "__wrapped__", "__func__", "method_tried"):
            answer = inner
        else:
            break
    return answer


def class_behind(function: object) -> type | None:
    """Return the class that is tried as a function, if it is one."""
    found = _attribute(function, "class_tried")
    return found if isinstance(found, type) else None


def code_of(answer: object) -> types.CodeType | None:
    """Return the code of a function that is written in Python."""
    code = _attribute(unwrapped(answer), "__code__")
    return code if isinstance(code, types.CodeType) else None


def codes_of(answer: object) -> list[types.CodeType]:
    """Return the code of a function and of what is written inside it."""
    found = [code for code in [code_of(answer)] if code]
    for code in found:  # grows on the way
        found += [const for const in code.co_consts if isinstance(const, type(code))]
    return found


def library_name(answer: Any) -> str:
    """Name a library's function or class, as in "NumPy's exp"; else return ""."""
    inner = unwrapped(answer)
    if code := code_of(inner):
        own = not is_library(code.co_filename)
    elif isinstance(inner, type) or not hasattr(inner, "__name__"):
        thing = inner if isinstance(inner, type) else type(inner)
        own = not _from_library(thing.__module__)
    else:
        own = False  # built into Python, or compiled
    if own:
        return ""
    named = inner if hasattr(inner, "__name__") else type(inner)
    of = _attribute(named, "__objclass__") or type(_attribute(named, "__self__"))
    module = str(_attribute(named, "__module__") or of.__module__).partition(".")[0]
    module = {"builtins": "Python", "numpy": "NumPy", "_operator": "Python"}.get(
        module.removeprefix("_"), module
    )
    return f"{named.__name__} of {module}"


def _from_library(module: str) -> bool:
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module in sys.builtin_module_names
    return is_library(file)


def _attribute(answer: Any, *names: str) -> Any:
    """Return the first of these attributes that there is; anything may be asked."""
    for name in names:
        try:
            found = getattr(answer, name, None)
        except Exception:
            found = None
        if found is not None:
            return found
    return None
