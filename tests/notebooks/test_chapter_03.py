"""Chapter 3 prints what the sources print, and says nothing that it does not show."""

import numpy as np
import pytest
from chapter import (
    WORKED,
    answer,
    drag,
    explorer,
    is_printed,
    matrix,
    unfold,
)
from lab import Lab
from playwright.sync_api import Page, expect

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


def test_it_works_as_told(lab: Lab, page: Page) -> None:
    lab.open(page, NAME)
    lab.run_all(page)

    assert "It is river, with 87 %." in answer(explorer(page, 0), "bank")

    turned = explorer(page, 1)
    drag(turned, "W_key", 0, 0, -5)
    assert turned.number("W_key", 0, 0) == 0.5
    weights = attend(W_key=with_one("W_key", 0, 0, 0.5)).weights
    np.testing.assert_allclose(matrix(turned, "weights")[0], weights[2], rtol=1e-12)
    summary = turned.root.locator("[data-part=summary]")
    expect(summary).to_contain_text("bank looks most at coins")

    assert "and so it is" in answer(explorer(page, 2), "values,context")

    unfold(page, "one table for queries and keys")
    tied = explorer(page, 3)
    tied.control("tie").check()
    expected = attend(W_key=BANK.W_query).weights
    np.testing.assert_allclose(matrix(tied, "weights"), expected, rtol=1e-12)

    goal = explorer(page, 4)
    drag(goal, "W_query", 1, 0, 7)
    summary = goal.root.locator("[data-part=summary]")
    expect(summary).to_contain_text("coins → river")
    page.wait_for_timeout(1000)  # the hand rests, and the kernel hears of it
    assert lab.python(page, "check('slider goal', goal).status") == "passed"
