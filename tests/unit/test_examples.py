"""Every printed number of the worked examples, and the examples themselves."""

import dataclasses
import json
import math
import struct
from decimal import Decimal
from itertools import repeat

import loops
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import FACTS

from attention_helpers import (
    Example,
    attention,
    causal_mask,
    examples,
    self_attention,
)


def facts(file_name):
    text = (FACTS / file_name).read_text(encoding="utf-8")
    return json.loads(text, parse_float=Decimal)  # keeps the printed decimals


WORKED = facts("worked_examples.json")
OURS = facts("our_example.json")
MORE = facts("more_examples.json")
MORE.pop("about")


def numbers(printed):
    return np.array(printed, dtype=float)


def decimals(printed):
    if isinstance(printed, list):
        return max(map(decimals, printed))
    return -printed.as_tuple().exponent if isinstance(printed, Decimal) else 0


def assert_prints_as(computed, printed):
    rounded = np.round(computed, decimals(printed))
    np.testing.assert_array_equal(rounded, numbers(printed), strict=True)


def attend(name, **options):
    example = examples[name]
    matrices = example.W_query, example.W_key, example.W_value
    return self_attention(example.embeddings, *matrices, **options)


# Each function computes what the source prints, under the source's own headings.


def journey():
    example = examples["journey"]
    plain = self_attention(example.embeddings, scale=1.0)
    scores = plain.scores[example.index("journey")]
    shares = scores / scores.sum()
    trained = attend("journey")
    first, second, third = example.W_query, example.W_key, example.W_value
    compact = self_attention(
        example.embeddings, W_query=second, W_key=first, W_value=third
    )
    return {
        "query 'journey' = row 1; scores = dot products with every row": scores,
        "scores divided by their sum": shares,
        "context from those divided-by-sum weights": shares @ plain.values,
        "all scores = embeddings @ embeddings.T": plain.scores,
        "weights = softmax(all scores), unscaled": plain.weights,
        "context = weights @ embeddings": plain.context,
        "trainable, W_query=first W_key=second W_value=third: query of 'journey'": (
            trained.queries[1]
        ),
        "same: scores of 'journey'": trained.scores[1],
        "same: scaled by sqrt(2), softmax": trained.weights[1],
        "same: context of 'journey'": trained.context[1],
        "compact class SelfAttention_v1, which draws W_key=first, W_query=second,"
        " W_value=third: context of all words": compact.context,
    }


def the_cat_sat():
    record = attend("the cat sat")
    return {
        "queries": record.queries,
        "keys": record.keys,
        "scores, already divided by sqrt(4)": record.scaled_scores,
        "weights": record.weights,
        "context": record.context,
    }


def she_likes_coffee():
    record = attend("she likes coffee")
    exponentials = np.exp(record.scaled_scores)
    return {
        "first element of queries, by hand": record.queries[0, 0],
        "scores": record.scores,
        "scaled by sqrt(4)": record.scaled_scores,
        "exp of scaled": exponentials,
        "row sums of exp": exponentials.sum(axis=1, keepdims=True),
        "weights": record.weights,
        "context": record.context,
    }


def me_against_the():
    wide_values = np.random.RandomState(42).randn(3, 64)
    output = weigh(ME_AGAINST_THE["weights"], wide_values)
    return {
        "output with wide values, row 0, first 10, 2 decimals": output[0, :10],
        "row 1": output[1, :10],
    }


ME_AGAINST_THE = WORKED["Me against the"]["attention_value"]


def weigh(weights, values):
    """Apply given attention weights: softmax(log(weights)) is the weights again."""
    return attention(np.log(numbers(weights)), np.eye(3), values, scale=1.0).context


def qk_t():
    record = attention(WORKED["QK^T"]["queries"], WORKED["QK^T"]["keys"], np.eye(2))
    return {"keys.T": record.keys.T, "queries @ keys.T": record.scores}


