"""Learning in plain NumPy: a wish becomes a loss, and every number gets a slope.

A goal names rows and columns by index. ``{"weights": {0: 4}}`` wishes that row 0 looks
at column 4: the wanted share is its attention weight. ``{"context": {2: 0}}`` wishes
that the softmax of row 2's context falls on column 0. The loss is the mean of -log of
the wanted shares.

Source: Rumelhart, Hinton and Williams, "Learning representations by back-propagating
errors" (1986).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .attention import (
    MOST_HEADS,
    Attention,
    Record,
    multi_head_attention,
    self_attention,
    side_by_side,
    softmax,
)
from .checks import (
    MOST,
    Matrix,
    check_matrix,
    check_scale,
    check_whole,
    finite_number,
    shown,
)

MOST_STEPS = 100_000
Place = tuple[int, ...]  # the head, where there are heads, row and column
Goal = Mapping[str, Mapping[int, int | Sequence[int | None]]]
Inputs = dict[str, Any]  # a float64 copy of each by its name, None where there is none
Wishes = dict[str, list[Place]]  # the wanted cells of "weights" and "context"


@dataclass(frozen=True, eq=False, repr=False)
class Gradients(Record):
    """A loss and its slopes: how far it rises for each unit added to a number.

    The loss of a wish about attention weights is computed from `masked_scores`, so the
    slopes of `weights` are those that come through the context.

    Attributes
    ----------
    loss : float
        The mean of -log of the wanted shares.
    embeddings, W_query, W_key, W_value : array or None
        Slopes of the inputs, each shaped like it; None where there is no matrix.
    queries, keys, ..., context : array
        Slopes of all stages of `Attention`, each shaped like it: with heads, the head
        is the leading axis.

    Examples
    --------
    >>> gradients([[0.0], [1.0]], goal={"weights": {0: 1}}).scores
    array([[ 0.5, -0.5],
           [ 0. ,  0. ]])
    """

    loss: float
    embeddings: Matrix
    W_query: Matrix | None
    W_key: Matrix | None
    W_value: Matrix | None
    queries: Matrix
    keys: Matrix
    values: Matrix
    scores: Matrix
    scaled_scores: Matrix
    masked_scores: Matrix
    weights: Matrix
    context: Matrix


@dataclass(frozen=True, eq=False, repr=False)
class Descent(Record):
    """The losses on a way against the slopes, and the inputs at its end.

    Attributes
    ----------
    losses : (steps + 1,) array
        The loss at the start and after each step.
    embeddings, W_query, W_key, W_value : array or None
        The inputs at the end; None where there is no matrix.
    ran_away : int or None
        The step that would have carried a number beyond a million: losses and inputs
        end before it, and the rate is too large.

    Examples
    --------
    >>> train = ["embeddings"]
    >>> descend([[1], [2]], goal={"weights": {0: 0}}, train=train, rate=1, steps=9)
    Descent(9 steps; loss 1.31 to 0.00543)
    """

    losses: Matrix
    embeddings: Matrix
    W_query: Matrix | None
    W_key: Matrix | None
    W_value: Matrix | None
    ran_away: int | None

    def __repr__(self) -> str:
        how = f"{len(self.losses) - 1} steps"
        if self.ran_away:
            how = f"ran away at step {self.ran_away}: a number beyond a million"
        return f"Descent({how}; loss {self.losses[0]:.3g} to {self.losses[-1]:.3g})"


def gradients(
    embeddings: ArrayLike,
    W_query: ArrayLike | None = None,
    W_key: ArrayLike | None = None,
    W_value: ArrayLike | None = None,
    *,
    goal: Goal,
    heads: int = 1,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> Gradients:
    """Compute the loss of a goal, and its slope at every number.

    Parameters
    ----------
    embeddings, W_query, W_key, W_value, mask, scale
        As for `self_attention` or, with several heads, `multi_head_attention`.
    goal : mapping
        ``{"weights": {row: column}}``, ``{"context": {row: column}}`` or both. A list
        of columns is one wish a head, in order, None where a head has none; the last
        head has what is left. Columns of the context are counted over all heads.
    heads : int
        Number of heads, which share the columns of queries, keys and values.

    Returns
    -------
    Gradients
        The loss, and slopes from the context back to the embeddings.

    Raises
    ------
    ValueError
        As for `self_attention`; for a goal that is empty, or names a row or a column
        that is not there or a cell that the mask hides; for slopes that overflow.

    Examples
    --------
    >>> gradients([[0, 1], [1, 0]], goal={"context": {0: 0}}, scale=0).context
    array([[-0.5,  0.5],
           [ 0. ,  0. ]])
    """
    inputs = _inputs(embeddings, W_query, W_key, W_value)
    stages = forward(inputs, heads, mask, scale)
    return _backward(inputs, stages, _check_goal(goal, stages), scale)


def forward(
    inputs: Inputs, heads: int, mask: ArrayLike | None, scale: float | None
) -> Attention:
    """Compute every stage, with a head axis where there are several heads."""
    if check_whole("heads", heads, least=1, most=MOST_HEADS) == 1:
        return self_attention(**inputs, mask=mask, scale=scale)
    return multi_head_attention(**inputs, heads=heads, mask=mask, scale=scale)


def _backward(
    inputs: Inputs, S: Attention, wishes: Wishes, scale: float | None
) -> Gradients:
    """Compute the loss of some wishes, and its slopes, from the last stage back."""
    X, per_head = inputs["embeddings"], S.context.ndim > 2
    scale = check_scale(scale, d_k=S.queries.shape[-1])
    n = sum(map(len, wishes.values()))
    contexts = side_by_side(S.context)
    shares = softmax(contexts) if wishes["context"] else contexts

    # From here on a name means the slopes of what it names.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        loss, contexts = _begin(contexts, shares, wishes["context"], n)
        more, direct = _begin(S.masked_scores, S.weights, wishes["weights"], n)
        context = (
            np.stack(np.split(contexts, len(S.context), 1)) if per_head else contexts
        )
        weights = context @ S.values.mT
        average = (S.weights * weights).sum(axis=-1, keepdims=True)
        masked_scores = direct + S.weights * (weights - average)
        scaled_scores = masked_scores  # 0 where the mask hides
        scores = scaled_scores * scale
        queries = scores @ S.keys
        keys = scores.mT @ S.queries
        values = S.weights.mT @ context
        X_query, W_query = _unproject(X, inputs["W_query"], side_by_side(queries))
        X_key, W_key = _unproject(X, inputs["W_key"], side_by_side(keys))
        X_value, W_value = _unproject(X, inputs["W_value"], side_by_side(values))
        slopes = Gradients(
            loss=loss + more,
            embeddings=X_query + X_key + X_value,
            W_query=W_query,
            W_key=W_key,
            W_value=W_value,
            queries=queries,
            keys=keys,
            values=values,
            scores=scores,
            scaled_scores=scaled_scores,
            masked_scores=masked_scores,
            weights=weights,
            context=context,
        )
    ends = (slopes.loss, slopes.embeddings, W_query, W_key, W_value)
    if not all(np.isfinite(end).all() for end in ends if end is not None):
        raise ValueError(
            "the loss or a slope overflows: the inputs are finite but too large;"
            " expected slopes below 1.8e308"
        )
    return slopes


def descend(
    embeddings: ArrayLike,
    W_query: ArrayLike | None = None,
    W_key: ArrayLike | None = None,
    W_value: ArrayLike | None = None,
    *,
    goal: Goal,
    train: Sequence[str] = ("W_query", "W_key"),
    rate: float,
    steps: int,
    heads: int = 1,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> Descent:
    """Move every number of some inputs against its slope, again and again.

    Parameters
    ----------
    embeddings, W_query, W_key, W_value, goal, heads, mask, scale
        As for `gradients`.
    train : sequence of str
        The inputs that move; the others stay as they are.
    rate : float
        A step is the slope times this; above 0.
    steps : int
        How many steps, 0 to 100000.

    Returns
    -------
    Descent
        The losses, and the inputs at the end. A rate that is too large is no error:
        the record says at which step a number ran away.

    Raises
    ------
    ValueError
        As for `gradients`; for an input to train that is not there; for a rate or a
        number of steps out of range.

    Examples
    --------
    >>> matrices = [[0, 1]], None, None, [[0, 0], [0, 0]]
    >>> goal = {"context": {0: 1}}
    >>> way = descend(*matrices, goal=goal, train=["W_value"], rate=1, steps=2)
    >>> way.losses.round(2)
    array([0.69, 0.31, 0.19])
    """
    inputs = _inputs(embeddings, W_query, W_key, W_value)
    there = [name for name, matrix in inputs.items() if matrix is not None]
    named = isinstance(train, (list, tuple)) and all(isinstance(t, str) for t in train)
    if not named or not train or not set(train) <= set(there):
        raise ValueError(
            f"train is {shown(train)}; expected a list out of {', '.join(there)}"
        )
    number = finite_number(rate)
    if number is None or number <= 0:
        raise ValueError(f"rate is {shown(rate)}; expected a finite number above 0")
    steps = check_whole("steps", steps, least=0, most=MOST_STEPS)

    stages = forward(inputs, heads, mask, scale)
    wishes = _check_goal(goal, stages)
    slopes = _backward(inputs, stages, wishes, scale)
    losses, ran_away = [slopes.loss], None
    for step in range(1, steps + 1):
        with np.errstate(over="ignore", under="ignore"):
            moved = {t: inputs[t] - number * getattr(slopes, t) for t in train}
        if max(np.abs(matrix).max() for matrix in moved.values()) > MOST:
            ran_away = step
            break
        inputs |= moved
        slopes = _backward(inputs, forward(inputs, heads, mask, scale), wishes, scale)
        losses.append(slopes.loss)
    return Descent(losses=np.array(losses), **inputs, ran_away=ran_away)


def minus_log_shares(lines: Matrix, columns: Sequence[int]) -> Matrix:
    """Return -log of the softmax share of one column a line, from the scores."""
    ahead = lines - lines[range(len(lines)), columns][:, None]
    losses: Matrix = np.logaddexp.reduce(ahead, axis=1)
    return losses


def _begin(
    scores: Matrix, shares: Matrix, wanted: list[Place], n: int
) -> tuple[float, Matrix]:
    """Return what these out of n wishes add to the loss, and its slopes at the scores.

    A slope is share minus wanted; -1 / share would fail where a share underflows.
    """
    back = np.zeros_like(shares)
    if not wanted:
        return 0.0, back
    *rows, columns = zip(*wanted, strict=True)
    losses = minus_log_shares(scores[*rows], columns)
    np.add.at(back, (*rows,), shares[*rows])
    np.subtract.at(back, (*rows, columns), 1)
    return float(losses.sum() / n), back / n


def _unproject(
    embeddings: Matrix, W: Matrix | None, slopes: Matrix
) -> tuple[Matrix, Matrix | None]:
    """Return the slopes of ``embeddings @ W`` as those of the embeddings and of W."""
    return (slopes, None) if W is None else (slopes @ W.T, embeddings.T @ slopes)


def _inputs(embeddings: ArrayLike, *matrices: ArrayLike | None) -> Inputs:
    """Return a float64 copy of each input by its name, None where there is none."""
    inputs: Inputs = {"embeddings": check_matrix("embeddings", embeddings)}
    for name, W in zip(("W_query", "W_key", "W_value"), matrices, strict=True):
        inputs[name] = None if W is None else check_matrix(name, W)
    return inputs


def _check_goal(goal: Goal, stages: Attention) -> Wishes:
    """Return the cells that are wished for, in the stages of both kinds."""
    tables = {"weights": stages.masked_scores, "context": side_by_side(stages.context)}
    wishes: Wishes = {kind: [] for kind in tables}
    kinds = dict(goal) if isinstance(goal, Mapping) else {}
    known = all(kind in tables and isinstance(kinds[kind], Mapping) for kind in kinds)
    if not known or not kinds or not all(kinds.values()):
        raise ValueError(
            f"goal is {shown(goal)}; expected wishes, row: column, such as"
            " {'weights': {0: 4}} or {'context': {2: 0}}"
        )
    for kind, wanted in kinds.items():
        *heads, height, width = tables[kind].shape
        for row, columns in wanted.items():
            i = check_whole(f"row in goal[{kind!r}]", row, least=0, most=height - 1)
            several = kind == "weights" and isinstance(columns, (list, tuple))
            some: Any = columns if several else [columns]
            for at, column in enumerate(some):
                if several and column is None:
                    continue
                j = check_whole(f"goal[{kind!r}][{i}]", column, least=0, most=width - 1)
                place = (*(min(at, most - 1) for most in heads), i, j)
                if tables[kind][place] == -np.inf:
                    raise ValueError(
                        f"goal[{kind!r}][{i}] is {j}, which the mask hides;"
                        f" expected a column that row {i} may attend to"
                    )
                wishes[kind].append(place)
    if not any(wishes.values()):
        raise ValueError(f"goal is {shown(goal)}; expected at least one wish")
    return wishes
