"""Whatever comes in: a right result, or a ValueError that names the argument."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from junk import JUNK, LEAVES, survive

from attention_helpers import (
    Attention,
    Example,
    attention,
    causal_mask,
    examples,
    multi_head_attention,
    self_attention,
    softmax,
)


def assert_sound(record):
    for name in (field.name for field in fields(Attention)):
        stage = getattr(record, name)
        if stage is not None and name != "masked_scores":
            assert np.isfinite(stage).all(), name
    np.testing.assert_allclose(record.weights.sum(axis=-1), 1, rtol=1e-12)


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
    multi_head_attention: {
        "embeddings": [[1, 2], [3, 4]],
        "W_query": None,
        "W_key": None,
        "W_value": None,
        "W_out": [[1], [2]],
        "b_out": [3],
        "heads": 2,
        "mask": None,
        "scale": None,
    },
    Example: {
        "tokens": ["a", "b"],
        "embeddings": [[1, 2], [3, 4]],
        "W_query": None,
        "W_key": None,
        "W_value": None,
        "W_out": None,
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


@given(one_is_junk(multi_head_attention))
def test_multi_head_attention_survives(inputs):
    record = survive(multi_head_attention, **inputs)
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
        with pytest.raises(KeyError, match=f"expected one of {', '.join(examples)}"):
            examples[name]
