"""Chapter 7: cut by columns, a head's divisor, contexts side by side, two questions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..attention import Attention, multi_head_attention, self_attention, softmax
from ..checks import Matrix
from .judge import Case, Function, Judged, Wrong, draw
from .judge.heads import judge_both, judge_one
from .judge.ways import DOWN

Cut = Callable[[Matrix, int], Matrix]


def columns(matrix: Matrix, heads: int) -> Matrix:
    """Cut a table between its columns: one block a head."""
    return np.stack(np.split(matrix, heads, axis=1))


def counted_off(matrix: Matrix, heads: int) -> Matrix:
    """Count the numbers off row by row, as reshape does."""
    return matrix.reshape(heads, len(matrix), -1)


def in_turn(matrix: Matrix, heads: int) -> Matrix:
    """Deal the columns out in turn."""
    return np.stack([matrix[:, head::heads] for head in range(heads)])


def words_first(matrix: Matrix, heads: int) -> Matrix:
    """Cut each row, and leave the words as the first axis."""
    return matrix.reshape(len(matrix), heads, -1)


def rows_of_a_width(matrix: Matrix, heads: int) -> Matrix:
    """Cut as many rows for each head as it should have columns."""
    size = matrix.shape[1] // heads
    return np.stack([matrix[h * size : (h + 1) * size] for h in range(heads)])


def side_by_side(blocks: Matrix) -> Matrix:
    """Put the blocks of all heads side by side."""
    return np.hstack(list(blocks))


def through(
    attend: Callable[[Matrix, Matrix, Matrix], Matrix],
    cut: Cut = columns,
    back: Callable[[Matrix], Matrix] = side_by_side,
) -> Callable[..., Matrix]:
    """Return contexts by way of queries, keys and values that are cut, and put back."""

    def compute(X: Matrix, Wq: Matrix, Wk: Matrix, Wv: Matrix, heads: int) -> Matrix:
        return back(attend(*(cut(X @ W, heads) for W in (Wq, Wk, Wv))))

    return compute


def usual(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Compute the context of each head."""
    return softmax(scaled(queries, keys)) @ values


def scaled(queries: Matrix, keys: Matrix) -> Matrix:
    """Compute the scaled scores of each head."""
    scores: Matrix = queries @ keys.mT / np.sqrt(queries.shape[-1])
    return scores


