"""Attention in plain NumPy, one line a step.

Rows are queries, columns are keys, one token a row, everywhere. Masks are boolean and
``True`` means "may attend", as in ``torch.nn.functional.scaled_dot_product_attention``.

Source: Vaswani et al., "Attention Is All You Need" (2017), sections 3.2.1 and 3.2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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
MOST_HEADS = 1000


class Record:
    """Arrays that belong together, read-only and shown by their shapes."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __repr__(self) -> str:
        parts = (
            f"{name} {value.shape if isinstance(value, np.ndarray) else f'{value:.4g}'}"
            for name, value in vars(self).items()
            if value is not None
        )
        return f"{type(self).__name__}({', '.join(parts)})"


@dataclass(frozen=True, eq=False, repr=False)
class Attention(Record):
    """Every stage of one attention computation, as read-only float64 arrays.

    With heads, the stages from `queries` to `context` have a leading head axis, and d_k
    and d_v are those of one head: `weights` is (heads, n_queries, n_keys).

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
    output : (n_queries, d_out) array or None
        The contexts of all heads side by side, mixed by ``W_out``; None without heads.

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
    output: Matrix | None = None


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
    stages = _queries_keys_values(embeddings, W_query, W_key, W_value)
    return _attend(*stages, mask, scale)


def multi_head_attention(
    embeddings: ArrayLike,
    W_query: ArrayLike | None,
    W_key: ArrayLike | None,
    W_value: ArrayLike | None,
    W_out: ArrayLike | None = None,
    b_out: ArrayLike | None = None,
    *,
    heads: int,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> Attention:
    """Let every token ask several questions at once, each with a softmax of its own.

    Queries, keys and values are cut into equal blocks of columns, one block a head.

    Parameters
    ----------
    embeddings : (n_tokens, d_in) array_like
        One token a row.
    W_query, W_key : (d_in, heads * d_k) array_like or None
        Weight matrices; where None, the embeddings themselves are cut.
    W_value : (d_in, heads * d_v) array_like or None
        Weight matrix; where None, the embeddings themselves are cut.
    W_out : (heads * d_v, d_out) array_like, optional
        Weight matrix that mixes the contexts of all heads, which stand side by side.
    b_out : (d_out,) array_like, optional
        What is added to each row of the output.
    heads : int
        Number of heads, 1 to 1000.
    mask : (n_tokens, n_tokens) bool array_like, optional
        ``True`` where the row's token may attend to the column's, in every head.
    scale : float, optional
        What the scores are multiplied by; ``1 / sqrt(d_k)`` of one head if not given.

    Returns
    -------
    Attention
        Every stage, with a leading head axis from `queries` to `context`, and `output`.

    Raises
    ------
    ValueError
        As for `self_attention`, for columns that the heads cannot share equally, and
        for `W_out` or `b_out` that do not fit.

    Examples
    --------
    >>> W = [[1.0, 0.0], [0.0, 1.0]]
    >>> record = multi_head_attention([[0.0, 2.0], [3.0, 0.0]], W, W, W, heads=2)
    >>> record.weights.round(2)
    array([[[0.5 , 0.5 ],
            [0.  , 1.  ]],
    <BLANKLINE>
           [[0.98, 0.02],
            [0.5 , 0.5 ]]])
    >>> record.output.round(2)
    array([[1.5 , 1.96],
           [3.  , 1.  ]])
    """
    heads = check_whole("heads", heads, least=1, most=MOST_HEADS)
    embeddings, *stages = _queries_keys_values(embeddings, W_query, W_key, W_value)
    for name, stage in zip(("W_query", "W_key", "W_value"), stages, strict=True):
        if stage.shape[1] % heads:
            raise ValueError(
                f"{'embeddings' if stage is embeddings else name} has {stage.shape[1]}"
                f" columns, which heads={heads} cannot share equally; expected"
                f" a multiple of {heads}"
            )
    # (n_tokens, heads * d) -> (heads, n_tokens, d)
    queries, keys, values = (np.stack(np.split(s, heads, axis=1)) for s in stages)
    record = _attend(embeddings, queries, keys, values, mask, scale)

    contexts = side_by_side(record.context)
    both = "heads * d_v, the contexts side by side"
    output = _project(contexts, "W_out", W_out, "context", both)
    if b_out is not None:
        bias = check_numbers("b_out", b_out)
        if bias.shape != output.shape[1:]:
            raise ValueError(
                f"b_out has shape {bias.shape}; expected (d_out,) = {output.shape[1:]}"
            )
        output = _product("context @ W_out + b_out", lambda: output + bias)
    return replace(record, output=output)


def side_by_side(stage: Matrix) -> Matrix:
    """Return (heads, n, d) as (n, heads * d); a stage without heads as it is."""
    return stage if stage.ndim == 2 else np.hstack(list(stage))


def _attend(
    embeddings: Matrix | None,
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    mask: ArrayLike | None,
    scale: float | None,
) -> Attention:
    """Run the steps on matrices that fit together, or on one of each a head."""
    may_attend = check_mask(mask, (queries.shape[-2], keys.shape[-2]))
    scale = check_scale(scale, d_k=queries.shape[-1])

    scores = _product("queries @ keys.T", lambda: queries @ keys.mT)
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


def _queries_keys_values(
    embeddings: ArrayLike,
    W_query: ArrayLike | None,
    W_key: ArrayLike | None,
    W_value: ArrayLike | None,
) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Check the inputs; return the embeddings, then what is made of them."""
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
    return embeddings, queries, keys, values


def _project(
    rows: Matrix,
    name: str,
    given: ArrayLike | None,
    of: str = "embeddings",
    both: str = "d_in",
) -> Matrix:
    """Return ``rows @ W``, or the rows themselves where there is no weight matrix."""
    if given is None:
        return rows
    W = check_matrix(name, given)
    if W.shape[0] != rows.shape[1]:
        raise ValueError(
            f"{name} has {W.shape[0]} rows but {of} has {rows.shape[1]}"
            f" columns; both must be {both}"
        )
    return _product(f"{of} @ {name}", lambda: rows @ W)


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
