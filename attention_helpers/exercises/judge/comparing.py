"""Compare a learner's result with another, and say the first difference in words."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Matrix, check_array, is_real, strange_in
from ...text import fewest_decimals, number

ATOL = 1e-4  # what four decimals can show


def numbers(given: Any, *, flags: bool = False) -> Matrix:
    """Return `given` as float64, or raise a `ValueError` that says what it is.

    `flags` lets True and False count as 1 and 0.
    """
    if given is None or isinstance(given, (str, bytes, dict, set)) or callable(given):
        raise ValueError(kind(given))
    if _holds_itself(given):
        raise ValueError("a list that holds itself")
    try:
        array = check_array("it", given)
    except Exception:
        raise ValueError(_unreadable(given)) from None
    if flags and (array.dtype == bool or _are_flags(array)):
        array = array.astype(np.int64)
    if array.dtype == object:
        array = array.copy()
        for k, x in enumerate(array.flat):
            if isinstance(x, Decimal):
                array.flat[k] = float(x)
    odd = [x for x in array.flat if array.dtype == object and not is_real(x)]
    if odd or strange_in(array):
        inside = kind(odd[0]) if odd else strange_in(array)
        raise ValueError(inside if array.ndim else kind(given))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return array.astype(np.float64)
    except (OverflowError, TypeError, ValueError):
        raise ValueError("a number too large for a float") from None


def _holds_itself(given: Any, above: tuple[Any, ...] = ()) -> bool:
    """Tell whether a list is in itself: NumPy would take for ever."""
    if not isinstance(given, (list, tuple)):
        return False
    return any(given is one for one in above) or any(
        _holds_itself(item, (*above, given)) for item in given
    )


def _are_flags(array: NDArray[Any]) -> bool:
    return array.dtype == object and all(isinstance(x, bool) for x in array.flat)


def kind(given: object) -> str:
    """Name what kind of thing came, with no memory address in it."""
    if given is None:
        return "nothing (None)"
    if isinstance(given, (bool, np.bool_)):
        return f"{bool(given)}, not a number"
    if isinstance(given, str):
        return "text, in quotation marks"
    if isinstance(given, type):
        return f"a class, {given.__name__}"
    if isinstance(given, np.ndarray):
        return "an array"
    if callable(given) and hasattr(given, "__name__"):
        return "a function, not its result"
    name = type(given).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _unreadable(given: object) -> str:
    if isinstance(given, np.ma.MaskedArray):
        return "a masked array, whose mask would be lost"
    if isinstance(given, tuple):
        return f"{len(given)} things at once"
    return "rows of different lengths or kinds"


def typed_in(given: object) -> str:
    """Return what came as it prints, or its kind where it does not."""
    try:
        return f"{given}"
    except Exception:
        return kind(given)


def size(array: Matrix) -> str:
    """Say the shape of an array as a reader would."""
    if array.ndim == 0:
        return "one number"
    if array.ndim == 1:
        return f"{array.size} number{'s' * (array.size != 1)} in one row"
    if array.ndim == 2:
        rows, columns = array.shape
        return (
            f"a table of {rows} row{'s' * (rows != 1)}"
            f" × {columns} column{'s' * (columns != 1)}"
        )
    return f"an array of shape {array.shape}"


def close(came: Matrix, expected: Matrix, *, rtol: float, atol: float) -> bool:
    """Tell whether two results have the same shape and nearly the same numbers."""
    return came.shape == expected.shape and bool(
        np.allclose(came, expected, rtol=rtol, atol=atol, equal_nan=True)
    )


def first_difference(came: Matrix, expected: Matrix, rtol: float) -> tuple[int, ...]:
    """Return the first place at which two tables of the same size differ."""
    differs = ~np.isclose(came, expected, rtol=rtol, atol=ATOL, equal_nan=True)
    return tuple(int(k) for k in np.argwhere(differs)[0]) if came.ndim else ()


def exact(x: float, *, flag: bool = False) -> str:
    """Write one number with up to four decimals, or True and False."""
    if np.isnan(x):
        return "NaN, not a number"
    return str(bool(x)) if flag and x in (0, 1) else number(x, fewest_decimals([x]))


def place(at: tuple[int, ...], labels: Sequence[Sequence[str]]) -> str:
    """Name a place by its row and column, where they have names."""
    axes = ("row", "column") if len(at) == 2 else ("",)
    names = (
        f"{axis} {label[k]}".strip()
        for axis, label, k in zip(axes, labels, at, strict=False)
        if label
    )
    return ", ".join(names)


def resemblance(came: Matrix, expected: Matrix) -> str:
    """Name a likeness between a wrong result and the right one, if there is one."""
    if came.ndim == 2 and close(came.T, expected, rtol=1e-4, atol=ATOL):
        return "Rows and columns are swapped: this is the right table, transposed."
    if came.shape != expected.shape:
        return _reshaped(came, expected)
    if np.isnan(came).any():
        return (
            "NaN is what 0 / 0, inf / inf and inf − inf give, and the root or logarithm"
            " of a negative number: look for a sum that is 0, an exp that is too large"
            " or a root."
        )
    if came.size > 1 and not came.any():
        return (
            "All numbers are 0. That can come of putting nothing into the result, of"
            " // or a table of whole numbers, which cut fractions off, or of dividing"
            " by infinity."
        )
    return _throughout(came, expected)


def _reshaped(came: Matrix, expected: Matrix) -> str:
    if came.size != expected.size:
        return ""
    if not close(came.reshape(expected.shape), expected, rtol=1e-4, atol=ATOL):
        return ""
    return f"These are the right numbers, but as {size(came)}, not {size(expected)}."


def loop_slip(came: Matrix, expected: Matrix) -> str:
    """Name what a loop leaves when it returns too early, or keeps its last row only."""
    if expected.ndim and len(expected) > 1 and came.any():
        what = ("number", "row", "table")[expected.ndim - 1]
        if close(came, expected[-1], rtol=1e-4, atol=ATOL):
            return (
                f"This is the last {what} alone. In a loop, {what} = ... replaces what"
                " was there; a list collects."
            )
        for k, first in ((expected[0].size, what), (1, "number")):
            filled = np.zeros_like(expected)
            filled.flat[:k] = expected.flat[:k]
            if close(came, filled, rtol=1e-4, atol=ATOL):
                return (
                    f"Only the first {first} is filled in. A return inside a loop ends"
                    " it in its first round."
                )
    return ""


def fewer_digits(came: Matrix, expected: Matrix) -> str:
    """Name a result that has fewer digits than the right one."""
    if came.shape != expected.shape or not came.any():
        return ""
    if came.ndim and np.array_equal(came, np.trunc(expected)):
        return "The fractions are gone, as they are from a table of whole numbers."
    for decimals in range(0 if came.ndim else 1, 4):
        if np.allclose(came, expected.round(decimals), rtol=0, atol=1e-9):
            return (
                f"These are the right numbers, rounded to {decimals} decimal"
                f"{'s' * (decimals != 1)}. Return them with all their digits."
            )
    if np.allclose(came, expected, rtol=0.003, atol=0.006):
        with np.errstate(over="ignore"):
            half = np.array_equal(came, came.astype(np.float16))
        return "Nearly right, but not to four decimals." + (
            " float16 holds about three digits." if half else ""
        )
    return ""


def _throughout(came: Matrix, expected: Matrix) -> str:
    """Name what makes all numbers wrong in the same way."""
    finite = np.isfinite(came).all() and np.isfinite(expected).all()
    if came.size < 2 or not finite or not expected.any():
        return ""
    apart = came - expected
    if np.allclose(apart, apart.flat[0], rtol=1e-6, atol=1e-6):
        more = "large" if apart.flat[0] > 0 else "small"
        return f"Every number is {number(abs(apart.flat[0]), 3)} too {more}."
    factor = (came * expected).sum() / (expected * expected).sum()
    if not np.allclose(came, factor * expected, rtol=1e-3, atol=1e-4):
        return ""
    return f"Every number is {number(factor, 3)} times what it should be."
