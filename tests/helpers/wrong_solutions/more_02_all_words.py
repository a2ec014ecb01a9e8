"""More answers to chapter 2, by kind of mistake."""

import math
from functools import partial

import numpy as np

import attention_helpers

from .notes import WRONG, right, wrong

# What the notebook has by name at that point.
bank = attention_helpers.examples["bank"].without_matrices()
embeddings = bank.embeddings
scores = embeddings @ embeddings.T
exponentials = np.exp(scores)
sums = exponentials.sum(axis=-1, keepdims=True)
weights = exponentials / sums
n = 5
softmax = attention_helpers.softmax


# ---- all scores ----


@right("all scores")
def _(x):
    return np.inner(x, x)


@right("all scores")
def _(x):
    return np.tensordot(x, x, axes=([1], [1]))


@right("all scores")
def _(x):
    table = np.empty((len(x), len(x)))
    for i in range(len(x)):
        for j in range(i + 1):
            table[i, j] = table[j, i] = x[i].dot(x[j])
    return table


@right("all scores")
def _(x):
    return np.matrix(x) * np.matrix(x).T


@right("all scores")
def _(x):
    return sum(np.outer(column, column) for column in x.T)


@right("all scores")
def _(x):
    return np.array([np.sum(row * x, axis=1) for row in x])


@wrong("all scores", "Below the diagonal all is 0")
def _(x):
    table = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(i, len(x)):
            table[i, j] = x[i] @ x[j]
    return table


@wrong("all scores", "Above the diagonal all is 0")
def _(x):
    return np.tril(x @ x.T)


@wrong("all scores", "np.empty(...) does not clear them")
def _(x):
    table = np.empty((len(x), len(x)))
    for i in range(len(x)):
        for j in range(i):
            table[i, j] = x[i] @ x[j]
    return table


@wrong("all scores", "if the 5 that it has written out were a size")
def _(x):
    table = np.zeros((5, 5))
    for i in range(5):
        for j in range(5):
            table[i, j] = x[i] @ x[j]
    return table


@wrong("all scores", "n is none of its inputs but the notebook's, 5")
def _(x):
    return [[x[i] @ x[j] for j in range(n)] for i in range(n)]


@wrong("all scores", "embeddings is none of its inputs", "5 rows × 4 columns")
def _(x):
    return x @ embeddings.T


@wrong("all scores", "embeddings is none of its inputs")
def _(x):
    return embeddings @ embeddings.T


@wrong("all scores", "Only the first row is filled in", "return inside a loop")
def _(x):
    table = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            table[i, j] = x[i] @ x[j]
        return table


@wrong("all scores", "Only the first number is filled in", "return inside a loop")
def _(x):
    table = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            table[i, j] = x[i] @ x[j]
            return table


@wrong("all scores", "This is the last row alone", "a list collects")
def _(x):
    for row in x:
        found = x @ row
    return found


@wrong("all scores", "0.500 times")
def _(x):
    return x @ x.T / np.sqrt(x.shape[1])


@wrong("all scores", "cannot tell")
def _(x):
    return np.cov(x)


@wrong("all scores", "cannot tell")
def _(x):
    return np.abs(x @ x.T)


@wrong("all scores", "−1.000 times")
def _(x):
    return -x @ x.T


@wrong("all scores", "rounded to 1 decimal.")
def _(x):
    return (x @ x.T).round(1)


@wrong("all scores", "Nearly right", "float16")
def _(x):
    return (x @ x.T).astype("float16")


@wrong("all scores", "The fractions are gone")
def _(x):
    return (x @ x.T).astype(int)


@wrong("all scores", ".T takes none")
def _(x):
    return x @ x.T()


@wrong("all scores", "A row is put where one number fits")
def _(x):
    table = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            table[i, j] = x[i] * x[j]
    return table


@wrong("all scores", "A plain list cannot do that")
def _(x):
    return x.tolist() @ x.tolist().T


@wrong("all scores", "more or fewer arguments")
def _(x):
    return np.matmul(x)


@wrong("all scores", "made by self_attention, a library's function")
def _(x):
    return attention_helpers.self_attention(x, scale=1.0).scores


WRONG["all scores"] += [
    (np.cov, ["cov of NumPy, not a function of your own", "all_scores"]),
    (embeddings @ embeddings.T, ["an array, not a function"]),
    (np.random.default_rng(0), ["a Generator, not a function"]),
]

# ---- softmax of every row ----


@right("softmax of every row")
def _(scores):
    return np.apply_along_axis(lambda row: np.exp(row) / np.exp(row).sum(), 1, scores)


@right("softmax of every row")
def _(scores):
    e = np.exp(scores)
    return np.divide(e, e @ np.ones((e.shape[1], 1)), out=np.empty(e.shape))


@right("softmax of every row")
def _(scores):
    e = np.exp(scores)
    return np.linalg.inv(np.diag(e.sum(axis=1))) @ e


