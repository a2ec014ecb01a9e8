"""Answers to the exercises of chapter 4."""

import math

import numpy as np

from .notes import SAME, right, softmax, wrong

SAME[r"-> .*\b(keys|queries)\.shape\[1\]"] = "queries and keys are equally wide"


@right("divisor")
def _(embeddings, queries, keys, values):
    return np.sqrt(queries.shape[1])


@right("divisor")
def _(embeddings, queries, keys, values):
    return len(keys[0]) ** 0.5


@right("divisor")
def _(embeddings, queries, keys, values):
    return math.sqrt(keys.shape[-1])


@wrong("divisor", "square root of the number of words", "len(...) counts rows")
def _(embeddings, queries, keys, values):
    return np.sqrt(len(queries))


@wrong("divisor", "square root of d_in")
def _(embeddings, queries, keys, values):
    return np.sqrt(embeddings.shape[1])


@wrong("divisor", "square root of d_v")
def _(embeddings, queries, keys, values):
    return np.sqrt(values.shape[1])


@wrong("divisor", "d_k itself", "root is missing")
def _(embeddings, queries, keys, values):
    return queries.shape[1]


@wrong("divisor", "number of words", "len(...) counts rows")
def _(embeddings, queries, keys, values):
    return len(keys)


@wrong("divisor", "d_in", "root is missing")
def _(embeddings, queries, keys, values):
    return embeddings.shape[1]


@wrong("divisor", "d_v", "root is missing")
def _(embeddings, queries, keys, values):
    return values.shape[1]


@wrong("divisor", "multiplied by")
def _(embeddings, queries, keys, values):
    return 1 / np.sqrt(queries.shape[1])


@wrong("divisor", "all numbers of all queries")
def _(embeddings, queries, keys, values):
    return np.sqrt(queries.size)


@wrong("divisor", "square of d_k")
def _(embeddings, queries, keys, values):
    return keys.shape[1] ** 2


@wrong("divisor", "square root of 2, whatever the sizes")
def _(embeddings, queries, keys, values):
    return np.sqrt(2)


@right("stable softmax")
def _(scores):
    largest = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - largest)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@right("stable softmax")
def _(scores):
    shares = []
    for row in scores.tolist():
        e = [math.exp(score - max(row)) for score in row]
        shares.append([x / sum(e) for x in e])
    return shares


@right("stable softmax")
def _(scores):
    shifted = scores.astype(np.float32).T - np.max(scores, axis=1)
    logs = shifted - np.log(np.exp(shifted).sum(axis=0))
    return np.exp(logs).T


@right("stable softmax")
def _(scores):
    highest = np.logaddexp.reduce(scores, axis=-1, keepdims=True)
    return np.exp(scores - highest)


@wrong("stable softmax", "overflows to infinity", "inf / inf is NaN")
def _(scores):
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("stable softmax", "float32 overflows above 88")
def _(scores):
    e = np.exp(np.float32(scores))
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "largest score of the whole table")
def _(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "smallest score is subtracted")
def _(scores):
    e = np.exp(scores - scores.min(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "smallest score of the whole table")
def _(scores):
    e = np.exp(scores - np.min(scores))
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "mean is subtracted")
def _(scores):
    e = np.exp(scores - scores.mean(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "largest score of each column")
def _(scores):
    e = np.exp(scores - scores.max(axis=0))
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "divided by the largest")
def _(scores):
    e = np.exp(scores / np.max(np.abs(scores), axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "Large scores are cut off")
def _(scores):
    e = np.exp(np.minimum(scores, 700))
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "NaN are replaced")
def _(scores):
    e = np.exp(scores)
    return np.nan_to_num(e / e.sum(axis=1, keepdims=True))


@wrong("stable softmax", "softmax itself is still missing")
def _(scores):
    return scores - scores.max(axis=1, keepdims=True)


@wrong("stable softmax", "not divided")
def _(scores):
    return np.exp(scores - scores.max(axis=1, keepdims=True))


@wrong("stable softmax", "down the columns")
def _(scores):
    e = np.exp(scores - scores.max(axis=0))
    return e / e.sum(axis=0)


