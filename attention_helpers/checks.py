"""Checks that say what came and what was expected."""

from __future__ import annotations

import math
import operator
import re
import sys
import unicodedata
import warnings
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .facts import FORMS, LEARNED, LIMITS

Matrix = NDArray[np.float64]
MATRICES = LEARNED[1:]
INPUTS = tuple(name for name, form in FORMS.items() if "letter" in form)
MOST = float(LIMITS["number"])  # of a number that a hand can move
MOST_SEED = 2**32 - 1
MOST_WORDS = 100_000  # an iterator may have no end


def check_array(name: str, given: ArrayLike) -> NDArray[Any]:
    """Return `given` as an array of any type, or say why it is none."""
    if type(given) is np.ndarray:
        return given
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
    if strange := strange_in(array):
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
        raise unexpected(name, given, f"a whole number from {least} to {most}")
    return number


def check_seed(given: object) -> int:
    """Return what random draws start from."""
    return check_whole("seed", given, least=0, most=MOST_SEED)


def shown(given: object) -> str:
    """Return a repr short enough for a message."""
    try:
        text = repr(given).encode(errors="backslashreplace").decode()
    except ValueError:  # Python does not print integers of over 4300 digits
        return f"a very large {type(given).__name__}"
    except Exception:
        return f"a {type(given).__name__} that cannot be printed"
    return text if len(text) <= 100 else f"{text[:97]}..."


def unexpected(name: str, given: object, expected: str) -> ValueError:
    """Return the error that says what came and what was expected."""
    return ValueError(f"{name} is {shown(given)}; expected {expected}")


def plain_text(text: str) -> str:
    """Return text of a subclass as what it holds, whatever that says of itself."""
    return str.__str__(text)


def check_matrix(name: str, given: ArrayLike, *, finite: bool = True) -> Matrix:
    """Return a float64 copy with rows and columns."""
    array = check_numbers(name, given, finite=finite)
    if array.ndim != 2:
        raise ValueError(
            f"{name} has shape {array.shape}; expected a matrix with rows and columns"
        )
    return array


def check_flags(
    given: ArrayLike | None, shape: tuple[int, ...], where: str, sides: str = ""
) -> NDArray[np.bool_]:
    """Return a mask of a shape; `where` says what True means. All True without one."""
    if given is None:
        return np.ones(shape, dtype=bool)
    mask = check_array("mask", given)
    if mask.dtype != bool:
        raise ValueError(
            f"mask holds {mask.dtype}; expected booleans, True where {where}"
        )
    if mask.shape != shape:
        raise ValueError(f"mask has shape {mask.shape}; expected {sides}{shape}")
    return mask


