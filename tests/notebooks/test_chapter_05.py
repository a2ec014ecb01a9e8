"""Chapter 5 hides what it says, leaks where it says, and states only what it shows."""

import re
from pathlib import Path

import numpy as np
import pytest
from chapter import (
    answer,
    cells,
    drag,
    explorer,
    is_printed,
    matrix,
    on_page,
    unfold,
)
from playwright.sync_api import Page
from words import TEXT, judged, largest

from attention_helpers import Explorer, causal_mask, examples, explore, self_attention

NAME = "05_masked.ipynb"
BANK, JOURNEY = examples["bank"], examples["journey"]
WAYS = ("causal", "zero_scores", "zero_weights", "zero_weights_renormalised")


def attend(example, embeddings=None, **options):
    embeddings = example.embeddings if embeddings is None else embeddings
    matrices = example.W_query, example.W_key, example.W_value
    return self_attention(embeddings, *matrices, **options)


def movement(name: str, embeddings: np.ndarray) -> np.ndarray:
    """Return how far each context moves, one row for each way to hide."""
    moved = []
    for mask in WAYS:
        still, poked = explore(name, mask=mask), explore(name, mask=mask)
        poked.embeddings = embeddings
        difference = still.attention.context - poked.attention.context
        moved.append(abs(difference).max(axis=1))
    return np.array(moved)


def stored(title: str) -> list[np.ndarray]:
    """Return the numbers of each stored picture with this title, by way and word."""
    texts = [
        output.get("data", {}).get("text/plain", "")
        for cell in cells(NAME)
        for output in cell.get("outputs", [])
    ]
    pictures = [text for text in texts if text.startswith(f"{title}, 4 ×")]
    return [
        np.array([re.split(r"\s\s+", row)[1:] for row in text.splitlines()[2:]], float)
        for text in pictures
    ]


def dry_river() -> np.ndarray:
    embeddings = BANK.embeddings.copy()
    embeddings[BANK.index("river"), 0] = 0
    return embeddings


def flipped_step() -> np.ndarray:
    embeddings = JOURNEY.embeddings.copy()
    embeddings[JOURNEY.index("step")] *= -1
    return embeddings


def test_the_books_words_are_masked() -> None:
    """A row of the masked sentence is a row of the sentence that stops there."""
    masked = attend(JOURNEY, mask=causal_mask(6))
    for n in range(1, 7):
        begun = attend(JOURNEY, JOURNEY.embeddings[:n])
        np.testing.assert_allclose(masked.weights[n - 1, :n], begun.weights[-1])
        np.testing.assert_allclose(masked.context[n - 1], begun.context[-1])
    assert is_printed(NAME, masked.weights.round(4))
    assert is_printed(NAME, masked.context.round(4))


def test_bank_is_about_money_until_coins_are_poor() -> None:
    coins, bank = BANK.index("coins"), BANK.index("bank")
    poorer = BANK.embeddings.copy()
    for rich, first in (2, coins), (1.6, coins), (1.4, bank), (0, bank):
        poorer[coins, 1] = rich
        weights = attend(BANK, poorer, mask=causal_mask(5)).weights[bank]
        assert weights.argmax() == first
    poorer[coins, 1] = 1.5
    tie = attend(BANK, poorer, mask=causal_mask(5)).weights[bank]
    assert tie[coins] == tie[bank]


def test_the_mask_lets_word_order_in() -> None:
    on, by = BANK.index("on"), BANK.index("by")
    free, masked = attend(BANK), attend(BANK, mask=causal_mask(5))
    np.testing.assert_array_equal(free.weights[on], free.weights[by])
    assert masked.weights[on, :2].tolist() == [0.5, 0.5]
    assert masked.weights[by].argmax() == BANK.index("bank")
    np.testing.assert_array_equal(free.weights[-1], masked.weights[-1])


