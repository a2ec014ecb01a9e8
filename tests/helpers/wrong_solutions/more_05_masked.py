"""More answers to chapter 5, by kind of mistake."""

import math

import numpy as np

import attention_helpers
from attention_helpers import attention, causal_mask, self_attention, softmax

from .chapter_05_masked import EMBEDDINGS, poke
from .notes import WRONG, right, wrong

# What the notebook has by name at that point.
bank = attention_helpers.examples["bank"]
mask = np.tri(5, dtype=bool)
free = self_attention(bank.embeddings, bank.W_query, bank.W_key, bank.W_value)
masked_scores = np.where(mask, free.scaled_scores, -np.inf)
weights = softmax(masked_scores)
context = weights @ free.values
values = free.values


def below(scores, fill=-np.inf, **options):
    """Write a number over the future."""
    return np.where(np.tri(len(scores), **options), scores, fill)


def scaled(q, k):
    return q @ k.T / np.sqrt(k.shape[1])


# ---- causal mask ----


@right("causal mask")
def _(n):
    return np.greater_equal.outer(np.arange(n), np.arange(n))


@right("causal mask")
def _(n):
    return np.tri(n).astype(bool)


@right("causal mask")
def _(n):
    table = np.zeros((n, n), bool)
    table[np.tril_indices(n)] = True
    return table


@right("causal mask")
def _(n):
    return np.fromfunction(lambda i, j: j <= i, (n, n))


@right("causal mask")
def _(n):
    return [[True] * (i + 1) + [False] * (n - i - 1) for i in range(n)]


@right("causal mask")
def _(n):
    return np.tri(n) == 1


@right("causal mask")
def _(n):
    return np.matrix(np.tri(n, dtype=bool))


@right("causal mask")
def _(n):
    return np.cumsum(np.eye(n), axis=0) > 0


@wrong("causal mask", "a table of float64, right in its places", "dtype=bool")
def _(n):
    return np.tri(n)


@wrong("causal mask", "a table of int64, right in its places", "dtype=bool")
def _(n):
    return [[1 if j <= i else 0 for j in range(n)] for i in range(n)]


@wrong("causal mask", "a table of int8, right in its places", "dtype=bool")
def _(n):
    return np.tril(np.ones((n, n), dtype=np.int8))


@wrong("causal mask", "right in its places", "dtype=bool")
def _(n):
    return [[int(j <= i) for j in range(n)] for i in range(n)]


@wrong("causal mask", "made by causal_mask, a library's function")
def _(n):
    return causal_mask(n)


@wrong("causal mask", "made by causal_mask, a library's function")
def _(n):
    return causal_mask(n) & np.ones((n, n), dtype=bool)


@wrong("causal mask", "mask is none of its inputs", "5 rows × 5 columns")
def _(n):
    return mask


@wrong("causal mask", "if the 5 that it has written out were a size")
def _(n):
    return np.tri(5, dtype=bool)


@wrong("causal mask", "cannot tell")
def _(n):
    return np.tri(n, dtype=bool) & ~np.tri(n, k=-3, dtype=bool)


@wrong("causal mask", "~ turns True and False round", "numbers")
def _(n):
    return ~np.triu(np.ones((n, n)), k=1)


@wrong("causal mask", "Minus does not work on True and False")
def _(n):
    return -np.triu(np.ones((n, n), dtype=bool), k=1)


@wrong("causal mask", "text")
def _(n):
    return [["yes" if j <= i else "no" for j in range(n)] for i in range(n)]


WRONG["causal mask"] += [
    (causal_mask, ["causal_mask of attention_helpers", "my_mask"]),
    (np.tri, ["tri of NumPy, not a function of your own", "my_mask"]),
    (mask, ["an array, not a function", 'check("causal mask", my_mask)']),
]

# ---- masked scores ----


@right("masked scores")
def _(scores, mask):
    hidden = np.full_like(scores, -np.inf)
    np.copyto(hidden, scores, where=mask)
    return hidden


@right("masked scores")
def _(scores, mask):
    hidden = scores.copy()
    np.putmask(hidden, ~mask, -np.inf)
    return hidden


@right("masked scores")
def _(scores, mask):
    with np.errstate(divide="ignore"):
        return scores + np.log(mask)


@right("masked scores")
def _(scores, mask):
    return np.ma.masked_where(~mask, scores).filled(-np.inf)


@right("masked scores")
def _(scores, mask):
    return np.select([mask], [scores], default=np.finfo(float).min)


