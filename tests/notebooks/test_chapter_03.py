"""Chapter 3 prints what the sources print, and says nothing that it does not show."""

from pathlib import Path

import nbformat
import numpy as np
import pytest
from chapter import (
    WORKED,
    answer,
    cells,
    drag,
    explorer,
    is_printed,
    matrix,
    on_page,
    unfold,
)
from drive import OnScreen, wait_until
from lab import Lab
from playwright.sync_api import Page, expect
from words import TEXT, judged, largest, on_page_like, percents

from attention_helpers import examples, self_attention

NAME = "03_trainable_weights.ipynb"
BANK = examples["bank"]
MATRICES = {name: getattr(BANK, name) for name in ("W_query", "W_key", "W_value")}


def attend(**changed):
    return self_attention(BANK.embeddings, **(MATRICES | changed))


def with_one(name: str, row: int, column: int, x: float) -> np.ndarray:
    """Return a weight matrix of *bank* with one number changed."""
    changed = getattr(BANK, name).copy()
    changed[row, column] = x
    return changed


@pytest.mark.parametrize(
    "heading",
    [
        "trainable, W_query=first W_key=second W_value=third: query of 'journey'",
        "same: scores of 'journey'",
        "same: scaled by sqrt(2), softmax",
        "same: context of 'journey'",
        "compact class SelfAttention_v1, which draws W_key=first, W_query=second,"
        " W_value=third: context of all words",
    ],
)
def test_the_books_numbers_are_printed(heading: str) -> None:
    assert is_printed(NAME, WORKED["journey"]["printed"][heading])


def test_half_as_loud_turns_bank_to_coins() -> None:
    coins, bank, river = map(BANK.index, ("coins", "bank", "river"))
    for told, first in (1, river), (0.8, river), (0.7, coins), (0.5, coins):
        weights = attend(W_key=with_one("W_key", 0, 0, told)).weights[bank]
        assert weights.argmax() == first
    tie = attend(W_key=with_one("W_key", 0, 0, 0.75)).weights[bank]
    assert tie[coins] == tie[river]


def test_the_goal_has_more_than_one_way() -> None:
    coins, river = BANK.index("coins"), BANK.index("river")
    assert attend().weights[coins].argmax() == BANK.index("bank")
    ways = {
        (name, row, column)
        for name in ("W_query", "W_key")
        for row, column in np.ndindex(4, 2)
        for x in np.linspace(-3, 3, 61)
        if attend(**{name: with_one(name, row, column, x)}).weights[coins].argmax()
        == river
    }
    assert ways == {("W_query", 1, 0), ("W_key", 0, 1), ("W_key", 1, 1)}


def assert_tied(screen: OnScreen) -> None:
    screen.control("tie").check()
    expected = attend(W_key=BANK.W_query).weights
    np.testing.assert_allclose(matrix(screen, "weights"), expected, rtol=1e-12)


def reach_the_goal(screen: OnScreen) -> None:
    drag(screen, "W_query", 1, 0, 7)
    summary = screen.root.locator("[data-part=summary]")
    pair = TEXT["rows"]["pair"].format(word="coins", words="river")
    expect(summary).to_contain_text(pair)


def test_it_works_as_told(page: Page, site: Path) -> None:
    on_page(page, site, NAME)

    told = answer(explorer(page, 0), "bank").inner_text()
    assert told.startswith(judged("wrong", largest("river", 87), "bank"))

    turned = explorer(page, 1)
    drag(turned, "W_key", 0, 0, -5)
    assert turned.number("W_key", 0, 0) == 0.5
    weights = attend(W_key=with_one("W_key", 0, 0, 0.5)).weights
    np.testing.assert_allclose(matrix(turned, "weights")[0], weights[2], rtol=1e-12)
    summary = turned.root.locator("[data-part=summary]")
    share = percents(round(100 * weights[2, 0]))
    most = TEXT["row"]["share"].format(words="coins", share=share)
    text = on_page_like(TEXT["row"]["most_then"], word="bank", most=most)
    expect(summary).to_have_text(text)

    verdict = answer(explorer(page, 2), "values,context")
    expect(verdict).to_have_attribute("data-kind", "right")

    unfold(page, "one table for queries and keys")
    assert_tied(explorer(page, 3))
    reach_the_goal(explorer(page, 4))


def test_jupyterlab_unfolds_and_checks_what_the_hand_did(lab: Lab, page: Page) -> None:
    begin = (
        "import numpy",
        "goal = explore(",
        "### More: one table",
        "explore(bank, edit",
    )
    picked = [next(c for c in cells(NAME) if c.source.startswith(b)) for b in begin]
    few = nbformat.v4.new_notebook(cells=picked)
    nbformat.write(few, lab.folder / "of_chapter_3.ipynb")
    lab.open(page, "of_chapter_3.ipynb")
    lab.run_all(page)

    reach_the_goal(explorer(page, 0))
    wait_until(lambda: lab.python(page, "goal.W_query[1][0]") == 0.7)
    assert lab.python(page, "check('slider goal', goal).status") == "passed"

    unfold(page, "one table for queries and keys")
    assert_tied(explorer(page, 1))
