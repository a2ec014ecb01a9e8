"""Answers to the exercises of chapter 1."""

import math

import numpy as np

from .notes import RIGHT, SAME, WRONG, right, wrong

SAME[r"zip\("] = "shares and rows are equally many"

RIGHT["dot product blank"] = [5, 5.0, np.dot([1, 1, 2, 0], [3, 0, 1, 0])]
WRONG["dot product blank"] = [
    (3, ["product for place is missing"]),
    (8, ["adds up all eight"]),
    (16, ["multiplies the two sums"]),
    (0.645, ["cosine"]),
    (0.6454972243679028, ["cosine"]),
    (1, ["fits the gap"]),
    (2, ["product for place alone"]),
    (6, ["bank with bank"]),
    (7, ["bank's place again"]),
    ([3, 0, 2, 0], ["four products"]),
    (4, ["same column"]),
]


@right("scores of one word")
def _(query, embeddings):
    return embeddings @ query


@right("scores of one word")
def _(query, embeddings):
    scores = []
    for row in embeddings:
        score = 0
        for a, b in zip(row, query):  # noqa: B905
            score += a * b
        scores.append(score)
    return scores


@right("scores of one word")
def _(query, embeddings):
    return (embeddings * query).sum(axis=1)


@right("scores of one word")
def _(query, embeddings):
    return np.einsum("d,nd->n", query, embeddings)


@right("scores of one word")
def _(query, embeddings):
    return np.matmul(query, embeddings.T).astype(np.float32)


@wrong("scores of one word", "first word always asks")
def _(query, embeddings):
    return np.array([row @ embeddings[0] for row in embeddings])


@wrong("scores of one word", "asking word is left out")
def _(query, embeddings):
    scores = []
    for row in embeddings:
        if not (row == query).all():
            scores.append(row @ query)
    return scores


@wrong("scores of one word", "own score is set to 0")
def _(query, embeddings):
    scores = embeddings @ query
    for i, row in enumerate(embeddings):
        if (row == query).all():
            scores[i] = 0
    return scores


@wrong("scores of one word", "products, number by number", "Add up each row")
def _(query, embeddings):
    return [query * row for row in embeddings]


@wrong("scores of one word", "down the columns")
def _(query, embeddings):
    return sum(embeddings * query)


@wrong("scores of one word", "to one number")
def _(query, embeddings):
    total = 0
    for row in embeddings:
        total += row @ query
    return total


@wrong("scores of one word", "mean of the products")
def _(query, embeddings):
    return np.mean(embeddings * query, axis=1)


@wrong("scores of one word", "cosine")
def _(query, embeddings):
    return [
        row @ query / (math.sqrt(row @ row) * math.sqrt(query @ query))
        for row in embeddings
    ]


@wrong("scores of one word", "query with itself")
def _(query, embeddings):
    return [query @ query for row in embeddings]


@wrong("scores of one word", "Every row is multiplied with itself")
def _(query, embeddings):
    return [row @ row for row in embeddings]


@wrong("scores of one word", "adds the two rows")
def _(query, embeddings):
    return [sum(row) + sum(query) for row in embeddings]


@wrong("scores of one word", "query is not used")
def _(query, embeddings):
    return np.sum(embeddings, axis=1)


@wrong("scores of one word", "every word with every word")
def _(query, embeddings):
    return embeddings @ embeddings.T


@wrong("scores of one word", "shares already")
def _(query, embeddings):
    exponentials = np.exp(embeddings @ query)
    return exponentials / exponentials.sum()


@wrong("scores of one word", "order is reversed", "left has 4 and the right has 5")
def _(query, embeddings):
    return query @ embeddings


@wrong("scores of one word", "order is reversed", "left has 4 and the right has 5")
def _(query, embeddings):
    return np.dot(query, embeddings)


@wrong("scores of one word", "The .T turns the rows")
def _(query, embeddings):
    return embeddings.T @ query


@wrong("scores of one word", "NameError", "Nothing is called inputs here")
def _(query, embeddings):
    return inputs @ query  # noqa: F821


@right("weighted average")
def _(shares, rows):
    average = np.zeros(rows.shape[1])
    for share, row in zip(shares, rows, strict=True):
        average += share * row
    return average


@right("weighted average")
def _(shares, rows):
    return shares @ rows


@right("weighted average")
def _(shares, rows):
    return (shares[:, None] * rows).sum(axis=0)


@right("weighted average")
def _(shares, rows):
    return np.average(rows, axis=0, weights=shares).tolist()


@right("weighted average")
def _(shares, rows):
    total = shares[0] * rows[0]
    for i in range(1, len(rows)):
        total = total + shares[i] * rows[i]
    return total


@wrong("weighted average", "plain average")
def _(shares, rows):
    return sum(rows) / len(rows)


@wrong("weighted average", "plain sum")
def _(shares, rows):
    return sum(rows)


@wrong("weighted average", "divides by the number of rows as well")
def _(shares, rows):
    return np.mean([s * row for s, row in zip(shares, rows, strict=True)], axis=0)


@wrong("weighted average", "each times its share", "Add them up")
def _(shares, rows):
    return [s * row for s, row in zip(shares, rows, strict=True)]


@wrong("weighted average", "adds up along each row")
def _(shares, rows):
    return [sum(s * row) for s, row in zip(shares, rows, strict=True)]


