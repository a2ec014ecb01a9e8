"""Chapter 2: all words ask at once."""

from __future__ import annotations

import numpy as np

from ..attention import self_attention, softmax
from ..checks import Matrix
from .judge import FIVE, SIX, Case, Function, Wrong, draw
from .judge.ways import (
    DOWN,
    KEEPDIMS,
    NO_EXP,
    SHARES_ALREADY,
    WHOLE_TABLE,
    by_sum,
    by_whole_sum,
    cosine,
    highest_without_keepdims,
    without_keepdims,
)

WHOLE = np.array([[1, 0, 2], [-1, 1, 0], [0, 2, 1], [1, 1, 1], [2, -1, 0], [0, -2, 1]])


def all_contexts(embeddings: Matrix) -> Matrix:
    """Let every word ask, with no weight matrices and no division."""
    return self_attention(embeddings, scale=1.0).context


def trunc_where_whole(embeddings: Matrix) -> Matrix:
    """Keep the contexts in a table of the embeddings' own kind of number."""
    contexts: Matrix = np.zeros_like(embeddings)
    contexts[:] = all_contexts(embeddings)
    return contexts


EXERCISES = (
    Function(
        name="all scores",
        call="all_scores(embeddings)",
        returns="a table with one row and one column for each word",
        right=lambda embeddings: embeddings @ embeddings.T,
        cases=(
            Case({"embeddings": draw(21, 5, 4)}, FIVE, FIVE),
            Case({"embeddings": draw(22, 6, 3)}, SIX, SIX),
            Case({"embeddings": draw(20, 3, 7)}),
        ),
        nudge="Row i, column j is the dot product of row i with row j of embeddings.",
        wrong=(
            Wrong(
                lambda embeddings: embeddings @ embeddings,
                "embeddings on both sides does not fit: @ takes rows with columns, so"
                " the words of the second table have to stand in its columns.",
            ),
            Wrong(
                lambda embeddings: embeddings.T @ embeddings,
                "This compares dimensions with dimensions, column with column. The"
                " words are in the rows: the .T belongs to the second table. If there"
                " were as many words as dimensions, no error would tell you.",
            ),
            Wrong(
                lambda embeddings: embeddings.T @ embeddings.T,
                "Both tables are transposed. Only the second one needs .T.",
            ),
            Wrong(
                lambda embeddings: embeddings * embeddings,
                "* multiplies number by number. @ takes every row with every column.",
            ),
            Wrong(
                lambda embeddings: np.array(
                    [cosine(x, embeddings) for x in embeddings]
                ),
                "These are cosines: each dot product is divided by both lengths. A"
                " score is not divided.",
            ),
            Wrong(
                lambda embeddings: embeddings @ embeddings[0],
                "Only the first word asks here. Let every word ask.",
            ),
            Wrong(
                lambda embeddings: softmax(embeddings @ embeddings.T),
                "These are attention weights already. Scores come before the softmax.",
            ),
            Wrong(
                lambda embeddings: np.triu(embeddings @ embeddings.T),
                "Below the diagonal all is 0. Every word asks every word, those before"
                " it too.",
            ),
            Wrong(
                lambda embeddings: np.tril(embeddings @ embeddings.T),
                "Above the diagonal all is 0. Every word asks every word, those after"
                " it too.",
            ),
            Wrong(
                lambda embeddings: (
                    embeddings @ embeddings.T - np.diag((embeddings**2).sum(axis=1))
                ),
                "The diagonal is 0: every word is left out of its own row. A word is"
                " looked at by itself as well.",
            ),
        ),
    ),
    Function(
        name="softmax of every row",
        call="softmax_rows(scores)",
        returns="a table of the same size, in which every row sums to 1",
        right=softmax,
        without=("softmax",),
        cases=(
            Case({"scores": draw(23, 5, 5)}, FIVE, FIVE),
            Case({"scores": draw(24, 3, 7)}),
            Case({"scores": draw(19, 6, 4)}, SIX),
        ),
        nudge="np.exp of every score, then divide each row by its own sum:"
        " axis=-1, keepdims=True.",
        wrong=(
            Wrong(lambda scores: softmax(scores, axis=0), DOWN),
            Wrong(by_whole_sum, WHOLE_TABLE),
            Wrong(without_keepdims, KEEPDIMS),
            Wrong(
                lambda scores: np.exp(scores) / np.exp(scores).sum(axis=0)[:, None],
                "Each row is divided by the sum of a column. Take the sum along the"
                " row: axis=-1.",
            ),
            Wrong(
                highest_without_keepdims,
                "keepdims=True is missing where the largest score is subtracted: each"
                " column loses the maximum of another word's row.",
            ),
            Wrong(
                by_sum,
                NO_EXP + " Negative scores then make negative shares.",
            ),
            Wrong(
                np.exp,
                "These are the exponentials. Divide each row by its sum.",
            ),
            Wrong(
                lambda scores: np.exp(scores) / np.exp(scores).max(-1, keepdims=True),
                "Each row is divided by its largest exponential. Divide by its sum.",
            ),
            Wrong(
                lambda scores: np.exp(scores) / scores.shape[-1],
                "Each row is divided by how many scores it has. Divide by its sum.",
            ),
            Wrong(
                lambda scores: softmax(scores[0]),
                "This is the first row alone. A return inside a loop ends it in its"
                " first round.",
            ),
            Wrong(
                lambda scores: softmax(softmax(scores), axis=0),
                "The softmax runs twice, along the rows and down the columns. Along the"
                " rows is enough.",
            ),
        ),
    ),
    Function(
        name="contexts",
        call="contexts(attention_weights, embeddings)",
        returns="one row for each word, as wide as embeddings",
        right=lambda attention_weights, embeddings: attention_weights @ embeddings,
        cases=(
            Case(
                {
                    "attention_weights": softmax(2 * draw(25, 5, 5)),
                    "embeddings": draw(26, 5, 4),
                },
                FIVE,
            ),
            Case(
                {
                    "attention_weights": softmax(2 * draw(27, 6, 6)),
                    "embeddings": draw(28, 6, 3),
                },
                SIX,
            ),
        ),
        nudge="Each context is one row of attention weights times the table of"
        " embeddings.",
        wrong=(
            Wrong(
                lambda attention_weights, embeddings: attention_weights.T @ embeddings,
                "The attention weights are transposed: columns are taken for rows. Row"
                " bank of the attention weights makes row bank of the contexts.",
            ),
            Wrong(
                lambda attention_weights, embeddings: attention_weights * embeddings,
                "* multiplies number by number and needs equal sizes. A weighted"
                " average is a matrix product: @.",
            ),
            Wrong(
                lambda attention_weights, embeddings: embeddings.T @ attention_weights,
                "embeddings.T stands in front, so the attention weights are read down"
                " their columns. They go first, and nothing is transposed.",
            ),
            Wrong(
                lambda attention_weights, embeddings: (
                    embeddings.T @ attention_weights.T
                ),
                "This is the right table lying on its side: the words are in the"
                " columns. Nothing needs .T, and the attention weights go first.",
            ),
            Wrong(
                lambda attention_weights, embeddings: embeddings @ attention_weights,
                "The order is reversed: the attention weights go first.",
            ),
            Wrong(
                lambda attention_weights, embeddings: attention_weights @ embeddings.T,
                "The .T is one too many: the words are in the rows of embeddings, where"
                " the attention weights need them.",
            ),
            Wrong(
                lambda attention_weights, embeddings: attention_weights[0] @ embeddings,
                "This is the context of the first word alone. Use all rows of the"
                " attention weights.",
            ),
            Wrong(
                lambda attention_weights, embeddings: (
                    attention_weights @ embeddings / len(embeddings)
                ),
                "This divides by the number of words as well. Each row of attention"
                " weights sums to 1: that is the division already.",
            ),
            Wrong(
                lambda attention_weights, embeddings: np.cumsum(
                    attention_weights @ embeddings, axis=0
                ),
                "To each context those of the words before it are added. Start the sum"
                " anew for each word: inside the outer loop.",
            ),
            Wrong(
                lambda attention_weights, embeddings: np.tile(
                    (attention_weights @ embeddings).sum(axis=0), (len(embeddings), 1)
                ),
                "Every row is the sum of all contexts. Start the sum anew for each"
                " word: inside the outer loop.",
            ),
            Wrong(
                lambda attention_weights, embeddings: (
                    softmax(attention_weights) @ embeddings
                ),
                SHARES_ALREADY,
            ),
            Wrong(
                lambda attention_weights, embeddings: (
                    embeddings + attention_weights @ embeddings
                ),
                "The embeddings are added on top. The context is the average alone.",
            ),
        ),
    ),
    Function(
        name="loop to matrix",
        call="all_contexts(embeddings)",
        returns="one context for each word, as wide as embeddings",
        right=all_contexts,
        loops=False,
        cases=(
            Case({"embeddings": draw(29, 5, 4)}, FIVE),
            Case({"embeddings": WHOLE}, SIX),
            Case({"embeddings": draw(30, 3, 2)}),
        ),
        nudge="Three lines: the scores of all words, the softmax of each row, and the"
        " attention weights times the embeddings.",
        wrong=(
            Wrong(
                lambda embeddings: all_contexts(embeddings)[[-1] * len(embeddings)],
                "All rows are the last word's. [[0] * n] * n, say, is one row, n times"
                " over: what is written to one row is in all. np.zeros((n, n)) is not.",
            ),
            Wrong(
                lambda embeddings: np.trunc(all_contexts(embeddings)),
                "The fractions of the contexts are cut off, as a table of whole numbers"
                " does. np.zeros_like(embeddings) makes one when embeddings holds whole"
                " numbers; np.zeros(...) does not.",
            ),
            Wrong(
                trunc_where_whole,
                "Where the embeddings are whole numbers, the fractions of the contexts"
                " are cut off: np.zeros_like(embeddings) is then a table of whole"
                " numbers; np.zeros(...) is not.",
            ),
            Wrong(
                lambda embeddings: (
                    softmax(np.trunc(embeddings @ embeddings.T)) @ embeddings
                ),
                "The fractions of the scores are cut off, as a table of whole numbers"
                " does. np.zeros((n, n)) holds fractions.",
            ),
            Wrong(
                lambda embeddings: softmax(embeddings @ embeddings.T).T @ embeddings,
                "The columns of the attention weights sum to 1, not the rows. Either"
                " the softmax runs down the columns, axis=0, or keepdims=True is"
                " missing, or the attention weights are transposed. (These scores are"
                " symmetric, so the three look the same.)",
            ),
            Wrong(
                lambda embeddings: by_whole_sum(embeddings @ embeddings.T) @ embeddings,
                WHOLE_TABLE,
            ),
            Wrong(
                lambda embeddings: embeddings @ embeddings.T @ embeddings,
                "The softmax is missing: these are scores times embeddings.",
            ),
            Wrong(
                lambda embeddings: np.exp(embeddings @ embeddings.T) @ embeddings,
                "The exponentials are not divided: each row of attention weights sums"
                " to 1.",
            ),
            Wrong(
                lambda embeddings: by_sum(embeddings @ embeddings.T) @ embeddings,
                NO_EXP,
            ),
            Wrong(
                lambda embeddings: self_attention(embeddings).context,
                "The scores are divided by a root here. That comes in a later chapter:"
                " leave them as they are.",
            ),
            Wrong(
                lambda embeddings: all_contexts(embeddings) / len(embeddings),
                "This divides by the number of words as well. Each row of attention"
                " weights sums to 1: that is the division already.",
            ),
            Wrong(
                lambda embeddings: embeddings + all_contexts(embeddings),
                "The embeddings are added on top: start the contexts from zeros.",
            ),
            Wrong(
                lambda embeddings: np.tile(embeddings.mean(0), (len(embeddings), 1)),
                "Every row is the plain average. The attention weights are not used.",
            ),
            Wrong(
                lambda embeddings: softmax(embeddings @ embeddings.T),
                "These are the attention weights. One step is left: times embeddings.",
            ),
            Wrong(
                lambda embeddings: embeddings @ embeddings.T,
                "These are the scores. The softmax and the average are left.",
            ),
            Wrong(
                lambda embeddings: embeddings.T @ softmax(embeddings @ embeddings.T),
                "embeddings.T stands in front, so the attention weights are read down"
                " their columns. They go first, and nothing is transposed.",
            ),
            Wrong(
                lambda embeddings: all_contexts(embeddings)[0],
                "This is the context of the first word alone. Every word has a row of"
                " its own.",
            ),
        ),
    ),
)
