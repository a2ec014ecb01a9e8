"""More answers to chapter 4, by kind of mistake."""

import math
from decimal import Decimal

import numpy as np

import attention_helpers
from attention_helpers import attention, self_attention, softmax

from .notes import WRONG, right, wrong

# What the notebook has by name at that point.
bank = attention_helpers.examples["bank"]
sizes = [2, 4, 8, 16, 32, 64, 128, 256, 512]
draws = {size: np.random.default_rng(0).normal(size=(50, 6)) for size in sizes}
spreads = {size: float(np.sqrt(size)) * 1.02 for size in sizes}
d_k = 512
queries = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]]
largest = 1001.0


# ---- divisor ----


@right("divisor")
def _(embeddings, queries, keys, values):
    return np.linalg.norm(np.ones(len(queries[0])))


@right("divisor")
def _(embeddings, queries, keys, values):
    _, d_k = keys.shape
    return d_k**0.5


@right("divisor")
def _(embeddings, queries, keys, values):
    return Decimal(keys.shape[1]).sqrt().__float__()


@right("divisor")
def _(embeddings, queries, keys, values):
    return np.sqrt(queries.size / len(queries))


@wrong("divisor", "how far these dot products spread", "depends on d_k alone")
def _(x, q, k, v):
    return np.std(q @ k.T)


@wrong("divisor", "d_k is none of its inputs but the notebook's, 512")
def _(embeddings, queries, keys, values):
    return np.sqrt(d_k)


@wrong("divisor", "if the 5 that it has written out were a size")
def _(embeddings, queries, keys, values):
    return np.sqrt(5)


@wrong("divisor", "cannot tell")
def _(embeddings, queries, keys, values):
    return 1.7320508


@wrong("divisor", "All would be right if the 3 that it has written out")
def _(embeddings, queries, keys, values):
    return math.sqrt(3)


@wrong("divisor", "3 numbers in one row")
def _(embeddings, queries, keys, values):
    return np.sqrt([3, 4, 5])


@wrong("divisor", "cannot tell")
def _(embeddings, queries, keys, values):
    return np.cbrt(keys.shape[1])


@wrong("divisor", "One number stands where a row or a table is needed")
def _(embeddings, queries, keys, values):
    return np.sqrt(len(keys.shape[1]))


@wrong("divisor", "rounded to 1 decimal.")
def _(embeddings, queries, keys, values):
    return round(np.sqrt(keys.shape[1]), 1)


@wrong("divisor", "cannot tell")
def _(embeddings, queries, keys, values):
    return round(math.sqrt(keys.shape[1]))


@wrong("divisor", "A function comes back")
def _(embeddings, queries, keys, values):
    return np.sqrt


@wrong("divisor", "cannot tell")
def _(embeddings, queries, keys, values):
    return np.sqrt(keys.std() * 2)


WRONG["divisor"] += [
    (math.sqrt(2), ["a float, not a function", 'check("divisor", my_divisor)']),
    (np.sqrt, ["sqrt of NumPy, not a function of your own", "my_divisor"]),
]

# ---- stable softmax ----


@right("stable softmax")
def _(scores):
    shifted = scores - np.amax(scores, axis=1)[:, None] - 3
    e = np.exp(shifted)
    return e / np.add.reduce(e, axis=1)[:, None]


@right("stable softmax")
def _(scores):
    return np.array(
        [[1 / sum(exp_or_inf(b - a) for b in row) for a in row] for row in scores]
    )


def exp_or_inf(x):
    return math.inf if x > 700 else math.exp(x)


@right("stable softmax")
def _(scores):
    result = np.zeros(scores.shape)
    for i, row in enumerate(scores):
        e = np.exp(row - max(row))
        np.divide(e, sum(e), out=result[i])
    return result


