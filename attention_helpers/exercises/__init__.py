"""Exercises that check themselves, for the five chapters.

>>> from attention_helpers.exercises import check, summary
>>> check("dot product", ...)
dot product: not attempted yet
Put your answer where the ... is and run the cell again.

One module holds one chapter's exercises, as a table: inputs, the right way, and the
wrong ways that are known, each with the sentence that names it.
"""

from .session import check, summary

__all__ = ["check", "summary"]
