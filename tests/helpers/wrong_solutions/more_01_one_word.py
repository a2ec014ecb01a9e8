"""More answers to chapters 0 and 1, by kind of mistake."""

import math
from decimal import Decimal
from fractions import Fraction
from functools import partial, reduce

import numpy as np

import attention_helpers

from .notes import RIGHT, WRONG, right, wrong

# What the notebook has by name at that point.
bank = attention_helpers.examples["bank"].without_matrices()
query = bank.embeddings[2]
scores = bank.embeddings @ query
exponentials = np.exp(scores)
weights = exponentials / exponentials.sum()
dim, alone, pair = 4, [7], [2, 3]

RIGHT["dot product"] += [
    Fraction(11),
    Decimal(11),
    np.array(11),
    np.array([2, 0, 3]) @ [4, 5, 1],
]
WRONG["dot product"] += [
    ([11], ["right numbers, but as 1 number in one row, not one number"]),
    (10.9, ["cannot tell", "in the same place"]),
    (12, ["cannot tell"]),
    (np.dot, ["a function, not its result"]),
    (lambda: 11, ["a function, not its result"]),
    ((8, 3), ["2 numbers in one row"]),
    (14.4, ["cannot tell"]),  # not "from its end"
    (8.004, ["cannot tell"]),  # not "the first product"
]
RIGHT["table times table"] += [np.matmul([[1, 2], [0, 3]], [[2, 1], [4, 5]])]
WRONG["table times table"] += [
    ([[10, 11, 12, 15]], ["right numbers, but as a table of 1 row × 4 columns"]),
    ([[10, 12], [11, 16]], ["cannot tell"]),
    (np.zeros((2, 2)), ["All numbers are 0"]),
    ([[10, 11], [12, "15"]], ["Came: text", "without quotation marks"]),
]
RIGHT["dot product blank"] += [True + 4, np.float32(5)]
WRONG["dot product blank"] += [
    ([5], ["right numbers, but as 1 number in one row"]),
    (4.99, ["Nearly right"]),
    (2.003, ["cannot tell"]),
    (0.65, ["cosine"]),
]


# ---- scores of one word ----


@right("scores of one word")
def _(query, embeddings):
    return np.tensordot(embeddings, query, axes=1)


@right("scores of one word")
def _(query, embeddings):
    found = np.empty(len(embeddings))
    np.matmul(embeddings, query, out=found)
    return found


@right("scores of one word")
def _(query, embeddings):
    table = np.matrix(embeddings) * np.matrix(query).T
    return np.asarray(table).ravel()


@right("scores of one word")
def _(query, embeddings):
    i, found = 0, ()
    while i < len(embeddings):
        found += (math.fsum(a * b for a, b in zip(query, embeddings[i], strict=True)),)
        i += 1
    return list(found)


class Scorer:
    """An object that can be called is as good as a function."""

    def __call__(self, query, embeddings):
        return list(map(query.dot, embeddings))


def product(factor, query, embeddings):
    return factor * (embeddings @ query)


RIGHT["scores of one word"] += [Scorer(), partial(product, 1)]


@wrong("scores of one word", "right numbers", "5 rows × 1 column, not 5 numbers")
def _(query, embeddings):
    return embeddings @ query[:, None]


@wrong("scores of one word", "Row 2 always asks")
def _(query, embeddings):
    return embeddings @ embeddings[2]


@wrong("scores of one word", "bank is none of its inputs but the notebook's")
def _(query, embeddings):
    return bank.embeddings @ query


@wrong("scores of one word", "bank is none of its inputs but the notebook's")
def _(query, embeddings):
    return embeddings @ query + bank.embeddings[0, 1]


@wrong("scores of one word", "scores is none of its inputs", "5 numbers in one row")
def _(asking, table):
    return scores


@wrong("scores of one word", "query is none of its inputs")
def _(asking, table):
    return table @ query


@wrong(
    "scores of one word",
    "if the 4 that it has written out were a size",
    "len(...) counts rows",
)
def _(query, embeddings):
    found = []
    for row in embeddings:
        total = 0
        for k in range(4):
            total += row[k] * query[k]
        found.append(total)
    return found


@wrong("scores of one word", "if the 5 that it has written out were a size")
def _(query, embeddings):
    found = np.zeros(5)
    for i in range(5):
        found[i] = query @ embeddings[i]
    return found


