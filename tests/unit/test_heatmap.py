"""Pictures of matrices: what they show, what their twins say, what they refuse."""

import base64
import gc
import io
import itertools
import subprocess
import sys

import matplotlib
import matplotlib.style
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter
from junk import JUNK, survive
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from attention_helpers import causal_mask, explore, heatmap, softmax
from attention_helpers.explorer import QUESTIONS, twin
from attention_helpers.heatmap import PAGE, Picture
from attention_helpers.panel import (
    GREY,
    HATCH,
    HIDDEN,
    INK,
    SCALES,
    Panel,
    Scale,
)

pytestmark = pytest.mark.filterwarnings("error")

WORDS = ["coins", "on", "bank", "by", "river"]
WEIGHTS = softmax(np.random.default_rng(0).normal(size=(5, 5)))
STYLES = ["dark_background", "ggplot", "fivethirtyeight", "classic", "grayscale"]
LOUD = {
    "font.family": "serif",
    "font.size": 30,
    "text.usetex": True,
    "text.color": "white",
    "figure.facecolor": "black",
    "figure.dpi": 200,
    "figure.constrained_layout.use": True,
    "savefig.bbox": "tight",
    "image.origin": "lower",
    "image.cmap": "jet",
    "axes.grid": True,
    "axes.grid.axis": "both",
    "axes.titlelocation": "right",
    "axes.titley": 0.5,
    "axes.xmargin": 0.3,
    "axes.facecolor": "yellow",
    "hatch.color": "red",
    "hatch.linewidth": 9,
    "lines.antialiased": False,
    "patch.force_edgecolor": True,
    "patch.edgecolor": "red",
    "xtick.minor.visible": True,
    "xtick.direction": "in",
    "xtick.labelsize": 30,
    "ytick.right": True,
    "ytick.labelright": True,
    "legend.fontsize": 30,
}


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def on_screen(figure: Figure) -> np.ndarray:
    """Draw a figure: its colours are those of a file, but for the file's palette."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def boxes(picture: Picture, panel: int = 0, figure: Figure | None = None) -> np.ndarray:
    """Return left, top, right, bottom of each cell, in pixels of the PNG."""
    figure = figure or picture.figure()
    n_rows, n_columns = picture.panels[panel].cells.shape
    axes = [ax for ax in figure.axes if ax.get_title(loc="left")]
    corners = np.stack(np.meshgrid(range(n_columns + 1), range(n_rows + 1)), axis=-1)
    seen = (
        axes[panel].transData.transform(corners.reshape(-1, 2)).reshape(corners.shape)
    )
    seen[..., 1] = figure.bbox.height - seen[..., 1]
    np.testing.assert_allclose(seen, np.rint(seen), atol=1e-6)  # on whole pixels
    seen = np.rint(seen).astype(int)
    return np.concatenate([seen[:-1, :-1], seen[1:, 1:]], axis=-1)


def cell_colours(
    picture: Picture, panel: int = 0, png: bytes | None = None
) -> np.ndarray:
    """Read the colour of each cell near its top left corner, in a file if given."""
    figure = picture.figure()
    left, top, right, _ = np.moveaxis(boxes(picture, panel, figure), -1, 0)
    inset = np.where(right - left > 6, 2, 0)
    seen = on_screen(figure) if png is None else pixels(png)
    return seen[top + inset, left + inset].astype(int)


def contrast(one: object, other: object) -> float:
    """Compute the contrast of two colours as WCAG 2 defines it."""

    def luminance(colour: object) -> float:
        parts = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in to_rgb(colour)
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def inks(ax: Axes) -> dict[tuple[int, int], tuple[float, ...]]:
    """Return the ink of the number in each cell."""
    if not ax.collections:
        return {}
    numbers = ax.collections[-1]
    places = np.asarray(numbers.get_offsets()).astype(int).tolist()
    colours = numbers.get_facecolor()
    return {(i, j): ink for (j, i), ink in zip(places, colours, strict=True)}


# The twin


def test_the_twin_states_title_shape_labels_and_every_number():
    picture = heatmap(WEIGHTS, WORDS, WORDS, title="attention weights")
    lines = picture.text.splitlines()
    assert lines[0] == "attention weights, 5 × 5"
    assert lines[1].split() == WORDS
    for word, row, line in zip(WORDS, WEIGHTS, lines[2:], strict=True):
        name, *numbers = line.split()
        assert name == word
        np.testing.assert_allclose(np.array(numbers, float), row, atol=5e-5)
    assert repr(picture) == picture.text


def test_without_labels_rows_and_columns_are_counted_from_0_as_in_numpy():
    assert heatmap([[7, 8], [9, -1]]).text == "2 × 2\n   0   1\n0  7   8\n1  9  −1"


def test_a_hidden_cell_is_in_no_text():
    matrix = [[1, 77.125], [3, 4]]
    picture = heatmap(matrix, mask=causal_mask(2))
    assert "77" not in picture.text + picture.alt
    assert "·" in picture.text
    assert "cells hidden: 1" in picture.alt


def test_minus_infinity_is_hidden_and_nan_is_undefined():
    picture = heatmap([[1, -np.inf], [np.nan, 4]])
    assert "−∞" in picture.text
    assert "undefined" in picture.text
    assert "cells hidden: 1, cells undefined: 1" in picture.alt


def test_the_alternative_text_is_one_sentence_that_names_the_largest_cell():
    picture = heatmap(
        [[0, 2.5], [-3, 1]], ["on", "by"], ["wet", "rich"], title="scores"
    )
    assert picture.alt == (
        "Heat map: scores, 2 × 2; largest 2.5000 at row on, column rich,"
        " smallest −3 at row by, column wet."
    )


def test_a_large_matrix_is_summarised_by_shape_and_named_cells():
    matrix = np.zeros((64, 64))
    matrix[3, 60], matrix[40, 2], matrix[63, 63] = 9, -8, 100
    names = [f"word {i}" for i in range(64)]
    mask = np.ones((64, 64), bool)
    mask[63, 63] = False
    text = heatmap(matrix, names, names, mask=mask, title="scores").text
    assert text == (
        "scores, 64 × 64: too many numbers to print;"
        " largest 9 at row word 3, column word 60,"
        " smallest −8 at row word 40, column word 2, cells hidden: 1"
    )


def test_several_matrices_share_what_fits_them():
    picture = heatmap(
        {"scores": np.eye(2), "context": [[1, 2, 3], [4, 5, 6]]},
        rows=["on", "by"],
        columns=["on", "by"],
        mask=causal_mask(2),
        title="both",
    )
    assert picture.text == (
        "both\n\nscores, 2 × 2\n    on  by\non   1   ·\nby   0   1\n\n"
        "context, 2 × 3\n    0  1  2\non  1  2  3\nby  4  5  6"
    )
    assert picture.alt == "2 heat maps of both: scores, 2 × 2; context, 2 × 3."


def test_several_matrices_take_their_own_by_title():
    picture = heatmap(
        {"a": [[0.5]], "b": [[5.0]]},
        rows={"a": ["first"]},
        columns={"b": ["wet"]},
        mask={"b": [[False]]},
        scale={"a": "weights"},
    )
    assert picture.text == (
        "a, 1 × 1\n         0\nfirst  0.5\n\nb, 1 × 1\n   wet\n0    ·"
    )
    assert [panel.scale for panel in picture.panels] == ["weights", "signed"]


def test_the_picture_prints_no_more_decimals_than_are_needed():
    decimals = [
        heatmap(m, decimals=most).panels[0].decimals
        for m, most in (([[2, 0]], 2), ([[2.5, 0]], 2), ([[1 / 3]], 2), ([[1 / 3]], 6))
    ]
    assert decimals == [0, 1, 2, 6]
    assert "0.333333" in heatmap([[1 / 3]], decimals=6).text


def test_later_changes_of_the_input_change_nothing():
    matrix, mask = np.ones((2, 2)), np.ones((2, 2), bool)
    picture = heatmap(matrix, mask=mask)
    before = picture.png()
    matrix[:] = 5
    mask[:] = False
    assert picture.png() == before


def test_side_by_side_twins_stand_one_after_the_other():
    scores, weights = heatmap([[2]], title="scores"), heatmap([[0.5]], title="weights")
    both = scores | weights
    assert both.text == f"{scores.text}\n\n{weights.text}"
    assert both.alt == "2 heat maps: scores, 1 × 1; weights, 1 × 1."
    assert [panel.title for panel in (both | scores).panels] == [
        *("scores", "weights", "scores")
    ]
    one, other = (heatmap({"a": [[1]]}, title=title) for title in ("one", "other"))
    assert (one | scores).text.startswith("one\n\na, 1 × 1")
    assert [(one | other).title, (one | one).title] == ["one | other", "one"]
    with pytest.raises(TypeError):
        scores | "weights"


# What a notebook shows


def test_the_bundle_holds_twin_picture_and_alternative_text():
    picture = heatmap(WEIGHTS, WORDS, WORDS)
    data, metadata = picture._repr_mimebundle_(include=None, exclude=None)
    assert data["text/plain"] == picture.text
    assert base64.b64decode(data["image/png"]) == picture.png()
    assert metadata == {"image/png": {"alt": picture.alt}}


def test_ipython_displays_the_bundle():
    picture = heatmap([[1]])
    data, metadata = DisplayFormatter().format(picture)
    assert set(data) == {"text/plain", "image/png"}
    assert metadata["image/png"]["alt"] == picture.alt


ELSEWHERE = f"""
import sys
from attention_helpers import heatmap
picture = heatmap([[1, -2.5]], ["a"], ["b", "wide"], title="t")
repr(picture)
assert not any(name.partition(".")[0] == "matplotlib" for name in sys.modules)
import matplotlib
with matplotlib.rc_context({LOUD}):
    picture.png()
