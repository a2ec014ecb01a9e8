"""Chapter 1 prints what the sources print, and says nothing that it does not show."""

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
    unfold,
)
from playwright.sync_api import Page
from words import judged, largest

from attention_helpers import examples, self_attention

NAME = "01_one_word.ipynb"
BANK = examples["bank"].without_matrices()
JOURNEY = examples["journey"].without_matrices()
ASKING = BANK.index("bank")


@pytest.mark.parametrize(
    "heading",
    [
        "query 'journey' = row 1; scores = dot products with every row",
        "scores divided by their sum",
        "context from those divided-by-sum weights",
    ],
)
def test_the_books_numbers_are_printed(heading: str) -> None:
    assert is_printed(NAME, WORKED["journey"]["printed"][heading])


@pytest.mark.parametrize(
    "heading",
    ["weights = softmax(all scores), unscaled", "context = weights @ embeddings"],
)
def test_the_books_row_of_journey_is_printed(heading: str) -> None:
    assert is_printed(NAME, WORKED["journey"]["printed"][heading][1])


def test_longer_not_nearer_wins() -> None:
    longer = JOURNEY.embeddings.copy()
    longer[JOURNEY.index("one")] *= 2.2
    journey = JOURNEY.index("journey")
    weights = self_attention(longer, scale=1.0).weights[journey]
    assert JOURNEY.tokens[weights.argmax()] == "one"
    before = self_attention(JOURNEY.embeddings, scale=1.0).weights[journey]
    assert JOURNEY.tokens[before.argmax()] == "journey"


def test_it_works_as_told(page: Page, site: Path) -> None:
    on_page(page, site, NAME)

    live = explorer(page, 0)
    told = answer(live, "river").inner_text()
    assert told.startswith(judged("wrong", largest("bank", 72), "river"))
    drag(live, "embeddings", 4, 2, 10)
    nearer = BANK.embeddings.copy()
    nearer[BANK.index("river"), 2] = 2
    expected = self_attention(nearer, scale=1.0)
    for stage in "scores", "weights", "context":
        row = getattr(expected, stage)[ASKING]
        np.testing.assert_allclose(matrix(live, stage)[0], row, rtol=1e-12)

    divided = explorer(page, 1)
    drag(divided, "embeddings", 0, 1, -40)
    assert matrix(divided, "weights")[0, 0].round(4) == 0.0002
    divided.control("normalise").select_option("sum")
    assert matrix(divided, "weights")[0, 0].round(2) == -0.22

    unfold(page, "a long row wins")
    stretched = explorer(page, 2)
    stretched.control("row").select_option(label="one")
    knob = stretched.control("row").locator("xpath=following::input[1]")
    knob.fill("2.2")
    assert matrix(stretched, "weights")[0, 4].round(4) == 0.2208
