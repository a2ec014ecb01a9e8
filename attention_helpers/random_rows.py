"""Attention from random queries: what becomes of a row as queries and keys grow longer.

The numbers come from a small generator of our own, written once more in
`static/rows.js`: the laboratory of chapter 4 draws the same ones in the browser.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .attention import softmax
from .checks import MOST_SEED, Matrix, check_whole
from .facts import DRAWN

N_KEYS: int = DRAWN["keys"]
LEAST_D_K: int = DRAWN["least_d_k"]
MOST_D_K: int = DRAWN["most_d_k"]
ROWS: int = DRAWN["rows"]
SEED: int = DRAWN["seed"]  # its averages are close to those of many more rows

DIVIDE_BY: dict[str, Callable[[int], float]] = {
    "1": lambda d_k: 1.0,
    "sqrt_d_k": np.sqrt,
    "d_k": float,
}


class AverageRow(NamedTuple):
    """What many rows of attention weights have in common.

    >>> average_rows(2)["1"].weights.round(2).tolist()
    [0.46, 0.22, 0.13, 0.09, 0.06, 0.04]
    """

    weights: Matrix  # (6,), of each row the largest first
    effective_words: float  # exp of the entropy: 6 where all are equal, 1 where one is
    frozen: float  # the share of rows that a nudge of the query does not move


def effective_words(weights: Matrix) -> Matrix:
    """Count the words that rows of attention weights look at, along the last axis.

    >>> effective_words(np.array([[0.5, 0.5, 0, 0], [1, 0, 0, 0]])).round(9).tolist()
    [2.0, 1.0]
    """
    logarithms = np.log(np.where(weights > 0, weights, 1))  # 0 times its own is 0
    counted: Matrix = np.exp(-(weights * logarithms).sum(axis=-1))
    return counted


def random_rows(d_k: int, rows: int = ROWS, seed: int = SEED) -> tuple[Matrix, Matrix]:
    """Draw queries, each with six keys; the numbers have mean 0 and spread 1.

    Returns ``(rows, d_k)`` queries and ``(rows, 6, d_k)`` keys. A larger `d_k` has the
    same numbers and some more behind them.
    """
    pairs = np.arange((d_k + 1) // 2, dtype=np.uint32)
    places = np.arange(rows * (1 + N_KEYS), dtype=np.uint32)[:, None]
    counts = 2 * (places * np.uint32(MOST_D_K // 2) + pairs)  # one for each number
    key = _mix(np.array([seed ^ 0x9E3779B9], dtype=np.uint32))
    near, turn = ((_mix((counts + i) ^ key) + 0.5) / 2**32 for i in (0, 1))
    radius, angle = np.sqrt(-2 * np.log(near)), 2 * np.pi * turn  # Box and Muller's
    both = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    drawn = both.reshape(rows, 1 + N_KEYS, -1)[..., :d_k]
    return drawn[:, 0], drawn[:, 1:]


def _mix(bits: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Make numbers that look random of numbers that count (Wellons' lowbias32)."""
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        bits = (bits ^ (bits >> np.uint32(shift))) * np.uint32(factor)
    return bits ^ (bits >> np.uint32(16))


def average_rows(
    d_k: int, *, rows: int = ROWS, seed: int = SEED
) -> dict[str, AverageRow]:
    """Average rows of attention weights of random queries, their scores divided.

    Each query and each of its six keys has `d_k` independent random numbers with mean 0
    and spread 1.

    Parameters
    ----------
    d_k : int
        How long queries and keys are, 2 to 512.
    rows : int
        How many queries ask, 1 to 1000.
    seed : int
        Which random numbers, 0 to 4294967295.

    Returns
    -------
    dict of AverageRow
        Of scores divided by ``"1"``, ``"sqrt_d_k"`` and ``"d_k"``: the average
        ``weights``, of each row the largest first; the average of ``effective_words``;
        the share of rows that are ``frozen``: one number of the query is nudged by 0.1,
        and no attention weight moves by as much as 0.0001.

    Raises
    ------
    ValueError
        For anything but whole numbers in range.

    Examples
    --------
    >>> {by: round(row.effective_words, 1) for by, row in average_rows(512).items()}
    {'1': 1.1, 'sqrt_d_k': 4.4, 'd_k': 6.0}
    """
    given = {"d_k": d_k, "rows": rows, "seed": seed}
    d_k, rows, seed = (check_draw(name, number) for name, number in given.items())
    queries, keys = random_rows(d_k, rows, seed)
    scores = np.einsum("rjk,rk->rj", keys, queries)
    nudged = scores + DRAWN["nudge"] * keys[:, :, 0]
    return {
        name: _average(scores / by(d_k), nudged / by(d_k))
        for name, by in DIVIDE_BY.items()
    }


def _average(scores: Matrix, nudged: Matrix) -> AverageRow:
    weights = softmax(scores)
    moved = abs(softmax(nudged) - weights).max(axis=1)
    return AverageRow(
        np.sort(weights)[:, ::-1].mean(axis=0),
        float(effective_words(weights).mean()),
        float((moved < DRAWN["frozen"]).mean()),
    )


_RANGES = {
    "d_k": (LEAST_D_K, MOST_D_K),
    "rows": (1, DRAWN["most_rows"]),
    "seed": (0, MOST_SEED),
}


def check_draw(name: str, given: object) -> int:
    """Return one of the whole numbers that say what is drawn, or raise."""
    least, most = _RANGES[name]
    return check_whole(name, given, least=least, most=most)