@right("softmax of every row")
def _(scores):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


@right("softmax of every row")
def _(scores):
    e = np.exp(scores)
    for i in range(len(e)):
        e[i] /= sum(e[i])
    return e


@right("softmax of every row")
def _(scores):
    e = np.exp(scores)
    return np.einsum("ij,i->ij", e, 1 / np.einsum("ij->i", e))


def one_row(scores):
    e = [math.exp(x) for x in scores]
    return [x / sum(e) for x in e]


@right("softmax of every row")
def _(scores):
    return np.array(list(map(one_row, scores)))


@wrong("softmax of every row", "made by softmax, a library's function")
def _(scores):
    return softmax(scores)


@wrong("softmax of every row", "made by softmax, a library's function")
def _(scores):
    return [attention_helpers.softmax(row) for row in scores]


@wrong("softmax of every row", "made by softmax, a library's function")
def _(scores):
    return softmax(scores.T, axis=0).T


def rows_by_library(scores):
    return softmax(scores, axis=1)


@wrong("softmax of every row", "made by softmax, a library's function")
def _(scores):
    return rows_by_library(scores) + 0


@wrong("softmax of every row", "if the 5 that it has written out were a size")
def _(scores):
    e = np.exp(scores)
    return e / np.repeat(e.sum(axis=1), 5).reshape(e.shape)


@wrong("softmax of every row", "if the 5 that it has written out were a size")
def _(scores):
    e = np.exp(scores)
    return e / e.sum(axis=1).reshape(5, 1)


@wrong(
    "softmax of every row", "cannot tell", "With scores of size 5×5 it came out right"
)
def _(scores):
    e = np.exp(scores)
    total = e[:, 0] + e[:, 1] + e[:, 2] + e[:, 3] + e[:, 4]
    return e / total[:, None]


@wrong("softmax of every row", "There is no place 3")
def _(scores):
    e = np.exp(scores)
    return [[e[i, j] / sum(e[i]) for j in range(e.shape[1])] for i in (0, 1, 2, 3, 4)]


@wrong("softmax of every row", "This is the last row alone")
def _(s):
    for row in s:
        shares = np.exp(row) / np.exp(row).sum()
    return shares


@wrong("softmax of every row", "sums is none of its inputs", "5 rows × 1 column,")
def _(scores):
    return np.exp(scores) / sums


@wrong("softmax of every row", "exponentials is none of its inputs")
def _(scores):
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@wrong("softmax of every row", "rounded to 2 decimals")
def _(scores):
    e = np.exp(scores)
    return np.round(e / e.sum(axis=1, keepdims=True), 2)


@wrong("softmax of every row", "All numbers are 0")
def _(scores):
    e = np.exp(scores)
    return (e / e.sum(axis=1, keepdims=True)).astype(int)


@wrong("softmax of every row", "cannot tell")
def _(scores):
    e = np.exp(scores)
    return e / np.sqrt((e**2).sum(axis=1, keepdims=True))


@wrong("softmax of every row", "cannot tell")
def _(scores):
    e = np.exp(np.abs(scores))
    return e / e.sum(axis=1, keepdims=True)


@wrong("softmax of every row", "brackets () are missing")
def _(scores):
    e = np.exp(scores)
    return e / e.sum


@wrong("softmax of every row", "This overwrites scores")
def _(scores):
    for row in scores:
        row[:] = np.exp(row) / np.exp(row).sum()
    return scores


@wrong("softmax of every row", "know no axis")
def _(scores):
    return np.exp(scores) / sum(np.exp(scores), axis=1)


@wrong("softmax of every row", "Nothing is called e here")
def _(scores):
    return e / e.sum(axis=1, keepdims=True)  # noqa: F821


WRONG["softmax of every row"] += [
    (softmax, ["softmax of attention_helpers, not a function", "softmax_rows"]),
    (partial(softmax, axis=-1), ["softmax of attention_helpers, not a function"]),
]

# ---- contexts ----


@right("contexts")
def _(weights, rows):
    return np.array([np.average(rows, axis=0, weights=row) for row in weights])


@right("contexts")
def _(weights, rows):
    return (weights[:, :, None] * rows[None]).sum(axis=1)


@right("contexts")
def _(weights, rows):
    return np.tensordot(weights, rows, 1)


@right("contexts")
def _(weights, rows):
    return np.stack([weights @ column for column in rows.T], axis=-1)


@right("contexts")
def _(weights, rows):
    return [[float(sum(row * column)) for column in rows.T] for row in weights]


@wrong("contexts", "weights is none of its inputs")
def _(attention_weights, embeddings):
    return weights @ embeddings


@wrong("contexts", "embeddings is none of its inputs")
def _(attention_weights, rows):
    return attention_weights @ embeddings


@wrong("contexts", "if the 5 that it has written out were a size")
def _(attention_weights, rows):
    result = np.zeros(rows.shape)
    for i in range(5):
        result[i] = attention_weights[i] @ rows
    return result