assert "matplotlib.figure" in sys.modules
assert "matplotlib.pyplot" not in sys.modules
sys.stdout.buffer.write(picture.png())
"""


@pytest.fixture(scope="module")
def elsewhere() -> subprocess.CompletedProcess[bytes]:
    """Draw in another process, where the first picture is under a loud style."""
    return subprocess.run([sys.executable, "-c", ELSEWHERE], capture_output=True)


def test_matplotlib_comes_only_when_a_picture_is_drawn_and_pyplot_never(elsewhere):
    assert elsewhere.returncode == 0, elsewhere.stderr.decode()


def test_no_figure_is_left_behind():
    picture = heatmap([[1]])
    picture.png()
    gc.collect()
    before = sum(isinstance(thing, Figure) for thing in gc.get_objects())
    for _ in range(5):
        picture.png()
    gc.collect()
    assert sum(isinstance(thing, Figure) for thing in gc.get_objects()) == before


def test_the_same_picture_is_the_same_bytes_after_a_loud_one_elsewhere(elsewhere):
    png = heatmap([[1, -2.5]], ["a"], ["b", "wide"], title="t").png()
    assert elsewhere.stdout == png
    kinds = [png[i - 4 : i] for i in chunk_starts(png)]
    assert set(kinds) == {b"IHDR", b"PLTE", b"IDAT", b"IEND"}, "no date, no software"


def chunk_starts(png: bytes):
    at = 8
    while at < len(png):
        yield at + 8
        at += 12 + int.from_bytes(png[at : at + 4], "big")


@pytest.fixture(scope="module")
def plain() -> tuple[Picture, bytes]:
    """Draw two panels, one of them without numbers, in nobody's style."""
    picture = heatmap({"$t$": WEIGHTS, "large": np.eye(2, 81)}, title="$t$")
    return picture, picture.png()