def bank():
    plain = self_attention(examples["bank"].embeddings, scale=1.0)
    trained = attend("bank")
    causal = attend("bank", mask=causal_mask(5))
    return {
        "no matrices, unscaled, weights of bank": plain.weights[2],
        "no matrices, unscaled, context of bank": plain.context[2],
        "scores with matrices": trained.scores,
        "weights, scaled by sqrt(2)": trained.weights,
        "context": trained.context,
        "causal weights": causal.weights,
        "causal context": causal.context,
    }


PRINTED = [
    (journey, WORKED["journey"]["printed"]),
    (the_cat_sat, WORKED["the cat sat"]["printed"]),
    (she_likes_coffee, WORKED["she likes coffee"]["printed"]),
    (me_against_the, ME_AGAINST_THE["printed"]),
    (qk_t, WORKED["QK^T"]["printed"]),
    (bank, OURS["computed"]),
]


@pytest.mark.parametrize(
    ("compute", "key", "printed"),
    [
        pytest.param(compute, key, printed, id=f"{compute.__name__}: {key}")
        for compute, table in PRINTED
        for key, printed in table.items()
    ],
)
def test_a_printed_number_is_reproduced(compute, key, printed):
    assert_prints_as(compute()[key], printed)


def test_a_wrong_last_digit_would_be_noticed():
    with pytest.raises(AssertionError):
        assert_prints_as(0.14554, Decimal("0.1456"))


# three inputs: TensorFlow computed and printed float32, whose last digits differ


THREE = {
    key: numbers(value) for key, value in WORKED["three inputs"]["printed"].items()
}


def three_inputs():
    record = attend("three inputs")
    return {
        "queries": record.queries,
        "values": record.values,
        "scores": record.scores,
        "scaled by sqrt(3)": record.scaled_scores,
        "weights": record.weights,
        "context": record.context,
    }


def float32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def product32(left, right):
    """Multiply matrices with every single step rounded to float32."""
    result = []
    for row in left:
        result.append([])
        for column in zip(*right, strict=True):
            total = 0.0
            for a, b in zip(row, column, strict=True):
                total = float32(total + float32(a * b))
            result[-1].append(total)
    return result


def softmax32(scores):
    exponentials = [float32(math.exp(float32(s - max(scores)))) for s in scores]
    total = 0.0
    for exponential in exponentials:
        total = float32(total + exponential)
    return [float32(exponential / total) for exponential in exponentials]


def three_inputs_in_float32():
    example = examples["three inputs"]
    embeddings, W_query, W_value = (
        [[float32(number) for number in row] for row in matrix.tolist()]
        for matrix in (example.embeddings, example.W_query, example.W_value)
    )
    queries = product32(embeddings, W_query)  # and the keys: the matrices are the same
    scores = product32(queries, loops.transpose(queries))
    scaled = [[float32(s / float32(math.sqrt(3))) for s in row] for row in scores]
    weights = [softmax32(row) for row in scaled]
    context = product32(weights, product32(embeddings, W_value))
    return {
        "scores": scores,
        "scaled by sqrt(3)": scaled,
        "weights": weights,
        "context": context,
    }


@pytest.mark.parametrize("key", ["queries", "values"])
def test_three_inputs_prints_as_the_source(key):
    assert_prints_as(three_inputs()[key], WORKED["three inputs"]["printed"][key])


@pytest.mark.parametrize("key", ["scores", "scaled by sqrt(3)", "weights", "context"])
class TestThreeInputs:
    def test_equals_the_source_but_for_three_roundings_of_float32(self, key):
        np.testing.assert_allclose(three_inputs()[key], THREE[key], rtol=3 * 2**-23)

    def test_in_float32_loops_gives_the_printed_digits(self, key):
        computed = np.float32(three_inputs_in_float32()[key])
        off = 1 if key == "weights" else 0  # TensorFlow's exp may be one step off
        np.testing.assert_array_max_ulp(computed, np.float32(THREE[key]), maxulp=off)

    def test_float64_cannot_print_these_digits(self, key):
        rounded = np.float32(three_inputs()[key])
        assert (rounded != np.float32(THREE[key])).any()


