"""Answers to the exercises of chapter 7."""

import math

import numpy as np

from attention_helpers import attention, multi_head_attention, self_attention

from .notes import SAME, right, softmax, wrong

SAME |= {
    r"-> .*\bk\.shape\[1\]": "queries and keys are equally wide",
}

# ---- cut by columns ----


@right("split")
def _(matrix, heads):
    size = matrix.shape[1] // heads
    return [matrix[:, head * size : (head + 1) * size] for head in range(heads)]


@right("split")
def _(matrix, heads):
    return np.split(matrix, heads, axis=1)


@right("split")
def _(matrix, heads):
    return np.array(np.hsplit(matrix, heads))


@right("split")
def _(matrix, heads):
    n, columns = matrix.shape
    return matrix.reshape(n, heads, columns // heads).transpose(1, 0, 2)


@right("split")
def _(matrix, heads):
    width = int(matrix.shape[1] / heads)
    blocks = np.zeros((heads, len(matrix), width))
    for j in range(matrix.shape[1]):
        blocks[j // width, :, j % width] = matrix[:, j]
    return blocks


@wrong("split", "counted off row by row", "mix several words")
def _(matrix, heads):
    n, columns = matrix.shape
    return matrix.reshape(heads, n, columns // heads)


@wrong("split", "blocks of rows")
def _(matrix, heads):
    return np.split(matrix, heads)


@wrong("split", "blocks of rows")
def _(matrix, heads):
    return matrix.reshape(heads, -1, matrix.shape[1])


@wrong("split", "blocks of rows")
def _(matrix, heads):
    size = matrix.shape[1] // heads
    return [matrix[head * size : (head + 1) * size] for head in range(heads)]


@wrong("split", "dealt out in turn")
def _(matrix, heads):
    return [matrix[:, head::heads] for head in range(heads)]


@wrong("split", "dealt out in turn")
def _(matrix, heads):
    return matrix.reshape(len(matrix), -1, heads).transpose(2, 0, 1)


@wrong("split", "The words come first")
def _(matrix, heads):
    return matrix.reshape(len(matrix), heads, -1)


@wrong("split", "All three axes are turned round")
def _(matrix, heads):
    return matrix.reshape(len(matrix), heads, -1).T


@wrong("split", "lies on its side")
def _(matrix, heads):
    return np.split(matrix.T, heads)


@wrong("split", "lies on its side")
def _(matrix, heads):
    return matrix.T.reshape(heads, -1, len(matrix))


@wrong("split", "first head alone")
def _(matrix, heads):
    return matrix[:, : matrix.shape[1] // heads]


@wrong("split", "first head alone")
def _(matrix, heads):
    size = matrix.shape[1] // heads
    for head in range(heads):
        return matrix[:, head * size : (head + 1) * size]


@wrong("split", "last head alone")
def _(matrix, heads):
    size = matrix.shape[1] // heads
    for head in range(heads):
        block = matrix[:, head * size : (head + 1) * size]
    return block


@wrong("split", "the columns of the first")
def _(matrix, heads):
    size = matrix.shape[1] // heads
    return [matrix[:, :size] for head in range(heads)]


@wrong("split", "gets the whole table")
def _(matrix, heads):
    return [matrix for head in range(heads)]


@wrong("split", "as it came")
def _(matrix, heads):
    return np.hstack(np.split(matrix, heads, axis=1))


@wrong("split", "blocks of `heads` columns")
def _(matrix, heads):
    return [matrix[:, j : j + heads] for j in range(0, matrix.shape[1], heads)]


@wrong("split", "reverse order")
def _(matrix, heads):
    blocks = []
    for block in np.split(matrix, heads, axis=1):
        blocks.insert(0, block)
    return blocks


@wrong("split", "two blocks, however many heads")
def _(matrix, heads):
    half = matrix.shape[1] // 2
    return [matrix[:, :half], matrix[:, half:]]


@wrong("split", "Came: rows of different lengths or kinds")
def _(matrix, heads):
    return np.array_split(matrix, heads + 3, axis=1)


# ---- the divisor of a head ----


@right("divisor of a head")
def _(W_query, heads):
    return np.sqrt(W_query.shape[1] / heads)


@right("divisor of a head")
def _(W_query, heads):
    d_k = np.split(W_query, heads, axis=1)[0].shape[1]
    return d_k**0.5


@right("divisor of a head")
def _(W_query, heads):
    return math.sqrt(len(W_query[0]) // heads)


@wrong("divisor of a head", "root of all columns")
def _(W_query, heads):
    return np.sqrt(W_query.shape[1])


@wrong("divisor of a head", "Take its root")
def _(W_query, heads):
    return W_query.shape[1] // heads


@wrong("divisor of a head", "number of all columns")
def _(W_query, heads):
    return W_query.shape[1]


@wrong("divisor of a head", "root of the number of heads")
def _(W_query, heads):
    return np.sqrt(heads)


@wrong("divisor of a head", "This is the number of heads.")
def _(W_query, heads):
    return heads


@wrong("divisor of a head", "root of the number of rows")
def _(W_query, heads):
    return np.sqrt(len(W_query))


@wrong("divisor of a head", "Rows are shared out")
def _(W_query, heads):
    return np.sqrt(W_query.shape[0] / heads)


@wrong("divisor of a head", "root is taken too early")
def _(W_query, heads):
    return np.sqrt(W_query.shape[1]) / heads


@wrong("divisor of a head", "multiplied by heads")
def _(W_query, heads):
    return np.sqrt(W_query.shape[1] * heads)


@wrong("divisor of a head", "All numbers of W_query")
def _(W_query, heads):
    return np.sqrt(W_query.size / heads)


@wrong("divisor of a head", "multiplied by. The divisor")
def _(W_query, heads):
    return (W_query.shape[1] / heads) ** -0.5


@wrong("divisor of a head", "a square")
def _(W_query, heads):
    return np.square(W_query.shape[1] / heads)


# ---- contexts side by side ----


@right("side by side")
def _(embeddings, W_query, W_key, W_value, heads):
    queries = np.split(embeddings @ W_query, heads, axis=1)
    keys = np.split(embeddings @ W_key, heads, axis=1)
    values = np.split(embeddings @ W_value, heads, axis=1)
    contexts = []
    for q, k, v in zip(queries, keys, values, strict=True):
        contexts.append(softmax(q @ k.T / np.sqrt(q.shape[1])) @ v)
    return np.hstack(contexts)


@right("side by side")
def _(embeddings, W_query, W_key, W_value, heads):
    def cut(W):
        return (embeddings @ W).reshape(len(embeddings), heads, -1).transpose(1, 0, 2)

    queries, keys, values = cut(W_query), cut(W_key), cut(W_value)
    weights = softmax(queries @ keys.transpose(0, 2, 1) / queries.shape[2] ** 0.5)
    return (weights @ values).transpose(1, 0, 2).reshape(len(embeddings), -1)


@right("side by side")
def _(embeddings, W_query, W_key, W_value, heads):
    size, width = W_query.shape[1] // heads, W_value.shape[1] // heads
    result = np.zeros((len(embeddings), W_value.shape[1]))
    for head in range(heads):
        a, b = slice(head * size, head * size + size), head * width
        scores = embeddings @ W_query[:, a] @ (embeddings @ W_key[:, a]).T
        shares = softmax(scores / math.sqrt(size))
        result[:, b : b + width] = shares @ embeddings @ W_value[:, b : b + width]
    return result


@right("side by side")
def _(embeddings, W_query, W_key, W_value, heads):
    tables = [cut(embeddings, W, heads) for W in (W_query, W_key, W_value)]
    return np.hstack([attention(*head).context for head in zip(*tables, strict=True)])


@right("side by side")
def _(embeddings, W_query, W_key, W_value, heads):
    cuts = [np.split(W, heads, axis=1) for W in (W_query, W_key, W_value)]
    return np.hstack(
        [self_attention(embeddings, *head).context for head in zip(*cuts, strict=True)]
    )


@wrong("side by side", "made by multi_head_attention, a library's function")
def _(embeddings, W_query, W_key, W_value, heads):
    matrices = W_query, W_key, W_value
    return multi_head_attention(embeddings, *matrices, heads=heads).output


def cut(embeddings, W, heads):
    return np.split(embeddings @ W, heads, axis=1)


def each(embeddings, W_query, W_key, W_value, heads):
    """Return the contexts of the heads in a list, as the loop has them."""
    matrices = [cut(embeddings, W, heads) for W in (W_query, W_key, W_value)]
    return [softmax(q @ k.T / np.sqrt(q.shape[1])) @ v for q, k, v in zip(*matrices)]  # noqa: B905


@wrong("side by side", "are added up")
def _(embeddings, W_query, W_key, W_value, heads):
    return sum(each(embeddings, W_query, W_key, W_value, heads))


@wrong("side by side", "are averaged, so two answers become one")
def _(embeddings, W_query, W_key, W_value, heads):
    return np.mean(each(embeddings, W_query, W_key, W_value, heads), axis=0)


@wrong("side by side", "stand below each other")
def _(embeddings, W_query, W_key, W_value, heads):
    return np.concatenate(each(embeddings, W_query, W_key, W_value, heads))


@wrong("side by side", "a table for each head")
def _(embeddings, W_query, W_key, W_value, heads):
    return each(embeddings, W_query, W_key, W_value, heads)


@wrong("side by side", "first head alone")
def _(embeddings, W_query, W_key, W_value, heads):
    for context in each(embeddings, W_query, W_key, W_value, heads):
        return context


@wrong("side by side", "last head alone")
def _(embeddings, W_query, W_key, W_value, heads):
    for context in each(embeddings, W_query, W_key, W_value, heads):
        result = context
    return result


@wrong("side by side", "These are the attention weights")
def _(embeddings, W_query, W_key, W_value, heads):
    queries, keys = cut(embeddings, W_query, heads), cut(embeddings, W_key, heads)
    pairs = zip(queries, keys, strict=True)
    return np.hstack([softmax(q @ k.T / np.sqrt(q.shape[1])) for q, k in pairs])


@wrong("side by side", "attention weights of the heads are averaged")
def _(embeddings, W_query, W_key, W_value, heads):
    queries, keys = cut(embeddings, W_query, heads), cut(embeddings, W_key, heads)
    pairs = zip(queries, keys, strict=True)
    weights = [softmax(q @ k.T / np.sqrt(q.shape[1])) for q, k in pairs]
    return sum(weights) / heads @ embeddings @ W_value


@wrong("side by side", "One softmax goes over all heads together")
def _(embeddings, W_query, W_key, W_value, heads):
    queries, keys = cut(embeddings, W_query, heads), cut(embeddings, W_key, heads)
    values = cut(embeddings, W_value, heads)
    pairs = zip(queries, keys, strict=True)
    weights = softmax(np.hstack([q @ k.T / np.sqrt(q.shape[1]) for q, k in pairs]))
    weights = np.split(weights, heads, axis=1)
    return np.hstack([w @ v for w, v in zip(weights, values, strict=True)])


def parts(embeddings, W, heads):
    """Return one block a head in an array."""
    return np.array(cut(embeddings, W, heads))


@wrong("side by side", "from head to head")
def _(embeddings, W_query, W_key, W_value, heads):
    queries, keys = parts(embeddings, W_query, heads), parts(embeddings, W_key, heads)
    scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[2])
    contexts = softmax(scores, axis=0) @ parts(embeddings, W_value, heads)
    return np.hstack(list(contexts))


@wrong("side by side", "down the columns")
def _(embeddings, W_query, W_key, W_value, heads):
    queries, keys = parts(embeddings, W_query, heads), parts(embeddings, W_key, heads)
    scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[2])
    contexts = softmax(scores, axis=1) @ parts(embeddings, W_value, heads)
    return np.hstack(list(contexts))


@wrong("side by side", "softmax is missing")
def _(embeddings, W_query, W_key, W_value, heads):
    matrices = [cut(embeddings, W, heads) for W in (W_query, W_key, W_value)]
    zipped = zip(*matrices, strict=True)
    return np.hstack([q @ k.T / np.sqrt(q.shape[1]) @ v for q, k, v in zipped])


def divided(by):
    """Return heads whose scores are divided by something."""

    def my_heads(embeddings, W_query, W_key, W_value, heads):
        matrices = [cut(embeddings, W, heads) for W in (W_query, W_key, W_value)]
        contexts = []
        for q, k, v in zip(*matrices, strict=True):
            scores = q @ k.T / by(embeddings, W_query, q, v, heads)
            contexts.append(softmax(scores) @ v)
        return np.hstack(contexts)

    return my_heads


wrong("side by side", "root of all columns")(
    divided(lambda X, W_query, q, v, heads: np.sqrt(W_query.shape[1]))
)
wrong("side by side", "Take the root")(
    divided(lambda X, W_query, q, v, heads: q.shape[1])
)
wrong("side by side", "not divided")(divided(lambda X, W_query, q, v, heads: 1))
wrong("side by side", "root of the number of heads")(
    divided(lambda X, W_query, q, v, heads: np.sqrt(heads))
)
wrong("side by side", "root of the number of words")(
    divided(lambda X, W_query, q, v, heads: np.sqrt(len(q)))
)
wrong("side by side", "columns of a head's values")(
    divided(lambda X, W_query, q, v, heads: np.sqrt(v.shape[1]))
)
wrong("side by side", "columns of the embeddings")(
    divided(lambda X, W_query, q, v, heads: np.sqrt(X.shape[1]))
)


@wrong("side by side", "values are not cut")
def _(embeddings, W_query, W_key, W_value, heads):
    queries, keys = cut(embeddings, W_query, heads), cut(embeddings, W_key, heads)
    values, contexts = embeddings @ W_value, []
    for q, k in zip(queries, keys, strict=True):
        contexts.append(softmax(q @ k.T / np.sqrt(q.shape[1])) @ values)
    return np.hstack(contexts)


@wrong("side by side", "same attention weights")
def _(embeddings, W_query, W_key, W_value, heads):
    queries, keys = embeddings @ W_query, embeddings @ W_key
    weights = softmax(queries @ keys.T / np.sqrt(queries.shape[1]))
    return np.hstack([weights @ v for v in cut(embeddings, W_value, heads)])


@wrong("side by side", "same attention weights")
def _(embeddings, W_query, W_key, W_value, heads):
    queries, keys = cut(embeddings, W_query, heads), cut(embeddings, W_key, heads)
    scores = sum(q @ k.T / np.sqrt(q.shape[1]) for q, k in zip(queries, keys))  # noqa: B905
    return softmax(scores) @ embeddings @ W_value


@wrong("side by side", "a slice of the embeddings")
def _(embeddings, W_query, W_key, W_value, heads):
    size, contexts = embeddings.shape[1] // heads, []
    for h, X in enumerate(np.split(embeddings, heads, axis=1)):
        rows = slice(h * size, (h + 1) * size)
        q, k, v = (
            X @ np.split(W[rows], heads, axis=1)[h] for W in (W_query, W_key, W_value)
        )
        contexts.append(softmax(q @ k.T / np.sqrt(q.shape[1])) @ v)
    return np.hstack(contexts)


@wrong("side by side", "a slice of the embeddings")
def _(embeddings, W_query, W_key, W_value, heads):
    contexts, row = [], 0
    for X in np.split(embeddings, heads, axis=1):
        rows = slice(row, row + X.shape[1])
        q, k, v = X @ W_query[rows], X @ W_key[rows], X @ W_value[rows]
        contexts.append(softmax(q @ k.T / np.sqrt(q.shape[1])) @ v)
        row += X.shape[1]
    return np.hstack(contexts)


@wrong("side by side", "put together by reshape")
def _(embeddings, W_query, W_key, W_value, heads):
    contexts = each(embeddings, W_query, W_key, W_value, heads)
    return np.array(contexts).reshape(len(embeddings), -1)


def counted_off(embeddings, W_query, W_key, W_value, heads):
    """Cut by reshape alone, as several published ones did."""
    matrices = [embeddings @ W for W in (W_query, W_key, W_value)]
    q, k, v = (m.reshape(heads, len(embeddings), -1) for m in matrices)
    return softmax(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])) @ v


@wrong("side by side", "counted off row by row")
def _(embeddings, W_query, W_key, W_value, heads):
    contexts = counted_off(embeddings, W_query, W_key, W_value, heads)
    return np.hstack(list(contexts))


@wrong("side by side", "counted off row by row")
def _(embeddings, W_query, W_key, W_value, heads):
    contexts = counted_off(embeddings, W_query, W_key, W_value, heads)
    return contexts.reshape(len(embeddings), -1)


@wrong("side by side", "dealt out in turn")
def _(embeddings, W_query, W_key, W_value, heads):
    contexts = []
    for head in range(heads):
        q, k, v = (embeddings @ W[:, head::heads] for W in (W_query, W_key, W_value))
        contexts.append(softmax(q @ k.T / np.sqrt(q.shape[1])) @ v)
    return np.hstack(contexts)


@wrong("side by side", "repeats the first")
def _(embeddings, W_query, W_key, W_value, heads):
    size, width = W_query.shape[1] // heads, W_value.shape[1] // heads
    contexts = []
    for _ in range(heads):
        q, k = embeddings @ W_query[:, :size], embeddings @ W_key[:, :size]
        v = embeddings @ W_value[:, :width]
        contexts.append(softmax(q @ k.T / np.sqrt(size)) @ v)
    return np.hstack(contexts)


@wrong("split", "Came: rows of different lengths or kinds")
def _(matrix, heads):
    return [matrix[:, 4 * head : 4 * (head + 1)] for head in range(heads)]


@wrong("side by side", "What is asked for is its .output")
def _(embeddings, W_query, W_key, W_value, heads):
    matrices = W_query, W_key, W_value
    return multi_head_attention(embeddings, *matrices, heads=heads)