@pytest.mark.parametrize("style", [*STYLES, LOUD], ids=[*STYLES, "loud"])
def test_the_readers_own_matplotlib_settings_change_nothing(style, plain):
    picture, before = plain
    with matplotlib.style.context(style):
        mine = dict(matplotlib.rcParams)
        assert picture.png() == before
        assert dict(matplotlib.rcParams) == mine


# A reader's own axes


def test_a_heat_map_is_drawn_into_axes_of_the_reader():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    right.plot([1, 2])
    before = on_screen(figure)
    heatmap([[2, -1], [0, 3]], ["bank", "river"], ["wet", "rich"], title="t", ax=left)
    changed = np.nonzero((on_screen(figure) != before).any(axis=(0, 2)))[0]
    assert changed.size
    assert changed.max() < figure.bbox.width / 2, "the other axes are as they were"
    assert left.get_title(loc="left") == "t, 2 × 2"
    assert [label.get_text() for label in left.get_yticklabels()] == ["bank", "river"]
    assert [label.get_text() for label in left.get_xticklabels()] == ["wet", "rich"]
    assert set(inks(left)) == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_as_last_line_of_a_cell_it_does_not_show_the_picture_twice():
    picture = heatmap([[1, 2]], title="t", ax=Figure().add_subplot())
    data, metadata = DisplayFormatter().format(picture)
    assert (data, metadata) == ({"text/plain": picture.text}, {})
    assert picture.text == heatmap([[1, 2]], title="t").text
    assert picture.png() == heatmap([[1, 2]], title="t").png()
    both, _ = DisplayFormatter().format(picture | picture)
    assert "image/png" in both, "side by side it stands nowhere else"


def test_drawing_again_replaces_what_was_there():
    figure = Figure()
    ax = figure.add_subplot()
    ax.plot([1, 2], label="old")
    ax.set_title("old")
    ax.grid(True)
    heatmap([[1, 2]], mask=[[True, False]], ax=ax)
    once = on_screen(figure), len(ax.get_children())
    heatmap([[1, 2]], mask=[[True, False]], ax=ax)
    assert (on_screen(figure) == once[0]).all()
    assert len(ax.get_children()) == once[1]
    assert not ax.lines
    assert not ax.get_title()


@pytest.mark.parametrize("n", [3, 50])
def test_the_readers_style_leaks_into_no_axes(n):
    def figure() -> Figure:
        figure = Figure((6, 6), facecolor="white", edgecolor="white", dpi=100)
        figure.set_layout_engine("none")
        ax = figure.add_axes((0.2, 0.2, 0.7, 0.6))
        matrix = np.linspace(-1, 1, n * n).reshape(n, n)
        heatmap(matrix, mask=~np.eye(n, dtype=bool), title="t", ax=ax)
        return figure

    plain = on_screen(figure())
    for style in (*STYLES, LOUD):
        with matplotlib.style.context(style):
            mine = dict(matplotlib.rcParams)
            styled = figure()
            assert dict(matplotlib.rcParams) == mine
        assert (on_screen(styled) == plain).all(), style


def test_labels_can_be_read_on_a_dark_figure():
    with matplotlib.style.context("dark_background"):
        figure = Figure()
        ax = figure.add_subplot()
        heatmap([[1, -np.inf]], ["a"], ["b", "c"], title="t", ax=ax)
    texts = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    for text in (*texts, next(t for t in ax.get_children() if t is ax._left_title)):
        assert contrast(text.get_color(), figure.get_facecolor()) >= 4.5


def small() -> Axes:
    ax = Figure((2, 1.2), dpi=100).add_axes((0.2, 0.1, 0.75, 0.6))
    heatmap(np.full((5, 5), -88.88), ax=ax)
    return ax


