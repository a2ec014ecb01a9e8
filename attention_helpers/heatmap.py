"""Pictures of matrices that stay still, each with a twin in plain text."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import (
    Matrix,
    check_array,
    check_numbers,
    check_whole,
    finite_number,
    plain_text,
    shown,
)
from .drawing import MOST_ROWS, MOST_WIDE, Labels, Panel, draw, names_of
from .text import fewest_decimals, label, number, table

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A heat map that shows itself in a notebook: a PNG, a text twin, alternative text.

    Attributes
    ----------
    text : str
        The twin: every number of the picture or, for a large one, a summary.
    alt : str
        One sentence for a reader who cannot see the picture.
    panels : tuple of Panel
        The matrices, left to right.
    title : str
        Printed over all of them.
    """

    text: str
    alt: str
    panels: tuple[Panel, ...]
    title: str = ""

    def png(self) -> bytes:
        """Draw the picture.

        Returns
        -------
        bytes
            A PNG file, the same bytes each time.
        """
        return draw(self.panels, self.title)

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        image = base64.b64encode(self.png()).decode("ascii")
        data = {"text/plain": self.text, "image/png": image}
        return data, {"image/png": {"alt": self.alt}}

    def __repr__(self) -> str:
        return self.text


def heatmap(
    matrix: ArrayLike | Mapping[str, ArrayLike],
    rows: Labels | Mapping[str, Labels] | None = None,
    columns: Labels | Mapping[str, Labels] | None = None,
    *,
    title: str | None = None,
    mask: ArrayLike | Mapping[str, ArrayLike] | None = None,
    scale: str | float | Mapping[str, str | float] | None = None,
    decimals: int = 2,
) -> Picture:
    """Show a matrix, or several side by side, as coloured cells with their numbers.

    With more than 40 rows, or more columns than fit, the numbers drop out; a colour key
    takes their place, and the text twin summarises.

    Parameters
    ----------
    matrix : (n_rows, n_columns) array_like, or a mapping of titles to such matrices
        Any numbers. A cell of -inf is hidden, NaN prints "undefined".
    rows, columns : sequence of labels, optional
        Usually tokens; without them, the indices from 0. With several matrices, either
        a mapping of titles to labels, or one list for every matrix of that size.
    title : str, optional
        Printed bold over the picture.
    mask : (n_rows, n_columns) bool array_like, optional
        ``True`` where a cell is visible; the others are hatched. With several matrices,
        a mapping of titles to masks, or one mask for every matrix of that shape.
    scale : "signed", "weights" or a positive number, optional
        "signed", the default, colours positive numbers blue and negative ones red, up
        to the smallest of 1, 2, 5, 10, 20, ... that holds them all; a number sets that
        end by hand. "weights" is for attention weights, purple from 0 to 1. With
        several matrices, one value or a mapping of titles to values.
    decimals : int
        The most digits printed after the point. The text twin prints up to 4, or
        `decimals` if that is more.

    Returns
    -------
    Picture
        Shown where it is the last line of a cell; ``.text`` is its twin.

    Raises
    ------
    ValueError
        For anything but a matrix of numbers, for labels or a mask that do not fit,
        titles that are not there, and an unknown scale.

    Examples
    --------
    >>> heatmap([[2, -1], [0, 3]], ["bank", "river"], ["wet", "rich"], title="words")
    words, 2 × 2
           wet  rich
    bank     2    −1
    river    0     3
    """
    matrices = _matrices(matrix, title)
    shapes = {name: cells.shape for name, cells in matrices.items()}
    row_names = _share("rows", rows, shapes, _row_labels)
    column_names = _share("columns", columns, shapes, _column_labels)
    masks = _share("mask", mask, shapes, _mask)
    scales = _share("scale", scale, shapes, _scale)
    most = check_whole("decimals", decimals, least=0, most=20)
    panels = tuple(
        Panel(
            title=label(name, 200),
            matrix=cells,
            rows=row_names.get(name),
            columns=column_names.get(name),
            mask=masks.get(name),
            scale=scales.get(name, "signed"),
            subtitle=f"{cells.shape[0]} × {cells.shape[1]}",
            decimals=_enough(cells, masks.get(name), most),
        )
        for name, cells in matrices.items()
    )
    heading = label(title or "", 200) if isinstance(matrix, Mapping) else ""
    twins = [_twin(panel, max(most, 4)) for panel in panels]
    text = "\n\n".join([heading, *twins] if heading else twins)
    return Picture(text, _alternative(panels, heading), panels, heading)


# Checking what was given


def _matrices(given: object, title: object) -> dict[object, Matrix]:
    if title is not None and not isinstance(title, str):
        raise ValueError(f"title is {shown(title)}; expected text")
    if not isinstance(given, Mapping):
        return {title or "": _matrix("matrix", given)}
    if not given:
        raise ValueError("matrix is an empty mapping; expected a matrix for each title")
    return {name: _matrix(f"matrix[{shown(name)}]", m) for name, m in given.items()}


