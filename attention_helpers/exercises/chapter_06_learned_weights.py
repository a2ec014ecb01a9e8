"""Chapter 6: a wish, its loss, a slope, a step, and what cannot be learned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..attention import softmax
from ..checks import Matrix
from .judge import Case, Function, Judged, Wrong, draw, wishes

Loss = Callable[[float], float]


def shares(seed: int, n: int) -> Matrix:
    """Draw attention weights: rows that sum to 1, no two shares alike."""
    return softmax(draw(seed, n, n)).round(3)


def wanted(weights: Matrix, pairs: Matrix) -> Matrix:
    """Return the wanted share of each wish."""
    return np.array([weights[row, column] for row, column in pairs])


def swapped(weights: Matrix, pairs: Matrix) -> Matrix:
    """Read each wish as column, row."""
    return wanted(weights, np.asarray(pairs)[:, ::-1])


def valley(x: float) -> float:
    """Fall, then rise, with a slope that is never the same twice."""
    return 0.25 * x**4 - x


def hill(x: float) -> float:
    """Rise ever more slowly."""
    return float(np.log(x + 3))


def one_sided(loss: Loss, number: float, nudge: float) -> float:
    """Nudge a number up, and say how far the loss moves for each unit."""
    return (loss(number + nudge) - loss(number)) / nudge


def two_sided(loss: Loss, number: float, nudge: float) -> float:
    """Nudge it down as well."""
    return (loss(number + nudge) - loss(number - nudge)) / (2 * nudge)


NUDGES = (
    Case({"loss": valley, "number": 2.0, "nudge": 0.5}),
    Case({"loss": valley, "number": -1.5, "nudge": 0.25}),
    Case({"loss": hill, "number": -1.0, "nudge": 0.25}),
)


def any_side(result: Matrix) -> Matrix:
    """Count a nudge down, to both sides, or half to each, as the nudge asked for."""
    for loss, number, nudge in (case.inputs.values() for case in NUDGES):
        others = (
            one_sided(loss, number, -nudge),
            two_sided(loss, number, nudge),
            two_sided(loss, number, nudge / 2),
        )
        if np.shape(result) == () and np.isclose(others, result).any():
            return np.asarray(one_sided(loss, number, nudge))
    return result


SUMMED = (
    "The losses of the wishes are added up. The loss is their mean, so that two wishes"
    " weigh no more than one."
)
OF_THE_MEAN = (
    "The shares are averaged before the −log. Each wish has a −log of its own."
)
UPHILL = "This goes with the slopes, and the loss rises. Subtract them."

EXERCISES = (
    Function(
        name="loss",
        call="my_loss(weights, wishes)",
        returns="one number, the mean of −log of the wanted shares",
        right=lambda weights, wishes: -np.log(wanted(weights, wishes)).mean(),
        cases=(
            Case({"weights": shares(61, 5), "wishes": [(2, 4), (0, 3), (4, 1)]}),
            Case({"weights": shares(62, 6), "wishes": [(5, 0), (1, 3)]}),
        ),
        nudge="A wish is a row and a column: its share is weights[row, column].",
        wrong=(
            Wrong(lambda w, p: -np.log(wanted(w, p)).sum(), SUMMED),
            Wrong(lambda w, p: -np.log(wanted(w, p).mean()), OF_THE_MEAN),
            Wrong(
                lambda w, p: -np.log2(wanted(w, p)).mean(),
                "This is log2, which counts halvings. np.log is asked for.",
            ),
            Wrong(
                lambda w, p: -np.log10(wanted(w, p)).mean(),
                "This is log10. np.log is asked for.",
            ),
            Wrong(
                lambda w, p: np.log(wanted(w, p)).mean(),
                "The minus sign is missing: the log of a share is below 0.",
            ),
            Wrong(
                lambda w, p: (1 - wanted(w, p)).mean(),
                "This is 1 − share, to which 0.01 and 0.02 are all but the same."
                " Take −log of the share.",
            ),
            Wrong(
                lambda w, p: wanted(w, p).mean(),
                "This is the mean of the shares, which rises when the wishes come true."
                " Take −log of each.",
            ),
            Wrong(
                lambda w, p: -np.log(swapped(w, p)).mean(),
                "Row and column are swapped: the row asks, so it comes first.",
            ),
            Wrong(
                lambda w, p: -np.log([w[i].max() for i, _ in p]).mean(),
                "This takes the largest share of each row. Take the wanted one.",
            ),
            Wrong(
                lambda w, p: -np.log(wanted(w, p)),
                "There is one number for each wish. The loss is their mean.",
            ),
            Wrong(
                lambda w, p: -np.log(wanted(w, p)).sum() / len(w),
                "The sum is divided by the number of words. Divide it by the number of"
                " wishes, len(wishes).",
            ),
            Wrong(
                lambda w, p: -np.log(wanted(w, p).sum()),
                "The shares are added up before the −log. Each wish has a −log of its"
                " own.",
            ),
            Wrong(
                lambda w, p: -np.log(w).mean(),
                "All shares are counted. Only the wanted ones count.",
            ),
            Wrong(
                lambda w, p: -np.log(wanted(w, p[:1])).mean(),
                "Only the first wish is counted.",
            ),
            Wrong(
                lambda w, p: -np.log(wanted(w, p[-1:])).mean(),
                "Only the last wish is counted. Collect the losses of all.",
            ),
        ),
    ),
    Function(
        name="slope",
        call="my_slope(loss, number, nudge)",
        returns="one number: how far the loss moves for each unit of the nudge",
        right=one_sided,
        tidy=any_side,
        cases=NUDGES,
        nudge="After the nudge the loss is loss(number + nudge), now loss(number)."
        " Divide their difference by the nudge.",
        wrong=(
            Wrong(
                lambda loss, number, nudge: loss(number + nudge) - loss(number),
                "This is how far the loss moved. Divide it by the nudge.",
            ),
            Wrong(
                lambda loss, number, nudge: (
                    (loss(number) - loss(number + nudge)) / nudge
                ),
                "Before minus after: the sign is the wrong way round. A slope is above"
                " 0 where the loss rises.",
            ),
            Wrong(
                lambda loss, number, nudge: -one_sided(loss, number, -nudge),
                "The nudge goes down here, and the sign is the wrong way round: divide"
                " by -nudge.",
            ),
            Wrong(
                lambda loss, number, nudge: one_sided(loss, number, 1e-6),
                "A nudge of its own is used. Use the one that comes in.",
            ),
            Wrong(
                lambda loss, number, nudge: two_sided(loss, number, 1e-6),
                "A nudge of its own is used. Use the one that comes in.",
            ),
            Wrong(
                lambda loss, number, nudge: one_sided(loss, number, 0.001),
                "A nudge of its own is used. Use the one that comes in.",
            ),
            Wrong(
                lambda loss, number, nudge: np.sign(one_sided(loss, number, nudge)),
                "This tells the direction only. The slope is also how steep it is.",
            ),
            Wrong(
                lambda loss, number, nudge: abs(one_sided(loss, number, nudge)),
                "The sign is gone, and with it the direction.",
            ),
            Wrong(
                lambda loss, number, nudge: (
                    (loss(number + nudge) - loss(number)) * nudge
                ),
                "The difference is multiplied by the nudge. Divide.",
            ),
            Wrong(
                lambda loss, number, nudge: loss(number + nudge) / nudge,
                "The loss before the nudge is not subtracted.",
            ),
            Wrong(
                lambda loss, number, nudge: (
                    (loss(number + nudge) - loss(number - nudge)) / nudge
                ),
                "From one side to the other are two nudges: divide by 2 * nudge.",
            ),
            Wrong(
                lambda loss, number, nudge: loss(number + nudge) - loss(number) / nudge,
                "The division comes first here. Put brackets around the difference.",
            ),
        ),
    ),
    Function(
        name="step",
        call="my_step(matrix, slopes, rate)",
        returns="the matrix after one step, in a new table",
        right=lambda matrix, slopes, rate: matrix - rate * slopes,
        cases=(
            Case({"matrix": draw(63, 4, 2), "slopes": draw(64, 4, 2), "rate": 0.5}),
            Case({"matrix": draw(65, 3, 3), "slopes": draw(66, 3, 3), "rate": 0.2}),
        ),
        nudge="Against the slopes, each times the rate.",
        wrong=(
            Wrong(lambda matrix, slopes, rate: matrix + rate * slopes, UPHILL),
            Wrong(
                lambda matrix, slopes, rate: matrix - slopes,
                "The rate is left out: the step is too long.",
            ),
            Wrong(
                lambda matrix, slopes, rate: matrix - rate,
                "The slopes are left out: every number moves alike.",
            ),
            Wrong(
                lambda matrix, slopes, rate: -rate * slopes,
                "This is the step alone. Add it to the matrix.",
            ),
            Wrong(
                lambda matrix, slopes, rate: rate * slopes,
                "This is how far to move. Subtract it from the matrix.",
            ),
            Wrong(
                lambda matrix, slopes, rate: matrix - rate * np.sign(slopes),
                "Only the signs of the slopes are used: steep and flat move alike.",
            ),
            Wrong(
                lambda matrix, slopes, rate: matrix - rate * abs(slopes),
                "The signs of the slopes are gone. They say which way to move.",
            ),
            Wrong(
                lambda matrix, slopes, rate: np.where(
                    abs(slopes) == abs(slopes).max(), matrix - rate * slopes, matrix
                ),
                "Only the steepest number moves. All move at once.",
            ),
            Wrong(
                lambda matrix, slopes, rate: matrix - rate * slopes * matrix,
                "The slopes are multiplied by the matrix. A step does not depend on how"
                " large a number is.",
            ),
            Wrong(
                lambda matrix, slopes, rate: matrix - slopes / rate,
                "The slopes are divided by the rate. A larger rate is a longer step.",
            ),
            Wrong(
                lambda matrix, slopes, rate: slopes - rate * matrix,
                "Matrix and slopes are swapped.",
            ),
            Wrong(
                lambda matrix, slopes, rate: rate * (matrix - slopes),
                "The rate shrinks the matrix as well. It belongs to the slopes alone.",
            ),
            Wrong(
                lambda matrix, slopes, rate: (1 - rate) * matrix + rate * slopes,
                "This mixes matrix and slopes. Subtract rate * slopes.",
            ),
        ),
    ),
    Judged(name="coins wish", judge=wishes.judge_coins),
    Judged(name="two wishes", judge=wishes.judge_pair),
)
