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

from .checks import check_whole
from .facts import TEXT

_LARGE = 100_000  # from here on a number is written as 1.2e+13
_EXACT = Context(prec=800, rounding=ROUND_HALF_UP)  # a float64 has at most 767 digits
_TWO_DIGITS = Context(prec=2, rounding=ROUND_HALF_UP)
_STEERS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


def number(x: float, decimals: int = 2) -> str:
    """Write a number as JavaScript's ``toFixed`` does, with a real minus sign.

    The exact value is rounded and ties go away from zero, so 0.125 is "0.13". There is
    no "−0.00". From 100000 on, it is ``toExponential(1)``; NaN is "undefined".

    >>> number(-0.125), number(-0.001), number(12345678901234)
    ('−0.13', '0.00', '1.2e+13')
    """
    x = float(x)
    if math.isnan(x):
        return str(TEXT["numbers"]["undefined"])
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    size = Decimal(abs(x))  # exact
    if size >= _LARGE:
        written = f"{_TWO_DIGITS.plus(size):.1e}"
    else:
        written = f"{size.quantize(Decimal(1).scaleb(-decimals), context=_EXACT):f}"
    rounds_to_zero = not written.strip("0.")
    return "−" + written if x < 0 and not rounds_to_zero else written


def plain_numbers(decimals: int = 3) -> None:
    """Make Python print a number as a number, and an array with few decimals.

    From now on ``np.float64(0.5)`` is printed as ``0.5``, and a small number in an
    array as ``0.001`` rather than ``1.234e-03``.

    Parameters
    ----------
    decimals : int
        The most digits after the point of an array's numbers, 0 to 17.

    Raises
    ------
    ValueError
        For anything but a whole number in range.

    Examples
    --------
    >>> with np.printoptions():  # only here
    ...     plain_numbers()
    ...     [np.float64(0.5), np.array([1 / 3, 1e-9])]
    [0.5, array([0.333, 0.   ])]
    """
    most = check_whole("decimals", decimals, least=0, most=17)
    np.set_printoptions(precision=most, suppress=True, legacy="1.25")


def fewest_decimals(numbers: Iterable[float], most: int = 4) -> int:
    """Count the decimals that show all numbers as well as `most` decimals would.

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

    Without labels, rows and columns have their indices. Where `mask` is False a cell is
    written "·", or "−∞" where it is -inf. Without `decimals`, it has the fewest that
    show every number to 4 of them.

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
        line = [label(name)]
        for x, seen in zip(row, visible, strict=True):
            line.append(number(x, decimals) if seen or x == -np.inf else "·")
        lines.append(line)
    return aligned(lines)


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Write lines of words below one another, each in its column.

    >>> print(aligned([["a", "one"], ["bank", "2"]]))
    a     one
    bank    2
    """
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths) for line in lines)


def label(text: object, longest: int = 40) -> str:
    """Make a label safe to stand in a line of text, whatever it holds.

    Control characters are shown as pictures of themselves or as "�", text written from
    right to left stays in its column, and longer labels end with "…".

    >>> label("two" + chr(10) + "lines")
    'two␊lines'
    """
    try:
        clean = "".join(map(_printable, str(text)[: longest + 1]))
    except Exception:  # such as an integer of over 4300 digits
        clean = "…"
    if len(clean) > longest:
        clean = clean[: longest - 1] + "…"
    if any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in clean):
        clean += "\u200e"  # else the numbers that follow would be reversed, too
    return clean


def _line(cells: Sequence[str], widths: list[int]) -> str:
    """Set the first cell left and the others right."""
    pads = [" " * (w - _width(cell)) for cell, w in zip(cells, widths, strict=True)]
    rest = (pad + cell for pad, cell in zip(pads[1:], cells[1:], strict=True))
    return "  ".join([cells[0] + pads[0], *rest])


def _printable(character: str) -> str:
    if character < " ":
        return chr(0x2400 + ord(character))  # the picture of a control character
    steers = unicodedata.bidirectional(character) in _STEERS
    breaks = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
    return "\ufffd" if steers or breaks else character


def _width(text: str) -> int:
    """Count the columns that a text takes where every character has the same width."""
    seen = (c for c in text if unicodedata.category(c) not in ("Mn", "Me", "Cf"))
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in seen)
