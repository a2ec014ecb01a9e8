"""Slips that more than one chapter knows, with the sentences that name them."""

from __future__ import annotations

import numpy as np

from ...attention import softmax
from ...checks import Matrix
from .kinds import draw

KEEPDIMS = (
    "keepdims=True is missing: the row sums lie down as a row, and each column is"
    " divided by the sum of another word's row."
)
DOWN = (
    "The softmax runs down the columns: rows and columns are swapped. Each row asks, so"
    " each row sums to 1: axis=-1."
)
WHOLE_TABLE = (
    "This divides by the sum of the whole table. Each row is a question of its own,"
    " with a sum of its own: axis=-1."
)
NO_EXP = "The scores are divided by their sum without np.exp."
SHARES_ALREADY = (
    "The shares go through a softmax again. They sum to 1 already: take them as they"
    " are."
)
TRANSPOSED = "The attention weights are transposed: columns are taken for rows."
DIVIDED_AFTER = (
    "The division comes after the softmax, so the shares no longer sum to 1. Divide the"
    " scores, before the softmax."
)
ORDINARY = (
    "{0} is written over the scores of the future. It is an ordinary number, so e to"
    " the power of it is not 0, and a little of the future leaks. Use -np.inf."
)


def cosine(query: Matrix, embeddings: Matrix) -> Matrix:
    """Divide each dot product by both lengths."""
    lengths = np.linalg.norm(embeddings, axis=1) * np.linalg.norm(query)
    angles: Matrix = embeddings @ query / lengths
    return angles


def without_keepdims(scores: Matrix) -> Matrix:
    """Divide by row sums that have lost their column shape."""
    exponentials = np.exp(scores)
    shares: Matrix = exponentials / exponentials.sum(axis=-1)
    return shares


def highest_without_keepdims(scores: Matrix) -> Matrix:
    """Subtract row maxima that have lost their column shape."""
    return softmax(scores - scores.max(axis=-1))


def by_sum(scores: Matrix) -> Matrix:
    """Divide each row by its sum, without e."""
    shares: Matrix = scores / scores.sum(axis=-1, keepdims=True)
    return shares


def by_whole_sum(scores: Matrix) -> Matrix:
    """Divide all exponentials by the sum of the whole table."""
    shares: Matrix = np.exp(scores) / np.exp(scores).sum()
    return shares


def stable(scores: Matrix, highest: Matrix) -> Matrix:
    """Subtract something from the scores before the exponentials."""
    exponentials = np.exp(scores - highest)
    shares: Matrix = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return shares


def naive(scores: Matrix) -> Matrix:
    """Take the exponentials as they are."""
    return stable(scores, np.zeros(1, scores.dtype))


def tables(seed: int, n: int, d_k: int, d_v: int) -> dict[str, Matrix]:
    """Draw queries, keys and values."""
    drawn = draw(seed, n, d_k), draw(seed + 1, n, d_k), draw(seed + 2, n, d_v)
    return dict(zip(("queries", "keys", "values"), drawn, strict=True))