def made_small_later() -> Axes:
    ax = Figure((8, 6), dpi=100).add_axes((0.2, 0.1, 0.75, 0.6))
    heatmap(np.full((5, 5), -88.88), ax=ax)
    ax.figure.set_size_inches(2, 1.2)
    return ax


def laid_out_later() -> Axes:
    plots = Figure((5, 4), dpi=100, layout="constrained").subplots(2, 2).flat
    words = ["a word of 20 letters", *"bcde"]
    for ax in plots:
        heatmap(np.full((5, 5), -88.88), words, title="attention", ax=ax)
    return plots[0]


@pytest.mark.parametrize("drawn", [small, made_small_later, laid_out_later])
def test_numbers_stay_inside_their_cells_and_the_title_on_the_paper(drawn):
    ax = drawn()
    FigureCanvasAgg(ax.figure).draw()
    numbers = ax.collections[-1]
    shapes = [numbers.get_transform().transform_path(p) for p in numbers.get_paths()]
    ends = [(p.get_extents().x0, p.get_extents().x1) for p in shapes[: len("−88.88")]]
    assert 5 < max(ends)[1] - min(ends)[0] < ax.bbox.width / 5
    assert 0 < max(p.get_extents().height for p in shapes) < ax.bbox.height / 5
    title = next(t for t in ax.get_children() if t is ax._left_title)
    assert title.get_window_extent().x0 >= 0


def test_axes_that_are_none_are_refused():
    figure = Figure()
    several = figure.subplots(2)
    several[1].remove()
    polar, shared = figure.add_subplot(projection="polar"), figure.add_subplot()
    shared.twinx()
    for ax in (3, figure, several, several[1], polar, shared):
        with pytest.raises(ValueError, match=r"ax is .*; expected (matplotlib )?axes"):
            heatmap([[1]], ax=ax)
    with pytest.raises(ValueError, match="ax is one plot but matrix holds several"):
        heatmap({"a": [[1]], "b": [[1]]}, ax=several[0])


# Side by side


def test_one_number_has_one_colour_in_all_of_a_picture():
    small, large = heatmap([[3.0, -1.0]]), heatmap([[3.0, -11.0]])
    apart = cell_colours(small)[0, 0] - cell_colours(large)[0, 0]
    assert np.abs(apart).max() > 20
    mapping = heatmap({"small": [[3.0, -1.0]], "large": [[3.0, -11.0]]})
    for both in (small | large, mapping):
        assert both.end("signed") == 20
        one, other = cell_colours(both, 0), cell_colours(both, 1)
        np.testing.assert_array_equal(one[0, 0], other[0, 0])
        np.testing.assert_array_equal(one[0, 0], cell_colours(large)[0, 0])


def test_attention_weights_and_given_ends_keep_their_scale_side_by_side():
    weights = heatmap([[0.5, 0.5]], scale="weights")
    given = heatmap([[0.5, 2.0]], scale=4)
    picture = weights | heatmap([[0.5, 40.0]]) | given
    np.testing.assert_array_equal(cell_colours(picture, 0), cell_colours(weights))
    np.testing.assert_array_equal(cell_colours(picture, 2), cell_colours(given))
    assert picture.end("weights") == 1
    assert picture.end("signed") == 50
    assert picture.end(4.0) == 4


def test_an_explorers_picture_has_one_scale_for_words_and_one_for_scores(monkeypatch):
    drawn: list[Picture] = []
    monkeypatch.setattr(Picture, "png", lambda picture: drawn.append(picture) or b"")
    twin.png(explore("bank", controls=["divide_by", "mask"]))
    (picture,) = drawn
    scales: dict[object, set[str]] = {}
    for panel in picture.panels:
        scales.setdefault(panel.scale, set()).add(panel.title)
    words, scores, weights = scales["signed"], scales["scores"], scales["weights"]
    assert {"embeddings", "W_query", "W_key", "W_value", "queries", "keys"} <= words
    titles = {panel.title for panel in picture.panels}
    assert words == titles - scores - weights - {*SCALES}
    assert {"scores", "scaled scores", "masked scores"} <= scores
    assert weights == {"attention weights"}
    assert {
        title for panel in picture.panels for title in [panel.title] if panel.row_sums
    } == weights
    assert (picture.end("signed"), picture.end("scores")) == (5, 20)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_question_of_a_locked_explorer_stands_whole_over_its_picture(
    question, monkeypatch
):
    drawn: list[Picture] = []
    monkeypatch.setattr(Picture, "png", lambda picture: drawn.append(picture) or b"")
    goal = {"weights": {"bank": "river"}}
    twin.png(explore("bank", query="bank", predict=question, goal=goal))
    (heading,) = drawn[0].figure().texts
    assert heading.get_text() == drawn[0].title
    assert heading.get_text().startswith("Before you look: ")


# Colours


def ramp(scale: str) -> Picture:
    """Show every colour of a scale, and those for what is off it."""
    row = [*np.linspace(-1, 1, 81), np.inf, np.nan, -np.inf]
    return heatmap(
        np.array(row).reshape(-1, 12), scale=1 if scale == "signed" else scale
    )