@right("masked scores")
def _(scores, mask):
    return scores - 1e9 * (1 - mask)


@right("masked scores")
def _(scores, mask):
    return np.choose(mask, [-np.inf, scores])


@wrong("masked scores", "−10 stands where the mask is False", "-np.inf always does")
def _(scores, mask):
    return np.where(mask, scores, -10)


@right("masked scores")
def low_enough(scores, mask):
    return np.where(mask, scores, -999)


@wrong("masked scores", "−900 stands where the mask is False")
def _(scores, mask):
    return np.where(mask, scores, -900)


@wrong("masked scores", "−3.5 stands where the mask is False")
def _(scores, mask):
    hidden = scores.copy()
    hidden[~mask] = -3.5
    return hidden


@wrong("masked scores", "Where the mask is False, −10 is added to the score")
def _(scores, mask):
    return scores - 10.0 * ~mask


@wrong("masked scores", "The lowest score is written")
def _(scores, mask):
    return np.where(mask, scores, scores.min())


@wrong("masked scores", "rounded to 0 decimals")
def _(scores, mask):
    return np.where(mask, np.round(scores), -np.inf)


@wrong("masked scores", "cannot tell")
def _(scores, mask):
    return np.where(mask, scores / 2, -np.inf)


@wrong("masked scores", "mask is none of its inputs", "5 rows × 5 columns")
def _(scores, visible):
    return np.where(mask, scores, -np.inf)


@wrong("masked scores", "masked_scores is none of its inputs")
def _(scores, mask):
    return masked_scores


@wrong("masked scores", "Minus does not work on True and False")
def _(scores, mask):
    return np.where(-mask, -np.inf, scores)


@wrong("masked scores", "a masked array, whose mask would be lost")
def _(scores, mask):
    return np.ma.masked_where(~mask, scores)


@wrong("masked scores", "The mask is not used")
def _(scores, mask):
    return np.where(causal_mask(len(scores)), scores, -np.inf)


# ---- masked attention ----


@right("masked attention")
def _(q, k, v):
    return softmax(below(scaled(q, k))) @ v


@right("masked attention")
def _(q, k, v):
    return softmax(np.where(causal_mask(len(q)), scaled(q, k), -np.inf)) @ v


@right("masked attention")
def _(q, k, v):
    s = scaled(q, k)
    with np.errstate(divide="ignore"):
        e = np.exp(s + np.log(np.tri(len(s))) - s.max())
    return e @ v / e.sum(axis=1, keepdims=True)


@right("masked attention")
def _(q, k, v):
    rows = [softmax(k[: i + 1] @ row / k.shape[1] ** 0.5) for i, row in enumerate(q)]
    return [row @ v[: len(row)] for row in rows]


@right("masked attention")
def _(q, k, v):
    root = math.sqrt(q.shape[1])
    out = np.empty((len(q), v.shape[1]))
    for i in range(len(q)):
        np.matmul(softmax(np.inner(q[i], k[: i + 1]) / root), v[: i + 1], out=out[i])
    return out


@right("masked attention")
def _(q, k, v):
    s = np.tril(scaled(q, k)) + np.triu(np.full((len(q), len(q)), -1e12), 1)
    return softmax(s) @ v


@wrong("masked attention", "np.empty(...) does not clear them")
def _(q, k, v):
    out = np.empty((len(q), v.shape[1]))
    for i in range(1, len(q)):
        out[i] = softmax(k[: i + 1] @ q[i] / np.sqrt(len(q[i]))) @ v[: i + 1]
    return out


@wrong("masked attention", "made by attention, a library's function")
def _(q, k, v):
    return attention(q, k, v, mask=causal_mask(len(q))).context


@wrong("masked attention", "An Attention holds every stage", "its .context")
def _(q, k, v):
    return attention(q, k, v, mask=causal_mask(len(q)))


@wrong("masked attention", "mask is none of its inputs", "5 rows × 5 columns")
def _(q, k, v):
    return softmax(np.where(mask, scaled(q, k), -np.inf)) @ v


@wrong("masked attention", "weights is none of its inputs")
def _(q, k, v):
    return weights @ v


@wrong("masked attention", "values is none of its inputs")
def _(q, k, v):
    return softmax(below(scaled(q, k))) @ values


@wrong("masked attention", "if the 5 that it has written out were a size")
def _(q, k, v):
    return softmax(np.where(causal_mask(5), scaled(q, k), -np.inf)) @ v


