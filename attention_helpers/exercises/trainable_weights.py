"""Chapter 3: trainable weight matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..attention import attention, self_attention, softmax
from ..checks import Matrix
from . import goal
from .all_words import DOWN, KEEPDIMS, WHOLE_TABLE, without_keepdims
from .kinds import FIVE, SIX, Case, Function, Judged, Wrong, draw

NAMES = ("embeddings", "W_query", "W_key", "W_value")


def tables(seed: int, n: int, d_in: int, d_k: int, d_v: int) -> dict[str, Matrix]:
    """Draw embeddings and three weight matrices."""
    shapes = ((n, d_in), (d_in, d_k), (d_in, d_k), (d_in, d_v))
    drawn = (draw(seed + k, *shape) for k, shape in enumerate(shapes))
    return dict(zip(NAMES, drawn, strict=True))


def context(
    embeddings: Matrix, W_query: Matrix, W_key: Matrix, W_value: Matrix
) -> Matrix:
    """Compute the contexts, scores divided by the square root of d_k."""
    return self_attention(embeddings, W_query, W_key, W_value).context


def shares(X: Matrix, Wq: Matrix, Wk: Matrix) -> Matrix:
    """Compute the attention weights."""
    return attention(X @ Wq, X @ Wk, X).weights


def scaled(X: Matrix, Wq: Matrix, Wk: Matrix) -> Matrix:
    """Compute the scores, divided by the square root of d_k."""
    return attention(X @ Wq, X @ Wk, X).scaled_scores


def divided(by: Callable[[Matrix, Matrix, Matrix], float]) -> Callable[..., Matrix]:
    """Return self-attention whose scores are divided by something else."""

    def compute(X: Matrix, Wq: Matrix, Wk: Matrix, Wv: Matrix) -> Matrix:
        return self_attention(X, Wq, Wk, Wv, scale=1 / by(X, Wq, Wv)).context

    return compute


WAYS = (
    Wrong(
        lambda X, Wq, Wk, Wv: shares(X, Wq, Wk) @ X,
        "The attention weights are applied to the embeddings. They are applied to the"
        " values, embeddings @ W_value.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: shares(X, Wq, Wk) @ X @ Wk,
        "The keys are averaged. What is mixed is the values, embeddings @ W_value.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: shares(X, Wq, Wk) @ X @ Wq,
        "The queries are averaged. What is mixed is the values, embeddings @ W_value.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: context(X, Wq, Wq, Wv),
        "The keys are made with W_query, so every word offers what it asks for. Make"
        " them with W_key.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: context(X, Wk, Wk, Wv),
        "The queries are made with W_key, so every word asks for what it offers. Make"
        " them with W_query.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: context(X, Wk, Wq, Wv),
        "Queries and keys are swapped: rows ask, so it is queries @ keys.T, and queries"
        " come from W_query.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: shares(X, Wq, Wk).T @ X @ Wv,
        "The attention weights are transposed: columns are taken for rows.",
    ),
    Wrong(lambda X, Wq, Wk, Wv: softmax(scaled(X, Wq, Wk), axis=0) @ X @ Wv, DOWN),
    Wrong(lambda X, Wq, Wk, Wv: without_keepdims(scaled(X, Wq, Wk)) @ X @ Wv, KEEPDIMS),
    Wrong(
        lambda X, Wq, Wk, Wv: (
            np.exp(scaled(X, Wq, Wk)) @ X @ Wv / np.exp(scaled(X, Wq, Wk)).sum()
        ),
        WHOLE_TABLE,
    ),
    Wrong(
        divided(lambda X, Wq, Wv: 1),
        "The scores are not divided. This chapter divides them by the square root of 2,"
        " which is d_k.",
    ),
    Wrong(
        divided(lambda X, Wq, Wv: Wq.shape[1]),
        "The scores are divided by d_k itself. Divide by its square root.",
    ),
    Wrong(
        divided(lambda X, Wq, Wv: np.sqrt(X.shape[1])),
        "The scores are divided by the square root of d_in, not of d_k, the number of"
        " columns of queries and keys.",
    ),
    Wrong(
        divided(lambda X, Wq, Wv: np.sqrt(Wv.shape[1])),
        "The scores are divided by the square root of d_v, not of d_k, the number of"
        " columns of queries and keys.",
    ),
    Wrong(
        divided(lambda X, Wq, Wv: np.sqrt(len(X))),
        "The scores are divided by the square root of the number of words, not of d_k,"
        " the number of columns of queries and keys.",
    ),
    Wrong(
        divided(lambda X, Wq, Wv: 1 / np.sqrt(Wq.shape[1])),
        "The scores are multiplied by the square root of d_k. Divide by it.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: scaled(X, Wq, Wk) @ X @ Wv,
        "The softmax is missing: these are scores times values.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: shares(X, Wq, Wk),
        "These are the attention weights. One step is left: times the values.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: X @ Wv,
        "These are the values. They still have to be mixed: attention weights @"
        " values.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: softmax(X @ X.T / np.sqrt(Wq.shape[1])) @ X @ Wv,
        "The scores come from the embeddings. They come from queries and keys.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: (X @ Wq) @ (X @ Wk),
        "Either keys needs .T, as in queries @ keys.T, since rows meet rows; or a"
        " weight matrix stands before the embeddings, where it belongs after them.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: Wv @ X,
        "The order is reversed: embeddings go first, embeddings @ W_value.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: X @ Wq.T,
        "The .T is one too many: embeddings @ W, as the weight matrix stands.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: X @ Wv.T,
        "The .T is one too many: embeddings @ W_value, as the weight matrix stands.",
    ),
)

TASK = (
    "Queries, keys and values; the scores of queries and keys, divided; the softmax of"
    " each row; the attention weights times the values."
)


class AsFunction:
    """A class as a function: of the weight matrices, then of the embeddings.

    A second object is made as well, which must not disturb the first.
    """

    def __init__(self, answer: type) -> None:
        self.answer = answer
        method = "__call__" if "__call__" in vars(answer) else "forward"
        self.written = vars(answer).get(method)

    def __call__(self, embeddings: Any, W_query: Any, W_key: Any, W_value: Any) -> Any:
        """Use the class as a chapter does."""
        if not any(map(callable, vars(self.answer).values())):
            raise NotImplementedError
        layer = self.answer(W_query, W_key, W_value)
        self.answer(*_others(W_query, W_key, W_value))
        if callable(layer):
            return layer(embeddings)
        if hasattr(layer, "forward"):
            return layer.forward(embeddings)
        raise TypeError("an object of the class cannot be called: it has no __call__")


def _others(*matrices: Matrix) -> list[Matrix]:
    """Turn the rows of weight matrices round: the same shapes, other numbers."""
    return [np.array(matrix)[::-1] + 0.5 for matrix in matrices]


EXERCISES = (
    Function(
        name="queries",
        call="make_queries(embeddings, W_query)",
        returns="one query for each word",
        right=lambda embeddings, W_query: embeddings @ W_query,
        cases=(
            Case({"embeddings": draw(31, 5, 4), "W_query": draw(32, 4, 3)}, FIVE),
            Case({"embeddings": draw(33, 6, 5), "W_query": draw(34, 5, 2)}, SIX),
        ),
        nudge="A query is one row of embeddings times the weight matrix.",
        wrong=(
            Wrong(
                lambda embeddings, W_query: W_query @ embeddings,
                "The order is reversed: embeddings go first, since their columns meet"
                " the rows of W_query.",
            ),
            Wrong(
                lambda embeddings, W_query: embeddings @ W_query.T,
                "The .T is one too many: W_query has d_in rows already, one for each"
                " column of embeddings.",
            ),
            Wrong(
                lambda embeddings, W_query: embeddings * W_query,
                "* multiplies number by number. To mix the columns, use @.",
            ),
            Wrong(
                lambda embeddings, W_query: W_query.T @ embeddings.T,
                "The queries lie on their side: words are in the columns. Leave both .T"
                " out and put embeddings first.",
            ),
            Wrong(
                lambda embeddings, W_query: embeddings.T @ W_query,
                "embeddings needs no .T: its columns meet the rows of W_query already.",
            ),
            Wrong(
                lambda embeddings, W_query: embeddings[0] @ W_query,
                "This is the query of the first word alone. Use all rows.",
            ),
            Wrong(
                lambda embeddings, W_query: softmax(embeddings @ W_query),
                "A softmax is applied. Queries are the plain product.",
            ),
        ),
    ),
    Function(
        name="scores of queries and keys",
        call="make_scores(queries, keys)",
        returns="a table: rows ask, columns are looked at",
        right=lambda queries, keys: queries @ keys.T,
        cases=(
            Case({"queries": draw(35, 5, 3), "keys": draw(36, 5, 3)}, FIVE, FIVE),
            Case({"queries": draw(37, 6, 2), "keys": draw(38, 6, 2)}, SIX, SIX),
        ),
        nudge="Row bank, column river is the dot product of bank's query with river's"
        " key.",
        wrong=(
            Wrong(
                lambda queries, keys: keys @ queries.T,
                "Queries and keys are swapped: in this table the keys are the rows."
                " Rows ask, so the queries go first.",
            ),
            Wrong(
                lambda queries, keys: queries @ queries.T,
                "Queries meet queries. Every query meets every key.",
            ),
            Wrong(
                lambda queries, keys: keys @ keys.T,
                "Keys meet keys. Every query meets every key.",
            ),
            Wrong(
                lambda queries, keys: queries.T @ keys,
                "The .T stands on the wrong table: this compares columns with columns."
                " It belongs to the keys.",
            ),
            Wrong(
                lambda queries, keys: keys.T @ queries,
                "This compares columns with columns, keys first. Queries go first, and"
                " the .T belongs to the keys.",
            ),
            Wrong(
                lambda queries, keys: queries @ keys,
                "queries @ keys does not fit: each query meets each key, row with row,"
                " so keys needs .T.",
            ),
            Wrong(
                lambda queries, keys: queries * keys,
                "* pairs each word with itself, number by number. @ takes every query"
                " with every key.",
            ),
            Wrong(
                lambda queries, keys: (queries * keys).sum(axis=1),
                "This pairs each word with itself only. Every query meets every key.",
            ),
            Wrong(
                lambda queries, keys: softmax(queries @ keys.T),
                "These are attention weights already. Scores come before the softmax.",
            ),
            Wrong(
                lambda queries, keys: queries @ keys.T / np.sqrt(queries.shape[1]),
                "The scores are divided already. Here the plain dot products are asked"
                " for.",
            ),
        ),
    ),
    Function(
        name="self-attention",
        call="self_attention(embeddings, W_query, W_key, W_value)",
        returns="one context for each word, as wide as the values",
        right=context,
        cases=(Case(tables(40, 5, 6, 2, 3), FIVE), Case(tables(50, 6, 5, 2, 3), SIX)),
        nudge=TASK,
        wrong=WAYS,
    ),
    Judged(name="slider goal", judge=goal.judge),
    Function(
        name="self-attention class",
        what="class",
        call="SelfAttention(W_query, W_key, W_value)(embeddings)",
        returns="one context for each word, as wide as the values",
        right=context,
        cases=(Case(tables(40, 5, 6, 2, 3), FIVE), Case(tables(50, 6, 5, 2, 3), SIX)),
        prepare=AsFunction,
        nudge=TASK,
        wrong=(
            Wrong(
                lambda X, *W: context(X, *_others(*W)),
                "Two objects of the class share their matrices: the second one changed"
                " the first. Keep them in self.W_query, not in the class or in a global"
                " name.",
            ),
            *WAYS,
        ),
    ),
)
