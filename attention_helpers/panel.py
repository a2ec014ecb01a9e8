"""One matrix as matplotlib draws it: shades, numbers, labels, hatching, a colour bar.

Sizes are in points; a picture has 72 dots an inch, so there a point is a pixel.
matplotlib is imported only when a picture is asked for.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .checks import Matrix
from .text import fewest_decimals, label, number

Labels = Sequence[object]
Places = dict[float, str]

MOST_ROWS = 40  # with more rows than this, a picture has no numbers
MOST_WIDE = 800  # the widest that cells with numbers may be together
LETTERS, LETTERS_OF_ROWS = 20, 30  # of a label, which ends with "…" then
MOST_CELLS = 512  # with more rows or columns than this, only some of them are drawn

INK, GREY = "#111827", "#4b5563"
NEGATIVE, UNDEFINED, HIDDEN, HATCH = "#f4a582", "#ffe082", "#fafafb", "#cdd2d8"
DIGITS = 13.7  # the size of numbers: 10 points high, so that their edges are sharp


class Scale(NamedTuple):
    """How numbers become colours."""

    colours: str
    start: int  # -1 where negative numbers have colours as well, else 0
    end: float | None = None  # None: the first round number that holds what is shown


# ColorBrewer's RdBu and Purples, safe for colour-blind readers, without their darkest
# ends and with a zero that can be told from white paper.
SIGNED = "b2182b d6604d f4a582 fddbc7 f1f3f5 d1e5f0 92c5de 4393c3 2166ac"
WEIGHTS = "f2f0f7 dadaeb bcbddc 9e9ac8 807dba 6a51a3 54278f"
SCALES = {"signed": Scale(SIGNED, -1), "weights": Scale(WEIGHTS, 0, 1.0)}


class Size(NamedTuple):
    """What a panel takes."""

    left: int  # of the cells
    above: int
    across: int  # the cells, with the sums
    down: int
    wide: int  # all of it
    below: int  # from the top of the cells on


@dataclass(frozen=True, eq=False)
class Panel:
    """One matrix of a picture."""

    title: str
    cells: Matrix  # -inf is a hidden cell, NaN prints "undefined"
    rows: Labels
    columns: Labels
    mask: NDArray[np.bool_] | None = None  # False hides a cell
    scale: str | float = "signed"  # a number: its end; panels share that of a name
    decimals: int = 2
    row_sums: bool = False  # of visible cells, where there is room for numbers

    @functools.cached_property
    def visible(self) -> NDArray[np.bool_]:
        """True where a cell is neither masked nor -inf."""
        seen = np.asarray(self.cells != -np.inf)
        return seen if self.mask is None else seen & self.mask

    @property
    def finite(self) -> Matrix:
        """The visible numbers, one after the other."""
        return self.cells[self.visible & np.isfinite(self.cells)]

    @property
    def look(self) -> Scale:
        """What its colours are; names that SCALES has not look like "signed"."""
        return SCALES.get(str(self.scale), SCALES["signed"])

    @property
    def name(self) -> str:
        """Its title and shape."""
        shape = "{} × {}".format(*self.cells.shape)
        return f"{self.title}, {shape}" if self.title else shape

    @property
    def heading(self) -> str:
        """What is printed over it."""
        too_many = max(self.cells.shape) > MOST_CELLS
        return clean(self.name + ", not every cell drawn" * too_many, 90, bold=True)

    @functools.cached_property
    def numbers(self) -> NDArray[Any]:
        """What is printed, "" where a cell is only hatched; sums are a last column."""
        written = np.vectorize(number, otypes=[object])(self.cells, self.decimals)
        written = np.where(self.visible | (self.cells == -np.inf), written, "")
        if not self.row_sums:
            return written
        with np.errstate(over="ignore", invalid="ignore"):
            sums = np.where(self.visible, self.cells, 0).sum(axis=1)
        return np.column_stack([written, [number(x, self.decimals) for x in sums]])

    @functools.cached_property
    def has_numbers(self) -> bool:
        """Whether there is room for the numbers."""
        n_rows, n_columns = self.cells.shape
        if n_rows > MOST_ROWS or n_columns > MOST_WIDE // 10:
            return False
        longest = max(map(len, self.numbers.flat))
        return bool(n_columns * (8.3 * longest + 8) <= MOST_WIDE)

    @property
    def column_labels(self) -> Labels:
        """The labels of the columns, and of the sums where there are some."""
        sums = self.row_sums and self.has_numbers
        return (*self.columns, "sum") if sums else self.columns

    def size(self) -> Size:
        """Measure the panel, with cells in which everything can be read."""
        n_rows, n_columns = len(self.rows), len(self.column_labels)
        high: float = 26
        if self.has_numbers:
            text = DIGITS * max(map(_width, self.numbers.flat))
            name = max(length(clean(name, LETTERS)) for name in self.column_labels)
            wide: float = math.ceil(max(52, text + 14, name + 10))
            if wide * n_columns > MOST_WIDE:
                wide = math.ceil(text + 10)
        else:
            long = max(n_rows, n_columns)
            least = 400 // long or min(1, MOST_CELLS / long)
            high, wide = (min(18, max(least, 60 // n)) for n in (n_rows, n_columns))
        across, down = round(wide * n_columns), round(high * n_rows)
        *_, left, above = self._labels(high, wide)
        key, below = (0, down) if self.has_numbers else (left + 240, down + 52)
        title = math.ceil(length(self.heading, 13, bold=True))
        return Size(left, above, across, down, max(left + across, title, key), below)

    def _labels(self, high: float, wide: float) -> tuple[Places, Places, int, int, int]:
        """Choose labels for cells of a size.

        Returns those of the rows, those of the columns, the angle of these, and the
        room they take: left of the cells, and above with the title.
        """
        numbered = isinstance(self.column_labels, range)
        room = length(str(self.column_labels[-1])) + 8 if numbered else 15
        rows, columns = (
            _spaced(self.rows, high, 15, LETTERS_OF_ROWS),
            _spaced(self.column_labels, wide, room, LETTERS),
        )
        left, tall = (
            math.ceil(max(map(length, some.values()))) for some in (rows, columns)
        )
        if numbered or tall + 6 <= wide:
            return rows, columns, 0, left + 8, 36
        return rows, columns, 90, left + 8, tall + 26

    def draw(self, ax: Any, end: float) -> None:
        """Draw into axes of any size; the number `end` has the full colour."""
        from matplotlib.transforms import ScaledTranslation

        n_rows, n_columns = len(self.rows), len(self.column_labels)
        points = 72 / ax.figure.dpi
        down, across = ax.bbox.height * points, ax.bbox.width * points
        high, wide = down / n_rows, across / n_columns
        rows, columns, angle, left, above = self._labels(high, wide)
        *rgb, alpha = ax.figure.get_facecolor()
        paper = np.array(rgb) * alpha + 1 - alpha
        ink, grey = (INK, GREY) if _is_light(paper) else ("#ffffff", "#d1d5db")
        small, bold = font(12, grey), font(13, ink, bold=True)

        mesh = self._paint(ax, end, paper)
        ax.set(xlim=(0, n_columns), ylim=(n_rows, 0), aspect="auto", frame_on=False)
        ax.tick_params("y", length=0, pad=8, labelleft=True, labelright=False)
        ax.tick_params("x", length=0, pad=4, labeltop=True, labelbottom=False)
        ax.set_yticks(list(rows), list(rows.values()), **small)
        ax.set_xticks(list(columns), list(columns.values()), rotation=angle, **small)
        title = ax.set_title(self.heading, loc="left", y=1, pad=above - 12, **bold)
        begin = ScaledTranslation(-left / 72, 0, ax.figure.dpi_scale_trans)
        title.set_transform(title.get_transform() + begin)  # wherever a layout puts ax
        if self.has_numbers:
            self._write(ax, mesh, grey)
            return
        bar = ax.inset_axes((0, -22 / down, 120 / across, 10 / down))
        key = ax.figure.colorbar(mesh, cax=bar, orientation="horizontal")
        ends = [self.look.start * end, end]
        texts = [number(x, fewest_decimals([x], 8)) for x in ends]
        key.set_ticks([mesh.norm.vmin, mesh.norm.vmax], labels=texts, **small)
        key.outline.set_visible(False)
        bar.tick_params(length=0)
        notes = [] if self.visible.all() else ["hatched: hidden"]
        if not np.isfinite(self.cells[self.visible]).all():
            notes.append("yellow: undefined")
        bar.set_xlabel(", ".join(notes), loc="left", **small)

    def _paint(self, ax: Any, end: float, paper: NDArray[np.float64]) -> Any:
        """Fill the cells with their colours, and hatch the ground of hidden ones."""
        from matplotlib.colors import LinearSegmentedColormap

        unit = 1.0 if 1e-30 < end < 1e30 else end  # so that matplotlib can compute
        values = np.clip(self.cells, -end, end) / unit
        end = end / unit
        values[~np.isfinite(self.cells)] = 2 * end
        stops = [f"#{colour}" for colour in self.look.colours.split()]
        inside = LinearSegmentedColormap.from_list("", stops, N=41)
        colours = inside.with_extremes(under=NEGATIVE, over=UNDEFINED)
        if not self.visible.all():
            hatched = {"facecolor": HIDDEN, "edgecolor": HATCH, "hatch": "///"}
            ax.axvspan(0, len(self.columns), linewidth=0, zorder=-1, **hatched)
        shades = np.ma.array(values, mask=~self.visible)
        look: Any = {"cmap": colours, "vmin": self.look.start * end, "vmax": end}
        if self.has_numbers:
            gaps = {"edgecolors": paper, "linewidth": 2}
            return ax.pcolormesh(shades, snap=True, **look, **gaps)
        n_rows, n_columns = shades.shape
        cover = {"extent": (0, n_columns, n_rows, 0), "aspect": "auto"}
        return ax.imshow(shades, interpolation="nearest", **cover, **look)

    def _write(self, ax: Any, mesh: Any, grey: str) -> None:
        """Write the numbers, their last digits in line.

        They are shapes, all drawn at once: a text each would take ten times as long.
        """
        from matplotlib.path import Path

        n_columns = self.cells.shape[1]
        inks = np.full(self.numbers.shape, grey, dtype=object)
        light = _is_light(mesh.to_rgba(mesh.get_array().data)[..., :3])
        light = np.where(light, "black", "white")
        inks[:, :n_columns] = np.where(self.cells == -np.inf, grey, light)
        widths = {text: _width(text) for text in self.numbers.flat}
        most = max((widths[text] for text in widths if text[-1:].isdigit()), default=0)
        shapes, places, colours = [], [], []
        for (i, j), text in np.ndenumerate(self.numbers):
            x = (most if text[-1:].isdigit() else widths[text]) / 2 - widths[text]
            for character in text:
                glyph, step = _glyph(character)
                shapes.append(Path(np.add(glyph.vertices, (x, -0.365)), glyph.codes))
                places.append((j + 0.5, i + 0.5))
                colours.append(inks[i, j])
                x += step
        numbers = _fitting()(
            shapes,
            offsets=places,
            offset_transform=ax.transData,
            facecolors=colours,
            linewidths=0,
        )
        numbers.in_cells = *self.numbers.shape, max(*widths.values(), 0.1)
        ax.add_collection(numbers, autolim=False)


@functools.cache
def _fitting() -> Any:
    """Return the class of numbers that fit their cells when they are drawn.

    A layout, or another size of the figure, may come later than the numbers.
    """
    from matplotlib.collections import PathCollection
    from matplotlib.transforms import Affine2D

    class Fitting(PathCollection):
        in_cells: tuple[int, int, float]  # rows, columns, how wide the widest is

        def draw(self, renderer: Any) -> None:
            n_rows, n_columns, widest = self.in_cells
            ax: Any = self.axes
            pixel = 72 / ax.figure.dpi
            high = ax.bbox.height * pixel / n_rows
            room = (ax.bbox.width * pixel / n_columns - 4) / widest
            size = max(1, min(DIGITS, 0.53 * high, room)) / pixel
            self.set_transform(Affine2D().scale(size))
            super().draw(renderer)

    return Fitting


@contextmanager
def own_style() -> Iterator[None]:
    """Use matplotlib's own settings for a while, and leave the reader's alone."""
    import matplotlib

    plain = dict(matplotlib.rcParamsDefault)
    del plain["backend"]
    with matplotlib.rc_context(plain):
        yield


def _is_light(rgb: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell where black has more contrast than white: at least 4.5 to 1."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ (0.2126, 0.7152, 0.0722) > 0.179)


def _spaced(names: Labels, cell: float, room: float, letters: int) -> Places:
    """Choose the labels that find room: 1 in 1, 2, 5, 10, 20, ..."""
    every = int(rounded_up(max(1, room / cell)))
    return {i + 0.5: clean(names[i], letters) for i in range(0, len(names), every)}


def rounded_up(x: float) -> float:
    """Return the first of 1, 2, 5, 10, 20, ... that is at least x, which is >= 1."""
    power = 10.0 ** math.floor(math.log10(x))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= x)


def clean(text: object, longest: int, bold: bool = False) -> str:
    """Make a label one that can be drawn, with a box for what has no letter."""
    from matplotlib.font_manager import get_font

    letters = get_font(font(12, INK, bold)["fontproperties"].get_file())
    return "".join(
        c if letters.get_char_index(ord(c)) else "□" for c in label(text, longest)
    )


def font(size: float, ink: str, bold: bool = False) -> dict[str, Any]:
    """Return how text is written: as it is, in the font that matplotlib brings."""
    import matplotlib
    from matplotlib.font_manager import FontProperties

    file = f"fonts/ttf/DejaVuSans{'-Bold' * bold}.ttf"
    properties = FontProperties(fname=f"{matplotlib.get_data_path()}/{file}", size=size)
    return {"fontproperties": properties, "color": ink, "parse_math": False}


@functools.lru_cache(4096)
def length(text: str, size: float = 12, bold: bool = False) -> float:
    """Measure a text."""
    from matplotlib.backends.backend_agg import RendererAgg

    ruler: Any = RendererAgg(1, 1, 72)  # type: ignore[no-untyped-call]
    properties = font(size, INK, bold)["fontproperties"]
    return float(ruler.get_text_width_height_descent(text, properties, False)[0])


def _width(text: str) -> float:
    """Measure a number as it is drawn at size 1."""
    return sum(_glyph(character)[1] for character in text)


@functools.cache
def _glyph(character: str) -> tuple[Any, float]:
    """Return the outline of a character at size 1, and its width."""
    from matplotlib.textpath import TextPath, text_to_path

    plain = font(1, INK)["fontproperties"]
    width, *_ = text_to_path.get_text_width_height_descent(character, plain, False)
    return TextPath((0, 0), character, 1, plain), width
