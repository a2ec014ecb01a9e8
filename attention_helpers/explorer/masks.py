"""The styles of masking, in one table, and the NumPy behind an explorer's numbers.

`static/masks.js` has the same styles under the same names; a test compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attention import Attention, causal_mask, side_by_side, softmax
from ..checks import Matrix
from ..facts import LEARNED
from ..learning import forward

Cells = NDArray[np.bool_]


def everyone(n_tokens: int) -> Cells:
    """Let each token attend to every token."""
    return np.ones((n_tokens, n_tokens), dtype=bool)


@dataclass(frozen=True)
class Mask:
    """One style: who may look at whom, and what is written over the rest, and where.

    Each row of that stage may then be divided by its sum. ``hides`` names the stages
    whose cells count as hidden: a 0 among the scores is written, but hides nothing.
    """

    may: Callable[[int], Cells] = everyone
    at: str = ""
    fill: float = 0.0
    renormalise: bool = False
    hides: tuple[str, ...] = ()

    def written(self, stage: str, matrix: Matrix) -> Matrix:
        """Return a stage with this mask written over it, if it belongs there."""
        if stage != self.at:
            return matrix
        may = self.may(matrix.shape[-1])
        left = np.where(may, matrix, self.fill)
        if not self.renormalise:
            return left
        return np.where(may.any(axis=1, keepdims=True), divided_by_sum(left, -1), left)

    def visible(self, stage: str, n_tokens: int) -> Cells | None:
        """Return which cells of a stage are not hidden, or None where all are seen."""
        return self.may(n_tokens) if stage in self.hides else None


_WEIGHTS, _SCORES_AND_WEIGHTS = ("weights",), ("masked_scores", "weights")
MASKS = {
    "none": Mask(),
    "causal": Mask(causal_mask, "masked_scores", -np.inf, hides=_SCORES_AND_WEIGHTS),
    "zero_scores": Mask(causal_mask, "masked_scores", 0.0),
    "zero_weights": Mask(causal_mask, "weights", 0.0, hides=_WEIGHTS),
    "zero_weights_renormalised": Mask(causal_mask, "weights", 0.0, True, _WEIGHTS),
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
