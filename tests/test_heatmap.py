"""Pictures of matrices: what they show, what their twins say, what they refuse."""

import base64
import gc
import io
import itertools
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter
from matplotlib.figure import Figure
from PIL import Image
from test_fuzz import JUNK, survive

from attention_helpers import causal_mask, heatmap, softmax
from attention_helpers.drawing import (
    BLUES,
    GREY,
    HATCH,
    HIDDEN,
    INK,
    PAGE,
    PURPLES,
    REDS,
    UNDEFINED,
    WHITE,
    Panel,
    _Box,
    _ink,
    draw,
)
from attention_helpers.heatmap import Picture

pytestmark = pytest.mark.filterwarnings("error")

WORDS = ["coins", "on", "bank", "by", "river"]
WEIGHTS = softmax(np.random.default_rng(0).normal(size=(5, 5)))


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def colours_of(picture: Picture | bytes) -> set[tuple[int, ...]]:
    png = picture if isinstance(picture, bytes) else picture.png()
    counted = Image.open(io.BytesIO(png)).convert("RGB").getcolors(256)
    return {colour for _, colour in counted}


def cell_colours(panel: Panel) -> np.ndarray:
    """Read the colour of each cell of a panel drawn alone, near its top left corner."""
    box = _Box(panel)
    picture = pixels(draw([panel]))
    high, wide = box.cell
    top, left = 12 + box.header + 2, 12 + box.left + 2
    n_rows, n_columns = panel.cells.shape
    return picture[
        top : top + n_rows * high : high, left : left + n_columns * wide : wide
    ]


