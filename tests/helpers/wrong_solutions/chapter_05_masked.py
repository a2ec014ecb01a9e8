"""Answers to the exercises of chapter 5."""

import math

import numpy as np

from .notes import SAME, right, softmax, wrong

SAME |= {
    r"dtype=bool": "0 and 1 do for False and True; the words are equally many",
    r", k=0\)": "k is 0 anyway",
    r"np\.exp\(masked": "a number added to a whole row changes no share",
    r"-> poked\[-1\] = (1|-1)": "another poke",
}

EMBEDDINGS = np.array(
    [[0, 2, 0, 0], [0, 0, 0, 2], [1, 1, 2, 0], [0, 0, 0, 2], [3, 0, 1, 0]], dtype=float
)


@right("causal mask")
def _(n_tokens):
    return np.tril(np.ones((n_tokens, n_tokens), dtype=bool), k=0)


@right("causal mask")
def _(n_tokens):
    return [[j <= i for j in range(n_tokens)] for i in range(n_tokens)]


@right("causal mask")
def _(n_tokens):
    return np.arange(n_tokens)[:, None] >= np.arange(n_tokens)


@right("causal mask")
def _(n):
    return ~np.triu(np.ones((n, n), dtype=bool), k=1)


@wrong("causal mask", "past is hidden")
def _(n):
    return np.triu(np.ones((n, n), dtype=bool))


@wrong("causal mask", "may not look at itself", "NaN")
def _(n):
    return np.tril(np.ones((n, n), dtype=bool), k=-1)


@wrong("causal mask", "one after it")
def _(n):
    return np.tril(np.ones((n, n), dtype=bool), k=1)


@wrong("causal mask", "wrong way round")
def _(n):
    return ~np.tril(np.ones((n, n), dtype=bool))


@wrong("causal mask", "wrong way round")
def _(n):
    return np.triu(np.ones((n, n), dtype=bool), k=1)


@wrong("causal mask", "nothing is hidden")
def _(n):
    return np.ones((n, n), dtype=bool)


@wrong("causal mask", "Everything is hidden")
def _(n):
    return np.zeros((n, n), dtype=bool)


@wrong("causal mask", "itself alone")
def _(n):
    return np.eye(n, dtype=bool)


@wrong("causal mask", "added to the scores")
def _(n):
    return np.where(np.tril(np.ones((n, n))), 0, -np.inf)


@wrong("causal mask", "mirrored")
def _(n):
    return [[i + j >= n - 1 for j in range(n)] for i in range(n)]


@wrong("causal mask", "one row", "row of its own")
def _(n):
    return np.ones(n, dtype=bool)


@wrong("causal mask", "a table of 4 rows × 4 columns")
def _(n):
    return np.tril(np.ones((n - 1, n - 1), dtype=bool))


@right("masked scores")
def _(scores, mask):
    return np.where(mask, scores, -np.inf)


@right("masked scores")
def _(scores, mask):
    masked = scores.copy()
    masked[~mask] = float("-inf")
    return masked


@right("masked scores")
def _(scores, mask):
    return [
        [s if seen else -math.inf for s, seen in zip(row, looks, strict=True)]
        for row, looks in zip(scores, mask, strict=True)
    ]


@right("masked scores")
def _(scores, mask):
    return scores.astype(np.float32) + np.where(mask, 0, -np.inf)


@right("masked scores")
def _(scores, mask):
    return np.where(mask, scores, -1e9)


@right("masked scores")
def _(scores, mask):
    return np.where(mask, scores, -1000)


@wrong("masked scores", "e to the power of 0 is 1")
def _(scores, mask):
    return np.where(mask, scores, 0)


@wrong("masked scores", "e to the power of 0 is 1")
def _(scores, mask):
    return scores * mask


@wrong("masked scores", "−10 stands where the mask is False")
def _(scores, mask):
    return np.where(mask, scores, -10)


@wrong("masked scores", "−1 stands where the mask is False")
def _(scores, mask):
    return np.where(mask, scores, -1)


@wrong("masked scores", "−100 stands where", "hides only while")
def _(scores, mask):
    return np.where(mask, scores, -100)


@wrong("masked scores", "plus infinity")
def _(scores, mask):
    return np.where(mask, scores, np.inf)


@wrong("masked scores", "NaN spoils")
def _(scores, mask):
    return np.where(mask, scores, np.nan)