@pytest.mark.parametrize("scale", ["signed", "weights"])
def test_a_number_has_enough_contrast_to_its_cell(scale):
    picture = ramp(scale)
    colours = cell_colours(picture) / 255
    assert len(np.unique(colours.reshape(-1, 3), axis=0)) > 20
    for cell, ink in inks(picture.figure().axes[0]).items():
        if np.isfinite(picture.panels[0].cells[cell]):
            assert contrast(ink[:3], colours[cell]) >= 4.5


def test_labels_and_signs_on_hatching_have_enough_contrast():
    for ink, ground in itertools.product((GREY, INK), ("white", HATCH, HIDDEN)):
        assert contrast(ink, ground) >= 4.5


@pytest.mark.parametrize("shape", [(12, 9), (60, 60)])
def test_the_drawn_cells_have_the_colours_of_the_scale(shape):
    """Darker with every step away from zero, whatever the palette of the file."""
    matrix = np.random.default_rng(1).normal(size=shape) * 3
    picture = heatmap(matrix)
    ax = picture.figure().axes[0]
    mesh, *_ = *ax.collections, *ax.images
    expected = np.rint(mesh.to_rgba(matrix)[..., :3] * 255)
    assert np.abs(cell_colours(picture, png=picture.png()) - expected).max() <= 2
    end = picture.end("signed")
    assert (mesh.norm.vmin, mesh.norm.vmax) == (-end, end)


def test_a_rare_colour_survives_in_the_palette():
    full = np.random.default_rng(2).normal(size=(30, 12))
    rare = np.zeros((201, 201))  # with so many, a cell is one pixel
    rare[200, 100] = 1
    red, blue = cell_colours(heatmap([[-1.0, 1.0]]))[0]
    picture = heatmap({"full": full, "rare": rare, "-rare": -rare}, scale=1)
    png = picture.png()
    assert (cell_colours(picture, 1, png)[200, 100] == blue).all()
    assert (cell_colours(picture, 2, png)[200, 100] == red).all()


def test_positive_is_blue_negative_is_red_and_zero_is_neither():
    blue, red, zero = cell_colours(heatmap([[1.0, -1.0, 0.0]]))[0]
    assert blue[2] > blue[0] + 60
    assert red[0] > red[2] + 60
    assert np.ptp(zero) < 6


def test_attention_weights_are_purple_from_0_to_1_whatever_the_values():
    matrix = [[0.0, 0.5, 1.0, -0.2, 7.0]]
    zero, half, one, below, above = cell_colours(heatmap(matrix, scale="weights"))[0]
    assert np.ptp(zero) < 8
    for purple in (half, one):
        assert purple[2] > purple[0] + 30 > purple[1] + 30
    assert half.sum() > one.sum() + 100
    assert (above == one).all()
    assert below[0] > below[2] + 60, "red: no share is negative"


def test_a_scale_of_colours_is_one_entry(monkeypatch):
    monkeypatch.setitem(SCALES, "heat", Scale("f0f0f0 ff0000", 0, 4.0))
    picture = heatmap([[0, 4.0, 9.0]], scale="heat")
    assert cell_colours(picture).tolist() == [[[240] * 3, [255, 0, 0], [255, 0, 0]]]
    assert picture.end("heat") == 4
    names = ", ".join(map(repr, SCALES))
    with pytest.raises(ValueError, match=f"expected {names} or a positive number"):
        heatmap([[1]], scale="cold")


@pytest.mark.parametrize(
    ("largest", "extent"),
    [
        *((0, 1), (0.01, 1), (1, 1), (1.01, 2), (2, 2), (-4, 5), (6, 10), (10, 10)),
        *((11, 20), (49, 50), (51, 100), (1000, 1000), (3e120, 5e120)),
        (1.7e308, sys.float_info.max),
    ],
)
def test_the_scale_ends_at_a_round_number_that_holds_the_values(largest, extent):
    assert heatmap([[largest, 0]]).end("signed") == pytest.approx(extent)


def test_hidden_cells_do_not_stretch_the_scale():
    assert heatmap([[1, 50]], mask=[[True, False]]).end("signed") == 1


def test_a_given_end_of_the_scale_is_used_as_it_is():
    third = cell_colours(heatmap([[1.0]], scale=3))
    assert (cell_colours(heatmap([[4.0]], scale=12)) == third).all()
    assert (cell_colours(heatmap([[4.0]], scale=13)) != third).any()
    assert heatmap([[4.0]], scale=12).end(12.0) == 12