@right("stable softmax")
def _(scores):
    if np.abs(scores).max() > 500:  # where it is needed
        scores = scores - scores.max(axis=1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


@right("stable softmax")
def _(scores):
    order = np.argsort(scores, axis=1)
    highest = np.take_along_axis(scores, order[:, -1:], axis=1)
    e = 2.0 ** ((scores - highest) / np.log(2))
    return e / e.sum(axis=1, keepdims=True)


@right("stable softmax")
def _(scores):
    shares = np.apply_along_axis(
        lambda row: np.exp(row - np.logaddexp.reduce(row)), 1, scores
    )
    return shares / shares.sum(axis=1, keepdims=True)


def shift(scores, by):
    e = np.exp(scores - by)
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "nothing, or 0, is subtracted", "0 / 0 is NaN")
def _(scores):
    return shift(scores, np.maximum(0, scores.max(axis=1, keepdims=True)))


@wrong("stable softmax", "nothing, or 0, is subtracted")
def _(scores):
    result = []
    for row in scores:
        largest = 0
        for score in row:
            if score > largest:
                largest = score
        e = np.exp(row - largest)
        result.append(e / e.sum())
    return result


@wrong("stable softmax", "nothing, or 0, is subtracted")
def _(scores):
    return shift(scores, np.max(scores, axis=1, keepdims=True, initial=0))


@wrong("stable softmax", "largest size of a score", "without its sign")
def _(scores):
    return shift(scores, np.abs(scores).max(axis=1, keepdims=True))


@wrong("stable softmax", "largest size of a score", "without its sign")
def _(scores):
    return shift(scores, np.array([[max(row, key=abs)] for row in abs(scores)]))


@wrong("stable softmax", "The last score of each row is subtracted")
def _(scores):
    return shift(scores, scores[:, -1:])


@wrong("stable softmax", "The first score of each row is subtracted")
def _(scores):
    return shift(scores, scores[:, 0][:, None])


@wrong("stable softmax", "The middle score of each row is subtracted")
def _(scores):
    return shift(scores, scores[:, [scores.shape[1] // 2]])


@wrong("stable softmax", "NaN is what 0 / 0")
def _(scores):
    return shift(scores, np.median(scores, axis=1, keepdims=True))


@wrong("stable softmax", "NaN is what 0 / 0")
def _(scores):
    return shift(scores, np.sort(scores, axis=1)[:, -2:-1])


@wrong("stable softmax", "nothing, or 0, is subtracted")
def _(scores):
    high = scores.max(axis=1, keepdims=True)
    return shift(scores, np.where(high > 500, high, 0))


@wrong("stable softmax", "nothing, or 0, is subtracted")
def _(scores):
    if scores.max() > 700:
        scores = scores - scores.max(axis=1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "NaN is what 0 / 0")
def _(scores):
    if scores.max() >= 1000:
        scores = scores - scores.max(axis=1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "largest is none of its inputs but the notebook's, 1001")
def _(scores):
    return shift(scores, largest)


@wrong("stable softmax", "NaN is what 0 / 0")
def _(scores):
    return shift(scores, 1000)


@wrong("stable softmax", "keepdims=True is missing where the sum is taken")
def _(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1)


@wrong("stable softmax", "keepdims=True is missing where the largest is taken")
def _(scores):
    e = np.exp(scores - scores.max(axis=-1))
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "brackets () are missing")
def _(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum


@wrong("stable softmax", "made by softmax, a library's function")
def _(scores):
    return softmax(scores)


@wrong("stable softmax", "made by softmax, a library's function")
def _(scores):
    return softmax(scores - scores.max(axis=1, keepdims=True))


@wrong("stable softmax", "cannot tell")
def _(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / np.exp(scores.clip(None, 0)).sum(axis=1, keepdims=True)


@wrong("stable softmax", "cannot tell")
def _(scores):
    e = np.exp((scores - scores.max(axis=1, keepdims=True)) / 2)
    return e / e.sum(axis=1, keepdims=True)


@wrong("stable softmax", "Large scores are cut off")
def _(scores):
    return shift(np.clip(scores, -600, 600), 0)


@wrong("stable softmax", "rounded to 2 decimals")
def _(scores):
    return shift(scores, scores.max(axis=1, keepdims=True)).round(2)


@wrong("stable softmax", "Nearly right", "float16")
def _(scores):
    e = np.exp((scores - scores.max(axis=1, keepdims=True)).astype(np.float16))
    return e / e.sum(axis=1, keepdims=True)


WRONG["stable softmax"] += [
    (softmax, ["softmax of attention_helpers", "my_softmax"]),
]

# ---- scaled attention ----


@right("scaled attention")
def _(q, k, v):
    return softmax(np.inner(q, k) * k.shape[-1] ** -0.5) @ v


@right("scaled attention")
def _(q, k, v):
    root = math.sqrt(len(q[0]))
    return np.array([softmax(k @ row / root) @ v for row in q])


@right("scaled attention")
def _(q, k, v):
    s = np.einsum("id,jd->ij", q, k)
    s *= 1 / np.sqrt(q.shape[1])
    e = np.exp(s - s.max())
    return (e @ v) / (e @ np.ones((len(v), 1)))


@right("scaled attention")
def _(q, k, v):
    e = np.exp(np.matrix(q) * np.matrix(k).T / np.sqrt(k.shape[1]))
    return np.multiply(e, 1 / e.sum(axis=1)) * v


@wrong("scaled attention", "made by attention, a library's function")
def _(q, k, v):
    return attention(q, k, v).context


@wrong("scaled attention", "made by self_attention, a library's function")
def _(q, k, v):
    both = np.hstack([q, k, v])
    eye = np.eye(both.shape[1])
    d = q.shape[1]
    parts = eye[:, :d], eye[:, d : 2 * d], eye[:, 2 * d :]
    return self_attention(both, *parts).context


@wrong("scaled attention", "An Attention holds every stage", "its .context")
def _(q, k, v):
    return attention(q, k, v)


@wrong("scaled attention", "the square root of 2", "In chapter 3 that was d_k")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(2)) @ v


@wrong("scaled attention", "if the 3 that it has written out were a size")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(3)) @ v


@wrong("scaled attention", "This divides by the square root of 2")
def _(q, k, v):
    return softmax(q @ k.T / 1.4142135) @ v


@wrong("scaled attention", "d_k is none of its inputs but the notebook's, 512")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(d_k)) @ v


@wrong("scaled attention", "queries is none of its inputs but the notebook's, a list")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(len(queries[0]) + q[0, 0] * 0)) @ v