# Worked examples without embeddings


def test_me_against_the_weighted_sum_is_the_one_by_hand():
    weights = numbers(ME_AGAINST_THE["weights"]).tolist()
    values = numbers(ME_AGAINST_THE["values"]).tolist()
    output = weigh(ME_AGAINST_THE["weights"], values)
    by_hand = [0.7 * a + 0.2 * b + 0.1 * c for a, b, c in zip(*values, strict=True)]
    np.testing.assert_allclose(output[0], by_hand, rtol=1e-12)
    np.testing.assert_allclose(output, loops.product(weights, values), rtol=1e-12)


def test_me_against_the_wide_values_begin_as_printed():
    wide_values = np.random.RandomState(42).randn(3, 64)
    begin = "0.50 -0.14 0.65 1.52 -0.23 -0.23 1.58 0.77 -0.47 0.54"
    assert ME_AGAINST_THE["wide_values"].endswith(begin)
    assert " ".join(f"{value:.2f}" for value in wide_values[0, :10]) == begin


def test_me_against_the_complete_flow_equals_the_loops():
    source = WORKED["Me against the"]["complete_flow"]
    names = ("queries", "keys", "values")
    flow = {name: numbers(source[name]).tolist() for name in names}
    record = attention(**flow)
    expected = loops.attention(**flow)
    assert record.scores.tolist() == [[1, 1, 2], [1, 1, 1], [1, 1, 1]]
    assert record.scaled_scores.tolist() == [[0.5, 0.5, 1], [0.5] * 3, [0.5] * 3]
    np.testing.assert_allclose(record.weights, expected["weights"], rtol=1e-12)
    np.testing.assert_allclose(record.context, expected["context"], rtol=1e-12)


@pytest.mark.parametrize(
    "multiply",
    [
        lambda queries, keys: queries @ keys.T,
        lambda queries, keys: np.matmul(queries, keys.T),
        lambda queries, keys: np.dot(queries, keys.T),
        lambda queries, keys: attention(queries, keys, np.eye(2)).scores,
    ],
    ids=["@", "np.matmul", "np.dot", "attention"],
)
def test_qk_t_is_the_same_by_every_method(multiply):
    methods = WORKED["QK^T"]["three_methods"]
    scores = multiply(np.array(methods["queries"]), np.array(methods["keys"]))
    assert scores.tolist() == methods["same result by @, np.matmul, np.dot"]


# The examples hold the data of their sources


def test_every_example_is_written_down_once_more():
    with_embeddings = [name for name in WORKED if "embeddings" in WORKED[name]]
    expected = [OURS["name"], *with_embeddings, *MORE, "two questions"]
    assert sorted(examples) == sorted(expected)


@pytest.mark.parametrize("name", [name for name in examples if name in WORKED])
def test_tokens_and_embeddings_are_those_of_the_source(name):
    example, source = examples[name], WORKED[name]
    labels = source["tokens"] or ["input 1", "input 2", "input 3"]
    assert example.tokens == tuple(labels)
    np.testing.assert_array_equal(example.embeddings, numbers(source["embeddings"]))


def assert_matrices(example, *expected):
    for name, matrix in zip(("W_query", "W_key", "W_value"), expected, strict=True):
        np.testing.assert_array_equal(getattr(example, name), matrix, err_msg=name)


def test_two_questions_are_the_banks_each_with_an_answer_of_its_own():
    two, bank = examples["two questions"], examples["bank"]
    assert_matrices(two, bank.W_query, bank.W_key, [[1, 0], [-1, 0], [0, 1], [0, 0]])
    assert two.W_out.tolist() == [[1, -1], [1, 1]]
    assert two.columns == {
        **bank.columns,
        "W_value": ("kind", "place"),
        "W_out": ("riverside", "money"),
    }
    for name in ("tokens", "slider", "presets"):
        assert getattr(two, name) == getattr(bank, name)
    assert two.embeddings.tolist() == bank.embeddings.tolist()
    assert two.name != bank.name


