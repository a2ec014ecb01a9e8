"""More answers to chapter 3, by kind of mistake."""

import dataclasses
import math

import numpy as np

import attention_helpers
from attention_helpers import self_attention, softmax

from .notes import WRONG, right, wrong

# What the notebook has by name at that point.
bank = attention_helpers.examples["bank"]
embeddings, W_query, W_key = bank.embeddings, bank.W_query, bank.W_key
W_value, queries = bank.W_value, bank.embeddings @ bank.W_query
keys, values = embeddings @ W_key, embeddings @ W_value
d_k = 64


# ---- queries ----


@right("queries")
def _(x, W):
    return np.tensordot(x, W, axes=1)


@right("queries")
def _(x, W):
    return np.column_stack([x @ column for column in W.T])


@right("queries")
def _(x, W):
    return sum(np.outer(x[:, k], W[k]) for k in range(len(W)))


@right("queries")
def _(x, W):
    made = np.empty((len(x), W.shape[1]))
    for row, out in zip(x, made, strict=True):
        np.dot(row, W, out=out)
    return made


@right("queries")
def _(x, W):
    return np.matrix(x) * np.matrix(W)


@wrong("queries", "W_query is none of its inputs", "4 rows × 2 columns")
def _(x, W):
    return x @ W_query


@wrong("queries", "embeddings is none of its inputs")
def _(x, W):
    return embeddings @ W


@wrong("queries", "queries is none of its inputs")
def _(x, W):
    return queries


@wrong("queries", "that it has written out were sizes")
def _(x, W):
    made = np.zeros((5, 3))
    for i in range(5):
        made[i] = x[i] @ W
    return made


@wrong("queries", "cannot tell")
def _(x, W):
    return x @ W + 0.1 * x[:, :1]


@wrong("queries", "cannot tell")
def _(x, W):
    return np.maximum(x @ W, 0)


@wrong("queries", "1.000 too large")
def _(x, W):
    return x @ W + 1


@wrong("queries", "Only the first row is filled in")
def _(x, W):
    made = np.zeros((len(x), W.shape[1]))
    for i, row in enumerate(x):
        made[i] = row @ W
        return made


@wrong("queries", "This is the last row alone")
def _(x, W):
    for row in x:
        query = row @ W
    return query


@wrong("queries", "rounded to 1 decimal.")
def _(x, W):
    return np.round(x @ W, 1)


@wrong("queries", "Nearly right", "float16")
def _(x, W):
    return np.float16(x @ W)


@wrong("queries", "left has 4 and the right has 5")
def _(x, W):  # x @ x: not "embeddings go first"
    return x @ x @ W


@wrong("queries", "An Attention holds every stage. What is asked for is its .queries")
def _(x, W):
    return self_attention(x, W, W, W)


@wrong("queries", "An Attention holds every stage, each under its name: .scores")
def _(x, W):
    return attention_helpers.attention(x, x, x)


@wrong("queries", ".T takes none")
def _(x, W):
    return (W.T() @ x.T).T


WRONG["queries"] += [
    (np.matmul, ["matmul of NumPy", "make_queries"]),
    (np.dot, ["dot of NumPy"]),
    (queries, ["an array, not a function", 'check("queries", make_queries)']),
    (attention_helpers.Example, ["a class, Example, not a function"]),
]

# ---- scores of queries and keys ----


@right("scores of queries and keys")
def _(q, k):
    return np.inner(q, k)


@right("scores of queries and keys")
def _(q, k):
    return np.einsum("ik,jk->ij", q, k, optimize=True)


@right("scores of queries and keys")
def _(q, k):
    return (q[:, None] * k).sum(axis=-1)


@right("scores of queries and keys")
def _(q, k):
    return (
        [[math.sumprod(a, b) for b in k.tolist()] for a in q.tolist()]
        if hasattr(math, "sumprod")
        else q @ k.T
    )


@wrong("scores of queries and keys", "keys is none of its inputs")
def _(q, k):
    return q @ keys.T


@wrong("scores of queries and keys", "queries is none of its inputs")
def _(q, k):
    return queries @ k.T


@wrong("scores of queries and keys", "What is asked for is its .scores.")
def _(q, k):
    return attention_helpers.attention(q, k, k)


@wrong("scores of queries and keys", "cannot tell")
def _(q, k):
    return np.tril(q @ k.T)


@wrong("scores of queries and keys", "0.500 times")
def _(q, k):
    return q @ k.T / 2


@wrong("scores of queries and keys", "The scores are divided already")
def _(q, k):
    return q @ k.T / np.sqrt(2)


@wrong("scores of queries and keys", "These are attention weights already")
def _(q, k):
    return softmax(q @ k.T / np.sqrt(2))


@wrong("scores of queries and keys", "These are attention weights already")
def _(q, k):
    return softmax(q @ k.T / k.shape[1] ** 0.5)


@wrong("scores of queries and keys", "d_k is none of its inputs but the notebook's, 64")
def _(q, k):
    return (q @ k.T) / np.sqrt(d_k) * 3 + q[:, :1] * 0.01


@wrong("scores of queries and keys", "cannot tell")
def _(q, k):
    return q @ k.T + k @ q.T


@wrong("scores of queries and keys", ".T takes none")
def _(q, k):
    return q @ k.T()


@wrong("scores of queries and keys", "if the 3 that it has written out were a size")
def _(q, k):
    return sum(np.outer(q[:, i], k[:, i]) for i in range(3))


WRONG["scores of queries and keys"] += [
    (np.inner, ["inner of NumPy", "make_scores"]),
    (lambda q, k: np.inner(q, k).tolist, ["A function comes back"]),
]

# ---- self-attention ----

ROOT = np.sqrt(2)


@right("self-attention")
def _(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ (x @ Wk).T / ROOT) @ (x @ Wv)


@right("self-attention")
def _(x, Wq, Wk, Wv):
    return softmax(np.linalg.multi_dot([x, Wq, Wk.T, x.T]) * 2**-0.5) @ x @ Wv


@right("self-attention")
def _(x, Wq, Wk, Wv):
    weights = np.exp(x @ Wq @ Wk.T @ x.T / 1.4142135623730951)
    weights /= weights.sum(1)[:, None]
    return np.einsum("ij,jd,dv->iv", weights, x, Wv)


@right("self-attention")
def _(x, Wq, Wk, Wv):
    q, k, v = np.split(x @ np.hstack([Wq, Wk, Wv]), [2, 4], axis=1)
    return softmax(q @ k.T / math.sqrt(k.shape[-1])) @ v


@wrong("self-attention", "made by self_attention, a library's function")
def _(x, Wq, Wk, Wv):
    return self_attention(x, Wq, Wk, Wv).context


@wrong("self-attention", "made by attention, a library's function")
def _(x, Wq, Wk, Wv):
    return attention_helpers.attention(x @ Wq, x @ Wk, x @ Wv).context


@wrong("self-attention", "An Attention holds every stage", "its .context")
def _(x, Wq, Wk, Wv):
    return self_attention(x, Wq, Wk, Wv)


@wrong("self-attention", "Attention is no table", "after a dot")
def _(x, Wq, Wk, Wv):
    return self_attention(x, Wq, Wk, Wv)[-1]


@wrong("self-attention", "The parameters stand in another order")
def _(embeddings, W_key, W_query, W_value):
    return steps(embeddings, W_query, W_key, W_value)


@wrong("self-attention", "or its logarithm")
def _(x, Wq, Wk, Wv):
    return softmax(np.sqrt(x @ Wq @ (x @ Wk).T)) @ (x @ Wv)


@wrong("self-attention", "W_key is none of its inputs")
def _(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ (x @ W_key).T / np.sqrt(2)) @ (x @ Wv)


@wrong("self-attention", "keys is none of its inputs")
def _(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ keys.T / np.sqrt(2)) @ (x @ Wv)


@wrong("self-attention", "cannot tell")
def _(x, Wq, Wk, Wv):
    return softmax(softmax((x @ Wq) @ (x @ Wk).T / ROOT)) @ (x @ Wv)


@wrong("self-attention", "d_k is none of its inputs but the notebook's, 64")
def _(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ (x @ Wk).T / np.sqrt(d_k)) @ (x @ Wv)


@wrong("self-attention", "cannot tell")
def _(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ (x @ Wk).T / np.sqrt(2)) @ (x @ Wv) + x @ Wv


@wrong("self-attention", "cannot tell")
def _(x, Wq, Wk, Wv):
    return softmax(np.abs((x @ Wq) @ (x @ Wk).T) / np.sqrt(2)) @ (x @ Wv)


@wrong("self-attention", "rounded to 3 decimals")
def _(x, Wq, Wk, Wv):
    return (softmax((x @ Wq) @ (x @ Wk).T / np.sqrt(2)) @ (x @ Wv)).round(3)


@wrong("self-attention", "Nearly right")
def _(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ (x @ Wk).T / 1.41) @ (x @ Wv)


@wrong("self-attention", "The division comes after the softmax")
def _(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ (x @ Wk).T) / np.sqrt(2) @ (x @ Wv)


@wrong("self-attention", "without np.exp")
def _(x, Wq, Wk, Wv):
    s = (x @ Wq) @ (x @ Wk).T
    return s / s.sum(axis=1, keepdims=True) @ (x @ Wv)


@wrong("self-attention", "queries @ keys does not fit")
def _(x, Wq, Wk, Wv):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    return softmax(q @ k) @ v


@wrong("self-attention", "left has 2 and the right has 5")
def _(x, Wq, Wk, Wv):  # queries with embeddings: not "queries @ keys"
    return softmax(x @ Wq @ x) @ (x @ Wv)


@wrong("self-attention", "embeddings go first, embeddings @ W_key")
def _(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ (Wk @ x).T / np.sqrt(2)) @ (x @ Wv)


@wrong("self-attention", "values needs no .T")
def _(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ (x @ Wk).T / np.sqrt(2)) @ (x @ Wv).T


@wrong("self-attention", "the attention weights go before the values")
def _(x, Wq, Wk, Wv):
    return np.matmul(x @ Wv, softmax((x @ Wq) @ (x @ Wk).T / np.sqrt(2)))


@wrong("self-attention", "if the 5 that it has written out were a size")
def _(x, Wq, Wk, Wv):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scores = np.zeros((5, 5))
    for i in range(5):
        for j in range(5):
            scores[i, j] = q[i] @ k[j] / np.sqrt(2)
    return softmax(scores) @ v


WRONG["self-attention"] += [
    (self_attention, ["self_attention of attention_helpers", "my_self_attention"]),
]

# ---- self-attention class ----


def steps(x, Wq, Wk, Wv):
    return softmax((x @ Wq) @ (x @ Wk).T / np.sqrt(2)) @ (x @ Wv)


@right("self-attention class")
@dataclasses.dataclass
class Record:
    W_query: np.ndarray
    W_key: np.ndarray
    W_value: np.ndarray

    def __call__(self, embeddings):
        return steps(embeddings, self.W_query, self.W_key, self.W_value)


class Base:
    def __init__(self, *matrices, scale=None):
        self.matrices = matrices
        self.calls = 0

    def __call__(self, embeddings, verbose=False):
        self.calls += 1  # counting is no change of what it does
        self.last = steps(embeddings, *self.matrices)
        return self.last


@right("self-attention class")
class Inherits(Base):
    pass


@right("self-attention class")
class ByLibrary:
    def __init__(self, W_query, W_key, W_value):
        self.W = W_query, W_key, W_value

    def __call__(self, embeddings):
        return self_attention(embeddings, *self.W).context


@right("self-attention class")
class Slots:
    __slots__ = ("W_value", "both")

    def __init__(self, W_query, W_key, W_value):
        self.both, self.W_value = W_query @ W_key.T / 2**0.5, W_value

    def __call__(self, x):
        return softmax(x @ self.both @ x.T) @ x @ self.W_value


@right("self-attention class")
class Remembers:
    """Keep results, each under its own embeddings."""

    def __init__(self, *matrices):
        self.matrices, self.known = matrices, {}

    def __call__(self, x):
        key = x.tobytes()
        if key not in self.known:
            self.known[key] = steps(x, *self.matrices)
        return self.known[key]


@right("self-attention class")
class MultipliesOnce:
    """Keep a product of the first call, which differs in its last digit alone."""

    both = None

    def __init__(self, W_query, W_key, W_value):
        self.W_query, self.W_key, self.W_value = W_query, W_key, W_value

    def __call__(self, x):
        if self.both is None:
            scores = (x @ self.W_query) @ (x @ self.W_key).T
            self.both = self.W_query @ self.W_key.T
        else:
            scores = x @ self.both @ x.T
        return softmax(scores / np.sqrt(2)) @ (x @ self.W_value)


CHANGES = ("another result when the same object is called once more", "changes the")


@wrong("self-attention class", *CHANGES)
class ScalesItself:
    def __init__(self, W_query, W_key, W_value):
        self.W_query, self.W_key, self.W_value = W_query, W_key, W_value
        self.scale = np.sqrt(2)

    def __call__(self, x):
        result = softmax(x @ self.W_query @ (x @ self.W_key).T / self.scale)
        self.scale *= np.sqrt(2)
        return result @ x @ self.W_value


@wrong("self-attention class", *CHANGES)
class ReplacesMatrices:
    def __init__(self, W_query, W_key, W_value):
        self.W_query, self.W_key, self.W_value = W_query, W_key, W_value

    def __call__(self, x):
        self.W_query = x @ self.W_query
        self.W_key = x @ self.W_key
        self.W_value = x @ self.W_value
        return softmax(self.W_query @ self.W_key.T / np.sqrt(2)) @ self.W_value


@wrong("self-attention class", *CHANGES)
class KeepsTheFirst:
    result = None

    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        if self.result is None:
            self.result = steps(x, *self.matrices)
        return self.result


@wrong("self-attention class", *CHANGES)
class KeepsKeysAndValues:
    keys = None

    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        queries, keys, values = (x @ W for W in self.matrices)
        if self.keys is None:
            self.keys, self.values = keys, values
        return softmax(queries @ self.keys.T / np.sqrt(2)) @ self.values


@wrong("self-attention class", *CHANGES)
class KeepsTheWords:
    def __init__(self, *matrices):
        self.matrices, self.x = matrices, None

    def __call__(self, x):
        self.x = x if self.x is None else self.x
        return steps(self.x, *self.matrices)


@wrong("self-attention class", *CHANGES)
class InPlace:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        result = steps(x, *self.matrices)
        for matrix in self.matrices:
            matrix /= 2
        return result


@wrong("self-attention class", *CHANGES)
class AddsUp:
    def __init__(self, *matrices):
        self.matrices, self.total = matrices, 0

    def __call__(self, x):
        self.total = self.total + steps(x, *self.matrices)
        return self.total


@wrong("self-attention class", "W_query is the notebook's here", "self.W_query")
class ForgetsSelf:
    def __init__(self, W_query, W_key, W_value):
        self.W_query, self.W_key, self.W_value = W_query, W_key, W_value

    def __call__(self, x):
        return steps(x, W_query, self.W_key, self.W_value)


@wrong("self-attention class", "embeddings is the notebook's here. It comes in when")
class MultipliesTooEarly:
    def __init__(self, W_query, W_key, W_value):
        self.queries, self.keys = embeddings @ W_query, embeddings @ W_key
        self.values = embeddings @ W_value

    def __call__(self, x):
        return softmax(self.queries @ self.keys.T / np.sqrt(2)) @ self.values


@wrong("self-attention class", "embeddings is the notebook's here. It comes in when")
class AnotherName:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        return steps(embeddings, *self.matrices)


@wrong(
    "self-attention class",
    "kept embeddings in self",
    "comes in when the object is called",
)
class KeptNowhere:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        return steps(self.embeddings, *self.matrices)


@wrong("self-attention class", "Nothing called embeddings belongs to it")
class AsksTheTable:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        return steps(x.embeddings, *self.matrices)


@wrong("self-attention class", "SingleUnderscores has no __init__", "two underscores")
class SingleUnderscores:
    def _init_(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        return steps(x, *self.matrices)


@wrong("self-attention class", "W_out", "Inside a class", "self.W_out")
class ForgetsSelfOfNothing:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        return steps(x, *self.matrices) @ W_out  # noqa: F821


@wrong("self-attention class", "__init__ has to keep it, self.W_value = W_value")
class KeepsTwo:
    def __init__(self, W_query, W_key, W_value):
        self.W_query, self.W_key = W_query, W_key
        W_value = W_value

    def __call__(self, x):
        return steps(x, self.W_query, self.W_key, self.W_value)


@wrong("self-attention class", "An Attention holds every stage", "its .context")
class ReturnsAttention:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        return self_attention(x, *self.matrices)


@wrong("self-attention class", "share their matrices")
class OnTheClass:
    def __init__(self, W_query, W_key, W_value):
        OnTheClass.matrices = W_query, W_key, W_value

    def __call__(self, x):
        return steps(x, *self.matrices)


@wrong("self-attention class", "if the 5 that it has written out were a size")
class FiveWords:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        context = steps(x, *self.matrices)
        return context[:5]


@wrong("self-attention class", "The softmax is missing")
class NoSoftmax:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        q, k, v = (x @ W for W in self.matrices)
        return q @ k.T / np.sqrt(2) @ v


@wrong("self-attention class", "The division comes after the softmax")
class DividesLast:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        q, k, v = (x @ W for W in self.matrices)
        return softmax(q @ k.T) @ v / np.sqrt(2)


@wrong("self-attention class", "needs return")
class NoReturn:
    def __init__(self, *matrices):
        self.matrices = matrices

    def __call__(self, x):
        steps(x, *self.matrices)


WRONG["self-attention class"] += [
    (attention_helpers.Example, ["Example of attention_helpers, not a class of your"]),
    (dict, ["dict of Python, not a class of your own", "MySelfAttention"]),
    (Record(W_query, W_key, W_value), ["a Record, not a class", "without calling it"]),
    (self_attention, ["a function", "not a class"]),
]
