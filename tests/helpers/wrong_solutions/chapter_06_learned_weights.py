"""Answers to the exercises of chapter 6."""

import math

import numpy as np

from .notes import right, wrong

# ---- the loss ----


@right("loss")
def _(weights, wishes):
    return np.mean([-np.log(weights[row, column]) for row, column in wishes])


@right("loss")
def _(weights, wishes):
    total = 0
    for row, column in wishes:
        total -= math.log(weights[row][column])
    return total / len(wishes)


@right("loss")
def _(weights, wishes):
    rows, columns = np.array(wishes).T
    return np.log(1 / weights[rows, columns]).mean()


@wrong("loss", "added up", "mean")
def _(weights, wishes):
    return sum(-np.log(weights[row, column]) for row, column in wishes)


@wrong("loss", "divided by the number of words")
def _(weights, wishes):
    return sum(-np.log(weights[i, j]) for i, j in wishes) / len(weights)


@wrong("loss", "added up before the −log")
def _(weights, wishes):
    return -np.log(sum(weights[i, j] for i, j in wishes))


@wrong("loss", "averaged before")
def _(weights, wishes):
    return -np.log(np.mean([weights[row, column] for row, column in wishes]))


@wrong("loss", "log2")
def _(weights, wishes):
    return np.mean([-np.log2(weights[row, column]) for row, column in wishes])


@wrong("loss", "log10")
def _(weights, wishes):
    return -sum(math.log10(weights[i][j]) for i, j in wishes) / len(wishes)


@wrong("loss", "minus sign is missing")
def _(weights, wishes):
    return np.mean([np.log(weights[row, column]) for row, column in wishes])


@wrong("loss", "1 − share")
def _(weights, wishes):
    return np.mean([1 - weights[row, column] for row, column in wishes])


@wrong("loss", "mean of the shares")
def _(weights, wishes):
    return np.mean([weights[row, column] for row, column in wishes])


@wrong("loss", "swapped")
def _(weights, wishes):
    return np.mean([-np.log(weights[column, row]) for row, column in wishes])


@wrong("loss", "largest share")
def _(weights, wishes):
    return np.mean([-np.log(weights[row].max()) for row, column in wishes])


@wrong("loss", "one number for each wish")
def _(weights, wishes):
    return [-np.log(weights[row, column]) for row, column in wishes]


@wrong("loss", "All shares are counted")
def _(weights, wishes):
    return -np.log(weights).mean()


@wrong("loss", "Only the first wish")
def _(weights, wishes):
    for row, column in wishes:
        return -np.log(weights[row, column])


@wrong("loss", "Only the last wish")
def _(weights, wishes):
    for row, column in wishes:
        loss = -np.log(weights[row, column])
    return loss


@wrong("loss", "cannot tell")
def _(weights, wishes):
    return np.mean([-np.log(weights[row, column]) / 2 for row, column in wishes])


# ---- a slope ----


@right("slope")
def _(loss, number, nudge):
    return (loss(number + nudge) - loss(number)) / nudge


@right("slope")
def _(loss, number, nudge):
    return (loss(number + nudge) - loss(number - nudge)) / (2 * nudge)


@right("slope")
def _(loss, number, nudge):
    before = loss(number)
    number += nudge
    return np.array([loss(number) - before]).sum() / nudge


@right("slope")
def _(loss, number, nudge):
    return (loss(number) - loss(number - nudge)) / nudge


@right("slope")
def _(loss, number, nudge):
    return (loss(number + nudge / 2) - loss(number - nudge / 2)) / nudge


@wrong("slope", "goes down here", "divide by -nudge")
def _(loss, number, nudge):
    return (loss(number - nudge) - loss(number)) / nudge


@wrong("slope", "Divide it by the nudge")
def _(loss, number, nudge):
    return loss(number + nudge) - loss(number)


@wrong("slope", "wrong way round")
def _(loss, number, nudge):
    return (loss(number) - loss(number + nudge)) / nudge