@wrong("masked scores", "mask is turned round")
def _(scores, mask):
    return np.where(mask, -np.inf, scores)


@wrong("masked scores", "mask is turned round")
def _(scores, mask):
    masked = scores.copy()
    masked[mask] = -np.inf
    return masked


@wrong("masked scores", "0 times infinity is NaN")
def _(scores, mask):
    return scores + -np.inf * (~mask)


@wrong("masked scores", "0 times infinity is NaN")
def _(scores, mask):
    return scores * mask + -np.inf * (1 - mask)


@wrong("masked scores", "negative score", "plus infinity")
def _(scores, mask):
    return scores * np.where(mask, 1, -np.inf)


@wrong("masked scores", "scores themselves are gone")
def _(scores, mask):
    return np.where(mask, 0, -np.inf)


@wrong("masked scores", "mask is transposed")
def _(scores, mask):
    return np.where(mask.T, scores, -np.inf)


@wrong("masked scores", "softmax is applied already")
def _(scores, mask):
    return softmax(np.where(mask, scores, -np.inf))


@wrong("masked scores", "mask is not used")
def _(scores, mask):
    n = len(scores)
    return np.where(np.tril(np.ones((n, n))), scores, -np.inf)


@wrong("masked scores", "come back unmasked")
def _(scores, mask):
    np.where(mask, scores, -np.inf)
    return scores


@wrong("masked scores", "picks the visible scores")
def _(scores, mask):
    return scores[mask]


@wrong("masked scores", "overwrites scores")
def _(scores, mask):
    scores[~mask] = -np.inf
    return scores


