"""Answers to the exercises of chapter 3."""

import math

import numpy as np

from .notes import right, softmax, wrong


@right("queries")
def _(embeddings, W_query):
    return embeddings @ W_query


@right("queries")
def _(embeddings, W_query):
    return [[sum(row * column) for column in W_query.T] for row in embeddings]


@right("queries")
def _(embeddings, W_query):
    return np.einsum("nd,dk->nk", embeddings, W_query).astype("float32")


@right("queries")
def _(embeddings, W_query):
    return np.matmul(W_query.T, embeddings.T).T


@wrong("queries", "order is reversed", "left has 3 and the right has 5")
def _(embeddings, W_query):
    return W_query @ embeddings


@wrong("queries", ".T is one too many")
def _(embeddings, W_query):
    return embeddings @ W_query.T


@wrong("queries", ".T is one too many")
def _(embeddings, W_query):
    return np.dot(embeddings, W_query.T)


@wrong("queries", "* multiplies number by number")
def _(embeddings, W_query):
    return embeddings * W_query


@wrong("queries", "lie on their side")
def _(embeddings, W_query):
    return W_query.T @ embeddings.T


@wrong("queries", "lie on their side")
def _(embeddings, W_query):
    return (embeddings @ W_query).T


@wrong("queries", "embeddings needs no .T")
def _(embeddings, W_query):
    return embeddings.T @ W_query


@wrong("queries", "first word alone")
def _(embeddings, W_query):
    return embeddings[0] @ W_query


@wrong("queries", "softmax is applied")
def _(embeddings, W_query):
    e = np.exp(embeddings @ W_query)
    return e / e.sum(axis=1, keepdims=True)


@right("scores of queries and keys")
def _(queries, keys):
    return queries @ keys.T


@right("scores of queries and keys")
def _(queries, keys):
    return [[float(np.dot(q, k)) for k in keys] for q in queries]


@right("scores of queries and keys")
def _(queries, keys):
    return (keys @ queries.T).T


@wrong("scores of queries and keys", "Queries and keys are swapped")
def _(queries, keys):
    return keys @ queries.T


@wrong("scores of queries and keys", "Queries meet queries")
def _(queries, keys):
    return queries @ queries.T


@wrong("scores of queries and keys", "Keys meet keys")
def _(queries, keys):
    return keys @ keys.T


@wrong("scores of queries and keys", ".T stands on the wrong table")
def _(queries, keys):
    return queries.T @ keys


@wrong("scores of queries and keys", "columns with columns, keys first")
def _(queries, keys):
    return keys.T @ queries


@wrong("scores of queries and keys", "keys needs .T")
def _(queries, keys):
    return queries @ keys


@wrong("scores of queries and keys", "each word with itself, number by number")
def _(queries, keys):
    return queries * keys


@wrong("scores of queries and keys", "each word with itself only")
def _(queries, keys):
    return [q @ k for q, k in zip(queries, keys, strict=True)]


@wrong("scores of queries and keys", "attention weights already")
def _(queries, keys):
    e = np.exp(queries @ keys.T)
    return e / e.sum(axis=1, keepdims=True)


@wrong("scores of queries and keys", "divided already")
def _(queries, keys):
    return queries @ keys.T / np.sqrt(keys.shape[1])


@right("self-attention")
def _(embeddings, W_query, W_key, W_value):
    queries = embeddings @ W_query
    keys = embeddings @ W_key
    values = embeddings @ W_value
    scores = queries @ keys.T / np.sqrt(2)
    exponentials = np.exp(scores)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ values


@right("self-attention")
def _(x, Wq, Wk, Wv):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    contexts = []
    for query in q:
        e = [math.exp(query @ key / math.sqrt(len(key))) for key in k]
        contexts.append(sum(a / sum(e) * value for a, value in zip(e, v, strict=True)))
    return contexts


@right("self-attention")
def _(x, Wq, Wk, Wv):
    s = np.einsum("nd,dk,me,ek->nm", x, Wq, x, Wk) / Wk.shape[1] ** 0.5
    s = s - s.max(axis=1, keepdims=True)
    return np.matmul(softmax(s.astype(np.float32)), np.matmul(x, Wv))