@wrong("stable softmax", "whole table")
def _(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum()


@wrong("stable softmax", "without np.exp")
def _(scores):
    return scores / scores.sum(axis=1, keepdims=True)


@wrong("stable softmax", "keepdims=True is missing")
def _(scores):
    e = np.exp(scores - scores.max(axis=1))
    return e / e.sum(axis=1)


@wrong("stable softmax", "math.exp gives up")
def _(scores):
    shares = []
    for row in scores.tolist():
        e = [math.exp(score) for score in row]
        shares.append([x / sum(e) for x in e])
    return shares


@wrong("stable softmax", "overwrites scores")
def _(scores):
    for row in scores:
        row -= row.max()
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


@right("scaled attention")
def _(queries, keys, values):
    scores = queries @ keys.T / np.sqrt(keys.shape[1])
    exponentials = np.exp(scores)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ values


@right("scaled attention")
def _(queries, keys, values):
    contexts = np.zeros((len(queries), len(values[0])))
    for i in range(len(queries)):
        e = [math.exp(sum(queries[i] * k) / math.sqrt(len(k))) for k in keys]
        for j in range(len(keys)):
            contexts[i] += e[j] / sum(e) * values[j]
    return contexts.tolist()


@right("scaled attention")
def _(queries, keys, values):
    root = keys.shape[1] ** 0.25
    s = np.einsum("ik,jk->ij", queries / root, keys / root).astype(np.float32)
    return np.matmul(softmax(s), values)


@wrong("scaled attention", "not divided by the square root of d_k")
def _(q, k, v):
    return softmax(q @ k.T) @ v


@wrong("scaled attention", "d_k in all", "the root is missing")
def _(q, k, v):
    return softmax(q @ k.T / k.shape[1]) @ v


@wrong("scaled attention", "d_k in all", "twice")
def _(q, k, v):
    root = np.sqrt(k.shape[1])
    return softmax((q / root) @ (k / root).T) @ v


@wrong("scaled attention", "square root of d_v, not of d_k")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(v.shape[1])) @ v


@wrong("scaled attention", "square root of the number of words")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(len(k))) @ v


@wrong("scaled attention", "divides by the number of words")
def _(q, k, v):
    return softmax(q @ k.T / len(k)) @ v


@wrong("scaled attention", "multiplies by the square root")
def _(q, k, v):
    return softmax(q @ k.T * np.sqrt(k.shape[1])) @ v


@wrong("scaled attention", "division comes after the softmax")
def _(q, k, v):
    return softmax(q @ k.T) / np.sqrt(k.shape[1]) @ v


@wrong("scaled attention", "divides twice", "after it")
def _(q, k, v):
    root = np.sqrt(k.shape[1])
    return softmax(q @ k.T / root) / root @ v


@wrong("scaled attention", "down the columns")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(k.shape[1]), axis=0) @ v


@wrong("scaled attention", "down the columns", "not divided")
def _(q, k, v):
    return softmax(q @ k.T, axis=0) @ v


@wrong("scaled attention", "down the columns", "after the softmax")
def _(q, k, v):
    return softmax(q @ k.T, axis=0) / np.sqrt(k.shape[1]) @ v


@wrong("scaled attention", "keepdims=True is missing")
def _(q, k, v):
    e = np.exp(q @ k.T / np.sqrt(k.shape[1]))
    return e / e.sum(-1) @ v


@wrong("scaled attention", "whole table")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(k.shape[1]), axis=None) @ v


@wrong("scaled attention", "without np.exp")
def _(q, k, v):
    scores = q @ k.T / np.sqrt(k.shape[1])
    return scores / scores.sum(axis=1, keepdims=True) @ v


@wrong("scaled attention", "Queries and keys are swapped")
def _(q, k, v):
    return softmax(k @ q.T / np.sqrt(k.shape[1])) @ v


@wrong("scaled attention", "Queries meet queries")
def _(q, k, v):
    return softmax(q @ q.T / np.sqrt(k.shape[1])) @ v


@wrong("scaled attention", "Keys meet keys")
def _(q, k, v):
    return softmax(k @ k.T / np.sqrt(k.shape[1])) @ v


@wrong("scaled attention", "keys are averaged")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(k.shape[1])) @ k


@wrong("scaled attention", "attention weights are transposed")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(k.shape[1])).T @ v