@wrong("scores of one word", "if the 4 and the 5 that it has written out were sizes")
def _(query, embeddings):
    found = []
    for i in range(5):
        found.append(sum(embeddings[i][k] * query[k] for k in range(4)))
    return found


@wrong("scores of one word", "dim is none of its inputs", "notebook's, 4")
def _(query, embeddings):
    return (embeddings[:, : dim - 1] * query[: dim - 1]).sum(axis=1)


@wrong("scores of one word", "Nearly right", "float16 holds about three digits")
def _(query, embeddings):
    return (embeddings @ query).astype(np.float16)


@wrong("scores of one word", "rounded to 1 decimal.")
def _(query, embeddings):
    return [round(float(row @ query), 1) for row in embeddings]


@wrong("scores of one word", "cannot tell")
def _(query, embeddings):
    return sorted(row @ query for row in embeddings)


@wrong("scores of one word", "cannot tell")
def _(query, embeddings):
    return np.linalg.norm(embeddings - query, axis=1)


@wrong("scores of one word", "np.empty(...) does not clear them")
def _(query, embeddings):
    found = np.empty(len(embeddings))
    for i in range(len(embeddings) - 1):
        found[i] = embeddings[i] @ query
    return found


@wrong("scores of one word", "−1.000 times")
def _(query, embeddings):
    return -embeddings @ query


@wrong("scores of one word", "0.500 too large")
def _(query, embeddings):
    return embeddings @ query + 0.5


@wrong("scores of one word", "cannot tell")
def _(query, embeddings):
    return np.abs(embeddings * query).sum(axis=1)


@wrong("scores of one word", "one by one. list(...) collects them")
def _(query, embeddings):
    return (row @ query for row in embeddings)


@wrong("scores of one word", "brackets () are missing")
def _(query, embeddings):
    return (embeddings * query).sum


@wrong("scores of one word", ".T takes none")
def _(query, embeddings):
    return query @ embeddings.T()


@wrong("scores of one word", "first word alone", "A return inside a loop")
def _(query, embeddings):
    for row in embeddings:
        return row @ query


@wrong("scores of one word", "last word alone", "a list collects")
def _(query, embeddings):
    for row in embeddings:
        score = row @ query
    return score


@wrong("scores of one word", "another order than in scores_of(query, embeddings)")
def _(embeddings, query):
    return embeddings @ query


@wrong("scores of one word", "another order than in scores_of(query, embeddings)")
def _(embeddings, query):  # not "the order is reversed", which the learner does not see
    return embeddings @ query + 1


@wrong("scores of one word", "It prints, but returns nothing", "It printed: (5, 4)")
def _(query, embeddings):
    print(embeddings.shape)
    embeddings @ query


@wrong("scores of one word", "needs return, and after it a result", "append")
def _(query, embeddings):
    found = []
    for row in embeddings:
        return found.append(row @ query)


@wrong("scores of one word", "In einsum a letter stands for one size")
def _(query, embeddings):
    return np.einsum("ij,i", embeddings, query)


@wrong("scores of one word", "root or logarithm of a negative number")
def _(query, embeddings):
    return np.sqrt(embeddings @ query)


@wrong("scores of one word", "Here one of the two is a single number")
def _(query, embeddings):  # the dots are a place, not a gap
    return embeddings @ query[..., 0]


WRONG["scores of one word"] += [
    (bank.embeddings.dot, ["dot of NumPy, not a function of your own"]),
    (np.matmul, ["matmul of NumPy, not a function of your own", "scores_of"]),
    (np.dot, ["dot of NumPy, not a function of your own"]),
    (
        np.ones(5),
        ["an array, not a function", 'check("scores of one word", scores_of)'],
    ),
    (Scorer, ["a class, Scorer, not a function"]),
    (attention_helpers.softmax, ["softmax of attention_helpers, not a function of"]),
    (max, ["max of Python, not a function of your own"]),
]

# ---- weighted average ----


@right("weighted average")
def _(shares, rows):
    return np.einsum("n,nd->d", shares, rows)


@right("weighted average")
def _(shares, rows):
    return reduce(np.add, map(np.multiply, shares, list(rows)))


