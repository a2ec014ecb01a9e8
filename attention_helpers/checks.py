"""Checks that say what came and what was expected."""

from __future__ import annotations

import operator
import sys
import warnings
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]


def check_array(name: str, given: ArrayLike) -> NDArray[Any]:
    """Return `given` as an array of any type, or say why it is none."""
    # Who has a masked array has loaded numpy.ma; we do not, it takes its time.
    if "numpy.ma" in sys.modules and isinstance(given, np.ma.MaskedArray):
        raise ValueError(
            f"{name} is a masked array; expected a plain one, since its mask would be"
            " ignored"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a masked element becomes NaN
            return np.asarray(given)
    except Exception:  # whatever an object that is no array may raise
        raise ValueError(
            f"{name} has rows of different lengths or kinds; expected a table"
        ) from None


def check_numbers(name: str, given: ArrayLike, *, finite: bool = True) -> Matrix:
    """Return a float64 copy, or say why `given` cannot be one."""
    array = check_array(name, given)
    strange = strange_in(array)
    if strange:
        raise ValueError(f"{name} holds {strange}; expected numbers that fit a float64")
    if array.size == 0 or array.ndim == 0:
        raise ValueError(
            f"{name} has shape {array.shape}; expected at least one number in a list"
        )
    try:
        with np.errstate(over="ignore", under="ignore"):
            array = array.astype(np.float64)  # too large a long double becomes inf
    except OverflowError:
        raise ValueError(
            f"{name} holds an integer beyond 1.8e308;"
            " expected numbers that fit a float64"
        ) from None
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity; expected finite numbers")
    return array


def strange_in(array: NDArray[Any]) -> str:
    """Name what an array holds that is no real number; empty if there is nothing."""
    kind = array.dtype.kind
    if kind in "iuf":
        return ""
    if kind == "O":  # fractions and integers beyond 64 bits are welcome
        return next((shown(item) for item in array.flat if not is_real(item)), "")
    kinds = {"b": "booleans", "c": "complex numbers", "U": "text", "S": "bytes"}
    return kinds.get(kind, f"values of type {array.dtype}")


def is_real(item: object) -> bool:
    """Say whether a value is a real number; a boolean is none."""
    return isinstance(item, Real) and not isinstance(item, (bool, np.timedelta64))


def finite_number(given: Any) -> float | None:
    """Return one finite number, or None where `given` is anything else."""
    try:
        numbers = check_numbers("number", [given])
    except ValueError:
        return None
    return float(numbers[0]) if numbers.shape == (1,) else None


def check_whole(name: str, given: object, *, least: int, most: int) -> int:
    """Return an integer in range, or say what came instead."""
    try:
        number = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(given, bool) or not least <= number <= most:
        raise ValueError(
            f"{name} is {shown(given)}; expected a whole number from {least} to {most}"
        )
    return number


def shown(given: object) -> str:
    """Return a repr short enough for a message."""
    try:
        text = repr(given).encode(errors="backslashreplace").decode()
    except ValueError:  # Python does not print integers of over 4300 digits
        return f"a very large {type(given).__name__}"
    except Exception:
        return f"a {type(given).__name__} that cannot be printed"
    return text if len(text) <= 100 else f"{text[:97]}..."


def plain_text(text: str) -> str:
    """Return text of a subclass as what it holds, whatever that says of itself."""
    return str.__str__(text)


def check_matrix(name: str, given: ArrayLike) -> Matrix:
    """Return a float64 copy with rows and columns."""
    array = check_numbers(name, given)
    if array.ndim != 2:
        raise ValueError(
            f"{name} has shape {array.shape}; expected a matrix with rows and columns"
        )
    return array


def check_mask(given: ArrayLike | None, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which keys each query may attend to: all where there is no mask."""
    if given is None:
        return np.ones(shape, dtype=bool)
    mask = check_array("mask", given)
    if mask.dtype != bool:
        raise ValueError(
            f"mask holds {mask.dtype}; expected booleans, True where a query may attend"
        )
    if mask.shape != shape:
        raise ValueError(
            f"mask has shape {mask.shape}; expected (n_queries, n_keys) = {shape}"
        )
    hidden = np.flatnonzero(~mask.any(axis=1))
    if hidden.size:
        raise ValueError(
            f"mask hides every key from row {hidden[0]};"
            " expected at least one True in each row"
        )
    return mask


def check_scale(given: float | None, d_k: int) -> float:
    """Return what the scores are multiplied by."""
    if given is None:
        return float(1 / np.sqrt(d_k))
    number = finite_number(given)
    if number is None:
        raise ValueError(f"scale is {shown(given)}; expected a finite number or None")
    return number
