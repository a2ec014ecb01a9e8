"""Chapter 5: a mask hides the future."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..attention import attention, causal_mask, softmax
from ..checks import Matrix
from .judge import FIVE, SIX, Case, Function, Judged, Note, Wrong, draw, leaks
from .judge.filling import as_hidden, hides_low_scores, what_hides
from .judge.ways import (
    DOWN,
    KEEPDIMS,
    NO_EXP,
    ORDINARY,
    TRANSPOSED,
    WHOLE_TABLE,
    by_sum,
    by_whole_sum,
    tables,
    without_keepdims,
)

FAR_BELOW = {
    "queries": np.array([[3.0, -3, 3], [0.5, 1, -1], [1, -0.5, 0.25]]),
    "keys": np.array([[-3.0, 3, -3], [0.1, 0.2, 0.1], [-0.2, 0.1, 0.3]]),
    "values": np.array([[1.0, -1], [-0.5, 1.5], [1.5, 0.5]]),
}
LARGE_FUTURE = {
    "queries": np.array([[30.0, 0], [1, 1]]),
    "keys": np.array([[0.1, 0.2], [45, 0.5]]),
    "values": np.array([[1.0], [-1]]),
}
SCORES_OF_0 = {
    "queries": np.array([[1.0, 0], [0, 3], [4, 1]]),
    "keys": np.array([[2.0, 0], [1, 2], [0, 1]]),
    "values": np.array([[1.0], [-1], [0.5]]),
}
VAST = {
    "queries": np.array([[1e5, 0], [0, 1]]),
    "keys": np.array([[-1e5, 0], [0, 1]]),
    "values": np.array([[1.0], [-1]]),
}
HOLES = np.array(
    [
        [True, False, True, True, False, True],
        [False, True, True, False, True, True],
        [True, True, False, True, False, False],
        [False, False, True, True, True, False],
        [True, False, False, True, True, True],
        [True, True, False, False, True, True],
    ]
)


def causal(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Compute scaled causal attention."""
    mask = causal_mask(len(queries))
    return attention(queries, keys, values, mask=mask).context


def scaled(q: Matrix, k: Matrix) -> Matrix:
    """Compute the scaled scores."""
    return attention(q, k, k).scaled_scores


def hidden(scores: Matrix, fill: float = -np.inf) -> Matrix:
    """Write `fill` over the scores of the future."""
    return np.where(causal_mask(len(scores)), scores, fill)


def shares_by(
    weights: Callable[[Matrix], Matrix], scale: Callable[..., float] | None = None
) -> Callable[..., Matrix]:
    """Return causal attention that makes its shares from the scores in another way."""

    def compute(q: Matrix, k: Matrix, v: Matrix) -> Matrix:
        scores = scaled(q, k) if scale is None else q @ k.T / scale(q, v)
        context: Matrix = weights(scores) @ v
        return context

    return compute


def plainly(scores: Matrix) -> Matrix:
    """Take the causal softmax."""
    return softmax(hidden(scores))


def without_0(scores: Matrix) -> Matrix:
    """Hide every score that is 0, whatever the mask says."""
    return np.where(scores == 0, -np.inf, scores)


def filled(fill: float) -> Callable[[Matrix], Matrix]:
    """Return the way that writes a number over the scores of the future."""
    return lambda scores: softmax(hidden(scores, fill))


def after_softmax(scores: Matrix) -> Matrix:
    """Set the future's attention weights to 0."""
    kept: Matrix = np.tril(softmax(scores))
    return kept


def renormalised(axis: int) -> Callable[[Matrix], Matrix]:
    """Return the way that sets them to 0 and divides by what is left."""

    def weights(scores: Matrix) -> Matrix:
        kept = after_softmax(scores)
        shares: Matrix = kept / kept.sum(axis=axis, keepdims=True)
        return shares

    return weights


def left(scores: Matrix) -> Matrix:
    """Take the softmax, also where a row has nothing left: 0 / 0."""
    exponentials = np.exp(scores)
    shares: Matrix = exponentials / exponentials.sum(axis=1, keepdims=True)
    return shares


ZERO_SCORES = (
    "0 is written over the scores of the future, and e to the power of 0 is 1: the"
    " future still gets a share. Only −inf becomes 0."
)
TIMES_INFINITY = (
    "0 times infinity is NaN, and one NaN spoils its whole row. Choose instead of"
    " multiplying: np.where(mask, scores, -np.inf)."
)
THE_PAST = (
    "The past is hidden instead of the future: the upper triangle is left. Row bank may"
    " look at columns up to bank."
)
NOT_ITSELF = (
    "A word may not look at itself here, so the first row has nothing left: 0 / 0, NaN."
    " The diagonal stays."
)
HIDES_0 = (
    "A score of exactly 0 is hidden as well, though its word may be seen. Ask the mask,"
    " not the score: np.where(mask, scores, -np.inf)."
)
ONE_AHEAD = (
    "Each word may look at the one after it: the triangle reaches one diagonal too far."
)