@right("masked attention")
def _(queries, keys, values):
    scores = queries @ keys.T / np.sqrt(keys.shape[1])
    mask = np.tril(np.ones((len(queries), len(queries)), dtype=bool))
    masked = np.where(mask, scores, -np.inf)
    exponentials = np.exp(masked - masked.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ values


@right("masked attention")
def _(queries, keys, values):
    contexts = []
    for i, query in enumerate(queries):
        e = np.exp(keys[: i + 1] @ query / math.sqrt(len(query)))
        contexts.append(e / e.sum() @ values[: i + 1])
    return contexts


@right("masked attention")
def _(q, k, v):
    s = np.einsum("ik,jk->ij", q, k).astype(np.float32) / q.shape[1] ** 0.5
    s[np.triu_indices(len(s), k=1)] = -np.inf
    return np.matmul(softmax(s), v)


def scaled(q, k):
    """Return scaled scores."""
    return q @ k.T / np.sqrt(k.shape[1])


def stable(scores):
    """Take the softmax of each row, also of large scores."""
    return softmax(scores - scores.max(axis=-1, keepdims=True))


@right("masked attention")
def renormalised(q, k, v):
    weights = np.tril(stable(scaled(q, k)))
    return weights / weights.sum(axis=1, keepdims=True) @ v


@right("masked attention")
def filled(q, k, v):
    mask = np.tril(np.ones((len(q), len(q))))
    return stable(np.where(mask == 0, -1e9, scaled(q, k))) @ v


@right("masked attention")
def _(q, k, v):
    mask = np.tril(np.ones((len(q), len(q))))
    return stable(np.where(mask == 0, -1000, scaled(q, k))) @ v


@wrong("masked attention", "Nothing is masked")
def _(q, k, v):
    return softmax(scaled(q, k)) @ v


@wrong("masked attention", "mask comes after the softmax")
def _(q, k, v):
    return np.tril(softmax(scaled(q, k))) @ v


@wrong("masked attention", "e to the power of 0 is 1")
def _(q, k, v):
    return softmax(np.tril(scaled(q, k))) @ v


@wrong("masked attention", "each column is divided")
def _(q, k, v):
    weights = np.tril(softmax(scaled(q, k)))
    return weights / weights.sum(axis=0) @ v


def hide(scores, fill=-np.inf):
    """Write over the scores of the future."""
    return np.where(np.tril(np.ones(scores.shape)), scores, fill)


@wrong("masked attention", "down the columns")
def _(q, k, v):
    return softmax(hide(scaled(q, k)), axis=0) @ v


@wrong("masked attention", "down the columns", "after the softmax")
def _(q, k, v):
    return np.tril(softmax(scaled(q, k), axis=0)) @ v


@wrong("masked attention", "keepdims=True is missing")
def _(q, k, v):
    e = np.exp(hide(scaled(q, k)))
    return e / e.sum(axis=1) @ v


@wrong("masked attention", "whole table")
def _(q, k, v):
    return softmax(hide(scaled(q, k)), axis=None) @ v


@wrong("masked attention", "past is hidden")
def _(q, k, v):
    mask = np.triu(np.ones((len(q), len(q))))
    return softmax(np.where(mask, scaled(q, k), -np.inf)) @ v


@wrong("masked attention", "may not look at itself")
def _(q, k, v):
    mask = np.tril(np.ones((len(q), len(q))), k=-1)
    return softmax(np.where(mask, scaled(q, k), -np.inf)) @ v


@wrong("masked attention", "one after it")
def _(q, k, v):
    mask = np.tri(len(q), k=1)
    return softmax(np.where(mask, scaled(q, k), -np.inf)) @ v


@wrong("masked attention", "mask is turned round")
def _(q, k, v):
    scores = scaled(q, k)
    scores[np.tril(np.ones(scores.shape, dtype=bool))] = -np.inf
    return softmax(scores) @ v


@wrong("masked attention", "0 times infinity is NaN")
def _(q, k, v):
    mask = np.tril(np.ones((len(q), len(q)), dtype=bool))
    return softmax(scaled(q, k) + -np.inf * (~mask)) @ v


@wrong("masked attention", "−10 is written over the scores of the future")
def _(q, k, v):
    return softmax(hide(scaled(q, k), -10)) @ v


@wrong("masked attention", "a score that may be seen is −990", "hides only while")
def _(q, k, v):
    return stable(hide(scaled(q, k), -100)) @ v


@wrong("masked attention", "a score that may be seen is −990", "or is added there")
def _(q, k, v):
    return softmax(scaled(q, k) - 100 * np.triu(np.ones((len(q), len(q))), k=1)) @ v


@wrong("masked attention", "not divided")
def _(q, k, v):
    return softmax(hide(q @ k.T)) @ v


@wrong("masked attention", "d_k in all")
def _(q, k, v):
    return softmax(hide(q @ k.T / k.shape[1])) @ v


@wrong("masked attention", "square root of the number of words")
def _(q, k, v):
    return softmax(hide(q @ k.T / np.sqrt(len(k)))) @ v


@wrong("masked attention", "square root of d_v")
def _(q, k, v):
    return softmax(hide(q @ k.T / np.sqrt(v.shape[1]))) @ v


@wrong("masked attention", "mask comes after the softmax", "not divided")
def _(q, k, v):
    return np.tril(softmax(q @ k.T)) @ v


@wrong("masked attention", "Queries and keys are swapped")
def _(q, k, v):
    return softmax(hide(scaled(k, q))) @ v


@wrong("masked attention", "attention weights are transposed")
def _(q, k, v):
    return softmax(hide(scaled(q, k))).T @ v


@wrong("masked attention", "One step is left")
def _(q, k, v):
    return softmax(hide(scaled(q, k)))


@wrong("masked attention", "keys needs .T")
def _(q, k, v):
    return softmax(hide(q @ k)) @ v


# ---- leaks ----


@right("leaks")
def _(attend):
    poked = EMBEDDINGS.copy()
    poked[-1] = 0
    before = attend(EMBEDDINGS)
    after = attend(poked)
    return not np.allclose(before[:-1], after[:-1])


@right("leaks")
def _(attend):
    before = attend(EMBEDDINGS.tolist())
    for j in range(1, 5):
        poked = EMBEDDINGS.copy()
        poked[j] = [-1, 0.5, 2, 1]
        if abs(attend(poked) - before)[:j].max() > 1e-9:
            return True
    return False


@right("leaks")
def _(attend):
    short = attend(EMBEDDINGS[:-1])
    return bool(np.any(np.abs(attend(EMBEDDINGS)[:-1] - short) > 1e-6))


@right("leaks")
def _(attend):
    rng = np.random.default_rng(7)
    before = rng.normal(size=(8, 4))
    after = before.copy()
    after[5:] = rng.normal(size=(3, 4))
    return not np.isclose(attend(after)[:5], attend(before)[:5]).all()


def poke(word=4, **columns):
    """Return the embeddings with one word changed."""
    poked = EMBEDDINGS.copy()
    for name, x in columns.items():
        poked[word, ["wet", "rich", "place", "link"].index(name)] = x
    return poked


@wrong("leaks", "its own context may", "[:-1]")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS), attend(poke(wet=0)))


