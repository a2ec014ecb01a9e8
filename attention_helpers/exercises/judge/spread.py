"""Chapter 4: tell dot products that were drawn and measured from other numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...checks import Matrix
from .running import run

COMPUTED = (
    "the square root of d_k, or a multiple of it, with nothing measured",
    "Draw the numbers, and return the spread that their dot products have.",
)
ADDED = (
    "another spread where rng draws numbers that are twice as large",
    "Dot products of such rows are four times as large, this result only twice. Each"
    " number of a query is multiplied with one of a key, then they are added up.",
)


def nearly(came: Matrix, way: Matrix) -> bool:
    """Compare two spreads that were measured on random draws."""
    within = 0.08 * abs(way) + 0.85 * (way == 0)
    return came.shape == way.shape and bool(np.all(abs(came - way) <= within))


def drawn_and_multiplied(function: Callable[..., Any]) -> tuple[str, str] | None:
    """Say what is wrong with a right spread that was not measured on products."""
    spreads = [
        run(function, {"d_k": d_k, "rng": np.random.default_rng(d_k)}).result
        for d_k in (60, 150, 250)
    ]
    try:
        roots = np.sqrt((60, 150, 250))
        rounded = (np.allclose(spreads, roots.round(k)) for k in range(4))
        if np.ptp(np.divide(spreads, roots)) < 1e-4 or any(rounded):
            return COMPUTED
        doubled = float(run(function, {"d_k": 60, "rng": Doubled()}).result)
    except (TypeError, ValueError):
        return None  # it gives no number now and then
    added = 2 * np.sqrt(60)  # 4 times where products, once where nothing is drawn
    return ADDED if abs(doubled / added - 1) < 0.2 else None


class Doubled(np.random.Generator):
    """A seeded generator that draws numbers and signs twice as large.

    A sum of d_k numbers spreads like a dot product of d_k pairs. Of doubled numbers the
    sum spreads twice as far and the dot product four times. Whoever draws from another
    generator draws nothing here.
    """

    def __init__(self, bits: Any = None) -> None:
        super().__init__(bits or np.random.PCG64(1))

    def __deepcopy__(self, memo: object) -> Doubled:
        return Doubled()

    def normal(self, *arguments: Any, **options: Any) -> Any:
        """Draw and double."""
        return 2 * super().normal(*arguments, **options)

    def choice(self, *arguments: Any, **options: Any) -> Any:
        """Draw and double."""
        plain = np.random.Generator(self.bit_generator)  # NumPy's asks for integers
        return 2 * np.asarray(plain.choice(*arguments, **options))

    def integers(self, *arguments: Any, **options: Any) -> Any:
        """Draw and double."""
        return 2 * np.asarray(super().integers(*arguments, **options))

    def standard_normal(self, *arguments: Any, **options: Any) -> Any:
        """Draw and double, also into an array that is given."""
        drawn = super().standard_normal(*arguments, **options)
        if isinstance(drawn, np.ndarray):
            drawn *= 2
            return drawn
        return 2 * drawn