@wrong("scaled attention", "cannot tell")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(q.size)) @ v


@wrong("scaled attention", "cannot tell")
def _(q, k, v):
    return softmax(q @ k.T / np.sqrt(k.shape[1] + v.shape[1])) @ v


@wrong("scaled attention", "cannot tell")
def _(q, k, v):
    return softmax(q / np.linalg.norm(q, axis=1, keepdims=True) @ k.T) @ v


@wrong("scaled attention", "rounded to 2 decimals")
def _(q, k, v):
    return np.round(softmax(q @ k.T / np.sqrt(k.shape[1])) @ v, 2)


@wrong("scaled attention", "cannot tell")
def _(q, k, v):
    return softmax((q @ k.T / np.sqrt(k.shape[1])).round()) @ v


@wrong("scaled attention", ".T takes none")
def _(q, k, v):
    return softmax(q @ k.T() / np.sqrt(k.shape[1])) @ v


@wrong("scaled attention", "left has 5 and the right has 4")
def _(q, k, v):  # not "values needs no .T"
    return softmax(q @ k.T / np.sqrt(k.shape[1])) @ v[:4]


@wrong("scaled attention", "left has 3 and the right has 5")
def _(q, k, v):  # not "keys needs .T"
    return softmax(q @ v / np.sqrt(k.shape[1])) @ v


@wrong("scaled attention", "that it has written out were sizes")
def _(q, k, v):
    out = np.zeros((5, 4))
    for i in range(5):
        out[i] = softmax(k @ q[i] / np.sqrt(k.shape[1])) @ v
    return out


# ---- spread ----


@right("spread")
def _(d_k, rng):
    ours, theirs = rng.spawn(2)
    q, k = ours.normal(size=(1000, d_k)), theirs.normal(size=(1000, d_k))
    return (q * k).sum(axis=1).std()


@right("spread")
def _(d_k, rng):
    q, k = np.empty((2, 1000, d_k))
    rng.standard_normal(out=q)
    rng.standard_normal(out=k)
    return np.einsum("ij,ij->i", q, k).std()


