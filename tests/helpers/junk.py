"""Whatever may come in as an argument, and what a function must make of it."""

import datetime
import warnings
from collections.abc import Callable

import hypothesis.extra.numpy as npst
import numpy as np
from hypothesis import strategies as st

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