@wrong("leaks", "its own context may", "[:-1]")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[-1], attend(poke(wet=0))[-1])


@wrong("leaks", "The first word changed")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(0, rich=-1))[:-1])


@wrong("leaks", "The first word changed")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[1:], attend(poke(0, wet=1))[1:])


@wrong("leaks", "row 2", "[:2]")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(2, wet=-2))[:-1])


@wrong("leaks", "the same numbers each time", "copy")
def _(attend):
    embeddings = EMBEDDINGS.copy()
    poked = embeddings
    poked[-1, 0] = 0
    return not np.allclose(attend(embeddings)[:-1], attend(poked)[:-1])


@wrong("leaks", "another name for it is no copy")
def _(attend):
    embeddings = EMBEDDINGS.copy()
    embeddings.flags.writeable = False  # as those of the examples are
    poked = embeddings
    poked[-1, 0] = 0
    return not np.allclose(attend(embeddings)[:-1], attend(poked)[:-1])


@wrong("leaks", "the same numbers each time")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(wet=3))[:-1])


@wrong("leaks", "called only once", "Row sums")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS).sum(axis=1), 1)


@wrong("leaks", "called only once")
def _(attend):
    before = attend(EMBEDDINGS)
    after = before
    after[-1] = 0
    return not np.allclose(before[:-1], after[:-1])


@wrong("leaks", "Only wet and rich changed")
def _(attend):
    vault = poke(wet=0, rich=3)
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(vault)[:-1])


@wrong("leaks", "Only place changed")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(place=-2))[:-1])


@wrong("leaks", "no mask at all", "only changed places", "does not know its order")
def _(attend):
    swapped = EMBEDDINGS[[0, 1, 2, 4, 3]]
    return not np.allclose(attend(EMBEDDINGS)[:3], attend(swapped)[:3])


@wrong("leaks", "no mask at all", "only changed places", "quite another one")
def _(attend):
    table = np.random.default_rng(1).normal(size=(6, 4))
    shuffled = table[[0, 1, 2, 5, 3, 4]]  # every column changes
    return not np.allclose(attend(table)[:3], attend(shuffled)[:3])


@wrong("leaks", "0 written over", "cannot tell", "quite another one")
def _(attend):
    before = attend(EMBEDDINGS)[:3]
    swapped, poked = EMBEDDINGS[[0, 1, 2, 4, 3]], poke(place=-2)
    return not all(np.allclose(before, attend(table)[:3]) for table in (swapped, poked))


@wrong("leaks", "never called")
def _(attend):
    return True


@wrong("leaks", "wrong way round")
def _(attend):
    return np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(wet=0))[:-1])


@wrong("leaks", "less than 1e-09: that is rounding", "np.allclose")
def _(attend):
    before = EMBEDDINGS * 0.37 + 0.11
    after = before.copy()
    after[-1] = [0.3, -0.7, 0.2, 0.9]
    return (attend(before)[:-1] != attend(after)[:-1]).any()


@wrong("leaks", "so large")
def _(attend):
    return not np.allclose(
        attend(EMBEDDINGS)[:-1], attend(poke(wet=-2, place=900))[:-1]
    )


@wrong("leaks", "moved by", "not too generously")
def _(attend):
    before, after = attend(EMBEDDINGS), attend(poke(wet=0))
    return not np.allclose(before[:-1], after[:-1], atol=10)


@wrong("leaks", "overlooked")
def _(attend):
    before, after = attend(EMBEDDINGS), attend(poke(wet=0))
    return not np.allclose(before[:-1], after[:-1], atol=1.8)


@wrong("leaks", "different numbers of words")
def _(attend):
    short = attend(EMBEDDINGS[:-1])
    return not np.allclose(short[-1], attend(EMBEDDINGS)[-1])


@wrong("leaks", "One verdict for the whole")
def _(attend):
    return attend(EMBEDDINGS)[:-1] != attend(poke(wet=0))[:-1]


@wrong("leaks", "True or False comes out")
def _(attend):
    return abs(attend(EMBEDDINGS)[:-1] - attend(poke(wet=0))[:-1]).max()


@wrong("leaks", "needs return")
def _(attend):
    if not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(wet=0))[:-1]):
        return True


@wrong("leaks", "attend takes 4: wet, rich, place, link")
def _(attend):
    return attend(np.eye(5)).any()


@wrong("leaks", "NaN")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(wet=np.nan))[:-1])
