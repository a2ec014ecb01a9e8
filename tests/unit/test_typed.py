"""Whatever is typed, there is an explorer and a sentence, never an error."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_helpers import Example, Explorer, word_box

BEFORE = Explorer("queen").tokens


def typed(text: str, **options) -> tuple[Explorer, str]:
    """Type a text; return the explorer and what the line says."""
    explorer = Explorer("queen", **options)
    box, line = word_box(explorer).children
    box.value = text
    return explorer, line.value


@pytest.mark.parametrize(
    ("text", "tokens", "says"),
    [
        (
            "to be or not to be",
            ("to", "be", "or", "not", "to (2)", "be (2)"),
            "6 words, ",
        ),
        ("alone", ("alone",), "A word alone gives everything to itself."),
        (" ".join(f"w{k}" for k in range(32)), None, "32 words, "),
        ("<b>bold</b> 🙂 \u05e9\u05dc\u05d5\u05dd", None, "3 words, "),
        ("", BEFORE, "Type some words"),
        ("  \t\n ", BEFORE, "Type some words"),
        ("word " * 33, BEFORE, "These are 33 words; an explorer shows at most 32."),
        ("word " * 100_000, BEFORE, "These are 100000 words;"),
        ("x" * 101, BEFORE, "One of these words is too long, or cannot be seen."),
        ("so \u200d far", BEFORE, "One of these words is too long, or cannot be seen."),
        ("so \x00 far", BEFORE, "One of these words is too long, or cannot be seen."),
        ("so \ud800 far", BEFORE, "One of these words is too long, or cannot be seen."),
    ],
)
def test_what_is_typed_is_shown_or_a_sentence_says_what_to_do(text, tokens, says):
    explorer, said = typed(text)
    assert explorer.tokens == (tokens or Example.from_text(text).tokens)
    assert said.startswith(says)


@given(st.text(max_size=200) | st.text("ab <>&$\\\"'\n", max_size=200))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
def test_no_text_raises(text):
    explorer, said = typed(text)
    assert said
    assert explorer.attention.weights.shape == (len(explorer.tokens),) * 2


def test_the_numbers_are_those_of_the_seed():
    explorer = Explorer("queen")
    box, _ = word_box(explorer, seed=1).children
    box.value = "cats sleep"
    drawn = Example.from_text("cats sleep", seed=1)
    assert explorer.embeddings == tuple(map(tuple, drawn.embeddings.tolist()))
    with pytest.raises(ValueError, match="seed"):
        word_box(explorer, seed=-1)


def test_the_word_that_asks_is_one_of_those_there_are():
    explorer, _ = typed("cats sleep", query="falls", controls=["query"])
    assert explorer.query is None
    assert explorer.tokens == ("cats", "sleep")


def test_an_explorer_with_other_options_takes_words_too():
    options = {"mask": "causal", "predict": "largest_weight", "query": "falls"}
    explorer, said = typed("cats sleep", **options)
    assert said.startswith("2 words")
    assert explorer.query == 1


def test_what_an_explorer_cannot_show_is_not_the_words_fault():
    explorer, said = typed("alone", predict="last_word_changes")
    assert explorer.tokens == BEFORE
    assert said.startswith("This explorer cannot show them: predict is")
