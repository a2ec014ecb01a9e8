"""The worked examples show the inputs of their sources, and print what they print."""

import json
from collections.abc import Iterator

import numpy as np
import pytest
from chapter import WORKED, outputs
from places import FACTS

from attention_helpers import softmax

NAME = "worked_examples.ipynb"
OUTPUTS = outputs(NAME)
LENT = [example for example in WORKED if example != "journey"]  # the chapters have it


def printed(entry: dict, inside: bool = False) -> Iterator[object]:
    """Yield what a source prints, however deep, and the inputs that it starts from."""
    for name, found in entry.items():
        here = inside or name == "printed" or name.startswith("same result")
        if isinstance(found, dict):
            yield from printed(found, here)
        elif here or name in ("embeddings", "W_query", "W_value"):
            yield found


def is_nearly_printed(wanted: object) -> bool:
    """Whether an output holds these numbers in a row; TensorFlow has seven digits."""
    wanted = np.ravel(wanted)
    return any(
        np.allclose(found[start : start + len(wanted)], wanted, rtol=0, atol=2e-6)
        for found in OUTPUTS
        for start in range(len(found) - len(wanted) + 1)
    )


@pytest.mark.parametrize("example", LENT)
def test_inputs_and_printed_numbers_are_shown(example: str) -> None:
    found = list(printed(WORKED[example]))
    assert len(found) >= 2
    assert [table for table in found if not is_nearly_printed(table)] == []


def test_the_complete_flow_is_printed() -> None:
    flow = WORKED["Me against the"]["complete_flow"]
    queries, keys, values = (
        np.array(flow[name]) for name in ("queries", "keys", "values")
    )
    scores = queries @ keys.T
    weights = softmax(scores / 2)
    for stage in scores, scores / 2, weights, weights @ values:
        assert is_nearly_printed(stage.round(8))


def test_the_random_case_is_fixed() -> None:
    rng = np.random.default_rng(7)
    queries, keys = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    for stage in queries, keys, queries @ keys.T, queries @ keys.T / np.sqrt(3):
        assert is_nearly_printed(stage)


def test_the_books_two_heads_are_printed() -> None:
    """The matrices to eight decimals, the output to the book's four."""
    book = json.loads((FACTS / "multi_head.json").read_text(encoding="utf-8"))
    for name in ("W_query", "W_key", "W_value", "W_out", "b_out"):
        assert is_nearly_printed(np.round(book[name], 8)), name
    assert is_nearly_printed(book["printed"]["output"])
