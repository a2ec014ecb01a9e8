"""The laboratory of d_k: a widget that holds what is drawn, and asks first.

The rows are drawn and averaged in the browser (`static/rows.js`). NumPy is the
reference: `ScaleLaboratory.averages` computes them again from the same numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from .. import checks
from ..facts import DRAWN, TEXT
from ..random_rows import (
    DIVIDE_BY,
    LEAST_D_K,
    N_KEYS,
    ROWS,
    SEED,
    AverageRow,
    average_rows,
    check_draw,
)
from ..text import table
from . import traits
from .traits import Bool, Checked, Enum, Option
from .twin import is_locked
from .widget import Shared

WORDS = TEXT["laboratory"]
HIDDEN: dict[str, list[str]] = DRAWN["hides"]  # while a question waits
START = ("d_k", "seed")


def _divisors(name: str, given: Any) -> tuple[str, ...]:
    some: tuple[str, ...] = traits.some_of(DIVIDE_BY, len(DIVIDE_BY))(name, given)
    if not some:
        raise checks.unexpected(name, given, "at least one")
    return tuple(divisor for divisor in DIVIDE_BY if divisor in some)


def _start(name: str, given: Any) -> dict[str, int]:
    if not isinstance(given, Mapping) or set(given) != set(START):
        raise checks.unexpected(name, given, f"a dict of {' and '.join(START)}")
    return {key: check_draw(key, given[key]) for key in START}


class ScaleLaboratory(Shared):
    """Random queries, six keys each, and what dividing their scores does to a row.

    Make one with `scale_laboratory`. Every option is a trait: set it at any time and
    the screen follows; read it at any time and it says what the screen shows.

    Parameters
    ----------
    d_k : int
        How long queries and keys are, 2 to 512; a slider moves it in powers of two.
    rows : int
        How many queries ask, 1 to 1000.
    seed : int
        Which random numbers, 0 to 4294967295.
    divisors : tuple of str
        The rows on the screen, any of ``"1"``, ``"sqrt_d_k"``, ``"d_k"``.
    predict, predicted : str or None
        A question to answer first, ``"effective_words"`` or ``"cure"``; the answer.
    large : bool
        Large type, for a projector.
    start : dict
        The `d_k` and `seed` that the button *reset* goes back to.

    Raises
    ------
    ValueError
        For an option that is unknown or does not fit, with its name.

    Examples
    --------
    >>> laboratory = ScaleLaboratory(d_k=512)
    >>> round(laboratory.averages["sqrt_d_k"].effective_words, 1)
    4.4
    """

    d_k = Checked(check_draw, LEAST_D_K)
    rows = Checked(check_draw, ROWS)
    seed = Checked(check_draw, SEED)
    divisors = Checked(_divisors, tuple(DIVIDE_BY))
    predict = Enum(tuple(HIDDEN), None, allow_none=True)
    predicted = Checked(checks.check_text, allow_none=True)
    large = Bool(False)
    start = Checked(_start, {"d_k": LEAST_D_K, "seed": SEED})

    _twin: ClassVar[Any] = sys.modules[__name__]  # the functions below

    def __init__(self, **options: Any) -> None:
        traits.check_known(options, STATE)
        plain = {name: vars(ScaleLaboratory)[name].default_value for name in START}
        start = {name: options.get(name, plain[name]) for name in START}
        super().__init__("laboratory", {"start": start} | options)

    @property
    def averages(self) -> dict[str, AverageRow]:
        """The average row of every divisor, from NumPy; see `average_rows`."""
        return average_rows(self.d_k, rows=self.rows, seed=self.seed)


# What a page needs of a laboratory, and what it takes.
STATE = tuple(
    name for name, trait in vars(ScaleLaboratory).items() if isinstance(trait, Option)
)


def scale_laboratory(**options: Any) -> ScaleLaboratory:
    """Show what growing queries and keys do to attention, and what division mends.

    Parameters
    ----------
    **options
        Any option of `ScaleLaboratory`.

    Returns
    -------
    ScaleLaboratory
        A widget; leave it on the last line of a cell to see it.

    Raises
    ------
    ValueError
        For an option that is unknown or does not fit, with its name.

    Examples
    --------
    >>> scale_laboratory(d_k=64, divisors=["1"]).averages["1"].frozen > 0.2
    True
    """
    return ScaleLaboratory(**options)


# ---- its twin: what stays still ----


def visible(of: ScaleLaboratory) -> tuple[str, ...]:
    """Return the divisors on the screen."""
    hidden = HIDDEN[of.predict] if is_locked(of) else ()
    return tuple(name for name in of.divisors if name not in hidden)


def said(of: ScaleLaboratory, text: str) -> str:
    """Fill in one of the page's texts about the whole laboratory."""
    return text.format(
        rows=of.rows,
        d_k=of.d_k,
        divisors=", ".join(WORDS["ways"][name] for name in visible(of)),
        question=WORDS["asked"].get(of.predict, ""),
    )


def _rows(of: ScaleLaboratory) -> dict[str, AverageRow]:
    """Return the average rows on the screen, by what they are called there."""
    names = visible(of)
    averages = of.averages if names else {}
    return {WORDS["ways"][name]: averages[name] for name in names}


def _question(of: ScaleLaboratory) -> str:
    """Return the question that waits for an answer; empty if none does."""
    return said(of, TEXT["lead"]) if is_locked(of) else ""


def text(of: ScaleLaboratory) -> str:
    """Return the twin: every number on the screen."""
    parts = [said(of, WORDS["twin"]), _question(of)]
    if rows := _rows(of):
        lines = [[*weights, words, frozen] for weights, words, frozen in rows.values()]
        columns = [*WORDS["ranks"], WORDS["effective"], WORDS["frozen"]]
        caption = f"\n{said(of, WORDS['caption'])}"
        parts += [caption, table(lines, list(rows), columns)]
    return "\n".join(filter(None, parts))


def alternative(of: ScaleLaboratory) -> str:
    """Return one sentence for a reader who cannot see the picture."""
    return said(of, WORDS["alt_question" if _question(of) else "alt"])


def png(of: ScaleLaboratory) -> bytes:
    """Draw what is on the screen."""
    from ..heatmap import Picture  # it takes its time
    from ..panel import Panel

    rows = _rows(of)
    caption, blank = said(of, WORDS["caption"]), [""] * len(rows)
    weights = np.array([row.weights for row in rows.values()])
    words = np.array([[row.effective_words] for row in rows.values()])
    frozen = np.array([[row.frozen] for row in rows.values()])
    panels = (
        Panel(caption, weights, list(rows), WORDS["ranks"], scale="weights"),
        Panel(WORDS["effective"], words, blank, [""], scale=float(N_KEYS), decimals=1),
        Panel(WORDS["frozen"], frozen, blank, [""], scale=1.0, decimals=3),
    )
    return Picture(panels, _question(of) or said(of, WORDS["twin"])).png()
