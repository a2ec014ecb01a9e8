"""Chapter 2 prints what the sources print, and says nothing that it does not show."""

from pathlib import Path

import numpy as np
import pytest
from chapter import (
    WORKED,
    answer,
    drag,
    explorer,
    is_printed,
    matrix,
    on_page,
)
from playwright.sync_api import Page, expect
from words import TEXT, like

from attention_helpers import examples, self_attention, softmax

NAME = "02_all_words.ipynb"
BANK = examples["bank"].without_matrices()
JOURNEY = examples["journey"].without_matrices()


@pytest.mark.parametrize(
    "heading",
    [
        "all scores = embeddings @ embeddings.T",
        "weights = softmax(all scores), unscaled",
        "context = weights @ embeddings",
    ],
)
def test_the_books_numbers_are_printed(heading: str) -> None:
    assert is_printed(NAME, WORKED["journey"]["printed"][heading])


def test_equal_scores_need_not_give_equal_shares() -> None:
    attention = self_attention(BANK.embeddings, scale=1.0)
    bank, river = BANK.index("bank"), BANK.index("river")
    assert (attention.scores == attention.scores.T).all()
    assert attention.scores[bank, river] == 5
    assert attention.scores[river, river] == 10
    assert attention.weights[bank, river].round(2) == 0.26
    assert attention.weights[river, bank].round(2) == 0.01


def test_down_the_columns_only_our_own_sentence_shows_it_twice() -> None:
    for example, leaves in (BANK, True), (JOURNEY, False):
        scores = example.embeddings @ example.embeddings.T
        wrong = softmax(scores, axis=0)
        assert abs(wrong.sum(axis=1) - 1).max() > 0.1
        context = wrong @ example.embeddings
        too_large = (context > example.embeddings.max(axis=0)).any()
        too_small = (context < example.embeddings.min(axis=0)).any()
        assert (too_large or too_small) == leaves


def test_it_works_as_told(page: Page, site: Path) -> None:
    on_page(page, site, NAME)

    told = answer(explorer(page, 0), "6").inner_text()
    found = like(TEXT["answers"]["counted"], count=2).search(told)
    assert [word in found["words"] for word in JOURNEY.tokens].count(True) == 2
    assert "Your" in found["words"]
    assert "journey" in found["words"]

    stepped = explorer(page, 1)
    for stage in "weights", "context":
        assert stage not in stepped.numbers()
        stepped.action("step").click()
        expect(stepped.root.locator(f"[data-stage={stage}]")).to_be_visible()
    before = matrix(stepped, "scores")
    drag(stepped, "embeddings", 4, 1, 7)
    moved = matrix(stepped, "scores") != before
    assert moved[4].any()
    assert not np.delete(np.delete(moved, 4, axis=0), 4, axis=1).any()
    drag(stepped, "embeddings", 1, 3, -20)
    assert matrix(stepped, "weights")[1] == pytest.approx([0.2] * 5)

    switched = explorer(page, 2)
    switched.control("axis").select_option("columns")
    for light in "rows-sum-to-1", "inside-values":
        where = switched.root.locator(f"[data-light={light}]")
        expect(where).to_have_attribute("data-on", "false")
    wrong = softmax(BANK.embeddings @ BANK.embeddings.T, axis=0)
    np.testing.assert_allclose(matrix(switched, "weights"), wrong, rtol=1e-12)
    assert matrix(switched, "context")[4, 0].round(3) == 3.244