def one_softmax(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Let the shares of a word sum to 1 over all heads together."""
    scores = scaled(queries, keys)
    heads, n, _ = scores.shape
    shares = softmax(scores.transpose(1, 0, 2).reshape(n, -1)).reshape(n, heads, n)
    context: Matrix = shares.transpose(1, 0, 2) @ values
    return context


def whole_values(X: Matrix, Wq: Matrix, Wk: Matrix, Wv: Matrix, heads: int) -> Matrix:
    """Let each head hand over the whole values."""
    weights = record(X, Wq, Wk, Wv, heads).weights
    return side_by_side(weights @ (X @ Wv))


def slices(X: Matrix, Wq: Matrix, Wk: Matrix, Wv: Matrix, heads: int) -> Matrix:
    """Let each head see only its slice of the embeddings."""
    block = np.split(np.arange(X.shape[1]), heads)
    cuts = [
        [np.split(W[rows], heads, axis=1)[head] for W in (Wq, Wk, Wv)]
        for head, rows in enumerate(block)
    ]
    return np.hstack(
        [
            self_attention(X[:, rows], *cut).context
            for rows, cut in zip(block, cuts, strict=True)
        ]
    )


def slices_with_all(
    X: Matrix, Wq: Matrix, Wk: Matrix, Wv: Matrix, heads: int
) -> Matrix:
    """Let each head see only its slice, by all columns of the matrices."""
    block = np.split(np.arange(X.shape[1]), heads)
    return np.hstack(
        [self_attention(X[:, r], Wq[r], Wk[r], Wv[r]).context for r in block]
    )


def whole(X: Matrix, Wq: Matrix, Wk: Matrix, Wv: Matrix, heads: int) -> Matrix:
    """Compute the values before they are cut."""
    return X @ Wv


def record(X: Matrix, Wq: Matrix, Wk: Matrix, Wv: Matrix, heads: int) -> Attention:
    """Compute every stage of every head."""
    return multi_head_attention(X, Wq, Wk, Wv, heads=heads)


def divided(by: Callable[..., float]) -> Callable[..., Matrix]:
    """Return contexts whose scores are divided by something else."""

    def compute(X: Matrix, Wq: Matrix, Wk: Matrix, Wv: Matrix, heads: int) -> Matrix:
        scale = 1 / by(X, Wq, Wv, heads)
        output = multi_head_attention(X, Wq, Wk, Wv, heads=heads, scale=scale).output
        assert output is not None
        return output

    return compute


def table(seed: int, n: int, size: int, heads: int) -> Case:
    """Draw a table to cut."""
    return Case({"matrix": draw(seed, n, size), "heads": heads})


def sentence(seed: int, n: int, d_in: int, d_k: int, d_v: int, heads: int) -> Case:
    """Draw embeddings and weight matrices of so many columns for each head."""
    sizes = {"W_query": heads * d_k, "W_key": heads * d_k, "W_value": heads * d_v}
    matrices = {
        name: draw(seed + k, d_in, size) for k, (name, size) in enumerate(sizes.items())
    }
    return Case({"embeddings": draw(seed + 3, n, d_in), **matrices, "heads": heads})


BLOCKS_OF_ROWS = (
    "These are blocks of rows: each head gets some of the words, and all their numbers."
    " Cut between the columns: axis=1."
)
COUNTED_OFF = (
    "The numbers are counted off row by row, as reshape does, so the rows of a head mix"
    " several words. Nothing tells: no error comes, and every row of attention weights"
    " would sum to 1. Cut between the columns."
)
IN_TURN = (
    "The columns are dealt out in turn. The columns of one head stand next to each"
    " other."
)
ONE_ROW_OF_SHARES = (
    "Every head has the same attention weights: those of the whole queries and keys."
    " Cut both before softmax, so that each head has scores of its own."
)
A_SLICE = (
    "Each head sees a slice of the embeddings. It sees whole words: cut the columns of"
    " the weight matrices, not the embeddings."
)
ALL_COLUMNS = (
    "The divisor is the root of all columns. The dot products of a head are only as"
    " long as its own."
)

EXERCISES = (
    Function(
        name="split",
        call="my_split(matrix, heads)",
        returns="a block of columns for each head: result[head, row, column]",
        right=columns,
        cases=(table(71, 10, 6, 2), table(72, 15, 12, 3)),
        nudge="A head has matrix.shape[1] // heads columns, next to each other, of all"
        " rows.",
        wrong=(
            Wrong(counted_off, COUNTED_OFF),
            Wrong(
                lambda matrix, heads: np.stack(np.split(matrix, heads)), BLOCKS_OF_ROWS
            ),
            Wrong(rows_of_a_width, BLOCKS_OF_ROWS),
            Wrong(in_turn, IN_TURN),
            Wrong(
                words_first,
                "The words come first here: result[row, head]. Let the heads come"
                " first: .transpose(1, 0, 2).",
            ),
            Wrong(
                lambda matrix, heads: words_first(matrix, heads).T,
                "All three axes are turned round, as .T does. Exchange the first two"
                " only: .transpose(1, 0, 2).",
            ),
            Wrong(
                lambda matrix, heads: columns(matrix, heads).mT,
                "Each block lies on its side: its rows and columns are swapped.",
            ),
            Wrong(
                lambda matrix, heads: columns(matrix, heads)[0],
                "This is the block of the first head alone. Return one for each head.",
            ),
            Wrong(
                lambda matrix, heads: columns(matrix, heads)[-1],
                "This is the block of the last head alone. Return one for each head.",
            ),
            Wrong(
                lambda matrix, heads: np.stack([columns(matrix, heads)[0]] * heads),
                "Every head gets the columns of the first.",
            ),
            Wrong(
                lambda matrix, heads: np.stack([matrix] * heads),
                "Every head gets the whole table: nothing is cut.",
            ),
            Wrong(
                lambda matrix, heads: matrix,
                "This is the table as it came: nothing is cut.",
            ),
            Wrong(
                lambda matrix, heads: columns(matrix, matrix.shape[1] // heads),
                "This makes blocks of `heads` columns. Make as many blocks as there are"
                " heads.",
            ),
            Wrong(
                lambda matrix, heads: columns(matrix, 2),
                "There are two blocks, however many heads there are. heads says how"
                " many.",
            ),
            Wrong(
                lambda matrix, heads: columns(matrix, heads)[::-1],
                "The blocks are in reverse order: the first columns belong to the first"
                " head.",
            ),
        ),
    ),
    Function(
        name="divisor of a head",
        call="my_divisor(W_query, heads)",
        returns="one number, by which the scores of a head are divided",
        right=lambda W_query, heads: np.sqrt(W_query.shape[1] / heads),
        cases=(
            Case({"W_query": draw(73, 4, 6), "heads": 3}),
            Case({"W_query": draw(74, 5, 12), "heads": 2}),
        ),
        nudge="How many columns of W_query belong to one head?",
        wrong=(
            Wrong(lambda W, heads: np.sqrt(W.shape[1]), ALL_COLUMNS),
            Wrong(
                lambda W, heads: W.shape[1] / heads,
                "This is the number of columns of a head. Take its root.",
            ),
            Wrong(
                lambda W, heads: W.shape[1],
                "This is the number of all columns. A head has only its own, and the"
                " root of that is asked for.",
            ),
            Wrong(
                lambda W, heads: np.sqrt(heads),
                "This is the root of the number of heads. The number of columns of a"
                " head counts.",
            ),
            Wrong(
                lambda W, heads: heads,
                "This is the number of heads. The number of columns of a head counts.",
            ),
            Wrong(
                lambda W, heads: np.sqrt(len(W)),
                "This is the root of the number of rows, which is d_in. len(...) counts"
                " rows, .shape[1] columns.",
            ),
            Wrong(
                lambda W, heads: np.sqrt(len(W) / heads),
                "Rows are shared out here. The columns belong to the heads:"
                " W_query.shape[1].",
            ),
            Wrong(
                lambda W, heads: np.sqrt(W.shape[1]) / heads,
                "The root is taken too early: divide the columns by heads, then take"
                " the root.",
            ),
            Wrong(
                lambda W, heads: np.sqrt(W.shape[1] * heads),
                "The columns are multiplied by heads. They are shared out: divide.",
            ),
            Wrong(
                lambda W, heads: np.sqrt(W.size / heads),
                "All numbers of W_query are counted. A query has one for each column.",
            ),
            Wrong(
                lambda W, heads: 1 / np.sqrt(W.shape[1] / heads),
                "This is what the scores are multiplied by. The divisor is asked for.",
            ),
            Wrong(
                lambda W, heads: (W.shape[1] / heads) ** 2,
                "This is a square. Take the root.",
            ),
        ),
    ),
    Function(
        name="side by side",
        call="my_heads(embeddings, W_query, W_key, W_value, heads)",
        returns="a table, the contexts of all heads side by side",
        right=lambda *inputs: record(*inputs).output,
        lent=("attention", "self_attention"),
        cases=(sentence(75, 5, 4, 3, 1, 2), sentence(80, 4, 6, 4, 3, 3)),
        nudge="For each head: its columns of queries, keys and values, then chapter 4's"
        " attention. Then np.hstack.",
        wrong=(
            Wrong(
                lambda *inputs: record(*inputs).context.sum(axis=0),
                "The contexts of the heads are added up. Put them side by side:"
                " np.hstack.",
            ),
            Wrong(
                lambda *inputs: record(*inputs).context.mean(axis=0),
                "The contexts of the heads are averaged, so two answers become one. Put"
                " them side by side: np.hstack.",
            ),
            Wrong(
                lambda *inputs: np.vstack(list(record(*inputs).context)),
                "The heads stand below each other. A word has one row, with the answers"
                " of all heads in it: np.hstack.",
            ),
            Wrong(
                lambda *inputs: record(*inputs).context,
                "There is a table for each head. Put them side by side: np.hstack.",
            ),
            Wrong(
                lambda *inputs: record(*inputs).context[0],
                "This is the context of the first head alone.",
            ),
            Wrong(
                lambda *inputs: record(*inputs).context[-1],
                "This is the context of the last head alone. Collect them all.",
            ),
            Wrong(
                lambda *inputs: side_by_side(record(*inputs).weights),
                "These are the attention weights. Each head still applies them to its"
                " values.",
            ),
            Wrong(
                lambda *inputs: record(*inputs).weights.mean(axis=0) @ whole(*inputs),
                "The attention weights of the heads are averaged: one row of shares is"
                " left. Each head applies its own to its own values.",
            ),
            Wrong(
                through(one_softmax),
                "One softmax goes over all heads together. Each head has one of its"
                " own, and gives away 1.",
            ),
            Wrong(
                through(lambda q, k, v: softmax(scaled(q, k), axis=0) @ v),
                "The softmax runs from head to head, so the heads share 1 between them."
                " Each row of each head sums to 1: axis=-1.",
            ),
            Wrong(through(lambda q, k, v: softmax(scaled(q, k), axis=-2) @ v), DOWN),
            Wrong(
                through(lambda q, k, v: scaled(q, k) @ v),
                "The softmax is missing: the values meet the scaled scores.",
            ),
            Wrong(divided(lambda X, Wq, Wv, h: np.sqrt(Wq.shape[1])), ALL_COLUMNS),
            Wrong(
                divided(lambda X, Wq, Wv, h: Wq.shape[1] / h),
                "The scores of a head are divided by its number of columns. Take the"
                " root.",
            ),
            Wrong(
                divided(lambda X, Wq, Wv, h: 1),
                "The scores are not divided by the square root of a head's columns.",
            ),
            Wrong(
                divided(lambda X, Wq, Wv, h: np.sqrt(h)),
                "The scores are divided by the root of the number of heads. How many"
                " columns has a query of one head?",
            ),
            Wrong(
                divided(lambda X, Wq, Wv, h: np.sqrt(len(X))),
                "The scores are divided by the root of the number of words. len(...)"
                " counts rows, .shape[1] columns.",
            ),
            Wrong(
                divided(lambda X, Wq, Wv, h: np.sqrt(Wv.shape[1] / h)),
                "The scores are divided by the root of the columns of a head's values."
                " The dot products are as long as its queries.",
            ),
            Wrong(
                divided(lambda X, Wq, Wv, h: np.sqrt(X.shape[1])),
                "The scores are divided by the root of the columns of the embeddings."
                " The dot products are as long as a head's queries.",
            ),
            Wrong(
                whole_values,
                "The values are not cut: every head hands over all of them. A head has"
                " its own columns of W_value, too.",
            ),
            Wrong(
                lambda X, Wq, Wk, Wv, h: self_attention(X, Wq, Wk, Wv).context,
                ONE_ROW_OF_SHARES,
            ),
            Wrong(
                lambda X, Wq, Wk, Wv, h: (
                    self_attention(
                        X, Wq, Wk, Wv, scale=np.sqrt(h / Wq.shape[1])
                    ).context
                ),
                ONE_ROW_OF_SHARES,
            ),
            Wrong(slices, A_SLICE),
            Wrong(slices_with_all, A_SLICE),
            Wrong(
                through(usual, back=lambda blocks: blocks.reshape(blocks.shape[1], -1)),
                "The heads are put together by reshape, which counts numbers off and"
                " mixes words. Exchange heads and words first: .transpose(1, 0, 2), or"
                " use np.hstack.",
            ),
            Wrong(through(usual, counted_off), COUNTED_OFF),
            Wrong(
                through(
                    usual,
                    counted_off,
                    lambda blocks: blocks.reshape(blocks.shape[1], -1),
                ),
                COUNTED_OFF,
            ),
            Wrong(through(usual, in_turn), IN_TURN),
            Wrong(
                lambda *inputs: side_by_side(
                    np.stack([record(*inputs).context[0]] * inputs[-1])
                ),
                "Every head repeats the first. Each has columns of its own.",
            ),
        ),
    ),
    Judged(name="one question", judge=judge_one),
    Judged(name="both answers", judge=judge_both),
)