def test_journeys_matrices_are_the_random_draws():
    draws = WORKED["journey"]["random_draws"]
    order = (numbers(draws[which]) for which in ("first", "second", "third"))
    assert_matrices(examples["journey"], *order)


@pytest.mark.parametrize("name", ["three inputs", "she likes coffee"])
def test_the_written_matrices_are_those_of_the_source(name):
    source = WORKED[name]
    assert source["W_key"] == "same as W_query"
    W_query = numbers(source["W_query"])
    assert_matrices(examples[name], W_query, W_query, numbers(source["W_value"]))


def test_the_cats_matrices_are_drawn_as_in_the_source():
    draws = np.random.RandomState(0)
    assert_matrices(examples["the cat sat"], *(draws.rand(4, 4) for _ in range(3)))


@pytest.mark.parametrize(("name", "fact"), [("bank", OURS), *MORE.items()])
def test_our_own_examples_hold_what_is_written_down(name, fact):
    example = examples[name]
    assert example.tokens == tuple(fact["tokens"])
    np.testing.assert_array_equal(example.embeddings, numbers(fact["embeddings"]))
    matrices = {name: fact.get(name) for name in ("W_query", "W_key", "W_value")}
    given = {name: numbers(matrix) for name, matrix in matrices.items() if matrix}
    assert_matrices(example, *map(given.get, matrices))
    assert example.columns == {
        "embeddings": tuple(fact["dimensions"]),
        **{name: tuple(fact[f"{name}_columns"]) for name in given},
    }
    slider = fact.get("slider")
    assert example.slider == (slider and {k: float(x) for k, x in slider.items()})
    assert example.presets == {
        name: {**preset, "embedding": tuple(preset["embedding"])}
        for name, preset in fact.get("presets", {}).items()
    }


@pytest.mark.parametrize(("name", "fact"), MORE.items())
def test_the_numbers_of_our_sentences_are_those_of_plain_loops(name, fact):
    example = examples[name]
    matrices = (example.W_query, example.W_key, example.W_value)
    stages = loops.self_attention(example.embeddings, *matrices)
    for stage in ("weights", "context"):
        assert_prints_as(stages[stage], fact[stage])
        assert_prints_as(getattr(example.attend(), stage), fact[stage])
    for word, row in zip(example.tokens, stages["weights"], strict=True):
        found = [
            w
            for w, x in zip(example.tokens, row, strict=True)
            if np.isclose(x, max(row))
        ]
        assert found == fact["looks"][word]


def test_every_example_says_where_it_comes_from():
    assert all(example.source for example in examples.values())
    assert "Sebastian Raschka" in examples["journey"].source


def test_an_unknown_example_lists_the_known():
    known = f"unknown example 'banks'; expected one of {', '.join(examples)}"
    with pytest.raises(KeyError, match=known):
        examples["banks"]


# Example


PAIR = {"tokens": ["up", "down"], "embeddings": [[1, 0, 2], [-1, 0, 2]]}


def test_an_example_is_frozen_and_shares_nothing_with_what_it_was_made_from():
    embeddings, columns = np.eye(2), {"embeddings": ["x", "y"]}
    example = Example(["up", "down"], embeddings, columns=columns)
    embeddings[0, 0] = 5
    columns["embeddings"][0] = "z"
    assert example.embeddings.tolist() == [[1, 0], [0, 1]]
    assert example.columns == {"embeddings": ("x", "y")}
    with pytest.raises(ValueError, match="read-only"):
        example.embeddings[0, 0] = 5
    with pytest.raises(dataclasses.FrozenInstanceError):
        example.tokens = ("down", "up")


@pytest.mark.parametrize("name", ["W_query", "W_key", "W_value", "W_out"])
def test_weight_matrices_become_read_only_arrays(name):
    given_ = [[1, 2], [3, 4]]
    matrix = getattr(Example(["up", "down"], np.eye(2), **{name: given_}), name)
    assert matrix.dtype == np.float64
    assert matrix.tolist() == given_
    assert not matrix.flags.writeable


