"""Paints panels, each a matrix with its labels, into one PNG.

Colours and hatching are painted into an array of pixels; matplotlib writes the text.
It is imported only when a picture is asked for.
"""

from __future__ import annotations

import functools
import io
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import Matrix
from .text import fewest_decimals, label, number

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

Pixels = NDArray[np.uint8]
Labels = Sequence[object]

MOST_ROWS = 40  # with more rows than this, a picture has no numbers
MOST_WIDE = 800  # the widest that cells with numbers may be together, in pixels
MOST_CELLS = 640  # with more rows or columns than this, only some of them are drawn
PAGE = 1000  # panels wrap at this width, in pixels

STEPS = 32  # shades between 0 and the end of a scale


def _ramp(*stops: str) -> Pixels:
    """Blend colours, light to dark, into (STEPS + 1, 3) shades."""
    rgb = np.array([list(bytes.fromhex(stop)) for stop in stops])
    at = np.linspace(0, len(stops) - 1, STEPS + 1)
    blended = [np.interp(at, range(len(stops)), channel) for channel in rgb.T]
    return np.rint(blended).T.astype(np.uint8)


# ColorBrewer's RdBu and Purples, safe for colour-blind readers, without their darkest
# ends and with a zero that can be told from white paper.
BLUES = _ramp("f1f3f5", "d1e5f0", "92c5de", "4393c3", "2166ac")
REDS = _ramp("f1f3f5", "fddbc7", "f4a582", "d6604d", "b2182b")
PURPLES = _ramp("f2f0f7", "dadaeb", "bcbddc", "9e9ac8", "807dba", "6a51a3", "54278f")
UNDEFINED = np.array([255, 224, 130], np.uint8)
HIDDEN = np.array([250, 250, 251], np.uint8)
HATCH = np.array([205, 210, 216], np.uint8)
RULE = np.array([209, 213, 219], np.uint8)
INK, GREY, BLACK, WHITE = "#111827", "#4b5563", "#000000", "#ffffff"


@dataclass(frozen=True, eq=False)
class Panel:
    """One matrix of a picture.

    Parameters
    ----------
    title : str
        Printed bold; may be empty.
    matrix : (n_rows, n_columns) array_like
        Any numbers; -inf is a hidden cell, NaN prints "undefined".
    rows, columns : sequence, optional
        Labels; without them, the indices from 0.
    mask : (n_rows, n_columns) bool array_like, optional
        ``False`` hides a cell.
    scale : "signed", "weights" or a positive number
        As in `heatmap`.
    subtitle : str
        Printed grey under the title.
    row_sums : bool
        Whether the sum of each row's visible cells stands beside it.
    decimals : int
        Digits after the point.
    """

    title: str
    matrix: ArrayLike
    rows: Labels | None = None
    columns: Labels | None = None
    mask: ArrayLike | None = None
    scale: str | float = "signed"
    subtitle: str = ""
    row_sums: bool = False
    decimals: int = 2

    @functools.cached_property
    def cells(self) -> Matrix:
        """The matrix, as float64."""
        return np.asarray(self.matrix, dtype=np.float64)

    @functools.cached_property
    def visible(self) -> NDArray[np.bool_]:
        """True where a cell is neither masked nor -inf."""
        shown = np.asarray(self.cells != -np.inf)
        return shown if self.mask is None else shown & np.asarray(self.mask, bool)

    @functools.cached_property
    def numbers(self) -> list[list[str]]:
        """What is printed in each cell, "" where it is only hatched."""
        return [
            [
                number(x, self.decimals) if seen or x == -np.inf else ""
                for x, seen in zip(row, visible, strict=True)
            ]
            for row, visible in zip(self.cells, self.visible, strict=True)
        ]

    @property
    def has_numbers(self) -> bool:
        """Whether there is room for the numbers."""
        n_rows, n_columns = self.cells.shape
        if n_rows > MOST_ROWS or n_columns > MOST_WIDE // 10:
            return False
        longest = max(len(text) for row in self.numbers for text in row)
        return bool(n_columns * (8.3 * longest + 8) <= MOST_WIDE)

    @property
    def finite(self) -> Matrix:
        """The visible numbers, one after the other."""
        return self.cells[self.visible & np.isfinite(self.cells)]

    @property
    def extent(self) -> float:
        """The end of the colour scale."""
        if self.scale == "weights":
            return 1.0
        if self.scale != "signed":
            return float(self.scale)
        largest = float(np.abs(self.finite).max(initial=1.0))
        power = 10.0 ** math.floor(math.log10(largest))
        holds = (step * power for step in (1, 2, 5, 10) if step * power >= largest)
        return min(next(holds), sys.float_info.max)