@wrong("slope", "nudge of its own")
def _(loss, number, nudge):
    return (loss(number + 1e-6) - loss(number)) / 1e-6


@wrong("slope", "nudge of its own")
def _(loss, number, nudge):
    h = 1e-5
    return (loss(number + h) - loss(number - h)) / (2 * h)


@wrong("slope", "nudge of its own")
def _(loss, number, nudge):
    nudge = 0.001
    return (loss(number + nudge) - loss(number)) / nudge


@wrong("slope", "direction only")
def _(loss, number, nudge):
    return np.sign(loss(number + nudge) - loss(number))


@wrong("slope", "sign is gone")
def _(loss, number, nudge):
    return abs(loss(number + nudge) - loss(number)) / nudge


@wrong("slope", "multiplied by the nudge")
def _(loss, number, nudge):
    return (loss(number + nudge) - loss(number)) * nudge


@wrong("slope", "not subtracted")
def _(loss, number, nudge):
    return loss(number + nudge) / nudge


@wrong("slope", "two nudges")
def _(loss, number, nudge):
    return (loss(number + nudge) - loss(number - nudge)) / nudge


@wrong("slope", "brackets around the difference")
def _(loss, number, nudge):
    return loss(number + nudge) - loss(number) / nudge


# ---- a step ----


@right("step")
def _(matrix, slopes, rate):
    return matrix - rate * slopes


@right("step")
def _(matrix, slopes, rate):
    new = np.array(matrix)
    for i in range(len(new)):
        new[i] -= slopes[i] * rate
    return new


@right("step")
def _(matrix, slopes, rate):
    return [
        [number - rate * slope for number, slope in zip(row, steep, strict=True)]
        for row, steep in zip(matrix, slopes, strict=True)
    ]


@wrong("step", "goes with the slopes")
def _(matrix, slopes, rate):
    return matrix + rate * slopes


@wrong("step", "rate is left out")
def _(matrix, slopes, rate):
    return matrix - slopes


@wrong("step", "slopes are left out")
def _(matrix, slopes, rate):
    return matrix - rate


@wrong("step", "step alone")
def _(matrix, slopes, rate):
    return -rate * slopes


@wrong("step", "how far to move")
def _(matrix, slopes, rate):
    return rate * slopes


@wrong("step", "Only the signs")
def _(matrix, slopes, rate):
    return matrix - rate * np.sign(slopes)


@wrong("step", "Only the steepest")
def _(matrix, slopes, rate):
    new = matrix.copy()
    at = np.unravel_index(np.abs(slopes).argmax(), slopes.shape)
    new[at] -= rate * slopes[at]
    return new


@wrong("step", "multiplied by the matrix")
def _(matrix, slopes, rate):
    return matrix - rate * slopes * matrix


@wrong("step", "divided by the rate")
def _(matrix, slopes, rate):
    return matrix - slopes / rate


@wrong("step", "swapped")
def _(matrix, slopes, rate):
    return slopes - rate * matrix


@wrong("step", "shrinks the matrix")
def _(matrix, slopes, rate):
    return rate * (matrix - slopes)


@wrong("step", "mixes matrix and slopes")
def _(matrix, slopes, rate):
    return (1 - rate) * matrix + rate * slopes


@wrong("step", "overwrites matrix")
def _(matrix, slopes, rate):
    matrix -= rate * slopes
    return matrix


@wrong("step", "signs of the slopes are gone")
def _(matrix, slopes, rate):
    return matrix - rate * np.abs(slopes)


@wrong("loss", "wishes, an input, is no longer what it was", ".pop()")
def _(weights, wishes):
    total, number = 0, len(wishes)
    while wishes:
        total -= np.log(weights[wishes.pop()])
    return total / number


@wrong("loss", "so that they are a list")
def _(weights, wishes):
    return np.mean(-np.log(weights[wish]) for wish in wishes)


@wrong("loss", "A plain list cannot do that")
def _(weights, wishes):
    return -[np.log(weights[wish]) for wish in wishes]
