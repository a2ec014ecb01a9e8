"""The losses of a way as a curve, for the picture that stays still."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..facts import CURVE
from ..panel import GREY, INK, Panel, Size, font, length

LINE = "#08665b"


class Curve(Panel):
    """Losses in the place of a matrix: one row, and a step a column."""

    @property
    def heading(self) -> str:
        """What is printed over it."""
        return self.title

    def size(self) -> Size:
        """Take as much room as the page does."""
        title = math.ceil(length(self.heading, 13, bold=True))
        return Size(34, 36, 200, 92, max(250, title), 116)

    def draw(self, ax: Any, end: float) -> None:
        """Draw the line; what jumps off the scale is drawn as an arrow at its end."""
        losses = self.cells[0]
        steps = np.arange(len(losses))
        long = _tidy(max(10, len(losses) - 1))
        off = losses > end
        ax.plot(steps, np.minimum(losses, 1.06 * end), color=LINE, linewidth=2)
        few = len(losses) <= CURVE["dots"]
        seen = ~off if few else ~off & (steps == steps[-1])
        dots = {"color": LINE, "linestyle": "", "clip_on": False}
        ax.plot(steps[seen], losses[seen], marker="o", markersize=5, **dots)
        ax.plot(steps[off], [1.06 * end] * off.sum(), marker="^", markersize=7, **dots)
        small = font(12, GREY)
        ax.set(xlim=(0, long), ylim=(0, 1.1 * end))
        ax.set_yticks([0, end], ["0", f"{end:g}"], **small)
        ax.set_xticks([0, long], ["0", str(self.columns[0]).format(n=long)], **small)
        ax.tick_params(length=0)
        ax.spines[["top", "right"]].set_visible(False)
        begin = {"x": -34 / 200, "y": 1, "pad": 24}
        ax.set_title(self.heading, loc="left", **begin, **font(13, INK, bold=True))


def curve(losses: tuple[float, ...], heading: str, steps: str) -> Curve:
    """Make the panel; `steps` names the end of the axis, with a place for {n}."""
    most = CURVE["jump"] * max(losses[0], 0.5)
    end = float(_tidy(max([0.1, *(x for x in losses if x <= most)])))
    return Curve(heading, np.array([losses]), [""], [steps] * len(losses), scale=end)


def _tidy(x: float) -> float:
    """Return the smallest of 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, ... that is >= x."""
    power = 10.0 ** math.floor(math.log10(x))
    step = next(step for step in (1, 2, 3, 5, 10) if step * power >= x * (1 - 1e-9))
    return step * power if step * power < 1 else round(step * power)