def test_an_example_equals_itself_alone():
    assert Example(**PAIR) != Example(**PAIR)
    assert examples["bank"] in {examples["bank"]}


def test_an_example_prints_its_words():
    assert repr(examples["bank"]) == "Example('coins on bank by river')"


@pytest.mark.parametrize("tokens", [("a", "b"), iter(["a", "b"]), np.array(["a", "b"])])
def test_tokens_become_a_tuple_of_plain_text(tokens):
    example = Example(tokens, np.eye(2))
    assert example.tokens == ("a", "b")
    assert [type(token) for token in example.tokens] == [str, str]


def test_every_word_is_found_in_its_row():
    for example in examples.values():
        rows = [example.index(token) for token in example.tokens]
        assert rows == list(range(len(example.embeddings)))


def test_without_matrices_keeps_the_rest():
    example = examples["two questions"].without_matrices()
    assert (example.W_query, example.W_key, example.W_value) == (None, None, None)
    assert example.W_out is None
    assert example.embeddings.tolist() == examples["bank"].embeddings.tolist()
    assert example.columns == {"embeddings": ("wet", "rich", "place", "link")}
    assert example.presets == examples["bank"].presets


def test_a_slider_range_becomes_plain_numbers():
    slider = {"step": np.float32(0.5), "min": -1, "max": 3}
    checked = Example(**PAIR, slider=slider).slider
    assert checked == {"min": -1, "max": 3, "step": 0.5}
    assert {type(number) for number in checked.values()} == {float}


def test_a_slider_reaches_a_million():
    slider = {"min": -1e6, "max": 1e6, "step": 1e6}
    assert Example(**PAIR, slider=slider).slider == slider


SLIDER = (
    "expected numbers for min, max and step, with min < max and step > 0, within 1e6"
)


def preset(**changes):
    whole = {"token": "up", "becomes": "left", "embedding": [0, 1, 2]}
    return {"p": {**whole, **changes}}