def names_of(labels: Labels | None, n: int) -> Labels:
    """Return the labels or, where there are none, the indices."""
    return range(n) if labels is None else labels


class _Word(NamedTuple):
    """A piece of text; x and y are pixels from the top left, y at its baseline."""

    x: float
    y: float
    text: str
    ink: str = GREY
    align: str = "center"
    size: int = 12
    bold: bool = False
    turned: bool = False


def draw(panels: Sequence[Panel], title: str = "") -> bytes:
    """Draw panels from left to right, in lines of at most about 1000 pixels.

    Parameters
    ----------
    panels : sequence of Panel
        At least one.
    title : str
        Printed bold over all of them.

    Returns
    -------
    bytes
        A PNG file with a palette; the same panels give the same bytes.
    """
    boxes = [_Box(panel) for panel in panels]
    heading = _shortened(title, PAGE, bold=True)
    places, right, bottom = _flow(boxes, top=46 if heading else 12)
    right = max(right, 12 + math.ceil(_length(heading, 14, bold=True)))
    canvas = np.full((bottom + 12, right + 12, 3), 255, np.uint8)
    words = [_Word(12, 26, heading, INK, "left", 14, bold=True)]
    for box, x, y, header in places:
        words += box.paint(canvas, x, y, header)
    return _png(canvas, words)


def _flow(
    boxes: Sequence[_Box], top: int
) -> tuple[list[tuple[_Box, int, int, int]], int, int]:
    """Place boxes in lines; those of a line begin their cells at one height."""
    lines: list[list[_Box]] = []
    room = 0
    for box in boxes:
        if not lines or box.width > room:
            lines.append([])
            room = PAGE - 24
        lines[-1].append(box)
        room -= box.width + 36
    places, right, y = [], 0, top
    for line in lines:
        header = max(box.header for box in line)
        x = 12
        for box in line:
            places.append((box, x, y, header))
            x += box.width + 36
        right = max(right, x - 36)
        y += header + max(box.below for box in line) + 24
    return places, right, y - 24