def attention_by(q, k, v):
    """Attend with the square root of 2, as chapter 3 does."""
    return softmax(q @ k.T / np.sqrt(2)) @ v


@wrong("self-attention", "applied to the embeddings")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq, x @ Wk, x)


@wrong("self-attention", "keys are averaged")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq, x @ Wk, x @ Wk)


@wrong("self-attention", "queries are averaged")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq, x @ Wk, x @ Wq)


@wrong("self-attention", "keys are made with W_query")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq, x @ Wq, x @ Wv)


@wrong("self-attention", "queries are made with W_key")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wk, x @ Wk, x @ Wv)


@wrong("self-attention", "Queries and keys are swapped")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wk, x @ Wq, x @ Wv)


@wrong("self-attention", "attention weights are transposed")
def _(x, Wq, Wk, Wv):
    return softmax(x @ Wq @ (x @ Wk).T / np.sqrt(2)).T @ (x @ Wv)


@wrong("self-attention", "down the columns")
def _(x, Wq, Wk, Wv):
    return softmax(x @ Wq @ (x @ Wk).T / np.sqrt(2), axis=0) @ (x @ Wv)


@wrong("self-attention", "keepdims=True is missing")
def _(x, Wq, Wk, Wv):
    e = np.exp(x @ Wq @ (x @ Wk).T / np.sqrt(2))
    return e / e.sum(axis=1) @ x @ Wv


@wrong("self-attention", "whole table")
def _(x, Wq, Wk, Wv):
    e = np.exp(x @ Wq @ (x @ Wk).T / np.sqrt(2))
    return e / e.sum() @ x @ Wv


@wrong("self-attention", "scores are not divided")
def _(x, Wq, Wk, Wv):
    return softmax(x @ Wq @ (x @ Wk).T) @ (x @ Wv)


@wrong("self-attention", "divided by 2, which is d_k")
def _(x, Wq, Wk, Wv):
    return softmax(x @ Wq @ (x @ Wk).T / 2) @ (x @ Wv)


@wrong("self-attention", "square root of d_in, not of d_k")
def _(x, Wq, Wk, Wv):
    return softmax(x @ Wq @ (x @ Wk).T / np.sqrt(x.shape[1])) @ (x @ Wv)


@wrong("self-attention", "square root of d_v, not of d_k")
def _(x, Wq, Wk, Wv):
    return softmax(x @ Wq @ (x @ Wk).T / np.sqrt(Wv.shape[1])) @ (x @ Wv)


@wrong("self-attention", "square root of the number of words")
def _(x, Wq, Wk, Wv):
    return softmax(x @ Wq @ (x @ Wk).T / np.sqrt(len(x))) @ (x @ Wv)


@wrong("self-attention", "multiplied by the square root")
def _(x, Wq, Wk, Wv):
    return softmax(x @ Wq @ (x @ Wk).T * np.sqrt(2)) @ (x @ Wv)


@wrong("self-attention", "softmax is missing")
def _(x, Wq, Wk, Wv):
    return x @ Wq @ (x @ Wk).T / np.sqrt(2) @ (x @ Wv)


@wrong("self-attention", "One step is left")
def _(x, Wq, Wk, Wv):
    return softmax(x @ Wq @ (x @ Wk).T / np.sqrt(2))


@wrong("self-attention", "These are the values")
def _(x, Wq, Wk, Wv):
    return x @ Wv


@wrong("self-attention", "scores come from the embeddings")
def _(x, Wq, Wk, Wv):
    return attention_by(x, x, x @ Wv)


@wrong("self-attention", "keys needs .T")
def _(x, Wq, Wk, Wv):
    queries, keys, values = x @ Wq, x @ Wk, x @ Wv
    return softmax(queries @ keys / np.sqrt(2)) @ values


@wrong("self-attention", "embeddings go first, embeddings @ W_query")
def _(x, Wq, Wk, Wv):
    return attention_by(Wq @ x, Wk @ x, Wv @ x)


@wrong("self-attention", "embeddings @ W_value", "order is reversed")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq, x @ Wk, Wv @ x)