REFUSED = [
    ({"tokens": "up down"}, "tokens is 'up down'; expected a list of words"),
    ({"tokens": 2}, "tokens is 2; expected a list of words"),
    ({"tokens": {"up"}}, "tokens is {'up'}; expected a list of words"),
    ({"tokens": []}, "tokens is empty; expected at least one word"),
    ({"tokens": ["up", 2]}, "tokens holds 2; expected text that is not empty"),
    ({"tokens": ["up", ""]}, "tokens holds ''; expected text that is not empty"),
    ({"tokens": ["up", " "]}, "tokens holds ' '; expected text that is not empty"),
    (
        {"tokens": ["up", "up"]},
        "tokens holds 'up' more than once; expected distinct words,"
        " since a row is found by its word",
    ),
    (
        {"tokens": ["up", "a" * 101]},
        "tokens holds a word of 101 characters; expected at most 100",
    ),
    (
        {"tokens": ["up", "\ud83d"]},
        "tokens holds '\\ud83d'; expected text without NUL characters"
        " or unpaired surrogates",
    ),
    (
        {"tokens": ["up", "do\x00wn"]},
        "tokens holds 'do\\x00wn'; expected text without NUL characters"
        " or unpaired surrogates",
    ),
    (
        {"tokens": ["up"]},
        "embeddings has 2 rows but tokens has 1 words; expected one row a word",
    ),
    (
        {"embeddings": [1, 2]},
        "embeddings has shape (2,); expected a matrix with rows and columns",
    ),
    (
        {"W_value": [[1], [2]]},
        "W_value has 2 rows but embeddings has 3 columns; both must be d_in",
    ),
    (
        {"W_out": [[1], [2]]},
        "W_out has 2 rows but context has 3 columns; both must be heads * d_v,"
        " the contexts side by side",
    ),
    (
        {"W_query": [[1], [2], [3]]},
        "W_key makes keys of 3 columns but W_query makes queries of 1; both must be"
        " d_k, which without a weight matrix is d_in = 3",
    ),
    (
        {"name": 7},
        "name holds 7; expected text without NUL characters or unpaired surrogates",
    ),
    (
        {"source": "\x00"},
        "source holds '\\x00'; expected text without NUL characters"
        " or unpaired surrogates",
    ),
    ({"columns": ["x", "y", "z"]}, "columns is ['x', 'y', 'z']; expected a dictionary"),
    (
        {"columns": {"keys": ["x"]}},
        "columns names 'keys'; expected any of embeddings, W_query, W_key, W_value,"
        " W_out",
    ),
    (
        {"columns": {"embeddings": "xyz"}},
        "columns['embeddings'] is 'xyz'; expected a list of words",
    ),
    (
        {"columns": {"embeddings": ["x", "y", None]}},
        "columns['embeddings'] holds None; expected text that is not empty",
    ),
    (
        {"columns": {"embeddings": ["x", "y"]}},
        "columns has 2 names for embeddings, which has 3 columns;"
        " expected one name a column",
    ),
    (
        {"columns": {"W_key": ["x", "y"]}},
        "columns has 2 names for W_key, which has no matrix;"
        " expected one name a column",
    ),
    (
        {"columns": {"W_out": ["x"]}, "W_out": np.eye(3)},
        "columns has 1 names for W_out, which has 3 columns;"
        " expected one name a column",
    ),
    ({"slider": 3}, f"slider is 3; {SLIDER}"),
    ({"slider": {"min": 0}}, f"slider is {{'min': 0}}; {SLIDER}"),
    (
        {"slider": {"min": 1, "max": 1, "step": 1}},
        f"slider is {{'min': 1, 'max': 1, 'step': 1}}; {SLIDER}",
    ),
    (
        {"slider": {"min": 0, "max": 1, "step": 0}},
        f"slider is {{'min': 0, 'max': 1, 'step': 0}}; {SLIDER}",
    ),
    (
        {"slider": {"min": 0, "max": 1e7, "step": 1}},
        f"slider is {{'min': 0, 'max': 10000000.0, 'step': 1}}; {SLIDER}",
    ),
    (
        {"slider": {"min": 0, "max": "1", "step": 1}},
        f"slider is {{'min': 0, 'max': '1', 'step': 1}}; {SLIDER}",
    ),
    *(
        ({"slider": slider}, f"slider is {slider}; {SLIDER}")
        for slider in (
            {"min": 2, "max": 1, "step": 1},
            {"min": 0, "max": 1, "step": -1},
            {"min": 0, "max": 1, "step": 1e7},
        )
    ),
    (
        {"tokens": repeat("up")},
        "tokens has more than 100000 words; expected at most so many",
    ),
    ({"presets": ["p"]}, "presets is ['p']; expected a dictionary"),
    ({"presets": {"p": "up"}}, "presets['p'] is 'up'; expected a dictionary"),
    ({"presets": {3: {}}}, "presets holds 3; expected text that is not empty"),
    (
        {"presets": {"p": {"token": "up", "to": "left"}}},
        "presets['p'] has 'token', 'to'; expected token, becomes and embedding",
    ),
    (
        {"presets": preset(embedding=[1, "2", 3])},
        "presets['p'] embedding holds text; expected numbers that fit a float64",
    ),
    (
        {"presets": preset(embedding=[1, 2])},
        "presets['p'] has 2 numbers; expected 3, one for each embedding column",
    ),
    (
        {"presets": preset(token="left")},
        "there is no token 'left' for presets['p']; expected one of up, down",
    ),
    (
        {"presets": preset(becomes="")},
        "presets['p'] holds ''; expected text that is not empty",
    ),
    (
        {"presets": preset(becomes="down")},
        "presets['p'] becomes 'down', which is in the sentence already;"
        " expected a new word",
    ),
]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param(*case, id=f"{i} {next(iter(case[0]))}")
        for i, case in enumerate(REFUSED)
    ],
)
def test_example_refuses(wrong, message):
    with pytest.raises(ValueError, match=r"expected|must be") as error:
        Example(**PAIR | wrong)
    assert str(error.value) == message


