"""What learners hand in: right solutions, and wrong ones with their mistake.

A module for each chapter, named like its exercises. Every solution is written as a
learner would write it, without this package. The first right solution of an exercise is
the model; `test_exercises.py` also mutates it. A wrong solution stands with words that
the message has to contain.
"""

from importlib import import_module
from pkgutil import iter_modules

from .notes import RIGHT, SAME, WRONG

__all__ = ["RIGHT", "SAME", "WRONG"]

for module in iter_modules(__path__):
    if module.name != "notes":
        import_module(f".{module.name}", __name__)
