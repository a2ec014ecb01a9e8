"""Attention in NumPy against plain loops, by its properties, and with bad input."""

import dataclasses
import decimal
import fractions
import math
import warnings

import hypothesis.extra.numpy as npst
import loops
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attention_helpers import (
    Attention,
    attention,
    causal_mask,
    examples,
    self_attention,
    softmax,
)

STAGES = [field.name for field in dataclasses.fields(Attention)][:-1]  # no output
NUMBER = st.floats(-3, 3, allow_subnormal=False)
FEWER = settings(max_examples=40)  # a table of random numbers is many tries at once


def tables(n_rows, n_columns, elements=NUMBER):
    row = st.lists(elements, min_size=n_columns, max_size=n_columns)
    return st.lists(row, min_size=n_rows, max_size=n_rows)


def sizes(how_many):
    """Draw numbers of rows and columns that all differ: a mix-up cannot hide."""
    return st.lists(
        st.integers(1, 6), min_size=how_many, max_size=how_many, unique=True
    )


@st.composite
def masks(draw, n_queries, n_keys):
    mask = draw(tables(n_queries, n_keys, st.booleans()))
    for row in mask:
        row[draw(st.integers(0, n_keys - 1))] = True
    return draw(st.none() | st.just(mask))


SCALES = st.none() | st.floats(-4, 4)


@st.composite
def attention_inputs(draw):
    n_queries, n_keys, d_k, d_v = draw(sizes(4))
    return {
        "queries": draw(tables(n_queries, d_k)),
        "keys": draw(tables(n_keys, d_k)),
        "values": draw(tables(n_keys, d_v)),
        "mask": draw(masks(n_queries, n_keys)),
        "scale": draw(SCALES),
    }


@st.composite
def self_attention_inputs(draw):
    n_tokens, d_in, d_k, d_v = draw(sizes(4))
    has_query, has_key, has_value = draw(st.tuples(*[st.booleans()] * 3))
    if has_query != has_key:
        d_k = d_in
    return {
        "embeddings": draw(tables(n_tokens, d_in)),
        "W_query": draw(tables(d_in, d_k)) if has_query else None,
        "W_key": draw(tables(d_in, d_k)) if has_key else None,
        "W_value": draw(tables(d_in, d_v)) if has_value else None,
        "mask": draw(masks(n_tokens, n_tokens)),
        "scale": draw(SCALES),
    }


def assert_same_stages(record, stages):
    for name in STAGES:
        ours = getattr(record, name)
        if name not in stages:
            assert ours is None, name
            continue
        np.testing.assert_allclose(
            ours, stages[name], rtol=1e-9, atol=1e-12, err_msg=name
        )