@wrong("masked attention", "if the 2 that it has written out were a size")
def _(q, k, v):
    return softmax(below(q @ k.T / np.sqrt(2))) @ v


@wrong("masked attention", "−20 is written over the scores of the future")
def _(q, k, v):
    return softmax(below(scaled(q, k), -20)) @ v


@wrong("masked attention", "−5 is written over the scores of the future")
def _(q, k, v):
    return softmax(below(scaled(q, k), -5)) @ v


@wrong("masked attention", "−9 is written over the scores of the future")
def _(q, k, v):
    return softmax(below(scaled(q, k), -9)) @ v


@wrong("masked attention", "−1 is written over the scores of the future")
def _(q, k, v):
    return softmax(below(scaled(q, k), -1.0)) @ v


@wrong("masked attention", "cannot tell")
def _(q, k, v):
    return softmax(below(scaled(q, k), -13)) @ v


@wrong("masked attention", "rounded to 3 decimals")  # not "is an ordinary number"
def _(q, k, v):
    return (softmax(below(scaled(q, k))) @ v).round(3)


@wrong("masked attention", "Nearly right", "float16")  # not "is an ordinary number"
def _(q, k, v):
    return (softmax(below(scaled(q, k))) @ v).astype(np.float16)


@wrong("masked attention", "A slice is empty", "includes it")
def _(q, k, v):
    contexts = []
    for i, row in enumerate(q):
        s = k[:i] @ row / np.sqrt(len(row))
        e = np.exp(s - s.max())
        contexts.append(e / e.sum() @ v[:i])
    return contexts


@wrong("masked attention", "the first one looks at nothing", "[: i + 1]")
def _(q, k, v):
    contexts = []
    for i, row in enumerate(q):
        e = np.exp(k[:i] @ row / np.sqrt(len(row)))
        contexts.append(e / e.sum() @ v[:i])
    return contexts


@wrong("masked attention", "The division comes after the softmax")
def _(q, k, v):
    return softmax(below(q @ k.T)) / np.sqrt(k.shape[1]) @ v


@wrong("masked attention", "keepdims=True is missing")
def _(q, k, v):
    kept = softmax(scaled(q, k)) * np.tri(len(q))
    return kept / kept.sum(axis=1) @ v


@wrong("masked attention", "without np.exp")
def _(q, k, v):
    s = np.tril(scaled(q, k))
    return s / s.sum(axis=1, keepdims=True) @ v


@wrong("masked attention", "Every number is NaN")
def _(q, k, v):
    return softmax_of_anything(below(scaled(q, k), np.nan) + np.nan) @ v


def softmax_of_anything(scores):
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


@wrong("masked attention", "cannot tell")
def _(q, k, v):
    return np.tril(softmax(below(scaled(q, k)))).T @ v * 2


@wrong("masked attention", "cannot tell")
def _(q, k, v):
    return softmax(below(scaled(q, k))) @ v + v


@wrong("masked attention", "..., from unfilled", "unfilled still returns a ...")
def _(q, k, v):
    return unfilled(q)


@wrong("masked attention", "unfilled still returns a ...")
def _(q, k, v):
    return softmax_of_anything(scaled(q, k) + unfilled(q)) @ v


def unfilled(scores):
    return ...


# ---- leaks ----


@right("leaks")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] = np.random.default_rng(0).normal(size=4)
    return not np.allclose(attend(poked)[:-1], attend(EMBEDDINGS)[:-1])


@right("leaks")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return bool((abs(attend(poked) - attend(EMBEDDINGS))[:-1] > 1e-6).any())


@right("leaks")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] = [0, 1, -1, 2]
    return np.abs(attend(poked) - attend(EMBEDDINGS))[:4].max() > 1e-9


@right("leaks")
def _(attend):
    words = np.random.default_rng(3).normal(size=(4, 4))
    shorter = [attend(words[: n + 1])[n] for n in range(4)]
    return not np.allclose(shorter, attend(words))


@right("leaks")
def _(attend):
    before = attend(EMBEDDINGS).copy()
    for word in range(1, 5):
        for column in range(4):
            poked = EMBEDDINGS.copy()
            poked[word, column] += 1
            if not np.allclose(before[:word], attend(poked)[:word]):
                return True
    return False


@right("leaks")
def _(attend):
    poked = bank.embeddings.copy()
    poked[-1] = poked[-1][::-1] - 1
    moved = attend(poked) - attend(bank.embeddings)
    return np.array(np.linalg.norm(moved[:-1]) > 1e-8)


