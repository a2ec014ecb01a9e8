"""How numbers, labels and tables are written for people.

The explorer writes its numbers in JavaScript by the same rule, so that a stored table
and a live matrix never differ in a digit.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np
from numpy.typing import ArrayLike

_LARGE = 100_000  # from here on a number is written as 1.2e+13
_EXACT = Context(prec=800, rounding=ROUND_HALF_UP)  # a float64 has at most 767 digits
_TWO_DIGITS = Context(prec=2, rounding=ROUND_HALF_UP)


def number(x: float, decimals: int = 2) -> str:
    """Write a number as JavaScript's ``toFixed`` does, with a real minus sign.

    The exact value is rounded and ties go away from zero, so 0.125 is "0.13". There is
    no "−0.00". From 100000 on, it is ``toExponential(1)`` instead.

    Parameters
    ----------
    x : float
        Any float64, also NaN and infinity.
    decimals : int
        Digits after the point, 0 or more.

    Returns
    -------
    str
        The number; "undefined" for NaN.

    Examples
    --------
    >>> number(-0.125), number(-0.001), number(12345678901234)
    ('−0.13', '0.00', '1.2e+13')
    """
    x = float(x)
    if math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    size = Decimal(abs(x))  # exact
    if size >= _LARGE:
        written = f"{_TWO_DIGITS.plus(size):.1e}"
    else:
        written = f"{size.quantize(Decimal(1).scaleb(-decimals), context=_EXACT):f}"
    rounds_to_zero = not written.strip("0.")
    return "−" + written if x < 0 and not rounds_to_zero else written


def fewest_decimals(numbers: Iterable[float], most: int = 4) -> int:
    """Count the decimals that show all numbers as well as `most` decimals would.

    Parameters
    ----------
    numbers : iterable of float
        Numbers that stand together.
    most : int
        Never more than these.

    Returns
    -------
    int
        0 where all are whole numbers, and at most `most`.

    Examples
    --------
    >>> fewest_decimals([1.0, 0.25]), fewest_decimals([2.0, 1 / 3])
    (2, 4)
    """
    written = (number(x, most) for x in numbers)
    fractions = (w.partition(".")[2] for w in written if "e" not in w)
    return max((len(fraction.rstrip("0")) for fraction in fractions), default=0)


def table(
    matrix: ArrayLike,
    rows: Sequence[object] | None = None,
    columns: Sequence[object] | None = None,
    mask: ArrayLike | None = None,
    decimals: int | None = None,
) -> str:
    """Write a matrix as an aligned plain-text table.

    Parameters
    ----------
    matrix : (n_rows, n_columns) array_like
        Any numbers, also NaN and infinity.
    rows, columns : sequence, optional
        Labels; without them, the indices from 0.
    mask : (n_rows, n_columns) bool array_like, optional
        ``False`` hides a cell: it is written "·", or "−∞" where it is -inf.
    decimals : int, optional
        Digits after the point; without it, the fewest (at most 4) that show every
        number to 4 decimals.

    Returns
    -------
    str
        One line for the columns, then one a row.

    Examples
    --------
    >>> print(table([[1, 0], [0.25, 0.75]], ["a", "bank"], ["a", "bank"]))
             a  bank
    a     1.00  0.00
    bank  0.25  0.75
    """
    cells = np.asarray(matrix, dtype=np.float64)
    shown = np.ones(cells.shape, dtype=bool) if mask is None else np.asarray(mask, bool)
    if decimals is None:
        decimals = fewest_decimals(cells[shown])
    rows = range(cells.shape[0]) if rows is None else rows
    columns = range(cells.shape[1]) if columns is None else columns
    lines = [["", *map(label, columns)]]
    for name, row, visible in zip(rows, cells, shown, strict=True):
        lines.append([label(name), *_row(row, visible, decimals)])
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths) for line in lines)


def label(text: object, longest: int = 40) -> str:
    """Make a label safe to stand in a line of text, whatever it holds.

    Parameters
    ----------
    text : object
        Usually a token.
    longest : int
        Longer labels end with "…" after so many characters.

    Returns
    -------
    str
        One line; control characters are shown as pictures of
        themselves or as "�", and text written from right to left stays in its column.

    Examples
    --------
    >>> label("two" + chr(10) + "lines")
    'two␊lines'
    """
    try:
        clean = "".join(map(_printable, str(text)))
    except Exception:  # such as an integer of over 4300 digits
        clean = "…"
    if len(clean) > longest:
        clean = clean[: longest - 1] + "…"
    if any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in clean):
        clean += "\u200e"  # else the numbers that follow would be reversed, too
    return clean


def _row(row: Iterable[float], visible: Iterable[bool], decimals: int) -> list[str]:
    return [
        number(x, decimals) if seen or x == -np.inf else "·"
        for x, seen in zip(row, visible, strict=True)
    ]


def _line(cells: list[str], widths: list[int]) -> str:
    """Set the first cell left and the others right."""
    pads = [" " * (w - _width(cell)) for cell, w in zip(cells, widths, strict=True)]
    rest = (pad + cell for pad, cell in zip(pads[1:], cells[1:], strict=True))
    return "  ".join([cells[0] + pads[0], *rest])


def _printable(character: str) -> str:
    if character < " ":
        return chr(0x2400 + ord(character))  # the picture of a control character
    steers = unicodedata.bidirectional(character) in (
        *("LRE", "RLE", "LRO", "RLO", "PDF"),
        *("LRI", "RLI", "FSI", "PDI"),
    )
    breaks = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
    return "\ufffd" if steers or breaks else character


def _width(text: str) -> int:
    """Count the columns that a text takes where every character has the same width."""
    return sum(
        0
        if unicodedata.category(c) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )
