"""A box for words: what is typed is shown, or a sentence says what to do."""

from __future__ import annotations

from typing import Any

from ipywidgets import Label, Text, VBox

from ..examples import Example
from .traits import MOST_TOKENS
from .widget import Explorer

EMPTY = "Type some words, then press Enter."
ONE = "A word alone gives everything to itself. Try two."
MANY = "These are {count} words; an explorer shows at most {most}. Leave some out."
UNSEEN = "One of these words is too long, or cannot be seen. Leave it out."
UNFIT = "This explorer cannot show them: {error}."
SHOWN = "{count} words, with numbers drawn at random."


def word_box(explorer: Explorer, *, seed: int = 0) -> VBox:
    """Make a box for typing words that an explorer then shows.

    The numbers are those of `Example.from_text`. What cannot be shown leaves the
    explorer as it is, and a line under the box says what to do.

    Parameters
    ----------
    explorer : Explorer
        Shows the words; its menus offer them.
    seed : int
        Start of the random draws, 0 to 2**32 - 1.

    Returns
    -------
    VBox
        The box and the line under it; leave it on the last line of a cell to see it.

    Raises
    ------
    ValueError
        For a seed that is no whole number in range.

    Examples
    --------
    >>> explorer = Explorer("queen")
    >>> box, line = word_box(explorer).children
    >>> box.value = "to be or not to be"
    >>> explorer.tokens
    ('to', 'be', 'or', 'not', 'to (2)', 'be (2)')
    """
    Example.from_text("word", seed=seed)  # a wrong seed is told now
    box = Text(placeholder="your words", continuous_update=False)
    line = Label(EMPTY)

    def show(_: Any) -> None:
        line.value = _shown(explorer, box.value, seed)

    box.observe(show, "value")
    return VBox([box, line])


def _shown(explorer: Explorer, text: str, seed: int) -> str:
    """Let the explorer show a text; return what there is to say about it."""
    count = len(text.split())
    if count == 0:
        return EMPTY
    if count > MOST_TOKENS:
        return MANY.format(count=count, most=MOST_TOKENS)
    try:
        example = Example.from_text(text, seed=seed)
    except ValueError:
        return UNSEEN
    try:
        explorer.load(example)
    except ValueError as error:
        return UNFIT.format(error=error)
    return ONE if count == 1 else SHOWN.format(count=count)