@wrong("contexts", "that it has written out were sizes")
def _(attention_weights, rows):
    result = np.zeros((5, 4))
    for i in range(5):
        result[i] = attention_weights[i] @ rows
    return result


def summed(weights, x, total, keep):
    """Go through all words with a sum that was started before them."""
    contexts = []
    for row in weights:
        for share, one in zip(row, x, strict=True):
            total += share * one
        contexts.append(keep(total))
    return contexts


@wrong("contexts", "those of the words before it are added", "anew for each word")
def _(weights, x):
    return summed(weights, x, np.zeros(x.shape[1]), np.copy)


@wrong("contexts", "the sum of all contexts", "anew for each word")
def _(weights, x):
    return summed(weights, x, np.zeros(x.shape[1]), lambda total: total)


@wrong("contexts", "Only the first row is filled in")
def _(weights, x):
    contexts = np.zeros(x.shape)
    for i, row in enumerate(weights):
        contexts[i] = row @ x
        return contexts


@wrong("contexts", "This is the last row alone")
def _(weights, x):
    for row in weights:
        context = row @ x
    return context


@wrong("contexts", "right table lying on its side")
def _(attention_weights, rows):
    return (attention_weights @ rows).T


@wrong("contexts", "They sum to 1 already")
def _(attention_weights, rows):
    return softmax(attention_weights) @ rows


@wrong("contexts", "cannot tell")
def _(attention_weights, rows):
    return attention_weights @ attention_weights @ rows


@wrong("contexts", "cannot tell")
def _(attention_weights, rows):
    return rows[attention_weights.argmax(axis=1)]


@wrong("contexts", "rounded to 3 decimals")
def _(attention_weights, rows):
    return np.around(attention_weights @ rows, 3)


@wrong("contexts", "A function comes back")
def _(attention_weights, rows):
    return (attention_weights @ rows).round


@wrong("contexts", "It prints, but returns nothing")
def _(attention_weights, rows):
    print(attention_weights @ rows)


WRONG["contexts"] += [
    (np.matmul, ["matmul of NumPy, not a function of your own"]),
    (weights @ embeddings, ["an array, not a function", 'check("contexts", contexts)']),
]

# ---- loop to matrix ----


@right("loop to matrix")
def _(x):
    return softmax(x @ x.T) @ x


@right("loop to matrix")
def _(x):
    e = np.exp(np.inner(x, x))
    return np.divide(e, e.sum(-1, keepdims=True), out=e).dot(x)


def rows_of_shares(table):
    return np.array([np.exp(row) / np.exp(row).sum() for row in table])


@right("loop to matrix")
def _(x):
    return rows_of_shares(x @ x.T) @ x


@wrong("loop to matrix", "the right result, but with a loop")
def _(x):
    scores = x @ x.T
    out = np.zeros(x.shape)
    for i in range(len(x)):
        e = np.exp(scores[i])
        out[i] = e / e.sum() @ x
    return out


@wrong("loop to matrix", "the right result, but with a loop")
def _(x):
    return [softmax(x @ row) @ x for row in x]


@wrong("loop to matrix", "the right result, but with a loop")
def _(x):
    out, i = [], 0
    while i < len(x):
        out.append(softmax(x @ x[i]) @ x)
        i += 1
    return out


@wrong("loop to matrix", "the right result, but with a loop")
def _(x):
    return np.array(list(softmax(x @ row) @ x for row in x))  # noqa: C400


@wrong("loop to matrix", "made by self_attention")
def _(x):
    return attention_helpers.self_attention(x, scale=1).context


@wrong("loop to matrix", "made by attention")
def _(x):
    return attention_helpers.attention(x, x, x, scale=1.0).context


@wrong("loop to matrix", "An Attention holds every stage", ".context")
def _(x):
    return attention_helpers.self_attention(x, scale=1.0)


@wrong("loop to matrix", "All numbers are 0")
def _(x):
    return np.zeros_like(x, dtype=float)


@wrong("loop to matrix", "scores is none of its inputs")
def _(x):
    return softmax(scores) @ x


@wrong("loop to matrix", "weights is none of its inputs")
def _(x):
    return weights @ x


@wrong("loop to matrix", "cannot tell")
def _(x):
    scores = x @ x.T
    np.fill_diagonal(scores, -np.inf)
    return softmax(scores) @ x


@wrong("loop to matrix", "cannot tell")
def _(x):
    return softmax(softmax(x @ x.T)) @ x


@wrong("loop to matrix", "rounded to 2 decimals")
def _(x):
    return (softmax(x @ x.T) @ x).round(2)


@wrong("loop to matrix", "cannot tell")
def _(x):
    return softmax((x @ x.T).round()) @ x


@wrong("loop to matrix", "..., from unfilled", "unfilled still returns a ...")
def _(x):
    return unfilled(x)


def unfilled(x):
    return ...
