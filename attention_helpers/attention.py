"""Attention in plain NumPy, one line a step.

Rows are queries, columns are keys, one token a row, everywhere. Masks are boolean and
``True`` means "may attend", as in ``torch.nn.functional.scaled_dot_product_attention``.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import (
    Matrix,
    check_mask,
    check_matrix,
    check_numbers,
    check_scale,
    check_whole,
)

MOST_TOKENS = 10_000  # a mask of that size fills 100 MB


@dataclass(frozen=True, eq=False, repr=False)
class Attention:
    """Every stage of one attention computation, as read-only float64 arrays.

    Attributes
    ----------
    embeddings : (n_tokens, d_in) array or None
        The inputs, where the computation started from embeddings.
    queries : (n_queries, d_k) array
        What each token asks.
    keys : (n_keys, d_k) array
        What each token is looked up by.
    values : (n_keys, d_v) array
        What each token hands over.
    scores : (n_queries, n_keys) array
        One dot product for each query and key.
    scaled_scores : (n_queries, n_keys) array
        ``scores * scale``.
    masked_scores : (n_queries, n_keys) array
        ``scaled_scores``, with -inf where the mask is False.
    weights : (n_queries, n_keys) array
        Attention weights: the softmax of each row of ``masked_scores``.
    context : (n_queries, d_v) array
        The attention weights applied to the values.

    Examples
    --------
    >>> record = attention([[0.0]], [[1.0], [2.0]], [[10.0], [20.0]])
    >>> record.weights
    array([[0.5, 0.5]])
    >>> record.context
    array([[15.]])
    """

    embeddings: Matrix | None
    queries: Matrix
    keys: Matrix
    values: Matrix
    scores: Matrix
    scaled_scores: Matrix
    masked_scores: Matrix
    weights: Matrix
    context: Matrix

    def __post_init__(self) -> None:
        for field in fields(self):
            stage = getattr(self, field.name)
            if stage is not None:
                stage.flags.writeable = False

    def __repr__(self) -> str:
        shapes = (
            f"{field.name} {getattr(self, field.name).shape}"
            for field in fields(self)
            if getattr(self, field.name) is not None
        )
        return f"Attention({', '.join(shapes)})"


def softmax(scores: ArrayLike, axis: int = -1) -> Matrix:
    """Turn scores into positive shares that sum to 1 along an axis.

    The largest score is subtracted first, which changes nothing but keeps ``exp`` from
    overflowing.

    Parameters
    ----------
    scores : array_like, any shape
        Finite numbers, or -inf where a score is masked.
    axis : int
        The axis along which the shares sum to 1.

    Returns
    -------
    array, same shape as `scores`
        Shares between 0 and 1.

    Raises
    ------
    ValueError
        For anything but numbers, for NaN or +inf, for an axis that does not exist, or
        where every score along the axis is -inf.

    Examples
    --------
    >>> softmax([2.0, 0.0, 6.0, 0.0, 5.0]).round(3)
    array([0.013, 0.002, 0.719, 0.002, 0.264])
    """
    scores = check_numbers("scores", scores, finite=False)
    if np.isnan(scores).any() or (scores == np.inf).any():
        raise ValueError(
            "scores holds NaN or +inf; expected finite numbers, or -inf where masked"
        )
    axis = check_whole("axis", axis, least=-scores.ndim, most=scores.ndim - 1)
    largest = scores.max(axis=axis, keepdims=True)
    if (largest == -np.inf).any():
        raise ValueError(
            "scores is -inf all along the axis somewhere;"
            " expected at least one finite score, else nothing is left to attend to"
        )
    with np.errstate(over="ignore", under="ignore"):  # a vast difference: exp(-inf)
        exponentials = np.exp(scores - largest)
        shares: Matrix = exponentials / exponentials.sum(axis=axis, keepdims=True)
    return shares


def causal_mask(n_tokens: int) -> NDArray[np.bool_]:
    """Let each token attend to itself and to the tokens before it.

    Parameters
    ----------
    n_tokens : int
        Number of tokens, 1 to 10000.

    Returns
    -------
    (n_tokens, n_tokens) bool array
        ``True`` where the row's token may attend to the column's token.

    Raises
    ------
    ValueError
        For anything but a whole number in range.

    Examples
    --------
    >>> causal_mask(3)
    array([[ True, False, False],
           [ True,  True, False],
           [ True,  True,  True]])
    """
    n = check_whole("n_tokens", n_tokens, least=1, most=MOST_TOKENS)
    return np.tri(n, dtype=bool)


def attention(
    queries: ArrayLike,
    keys: ArrayLike,
    values: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> Attention:
    """Compute scaled dot-product attention, and keep every step.

    Parameters
    ----------
    queries : (n_queries, d_k) array_like
        One query a row.
    keys : (n_keys, d_k) array_like
        One key a row.
    values : (n_keys, d_v) array_like
        One value a row.
    mask : (n_queries, n_keys) bool array_like, optional
        ``True`` where the row's query may attend to the column's key.
    scale : float, optional
        What the scores are multiplied by; ``1 / sqrt(d_k)`` if not given, ``1.0`` to
        leave them as they are.

    Returns
    -------
    Attention
        Every stage, from `queries` to `context`.

    Raises
    ------
    ValueError
        For inputs that are not finite numbers, shapes that do not fit together, a mask
        that is not boolean or hides a whole row, and products that overflow.

    Examples
    --------
    >>> attention([[1, 2]], [[5, 6], [7, 8]], [[0], [1]], scale=1.0).scores
    array([[17., 23.]])
    """
    queries = check_matrix("queries", queries)
    keys = check_matrix("keys", keys)
    values = check_matrix("values", values)
    return _attend(None, queries, keys, values, mask, scale)


def self_attention(
    embeddings: ArrayLike,
    W_query: ArrayLike | None = None,
    W_key: ArrayLike | None = None,
    W_value: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> Attention:
    """Let every token of a sentence attend to every token of the same sentence.

    Parameters
    ----------
    embeddings : (n_tokens, d_in) array_like
        One token a row.
    W_query, W_key : (d_in, d_k) array_like, optional
        Weight matrices; without one, the embeddings themselves are the queries or keys.
    W_value : (d_in, d_v) array_like, optional
        Weight matrix; without it, the embeddings themselves are the values.
    mask : (n_tokens, n_tokens) bool array_like, optional
        ``True`` where the row's token may attend to the column's token.
    scale : float, optional
        What the scores are multiplied by; ``1 / sqrt(d_k)`` if not given.

    Returns
    -------
    Attention
        Every stage, from `embeddings` to `context`.

    Raises
    ------
    ValueError
        As for `attention`, and for a weight matrix that does not fit the embeddings.

    Examples
    --------
    >>> self_attention([[0.0, 2.0], [3.0, 0.0]], scale=1.0).scores
    array([[4., 0.],
           [0., 9.]])
    """
    embeddings = check_matrix("embeddings", embeddings)
    queries = _project(embeddings, "W_query", W_query)
    keys = _project(embeddings, "W_key", W_key)
    values = _project(embeddings, "W_value", W_value)
    if keys.shape[1] != queries.shape[1]:
        raise ValueError(
            f"W_key makes keys of {keys.shape[1]} columns but W_query makes queries"
            f" of {queries.shape[1]}; both must be d_k, which without a weight matrix"
            f" is d_in = {embeddings.shape[1]}"
        )
    return _attend(embeddings, queries, keys, values, mask, scale)


def _attend(
    embeddings: Matrix | None,
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    mask: ArrayLike | None,
    scale: float | None,
) -> Attention:
    """Run the steps on checked matrices."""
    if keys.shape[1] != queries.shape[1]:
        raise ValueError(
            f"keys has {keys.shape[1]} columns but queries has {queries.shape[1]};"
            " both must be d_k"
        )
    if values.shape[0] != keys.shape[0]:
        raise ValueError(
            f"values has {values.shape[0]} rows but keys has {keys.shape[0]};"
            " both must be n_keys"
        )
    may_attend = check_mask(mask, (queries.shape[0], keys.shape[0]))
    scale = check_scale(scale, d_k=queries.shape[1])

    scores = _product("queries @ keys.T", lambda: queries @ keys.T)
    scaled_scores = _product("scores * scale", lambda: scores * scale)
    masked_scores = np.where(may_attend, scaled_scores, -np.inf)
    weights = softmax(masked_scores)
    context = _product("weights @ values", lambda: weights @ values)

    return Attention(
        embeddings=embeddings,
        queries=queries,
        keys=keys,
        values=values,
        scores=scores,
        scaled_scores=scaled_scores,
        masked_scores=masked_scores,
        weights=weights,
        context=context,
    )


def _project(embeddings: Matrix, name: str, given: ArrayLike | None) -> Matrix:
    """Return ``embeddings @ W``, or the embeddings where there is no weight matrix."""
    if given is None:
        return embeddings
    W = check_matrix(name, given)
    if W.shape[0] != embeddings.shape[1]:
        raise ValueError(
            f"{name} has {W.shape[0]} rows but embeddings has {embeddings.shape[1]}"
            " columns; both must be d_in"
        )
    return _product(f"embeddings @ {name}", lambda: embeddings @ W)


def _product(name: str, compute: Callable[[], Matrix]) -> Matrix:
    """Compute a product of finite matrices; say so where it leaves float64."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        result = compute()
    if not np.isfinite(result).all():
        raise ValueError(
            f"{name} overflows: the inputs are finite but too large;"
            " expected products below 1.8e308"
        )
    return result