LINKED = poke(link=1)


@wrong("leaks", "Only wet changed", "in every column")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(wet=0))[:-1])


@wrong("leaks", "Only rich changed", "in every column")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(rich=2))[:-1])


@wrong("leaks", "Only place changed", "in every column")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(place=5))[:-1])


@wrong("leaks", "Only link changed", "in every column")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(LINKED)[:-1])


@wrong("leaks", "The context in row 3 moved", "overlooked")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return not np.allclose(attend(EMBEDDINGS)[0], attend(poked)[0])


@wrong("leaks", "The context in row 3 moved", "overlooked")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return not np.allclose(attend(EMBEDDINGS)[:-2], attend(poked)[:-2])


@wrong("leaks", "The context in row 0 moved", "overlooked")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return not np.allclose(attend(EMBEDDINGS)[-2], attend(poked)[-2])


@wrong("leaks", "moved by", "let a single one be enough")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return (abs(attend(EMBEDDINGS) - attend(poked))[:-1] > 1e-9).all()


@wrong("leaks", "moved by", "overlooked")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return not np.allclose(attend(EMBEDDINGS)[:-1, 0], attend(poked)[:-1, 0])


@wrong("leaks", "moved by", "overlooked")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return abs(attend(EMBEDDINGS)[:-1].sum() - attend(poked)[:-1].sum()) > 1e-9


@wrong("leaks", "rounding, not a leak")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] = [0.3, -0.2, 0.7, 0.1]
    return (attend(EMBEDDINGS)[:-1] != attend(poked)[:-1]).any()


@wrong("leaks", "called only once", "a table from elsewhere")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return not np.allclose(attend(poked)[:-1], context[:-1])


@wrong("leaks", "called only once", "a table from elsewhere")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:4], free.context[:4])


@wrong("leaks", "The verdicts are the wrong way round")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return (attend(EMBEDDINGS)[:-1] == attend(poked)[:-1]).all()


@wrong("leaks", "The verdicts are the wrong way round")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return np.isclose(attend(EMBEDDINGS)[:-1], attend(poked)[:-1]).all()


@wrong("leaks", "rounding, not a leak")
def _(attend):
    words = np.random.default_rng(1).normal(size=(7, 4))
    poked = words.copy()
    poked[-1] = [0.3, -0.2, 0.7, 0.1]
    return not np.array_equal(attend(words)[:-1], attend(poked)[:-1])


@wrong("leaks", "the same numbers each time")
def _(attend):
    table = EMBEDDINGS.copy()
    poked = table
    poked[-1] = [1, 1, 1, 1]
    return not np.allclose(attend(table)[:-1], attend(poked)[:-1])


@wrong("leaks", "Contexts from there on may move")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[1] = [1, 2, 3, 4]
    return not np.allclose(attend(EMBEDDINGS)[1:], attend(poked)[1:])


@wrong("leaks", "The first word changed")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS[:-1]), attend(EMBEDDINGS[1:]))


@wrong("leaks", "True or False comes out")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1
    return int(not np.allclose(attend(EMBEDDINGS)[:-1], attend(poked)[:-1]))


@wrong("leaks", "brackets () are missing")
def _(attend):
    return attend(EMBEDDINGS).sum > 1


WRONG["leaks"] += [
    (np.allclose, ["allclose of NumPy, not a function of your own"]),
    (np.ones(3), ["an array, not a function", 'check("leaks", leaks)']),
    (attention_helpers.Example, ["Example of attention_helpers, not a function"]),
]


@wrong("masked scores", "exactly 0 is hidden as well")
def _(scores, mask):
    masked = scores * mask
    masked[masked == 0] = -np.inf
    return masked


@wrong("masked attention", "exactly 0 is hidden as well")
def _(queries, keys, values):
    scores = np.tril(scaled(queries, keys))
    scores[scores == 0] = -np.inf
    return softmax(scores) @ values


@wrong("masked attention", "Which mistake this is, the check cannot tell")
def _(queries, keys, values):
    mask = np.tri(len(queries)) - np.tri(len(queries), k=-2)
    return softmax(np.where(mask, scaled(queries, keys), -np.inf)) @ values


@wrong("leaks", "moved by less than 0.0001")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] += 1e-6
    return not np.allclose(attend(poked)[:-1], attend(EMBEDDINGS)[:-1])