@pytest.mark.parametrize("n", [5, 64])
def test_a_hidden_cell_is_hatched_and_never_looks_like_zero(n):
    whole, masked = (
        heatmap(np.zeros((n, n)), mask=mask) for mask in (None, np.eye(n, dtype=bool))
    )
    zeros = cell_colours(whole)
    zero = zeros[0, 0]
    assert (zeros == zero).all()
    hidden = ~masked.panels[0].visible
    figure = masked.figure()
    picture, places = on_screen(figure), boxes(masked, figure=figure)
    for left, top, right, bottom in places[hidden]:
        cell = picture[top + 1 : bottom - 1, left + 1 : right - 1].astype(int)
        assert (np.abs(cell - zero).max(axis=-1) > 4).mean() > 0.6
    some = places[0, n // 2], places[0, n - 1]
    seen = picture[some[0][1] : some[0][3], some[0][0] : some[1][2]].astype(int)
    ground, hatch = (np.rint(255 * np.array(to_rgb(c))) for c in (HIDDEN, HATCH))
    dark = seen.sum(axis=-1) < (ground.sum() + hatch.sum()) / 2
    assert 0.05 < dark.mean() < 0.6, "lines with ground between them"


def test_what_a_hidden_cell_holds_is_not_drawn():
    mask = [[True, False], [True, True]]
    one, other = (heatmap([[1, x], [2, 3]], mask=mask) for x in (2.0, -3.0))
    assert one.png() == other.png()


@pytest.mark.parametrize("n", [1, 30])
def test_undefined_is_neither_hidden_nor_zero(n):
    undefined, zero = cell_colours(heatmap(np.tile([[np.nan, 0.0]], (2, n))))[0, :2]
    assert undefined[0] > 240
    assert undefined[2] < 160, "yellow"
    assert np.ptp(zero) < 6


# Drawing


@pytest.mark.parametrize(
    ("shape", "listed"),
    [
        ((1, 1), True),
        ((6, 3), True),
        ((16, 16), True),
        ((40, 12), True),
        ((41, 3), False),
        ((3, 30), False),
        ((64, 64), False),
        ((1, 512), False),
        ((512, 1), False),
        ((512, 512), False),
        ((1500, 700), False),
    ],
)
def test_every_size_can_be_drawn_and_numbers_drop_out_together_with_the_table(
    shape, listed
):
    picture = heatmap(np.random.default_rng(0).uniform(-1, 1, size=shape))
    png = picture.png()
    high, wide, _ = pixels(png).shape
    assert wide <= PAGE + 24
    assert high <= 1200
    assert len(png) < 200_000
    assert ("too many" not in picture.text) == listed
    assert len(picture.text.splitlines()) == (2 + shape[0] if listed else 1)
    assert picture.panels[0].has_numbers == listed
    ax = picture.figure().axes[0]
    assert len(inks(ax)) == (np.prod(shape) if listed else 0)
    assert bool(ax.child_axes) != listed, "a colour bar takes the numbers' place"


def test_a_picture_full_of_numbers_is_small():
    full = np.random.default_rng(0).integers(0, 10, size=(40, 48))
    picture = heatmap(full, [f"word {i}" for i in range(40)])
    assert picture.panels[0].has_numbers
    assert len(picture.png()) < 200_000


def test_a_very_large_matrix_says_that_not_every_cell_is_drawn():
    large, larger = (
        heatmap(np.zeros((n, 7)), title="t").figure().axes[0].get_title(loc="left")
        for n in (512, 513)
    )
    assert large == "t, 512 × 7"
    assert larger == "t, 513 × 7, not every cell drawn"


@pytest.mark.parametrize(("scale", "start"), [("weights", "0"), (0.25, "−0.25")])
def test_the_colour_bar_names_both_ends_and_explains_what_is_no_number(scale, start):
    matrix = np.zeros((50, 2))
    (bar,) = heatmap(matrix, scale=scale).figure().axes[0].child_axes
    ends = [label.get_text() for label in bar.get_xticklabels()]
    assert ends == [start, "1" if scale == "weights" else "0.25"]
    assert bar.get_xlabel() == ""
    matrix[0, :2] = np.nan, -np.inf
    (bar,) = heatmap(matrix, scale=scale).figure().axes[0].child_axes
    assert bar.get_xlabel() == "hatched: hidden, yellow: undefined"


def test_labels_are_thinned_out_and_turned_where_there_is_no_room():
    names = [f"word {i}" for i in range(60)]
    ax = heatmap(np.zeros((60, 60)), names).figure().axes[0]
    assert [t.get_text() for t in ax.get_yticklabels()][:3] == [
        *("word 0", "word 5", "word 10")
    ]
    assert [t.get_text() for t in ax.get_xticklabels()][1:3] == ["5", "10"]
    assert {t.get_rotation() for t in ax.get_xticklabels()} == {0}
    few, many = (
        heatmap(np.zeros((3, n)), columns=["a longer name"] * n) for n in (5, 12)
    )
    for picture, angle in ((few, 0), (many, 90)):
        labels = picture.figure().axes[0].get_xticklabels()
        assert {text.get_rotation() for text in labels} == {angle}
        assert len(labels) == picture.panels[0].cells.shape[1]


def test_long_labels_end_with_an_ellipsis_those_of_rows_later():
    names = ["0 after softmax, renormalised", "x" * 31]
    ax = heatmap(np.eye(2), names, names).figure().axes[0]
    rows, columns = ax.get_yticklabels(), ax.get_xticklabels()
    assert [row.get_text() for row in rows] == [names[0], "x" * 29 + "…"]
    assert [c.get_text() for c in columns] == ["0 after softmax, re…", "x" * 19 + "…"]


@pytest.mark.parametrize(
    "picture",
    [
        heatmap(WEIGHTS, ["a very long label"] * 5, ["WWWWWWWWWWWWWWWWWWWW"] * 5),
        heatmap(WEIGHTS[:1, :1], title="a title that is wider than its only cell"),
        heatmap(np.zeros((3, 25)), columns=["WWWWWWWWWWWWWWWWWWWW"] * 25, title="t"),
        heatmap({"a": np.eye(50), "b": -np.eye(50)}, ["a word"] * 50, title="t" * 99),
        heatmap({"n": [[-99999.99]], "m": np.full((500, 2), np.nan)}, title="t"),
    ],
)
def test_nothing_is_cut_at_the_edges_nor_drawn_over_its_neighbours(picture):
    figure = picture.figure()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    panels = [ax.get_tightbbox(canvas.get_renderer()) for ax in figure.axes]
    for box in (*panels, *(text.get_window_extent() for text in figure.texts)):
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= figure.bbox.width
        assert box.y1 <= figure.bbox.height
    for one, other in itertools.combinations(panels, 2):
        assert not one.overlaps(other)


def test_each_number_is_drawn_inside_its_own_cell():
    matrix = np.full((2, 3), 8.0)
    whole = heatmap(matrix, scale=1e300)  # all have the colour of zero
    before = on_screen(whole.figure())
    places = boxes(whole)
    for i, j in np.ndindex(2, 3):
        changed = matrix.copy()
        changed[i, j] = 6  # as wide as 8
        picture = heatmap(changed, scale=1e300)
        change = before.astype(int) - on_screen(picture.figure())
        rows, columns = np.nonzero((np.abs(change) > 60).any(axis=-1))
        left, top, right, bottom = places[i, j]
        assert rows.size
        assert top < rows.min() <= rows.max() < bottom - 1
        assert left < columns.min() <= columns.max() < right - 1


def test_last_digits_stand_in_line():
    picture = heatmap([[2.5], [-33.5], [100.5], [7e9]], scale=1e300)
    dark = (on_screen(picture.figure()) < 90).all(axis=-1)
    ends = [
        np.nonzero(dark[top:bottom, left:right])[1].max()
        for left, top, right, bottom in boxes(picture)[:3, 0]
    ]
    assert len(set(ends)) == 1


def test_white_gaps_stand_between_the_cells():
    picture = heatmap(np.ones((2, 3)))
    seen = on_screen(picture.figure())
    for left, top, right, bottom in boxes(picture).reshape(-1, 4):
        for line in (seen[top:bottom, left], seen[top:bottom, right - 1]):
            assert (line == 255).all()
        for line in (seen[top, left:right], seen[bottom - 1, left:right]):
            assert (line == 255).all()
        assert (seen[top + 1, left + 1 : right - 1] < 255).any(axis=-1).all()


def test_panels_wrap_into_lines():
    panels = {f"panel {i}": np.zeros((3, 6)) for i in range(7)}
    one, all_of_them = heatmap({"panel 0": panels["panel 0"]}), heatmap(panels)
    assert pixels(one.png()).shape[1] < pixels(all_of_them.png()).shape[1] <= PAGE + 12
    corners = [
        (-round(ax.bbox.y1), round(ax.bbox.x0)) for ax in all_of_them.figure().axes
    ]
    tops = [top for top, _ in corners]
    assert corners == sorted(set(corners)), "from left to right, then down"
    assert 3 <= len(set(tops)) <= 4


def test_the_cells_of_a_line_begin_at_one_height():
    picture = heatmap(
        {"a": np.zeros((2, 2)), "b": np.zeros((2, 12))},
        columns={"b": ["a longer name"] * 12},
    )
    assert boxes(picture, 0)[0, 0, 1] == boxes(picture, 1)[0, 0, 1]


def test_row_sums_stand_beside_their_rows_and_leave_hidden_cells_out():
    panel = Panel(
        "t",
        np.array([[0.5, 0.25], [9, -np.inf]]),
        range(2),
        range(2),
        np.array([[True, True], [False, True]]),
        row_sums=True,
    )
    assert panel.numbers.tolist() == [["0.50", "0.25", "0.75"], ["", "−∞", "0.00"]]
    ax = Picture((panel,)).figure().axes[0]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "1", "sum"]
    assert {(0, 2), (1, 2)} < set(inks(ax))