def contrast(one: str | np.ndarray, other: str | np.ndarray) -> float:
    """Compute the contrast of two colours as WCAG 2 defines it."""

    def luminance(colour: str | np.ndarray) -> float:
        rgb = bytes.fromhex(colour[1:]) if isinstance(colour, str) else colour.tolist()
        parts = [
            c / 255 / 12.92
            if c / 255 <= 0.04045
            else ((c / 255 + 0.055) / 1.055) ** 2.4
            for c in rgb
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


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


def test_matplotlib_comes_only_when_a_picture_is_drawn_and_pyplot_never():
    program = """
import sys
from attention_helpers import heatmap
picture = heatmap([[1, 2]], title="x")
repr(picture)
assert not any(name.partition(".")[0] == "matplotlib" for name in sys.modules)
picture.png()
assert "matplotlib.figure" in sys.modules
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_figure_is_left_behind():
    picture = heatmap([[1]])
    picture.png()
    gc.collect()
    before = sum(isinstance(thing, Figure) for thing in gc.get_objects())
    for _ in range(5):
        picture.png()
    gc.collect()
    assert sum(isinstance(thing, Figure) for thing in gc.get_objects()) == before


def test_the_same_picture_is_the_same_bytes_in_another_process():
    program = (
        "import sys; from attention_helpers import heatmap;"
        "sys.stdout.buffer.write(heatmap([[1, -2.5]], ['a'], title='t').png())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True
    )
    png = heatmap([[1, -2.5]], ["a"], title="t").png()
    assert run.stdout == png
    kinds = [png[i - 4 : i] for i in chunk_starts(png)]
    assert set(kinds) == {b"IHDR", b"PLTE", b"IDAT", b"IEND"}, "no date, no software"


def chunk_starts(png: bytes):
    at = 8
    while at < len(png):
        yield at + 8
        at += 12 + int.from_bytes(png[at : at + 4], "big")


def test_the_readers_own_matplotlib_settings_change_nothing():
    picture = heatmap(WEIGHTS, WORDS, WORDS, title="$t$")
    before = picture.png()
    settings = {
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
    }
    with matplotlib.rc_context(settings):
        assert picture.png() == before


# Colours


@pytest.mark.parametrize(
    "shade", np.unique([*BLUES, *REDS, *PURPLES, UNDEFINED], axis=0)
)
def test_a_number_has_enough_contrast_to_its_cell(shade):
    assert contrast(_ink(shade), shade) >= 4.5


def test_labels_and_signs_on_hatching_have_enough_contrast():
    for ink, ground in itertools.product((GREY, INK), (WHITE, HATCH, HIDDEN)):
        assert contrast(ink, ground) >= 4.5


def test_the_drawn_cells_have_the_colours_of_the_scale():
    rng = np.random.default_rng(1)
    panel = Panel("many", rng.normal(size=(12, 9)) * 3)
    drawn = cell_colours(panel)
    share = np.rint(np.abs(panel.cells) / panel.extent * 32).astype(int)
    expected = np.where((panel.cells < 0)[..., None], REDS[share], BLUES[share])
    np.testing.assert_array_equal(drawn, expected)


def test_a_rare_colour_survives_in_the_palette():
    full = Panel("", np.random.default_rng(2).normal(size=(30, 12)))
    rare = np.zeros((300, 300))
    rare[200, 100] = 1
    assert tuple(REDS[-1].tolist()) not in colours_of(draw([full]))
    drawn = colours_of(draw([full, Panel("", rare), Panel("", -rare)]))
    assert tuple(REDS[-1].tolist()) in drawn


def test_positive_is_blue_negative_is_red_and_zero_is_neither():
    (blue, red, zero), *_ = cell_colours(Panel("", [[1.0, -1.0, 0.0]])).astype(int)
    assert blue[2] > blue[0] + 60
    assert red[0] > red[2] + 60
    assert np.ptp(zero) < 6


def test_attention_weights_are_purple_from_0_to_1_whatever_the_values():
    drawn = cell_colours(Panel("", [[0.0, 0.5, 1.0, -0.2, 7.0]], scale="weights"))[0]
    np.testing.assert_array_equal(drawn[[0, 1, 2, 4]], PURPLES[[0, 16, 32, 32]])
    np.testing.assert_array_equal(drawn[3], REDS[6])


@pytest.mark.parametrize(
    ("largest", "extent"),
    [
        *((0, 1), (0.01, 1), (1, 1), (1.01, 2), (2, 2), (-4, 5), (6, 10), (10, 10)),
        *((11, 20), (49, 50), (51, 100), (1000, 1000), (3e120, 5e120)),
        (1.7e308, sys.float_info.max),
    ],
)
def test_the_scale_ends_at_a_round_number_that_holds_the_values(largest, extent):
    assert Panel("", [[largest, 0]]).extent == pytest.approx(extent)


def test_hidden_cells_do_not_stretch_the_scale():
    assert Panel("", [[1, 50]], mask=[[True, False]]).extent == 1


def test_a_given_end_of_the_scale_is_used_as_it_is():
    assert cell_colours(heatmap([[3.0]], scale=12).panels[0])[0, 0].tolist() == list(
        BLUES[8]
    )


@pytest.mark.parametrize("n", [5, 64])
def test_a_hidden_cell_is_hatched_and_never_looks_like_zero(n):
    hatch = tuple(HATCH.tolist())
    whole, masked = (
        Panel("", np.zeros((n, n))),
        Panel("", np.zeros((n, n)), mask=np.eye(n)),
    )
    assert hatch in colours_of(draw([masked]))
    assert hatch not in colours_of(draw([whole]))
    ground = cell_colours(masked)[~masked.visible]
    assert set(map(tuple, ground.tolist())) <= {hatch, tuple(HIDDEN.tolist())}
    assert (cell_colours(whole) == BLUES[0]).all()


def test_what_a_hidden_cell_holds_is_not_drawn():
    mask = [[True, False], [True, True]]
    one, other = (heatmap([[1, x], [2, 3]], mask=mask) for x in (2.0, -3.0))
    assert one.png() == other.png()


def test_undefined_is_neither_hidden_nor_zero():
    drawn = cell_colours(Panel("", [[np.nan, 0.0]]))
    np.testing.assert_array_equal(drawn[0], [UNDEFINED, BLUES[0]])


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
    picture = heatmap(np.random.default_rng(0).normal(size=shape))
    png = picture.png()
    high, wide, _ = pixels(png).shape
    assert wide <= PAGE + 24
    assert high <= 1200
    assert len(png) < 300_000
    assert ("too many" not in picture.text) == listed
    assert len(picture.text.splitlines()) == (2 + shape[0] if listed else 1)
    assert picture.panels[0].has_numbers == listed


def test_a_very_large_matrix_says_that_not_every_cell_is_drawn():
    box = _Box(Panel("", np.zeros((1500, 700)), subtitle="1500 × 700"))
    assert box.cells.shape == (500, 350)
    assert box.subtitle == "1500 × 700, 1 in 3 rows and 1 in 2 columns drawn"
    assert [text for _, text in box.rows[:3]] == ["0", "60", "120"]
    assert [i for i, _ in box.rows[:3]] == [0, 20, 40]


def test_each_number_is_drawn_inside_its_own_cell():
    matrix = np.full((2, 3), 8.0)
    panel = Panel("", matrix, scale=1e300)  # all cells have the colour of zero
    box, before = _Box(panel), pixels(draw([panel]))
    high, wide = box.cell
    for i, j in np.ndindex(2, 3):
        changed = matrix.copy()
        changed[i, j] = 6  # as wide as 8
        after = pixels(draw([Panel("", changed, scale=1e300)]))
        rows, columns = np.nonzero((before != after).any(axis=-1))
        top, left = 12 + box.header + i * high, 12 + box.left + j * wide
        assert rows.size
        assert top <= rows.min() <= rows.max() < top + high - box.gap
        assert left <= columns.min() <= columns.max() < left + wide - box.gap


def test_white_gaps_stand_between_the_cells():
    panel = Panel("", np.ones((2, 3)))
    box, picture = _Box(panel), pixels(draw([panel]))
    top, left = 12 + box.header, 12 + box.left
    (high, wide), gap = box.cell, box.gap
    cells = picture[top : top + 2 * high, left : left + 3 * wide]
    for j in range(1, 4):
        assert (cells[:, j * wide - gap : j * wide] == 255).all()
    for i in range(1, 3):
        assert (cells[i * high - gap : i * high] == 255).all()


def test_panels_wrap_into_lines():
    panels = [Panel(f"panel {i}", np.zeros((3, 6))) for i in range(7)]
    one, all_of_them = pixels(draw(panels[:1])), pixels(draw(panels))
    assert one.shape[1] < all_of_them.shape[1] <= PAGE
    assert all_of_them.shape[0] > 3 * one.shape[0] - 60


def test_row_sums_stand_beside_their_rows_and_leave_hidden_cells_out():
    panel = Panel("", [[0.5, 0.25], [9, -np.inf]], mask=[[1, 1], [0, 1]], row_sums=True)
    assert _Box(panel).sums == ["sum", "0.75", "0.00"]
    without = Panel("", panel.matrix, mask=panel.mask)
    wide, narrow = (pixels(draw([p])).shape[1] for p in (panel, without))
    assert wide > narrow + 30


def test_tokens_are_literal_text_never_formulas():
    """Dollars, backslashes and underscores take the room of their own letters."""
    for literal, formula in (("$xx$", "xx"), ("$x_y$", "xy"), (r"$\alpha$", "a")):
        box, short = (
            _Box(Panel("", [[1]], rows=[text])) for text in (literal, formula)
        )
        assert box.left > short.left + 10
    dark = [
        (pixels(heatmap([[1]], [text], [""]).png()) < 160).all(axis=-1).sum()
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
    large = heatmap(np.zeros((50, 50)), [token] * 50, [token] * 50, title=token)
    for drawn in (picture, large):
        assert pixels(drawn.png()).shape[1] <= PAGE
    assert len(picture.text.splitlines()) == 3
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
        ({"scale": "log"}, "scale is 'log'; expected 'signed', 'weights' or a pos"),
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
        ["matrix", "rows", "columns", "title", "mask", "scale", "decimals"]
    ),
    junk=JUNK,
)
def test_junk_gives_a_picture_or_an_error_that_names_it(which, junk):
    arguments = {"matrix": np.eye(2), which: junk}
    picture = survive(heatmap, **arguments)
    if picture is not None:
        assert isinstance(picture, Picture)
        assert picture.png().startswith(b"\x89PNG")


@given(
    st.lists(
        st.lists(st.floats(), min_size=3, max_size=3),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(["signed", "weights", 1e-300, 3, 1e300]),
)
@settings(max_examples=40)
def test_any_numbers_on_any_scale_are_drawn_without_a_warning(matrix, scale):
    panel = Panel("", matrix, scale=scale, row_sums=True)
    large = Panel("", np.tile(matrix, (50, 20)), scale=scale)
    assert pixels(draw([panel, large])).size