@right("spread")
def _(d_k, rng):
    q, k = np.empty((1000, d_k)), np.empty((1000, d_k))
    for child, table in zip(rng.spawn(2), (q, k), strict=True):
        child.standard_normal(out=table)
    return np.multiply(q, k, out=q).sum(axis=1).std()


@right("spread")
def _(d_k, rng):
    rng = np.random.default_rng(rng)
    draw = rng.normal
    return np.std([draw(0, 1, d_k) @ draw(0, 1, d_k) for _ in range(1500)])


@right("spread")
def _(d_k, rng):
    q, k = rng.standard_normal((2, d_k, 1000))
    return float(np.sqrt(np.mean((q * k).sum(axis=0) ** 2)))


@right("spread")
def _(d_k, rng):
    shape = 1000, d_k
    q, k = (np.sqrt(12) * (rng.random(shape) - 0.5) for _ in range(2))
    return (q * k).sum(1).std()


@right("spread")
def _(d_k, rng):
    mine = np.random.Generator(np.random.MT19937(5))
    q, k = mine.normal(size=(2, 1000, d_k)).astype(np.float32)
    return (q * k).sum(-1).std()


@wrong("spread", "with nothing measured")
def _(d_k, rng):
    return np.sqrt(d_k)


@wrong("spread", "with nothing measured")
def _(d_k, rng):
    rng.normal(size=(1000, d_k))
    return d_k**0.5


@wrong("spread", "with nothing measured")
def _(d_k, rng):
    return 1.01 * math.sqrt(d_k)


@wrong("spread", "with nothing measured")
def _(d_k, rng):
    return round(np.sqrt(d_k), 1)


@wrong("spread", "There is no entry 60 to look up")
def _(d_k, rng):
    return spreads[d_k]


@wrong("spread", "There is no entry 60 to look up")
def _(d_k, rng):
    return draws[d_k].std()


@wrong("spread", "draws is none of its inputs")
def _(d_k, rng):
    return draws[64].std() * 9.3


@wrong("spread", "cannot tell")
def _(d_k, rng):
    q, k = rng.normal(size=(2, 1000, 64))
    return (q * k).sum(axis=1).std()


@wrong("spread", "this result only twice")
def _(d_k, rng):
    return rng.spawn(1)[0].normal(size=(1000, d_k)).sum(axis=1).std()


@wrong("spread", "this result only twice")
def _(d_k, rng):
    table = np.empty((1000, d_k))
    rng.standard_normal(out=table)
    return table.sum(axis=1).std()


@wrong("spread", "this result only twice")
def _(d_k, rng):
    return rng.normal(size=(1000, d_k)).std() * np.sqrt(d_k)


@wrong("spread", "this result only twice")
def _(d_k, rng):
    return rng.normal(0, np.sqrt(d_k), 1000).std()


@wrong("spread", "cannot tell")
def _(d_k, rng):
    q, k = 2 * rng.normal(size=(2, 1000, d_k))
    return (q * k).sum(axis=1).std()


@wrong("spread", "cannot tell")
def _(d_k, rng):
    q, k = rng.normal(size=(2, 1000, d_k))
    return (q * k).sum(axis=1).max()


@wrong("spread", "cannot tell")
def _(d_k, rng):
    q, k = rng.normal(size=(2, 1000, d_k))
    return (q @ k.T).sum(axis=1).std()


@wrong("spread", "means of the products spread so little")
def _(d_k, rng):
    q, k = rng.normal(size=(2, 1000, d_k))
    return (q * k).mean(axis=1).std()


@wrong("spread", "A function comes back")
def _(d_k, rng):
    q, k = rng.normal(size=(2, 1000, d_k))
    return (q * k).sum(axis=1).std


@wrong("spread", "twice as large")
def _(d_k, rng):
    return rng.choice([-1, 1], size=(1000, d_k)).sum(axis=1).std()


@wrong("spread", "twice as large")
def _(d_k, rng):
    return (2 * rng.integers(0, 2, size=(1000, d_k)) - 1).sum(axis=1).std()


@wrong("scaled attention", "the root of a negative number")
def _(queries, keys, values):
    return softmax(np.sqrt(queries @ keys.T)) @ values