def test_a_preset_may_keep_its_word():
    assert Example(**PAIR, presets=preset(becomes="up")).presets == {
        "p": {"token": "up", "becomes": "up", "embedding": (0, 1, 2)}
    }


@pytest.mark.parametrize("token", ["Bank", "", None, 2, ["bank"], np.array(["bank"])])
def test_index_lists_the_words_there_are(token):
    expected = r"there is no token .*; expected one of coins, on, bank, by, river"
    with pytest.raises(ValueError, match=expected):
        examples["bank"].index(token)


# Example.from_text


def is_seen(word):
    """Tell whether a word has a character that takes a place on the screen."""
    return "\x00" not in word and any(c.isprintable() for c in word)


WORDS = st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=6).filter(
    lambda words: all(map(is_seen, " ".join(words).split() or [""]))
)
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SIZES = st.lists(st.integers(1, 6), min_size=3, max_size=3, unique=True)


@settings(PATIENT, max_examples=30)
@given(WORDS, SIZES, st.integers(0, 2**32 - 1))
def test_a_word_has_the_same_embedding_whatever_stands_beside_it(words, sizes, seed):
    options = dict(zip(("d_in", "d_k", "d_v"), sizes, strict=True), seed=seed)
    text = " ".join(words)
    example = Example.from_text(text, **options)
    for row, word in zip(example.embeddings, text.split(), strict=True):
        alone = Example.from_text(word, **options)
        assert row.tolist() == alone.embeddings[0].tolist()
        assert_matrices(example, alone.W_query, alone.W_key, alone.W_value)


@PATIENT
@given(WORDS, SIZES)
def test_numbers_have_two_decimals_between_minus_1_and_1(words, sizes):
    d_in, d_k, d_v = sizes
    example = Example.from_text(" ".join(words), d_in=d_in, d_k=d_k, d_v=d_v)
    assert example.embeddings.shape == (len(example.tokens), d_in)
    assert example.W_query.shape == example.W_key.shape == (d_in, d_k)
    assert example.W_value.shape == (d_in, d_v)
    for matrix in (example.embeddings, example.W_query, example.W_key, example.W_value):
        assert (abs(matrix) <= 1).all()
        np.testing.assert_array_equal(matrix, matrix.round(2))
        assert not (np.signbit(matrix) & (matrix == 0)).any()


def test_the_numbers_of_a_word_never_change():
    example = Example.from_text("river", d_in=3, d_k=1, d_v=2)
    assert example.embeddings.tolist() == [[0.63, -0.3, 0.04]]
    assert_matrices(
        example,
        [[-0.78], [0.5], [0.14]],
        [[-0.15], [0.55], [-0.07]],
        [[-0.97, 0.6], [0.61, -0.82], [0.68, 0.57]],
    )


def test_the_sizes_are_4_and_2_and_2_if_not_given():
    example = Example.from_text("river")
    assert example.embeddings.shape == (1, 4)
    assert example.W_query.shape == example.W_key.shape == (4, 2)
    assert example.W_value.shape == (4, 2)


def test_another_seed_gives_other_numbers():
    one, other = (Example.from_text("a b", seed=seed) for seed in (1, 2))
    for name in ("embeddings", "W_query", "W_key", "W_value"):
        assert getattr(one, name).tolist() != getattr(other, name).tolist()


def test_words_and_matrices_differ_from_each_other():
    example = Example.from_text("up Up down", d_in=4, d_k=3, d_v=3)
    assert len({tuple(row) for row in example.embeddings.tolist()}) == 3
    matrices = (example.W_query, example.W_key, example.W_value)
    assert len({tuple(matrix.ravel()) for matrix in matrices}) == 3


def test_a_repeated_word_keeps_its_numbers_and_gets_its_own_label():
    example = Example.from_text("to be or not to be to")
    assert example.tokens == ("to", "be", "or", "not", "to (2)", "be (2)", "to (3)")
    assert example.embeddings[[4, 6]].tolist() == example.embeddings[[0, 0]].tolist()
    assert example.embeddings[5].tolist() == example.embeddings[1].tolist()