@wrong("weighted average", "everything to one number")
def _(shares, rows):
    return np.sum([s * row for s, row in zip(shares, rows, strict=True)])


@wrong("weighted average", "whole first row")
def _(shares, rows):
    total = rows[0].copy()
    for i in range(1, len(rows)):
        total = total + shares[i] * rows[i]
    return total


@wrong("weighted average", "first row is in the sum twice")
def _(shares, rows):
    total = rows[0]
    for share, row in zip(shares, rows, strict=True):
        total = total + share * row
    return total


@wrong("weighted average", "Only the last row", "replaces")
def _(shares, rows):
    for share, row in zip(shares, rows, strict=True):
        total = share * row
    return total


@wrong("weighted average", "Only the first row", "inside a loop")
def _(shares, rows):
    total = np.zeros(rows.shape[1])
    for share, row in zip(shares, rows, strict=True):
        total = total + share * row
        return total


@wrong("weighted average", "largest share alone")
def _(shares, rows):
    return rows[np.argmax(shares)]


@wrong("weighted average", "fractions are cut off", "whole numbers", "np.zeros(...)")
def _(shares, rows):
    total = np.zeros_like(rows[0])
    for share, row in zip(shares, rows, strict=True):
        for k in range(len(row)):
            total[k] += share * row[k]
    return total


@wrong("weighted average", "fractions are cut off")
def _(shares, rows):
    total = np.zeros(rows.shape[1], dtype=int)
    total[:] = shares @ rows
    return total


@wrong("weighted average", "whole numbers cannot take fractions", "np.zeros(...)")
def _(shares, rows):
    total = np.zeros_like(rows[0])
    for share, row in zip(shares, rows, strict=True):
        total += share * row
    return total


@wrong("weighted average", "overwrites rows", "second name")
def _(shares, rows):
    total = rows[0]
    total *= shares[0]
    for i in range(1, len(rows)):
        total += shares[i] * rows[i]
    return total


@wrong("weighted average", "overwrites rows")
def _(shares, rows):
    for i in range(len(rows)):
        rows[i] = rows[i] * shares[i]
    return rows.sum(axis=0)


@wrong("weighted average", "shares with the columns")
def _(shares, rows):
    return sum(shares * rows)


@wrong("weighted average", "order is reversed")
def _(shares, rows):
    return np.matmul(rows, shares)


@wrong("weighted average", "does not fit into the row")
def _(shares, rows):
    total = np.zeros(len(rows))
    for share, row in zip(shares, rows, strict=True):
        total += share * row
    return total


@right("softmax")
def _(scores):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum()


@right("softmax")
def _(scores):
    exponentials = [math.exp(score) for score in scores]
    return [e / sum(exponentials) for e in exponentials]


@right("softmax")
def _(scores):
    scores = np.array(scores, dtype=np.float32)
    exponentials = np.exp(scores - scores.max())
    return exponentials / np.sum(exponentials, axis=-1, keepdims=True)


@wrong("softmax", "divides the scores by their sum")
def _(scores):
    return [s / sum(scores) for s in scores]


@wrong("softmax", "drops the signs")
def _(scores):
    return np.abs(scores) / np.sum(np.abs(scores))


@wrong("softmax", "signs are dropped before np.exp")
def _(scores):
    exponentials = np.exp(np.abs(scores))
    return exponentials / exponentials.sum()


@wrong("softmax", "divided by the largest before np.exp")
def _(scores):
    exponentials = np.exp(scores / max(scores))
    return exponentials / exponentials.sum()


@wrong("softmax", "base is 2")
def _(scores):
    powers = 2.0**scores
    return powers / powers.sum()


@wrong("softmax", "divides by the largest score")
def _(scores):
    return scores / max(scores)


@wrong("softmax", "largest exponential")
def _(scores):
    return np.exp(scores - scores.max())


@wrong("softmax", "These are the exponentials")
def _(scores):
    return np.e**scores


@wrong("softmax", "how many scores")
def _(scores):
    return np.exp(scores) / len(scores)


@wrong("softmax", "divides by the sum of the scores")
def _(scores):
    return np.exp(scores) / sum(scores)


@wrong("softmax", "exponential is missing above the line")
def _(scores):
    return scores / np.exp(scores).sum()


@wrong("softmax", "sign is turned round")
def _(scores):
    exponentials = np.exp(-scores)
    return exponentials / exponentials.sum()


@wrong("softmax", "squares the scores")
def _(scores):
    return scores**2 / np.sum(scores**2)


@wrong("softmax", "logarithms")
def _(scores):
    return scores - np.log(np.exp(scores).sum())


@wrong("softmax", "sigmoid")
def _(scores):
    return 1 / (1 + np.exp(-scores))


@wrong("softmax", "takes everything")
def _(scores):
    shares = np.zeros(len(scores))
    shares[np.argmax(scores)] = 1
    return shares


@wrong("softmax", "softmax of the softmax")
def _(scores):
    for _ in range(2):
        exponentials = np.exp(scores)
        scores = exponentials / exponentials.sum()
    return scores


@wrong("softmax", "math.exp", "np.exp takes a whole row")
def _(scores):
    return math.exp(scores) / sum(math.exp(scores))


@wrong("softmax", "overwrites scores")
def _(scores):
    scores -= scores.max()
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum()
