"""Exercises that check themselves.

>>> from attention_helpers.exercises import check, summary
>>> check("dot product", ...)
dot product: not attempted yet
Put your answer where the ... is and run the cell again.

`chapter_06_its_name.py` holds the exercises of `notebooks/06_its_name.ipynb` in a tuple
`EXERCISES`: inputs, the right way, and the wrong ways that are known, each with the
sentence that names it. `judge` tries them on an answer. The exercises of a notebook
that is no chapter stand in a file with its name.
"""

from .session import check, summary

__all__ = ["check", "summary"]