@right("weighted average")
def _(shares, rows):
    return shares @ rows / shares.sum()


@right("weighted average")
def _(shares, rows):
    total = 0
    for i in range(len(shares)):
        total += shares[i] * rows[i]
    return total


@right("weighted average")
def _(shares, rows):
    total = rows[0] * shares[0]
    for share, row in list(zip(shares, rows, strict=True))[1:]:
        np.add(total, share * row, out=total)
    return total


@right("weighted average")
def _(shares, rows):
    return [
        sum(Fraction(float(s)) * Fraction(float(x)) for s, x in zip(shares, column))  # noqa: B905
        for column in rows.T
    ]


@right("weighted average")
def _(shares, rows):
    return rows.T @ shares


@right("weighted average")
def _(shares, rows):
    columns = rows.T.tolist()
    decimals = [Decimal(share) for share in shares.tolist()]
    return [sum(map(Decimal.__mul__, decimals, map(Decimal, c))) for c in columns]


@wrong("weighted average", "another order than in weighted_average(shares, rows)")
def _(rows, shares):
    return shares @ rows


@wrong(
    "weighted average",
    "does not fit into the row",
    "if the 4 that it has written out were a size",
)
def _(shares, rows):
    total = np.zeros(4)
    for share, row in zip(shares, rows, strict=True):
        total += share * row
    return total


total = np.zeros(4)


@wrong("weighted average", "total is used before it has a value in this function")
def _(shares, rows):
    for share, row in zip(shares, rows, strict=True):
        total = share * row + total  # noqa: F823
    return total


@wrong("weighted average", "The last row is missing")
def _(shares, rows):
    total = 0
    for i in range(len(rows) - 1):
        total = total + shares[i] * rows[i]
    return total


@wrong("weighted average", "The first row is missing")
def _(shares, rows):
    total = np.zeros(rows.shape[1])
    for i in range(1, len(rows)):
        total = total + shares[i] * rows[i]
    return total


@wrong("weighted average", "They sum to 1 already")
def _(shares, rows):
    e = np.exp(shares)
    return e / e.sum() @ rows


@wrong("weighted average", "rounded to 2 decimals")
def _(shares, rows):
    return (shares @ rows).round(2)


@wrong("weighted average", "Nearly right, but not to four decimals")
def _(shares, rows):
    return shares @ rows + 0.001 * rows[0]


@wrong("weighted average", "All numbers are 0")
def _(shares, rows):
    total = np.zeros(rows.shape[1])
    for share, row in zip(shares, rows, strict=True):
        total + share * row
    return total


@wrong("weighted average", "weights is none of its inputs")
def _(shares, rows):
    return weights @ rows


@wrong("weighted average", "brackets () are missing")
def _(shares, rows):
    return shares @ rows / shares.sum


@wrong("weighted average", "of size (4,)", "a place of size (5,)")
def _(shares, rows):
    total = np.zeros(len(rows))
    total[:] = shares @ rows
    return total


@wrong("weighted average", "as a table of 1 row × 4 columns, not 4 numbers")
def _(shares, rows):
    return np.matrix(shares) * np.matrix(rows)


@wrong("weighted average", "One thing is to be returned")
def _(shares, rows):
    return shares @ rows, shares.sum()


WRONG["weighted average"] += [
    (np.average, ["average of NumPy, not a function of your own"]),
    (partial(np.average, axis=0), ["average of NumPy, not a function of your own"]),
]

# ---- softmax ----


@right("softmax")
def _(scores):
    return [1 / sum(math.exp(other - score) for other in scores) for score in scores]


@right("softmax")
def _(scores):
    return np.exp(scores - np.log(np.sum(np.exp(scores))))


@right("softmax")
def _(scores):
    e = np.power(np.e, np.asarray(scores, dtype=np.longdouble))
    return np.divide(e, e.sum(), out=np.empty_like(e))


@right("softmax")
def _(scores):
    e = np.exp(np.asarray(scores) + 7)
    return e / np.linalg.norm(e, 1)


def exponential(score):
    return math.e**score


@right("softmax")
def _(scores):
    powers = [exponential(score) for score in scores]
    whole = 0
    for power in powers:
        whole = whole + power
    return tuple(power / whole for power in powers)


softmax = attention_helpers.softmax


