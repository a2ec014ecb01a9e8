"""Chapter 3: trainable weight matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..attention import attention, self_attention, softmax
from ..checks import Matrix
from .judge import FIVE, SIX, Case, Function, Goal, Wrong, draw
from .judge.classes import AsFunction, others
from .judge.ways import (
    DIVIDED_AFTER,
    DOWN,
    KEEPDIMS,
    NO_EXP,
    TRANSPOSED,
    WHOLE_TABLE,
    by_sum,
    by_whole_sum,
    without_keepdims,
)

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
        TRANSPOSED,
    ),
    Wrong(lambda X, Wq, Wk, Wv: softmax(scaled(X, Wq, Wk), axis=0) @ X @ Wv, DOWN),
    Wrong(lambda X, Wq, Wk, Wv: without_keepdims(scaled(X, Wq, Wk)) @ X @ Wv, KEEPDIMS),
    Wrong(lambda X, Wq, Wk, Wv: by_whole_sum(scaled(X, Wq, Wk)) @ X @ Wv, WHOLE_TABLE),
    Wrong(
        divided(lambda X, Wq, Wv: 1),
        "The scores are not divided. This chapter divides them by the square root of 2,"
        " which is d_k.",
    ),
    Wrong(
        divided(lambda X, Wq, Wv: Wq.shape[1]),
        "The scores are divided by 2, which is d_k. Divide by the square root of it.",
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
        lambda X, Wq, Wk, Wv: (
            divided(lambda X, Wq, Wv: 1)(X, Wq, Wk, Wv) / np.sqrt(Wq.shape[1])
        ),
        DIVIDED_AFTER,
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
    Wrong(lambda X, Wq, Wk, Wv: by_sum(scaled(X, Wq, Wk)) @ X @ Wv, NO_EXP),
    Wrong(
        lambda X, Wq, Wk, Wv: shares(X, Wq, Wk) @ (X @ Wv).T,
        "values needs no .T: its rows are the words that the attention weights mix.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: (X @ Wv) @ shares(X, Wq, Wk),
        "The order is reversed: the attention weights go before the values.",
    ),
    Wrong(
        lambda X, Wq, Wk, Wv: (X @ Wq) @ (X @ Wk),
        "queries @ keys does not fit: each query meets each key, row with row, so keys"
        " needs .T.",
    ),
    *(
        Wrong(
            lambda X, *W, k=k: W[k] @ X,
            f"The order is reversed: embeddings go first, embeddings @ {NAMES[k + 1]}.",
        )
        for k in range(3)
    ),
    *(
        Wrong(
            lambda X, *W, k=k: X @ W[k].T,
            f"The .T is one too many: embeddings @ {NAMES[k + 1]}, as it stands.",
        )
        for k in range(3)
    ),
)


def towards_river(row: Mapping[str, float]) -> str:
    """Say what would lead from bank to river, as the row of coins stands."""
    first = {word for word, share in row.items() if share > max(row.values()) - 1e-9}
    if first == {"bank"}:
        return (
            "coins asks where?, and bank answers that best. Either coins could ask"
            " something else, or river could answer better, or bank worse."
        )
    if first == {"bank", "river"}:
        return "bank and river are level: a little further."
    return (
        "bank is no longer ahead of all, but neither is river. Either coins could ask"
        " for what river has most of, or river could answer better."
    )


TASK = (
    "Queries, keys and values; the scores of queries and keys, divided; the softmax of"
    " each row; the attention weights times the values."
)


ROOTS = (lambda keys: np.sqrt(2), lambda keys: np.sqrt(keys.shape[1]))
CASES = (Case(tables(40, 5, 6, 2, 3), FIVE), Case(tables(50, 6, 3, 2, 7), SIX))

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
                "The queries lie on their side: words are in the columns. Nothing needs"
                " .T, and embeddings go first.",
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
            *(
                Wrong(
                    lambda queries, keys, by=by: softmax(queries @ keys.T / by(keys)),
                    "These are attention weights already. Scores come before the"
                    " softmax.",
                )
                for by in (lambda keys: 1, *ROOTS)
            ),
            *(
                Wrong(
                    lambda queries, keys, by=by: queries @ keys.T / by(keys),
                    "The scores are divided already. Here the plain dot products are"
                    " asked for.",
                )
                for by in ROOTS
            ),
        ),
    ),
    Function(
        name="self-attention",
        call="my_self_attention(embeddings, W_query, W_key, W_value)",
        returns="one context for each word, as wide as the values",
        right=context,
        cases=CASES,
        nudge=TASK,
        wrong=WAYS,
    ),
    Goal(
        name="slider goal",
        example="bank",
        edit=("W_query", "W_key"),
        asks="coins",
        watch=("river",),
        wish="river has the largest attention weight when coins asks",
        reached=lambda row: row["river"] > sorted(row.values())[-2] + 1e-9,
        nudge=towards_river,
        elsewhere={
            "embeddings": "The words themselves changed. Leave the embeddings: what"
            " coins asks for, or what the words offer, is in a weight matrix.",
            "W_value": "W_value decides what is handed over. It moves values and"
            " contexts, never the attention weights.",
        },
    ),
    Function(
        name="self-attention class",
        what="class",
        call="MySelfAttention(W_query, W_key, W_value)(embeddings)",
        returns="one context for each word, as wide as the values",
        right=context,
        cases=CASES,
        prepare=AsFunction,
        nudge=TASK,
        wrong=(
            Wrong(
                lambda X, *W: context(X, *others(*W)),
                "Two objects of the class share their matrices: the second one changed"
                " the first. Keep them in self.W_query, not in the class or in a global"
                " name.",
            ),
            *WAYS,
        ),
    ),
)
