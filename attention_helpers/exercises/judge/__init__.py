"""How an answer is run, compared with the right one, and its mistake named."""

from .function import Function
from .goal import Goal
from .kinds import FIVE, SIX, Blank, Case, Judged, Note, Wrong, draw

__all__ = ["FIVE", "SIX", "Blank", "Case", "Exercise", "Function", "Goal", "Judged"]
__all__ += ["Note", "Wrong", "draw"]

Exercise = Blank | Function | Goal | Judged