def message_of(function, *args, **kwargs):
    """Return the words of the ValueError, and let no warning pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r".") as error:
            function(*args, **kwargs)
    return str(error.value)


# Against the loops


@FEWER
@given(attention_inputs())
def test_attention_equals_the_loops(inputs):
    assert_same_stages(attention(**inputs), loops.attention(**inputs))


@FEWER
@given(self_attention_inputs())
def test_self_attention_equals_the_loops(inputs):
    assert_same_stages(self_attention(**inputs), loops.self_attention(**inputs))


@given(npst.arrays(float, npst.array_shapes(max_dims=3), elements=NUMBER), st.data())
def test_softmax_equals_the_loops_along_any_axis(scores, data):
    axis = data.draw(st.integers(-scores.ndim, scores.ndim - 1))
    rows = np.moveaxis(scores, axis, -1)
    expected = np.empty_like(rows)
    for index in np.ndindex(rows.shape[:-1]):
        expected[index] = loops.softmax(rows[index].tolist())
    np.testing.assert_allclose(
        softmax(scores, axis=axis), np.moveaxis(expected, -1, axis), rtol=1e-12
    )


@pytest.mark.parametrize("n_tokens", [1, 2, 5, np.int64(3)])
def test_the_causal_mask_lets_a_token_see_itself_and_what_came_before(n_tokens):
    mask = causal_mask(n_tokens)
    assert mask.dtype == bool
    assert mask.tolist() == [
        [key <= query for key in range(n_tokens)] for query in range(n_tokens)
    ]


def test_attention_equals_pytorch_where_it_is_installed():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    queries, keys, values = (
        rng.normal(size=shape) for shape in ((4, 3), (5, 3), (5, 2))
    )
    mask = np.tri(4, 5, dtype=bool)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (queries, keys, values)),
        attn_mask=torch.from_numpy(mask),
    )
    ours = attention(queries, keys, values, mask=mask).context
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-12)


# Properties


@FEWER
@given(attention_inputs())
def test_rows_of_attention_weights_sum_to_1_and_hide_what_is_masked(inputs):
    record = attention(**inputs)
    np.testing.assert_allclose(record.weights.sum(axis=1), 1, rtol=1e-12)
    assert (record.weights >= 0).all()
    if inputs["mask"] is not None:
        hidden = ~np.array(inputs["mask"])
        assert (record.weights[hidden] == 0).all()
        assert (record.masked_scores[hidden] == -np.inf).all()


@FEWER
@given(attention_inputs())
def test_each_context_lies_inside_the_range_of_the_values(inputs):
    context = attention(**inputs).context
    values = np.array(inputs["values"])
    assert (context >= values.min(axis=0) - 1e-12).all()
    assert (context <= values.max(axis=0) + 1e-12).all()


@given(st.lists(NUMBER, min_size=1), st.floats(-1e3, 1e3))
def test_a_constant_added_to_a_row_of_scores_changes_nothing(scores, constant):
    shifted = softmax(np.array(scores) + constant)
    np.testing.assert_allclose(shifted, softmax(scores), rtol=1e-10)


@FEWER
@given(self_attention_inputs(), st.data())
def test_permuting_the_tokens_permutes_the_rows(inputs, data):
    inputs["mask"] = None
    embeddings = np.array(inputs["embeddings"])
    order = list(data.draw(st.permutations(range(len(embeddings)))))
    record = self_attention(**inputs)
    permuted = self_attention(**inputs | {"embeddings": embeddings[order]})
    np.testing.assert_allclose(permuted.context, record.context[order], atol=1e-12)
    np.testing.assert_allclose(
        permuted.weights, record.weights[np.ix_(order, order)], atol=1e-12
    )


@FEWER
@given(self_attention_inputs(), st.data())
def test_with_a_causal_mask_later_embeddings_never_change_earlier_rows(inputs, data):
    n_tokens, d_in = np.shape(inputs["embeddings"])
    inputs["mask"] = causal_mask(n_tokens)
    first = data.draw(st.integers(0, n_tokens - 1))
    later = data.draw(tables(n_tokens - first, d_in, st.floats(-1e3, 1e3)))
    before = self_attention(**inputs)
    inputs["embeddings"][first:] = later
    after = self_attention(**inputs)
    np.testing.assert_array_equal(after.weights[:first], before.weights[:first])
    np.testing.assert_array_equal(after.context[:first], before.context[:first])


def test_without_a_mask_a_later_embedding_does_change_earlier_rows():
    embeddings = examples["journey"].embeddings
    changed = embeddings.copy()
    changed[-1] += 1
    before, after = self_attention(embeddings), self_attention(changed)
    assert (after.context[:-1] != before.context[:-1]).all()


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=5))
@example([1e300, 1e300, -1e300])
@example([-1e300, 0.0])
@example([1e300])
@example([0.0, 681.0])  # shares that are hardly numbers
@example([0.0, 745.0])
def test_scores_up_to_1e300_give_right_attention_weights(scores):
    keys = [[score / 1e150] for score in scores]
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        weights = softmax(scores)
        record = attention([[1e150]], keys, np.ones((len(scores), 1)))
    expected = loops.softmax(record.scaled_scores[0].tolist())
    # A share as small as 1e-308 has no digits that could agree.
    close = {"rtol": 1e-12, "atol": 1e-300}
    np.testing.assert_allclose(weights, loops.softmax(scores), **close)
    np.testing.assert_allclose(record.weights, [expected], **close)


def test_huge_scores_with_a_mask_leave_the_masked_ones_out():
    big = 2.0**498
    record = attention(
        [[big]],
        [[big], [big], [-big]],
        [[1], [2], [4]],
        mask=[[True, False, True]],
        scale=1.0,
    )
    assert record.scores.tolist() == [[big**2, big**2, -(big**2)]]
    assert record.weights.tolist() == [[1, 0, 0]]
    assert record.context.tolist() == [[1]]


def test_numbers_too_small_for_float64_vanish_whatever_numpy_is_set_to():
    with np.errstate(all="raise"):
        record = self_attention([[1e-300], [1e-200]], W_value=[[1e-300]])
    assert record.weights.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert record.context.tolist() == [[0], [0]]
    with np.errstate(all="raise"):
        assert softmax([np.longdouble("1e-4000"), 0]).tolist() == [0.5, 0.5]


def test_minus_infinity_is_a_masked_score_to_softmax():
    assert softmax([0.0, -np.inf, 0.0]).tolist() == [0.5, 0, 0.5]


OVERFLOWS = [
    ("queries @ keys.T", lambda: attention([[1e200]], [[1e200]], [[1]])),
    ("scores * scale", lambda: attention([[1e200]], [[1e100]], [[1]], scale=1e10)),
    ("embeddings @ W_query", lambda: self_attention([[1e200]], W_query=[[1e200]])),
    ("embeddings @ W_key", lambda: self_attention([[1e200]], W_key=[[1e200]])),
    ("embeddings @ W_value", lambda: self_attention([[1e150]], W_value=[[1e200]])),
    # infinity - infinity is not a number, and an overflow all the same
    ("queries @ keys.T", lambda: attention([[1e200] * 2], [[1e200, -1e200]], [[1]])),
]


@pytest.mark.parametrize(("product", "compute"), OVERFLOWS)
def test_a_product_that_overflows_says_so(product, compute):
    assert message_of(compute) == (
        f"{product} overflows: the inputs are finite but too large;"
        " expected products below 1.8e308"
    )


@pytest.mark.parametrize("n_keys", range(1, 60))
def test_the_mean_of_the_largest_values_is_right_or_said_to_overflow(n_keys):
    largest = np.finfo(float).max  # rounding alone can carry the sum beyond it
    inputs = [[0]], [[0]] * n_keys, [[largest]] * n_keys
    try:
        context = attention(*inputs).context
    except ValueError:
        assert message_of(attention, *inputs).startswith("weights @ values overflows")
    else:
        np.testing.assert_allclose(context, largest, rtol=1e-12)


# What goes in and what comes out


def test_without_matrices_the_embeddings_are_queries_keys_and_values():
    embeddings = [[1.0, 2.0], [3.0, 5.0], [0.5, -1.0]]
    record = self_attention(embeddings)
    for name in ("embeddings", "queries", "keys", "values"):
        assert getattr(record, name).tolist() == embeddings
    assert_same_stages(record, loops.self_attention(embeddings))


def test_attention_without_embeddings_says_none():
    assert attention([[1]], [[1]], [[1]]).embeddings is None


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    shapes = {
        "embeddings": (5, 4),
        "W_query": (4, 3),
        "W_key": (4, 3),
        "W_value": (4, 2),
    }
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    return arrays | {"mask": causal_mask(5)}


def test_every_stage_is_a_read_only_float64_array(arrays):
    record = self_attention(**arrays)
    for name in STAGES:
        stage = getattr(record, name)
        assert stage.dtype == np.float64, name
        with pytest.raises(ValueError, match="read-only"):
            stage[0, 0] = 1


def test_a_record_is_frozen(arrays):
    record = self_attention(**arrays)
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.weights = np.ones((5, 5))


def test_a_record_equals_itself_alone(arrays):
    record = self_attention(**arrays)
    assert record != self_attention(**arrays)
    assert record in {record}


def test_a_record_prints_the_shapes_of_its_stages():
    assert repr(attention([[1, 2]], [[5, 6], [7, 8]], [[0, 1, 2], [1, 0, 2]])) == (
        "Attention(queries (1, 2), keys (2, 2), values (2, 3), scores (1, 2),"
        " scaled_scores (1, 2), masked_scores (1, 2), weights (1, 2), context (1, 3))"
    )


@pytest.mark.parametrize("left_out", [[], ["W_query", "W_key", "W_value"]])
def test_inputs_are_neither_changed_nor_shared(arrays, left_out):
    inputs = {name: arrays[name] for name in arrays if name not in left_out}
    before = {name: array.copy() for name, array in inputs.items()}
    record = self_attention(**inputs)
    softmax(inputs["embeddings"])
    for name, array in inputs.items():
        np.testing.assert_array_equal(array, before[name])
        assert array.flags.writeable
        assert not any(np.shares_memory(array, getattr(record, s)) for s in STAGES)


WHOLE = [[1, 0, 2], [3, 1, 0]]


@pytest.mark.parametrize(
    "given_",
    [
        WHOLE,
        tuple(map(tuple, WHOLE)),
        np.array(WHOLE),
        np.array(WHOLE, dtype=np.uint8),
        np.array(WHOLE, dtype=np.float16),
        np.array(WHOLE, dtype=np.float32),
        np.array(WHOLE, dtype=np.longdouble),
        np.array(WHOLE, dtype=">f8"),
        np.array(WHOLE, order="F"),
        np.repeat(WHOLE, 2, axis=1)[:, ::2],
        [np.array(row) for row in WHOLE],
        [[np.float32(number) for number in row] for row in WHOLE],
        [[fractions.Fraction(number) for number in row] for row in WHOLE],
    ],
    ids=lambda given_: f"{type(given_).__name__} {getattr(given_, 'dtype', '')}",
)
def test_any_kind_of_real_numbers_gives_the_same(given_):
    expected = attention(*[np.array(WHOLE, dtype=float)] * 3)
    record = attention(given_, given_, given_)
    for name in STAGES[1:]:
        np.testing.assert_array_equal(getattr(record, name), getattr(expected, name))


def test_whole_numbers_beyond_64_bits_are_numbers_too():
    assert softmax([10**300, 0, 2**64]).tolist() == [1, 0, 0]


@pytest.mark.parametrize("scale", [2, np.float32(2), np.int8(2), np.array(2.0)])
def test_scale_is_any_one_number(scale):
    assert attention([[3]], [[5]], [[1]], scale=scale).scaled_scores == [[30]]


# Bad input: each message says what came and what was expected

NOT_NUMBERS = "expected numbers that fit a float64"
NOT_EMPTY = "expected at least one number in a list"
NOT_RAGGED = "has rows of different lengths or kinds; expected a table"

NEVER_NUMBERS = [
    ("ragged", [[1, 2], [3]], NOT_RAGGED),
    ("too deep", [[1, 2], [3, [4]]], NOT_RAGGED),
    ("empty", [], f"has shape (0,); {NOT_EMPTY}"),
    ("empty row", [[]], f"has shape (1, 0); {NOT_EMPTY}"),
    ("number", 5, f"has shape (); {NOT_EMPTY}"),
    ("none", [[None, 1]], f"holds None; {NOT_NUMBERS}"),
    ("text", [["one", 2]], f"holds text; {NOT_NUMBERS}"),
    ("bytes", b"12", f"holds bytes; {NOT_NUMBERS}"),
    ("boolean", [[True]], f"holds booleans; {NOT_NUMBERS}"),
    ("complex", [[1j]], f"holds complex numbers; {NOT_NUMBERS}"),
    ("dictionary", {1: 2}, f"holds {{1: 2}}; {NOT_NUMBERS}"),
    ("set", {1}, f"holds {{1}}; {NOT_NUMBERS}"),
    ("decimal", [[decimal.Decimal(1)]], f"holds Decimal('1'); {NOT_NUMBERS}"),
    ("boolean object", [[True, 10**30]], f"holds True; {NOT_NUMBERS}"),
    (
        "date",
        np.array(["2017-06-12"], dtype="datetime64[D]"),
        f"holds values of type datetime64[D]; {NOT_NUMBERS}",
    ),
    ("huge", [[1, 10**400]], f"holds an integer beyond 1.8e308; {NOT_NUMBERS}"),
    (
        "masked array",
        np.ma.array([[1.0, 2.0]], mask=[[False, True]]),
        "is a masked array; expected a plain one, since its mask would be ignored",
    ),
]
NO_MATRIX = [
    *NEVER_NUMBERS,
    ("NaN", [[1, math.nan]], "holds NaN or infinity; expected finite numbers"),
    ("infinity", [[math.inf, 1]], "holds NaN or infinity; expected finite numbers"),
    ("-infinity", [[-math.inf, 1]], "holds NaN or infinity; expected finite numbers"),
    ("masked", [[1, np.ma.masked]], "holds NaN or infinity; expected finite numbers"),
    (
        "long double",
        [[np.longdouble("1e4000")]],
        "holds NaN or infinity; expected finite numbers",
    ),
    ("vector", [1, 2], "has shape (2,); expected a matrix with rows and columns"),
    ("cube", [[[1]]], "has shape (1, 1, 1); expected a matrix with rows and columns"),
]
NO_SCORES = [
    *NEVER_NUMBERS,
    (
        "NaN",
        [1, math.nan],
        "holds NaN or +inf; expected finite numbers, or -inf where masked",
    ),
    (
        "infinity",
        [1, math.inf],
        "holds NaN or +inf; expected finite numbers, or -inf where masked",
    ),
    (
        "all masked",
        [[1, -math.inf], [-math.inf, -math.inf]],
        "is -inf all along the axis somewhere; expected at least one finite score,"
        " else nothing is left to attend to",
    ),
]


def bad(cases):
    return pytest.mark.parametrize(
        ("given_", "message"),
        [pytest.param(given_, message, id=name) for name, given_, message in cases],
    )


@bad(NO_SCORES)
def test_softmax_refuses(given_, message):
    assert message_of(softmax, given_) == f"scores {message}"


@bad(NO_MATRIX)
@pytest.mark.parametrize("name", ["queries", "keys", "values"])
def test_attention_refuses(name, given_, message):
    inputs = {"queries": [[1.0]], "keys": [[1.0]], "values": [[1.0]], name: given_}
    assert message_of(attention, **inputs) == f"{name} {message}"


@bad(NO_MATRIX)
@pytest.mark.parametrize("name", ["embeddings", "W_query", "W_key", "W_value"])
def test_self_attention_refuses(name, given_, message):
    inputs = {"embeddings": [[1.0]], name: given_}
    assert message_of(self_attention, **inputs) == f"{name} {message}"


@bad(
    [
        ("too large", 1, "1; expected a whole number from -1 to 0"),
        ("too small", -2, "-2; expected a whole number from -1 to 0"),
        ("huge", 10**5000, "a very large int; expected a whole number from -1 to 0"),
        ("boolean", True, "True; expected a whole number from -1 to 0"),
        ("float", 0.0, "0.0; expected a whole number from -1 to 0"),
        ("none", None, "None; expected a whole number from -1 to 0"),
        ("name", "rows", "'rows'; expected a whole number from -1 to 0"),
    ]
)
def test_softmax_refuses_an_axis(given_, message):
    assert message_of(softmax, [1, 2], axis=given_) == f"axis is {message}"


RANGE = "expected a whole number from 1 to 10000"


@bad(
    [
        ("none at all", 0, f"0; {RANGE}"),
        ("negative", -3, f"-3; {RANGE}"),
        ("too many", 10_001, f"10001; {RANGE}"),
        ("huge", 10**5000, f"a very large int; {RANGE}"),
        ("float", 3.0, f"3.0; {RANGE}"),
        ("boolean", True, f"True; {RANGE}"),
        ("none", None, f"None; {RANGE}"),
        ("text", "3", f"'3'; {RANGE}"),
        ("text that just fits", "3" * 98, f"'{'3' * 98}'; {RANGE}"),
        ("long list", [3] * 100, f"[{'3, ' * 32}...; {RANGE}"),
    ]
)
def test_causal_mask_refuses(given_, message):
    assert message_of(causal_mask, given_) == f"n_tokens is {message}"


SHAPE = "expected (n_queries, n_keys) = (1, 2)"
BOOLEANS = "expected booleans, True where a query may attend"


@bad(
    [
        ("transposed", [[True], [True]], f"has shape (2, 1); {SHAPE}"),
        ("vector", [True, True], f"has shape (2,); {SHAPE}"),
        ("one for all", True, f"has shape (); {SHAPE}"),
        ("ragged", [[True, True], [True]], NOT_RAGGED),
        ("numbers", [[1, 0]], f"holds int64; {BOOLEANS}"),
        ("minus infinity", [[0.0, -math.inf]], f"holds float64; {BOOLEANS}"),
        ("objects", [[True, None]], f"holds object; {BOOLEANS}"),
        ("text", "causal", f"holds <U6; {BOOLEANS}"),
        (
            "nothing left",
            [[False, False]],
            "hides every key from row 0; expected at least one True in each row",
        ),
        (
            "masked array",
            np.ma.array([[True, True]], mask=[[False, True]]),
            "is a masked array; expected a plain one, since its mask would be ignored",
        ),
    ]
)
def test_attention_refuses_a_mask(given_, message):
    refused = message_of(attention, [[1.0]], [[1.0], [2.0]], [[1], [2]], mask=given_)
    assert refused == f"mask {message}"


def test_a_row_masked_everywhere_is_named():
    mask = causal_mask(4)
    mask[2] = False
    assert message_of(self_attention, np.eye(4), mask=mask) == (
        "mask hides every key from row 2; expected at least one True in each row"
    )


@bad(
    [
        ("NaN", math.nan, "nan"),
        ("infinity", -math.inf, "-inf"),
        ("text", "1/sqrt(d_k)", "'1/sqrt(d_k)'"),
        ("boolean", True, "True"),
        ("complex", 1j, "1j"),
        ("list", [1.0], "[1.0]"),
        ("ragged", [[1], 2], "[[1], 2]"),
        ("huge", 10**5000, "a very large int"),
    ]
)
def test_attention_refuses_a_scale(given_, message):
    refused = message_of(attention, [[1]], [[1]], [[1]], scale=given_)
    assert refused == f"scale is {message}; expected a finite number or None"


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (
            lambda: attention(np.ones((2, 4)), np.ones((5, 3)), np.ones((5, 1))),
            "keys has 3 columns but queries has 4; both must be d_k",
        ),
        (
            lambda: attention(np.ones((2, 3)), np.ones((5, 4)), np.ones((5, 1))),
            "keys has 4 columns but queries has 3; both must be d_k",
        ),
        (
            lambda: attention(np.ones((2, 4)), np.ones((5, 4)), np.ones((6, 1))),
            "values has 6 rows but keys has 5; both must be n_keys",
        ),
        (
            lambda: attention(np.ones((2, 4)), np.ones((5, 4)), np.ones((3, 1))),
            "values has 3 rows but keys has 5; both must be n_keys",
        ),
        (
            lambda: self_attention(np.ones((2, 4)), W_query=np.ones((3, 1))),
            "W_query has 3 rows but embeddings has 4 columns; both must be d_in",
        ),
        (
            lambda: self_attention(np.ones((2, 4)), W_key=np.ones((5, 4))),
            "W_key has 5 rows but embeddings has 4 columns; both must be d_in",
        ),
        (
            lambda: self_attention(np.ones((2, 4)), W_value=np.ones((2, 1))),
            "W_value has 2 rows but embeddings has 4 columns; both must be d_in",
        ),
        (
            lambda: self_attention(np.ones((2, 4)), W_query=np.ones((4, 2))),
            "W_key makes keys of 4 columns but W_query makes queries of 2;"
            " both must be d_k, which without a weight matrix is d_in = 4",
        ),
        (
            lambda: self_attention(np.ones((2, 4)), W_key=np.ones((4, 2))),
            "W_key makes keys of 2 columns but W_query makes queries of 4;"
            " both must be d_k, which without a weight matrix is d_in = 4",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_named(compute, message):
    assert message_of(compute) == message
