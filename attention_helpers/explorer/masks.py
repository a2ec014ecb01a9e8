"""The styles of masking, in one table, and the NumPy behind an explorer's numbers.

`static/masks.js` has the same styles under the same names; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attention import Attention, side_by_side, softmax
from ..checks import Matrix
from ..facts import LEARNED
from ..learning import forward

Cells = NDArray[np.bool_]
Places = NDArray[np.int_]


@dataclass(frozen=True)
class Mask:
    """One style: may row i look at column j, and what is written over the rest, where.

    Each row of that stage may then be divided by its sum. ``hides`` names the stages
    whose cells count as hidden: a 0 among the scores is written, but hides nothing.
    """

    may: Callable[[Places, Places], Cells | bool]
    at: str = ""
    fill: float = 0.0
    renormalise: bool = False
    hides: tuple[str, ...] = ()

    def seen(self, n_tokens: int) -> Cells:
        """Return which columns each row may look at."""
        square = n_tokens, n_tokens
        return np.full(square, self.may(*np.indices(square)))

    def written(self, stage: str, matrix: Matrix) -> Matrix:
        """Return a stage with this mask written over it, if it belongs there."""
        if stage != self.at:
            return matrix
        seen = self.seen(matrix.shape[-1])
        left = np.where(seen, matrix, self.fill)
        if not self.renormalise:
            return left
        return np.where(seen.any(axis=1, keepdims=True), divided_by_sum(left, -1), left)

    def visible(self, stage: str, n_tokens: int) -> Cells | None:
        """Return which cells of a stage are not hidden, or None where all are seen."""
        return self.seen(n_tokens) if stage in self.hides else None


def past(i: Places, j: Places) -> Cells:
    """Let each token look at itself and at those before it."""
    return j <= i


_WEIGHTS, _SCORES_AND_WEIGHTS = ("weights",), ("masked_scores", "weights")
MASKS = {
    "none": Mask(lambda i, j: True),
    "causal": Mask(past, "masked_scores", -np.inf, hides=_SCORES_AND_WEIGHTS),
    "zero_scores": Mask(past, "masked_scores", 0.0),
    "zero_weights": Mask(past, "weights", 0.0, hides=_WEIGHTS),
    "zero_weights_renormalised": Mask(past, "weights", 0.0, True, _WEIGHTS),
}

DIVISORS: dict[str, Callable[[int, int, int], int]] = {  # of the scores: its square
    "1": lambda n_tokens, d_in, d_k: 1,
    "sqrt_d_k": lambda n_tokens, d_in, d_k: d_k,
    "sqrt_d_in": lambda n_tokens, d_in, d_k: d_in,
    "sqrt_n_tokens": lambda n_tokens, d_in, d_k: n_tokens,
}


@np.errstate(under="ignore")  # a share that is all but 0
def attention_of(state: Any) -> Attention:
    """Compute every stage for the inputs and options of an explorer, all rows.

    A share is NaN where it is divided by 0, and 0 where a mask leaves a row nothing.
    The context of a head that is off is 0.
    """
    (n, d_in), heads = np.shape(state.embeddings), state.heads
    d_k = (d_in if state.W_query is None else len(state.W_query[0])) // heads
    scale = 1 / np.sqrt(DIVISORS[state.divide_by](n, d_in, d_k))
    inputs = {name: getattr(state, name) for name in LEARNED}
    result = forward(inputs, heads, None, scale)
    mask, axis = MASKS[state.mask], {"rows": -1, "columns": -2}[state.axis]
    masked_scores = mask.written("masked_scores", result.scaled_scores)
    normalise = {"softmax": softmax_of_the_rest, "sum": divided_by_sum}[state.normalise]
    weights = mask.written("weights", normalise(masked_scores, axis))
    if state.dropout_p > 0 and state.dropout_keep is not None:
        weights = np.where(state.dropout_keep, weights / (1 - state.dropout_p), 0.0)
    context = weights @ result.values
    output = None
    if heads > 1:
        context[[head for head in state.off if head < heads]] = 0
        output = side_by_side(context)
    if state.W_out is not None:
        output = side_by_side(context) @ np.array(state.W_out)
    return replace(
        result,
        masked_scores=masked_scores,
        weights=weights,
        context=context,
        output=output,
    )


def softmax_of_the_rest(scores: Matrix, axis: int) -> Matrix:
    """Take the softmax; where a mask has left no score, all shares are 0."""
    nothing = (scores == -np.inf).all(axis=axis, keepdims=True)
    shares: Matrix = softmax(np.where(nothing, 0.0, scores), axis)
    return np.where(nothing, 0.0, shares)


def divided_by_sum(scores: Matrix, axis: int) -> Matrix:
    """Divide by the sum along an axis; NaN where the numbers cancel to nothing."""
    total = scores.sum(axis=axis, keepdims=True)
    nothing = abs(total) <= 1e-12 * abs(scores).sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Matrix = np.where(nothing, np.nan, scores / total)
    return shares
