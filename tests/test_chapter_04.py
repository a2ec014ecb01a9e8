"""Chapter 4 prints what the sources print, and says nothing that it does not show."""

import numpy as np
import pytest
from chapter import (
    WORKED,
    cells,
    explorer,
    is_printed,
    matrix,
    outputs,
    prose_numbers,
    unshown,
)
from lab import Lab
from playwright.sync_api import Page, expect

from attention_helpers import examples, self_attention, softmax

NAME = "04_scaled.ipynb"
BANK, JOURNEY = examples["bank"], examples["journey"]
PRINTED = [
    (example, heading)
    for example in ("three inputs", "the cat sat", "she likes coffee")
    for heading in WORKED[example]["printed"]
]


def is_nearly_printed(printed: object) -> bool:
    """Whether an output holds these numbers in a row; TensorFlow has seven digits."""
    wanted = np.ravel(printed)
    return any(
        np.allclose(found[start : start + len(wanted)], wanted, rtol=0, atol=2e-6)
        for found in outputs(NAME)
        for start in range(len(found) - len(wanted) + 1)
    )


def effective_words(scores: np.ndarray) -> float:
    weights = softmax(scores)
    return np.exp(-np.sum(weights * np.log(weights), axis=1)).mean()


def draw_scores(d_k: int, rows: int = 4000) -> np.ndarray:
    """Draw other random scores than the chapter does."""
    rng = np.random.default_rng(7)
    queries, keys = rng.normal(size=(rows, d_k)), rng.normal(size=(rows, 6, d_k))
    return np.einsum("rd,rkd->rk", queries, keys)


@pytest.mark.parametrize(("example", "heading"), PRINTED)
def test_the_notebooks_numbers_are_printed(example: str, heading: str) -> None:
    assert is_nearly_printed(WORKED[example]["printed"][heading])


def test_the_books_numbers_are_printed() -> None:
    heading = "same: scaled by sqrt(2), softmax"
    assert is_printed(NAME, WORKED["journey"]["printed"][heading])


def test_the_complete_flow_is_printed() -> None:
    flow = WORKED["Me against the"]["complete_flow"]
    queries, keys, values = (
        np.array(flow[name]) for name in ("queries", "keys", "values")
    )
    exponentials = np.exp(queries @ keys.T / 2)
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    for stage in queries @ keys.T, weights, weights @ values:
        assert is_nearly_printed(stage)
    assert weights[1:] == pytest.approx(1 / 3)


def test_every_number_in_prose_is_shown() -> None:
    assert len(prose_numbers(NAME)) > 40
    assert unshown(NAME) == []


@pytest.mark.parametrize(
    ("divisor", "at_2", "at_512"),
    [
        (lambda d_k: 1, 4.1, 1.1),
        (np.sqrt, 4.7, 4.4),
        (lambda d_k: d_k, 5.2, 6.0),
    ],
)
def test_other_draws_say_the_same(divisor, at_2: float, at_512: float) -> None:
    for d_k, said in (2, at_2), (512, at_512):
        words = effective_words(draw_scores(d_k) / divisor(d_k))
        assert words == pytest.approx(said, abs=0.1)


def test_a_nudge_moves_a_level_row_ten_times_as_far() -> None:
    scores = draw_scores(512)
    for divided, said in (scores, 0.001), (scores / np.sqrt(512), 0.012):
        nudge = np.array([0.1, 0, 0, 0, 0, 0])
        moved = softmax(divided + nudge)[:, 0] - softmax(divided)[:, 0]
        assert moved.mean() == pytest.approx(said, abs=0.0005)


def test_only_one_divisor_is_right_and_no_light_tells() -> None:
    bank, river = BANK.index("bank"), BANK.index("river")
    for d, said in (1, 0.946), (2, 0.870), (4, 0.761), (5, 0.723):
        scale = 1 / np.sqrt(d)
        shares = self_attention(
            BANK.embeddings, BANK.W_query, BANK.W_key, scale=scale
        ).weights[bank]
        assert shares[river].round(3) == said
        assert shares.sum() == pytest.approx(1)
        assert shares.argsort(kind="stable").tolist() == [1, 3, 2, 0, 4]


def test_all_three_inputs_look_most_at_the_longest() -> None:
    three = examples["three inputs"]
    result = self_attention(three.embeddings, three.W_query, three.W_key, three.W_value)
    assert np.linalg.norm(result.keys, axis=1).argmax() == 2
    assert result.weights.argmax(axis=1).tolist() == [2, 2, 2]


def test_the_slider_counts_the_words_without_a_browser() -> None:
    code = [cell.source for cell in cells(NAME) if cell.cell_type == "code"]
    shown = next(k for k, source in enumerate(code) if "VBox([" in source)
    chapter: dict = {}
    with np.printoptions():  # the chapter sets its own
        exec("\n".join(code[: shown + 1]), chapter)
    line, picture = chapter["line"], chapter["picture"]
    assert line.value == "4.1 words undivided, 4.7 by √d_k, 5.2 by d_k"
    small = bytes(picture.value)
    chapter["slider"].value = 512
    assert line.value == "1.1 words undivided, 4.4 by √d_k, 6.0 by d_k"
    assert small.startswith(b"\x89PNG")
    assert bytes(picture.value) != small


def test_it_works_as_told(lab: Lab, page: Page) -> None:
    lab.open(page, NAME)
    lab.run_all(page)

    handle = page.locator(".widget-slider .noUi-handle").first
    handle.scroll_into_view_if_needed()
    line = page.locator(".widget-label", has_text="undivided")
    expect(line).to_have_text("4.1 words undivided, 4.7 by √d_k, 5.2 by d_k")
    handle.focus()
    for _ in range(8):
        handle.press("ArrowRight")
    expect(line).to_have_text(
        "1.1 words undivided, 4.4 by √d_k, 6.0 by d_k", timeout=30_000
    )

    divided = explorer(page, 0)
    for divisor, d in ("1", 1), ("sqrt_d_k", 2), ("sqrt_d_in", 4), ("sqrt_n_tokens", 5):
        divided.control("divide_by").select_option(divisor)
        expected = self_attention(
            BANK.embeddings, BANK.W_query, BANK.W_key, scale=1 / np.sqrt(d)
        )
        np.testing.assert_allclose(
            matrix(divided, "weights")[0], expected.weights[2], rtol=1e-12
        )
        assert divided.light("rows-sum-to-1") == "true"