class _Box:
    """A panel with every size known, ready to be painted anywhere."""

    def __init__(self, panel: Panel) -> None:
        n_rows, n_columns = panel.cells.shape
        self.panel = panel
        self.full = panel.has_numbers
        self.every = (-(-n_rows // MOST_CELLS), -(-n_columns // MOST_CELLS))
        drawn = np.s_[:: self.every[0], :: self.every[1]]
        self.cells, self.visible = panel.cells[drawn], panel.visible[drawn]
        self._size_cells()
        across = 15 if self.turned else 32
        self.rows = self._labels(panel.rows, axis=0, room=15)
        self.columns = self._labels(panel.columns, axis=1, room=across)
        self._size_box()

    def _size_cells(self) -> None:
        """Choose the size of a cell, and whether the columns' labels are turned."""
        n_rows, n_columns = self.cells.shape
        if self.full:
            text = max(_length(t, 13) for row in self.panel.numbers for t in row)
            names = names_of(self.panel.columns, n_columns)
            name = max(_length(_shortened(name, 120)) for name in names)
            wide = math.ceil(max(52, text + 14, name + 10))
            self.turned = wide * n_columns > MOST_WIDE
            self.cell = (26, math.ceil(text + 10) if self.turned else wide)
            self.gap = 2
        else:
            size = min(18, max(1, 400 // max(n_rows, n_columns)))
            high, wide = (max(size, min(18, 60 // n)) for n in (n_rows, n_columns))
            self.cell = (high, wide)
            self.turned = self.panel.columns is not None
            self.gap = int(min(high, wide) >= 8)

    def _labels(
        self, names: Labels | None, axis: int, room: int
    ) -> list[tuple[int, str]]:
        """Choose the labels that find room, with their positions among the cells."""
        n = self.cells.shape[axis]
        steps = (step * 10**power for power in range(4) for step in (1, 2, 5))
        step = next(s for s in steps if self.full or s * self.cell[axis] >= room)
        at = range(0, n, step)
        names = names_of(names, n * self.every[axis])
        return [(i, _shortened(names[i * self.every[axis]], 120)) for i in at]

    def _size_box(self) -> None:
        n_rows, n_columns = self.cells.shape
        self.title = _shortened(self.panel.title, 480, bold=True)
        self.subtitle = _shortened(self._subtitle(), 480)
        self.left = math.ceil(max(_length(text) for _, text in self.rows)) + 8
        longest = max(_length(text) for _, text in self.columns)
        self.header = 18 * bool(self.title) + 18 * bool(self.subtitle)
        self.header += math.ceil(longest) + 12 if self.turned else 22
        self.right = self.left + n_columns * self.cell[1]
        self.sums = self._row_sums() if self.full and self.panel.row_sums else []
        self.room_for_sums = max((_length(s, 13) for s in self.sums), default=-16) + 16
        headings = _length(self.title, bold=True), _length(self.subtitle)
        self.width = math.ceil(max(self.right + self.room_for_sums, *headings))
        self.below = n_rows * self.cell[0]
        if not self.full:
            self.key = self._key()
            lengths = (_key_length(part) + 8 for part in self.key)
            self.width = max(self.width, self.left + sum(lengths))
            self.below += 26

    def _subtitle(self) -> str:
        if self.every == (1, 1):
            return self.panel.subtitle
        thinned = "1 in {} rows and 1 in {} columns drawn".format(*self.every)
        return ", ".join(filter(None, (self.panel.subtitle, thinned)))

    def paint(self, canvas: Pixels, x: int, y: int, header: int) -> list[_Word]:
        """Paint the cells with their top at ``y + header``; return what to write."""
        tiles = self._tiles()
        top, left = y + header, x + self.left
        canvas[top : top + len(tiles), left : left + tiles.shape[1]] = tiles
        words = [
            _Word(x, y + 12, self.title, INK, "left", 13, bold=True),
            _Word(x, y + 12 + 18 * bool(self.title), self.subtitle, align="left"),
            *self._label_words(left, top),
        ]
        if not self.full:
            return words + self._key_words(canvas, left, top + len(tiles) + 12)
        if self.sums:
            words += self._sum_words(canvas, x + self.right, top)
        return words + list(self._number_words(left, top))

    def _tiles(self) -> Pixels:
        """Paint the cells: shades, hatching, white gaps."""
        high, wide = self.cell
        shades = _shades(self.cells, self.panel.scale, self.panel.extent)
        tiles = _enlarged(shades, high, wide)
        hatched = _enlarged(~self.visible, high, wide)
        tiles[hatched] = _hatching(*tiles.shape[:2])[hatched]
        tiles[np.arange(len(tiles)) % high >= high - self.gap] = 255
        tiles[:, np.arange(tiles.shape[1]) % wide >= wide - self.gap] = 255
        if self.full:  # blunt the corners
            for y in (0, high - self.gap - 1):
                for x in (0, wide - self.gap - 1):
                    tiles[y::high, x::wide] = 255
        return tiles

    def _label_words(self, left: int, top: int) -> Iterator[_Word]:
        high, wide = self.cell
        for i, text in self.rows:
            y = top + (i + 0.5) * high + 3.5
            yield _Word(left - 8, y, text, align="right")
        for j, text in self.columns:
            x = left + (j + 0.5) * wide - 1
            if self.turned:
                yield _Word(x + 4.5, top - 6, text, align="left", turned=True)
            else:
                yield _Word(x, top - 7, text)

    def _number_words(self, left: int, top: int) -> Iterator[_Word]:
        """Set numbers in the middle of their cells, their last digits in line."""
        high, wide = self.cell
        shades = _shades(self.cells, self.panel.scale, self.panel.extent)
        finite = [number(x, self.panel.decimals) for x in self.panel.finite]
        longest = max((_length(text, 13) for text in finite), default=0.0)
        inset = (wide - self.gap + longest) / 2
        for (i, j), x in np.ndenumerate(self.cells):
            text, seen = self.panel.numbers[i][j], self.visible[i, j]
            y = top + i * high + 16.5
            ink = _ink(shades[i, j]) if seen else GREY
            if np.isfinite(x):
                yield _Word(left + j * wide + inset, y, text, ink, "right", 13)
            else:
                middle = left + j * wide + (wide - self.gap) / 2
                yield _Word(middle, y, text, ink, size=13)

    def _row_sums(self) -> list[str]:
        """Add up each row's visible cells."""
        with np.errstate(over="ignore"):
            sums = np.where(self.visible, self.cells, 0).sum(axis=1)
        return ["sum", *(number(total, self.panel.decimals) for total in sums)]

    def _sum_words(self, canvas: Pixels, left: int, top: int) -> list[_Word]:
        """Set the row sums behind a thin line."""
        high = self.cell[0]
        canvas[top : top + len(self.cells) * high - self.gap, left + 2] = RULE
        x = left + self.room_for_sums
        words = [_Word(x, top - 7, self.sums[0], align="right")]
        for i, total in enumerate(self.sums[1:]):
            words.append(_Word(x, top + i * high + 16.5, total, align="right", size=13))
        return words

    def _key(self) -> list[str | Pixels]:
        """List the colour scale, and what is not a number, with their captions."""
        scale, end = self.panel.scale, self.panel.extent
        start = 0.0 if scale == "weights" else -end
        bar = _shades(np.linspace(start / end, 1, 120) * end, scale, end)
        ends = [number(x, fewest_decimals([x], 8)) for x in (start, end)]
        parts: list[str | Pixels] = [ends[0], _enlarged(bar[None], 10, 1), ends[1]]
        if not self.visible.all():
            parts += [_hatching(10, 20), "hidden"]
        if not np.isfinite(self.cells[self.visible]).all():
            parts += [np.full((10, 20, 3), UNDEFINED), "undefined"]
        return parts

    def _key_words(self, canvas: Pixels, x: int, y: int) -> list[_Word]:
        """Paint the key; return its captions."""
        words = []
        for part in self.key:
            length = _key_length(part)
            if isinstance(part, str):
                words.append(_Word(x, y + 9, part, align="left"))
            else:
                canvas[y : y + 10, x : x + length] = part
            x += length + 8
        return words


def _key_length(part: str | Pixels) -> int:
    return math.ceil(_length(part)) if isinstance(part, str) else part.shape[1]


def _shades(cells: Matrix, scale: str | float, extent: float) -> Pixels:
    """Give each number its colour: an array with one more axis, of 3."""
    with np.errstate(over="ignore", invalid="ignore"):
        share = np.minimum(np.abs(cells) / extent, 1)
    level = np.rint(np.nan_to_num(share) * STEPS).astype(int)
    above = PURPLES if scale == "weights" else BLUES
    shades: Pixels = np.where((cells < 0)[..., None], REDS[level], above[level])
    shades[~np.isfinite(cells)] = UNDEFINED
    return shades


def _ink(shade: Pixels) -> str:
    """Choose black or white, whichever has more contrast: at least 4.5 to 1."""
    part = shade / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    return BLACK if luminance > 0.179 else WHITE


def _enlarged(cells: NDArray[Any], high: int, wide: int) -> NDArray[Any]:
    return cells.repeat(high, axis=0).repeat(wide, axis=1)


def _hatching(high: int, wide: int) -> Pixels:
    rising = np.add.outer(np.arange(high), np.arange(wide)) % 6 == 0
    hatched: Pixels = np.where(rising[..., None], HATCH, HIDDEN)
    return hatched


# Text, by matplotlib


@functools.cache
def _font(size: int, bold: bool = False) -> FontProperties:
    from matplotlib.font_manager import FontProperties

    return FontProperties(fname=_font_file(bold), size=size)


def _font_file(bold: bool = False) -> str:
    """Find DejaVu Sans as matplotlib brings it, whatever else is installed."""
    import matplotlib

    file = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return f"{matplotlib.get_data_path()}/fonts/ttf/{file}"


@functools.cache
def _renderer() -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    canvas: Any = FigureCanvasAgg(Figure(figsize=(1, 1), dpi=72))  # a point is a pixel
    return canvas.get_renderer()


@functools.lru_cache(4096)
def _length(text: str, size: int = 12, bold: bool = False) -> float:
    """Measure a text in pixels."""
    font = _font(size, bold)
    return float(_renderer().get_text_width_height_descent(text, font, False)[0])


def _shortened(text: object, room: float, bold: bool = False) -> str:
    """Make a label printable and at most `room` pixels long."""
    from matplotlib.font_manager import get_font

    font = get_font(_font_file(bold))
    longest = int(room / 3)  # no letter is narrower
    text = label(text, longest)
    clean = "".join(c if font.get_char_index(ord(c)) else "□" for c in text)
    size = 13 if bold else 12
    whole = clean
    while _length(clean, size, bold) > room:
        whole = whole[:-1]
        clean = whole + "…"
    return clean


def _png(canvas: Pixels, words: Iterable[_Word]) -> bytes:
    """Write the words over the pixels and pack both into a PNG file."""
    from PIL import Image

    drawn = _written(canvas, words)
    palette, indices = _palette(canvas, drawn)
    picture = Image.fromarray(indices)
    picture.putpalette(palette.tobytes())
    file = io.BytesIO()
    picture.save(file, "png", optimize=True)
    return file.getvalue()


def _written(canvas: Pixels, words: Iterable[_Word]) -> Pixels:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    high, wide = canvas.shape[:2]
    figure = Figure(figsize=(wide / 72, high / 72), dpi=72)
    figure.figimage(canvas, origin="upper")
    for word in filter(lambda word: word.text, words):
        figure.text(
            word.x,
            high - word.y,
            word.text,
            color=word.ink,
            horizontalalignment=word.align,
            verticalalignment="baseline",
            rotation=90 if word.turned else 0,
            rotation_mode="anchor",
            fontproperties=_font(word.size, word.bold),
            transform=None,
            parse_math=False,
            usetex=False,
        )
    drawing: Any = FigureCanvasAgg(figure)
    drawing.draw()
    return np.asarray(drawing.buffer_rgba())[..., :3]


def _palette(canvas: Pixels, drawn: Pixels) -> tuple[Pixels, Pixels]:
    """Keep the colours of the cells as they are; round those at the edges of letters.

    Returns a palette of at most 256 colours and the picture as indices into it.
    """
    kept = np.unique(_packed(canvas))
    colours, indices, counts = np.unique(
        _packed(drawn), return_inverse=True, return_counts=True
    )
    counts[np.isin(colours, kept)] = drawn.size  # these come first
    palette = _unpacked(colours[np.argsort(-counts, kind="stable")[:256]])
    rgb = _unpacked(colours)
    distances = (palette**2).sum(axis=1) - 2 * rgb @ palette.T
    nearest = distances.argmin(axis=1).astype(np.uint8)
    return palette.astype(np.uint8), nearest[indices].reshape(drawn.shape[:2])


def _packed(pixels: Pixels) -> NDArray[np.int64]:
    """Make one number of red, green and blue."""
    packed: NDArray[np.int64] = pixels.astype(np.int64) @ np.array([65536, 256, 1])
    return packed


def _unpacked(colours: NDArray[np.int64]) -> NDArray[np.int64]:
    channels: NDArray[np.int64] = colours[:, None] // np.array([65536, 256, 1]) % 256
    return channels