@wrong("scaled attention", "softmax is missing")
def _(q, k, v):
    return q @ k.T / np.sqrt(k.shape[1]) @ v


@wrong("scaled attention", "One step is left")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(k.shape[1]))


@wrong("scaled attention", "These are the scaled scores")
def _(q, k, v):
    return q @ k.T / np.sqrt(k.shape[1])


@wrong("scaled attention", "keys needs .T")
def _(q, k, v):
    return softmax(q @ k / np.sqrt(k.shape[1])) @ v


@wrong("scaled attention", "values needs no .T")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(k.shape[1])) @ v.T


@wrong("scaled attention", "order is reversed")
def _(q, k, v):
    return v @ softmax(q @ k.T / np.sqrt(k.shape[1]))


@right("spread")
def _(d_k, rng):
    queries = rng.normal(size=(1000, d_k))
    keys = rng.normal(size=(1000, d_k))
    return (queries * keys).sum(axis=1).std()


@right("spread")
def _(d_k, rng):
    scores = [rng.normal(size=d_k) @ rng.normal(size=d_k) for _ in range(1000)]
    return np.sqrt(np.var(scores))


@right("spread")
def _(d_k, rng):
    q, k = rng.standard_normal((2, 1000, d_k))
    return np.std(q @ k.T, ddof=1)


@right("spread")
def _(d_k, rng):
    rng = np.random.RandomState(3)
    q, k = rng.randn(1000, d_k), rng.randn(1000, d_k)
    return float(np.einsum("nd,nd->n", q, k).std())


@wrong("spread", "variance", "d_k = 60, rng seeded")
def _(d_k, rng):
    q, k = rng.normal(size=(1000, d_k)), rng.normal(size=(1000, d_k))
    return (q * k).sum(axis=1).var()


@wrong("spread", "between 0 and 1", "rand")
def _(d_k, rng):
    q, k = rng.random(size=(1000, d_k)), rng.random(size=(1000, d_k))
    return (q * k).sum(axis=1).std()


@wrong("spread", "between −1 and 1")
def _(d_k, rng):
    q, k = rng.uniform(-1, 1, (1000, d_k)), rng.uniform(-1, 1, (1000, d_k))
    return (q * k).sum(axis=1).std()


@wrong("spread", "dot products that are divided, stays 1")
def _(d_k, rng):
    q, k = rng.normal(size=(1000, d_k)), rng.normal(size=(1000, d_k))
    return (q * k).sum(axis=1).std() / np.sqrt(d_k)


@wrong("spread", "single numbers")
def _(d_k, rng):
    return rng.normal(size=(1000, d_k)).std()


@wrong("spread", "mean size")
def _(d_k, rng):
    q, k = rng.normal(size=(1000, d_k)), rng.normal(size=(1000, d_k))
    return np.abs((q * k).sum(axis=1)).mean()


@wrong("spread", "rows with themselves")
def _(d_k, rng):
    q = rng.normal(size=(1000, d_k))
    return (q * q).sum(axis=1).std()


@wrong("spread", "sums of queries and keys")
def _(d_k, rng):
    q, k = rng.normal(size=(1000, d_k)), rng.normal(size=(1000, d_k))
    return (q + k).sum(axis=1).std()


@wrong("spread", "mean of the dot products is about 0")
def _(d_k, rng):
    q, k = rng.normal(size=(1000, d_k)), rng.normal(size=(1000, d_k))
    return (q * k).sum(axis=1).mean()


@wrong("spread", "so is the spread of a single one")
def _(d_k, rng):
    return np.std(rng.normal(size=d_k) @ rng.normal(size=d_k))


@wrong("spread", "1000 numbers in one row")
def _(d_k, rng):
    q, k = rng.normal(size=(1000, d_k)), rng.normal(size=(1000, d_k))
    return (q * k).std(axis=1)


@wrong("spread", "twice as large", "this result only twice")
def _(d_k, rng):
    queries = rng.normal(size=(1000, d_k))
    return queries.sum(axis=1).std()


@wrong("spread", "twice as large", "this result only twice")
def _(d_k, rng):
    _, keys = rng.standard_normal((2, 1000, d_k))
    return keys.sum(axis=1).std()
