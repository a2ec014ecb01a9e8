"""Chapter 4: scores divided by the square root of d_k."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..attention import attention, softmax
from ..checks import Matrix
from .judge import FIVE, SIX, Case, Function, Wrong, draw, spread
from .judge.ways import (
    DIVIDED_AFTER,
    DOWN,
    KEEPDIMS,
    NO_EXP,
    TRANSPOSED,
    WHOLE_TABLE,
    by_sum,
    by_whole_sum,
    naive,
    stable,
    tables,
    without_keepdims,
)


def sizes(seed: int, n: int, d_in: int, d_k: int, d_v: int) -> dict[str, Matrix]:
    """Draw embeddings, queries, keys and values."""
    return {"embeddings": draw(seed, n, d_in), **tables(seed + 1, n, d_k, d_v)}


def context(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Compute scaled dot-product attention."""
    return attention(queries, keys, values).context


def divided(by: Callable[[Matrix, Matrix], float]) -> Callable[..., Matrix]:
    """Return attention whose scores are divided by something else."""

    def compute(q: Matrix, k: Matrix, v: Matrix) -> Matrix:
        return attention(q, k, v, scale=1 / by(q, v)).context

    return compute


def at(scores: Matrix, place: str) -> Matrix:
    """Return one score of each row, in a column."""
    k = {"first": 0, "middle": scores.shape[1] // 2, "last": -1}[place]
    return scores[:, [k]]


OWN_LARGEST = "Subtract from each row its own largest score: axis=-1, keepdims=True."
LOWEST_AT_EACH_PLACE = np.full((4, 4), 3000.0) - 3000 * np.eye(4)
LOWEST_AT_EACH_PLACE[:, 0] += 1
WAYS = (
    Wrong(
        divided(lambda q, v: 1),
        "The scores are not divided by the square root of d_k.",
    ),
    Wrong(
        divided(lambda q, v: q.shape[1]),
        "This divides by d_k in all: either the root is missing, or it divides twice."
        " Divide once, by the square root of d_k.",
    ),
    Wrong(
        divided(lambda q, v: np.sqrt(2)),
        "This divides by the square root of 2, whatever the sizes. In chapter 3 that"
        " was d_k. Ask the queries how many columns they have.",
    ),
    Wrong(
        divided(lambda q, v: np.sqrt(v.shape[1])),
        "This divides by the square root of d_v, not of d_k. d_v is the width of the"
        " values; the dot products are as long as queries and keys.",
    ),
    Wrong(
        divided(lambda q, v: np.sqrt(len(q))),
        "This divides by the square root of the number of words, not of d_k. len(...)"
        " counts rows; d_k counts columns: queries.shape[1].",
    ),
    Wrong(
        divided(lambda q, v: len(q)),
        "This divides by the number of words. Divide by the square root of d_k, the"
        " number of columns of queries and keys.",
    ),
    Wrong(
        divided(lambda q, v: 1 / np.sqrt(q.shape[1])),
        "This multiplies by the square root of d_k. Divide by it.",
    ),
    Wrong(
        lambda q, k, v: attention(q, k, v, scale=1).context / np.sqrt(q.shape[1]),
        DIVIDED_AFTER,
    ),
    Wrong(
        lambda q, k, v: context(q, k, v) / np.sqrt(q.shape[1]),
        "The root divides twice, before the softmax and after it. Once before is"
        " enough.",
    ),
    Wrong(
        lambda q, k, v: (
            softmax(attention(q, k, v).scores, axis=0) @ v / np.sqrt(q.shape[1])
        ),
        DOWN + " And the division comes after the softmax.",
    ),
    Wrong(
        lambda q, k, v: softmax(attention(q, k, v).scores, axis=0) @ v,
        DOWN + " And the scores are not divided.",
    ),
    Wrong(
        lambda q, k, v: softmax(attention(q, k, v).scaled_scores, axis=0) @ v,
        DOWN,
    ),
    Wrong(
        lambda q, k, v: without_keepdims(attention(q, k, v).scaled_scores) @ v,
        KEEPDIMS,
    ),
    Wrong(
        lambda q, k, v: by_whole_sum(attention(q, k, v).scaled_scores) @ v,
        WHOLE_TABLE,
    ),
    Wrong(
        lambda q, k, v: by_sum(attention(q, k, v).scaled_scores) @ v,
        NO_EXP,
    ),
    Wrong(
        lambda q, k, v: attention(k, q, v).context,
        "Queries and keys are swapped: rows ask, so it is queries @ keys.T.",
    ),
    Wrong(
        lambda q, k, v: attention(q, q, v).context,
        "Queries meet queries. Every query meets every key.",
    ),
    Wrong(
        lambda q, k, v: attention(k, k, v).context,
        "Keys meet keys. Every query meets every key.",
    ),
    Wrong(
        lambda q, k, v: attention(q, k, k).context,
        "The keys are averaged. What is mixed is the values.",
    ),
    Wrong(
        lambda q, k, v: attention(q, k, v).weights.T @ v,
        TRANSPOSED,
    ),
    Wrong(
        lambda q, k, v: attention(q, k, v).scaled_scores @ v,
        "The softmax is missing: these are scores times values.",
    ),
    Wrong(
        lambda q, k, v: attention(q, k, v).weights,
        "These are the attention weights. One step is left: times the values.",
    ),
    Wrong(
        lambda q, k, v: attention(q, k, v).scaled_scores,
        "These are the scaled scores. The softmax and the average are left.",
    ),
    Wrong(
        lambda q, k, v: q @ k,
        "queries @ keys does not fit: each query meets each key, row with row, so keys"
        " needs .T.",
    ),
    Wrong(
        lambda q, k, v: attention(q, k, v).weights @ v.T,
        "values needs no .T: its rows are the words that the attention weights mix.",
    ),
    Wrong(
        lambda q, k, v: v @ attention(q, k, v).weights,
        "The order is reversed: the attention weights go before the values.",
    ),
)

EXERCISES = (
    Function(
        name="divisor",
        call="my_divisor(embeddings, queries, keys, values)",
        returns="one number",
        right=lambda X, q, k, v: np.sqrt(q.shape[1]),
        cases=(Case(sizes(61, 7, 4, 3, 5)), Case(sizes(71, 5, 8, 6, 3))),
        nudge="How many products does one dot product of a query and a key add up? Take"
        " the square root of that.",
        wrong=(
            Wrong(
                lambda X, q, k, v: np.sqrt(len(X)),
                "This is the square root of the number of words. A dot product is as"
                " long as a query, whatever the number of words: len(...) counts rows,"
                " .shape[1] columns.",
            ),
            Wrong(
                lambda X, q, k, v: np.sqrt(X.shape[1]),
                "This is the square root of d_in, the width of the embeddings. The dot"
                " products are taken after the weight matrices.",
            ),
            Wrong(
                lambda X, q, k, v: np.sqrt(v.shape[1]),
                "This is the square root of d_v, the width of the values. The values"
                " take no part in the dot products.",
            ),
            Wrong(
                lambda X, q, k, v: q.shape[1],
                "This is d_k itself. The root is missing: np.sqrt.",
            ),
            Wrong(
                lambda X, q, k, v: len(X),
                "This is the number of words: len(...) counts rows. Take the square"
                " root of the number of columns of the queries.",
            ),
            Wrong(
                lambda X, q, k, v: X.shape[1],
                "This is d_in, the width of the embeddings, and the root is missing.",
            ),
            Wrong(
                lambda X, q, k, v: v.shape[1],
                "This is d_v, the width of the values, and the root is missing.",
            ),
            Wrong(
                lambda X, q, k, v: 1 / np.sqrt(q.shape[1]),
                "That is what the scores are multiplied by. Here the divisor is asked"
                " for.",
            ),
            Wrong(
                lambda X, q, k, v: np.sqrt(q.size),
                "q.size counts all numbers of all queries. One dot product uses one"
                " row.",
            ),
            Wrong(
                lambda X, q, k, v: q.shape[1] ** 2,
                "This is the square of d_k. Take the square root.",
            ),
            Wrong(
                lambda X, q, k, v: (q @ k.T).std(),
                "This is how far these dot products spread. Other numbers would spread"
                " otherwise; the divisor depends on d_k alone: it is the root of it.",
            ),
            Wrong(
                lambda X, q, k, v: np.sqrt(2),
                "This is the square root of 2, whatever the sizes. Ask the queries how"
                " many columns they have.",
            ),
        ),
    ),
    Function(
        name="stable softmax",
        call="my_softmax(scores)",
        returns="a table of the same size, in which every row sums to 1",
        right=softmax,
        without=("softmax",),
        cases=(
            Case({"scores": draw(81, 3, 5)}),
            Case({"scores": np.array([[100.0, 101, 99]])}),
            Case({"scores": np.array([[720.0, 719, 718, 717]])}),
            Case({"scores": np.array([[1000.0, 1001, 999]])}),
            Case({"scores": np.array([[0.0, 1, 2], [2000, 2001, 2002]])}),
            Case({"scores": np.array([[-1e5, 0, 1e5], [1, 0, 2]])}),
            Case({"scores": np.array([[-800.0, -801, -799]])}),
            Case({"scores": np.array([[-2000.0, 0, 1]])}),
            Case({"scores": np.array([[800.0, 0, 1, 2, -3], [0, 1, 2, 3, 4]])}),
            Case({"scores": np.array([[-9001.0, -9000], [-3, -4], [-7000, -7002]])}),
            Case({"scores": LOWEST_AT_EACH_PLACE}),
            Case({"scores": np.array([[0.0, 2999, 1, 1, 0], [3, 2, 1, 3001, 0]])}),
        ),
        nudge="Each row has its own largest score, subtracted before np.exp, and then"
        " its own sum: axis=-1, keepdims=True for both.",
        wrong=(
            Wrong(
                naive,
                "e to the power of a large score overflows to infinity, and inf / inf"
                " is NaN. Adding the same number to all scores of a row changes no"
                " share: make the largest one 0.",
            ),
            Wrong(
                lambda scores: naive(scores.astype(np.float32)),
                "float32 overflows above 88, float64 above 709. Another kind of float"
                f" is no cure. {OWN_LARGEST}",
            ),
            Wrong(
                lambda scores: stable(scores, scores.max()),
                "The largest score of the whole table is subtracted: a row far below it"
                f" becomes 0 / 0. {OWN_LARGEST}",
            ),
            Wrong(
                lambda scores: stable(scores, scores.min(axis=-1, keepdims=True)),
                "The smallest score is subtracted, so the largest one may still"
                f" overflow. {OWN_LARGEST}",
            ),
            Wrong(
                lambda scores: stable(scores, scores.min()),
                "The smallest score of the whole table is subtracted, so others still"
                f" overflow. {OWN_LARGEST}",
            ),
            Wrong(
                lambda scores: stable(scores, scores.mean(axis=-1, keepdims=True)),
                "The mean is subtracted, so the largest score may still overflow."
                f" {OWN_LARGEST}",
            ),
            Wrong(
                lambda scores: stable(
                    scores, np.maximum(scores.max(axis=-1, keepdims=True), 0)
                ),
                "From a row of negative scores nothing, or 0, is subtracted. Far below"
                f" 0 every exponential is 0, and 0 / 0 is NaN. {OWN_LARGEST}",
            ),
            Wrong(
                lambda scores: stable(scores, np.abs(scores).max(-1, keepdims=True)),
                "The largest size of a score is subtracted, without its sign. Far below"
                f" 0 every exponential is 0, and 0 / 0 is NaN. {OWN_LARGEST}",
            ),
            *(
                Wrong(
                    lambda scores, place=place: stable(scores, at(scores, place)),
                    f"The {place} score of each row is subtracted, so one that is far"
                    f" larger still overflows. {OWN_LARGEST}",
                )
                for place in ("first", "last", "middle")
            ),
            Wrong(
                lambda scores: stable(scores, scores.max(axis=0)),
                "The largest score of each column is subtracted. That changes the"
                f" shares. {OWN_LARGEST}",
            ),
            Wrong(
                lambda scores: naive(
                    scores / np.abs(scores).max(axis=-1, keepdims=True)
                ),
                "The scores are divided by the largest one, which changes the shares."
                " Subtract it.",
            ),
            *(
                Wrong(
                    lambda scores, least=least: naive(np.clip(scores, least, 700)),
                    "Large scores are cut off, so those that differ become equal."
                    f" {OWN_LARGEST}",
                )
                for least in (-700, None)
            ),
            Wrong(
                lambda scores: np.nan_to_num(naive(scores)),
                "The NaN are replaced, but the shares they stood for are lost."
                f" {OWN_LARGEST}",
            ),
            Wrong(
                lambda scores: scores - scores.max(axis=-1, keepdims=True),
                "The largest score is subtracted. The softmax itself is still missing.",
            ),
            Wrong(
                lambda scores: np.exp(scores - scores.max(axis=-1, keepdims=True)),
                "The exponentials are not divided: each row of shares sums to 1.",
            ),
            Wrong(lambda scores: softmax(scores, axis=0), DOWN),
            Wrong(
                lambda scores: softmax(scores.ravel()).reshape(scores.shape),
                WHOLE_TABLE,
            ),
            Wrong(by_whole_sum, WHOLE_TABLE),
            Wrong(by_sum, NO_EXP),
            Wrong(
                lambda scores: scores - scores.max(axis=-1),
                "keepdims=True is missing where the largest is taken: the largest"
                " scores must stay in a column, one beside each row.",
            ),
            *(
                Wrong(
                    lambda scores, highest=highest: without_keepdims(
                        scores - highest(scores)
                    ),
                    "keepdims=True is missing where the sum is taken: the sums must"
                    " stay in a column, one beside each row.",
                )
                for highest in (
                    lambda scores: scores.max(axis=-1, keepdims=True),
                    lambda scores: scores.max(),
                    lambda scores: 0,
                )
            ),
        ),
    ),
    Function(
        name="scaled attention",
        call="my_attention(queries, keys, values)",
        returns="one context for each word, as wide as the values",
        right=context,
        cases=(Case(tables(90, 5, 3, 4), FIVE), Case(tables(95, 6, 5, 3), SIX)),
        nudge="The scores of queries and keys, divided by the square root of d_k; the"
        " softmax of each row; the attention weights times the values.",
        wrong=WAYS,
    ),
    Function(
        name="spread",
        call="my_spread(d_k, rng)",
        returns="one number, the standard deviation of the dot products",
        right=lambda d_k, rng: np.sqrt(d_k),
        cases=(
            Case({"d_k": 60, "rng": np.random.default_rng(1)}),
            Case({"d_k": 100, "rng": np.random.default_rng(1)}),
        ),
        nudge="Draw rng.normal(size=(1000, d_k)) twice, multiply, add up along each"
        " row, and take the standard deviation of the 1000 sums: .std().",
        rtol=0.1,  # 1000 draws miss by 0.022, as a rule
        alike=spread.nearly,
        also=spread.drawn_and_multiplied,
        random=True,
        wrong=(
            Wrong(
                lambda d_k, rng: d_k,
                "This is the variance, the spread squared. Take the standard deviation:"
                " .std(), or the square root of .var().",
            ),
            Wrong(
                lambda d_k, rng: np.sqrt(7 / 144 * d_k),
                "So little spread comes of numbers between 0 and 1: rng.random, or"
                " rand. Draw them around 0 with spread 1: rng.normal.",
            ),
            Wrong(
                lambda d_k, rng: np.sqrt(d_k) / 3,
                "So little spread comes of numbers drawn evenly between −1 and 1, whose"
                " own spread is smaller than 1. Use rng.normal.",
            ),
            Wrong(
                lambda d_k, rng: 1.0,
                "The spread of single numbers, or of dot products that are divided,"
                " stays 1. Measure the dot products before any division.",
            ),
            Wrong(
                lambda d_k, rng: np.sqrt(2 / np.pi * d_k),
                "This is the mean size of the dot products. Take their standard"
                " deviation: .std().",
            ),
            Wrong(
                lambda d_k, rng: np.sqrt(2 * d_k),
                "Dot products of rows with themselves spread so far, and sums of"
                " queries and keys. Draw the keys by themselves, and multiply.",
            ),
            Wrong(
                lambda d_k, rng: 1 / np.sqrt(d_k),
                "The means of the products spread so little. A dot product is their"
                " sum.",
            ),
            Wrong(
                lambda d_k, rng: 0.0,
                "The mean of the dot products is about 0, and so is the spread of a"
                " single one. Take the standard deviation over many.",
            ),
        ),
    ),
)