@wrong("self-attention", ".T is one too many: embeddings @ W_value")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq, x @ Wk, x @ Wv.T)


@wrong("self-attention", ".T is one too many: embeddings @ W_key")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq, x @ Wk.T, x @ Wv)


@wrong("self-attention", ".T is one too many: embeddings @ W_query")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq.T, x @ Wk.T, x @ Wv.T)


@wrong("self-attention", "2 things at once")
def _(x, Wq, Wk, Wv):
    weights = softmax(x @ Wq @ (x @ Wk).T / np.sqrt(2))
    return weights @ x @ Wv, weights


@right("self-attention class")
class Model:
    def __init__(self, W_query, W_key, W_value):
        self.W_query = W_query
        self.W_key = W_key
        self.W_value = W_value

    def __call__(self, embeddings):
        queries = embeddings @ self.W_query
        keys = embeddings @ self.W_key
        values = embeddings @ self.W_value
        scores = queries @ keys.T / np.sqrt(queries.shape[1])
        exponentials = np.exp(scores)
        weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
        return weights @ values


@right("self-attention class")
class Forward:
    def __init__(self, *matrices):
        self.matrices = [m.copy() for m in matrices]

    def forward(self, x):
        return attention_by(*(x @ m for m in self.matrices))


class Module:
    """Call forward, as PyTorch's modules do."""

    def __call__(self, x):
        return self.forward(x)


@right("self-attention class")
class TorchLike(Module):
    def __init__(self, W_query, W_key, W_value):
        super().__init__()
        self.W = {"query": W_query, "key": W_key, "value": W_value}

    def forward(self, x):
        q, k, v = (x @ self.W[name] for name in ("query", "key", "value"))
        return np.einsum("nm,mv->nv", softmax(q @ k.T / 2**0.5), v).tolist()


@wrong("self-attention class", "share their matrices")
class SharedList:
    W = []  # noqa: RUF012

    def __init__(self, W_query, W_key, W_value):
        self.W[:] = W_query, W_key, W_value

    def __call__(self, x):
        return attention_by(*(x @ m for m in self.W))


@wrong("self-attention class", "share their matrices")
class SharedGlobal:
    def __init__(self, W_query, W_key, W_value):
        global W_SHARED
        W_SHARED = W_query, W_key, W_value

    def __call__(self, x):
        return attention_by(*(x @ m for m in W_SHARED))


@wrong("self-attention class", "keys are made with W_query")
class KeysFromQuery:
    def __init__(self, W_query, W_key, W_value):
        self.W_query, self.W_key, self.W_value = W_query, W_query, W_value

    def __call__(self, x):
        return attention_by(x @ self.W_query, x @ self.W_key, x @ self.W_value)


@wrong("self-attention class", "The parameters stand in another order")
class SwappedMatrices:
    def __init__(self, W_key, W_query, W_value):
        self.W_query, self.W_key, self.W_value = W_query, W_key, W_value

    def __call__(self, x):
        return attention_by(x @ self.W_query, x @ self.W_key, x @ self.W_value)


@wrong("self-attention class", "down the columns")
class DownTheColumns:
    def __init__(self, W_query, W_key, W_value):
        self.W = W_query, W_key, W_value

    def __call__(self, x):
        q, k, v = (x @ m for m in self.W)
        return softmax(q @ k.T / np.sqrt(2), axis=0) @ v


@wrong("self-attention class", "more or fewer arguments", "self")
class NoSelf:
    def __init__(W_query, W_key, W_value):  # noqa: N805
        pass

    def __call__(self, x):
        return x


@wrong("self-attention class", "more or fewer arguments")
class TwoMatrices:
    def __init__(self, W_query, W_key):
        pass

    def __call__(self, x):
        return x


@wrong("self-attention class", "__call__")
class NoCall:
    def __init__(self, W_query, W_key, W_value):
        self.W = W_query, W_key, W_value

    def attend(self, x):
        return attention_by(*(x @ m for m in self.W))


@wrong("self-attention class", "not a class")
def _(W_query, W_key, W_value):
    return None