@pytest.mark.parametrize(
    ("nth", "name", "poked"), [(0, "bank", dry_river()), (1, "journey", flipped_step())]
)
def test_the_pokes_are_printed(nth: int, name: str, poked: np.ndarray) -> None:
    moved = movement(name, poked)
    np.testing.assert_allclose(stored("movement")[nth], moved, atol=5.1e-5)
    earlier = moved[:, :-1] > 1e-9
    assert not earlier[0].any()
    assert earlier[1].all()
    assert earlier[2].any()
    assert not earlier[3].any()
    assert (moved[:, -1] > 0.1).all()


def test_only_0_after_softmax_shows_in_the_row_sums() -> None:
    sums = [explore("bank", mask=mask).attention.weights.sum(axis=1) for mask in WAYS]
    np.testing.assert_allclose(stored("row sums")[0], sums, atol=5.1e-5)
    assert [bool(np.allclose(row, 1)) for row in sums] == [True, True, False, True]


def test_wet_is_too_special_a_poke() -> None:
    """*coins* and *on* leak as well, to a poke in another dimension."""
    assert movement("bank", dry_river())[2].round(9).tolist()[:2] == [0, 0]
    placeless = BANK.embeddings.copy()
    placeless[BANK.index("river"), 2] = 3
    assert (movement("bank", placeless)[2][:2] > 1e-4).all()


def test_minus_a_billion_is_as_good_only_in_place_and_with_something_left() -> None:
    free = attend(BANK)
    mask = causal_mask(5)

    def softmax(scores: np.ndarray) -> np.ndarray:
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    filled = softmax(np.where(mask, free.scaled_scores, -1e9))
    np.testing.assert_array_equal(filled, attend(BANK, mask=mask).weights)
    np.testing.assert_array_equal(softmax(np.full((1, 5), -1e9)), np.full((1, 5), 0.2))
    added = softmax(free.scaled_scores - 1e9)
    np.testing.assert_allclose(added, free.weights, atol=1e-6)


def test_dropped_rows_sum_to_1_on_average() -> None:
    weights = attend(BANK, mask=causal_mask(5)).weights
    keep = np.random.default_rng(3).random((20_000, 5, 5)) >= 0.5
    sums = (weights * keep / 0.5).sum(axis=2)
    assert set(sums[:, 0]) == {0.0, 2.0}
    assert sums.mean(axis=0) == pytest.approx(1, abs=0.03)


def assert_numpy(screen, explorer: Explorer) -> None:
    expected = explorer.attention
    for stage in "weights", "context":
        np.testing.assert_allclose(
            matrix(screen, stage), getattr(expected, stage), rtol=1e-9, atol=1e-12
        )


def test_it_works_as_told(page: Page, site: Path) -> None:
    on_page(page, site, NAME)

    first = explorer(page, 0)
    told = answer(first, "river").inner_text()
    assert told.startswith(judged("wrong", largest("coins", 80), "river"))
    drag(first, "embeddings", 0, 1, -6)
    assert first.number("embeddings", 0, 1) == 1.4
    assert first.number("weights", 2, 2) > first.number("weights", 2, 0)

    zero = explorer(page, 1)
    assert answer(zero, "false").get_attribute("data-kind") == "right"
    assert matrix(zero, "weights")[0] == pytest.approx([0.2] * 5)
    assert (zero.light("rows-sum-to-1"), zero.light("no-future")) == ("true", "false")

    poked = explorer(page, 2)
    own = TEXT["answers"]["last"].format(last="river")
    told = answer(poked, "all").inner_text()
    assert told.startswith(judged("wrong", own, TEXT["answers"]["all"]))
    before = matrix(poked, "context")
    drag(poked, "embeddings", 4, 0, -30)
    moved = (matrix(poked, "context") != before).any(axis=1)
    assert moved.tolist() == [False, False, False, False, True]

    four = explorer(page, 3)
    drag(four, "embeddings", 4, 0, -30)
    for mask in WAYS:
        four.control("mask").select_option(mask)
        expected = explore("bank", mask=mask)
        expected.embeddings = dry_river()
        assert_numpy(four, expected)

    unfold(page, "other ways to zero an attention weight")
    dropped = explorer(page, 4)
    dropped.action("draw").click()
    sums = matrix(dropped, "weights").sum(axis=1)
    assert min(abs(sums[0]), abs(sums[0] - 2)) == pytest.approx(0)