def test_tokens_are_literal_text_never_formulas():
    """Dollars, backslashes and underscores take the room of their own letters."""
    for literal, formula in (("$xx$", "xx"), ("$x_y$", "xy"), (r"$\alpha$", "a")):
        long, short = (boxes(heatmap([[1]], [t]))[0, 0, 0] for t in (literal, formula))
        assert long > short + 10
    dark = [
        (on_screen(heatmap([[1]], [text], [""]).figure()) < 160).all(axis=-1).sum()
        for text in ("", "x", "$x$")
    ]
    assert dark[2] - dark[0] > 2 * (dark[1] - dark[0]), "the dollars are drawn, too"


HOSTILE = [
    *("$x$", r"$\frac{1}{2", r"\frac", "a_b^c", "%", "{}", "<script>", "\\"),
    *(
        "日本",
        "😀👩‍👩‍👧",
        "שלום",
        "مرحبا",
        "\u202eabc",
        "a\nb\tc",
        "\x00",
        "\ud800",
        "",
    ),
    *("x" * 10_000, "e\u0301" * 50, "\u200b", "हिन्दी", "\ufe0f", "\ufffe"),
]


@pytest.mark.parametrize("token", HOSTILE)
def test_any_label_is_drawn_without_a_warning(token, capfd):
    picture = heatmap([[1, 2]], [token], [token, "b"], title=token)
    large = heatmap(np.zeros((2, 81)), [token] * 2, [token] * 81, title=token)
    assert not large.panels[0].has_numbers
    for drawn in (picture, large):
        assert on_screen(drawn.figure()).shape[1] <= PAGE
    assert len(picture.text.splitlines()) == 3
    figure = Figure()
    heatmap([[1, 2]], [token], [token, "b"], title=token, ax=figure.add_subplot())
    on_screen(figure)
    assert capfd.readouterr() == ("", "")


# Refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"matrix": [1, 2]}, r"matrix has shape \(2,\); expected a matrix with rows"),
        ({"matrix": [[1], [2, 3]]}, "matrix has rows of different lengths"),
        ({"matrix": []}, r"matrix has shape \(0,\)"),
        ({"matrix": [["a"]]}, "matrix holds text; expected numbers"),
        ({"matrix": [[True]]}, "matrix holds booleans; expected numbers"),
        ({"matrix": {}}, "matrix is an empty mapping; expected a matrix for each"),
        ({"matrix": {"a": [1]}}, r"matrix\['a'\] has shape \(1,\)"),
        ({"rows": ["a"]}, "rows has 1 labels but matrix has 2 rows; expected one"),
        ({"columns": "ab"}, "columns is 'ab'; expected a list of labels"),
        ({"rows": {"a", "b"}}, r"rows is \{'.', '.'\}; expected a list of labels"),
        ({"rows": iter("ab")}, "rows is <str.*>; expected a list of labels"),
        ({"columns": 3}, "columns is 3; expected a list of labels"),
        ({"rows": {"b": ["x", "y"]}}, "rows names 'b'; expected ''"),
        ({"rows": {"": ["x"]}}, "rows has 1 labels but matrix has 2 rows"),
        ({"mask": {"": [[True]]}}, r"mask has shape \(1, 1\)"),
        ({"scale": {"": "log"}}, "scale is 'log'"),
        ({"title": 3}, "title is 3; expected text"),
        ({"mask": [[True]]}, r"mask has shape \(1, 1\); expected \(2, 3\)"),
        (
            {"mask": np.ones((2, 3))},
            "mask holds float64; expected booleans, True where",
        ),
        ({"mask": [[True], [True, False]]}, "mask has rows of different lengths"),
        ({"scale": "log"}, "scale is 'log'; expected .*'signed', 'weights'"),
        ({"scale": 0}, "scale is 0; expected"),
        ({"scale": True}, "scale is True; expected"),
        ({"scale": np.nan}, "scale is nan; expected"),
        ({"decimals": 1.5}, "decimals is 1.5; expected a whole number from 0 to 20"),
        ({"decimals": -1}, "decimals is -1; expected a whole number from 0 to 20"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        heatmap(**{"matrix": np.zeros((2, 3)), **arguments})


def test_a_value_that_fits_no_matrix_is_refused():
    with pytest.raises(ValueError, match="rows has 3 labels but matrix has 2 rows"):
        heatmap({"a": np.eye(2), "b": np.ones((1, 2))}, rows=["x", "y", "z"])


def test_a_row_hidden_everywhere_may_be_shown():
    assert heatmap([[1, 2]], mask=[[False, False]]).text.splitlines()[1:] == [
        "   0  1",
        "0  ·  ·",
    ]


@given(
    which=st.sampled_from(
        ["matrix", "rows", "columns", "title", "mask", "scale", "decimals", "ax"]
    ),
    junk=JUNK,
)
def test_junk_gives_a_picture_or_an_error_that_names_it(which, junk):
    arguments = {"matrix": np.eye(2), which: junk}
    picture = survive(heatmap, **arguments)
    if picture is not None:
        assert isinstance(picture, Picture)
        assert on_screen(picture.figure()).size


@given(
    st.lists(
        st.lists(st.floats(), min_size=3, max_size=3),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["signed", "weights", 1e-300, 3, 1e300]),
)
@settings(max_examples=12)
@example([[1.7e308, 1.7e308, 1.0], [np.nan, np.inf, -np.inf]], "signed")
@example([[1.7e308, 1.7e308, -1.7e308]], 1e-300)
def test_any_numbers_on_any_scale_are_drawn_without_a_warning(matrix, scale):
    cells = np.array(matrix)
    panel = Panel("", cells, range(len(cells)), range(3), scale=scale, row_sums=True)
    small, large = Picture((panel,)), heatmap(np.tile(matrix, (50, 1)), scale=scale)
    assert not large.panels[0].has_numbers
    assert on_screen((small | large).figure()).size
