"""Find out which operation of NumPy failed in a function, and on what."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .running import quiet


class _Noting(np.ndarray[Any, Any]):
    """An array that notes what stood beside it in an operation that failed."""

    failed: list[list[Any]]

    def __array_finalize__(self, other: Any) -> None:
        self.failed = getattr(other, "failed", [])

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, **options: Any
    ) -> Any:
        return self._noted(getattr(ufunc, method), inputs, options, ufunc.__name__)

    def __array_function__(
        self, function: Any, types: Any, inputs: Any, options: Any
    ) -> Any:
        return self._noted(function, inputs, options, function.__name__)

    def _noted(self, function: Any, inputs: Any, options: Any, name: str) -> Any:
        inputs, options = _plain(tuple(inputs)), _plain(dict(options))
        try:
            result = function(*inputs, **options)
        except Exception:
            self.failed[:] = [["matmul" if name == "dot" else name, *inputs]]
            raise
        return _watched(result, self.failed) if type(result) is np.ndarray else result


def _watched(array: Any, failed: list[list[Any]]) -> _Noting:
    watched: _Noting = array.view(_Noting)
    watched.failed = failed
    return watched


def _plain(thing: Any) -> Any:
    if isinstance(thing, _Noting):
        return thing.view(np.ndarray)
    if type(thing) in (tuple, list):
        return type(thing)(_plain(item) for item in thing)
    if type(thing) is dict:
        return {key: _plain(value) for key, value in thing.items()}
    return thing


def failing_operands(
    function: Callable[..., Any], inputs: Mapping[str, Any]
) -> list[Any]:
    """Return on what operation, and operands, a function fails; [] if unknown."""
    failed: list[list[Any]] = []
    given = copy.deepcopy(dict(inputs))
    for name, array in given.items():
        if isinstance(array, np.ndarray):
            given[name] = _watched(array, failed)
    try:
        with quiet(io.StringIO()):
            function(*given.values())
    except (Exception, SystemExit):
        return failed[0] if failed else []
    return []


def same_operands(ours: list[Any], theirs: list[Any]) -> bool:
    """Tell whether the same operation is known to have failed on the same arrays."""
    try:
        return bool(ours[0] == theirs[0]) and all(
            np.shape(a) == np.shape(b) and np.allclose(a, b, equal_nan=True)
            for a, b in zip(ours[1:], theirs[1:], strict=True)
        )
    except Exception:  # other things than arrays, or not as many
        return False
