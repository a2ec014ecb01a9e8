"""Answers to the exercises of chapter 2."""

import math

import numpy as np

from .notes import right, wrong


@right("all scores")
def _(embeddings):
    return embeddings @ embeddings.T


@right("all scores")
def _(embeddings):
    return [[sum(a * b) for b in embeddings] for a in embeddings]


@right("all scores")
def _(embeddings):
    return np.einsum("id,jd->ij", embeddings, embeddings)


@right("all scores")
def _(embeddings):
    return np.matmul(embeddings, np.transpose(embeddings))


@wrong("all scores", "embeddings on both sides", "left has 4 and the right has 5")
def _(embeddings):
    return embeddings @ embeddings


@wrong("all scores", "embeddings on both sides")
def _(embeddings):
    return np.dot(embeddings, embeddings)


@wrong("all scores", "dimensions with dimensions", "no error would tell you")
def _(embeddings):
    return embeddings.T @ embeddings


@wrong("all scores", "Both tables are transposed")
def _(embeddings):
    return embeddings.T @ embeddings.T


@wrong("all scores", "number by number")
def _(embeddings):
    return embeddings * embeddings


@wrong("all scores", "cosines")
def _(embeddings):
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return unit @ unit.T


@wrong("all scores", "Only the first word asks")
def _(embeddings):
    return embeddings @ embeddings[0]


@wrong("all scores", "attention weights already")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    return e / e.sum(axis=1, keepdims=True)


@wrong("all scores", "diagonal is 0")
def _(embeddings):
    scores = embeddings @ embeddings.T
    np.fill_diagonal(scores, 0)
    return scores


@right("softmax of every row")
def _(scores):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@right("softmax of every row")
def _(scores):
    shares = []
    for row in scores:
        e = np.exp(row)
        shares.append(list(e / sum(e)))
    return shares


@right("softmax of every row")
def _(scores):
    e = np.exp(scores - np.max(scores, axis=1)[:, None])
    return e / e.sum(axis=1).reshape(-1, 1)


@right("softmax of every row")
def _(scores):
    e = np.exp(scores.T.astype(np.float32))
    return (e / e.sum(axis=0)).T


@wrong("softmax of every row", "down the columns", "rows and columns are swapped")
def _(scores):
    e = np.exp(scores)
    return e / e.sum(axis=0, keepdims=True)


@wrong("softmax of every row", "down the columns")
def _(scores):
    return np.exp(scores) / sum(np.exp(scores))


@wrong("softmax of every row", "whole table")
def _(scores):
    e = np.exp(scores)
    return e / e.sum()


@wrong("softmax of every row", "keepdims=True is missing")
def _(scores):
    e = np.exp(scores)
    return e / e.sum(axis=1)


@wrong("softmax of every row", "row is divided by the sum of a column")
def _(scores):
    e = np.exp(scores)
    return e / e.sum(axis=0).reshape(-1, 1)


@wrong("softmax of every row", "keepdims=True is missing where the largest")
def _(scores):
    e = np.exp(scores - scores.max(axis=1))
    return e / e.sum(axis=1, keepdims=True)


@wrong("softmax of every row", "without np.exp")
def _(scores):
    return scores / scores.sum(axis=-1, keepdims=True)


@wrong("softmax of every row", "These are the exponentials")
def _(scores):
    return np.exp(scores)


@wrong("softmax of every row", "largest exponential")
def _(scores):
    return np.exp(scores - scores.max(axis=1, keepdims=True))


@wrong("softmax of every row", "how many scores it has")
def _(scores):
    return np.exp(scores) / len(scores[0])


@wrong("softmax of every row", "first row alone")
def _(scores):
    for row in scores:
        return np.exp(row) / np.exp(row).sum()


@wrong("softmax of every row", "runs twice")
def _(scores):
    e = np.exp(scores)
    e = np.exp(e / e.sum(axis=1, keepdims=True))
    return e / e.sum(axis=0)


@wrong("softmax of every row", "no axis 2")
def _(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=2, keepdims=True)


@right("contexts")
def _(attention_weights, embeddings):
    return attention_weights @ embeddings


@right("contexts")
def _(attention_weights, embeddings):
    contexts = np.zeros((len(attention_weights), embeddings.shape[1]))
    for i, row in enumerate(attention_weights):
        for share, embedding in zip(row, embeddings, strict=True):
            contexts[i] += share * embedding
    return contexts


@right("contexts")
def _(attention_weights, embeddings):
    return np.einsum("ij,jd->id", attention_weights, embeddings)


@right("contexts")
def _(attention_weights, embeddings):
    return (embeddings.T @ attention_weights.T).T


@wrong("contexts", "attention weights are transposed")
def _(attention_weights, embeddings):
    return attention_weights.T @ embeddings


@wrong("contexts", "* multiplies number by number")
def _(attention_weights, embeddings):
    return attention_weights * embeddings


@wrong("contexts", "embeddings.T stands in front")
def _(attention_weights, embeddings):
    return embeddings.T @ attention_weights


@wrong("contexts", "lying on its side")
def _(attention_weights, embeddings):
    return embeddings.T @ attention_weights.T


@wrong("contexts", "order is reversed")
def _(attention_weights, embeddings):
    return embeddings @ attention_weights


@wrong("contexts", ".T is one too many")
def _(attention_weights, embeddings):
    return attention_weights @ embeddings.T


