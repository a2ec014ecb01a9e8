"""Chapter 5: numbers that are written over the future, or added there, to hide it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Matrix
from .comparing import numbers
from .running import run

ENOUGH = -999  # what counts as −inf: it hides beside the scores of LOW
LOW = {  # the first word may see one score, -990, and not the other, 0
    "queries": np.array([[70.0, 70], [0, 1]]),
    "keys": np.array([[-10.0, -10], [10, -10]]),
    "values": np.array([[1.0], [-1]]),
}
ONLY_WHILE = (
    "hides only while every score that may be seen lies far above it. -np.inf always"
    " does."
)


def as_hidden(scores: Matrix) -> Matrix:
    """Count a number that is low enough as −inf."""
    return np.where(scores <= ENOUGH, -np.inf, scores)


def what_hides(came: Matrix, scores: Matrix, mask: NDArray[np.bool_]) -> str:
    """Say what stands where a mask is False, if it is one ordinary number."""
    if came.shape != scores.shape or not np.allclose(came[mask], scores[mask]):
        return ""
    for says, there in (
        ("{0} stands where the mask is False.", came[~mask]),
        ("Where the mask is False, {0} is added to the score.", (came - scores)[~mask]),
    ):
        if np.isfinite(there).all() and np.ptp(there) < 1e-6:
            number = f"{there[0]:g}".replace("-", "−")
            return f"{says.format(number)} That {ONLY_WHILE}"
    return ""


def hides_low_scores(answer: Callable[..., Any]) -> tuple[str, str] | None:
    """Tell of a number that does not hide beside a low score."""
    try:
        came = numbers(run(answer, LOW).result)
    except ValueError:
        return None
    values = LOW["values"]
    if came.shape == values.shape and np.isclose(came[0], values[1]):
        return (
            "the right contexts, but not where a score that may be seen is −990",
            "A number stands where the mask is False, or is added there. That"
            f" {ONLY_WHILE}",
        )
    return None