def check_mask(given: ArrayLike | None, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which keys each query may attend to: all where there is no mask."""
    mask = check_flags(given, shape, "a query may attend", "(n_queries, n_keys) = ")
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
        raise unexpected("scale", given, "a finite number or None")
    return number


# ---- words, and what an example says of its matrices ----


def check_text(name: str, given: object) -> str:
    """Return text of any length that a screen can show."""
    if not isinstance(given, str) or re.search(r"[\ud800-\udfff\x00]", given):
        raise ValueError(
            f"{name} holds {shown(given)}; expected text without NUL characters"
            " or unpaired surrogates"
        )
    return plain_text(given)


def check_token(name: str, word: object) -> str:
    """Return text that can be shown as a label."""
    if not isinstance(word, str) or not any(map(_is_seen, word)):
        raise ValueError(f"{name} holds {shown(word)}; expected text that is not empty")
    if len(word) > LIMITS["characters"]:
        raise ValueError(
            f"{name} holds a word of {len(word)} characters; expected at most"
            f" {LIMITS['characters']}"
        )
    return check_text(name, word)


def _is_seen(character: str) -> bool:
    """Tell whether a character takes a place on the screen, as a joiner does not."""
    hidden = unicodedata.category(character) in ("Cc", "Cf")
    return not hidden and not character.isspace()


def check_words(name: str, given: Any, each: str = "") -> tuple[str, ...]:
    """Return labels as a tuple of plain text; with `each`, they must be distinct."""
    try:
        if isinstance(given, (str, set, frozenset)):  # a set has no order
            raise TypeError
        words = tuple(islice(given, MOST_WORDS + 1))
    except Exception:  # whatever an object that is no list may raise
        raise unexpected(name, given, "a list of words") from None
    if len(words) > MOST_WORDS:
        raise ValueError(
            f"{name} has more than {MOST_WORDS} words; expected at most so many"
        )
    words = tuple(check_token(name, word) for word in words)
    word, times = next(iter(Counter(words).most_common(1)), ("", 0))
    if each and times > 1:
        raise ValueError(
            f"{name} holds {word!r} more than once; expected distinct {each}"
        )
    return words


def check_tokens(given: Any) -> tuple[str, ...]:
    """Return the words of a sentence."""
    words = check_words("tokens", given, "words, since a row is found by its word")
    if not words:
        raise ValueError("tokens is empty; expected at least one word")
    return words


def index_of(tokens: tuple[str, ...], token: Any, where: str = "") -> int:
    """Return the row of a word, or list the words there are."""
    word = plain_text(token) if isinstance(token, str) else None
    if word not in tokens:
        raise ValueError(
            f"there is no token {shown(token)}{where};"
            f" expected one of {', '.join(tokens)}"
        )
    return tokens.index(word)


def check_mapping(name: str, given: object) -> dict[Any, Any]:
    """Return a copy of a mapping."""
    if not isinstance(given, Mapping):
        raise unexpected(name, given, "a dictionary")
    return dict(given)


def check_columns(name: str, given: object) -> dict[str, tuple[str, ...]]:
    """Return the column names of some matrices, each as a tuple of distinct words."""
    checked = {}
    for matrix, names in check_mapping(name, given).items():
        if not isinstance(matrix, str) or plain_text(matrix) not in INPUTS:
            raise ValueError(
                f"{name} names {shown(matrix)}; expected any of {', '.join(INPUTS)}"
            )
        where = f"{name}[{plain_text(matrix)!r}]"
        checked[plain_text(matrix)] = check_words(where, names, "names")
    return checked


def fit_columns(columns: Mapping[str, tuple[str, ...]], of: Mapping[str, Any]) -> None:
    """Refuse column names that are not as many as the matrix has columns."""
    for matrix, names in columns.items():
        width = None if of.get(matrix) is None else len(of[matrix][0])
        if width != len(names):
            there = "no matrix" if width is None else f"{width} columns"
            raise ValueError(
                f"columns has {len(names)} names for {matrix}, which has {there};"
                " expected one name a column"
            )


def check_slider(name: str, given: object) -> dict[str, float] | None:
    """Return a range of numbers within which a hand may move."""
    if given is None:
        return None
    ends = dict(given) if isinstance(given, Mapping) else {}
    found = {end: finite_number(ends.pop(end, None)) for end in ("min", "max", "step")}
    least, most, step = (math.nan if x is None else x for x in found.values())
    if ends or not (-MOST <= least < most <= MOST and 0 < step <= MOST):
        expected = "numbers for min, max and step, with min < max and step > 0"
        raise unexpected(name, given, f"{expected}, within 1e6")
    return {"min": least, "max": most, "step": step}


def check_presets(name: str, given: object) -> dict[str, dict[str, Any]]:
    """Return named changes of one word, the embeddings as tuples."""
    checked = {}
    for title, preset in check_mapping(name, given).items():
        check_token(name, title)
        where = f"{name}[{shown(title)}]"
        preset = check_mapping(where, preset)
        if set(preset) != {"token", "becomes", "embedding"}:
            raise ValueError(
                f"{where} has {', '.join(map(shown, preset))};"
                " expected token, becomes and embedding"
            )
        row = check_matrix(f"{where} embedding", [preset["embedding"]])[0]
        if abs(row).max() > MOST:
            raise unexpected(f"{where} embedding", row, "numbers within a million")
        names = {key: check_token(where, preset[key]) for key in ("token", "becomes")}
        checked[plain_text(title)] = names | {"embedding": tuple(row.tolist())}
    return checked


def fit_presets(
    presets: Mapping[str, Mapping[str, Any]], of: Mapping[str, Any]
) -> None:
    """Refuse presets that change a word which is not there, or to one which is."""
    tokens, width = of["tokens"], len(of["embeddings"][0])
    for title, preset in presets.items():
        where = f"presets[{shown(title)}]"
        if len(preset["embedding"]) != width:
            raise ValueError(
                f"{where} has {len(preset['embedding'])} numbers; expected"
                f" {width}, one for each embedding column"
            )
        index_of(tokens, preset["token"], f" for {where}")
        if preset["becomes"] in set(tokens) - {preset["token"]}:
            raise ValueError(
                f"{where} becomes {preset['becomes']!r}, which is in the"
                " sentence already; expected a new word"
            )