@wrong("contexts", "first word alone")
def _(attention_weights, embeddings):
    return attention_weights[0] @ embeddings


@wrong("contexts", "number of words as well")
def _(attention_weights, embeddings):
    return attention_weights @ embeddings / len(embeddings)


@wrong("contexts", "added on top")
def _(attention_weights, embeddings):
    contexts = embeddings.copy()
    contexts += attention_weights @ embeddings
    return contexts


@right("loop to matrix")
def _(embeddings):
    scores = embeddings @ embeddings.T
    exponentials = np.exp(scores)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ embeddings


@wrong("loop to matrix", "the right result, but with a loop")
def _(embeddings):
    contexts = []
    for query in embeddings:
        e = [math.exp(query @ key) for key in embeddings]
        shares = np.array(e) / sum(e)
        contexts.append(shares @ embeddings)
    return contexts


@right("loop to matrix")
def _(embeddings):
    scores = np.dot(embeddings, embeddings.T)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.dot(e / np.sum(e, axis=1, keepdims=True), embeddings)


@right("loop to matrix")
def _(embeddings):
    e = np.exp(np.einsum("id,jd->ij", embeddings, embeddings))
    return np.einsum("ij,jd->id", e / e.sum(1)[:, np.newaxis], embeddings)


def loop(embeddings, scores, contexts):
    """Fill the tables, as chapter 2 does with a loop."""
    n = len(embeddings)
    for i in range(n):
        for j in range(n):
            scores[i][j] = embeddings[i] @ embeddings[j]
    e = np.exp(np.array(scores))
    weights = e / e.sum(axis=1, keepdims=True)
    for i in range(n):
        contexts[i] = weights[i] @ embeddings
    return contexts


@wrong("loop to matrix", "All rows are the last word's", "[[0] * n] * n")
def _(embeddings):
    n = len(embeddings)
    return loop(embeddings, [[0] * n] * n, np.zeros(embeddings.shape))


@wrong("loop to matrix", "fractions of the contexts are cut off")
def _(embeddings):
    n = len(embeddings)
    return loop(embeddings, np.zeros((n, n)), np.zeros_like(embeddings))


@wrong("loop to matrix", "fractions of the contexts are cut off")
def _(embeddings):
    n = len(embeddings)
    return loop(embeddings, np.zeros((n, n)), np.zeros(embeddings.shape, dtype=int))


@wrong("loop to matrix", "fractions of the scores are cut off")
def _(embeddings):
    n = len(embeddings)
    return loop(embeddings, np.zeros((n, n), dtype=int), np.zeros(embeddings.shape))


@wrong("loop to matrix", "All numbers are 0", "whole numbers")
def _(embeddings):
    n = len(embeddings)
    weights = np.zeros((n, n), dtype=int)
    for i in range(n):
        e = np.exp(embeddings @ embeddings[i])
        weights[i] = e / e.sum()
    return weights @ embeddings


@wrong("loop to matrix", "axis=0", "keepdims=True is missing")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    return e / e.sum(axis=0) @ embeddings


@wrong("loop to matrix", "axis=0", "keepdims=True is missing")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    return e / e.sum(axis=1) @ embeddings


@wrong("loop to matrix", "attention weights are transposed")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    return (e / e.sum(axis=1, keepdims=True)).T @ embeddings


@wrong("loop to matrix", "whole table")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    return e / e.sum() @ embeddings


@wrong("loop to matrix", "softmax is missing")
def _(embeddings):
    return embeddings @ embeddings.T @ embeddings


@wrong("loop to matrix", "exponentials are not divided")
def _(embeddings):
    return np.exp(embeddings @ embeddings.T) @ embeddings


@wrong("loop to matrix", "without np.exp")
def _(embeddings):
    scores = embeddings @ embeddings.T
    return scores / scores.sum(axis=1, keepdims=True) @ embeddings


@wrong("loop to matrix", "divided by a root")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T / np.sqrt(embeddings.shape[1]))
    return e / e.sum(axis=1, keepdims=True) @ embeddings


@wrong("loop to matrix", "number of words as well")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    return e / e.sum(axis=1, keepdims=True) @ embeddings / len(embeddings)


@wrong("loop to matrix", "added on top")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    return embeddings + e / e.sum(axis=1, keepdims=True) @ embeddings


@wrong("loop to matrix", "plain average")
def _(embeddings):
    return [embeddings.mean(axis=0) for row in embeddings]


@wrong("loop to matrix", "One step is left")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    return e / e.sum(axis=1, keepdims=True)


@wrong("loop to matrix", "These are the scores")
def _(embeddings):
    return embeddings @ embeddings.T


@wrong("loop to matrix", "embeddings.T stands in front")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    return embeddings.T @ (e / e.sum(axis=1, keepdims=True))


@wrong("loop to matrix", "first word alone")
def _(embeddings):
    for query in embeddings:
        e = np.exp(embeddings @ query)
        return e / e.sum() @ embeddings


@wrong("loop to matrix", "overwrites embeddings")
def _(embeddings):
    e = np.exp(embeddings @ embeddings.T)
    e /= e.sum(axis=1, keepdims=True)
    embeddings[:] = e @ embeddings
    return embeddings


@wrong("loop to matrix", "overwrites embeddings")
def _(embeddings):
    scores = embeddings @ embeddings.T
    embeddings /= np.exp(scores).sum(axis=1, keepdims=True)
    return np.exp(scores) @ embeddings
