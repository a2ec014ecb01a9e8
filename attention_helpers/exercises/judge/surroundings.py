"""Find what a function takes from the notebook, or has written out, for its inputs.

Nothing here is guessed: a name or a number is only told where changing it changes the
result, or makes it right. Names and code are put back afterwards.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...attention import Attention
from ...examples import Example
from .comparing import kind, size
from .origin import class_behind, code_of, codes_of, is_library, unwrapped

Inputs = Mapping[str, Any]
NOTEBOOKS = {2, 4, 5, 6, 8, 16, 32, 64, 128, 256, 512}  # sizes that stand in chapters


def functions_of(answer: Any) -> list[types.FunctionType]:
    """Return the functions a learner wrote for an answer, helpers included."""
    inner = class_behind(answer) or answer
    if isinstance(inner, type):
        members = [vars(made_of).values() for made_of in inner.__mro__]
        found = [unwrapped(member) for some in members for member in some]
    else:
        found = [unwrapped(inner)]
        if not code_of(inner):  # an object that can be called
            found = [unwrapped(vars(type(inner)).get("__call__"))]
    found = [one for one in found if _is_own(one)]
    for function in found:  # grows on the way
        for name in _names(function):
            helper = unwrapped(function.__globals__.get(name))
            if _is_own(helper) and helper not in found:
                found.append(helper)
    return found


def _is_own(function: Any) -> bool:
    return isinstance(function, types.FunctionType) and not is_library(
        function.__code__.co_filename
    )


def _names(function: types.FunctionType) -> list[str]:
    return list(
        dict.fromkeys(name for code in codes_of(function) for name in code.co_names)
    )


def misordered(answer: Any, inputs: Inputs) -> bool:
    """Tell whether parameters have the names of inputs, but in another order."""
    try:
        own = list(inspect.signature(class_behind(answer) or answer).parameters)
    except (TypeError, ValueError):
        return False
    theirs = [name for name in inputs if name in own]
    return own != theirs and sorted(own) == sorted(theirs)


# ---- names of the notebook ----


def _read(answer: Any) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Yield what an answer reads outside of itself: namespace, name, value."""
    for function in functions_of(answer):
        space = function.__globals__
        for name in _names(function):
            if name in space:
                yield space, name, space[name]


def name_that_matters(
    answer: Any, cases: Sequence[Inputs], results: Callable[[], Sequence[Any]]
) -> tuple[str, Any] | None:
    """Return a name of the notebook, and its value, that the results depend on.

    A number that is a size of all that comes in, or the root of one, is no mistake.
    """
    read = {
        name: (space, value)
        for space, name, value in _read(answer)
        if _others(value) and not all(_is_a_size(value, case) for case in cases)
    }
    before = results() if read else []
    if read and not _equal(before, results()):
        return None  # they change by themselves
    for name, (space, value) in read.items():
        for other in _others(value):
            with _put(space, name, other):
                after = results()
            if not _equal(before, after):
                return name, value
    return None


def _others(value: Any) -> list[Any]:
    """Return a thing with other numbers, and a smaller one; [] for what holds none."""
    try:
        found = [_disturbed(value), _smaller(value)]
    except Exception:  # a notebook may hold anything
        return []
    return [other for other in found if other is not None]


