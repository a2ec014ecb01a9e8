"""Chapter 7's exercises for the hand: what reaches them, and what is said otherwise."""

from dataclasses import replace

import numpy as np
import pytest

from attention_helpers import examples, explore, multi_head_attention
from attention_helpers.exercises import check

TWO = examples["two questions"]
RICH_KIND = ("W_query", 1, 0)
PLACE_WHERE, WET_KIND = ("W_query", 2, 1), ("W_key", 0, 0)


def moved(*changes, **options):
    """Return an explorer with some numbers changed: ((matrix, row, column), number)."""
    explorer = explore("two questions", **{"heads": 2} | options)
    for (matrix, row, column), x in changes:
        table = [list(numbers) for numbers in getattr(explorer, matrix)]
        table[row][column] = x
        setattr(explorer, matrix, table)
    return explorer


def said(result):
    return " ".join(result.text.split())


def test_coins_asks_from_its_threshold_on():
    result = check("one question", moved((RICH_KIND, 0.8)))
    assert result.status == "passed"
    assert "its place stays at 1.79" in said(result)
    assert "With one head the same number takes place from 1.58 to 1.31" in said(result)
    result = check("one question", moved((RICH_KIND, 0.7)))
    assert result.status == "not yet"
    assert "W_query, rich × what kind? went from 0 to 0.7" in said(result)
    assert "coins gives river 0.595" in said(result)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda: moved((("W_query", 1, 1), 3)), "the column of where?"),
        (lambda: moved((("W_query", 0, 0), 3)), "coins has no wet"),
        (lambda: moved((WET_KIND, 3)), "A key answers whoever asks"),
        (lambda: moved((("W_value", 0, 0), 3)), "never the attention weights"),
        (lambda: moved((("W_out", 0, 0), 3)), "Leave W_out as it was"),
        (lambda: moved((("embeddings", 0, 0), 3)), "Leave embeddings as it was"),
        (lambda: moved((RICH_KIND, 3), (PLACE_WHERE, 3)), "more than one moved"),
        (lambda: moved((RICH_KIND, 3), heads=1), "Choose two heads"),
        (lambda: moved((RICH_KIND, 3), mask="causal"), "Set mask back to 'none'"),
        (lambda: explore("bank"), "Run the cell that makes the explorer again"),
        (lambda: explore("journey"), "Run the cell that makes the explorer again"),
        (lambda: moved(W_out=[[1, 2, 3], [4, 5, 6]]), "Run the cell that makes the"),
        (lambda: 0.634, "Give check the explorer itself"),
    ],
)
def test_another_way_to_one_question_is_told(answer, words):
    result = check("one question", answer())
    assert result.status == "not yet"
    assert words in said(result)


def distance(explorer):
    """Return how far the context of *bank* is from the corner."""
    tables = explorer.embeddings, explorer.W_query, explorer.W_key, explorer.W_value
    output = multi_head_attention(*tables, heads=2).output[TWO.index("bank")]
    return np.linalg.norm(output - [3, 2])


@pytest.mark.parametrize("x", np.arange(-3, 3.5, 0.5).tolist())
@pytest.mark.parametrize("other", [WET_KIND, ("W_key", 2, 1), ("W_query", 2, 0)])
def test_bank_is_at_the_corner_where_it_is_near(x, other):
    explorer = moved((PLACE_WHERE, x), (other, 3))
    result = check("both answers", explorer)
    assert (result.status == "passed") == (distance(explorer) <= 0.3)


def test_two_numbers_bring_it_there_switched_off_or_not():
    explorer = moved((PLACE_WHERE, 3), (WET_KIND, 3))
    text = said(check("both answers", explorer))
    assert "0.00 away from the corner" in text
    for off, which in (([0], "one is"), ([0, 1], "both are")):
        explorer.off = off
        more = f" That is with both heads on. In your explorer {which} off."
        assert said(check("both answers", explorer)) == text + more
    explorer.W_query = TWO.W_query
    assert said(check("both answers", explorer)).endswith(more)


def test_one_question_is_reached_switched_off_or_not():
    explorer = moved((RICH_KIND, 0.8))
    text = said(check("one question", explorer))
    explorer.off = [1]
    more = " That is with both heads on. In your explorer one is off."
    assert said(check("one question", explorer)) == text + more


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda: moved((PLACE_WHERE, 3)), "One number alone comes no nearer than 0.60"),
        (
            lambda: moved((PLACE_WHERE, 3), (WET_KIND, 0.5)),
            "kind falls short most",
        ),
        (lambda: moved((PLACE_WHERE, -1), (WET_KIND, 3)), "place falls short most"),
        (lambda: moved((PLACE_WHERE, 9), (WET_KIND, 3)), "Stay within the sliders"),
        (
            lambda: moved((PLACE_WHERE, 3), (WET_KIND, 3), (RICH_KIND, 1)),
            "3 numbers moved, in W_query and W_key",
        ),
        (lambda: moved((("W_value", 0, 0), 3)), "the corner itself would move"),
        (lambda: moved((("embeddings", 0, 0), 3)), "Leave embeddings as it was"),
        (lambda: moved((PLACE_WHERE, 3), (WET_KIND, 3), heads=1), "Choose two heads"),
        (
            lambda: moved((PLACE_WHERE, 3), (WET_KIND, 3), divide_by="sqrt_d_in"),
            "Set divide_by back",
        ),
        (lambda: [3, 2], "Give check the explorer itself"),
    ],
)
def test_another_way_to_both_answers_is_told(answer, words):
    result = check("both answers", answer())
    assert result.status == "not yet"
    assert words in said(result)


@pytest.mark.parametrize("name", ["one question", "both answers"])
def test_what_has_not_moved_is_not_attempted(name):
    for answer in (None, ..., moved()):
        assert check(name, answer).status == "not attempted yet"
    narrow = replace(TWO, W_out=None, W_value=TWO.W_value[:, :1], columns={})
    assert "Run the cell" in said(check(name, explore(narrow)))