EXERCISES = (
    Function(
        name="causal mask",
        call="my_mask(n_tokens)",
        returns="a square table, True where the row's word may look at the column's",
        right=causal_mask,
        without=("causal_mask",),
        cases=(
            Case({"n_tokens": 5}, FIVE, FIVE),
            Case({"n_tokens": 6}, SIX, SIX),
            Case({"n_tokens": 2}),
        ),
        nudge="Each row asks: its word may look at itself and at the columns before"
        " it.",
        wrong=(
            Wrong(lambda n: np.tri(n).T, THE_PAST),
            Wrong(lambda n: np.tri(n, k=-1), NOT_ITSELF),
            Wrong(lambda n: np.tri(n, k=1), ONE_AHEAD),
            Wrong(
                lambda n: 1 - np.tri(n),
                "True and False are the wrong way round: True means may look. Here it"
                " marks what is hidden.",
            ),
            Wrong(
                lambda n: np.ones((n, n)),
                "Everything may be looked at: nothing is hidden.",
            ),
            Wrong(lambda n: np.zeros((n, n)), "Everything is hidden, in every row."),
            Wrong(
                np.eye, "Each word sees itself alone. The words before it count too."
            ),
            Wrong(
                lambda n: np.where(np.tri(n), 0, -np.inf),
                "This is what could be added to the scores. A mask holds True and"
                " False.",
            ),
            Wrong(
                lambda n: np.fliplr(np.tri(n)),
                "The triangle is mirrored left to right: the first word sees the last.",
            ),
            Wrong(
                lambda n: np.tri(n)[-1],
                "This is one row. Every word has a row of its own.",
            ),
        ),
    ),
    Function(
        name="masked scores",
        call="my_masked_scores(scores, mask)",
        returns="the scores, with −∞ wherever the mask is False",
        right=lambda scores, mask: np.where(mask, scores, -np.inf),
        tidy=as_hidden,
        cases=(
            Case({"scores": draw(101, 5, 5), "mask": causal_mask(5)}, FIVE, FIVE),
            Case({"scores": draw(102, 6, 6), "mask": HOLES}, SIX, SIX),
            Case({"scores": draw(103, 5, 5).round(), "mask": causal_mask(5)}),
        ),
        nudge="Where the mask is True keep the score, elsewhere write -np.inf:"
        " np.where(condition, this, that).",
        reads=what_hides,
        wrong=(
            Wrong(lambda scores, mask: np.where(mask, scores, 0), ZERO_SCORES),
            Wrong(
                lambda scores, mask: np.where(mask, scores, np.inf),
                "This writes plus infinity, which takes the whole share. Hide with"
                " -np.inf.",
            ),
            Wrong(
                lambda scores, mask: np.where(mask, scores, np.nan),
                "NaN spoils the whole row in the softmax. Hide with -np.inf.",
            ),
            Wrong(
                lambda scores, mask: np.where(mask, -np.inf, scores),
                "The mask is turned round: what may be looked at is hidden. True means"
                " may look.",
            ),
            Wrong(lambda scores, mask: scores + -np.inf * ~mask, TIMES_INFINITY),
            Wrong(lambda scores, mask: scores * mask + -np.inf * ~mask, TIMES_INFINITY),
            Wrong(
                lambda scores, mask: scores * np.where(mask, 1, -np.inf),
                "The scores are multiplied by −inf, and a negative score then becomes"
                " plus infinity. Replace the score: np.where(mask, scores, -np.inf).",
            ),
            Wrong(
                lambda scores, mask: np.where(mask, 0, -np.inf),
                "The scores themselves are gone: keep them where the mask is True.",
            ),
            Wrong(
                lambda scores, mask: np.where(mask.T, scores, -np.inf),
                "The mask is transposed: rows and columns are swapped.",
            ),
            Wrong(
                lambda scores, mask: softmax(np.where(mask, scores, -np.inf)),
                "The softmax is applied already. Here the masked scores are asked for.",
            ),
            Wrong(
                lambda scores, mask: hidden(scores),
                "The mask is not used: the future is hidden, whatever mask the function"
                " is given.",
            ),
            Wrong(lambda scores, mask: scores, "The scores come back unmasked."),
            Wrong(lambda scores, mask: without_0(scores * mask), HIDES_0),
            Wrong(
                lambda scores, mask: np.where(mask, scores, np.min(scores)),
                "The lowest score is written where the mask is False. It is an ordinary"
                " score. Use -np.inf.",
            ),
            Wrong(
                lambda scores, mask: scores[mask],
                "scores[mask] picks the visible scores into one row. The table keeps"
                " its size.",
            ),
        ),
    ),
    Function(
        name="masked attention",
        call="causal_attention(queries, keys, values)",
        returns="one context for each word, as wide as the values",
        right=causal,
        cases=(
            Case(tables(110, 5, 3, 4), FIVE),
            Case(tables(120, 6, 5, 3), SIX),
            Case(FAR_BELOW, FIVE),
            Case(SCORES_OF_0, FIVE),
        ),
        nudge="Scale the scores, write −inf over the future, then take the softmax of"
        " each row and mix the values.",
        wrong=(
            Wrong(
                lambda q, k, v: attention(q, k, v).context,
                "Nothing is masked: every word still looks at the future.",
            ),
            Wrong(
                shares_by(after_softmax),
                "The mask comes after the softmax: the future has had its part in the"
                " sums, so the rows no longer sum to 1 and later words still move"
                " earlier contexts. Mask the scores, before the softmax.",
            ),
            Wrong(shares_by(lambda s: softmax(np.tril(s))), ZERO_SCORES),
            Wrong(shares_by(lambda s: left(without_0(np.tril(s)))), HIDES_0),
            Wrong(
                shares_by(renormalised(0)),
                "After the mask, each column is divided by its sum. Rows ask, so rows"
                " have to sum to 1.",
            ),
            Wrong(
                shares_by(lambda s: after_softmax(s) / after_softmax(s).sum(axis=1)),
                KEEPDIMS,
            ),
            Wrong(
                lambda q, k, v: plainly(q @ k.T) @ v / np.sqrt(q.shape[1]),
                "The division comes after the softmax, so the shares no longer sum to"
                " 1. Divide the scores, before the softmax.",
            ),
            Wrong(shares_by(lambda s: softmax(hidden(s), axis=0)), DOWN),
            Wrong(
                shares_by(lambda s: np.tril(softmax(s, axis=0))),
                DOWN + " And the mask comes after the softmax.",
            ),
            Wrong(shares_by(lambda s: without_keepdims(hidden(s))), KEEPDIMS),
            Wrong(shares_by(lambda s: by_whole_sum(hidden(s))), WHOLE_TABLE),
            Wrong(
                shares_by(lambda s: by_sum(np.tril(s))),
                NO_EXP + " e to the power of −inf is 0, so the mask comes before.",
            ),
            Wrong(
                shares_by(lambda s: softmax(np.where(np.tri(len(s)).T, s, -np.inf))),
                THE_PAST,
            ),
            Wrong(
                shares_by(lambda s: left(np.where(np.tri(len(s), k=-1), s, -np.inf))),
                NOT_ITSELF,
            ),
            Wrong(
                shares_by(
                    lambda s: np.nan_to_num(
                        left(np.where(np.tri(len(s), k=-1), s, -np.inf))
                    )
                ),
                "A word may not look at itself here, so the first one looks at nothing."
                " The diagonal stays: [: i + 1] goes up to word i and includes it.",
            ),
            Wrong(
                shares_by(lambda s: softmax(np.where(np.tri(len(s), k=1), s, -np.inf))),
                ONE_AHEAD,
            ),
            Wrong(
                shares_by(lambda s: left(np.where(np.tri(len(s)), -np.inf, s))),
                "The mask is turned round: what may be looked at is hidden, and the"
                " last row has nothing left.",
            ),
            Wrong(
                shares_by(lambda s: s * np.nan),
                "Every number is NaN. " + TIMES_INFINITY,
            ),
            *(
                Wrong(
                    shares_by(filled(fill)),
                    ORDINARY.format(f"−{-fill}"),
                )
                for fill in (-1, -5, -9, -10, -20)
            ),
            Wrong(
                shares_by(plainly, lambda q, v: 1),
                "The scores are not divided by the square root of d_k.",
            ),
            Wrong(
                shares_by(plainly, lambda q, v: q.shape[1]),
                "This divides by d_k in all. Divide once, by the square root of d_k.",
            ),
            Wrong(
                shares_by(plainly, lambda q, v: np.sqrt(len(q))),
                "This divides by the square root of the number of words, not of d_k.",
            ),
            Wrong(
                shares_by(plainly, lambda q, v: np.sqrt(v.shape[1])),
                "This divides by the square root of d_v, not of d_k.",
            ),
            Wrong(
                shares_by(after_softmax, lambda q, v: 1),
                "The mask comes after the softmax, and the scores are not divided.",
            ),
            Wrong(
                lambda q, k, v: causal(k, q, v),
                "Queries and keys are swapped: rows ask, so it is queries @ keys.T.",
            ),
            Wrong(
                lambda q, k, v: plainly(scaled(q, k)).T @ v,
                TRANSPOSED,
            ),
            Wrong(
                lambda q, k, v: plainly(scaled(q, k)),
                "These are the attention weights. One step is left: times the values.",
            ),
            Wrong(
                lambda q, k, v: q @ k,
                "queries @ keys does not fit: each query meets each key, row with row,"
                " so keys needs .T.",
            ),
        ),
        also=hides_low_scores,
        notes=(
            Note(
                LARGE_FUTURE,
                shares_by(renormalised(1)),
                "One thing to know: dividing the rows again after the softmax works"
                " until a hidden score is about 900 above the rest. Then every visible"
                " share is 0, and 0 / 0 is NaN. Masking the scores has no such limit.",
            ),
            Note(
                VAST,
                shares_by(lambda s: softmax(hidden(s, -1e9))),
                "One thing to know: a number such as −1e9 hides as well as −inf while"
                " it replaces the score and the visible scores stay far above it.",
            ),
        ),
    ),
    Judged(name="leaks", judge=leaks.judge),
)
