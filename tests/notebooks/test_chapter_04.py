"""Chapter 4 prints what the sources print, and says nothing that it does not show."""

from pathlib import Path

import numpy as np
import pytest
from chapter import (
    WORKED,
    cells,
    explorer,
    is_printed,
    matrix,
    on_page,
)
from playwright.sync_api import Page, expect
from words import TEXT, judged

from attention_helpers import examples, self_attention, softmax

NAME = "04_scaled.ipynb"
BANK, JOURNEY = examples["bank"], examples["journey"]


def effective_words(scores: np.ndarray) -> float:
    weights = softmax(scores)
    return np.exp(-np.sum(weights * np.log(weights), axis=1)).mean()


def movements(divisor: float) -> np.ndarray:
    """Nudge a number of each query by 0.1: the largest movement of each row."""
    rng = np.random.default_rng(7)
    queries, keys = rng.normal(size=(4000, 512)), rng.normal(size=(4000, 6, 512))
    scores = np.einsum("rd,rkd->rk", queries, keys)
    nudged = scores + 0.1 * keys[:, :, 0]
    return abs(softmax(nudged / divisor) - softmax(scores / divisor)).max(axis=1)


def draw_scores(d_k: int, rows: int = 4000) -> np.ndarray:
    """Draw other random scores than the chapter does."""
    rng = np.random.default_rng(7)
    queries, keys = rng.normal(size=(rows, d_k)), rng.normal(size=(rows, 6, d_k))
    return np.einsum("rd,rkd->rk", queries, keys)


def test_the_books_numbers_are_printed() -> None:
    heading = "same: scaled by sqrt(2), softmax"
    assert is_printed(NAME, WORKED["journey"]["printed"][heading])


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


@pytest.mark.parametrize(("divisor", "said"), [(1, 2 / 3), (np.sqrt(512), 0), (512, 1)])
def test_other_draws_freeze_as_many_rows(divisor: float, said: float) -> None:
    assert (movements(divisor) < 1e-4).mean() == pytest.approx(said, abs=0.02)


def test_some_undivided_rows_move_far() -> None:
    """So far that on average undivided rows move more: that is no evidence."""
    undivided, divided = movements(1), movements(np.sqrt(512))
    assert undivided.mean() > 2 * divided.mean()
    assert np.median(undivided) < 1e-5 < 1e-3 < np.median(divided)
    assert undivided.max() > 0.05


def test_nobody_is_given_a_d_k_to_pick_up() -> None:
    """What is left over from the text would do in place of the answer's own."""
    code = [cell.source for cell in cells(NAME) if cell.cell_type == "code"]
    exercises = next(k for k, source in enumerate(code) if "def my_divisor" in source)
    chapter: dict = {}
    with np.printoptions():  # the chapter sets its own
        exec("\n".join(code[:exercises]), chapter)
    assert not {"d_k", "queries", "values", "mask"} & set(chapter)


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


def test_it_works_as_told(page: Page, site: Path) -> None:
    on_page(page, site, NAME)

    asked, cure = (page.locator(".scale-laboratory").nth(k) for k in (0, 1))
    ways, texts = TEXT["laboratory"]["ways"], TEXT["laboratory"]["choices"]
    fewer = texts["effective_words"]["fewer"]
    changed = {"answer": fewer, "from": "4.1", "to": "1.1"}
    levels = {"divisor": ways["sqrt_d_k"], "from": "4.7", "to": "4.4"}
    for root, choice, result, said in (
        (asked, "fewer", texts["changed"].format(**changed), fewer),
        (
            cure,
            "sqrt_d_k",
            texts["levels"].format(**levels),
            texts["cure"]["sqrt_d_k"],
        ),
    ):
        expect(root).to_have_attribute("data-locked", "true")
        root.locator(f"[data-choice={choice}]").check()
        root.locator("[data-action=commit]").click()
        told = judged("right", result, said)
        expect(root.locator("[data-part=verdict]")).to_have_text(told)
    slider = asked.locator("[data-control=d_k]")
    for size, words in (2, "4.1"), (512, "1.1"):
        slider.press({2: "Home", 512: "End"}[size])
        expect(asked.locator("[data-effective]")).to_have_text(words)
    expect(cure.locator("[data-frozen]")).to_have_text(["66.5 %", "0 %", "100 %"])

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
