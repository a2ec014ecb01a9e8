"""Pictures of matrices that stay still, each with a twin in plain text."""

from __future__ import annotations

import base64
import io
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import (
    Matrix,
    check_flags,
    check_matrix,
    check_whole,
    finite_number,
    plain_text,
    shown,
    unexpected,
)
from .panel import (
    INK,
    MOST_ROWS,
    MOST_WIDE,
    SCALES,
    Labels,
    Panel,
    Size,
    clean,
    font,
    length,
    own_style,
    rounded_up,
)
from .text import fewest_decimals, label, number, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAGE = 1000  # panels wrap at this width


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """Matrices side by side: a PNG, a twin in plain text, an alternative text.

    ``picture | picture`` stands side by side, with one scale for what means the same.
    """

    panels: tuple[Panel, ...]  # left to right
    title: str = ""  # over all of them
    drawn: bool = False  # in a reader's own axes: then only the twin is displayed

    @property
    def text(self) -> str:
        """The twin: every number of the picture or, for a large one, a summary."""
        return "\n\n".join(filter(None, (self.title, *map(_twin, self.panels))))

    @property
    def alt(self) -> str:
        """One sentence for a reader who cannot see the picture."""
        names = [panel.name for panel in self.panels]
        if len(names) == 1:
            return f"Heat map: {names[0]}; {_summary(self.panels[0])}."
        about = f" of {self.title}" if self.title else ""
        return f"{len(names)} heat maps{about}: {'; '.join(names)}."

    def __or__(self, other: object) -> Picture:
        if not isinstance(other, Picture):
            return NotImplemented
        titles = dict.fromkeys(filter(None, (self.title, other.title)))
        return Picture(self.panels + other.panels, " | ".join(titles))

    def end(self, scale: str | float) -> float:
        """Return the number that has the full colour in all panels of a scale."""
        if not isinstance(scale, str):
            return scale
        fixed = SCALES.get(scale, SCALES["signed"]).end
        if fixed is not None:
            return fixed
        cells = [panel.finite for panel in self.panels if panel.scale == scale]
        largest = float(np.abs(np.concatenate(cells)).max(initial=1.0))
        return min(rounded_up(largest), sys.float_info.max)

    def figure(self) -> Figure:
        """Draw a new matplotlib figure, to change it or to save it as a PDF."""
        from matplotlib.figure import Figure

        with own_style():
            title = clean(self.title, 120, bold=True)
            right = 12 + math.ceil(length(title, 14, bold=True))
            lines: list[list[tuple[Panel, int, Size]]] = []
            x = PAGE
            for panel in self.panels:
                size = panel.size()
                if x + size.wide > PAGE:
                    lines.append([])
                    x = 12
                lines[-1].append((panel, x, size))
                right = max(right, x + size.wide)
                x += size.wide + 36
            y = 46 if title else 12
            places = []
            for line in lines:
                y += max(size.above for *_, size in line)
                places += [(panel, x + size.left, y, size) for panel, x, size in line]
                y += max(size.below for *_, size in line) + 24
            wide, high = right + 12, y - 12
            figure = Figure((wide / 72, high / 72), dpi=72)
            bold = font(14, INK, bold=True)
            figure.text(12 / wide, 1 - 26 / high, title, **bold)
            for panel, x, y, size in places:
                left, low = x / wide, (high - y - size.down) / high
                box = left, low, size.across / wide, size.down / high
                panel.draw(figure.add_axes(box), self.end(panel.scale))
        return figure

    def png(self) -> bytes:
        """Draw a small PNG file, the same bytes each time on one installation."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from PIL import Image

        file = io.BytesIO()
        canvas: Any = FigureCanvasAgg(self.figure())
        with own_style():
            canvas.draw()
        picture = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
        few = picture.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(file, "png", compress_level=7)  # 9: five times as long, for 2 %
        return file.getvalue()

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        if self.drawn:
            return {"text/plain": self.text}, {}
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
    ax: Axes | None = None,
) -> Picture:
    """Show a matrix, or several side by side, as coloured cells with their numbers.

    With more than 40 rows, or more columns than fit, the numbers drop out; a colour bar
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
        to the smallest of 1, 2, 5, 10, 20, ... that holds all of them in the picture; a
        number sets that end by hand. "weights" is for attention weights, purple from 0
        to 1. With several matrices, one value or a mapping of titles to values.
    decimals : int
        The most digits printed after the point. The text twin prints up to 4, or
        `decimals` if that is more.
    ax : matplotlib.axes.Axes, optional
        Axes of yours to draw one matrix into, in place of what they show. A figure
        made with ``layout="constrained"`` leaves room for the labels.

    Returns
    -------
    Picture
        Shown where it is the last line of a cell; ``.text`` is its twin. With `ax` only
        the twin is shown, since your figure shows the picture. ``a | b`` stands side by
        side with one scale; ``.figure()`` is a matplotlib figure, ``.png()`` a file.

    Raises
    ------
    ValueError
        For anything but a matrix of numbers, for labels or a mask that do not fit,
        titles that are not there, an unknown scale, and an `ax` that is no axes, shares
        its labels with others, or is to hold several matrices.

    Examples
    --------
    >>> heatmap([[2, -1], [0, 3]], ["bank", "river"], ["wet", "rich"], title="words")
    words, 2 × 2
           wet  rich
    bank     2    −1
    river    0     3
    """
    matrices = _matrices(matrix, title)
    most = check_whole("decimals", decimals, least=0, most=20)
    options = {
        "rows": _share("rows", rows, matrices, _labels),
        "columns": _share("columns", columns, matrices, _labels),
        "mask": _share("mask", mask, matrices, _mask),
        "scale": _share("scale", scale, matrices, _scale),
    }
    panels = []
    for name, cells in matrices.items():
        own = {option: parts[name] for option, parts in options.items()}
        few = cells.size <= MOST_ROWS * MOST_WIDE // 10  # else none is printed
        places = fewest_decimals(cells[own["mask"]], most) if few else most
        panels.append(Panel(label(name, 200), cells, **own, decimals=places))
    heading = label(title or "", 200) if isinstance(matrix, Mapping) else ""
    picture = Picture(tuple(panels), heading, drawn=ax is not None)
    if ax is not None:
        _draw_into(ax, picture)
    return picture


def _draw_into(ax: Any, picture: Picture) -> None:
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes) or ax.name != "rectilinear" or ax.figure is None:
        raise unexpected("ax", ax, "matplotlib axes, of one plot")
    panel, *others = picture.panels
    if others:
        raise ValueError("ax is one plot but matrix holds several; expected one matrix")
    groups = ax.get_shared_x_axes(), ax.get_shared_y_axes()
    if any(len(group.get_siblings(ax)) > 1 for group in groups):
        raise unexpected("ax", ax, "axes without sharex and sharey, which share labels")
    with own_style():
        ax.clear()
        panel.draw(ax, picture.end(panel.scale))


# Checking what was given


def _matrices(given: Any, title: object) -> dict[object, Matrix]:
    if title is not None and not isinstance(title, str):
        raise unexpected("title", title, "text")
    if not isinstance(given, Mapping):
        return {title or "": check_matrix("matrix", given, finite=False)}
    if not given:
        raise ValueError("matrix is an empty mapping; expected a matrix for each title")
    return {
        name: check_matrix(f"matrix[{shown(name)}]", cells, finite=False)
        for name, cells in given.items()
    }


def _share(
    name: str,
    given: Any,
    matrices: Mapping[object, Matrix],
    check: Callable[[str, Any, tuple[int, ...]], Any],
) -> dict[object, Any]:
    """Give each matrix its own part of a mapping, or what fits of one value for all."""
    parts = {title: check(name, None, cells.shape) for title, cells in matrices.items()}
    mapping = isinstance(given, Mapping)
    misfits = []
    for title, part in (given if mapping else dict.fromkeys(matrices, given)).items():
        if title not in matrices:
            known = ", ".join(map(shown, matrices))
            raise ValueError(f"{name} names {shown(title)}; expected {known}")
        try:
            parts[title] = check(name, part, matrices[title].shape)
        except ValueError as misfit:
            misfits.append(misfit)
    if misfits and (mapping or len(misfits) == len(matrices)):
        raise misfits[0]
    return parts


def _labels(name: str, given: Any, shape: tuple[int, ...]) -> Labels:
    size = shape[("rows", "columns").index(name)]
    if given is None:
        return range(size)
    try:
        if isinstance(given, (str, bytes, Set, Iterator)):
            raise TypeError
        labels = tuple(islice(given, size + 1))
        count = len(labels) if len(labels) <= size else len(given)
    except Exception:  # whatever an object that is no list may raise
        raise unexpected(name, given, "a list of labels") from None
    if count != size:
        raise ValueError(
            f"{name} has {count} labels but matrix has {size} {name};"
            " expected one label each"
        )
    return labels


def _mask(_: str, given: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    return check_flags(given, shape, "a cell is visible").copy()


def _scale(name: str, given: Any, _: tuple[int, ...]) -> str | float:
    if given is None:
        return "signed"
    if isinstance(given, str) and plain_text(given) in SCALES:
        return plain_text(given)
    end = finite_number(given)
    if end is None or end <= 0:
        known = ", ".join(map(repr, SCALES))
        raise unexpected(name, given, f"{known} or a positive number")
    return end


# Saying it in words


def _twin(panel: Panel) -> str:
    """Write one matrix: its title and shape, then its numbers or what stands out."""
    if not panel.has_numbers:
        return f"{panel.name}: too many numbers to print; {_summary(panel)}"
    decimals = fewest_decimals(panel.finite, max(panel.decimals, 4))
    cells = table(panel.cells, panel.rows, panel.columns, panel.visible, decimals)
    return f"{panel.name}\n{cells}"


def _summary(panel: Panel) -> str:
    """Say where the largest and the smallest number are, and what is not a number."""
    parts = []
    seen = panel.visible & np.isfinite(panel.cells)
    ends = (("largest", np.argmax, -np.inf), ("smallest", np.argmin, np.inf))
    for name, pick, other in ends if seen.any() else ():
        i, j = divmod(int(pick(np.where(seen, panel.cells, other))), seen.shape[1])
        x = number(panel.cells[i, j], 0 if panel.cells[i, j] % 1 == 0 else 4)
        row, column = label(panel.rows[i]), label(panel.columns[j])
        parts.append(f"{name} {x} at row {row}, column {column}")
    undefined = panel.visible & np.isnan(panel.cells)
    for name, cells in (("hidden", ~panel.visible), ("undefined", undefined)):
        if cells.any():
            parts.append(f"cells {name}: {cells.sum()}")
    return ", ".join(parts)