def test_a_long_text_is_no_trouble():
    example = Example.from_text("so " * 5_000)
    assert example.tokens[-1] == "so (5000)"


def test_an_example_from_text_says_where_it_comes_from():
    example = Example.from_text("to be", seed=7)
    assert (example.name, example.source) == ("to be", "random numbers, seed 7")


@pytest.mark.parametrize(
    "word",
    [
        "\N{GRINNING FACE}",
        "\N{FAMILY}\N{ZERO WIDTH JOINER}\N{ROCKET}",
        "\N{HEBREW LETTER SHIN}\N{HEBREW LETTER LAMED}",
        "\N{RIGHT-TO-LEFT OVERRIDE}abc",
        "<script>alert(1)</script>",
        "<svg/onload=alert(1)>",
        "W_query",
        "a" * 100,
    ],
)
def test_hostile_words_stay_what_they_are(word):
    example = Example.from_text(f"a {word} b")
    assert example.tokens == ("a", word, "b")
    assert np.isfinite(example.embeddings).all()


UNFIT = "expected text without NUL characters or unpaired surrogates"
WHOLE = "expected a whole number from"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"text": ""}, "text is ''; expected at least one word"),
        ({"text": " \n\t"}, "text is ' \\n\\t'; expected at least one word"),
        ({"text": None}, "text is None; expected at least one word"),
        ({"text": ["to"]}, "text is ['to']; expected at least one word"),
        ({"text": "a \ud83d b"}, f"text holds '\\ud83d'; {UNFIT}"),
        ({"text": "a b\x00"}, f"text holds 'b\\x00'; {UNFIT}"),
        (
            {"text": "a " + "b" * 10_000},
            "text holds a word of 10000 characters; expected at most 100",
        ),
        ({"d_in": 0}, f"d_in is 0; {WHOLE} 1 to 1000"),
        ({"d_in": 10**6}, f"d_in is 1000000; {WHOLE} 1 to 1000"),
        ({"d_k": 2.0}, f"d_k is 2.0; {WHOLE} 1 to 1000"),
        ({"d_v": True}, f"d_v is True; {WHOLE} 1 to 1000"),
        ({"d_v": "2"}, f"d_v is '2'; {WHOLE} 1 to 1000"),
        ({"seed": -1}, f"seed is -1; {WHOLE} 0 to 4294967295"),
        ({"seed": 2**32}, f"seed is 4294967296; {WHOLE} 0 to 4294967295"),
        ({"seed": None}, f"seed is None; {WHOLE} 0 to 4294967295"),
    ],
    ids=lambda case: next(iter(case)) if isinstance(case, dict) else "",
)
def test_from_text_refuses(wrong, message):
    with pytest.raises(ValueError, match="expected") as error:
        Example.from_text(**{"text": "to be"} | wrong)
    assert str(error.value) == message


# ---- attend ----


@pytest.mark.parametrize("name", [*examples])
@pytest.mark.parametrize("without", [False, True])
def test_attend_is_self_attention_with_the_examples_own_matrices(name, without):
    example = examples[name].without_matrices() if without else examples[name]
    matrices = (example.W_query, example.W_key, example.W_value)
    mask = np.tri(len(example.tokens), dtype=bool)
    for options in [{}, {"mask": mask}, {"scale": 1.0}, {"mask": mask, "scale": 2.0}]:
        expected = self_attention(example.embeddings, *matrices, **options)
        for field in dataclasses.fields(expected):
            np.testing.assert_array_equal(
                getattr(example.attend(**options), field.name),
                getattr(expected, field.name),
            )


def test_attend_refuses_a_mask_that_does_not_fit():
    with pytest.raises(ValueError, match=r"mask has shape \(2, 2\); expected"):
        examples["bank"].attend(mask=np.ones((2, 2), bool))