def _matrix(name: str, given: Any) -> Matrix:
    cells = check_numbers(name, given, finite=False)
    if cells.ndim != 2:
        raise ValueError(
            f"{name} has shape {cells.shape}; expected a matrix with rows and columns"
        )
    return cells


def _share(
    name: str,
    given: Any,
    shapes: Mapping[object, tuple[int, ...]],
    check: Callable[[Any, tuple[int, ...]], T],
) -> dict[object, T]:
    """Give each matrix its own part of a mapping, or what fits of one value for all."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        for title in given:
            if title not in shapes:
                known = ", ".join(map(shown, shapes))
                raise ValueError(f"{name} names {shown(title)}; expected {known}")
        parts = {title: part for title, part in given.items() if part is not None}
        return {title: check(part, shapes[title]) for title, part in parts.items()}
    fitting, misfits = {}, []
    for title, shape in shapes.items():
        try:
            fitting[title] = check(given, shape)
        except ValueError as misfit:
            misfits.append(misfit)
    if not fitting:
        raise misfits[0]
    return fitting


def _row_labels(given: Any, shape: tuple[int, ...]) -> tuple[object, ...]:
    return _labels("rows", given, shape[0])


def _column_labels(given: Any, shape: tuple[int, ...]) -> tuple[object, ...]:
    return _labels("columns", given, shape[1])


def _labels(name: str, given: Any, size: int) -> tuple[object, ...]:
    try:
        if isinstance(given, (str, bytes, Set, Iterator)):
            raise TypeError
        labels = tuple(islice(given, size + 1))
        count = len(labels) if len(labels) <= size else len(given)
    except Exception:  # whatever an object that is no list may raise
        raise ValueError(
            f"{name} is {shown(given)}; expected a list of labels"
        ) from None
    if count != size:
        raise ValueError(
            f"{name} has {count} labels but matrix has {size} {name};"
            " expected one label each"
        )
    return labels


def _mask(given: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = check_array("mask", given)
    if mask.dtype != bool:
        raise ValueError(
            f"mask holds {mask.dtype}; expected booleans, True where a cell is visible"
        )
    if mask.shape != shape:
        raise ValueError(f"mask has shape {mask.shape}; expected {shape}")
    return mask


def _scale(given: Any, _: tuple[int, ...]) -> str | float:
    if isinstance(given, str) and plain_text(given) in ("signed", "weights"):
        return plain_text(given)
    end = finite_number(given)
    if end is None or end <= 0:
        raise ValueError(
            f"scale is {shown(given)}; expected 'signed', 'weights' or a positive"
            " number"
        )
    return end


def _enough(cells: Matrix, mask: NDArray[np.bool_] | None, most: int) -> int:
    """Count the decimals to print, where there are few enough numbers to be printed."""
    if cells.size > MOST_ROWS * MOST_WIDE // 10:
        return most
    return fewest_decimals(cells.ravel() if mask is None else cells[mask], most)


# Saying it in words


def _twin(panel: Panel, most: int) -> str:
    """Write one matrix: its title and shape, then its numbers or what stands out."""
    head = ", ".join(part for part in (panel.title, panel.subtitle) if part)
    if not panel.has_numbers:
        return f"{head}: too many numbers to print; {_summary(panel)}"
    decimals = fewest_decimals(panel.finite, most)
    cells = table(panel.cells, panel.rows, panel.columns, panel.visible, decimals)
    return f"{head}\n{cells}"


def _alternative(panels: Sequence[Panel], title: str) -> str:
    """Say what is to be seen, in one sentence; the twin says it all."""
    names = [", ".join(filter(None, (p.title, p.subtitle))) for p in panels]
    if len(panels) == 1:
        return f"Heat map: {names[0]}; {_summary(panels[0])}."
    about = f" of {title}" if title else ""
    return f"{len(panels)} heat maps{about}: {'; '.join(names)}."


def _summary(panel: Panel) -> str:
    """Say where the largest and the smallest number are, and what is not a number."""
    parts = []
    if panel.finite.size:
        seen = panel.visible & np.isfinite(panel.cells)
        largest = np.where(seen, panel.cells, -np.inf).argmax()
        smallest = np.where(seen, panel.cells, np.inf).argmin()
        parts.append(f"largest {_place(panel, int(largest))}")
        parts.append(f"smallest {_place(panel, int(smallest))}")
    hidden = int((~panel.visible).sum())
    undefined = int(np.isnan(panel.cells[panel.visible]).sum())
    parts += [f"cells hidden: {hidden}"] if hidden else []
    parts += [f"cells undefined: {undefined}"] if undefined else []
    return ", ".join(parts)


def _place(panel: Panel, flat: int) -> str:
    i, j = divmod(flat, panel.cells.shape[1])
    x = panel.cells[i, j]
    row = label(names_of(panel.rows, i + 1)[i])
    column = label(names_of(panel.columns, j + 1)[j])
    return f"{number(x, 0 if x % 1 == 0 else 4)} at row {row}, column {column}"