@wrong("softmax", "made by softmax, a library's function")
def _(scores):
    return softmax(scores)


@wrong("softmax", "made by softmax, a library's function")
def _(scores):
    return attention_helpers.softmax(scores).round(9)


@wrong("softmax", "made by attention, a library's function")
def _(scores):
    one = np.ones((1, 1))
    keys = np.array([scores]).T
    return attention_helpers.attention(one, keys, keys, scale=1).weights[0]


@wrong("softmax", "rounded to 3 decimals")
def _(scores):
    return np.round(np.exp(scores) / np.exp(scores).sum(), 3)


@wrong("softmax", "Nearly right", "float16")
def _(scores):
    e = np.exp(scores).astype(np.float16)
    return (e / e.sum()).astype(np.float16)


@wrong("softmax", "cannot tell")
def _(scores):
    e = np.exp(np.asarray(scores) / 2)
    return e / e.sum()


@wrong("softmax", "cannot tell")
def _(scores):
    e = np.expm1(scores)
    return e / e.sum()


@wrong("softmax", "cannot tell")
def _(scores):
    e = np.exp(scores)
    return np.sort(e / e.sum())


@wrong("softmax", "Every number is 1.795 times")
def _(scores):
    e = np.exp(scores)
    return e / np.sqrt((e**2).sum())


@wrong("softmax", "no place 7", "alone is none of its inputs", "notebook's, a list")
def _(scores):
    return np.exp(scores[alone[0]])


@wrong("softmax", "if the 2 that it has written out were a size")
def _(scores):
    e = np.exp(scores[:2])
    return e / e.sum()


@wrong("softmax", "if the 4 that it has written out were a size")
def _(scores):
    e = [math.exp(scores[k]) for k in range(4)]
    return [x / sum(e) for x in e]


@wrong("softmax", "pair is none of its inputs", "notebook's, a list")
def _(scores):
    e = np.exp(pair[0] * scores + pair[1] * scores)
    return e / e.sum()


@wrong("softmax", "exponentials is none of its inputs", "5 numbers in one row")
def _(scores):
    return exponentials / exponentials.sum()


@wrong("softmax", "scores is none of its inputs")
def _(x):
    return np.exp(scores) / np.exp(scores).sum()


@wrong("softmax", "if the 5 that it has written out were a size")
def _(scores):
    e = np.zeros(5)
    for i in range(5):
        e[i] = np.exp(scores[i])
    return e / e.sum()


@wrong("softmax", "All numbers are 0", "// or a table of whole numbers")
def _(scores):
    e = np.exp(scores)
    return e // e.sum()


@wrong("softmax", "An assert does not hold", "np.isclose")
def _(scores):
    shares = np.exp(scores) / np.exp(scores).sum()
    assert shares.sum() == 1
    return shares


@wrong("softmax", "brackets () are missing")
def _(scores):
    e = np.exp(scores)
    return e / e.sum


@wrong("softmax", "know no axis")
def _(scores):
    return np.exp(scores) / sum(np.exp(scores), axis=-1)


@wrong("softmax", "no option keepdim here")
def _(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdim=True)


@wrong("softmax", "numpy has nothing called softmax")
def _(scores):
    return np.softmax(scores)


@wrong("softmax", "whole is used before it has a value")
def _(scores):
    whole = math.exp(scores[0]) + whole  # noqa: F821
    return np.exp(scores) / whole


@wrong("softmax", "Something here is None")
def _(scores):
    def exponentials(x):
        np.exp(x)

    return exponentials(scores) / exponentials(scores).sum()


def unfilled(scores):
    return ...


@wrong("softmax", "..., from unfilled", "unfilled still returns a ...")
def _(scores):
    return unfilled(scores)


@wrong("softmax", "unfilled still returns a ...")
def _(scores):
    return unfilled(scores) / np.exp(scores).sum()


WRONG["softmax"] += [
    (attention_helpers.softmax, ["softmax of attention_helpers", "my_softmax"]),
    (np.exp, ["exp of NumPy, not a function of your own"]),
    (partial(attention_helpers.softmax, axis=-1), ["softmax of attention_helpers"]),
    (math.exp, ["exp of math, not a function of your own"]),
    ([0.1, 0.9], ["a list, not a function", 'check("softmax", my_softmax)']),
]
