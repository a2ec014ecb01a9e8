"""Whatever comes in: a right result, or a ValueError that names the argument."""

import datetime
import warnings
from collections.abc import Callable
from dataclasses import fields

import hypothesis.extra.numpy as npst
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_helpers import (
    Attention,
    Example,
    attention,
    causal_mask,
    examples,
    self_attention,
    softmax,
)

settings.register_profile(
    "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -(10**400), 2**64, -0.0, 1e308, -1e308]),
    st.builds(pow, st.just(10), st.just(5000)),  # Python refuses to print it
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=5),
    st.sampled_from(["\ud800", "a\x00b", "a" * 10_000, " ", "bank", "1", "nan"]),
    st.binary(max_size=5),
    st.fractions(),
    st.decimals(),
    st.datetimes(),
    st.dates(),
    st.timedeltas(),
    st.sampled_from([np.float32(1), np.longdouble("1e4000"), np.True_, np.str_("a")]),
    st.sampled_from([np.datetime64("2017-06-12"), np.timedelta64(3, "s")]),
    st.sampled_from([np.zeros(2, "i4, f4"), np.zeros(2, "i4, f4")[0], np.ma.masked]),
    st.sampled_from([object(), int, len, Ellipsis, NotImplemented, slice(2)]),
    st.sampled_from([range(3), memoryview(b"ab"), bytearray(b"ab"), datetime]),
    st.sampled_from([np.ma.array([1.0, 2.0], mask=[0, 1]), np.eye(2).view(np.matrix)]),
    npst.arrays(
        npst.scalar_dtypes() | npst.array_dtypes(),
        npst.array_shapes(min_dims=0, min_side=0, max_side=3),
    ),
)
JUNK = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.lists(inner, max_size=3).map(iter),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
        st.sets(st.integers() | st.text(max_size=3), max_size=3),
        st.lists(st.lists(inner, min_size=2, max_size=2), min_size=2, max_size=2),
    ),
    max_leaves=6,
)


def survive(function: Callable, **kwargs):
    """Return the result, or None for a ValueError that names one of the arguments."""
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        try:
            return function(**kwargs)
        except ValueError as error:
            message = str(error)
            named = any(name in message for name in kwargs)
            assert named or "overflows" in message, message  # it names the product
            assert "expected" in message or "must be" in message, message
            return None


def assert_sound(record):
    for name in (field.name for field in fields(Attention)):
        stage = getattr(record, name)
        if stage is not None and name != "masked_scores":
            assert np.isfinite(stage).all(), name
    np.testing.assert_allclose(record.weights.sum(axis=1), 1, rtol=1e-12)


@given(JUNK, st.just(-1) | JUNK)
def test_softmax_survives(scores, axis):
    shares = survive(softmax, scores=scores, axis=axis)
    if shares is not None:
        assert ((shares >= 0) & (shares <= 1)).all()
        np.testing.assert_allclose(shares.sum(axis=axis), 1, rtol=1e-12)


@given(JUNK)
def test_causal_mask_survives(n_tokens):
    mask = survive(causal_mask, n_tokens=n_tokens)
    if mask is not None:
        assert mask.shape == (n_tokens, n_tokens)


SOUND = {
    attention: {
        "queries": [[1, 2]],
        "keys": [[3, 4], [5, 6]],
        "values": [[1], [2]],
        "mask": None,
        "scale": None,
    },
    self_attention: {
        "embeddings": [[1, 2], [3, 4]],
        "W_query": None,
        "W_key": None,
        "W_value": None,
        "mask": None,
        "scale": None,
    },
    Example: {
        "tokens": ["a", "b"],
        "embeddings": [[1, 2], [3, 4]],
        "W_query": None,
        "W_key": None,
        "W_value": None,
        "name": "",
        "columns": {},
        "slider": None,
        "presets": {},
        "source": "",
    },
    Example.from_text: {"text": "to be", "d_in": 3, "d_k": 2, "d_v": 1, "seed": 0},
}


def one_is_junk(function, strategy=JUNK):
    """Draw the arguments of a call, one of them junk and all others sound."""
    sound = SOUND[function]
    return st.tuples(st.sampled_from(list(sound)), strategy).map(
        lambda name_and_junk: sound | dict([name_and_junk])
    )


@given(one_is_junk(attention))
def test_attention_survives(inputs):
    record = survive(attention, **inputs)
    if record is not None:
        assert_sound(record)


@given(one_is_junk(self_attention))
def test_self_attention_survives(inputs):
    record = survive(self_attention, **inputs)
    if record is not None:
        assert_sound(record)


def inside(**shape):
    """Draw a dictionary of the right keys with junk for one of its values."""
    return st.tuples(st.sampled_from(list(shape)), JUNK).map(
        lambda key_and_junk: shape | dict([key_and_junk])
    )


NEARLY_SOUND = st.one_of(
    st.fixed_dictionaries({"embeddings": JUNK}),
    inside(min=-1, max=1, step=0.5),
    st.fixed_dictionaries(
        {"x": inside(token="a", becomes="c", embedding=[1, 2])},
    ),
)


@given(one_is_junk(Example, JUNK | NEARLY_SOUND))
def test_example_survives(inputs):
    made = survive(Example, **inputs)
    if made is not None:
        assert len(made.tokens) == len(made.embeddings)
        assert len(set(made.tokens)) == len(made.tokens)
        assert np.isfinite(made.embeddings).all()
        survive(self_attention, embeddings=made.embeddings)


@given(one_is_junk(Example.from_text, JUNK | st.text()))
def test_from_text_survives(inputs):
    made = survive(Example.from_text, **inputs)
    if made is not None:
        assert len(made.tokens) == len(inputs["text"].split())
        assert_sound(
            self_attention(made.embeddings, made.W_query, made.W_key, made.W_value)
        )


@given(JUNK)
def test_index_survives(token):
    row = survive(examples["bank"].index, token=token)
    if row is not None:
        assert examples["bank"].tokens[row] == token


@given(LEAVES)
def test_an_unknown_example_is_a_key_error_that_lists_the_known(name):
    try:
        hash(name)
    except TypeError:
        return
    if not isinstance(name, str) or name not in examples:
        with pytest.raises(KeyError, match="expected one of bank, journey, three"):
            examples[name]