def _smaller(value: Any) -> Any:
    """Return a table or a list without its last row and column."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value[tuple(slice(-1 if n > 1 else None) for n in value.shape)]
    if isinstance(value, (list, tuple)) and len(value) > 1:
        rows = [_smaller(item) for item in value[:-1]]
        return value[:-1] if rows[0] is None else rows
    if isinstance(value, (Example, Attention)):
        return _with_arrays(value, _smaller)
    return None


def _disturbed(value: Any) -> Any:
    """Return other numbers of the same kind and shape; None for what holds none."""
    if isinstance(value, (bool, np.bool_)):
        return not value
    if isinstance(value, (int, np.integer)):
        return value + 1
    if isinstance(value, (float, np.floating)):
        return value * 1.7 + 0.3
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size:
        if value.dtype == bool:
            return ~value
        steps = np.arange(value.size).reshape(value.shape)
        return (value + 1 + steps % 3).astype(value.dtype)
    if isinstance(value, (list, tuple)) and value:
        inner = [_disturbed(item) for item in value]
        return type(value)(inner) if all(x is not None for x in inner) else None
    if isinstance(value, dict):
        changed = {key: _disturbed(item) for key, item in value.items()}
        whole = all(item is not None for item in changed.values())
        return changed if changed and whole else None
    if isinstance(value, (Example, Attention)):
        return _with_arrays(value, _disturbed)
    return None


@contextlib.contextmanager
def _put(space: dict[str, Any], name: str, value: Any) -> Iterator[None]:
    before = space.get(name)
    space[name] = value
    try:
        yield
    finally:
        space[name] = before


def _with_arrays(record: Example | Attention, change: Callable[[Any], Any]) -> Any:
    changed = copy.copy(record)
    for key, item in vars(record).items():
        if isinstance(item, np.ndarray):
            object.__setattr__(changed, key, change(item))
    return changed


def described(value: Any) -> str:
    """Say what a name of the notebook stands for."""
    if isinstance(value, np.ndarray):
        return size(value)
    if isinstance(value, (int, float, np.number)):
        return f"{value:g}"
    return kind(value)


# ---- what a call leaves behind ----


class Memory:
    """What an answer could remember between calls, as it is at first.

    These are the lists, tables and numbers of the notebook that it knows by name, and
    the defaults of its parameters.
    """

    def __init__(self, answer: Any) -> None:
        self.globals: list[tuple[dict[str, Any], str, Any]] = []
        for space, name, value in _read(answer):
            if isinstance(value, (int, float, np.ndarray, np.generic, list, dict)):
                with contextlib.suppress(Exception):  # not all can be copied
                    self.globals.append((space, name, copy.deepcopy(value)))
        self.defaults = []
        for function in functions_of(answer):
            with contextlib.suppress(Exception):
                self.defaults.append((function, copy.deepcopy(function.__defaults__)))

    def changed(self) -> list[str]:
        """Return the names whose values are no longer what they were."""
        return [
            name
            for space, name, kept in self.globals
            if not _equal([space.get(name)], [kept])
        ]

    @contextlib.contextmanager
    def as_at_first(self) -> Iterator[None]:
        """Put everything back for a while."""
        with contextlib.ExitStack() as stack:
            for space, name, kept in self.globals:
                stack.enter_context(_put(space, name, copy.deepcopy(kept)))
            for function, kept in self.defaults:
                now, function.__defaults__ = function.__defaults__, copy.deepcopy(kept)
                stack.callback(setattr, function, "__defaults__", now)
            yield


# ---- numbers that are written out ----


def written_sizes(
    answer: Any, cases: Sequence[Inputs], right: Callable[[Inputs], bool]
) -> list[int]:
    """Return the sizes written in a function that only have to fit for it to be right.

    `right` tells whether the answer, as it is at the moment, is right on some inputs.
    """
    function = class_behind(answer) or unwrapped(answer)
    methods = vars(function).values() if isinstance(function, type) else [function]
    for method in map(unwrapped, methods):
        tree = _tree(method)
        if tree is None:
            continue
        sizes = {size for case in cases for size in _sizes(case)} | NOTEBOOKS
        written = sorted({value for _, value in _whole_numbers(tree)} & sizes)
        first = _sizes(cases[0])
        together = {x: first.index(x) for x in written if x in first}
        tries = [{x: k} for x in written for k in range(len(first))]
        tries += [together] if len(together) > 1 else []
        for places in tries:
            if all(_right_with(method, tree, places, case, right) for case in cases):
                return sorted(places)
    return []


def _right_with(
    method: types.FunctionType,
    tree: ast.Module,
    places: dict[int, int],
    case: Inputs,
    right: Callable[[Inputs], bool],
) -> bool:
    """Tell whether an answer is right with the sizes of a case for its numbers."""
    sizes = _sizes(case)
    changed = copy.deepcopy(tree)
    for node, value in _whole_numbers(changed):
        if value in places:
            node.value = sizes[places[value]]
    made = compile(changed, "<with other sizes>", "exec")
    codes = (c for c in made.co_consts if isinstance(c, types.CodeType))
    code = next((c for c in codes if c.co_name == method.__name__), None)
    if code is None or code.co_freevars != method.__code__.co_freevars:
        return False
    before = method.__code__
    method.__code__ = code
    try:
        return right(case)
    finally:
        method.__code__ = before


def _tree(method: Any) -> ast.Module | None:
    if not isinstance(method, types.FunctionType):
        return None
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
    except (OSError, SyntaxError, TypeError):
        return None
    match tree.body:
        case [ast.FunctionDef() as written]:
            written.decorator_list = []
            return tree
    return None


def _whole_numbers(tree: ast.AST) -> list[tuple[ast.Constant, int]]:
    """Return the numbers from 2 on that stand in a function; smaller ones are axes."""
    found = list(ast.walk(tree))
    below_0 = [node.operand for node in found if isinstance(node, ast.UnaryOp)]
    return [
        (node, node.value)
        for node in found
        if isinstance(node, ast.Constant) and type(node.value) is int
        if node.value > 1 and node not in below_0
    ]


def _sizes(inputs: Inputs) -> list[int]:
    """Return the sizes of all inputs, in order; a whole number is a size itself."""
    sizes: list[int] = []
    for given in inputs.values():
        sizes += [given] if isinstance(given, int) else np.shape(given)
    return sizes


def _is_a_size(value: Any, case: Inputs) -> bool:
    sizes = _sizes(case)
    return isinstance(value, (int, float, np.number)) and bool(
        np.isclose(value, [*sizes, *np.sqrt(sizes)]).any()
    )


def _equal(before: Sequence[Any], after: Sequence[Any]) -> bool:
    try:
        return len(before) == len(after) and all(
            np.shape(a) == np.shape(b)
            and (
                np.array_equal(a, b, equal_nan=True)
                if np.asarray(a).dtype.kind in "biuf"
                else bool(np.all(a == b))
            )
            for a, b in zip(before, after, strict=True)
        )
    except Exception:
        return False
