"""What learners hand in: right solutions, and wrong ones with their mistake.

Every solution is written as a learner would write it, without this package. The first
right solution of an exercise is the model; `tests/test_exercises.py` also mutates it.
A wrong solution stands with words that the message has to contain.
"""

import math

import numpy as np

RIGHT = {}
WRONG = {}

EMBEDDINGS = np.array(
    [[0, 2, 0, 0], [0, 0, 0, 2], [1, 1, 2, 0], [0, 0, 0, 2], [3, 0, 1, 0]], dtype=float
)


def right(name):
    """Note a right solution."""

    def note(solution):
        RIGHT.setdefault(name, []).append(solution)
        return solution

    return note


def wrong(name, *words):
    """Note a wrong solution, and words that the message has to contain."""

    def note(solution):
        WRONG.setdefault(name, []).append((solution, words))
        return solution

    return note


# ---- start ----

RIGHT["dot product"] = [11, 11.0, np.int8(11), np.float32(11)]
WRONG["dot product"] = [
    (16, ["0 × 5 is 0"]),
    (15, ["adds up all six"]),
    (50, ["multiplies the two sums"]),
    ([8, 0, 3], ["three products", "Add them up"]),
    (np.array([8, 0, 3]), ["three products"]),
    ([6, 5, 4], ["sums, place by place"]),
    (120, ["multiplies the sums"]),
    (0, ["multiplies all numbers"]),
    (8, ["only the first product"]),
    (14, ["from its end"]),
    (99, ["Multiply the numbers in the same place"]),
    ("11", ["quotation marks"]),
]

RIGHT["table times table"] = [
    [[10, 11], [12, 15]],
    np.array([[10, 11], [12, 15]]),
    ((10.0, 11.0), (12.0, 15.0)),
]
WRONG["table times table"] = [
    ([[2, 2], [0, 15]], ["number by number"]),
    ([[2, 7], [4, 23]], ["second table times the first"]),
    ([[4, 14], [3, 15]], ["rows with rows"]),
    ([[2, 1], [16, 17]], ["columns with columns"]),
    ([[10, 12], [11, 15]], ["Rows and columns are swapped"]),
    ([[3, 3], [4, 8]], ["adds the tables"]),
    ([[10, 11], [12, 14]], ["Every row meets every column"]),
    ([10, 11, 12, 15], ["4 numbers in one row"]),
    (10, ["one number"]),
    ([[10, 11], [12]], ["rows of different lengths"]),
]

# ---- one word ----

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


@wrong("scores of one word", "Without .T it fits")
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


@wrong("weighted average", "Only the first row", "inside the loop")
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


# ---- all words ----


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


@right("loop to matrix")
def _(embeddings):
    contexts = []
    for query in embeddings:
        e = [math.exp(query @ key) for key in embeddings]
        shares = np.array(e) / sum(e)
        contexts.append(shares @ embeddings)
    return contexts


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


@wrong("loop to matrix", "fractions are cut off", "contexts")
def _(embeddings):
    n = len(embeddings)
    return loop(embeddings, np.zeros((n, n)), np.zeros_like(embeddings))


@wrong("loop to matrix", "fractions are cut off", "contexts")
def _(embeddings):
    n = len(embeddings)
    return loop(embeddings, np.zeros((n, n)), np.zeros(embeddings.shape, dtype=int))


@wrong("loop to matrix", "fractions of the scores are cut off")
def _(embeddings):
    n = len(embeddings)
    return loop(embeddings, np.zeros((n, n), dtype=int), np.zeros(embeddings.shape))


@wrong("loop to matrix", "All contexts are 0", "whole numbers")
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


@wrong("loop to matrix", "first word alone", "inside the")
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


# ---- trainable weights ----


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


def softmax(scores, axis=-1):
    """Take the softmax, as chapter 2 writes it."""
    e = np.exp(scores)
    return e / e.sum(axis=axis, keepdims=True)


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


@wrong("self-attention", "d_k itself")
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


@wrong("self-attention", "weight matrix stands before the embeddings")
def _(x, Wq, Wk, Wv):
    return attention_by(Wq @ x, Wk @ x, Wv @ x)


@wrong("self-attention", "embeddings @ W_value", "order is reversed")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq, x @ Wk, Wv @ x)


@wrong("self-attention", "W_value, as the weight matrix stands")
def _(x, Wq, Wk, Wv):
    return attention_by(x @ Wq, x @ Wk, x @ Wv.T)


@wrong("self-attention", ".T is one too many")
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


@wrong("self-attention class", "Queries and keys are swapped")
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


# ---- scaled ----


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


@wrong("stable softmax", "cut off at 700")
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


@wrong("scaled attention", "not divided", "square root of d_k is missing")
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


@wrong("spread", "variance", "d_k = 64, rng seeded")
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


@wrong("spread", "divided already")
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


@wrong("spread", "same numbers")
def _(d_k, rng):
    q = rng.normal(size=(1000, d_k))
    return (q * q).sum(axis=1).std()


@wrong("spread", "are added")
def _(d_k, rng):
    q, k = rng.normal(size=(1000, d_k)), rng.normal(size=(1000, d_k))
    return (q + k).sum(axis=1).std()


@wrong("spread", "mean of the dot products")
def _(d_k, rng):
    q, k = rng.normal(size=(1000, d_k)), rng.normal(size=(1000, d_k))
    return (q * k).sum(axis=1).mean()


@wrong("spread", "single one")
def _(d_k, rng):
    return np.std(rng.normal(size=d_k) @ rng.normal(size=d_k))


@wrong("spread", "1000 numbers in one row")
def _(d_k, rng):
    q, k = rng.normal(size=(1000, d_k)), rng.normal(size=(1000, d_k))
    return (q * k).std(axis=1)


@wrong("spread", "twice as large", "single numbers are added up")
def _(d_k, rng):
    queries = rng.normal(size=(1000, d_k))
    return queries.sum(axis=1).std()


@wrong("spread", "twice as large", "single numbers are added up")
def _(d_k, rng):
    _, keys = rng.standard_normal((2, 1000, d_k))
    return keys.sum(axis=1).std()


# ---- masked ----


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


@right("causal mask")
def _(n):
    return np.tril(np.ones((n, n)))


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


@wrong("masked scores", "−10 is not low enough", "leaks")
def _(scores, mask):
    return np.where(mask, scores, -10)


@wrong("masked scores", "−1 is an ordinary score")
def _(scores, mask):
    return np.where(mask, scores, -1)


@wrong("masked scores", "−100 hides only while")
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


@wrong("masked attention", "−10 is not low enough")
def _(q, k, v):
    return softmax(hide(scaled(q, k), -10)) @ v


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
    poked[-1, 0] = 0
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


@wrong("leaks", "last word changed, and its own context may move", "[:-1]")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS), attend(poke(wet=0)))


@wrong("leaks", "last word changed, and its own context may move")
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


@wrong("leaks", "same numbers twice", "copy")
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


@wrong("leaks", "same numbers twice")
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


@wrong("leaks", "same key", "vault")
def _(attend):
    vault = poke(wet=0, rich=3)
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(vault)[:-1])


@wrong("leaks", "same value")
def _(attend):
    return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(place=-2))[:-1])


@wrong("leaks", "never called")
def _(attend):
    return True


@wrong("leaks", "wrong way round")
def _(attend):
    return np.allclose(attend(EMBEDDINGS)[:-1], attend(poke(wet=0))[:-1])


@wrong("leaks", "rounding", "np.allclose")
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


@wrong("leaks", "No leak is ever found")
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
