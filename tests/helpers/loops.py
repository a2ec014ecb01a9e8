"""Attention once more, in plain Python loops, to compare the NumPy version with.

Nothing is shared with the package: no NumPy, no subtraction of the largest score.
"""

import math

Row = list[float]
Table = list[Row]


def dot(left: Row, right: Row) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def transpose(table: Table) -> Table:
    return [list(column) for column in zip(*table, strict=True)]


def product(left: Table, right: Table) -> Table:
    columns = transpose(right)
    return [[dot(row, column) for column in columns] for row in left]


def exp(power: float) -> float:
    try:
        return math.exp(power)
    except OverflowError:
        return math.inf


def softmax(scores: Row) -> Row:
    """Each share as 1 / (sum of how many times larger every score is than this one)."""
    return [
        0.0
        if score == -math.inf
        else 1 / math.fsum(exp(other - score) for other in scores)
        for score in scores
    ]


def attention(queries, keys, values, mask=None, scale=None) -> dict[str, Table]:
    if scale is None:
        scale = 1 / math.sqrt(len(keys[0]))
    scores = [[dot(query, key) for key in keys] for query in queries]
    scaled_scores = [[score * scale for score in row] for row in scores]
    masked_scores = [
        [
            score if mask is None or mask[i][j] else -math.inf
            for j, score in enumerate(row)
        ]
        for i, row in enumerate(scaled_scores)
    ]
    weights = [softmax(row) for row in masked_scores]
    return {
        "queries": queries,
        "keys": keys,
        "values": values,
        "scores": scores,
        "scaled_scores": scaled_scores,
        "masked_scores": masked_scores,
        "weights": weights,
        "context": product(weights, values),
    }


def self_attention(
    embeddings, W_query=None, W_key=None, W_value=None, mask=None, scale=None
) -> dict[str, Table]:
    queries, keys, values = (
        embeddings if W is None else product(embeddings, W)
        for W in (W_query, W_key, W_value)
    )
    stages = attention(queries, keys, values, mask, scale)
    return {"embeddings": embeddings, **stages}


def multi_head_attention(
    embeddings, W_query, W_key, W_value, W_out=None, b_out=None, *, heads, **options
) -> dict[str, Table]:
    """One attention a head, each with its own columns of the three weight matrices."""

    def block(W, head):
        width = len(W[0]) // heads
        return [[row[head * width + j] for j in range(width)] for row in W]

    each = [
        self_attention(
            embeddings, *(block(W, head) for W in (W_query, W_key, W_value)), **options
        )
        for head in range(heads)
    ]
    output = [
        [number for stages in each for number in stages["context"][i]]
        for i in range(len(embeddings))
    ]
    if W_out is not None:
        output = product(output, W_out)
    if b_out is not None:
        output = [[a + b for a, b in zip(row, b_out, strict=True)] for row in output]
    stages = {name: [stages[name] for stages in each] for name in each[0]}
    return {**stages, "embeddings": embeddings, "output": output}
