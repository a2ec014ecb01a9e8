"""An explorer that stays still: its numbers as text, in one sentence, as a picture.

Every function takes an `Explorer` and shows what its page shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..checks import INPUTS, MATRICES, Matrix
from ..text import label, number, table
from . import goals
from .bundle import TEXT
from .masks import MASKS, Cells

STAGES = tuple(TEXT["stages"])
Words = tuple[str, ...]
QUESTIONS: dict[str, str] = TEXT["questions"]

_COLUMNS_OF = dict(zip(("queries", "keys", "values"), MATRICES, strict=True)) | {
    "context": "W_value"
}
_LETTERS = dict(zip(INPUTS, "xqkv", strict=True))
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def is_locked(of: Any) -> bool:
    """Say whether a question waits for an answer."""
    return of.predict is not None and of.predicted is None


def visible(of: Any) -> tuple[str, ...]:
    """Return the stages on the screen, as `visibleStages` in engine.js has them."""
    wanted = of.stages or default_stages(of)
    shown = [name for name in STAGES if name in wanted]
    computed = [name for name in shown if name not in INPUTS]
    revealed = computed[: 0 if is_locked(of) else of.step]
    return tuple(
        name
        for name in shown
        if (getattr(of, name) is not None if name in INPUTS else name in revealed)
    )


def default_stages(of: Any) -> set[str]:
    """Return the stages that the matrices and options give."""
    hidden = {name for name in INPUTS if getattr(of, name) is None}
    if set(MATRICES) <= hidden:
        hidden |= {"queries", "keys", "values"}
    if of.divide_by == "1" and "divide_by" not in of.controls:
        hidden.add("scaled_scores")
    if MASKS[of.mask].at != "masked_scores" and "mask" not in of.controls:
        hidden.add("masked_scores")
    return set(STAGES) - hidden


def labels(of: Any, stage: str) -> tuple[Words, Words]:
    """Return the row and column names of a stage, as `labels` in engine.js."""
    source = _COLUMNS_OF.get(stage, stage)
    if source not in INPUTS:
        return of.tokens, of.tokens
    rows = columns_of(of, "embeddings") if stage in MATRICES else of.tokens
    here = getattr(of, source) is not None
    return rows, columns_of(of, source if here else "embeddings")


def columns_of(of: Any, name: str) -> Words:
    """Return the column names of an input: those given, else q₁, q₂ and so on."""
    numbers = range(1, len(getattr(of, name)[0]) + 1)
    generic = tuple(_LETTERS[name] + str(k).translate(_SUBSCRIPTS) for k in numbers)
    given: Words = of.columns.get(name, ())
    return given if len(given) == len(generic) else generic


def parts(of: Any) -> Iterator[tuple[str, Matrix, Words, Words, Cells | None]]:
    """Yield (stage, numbers, row names, column names, cells not hidden)."""
    result = of.attention
    for stage in visible(of):
        matrix = np.array(getattr(of if stage in INPUTS else result, stage))
        rows, columns = labels(of, stage)
        seen = MASKS[of.mask].visible(stage, len(of.tokens))
        if of.query is not None and stage not in ("keys", "values", *INPUTS):
            asking = slice(of.query, of.query + 1)
            rows, matrix = rows[asking], matrix[asking]
            seen = None if seen is None else seen[asking]
        yield stage, matrix, rows, columns, seen


def title(stage: str) -> str:
    """Return the heading of a stage."""
    return str(TEXT["stages"][stage])


def said(of: Any, key: str) -> str:
    """Return one of the page's texts about the whole explorer, filled in."""
    words = tuple(map(label, of.tokens))
    places = {"query": words[of.query or 0], "n": len(words), "last": words[-1]}
    places |= {"goal": wishes_said(of), "matrix": title(of.edit[0]) if of.edit else ""}
    return str(TEXT[key]).format(
        sentence=" ".join(words),
        stages=", ".join(map(title, visible(of))),
        question=QUESTIONS.get(of.predict, "").format(**places),
    )


def text(of: Any) -> str:
    """Return the twin: every number on the screen."""
    head = [said(of, "twin"), *([said(of, "lead")] if is_locked(of) else [])]
    tables = (f"\n{title(part[0])}\n{table(*part[1:])}" for part in parts(of))
    return "\n".join([*head, *learning(of), *tables])


def losses(of: Any) -> tuple[float, ...]:
    """Return the losses up to now: those there are, if they end at the loss of now."""
    now = goals.loss(of, of.attention, labels(of, "context")[1])
    ends_here = of.losses and abs(of.losses[-1] - now) <= 1e-9 * now
    return of.losses if ends_here else (now,)


def learning(of: Any) -> list[str]:
    """Say the goal and, where no question waits, the loss."""
    if of.goal is None:
        return []
    words = TEXT["learning"]
    said = [words["goal"].format(wishes=wishes_said(of))]
    if not is_locked(of):
        way = losses(of)
        first, last = loss_text(way[0]), loss_text(way[-1])
        which = "described" if len(way) > 1 else "now"
        said.append(words[which].format(first=first, last=last, n=len(way) - 1))
    return said


def wishes_said(of: Any) -> str:
    """Return all wishes as they are said."""
    return ", ".join(
        TEXT["learning"][kind].format(row=label(row), column=label(column))
        for kind, row, column in goals.wishes(of.goal)
    )


def loss_text(x: float) -> str:
    """Write a loss as `lossText` in numbers.js does."""
    return number(x, 6 if x < 0.001 else 4 if x < 100 else 0)


def alternative(of: Any) -> str:
    """Return one sentence for a reader who cannot see the picture."""
    alt = said(of, "alt_question" if is_locked(of) else "alt")
    return " ".join([alt, *learning(of)])


def png(of: Any) -> bytes:
    """Draw what is on the screen."""
    from ..heatmap import Picture  # it takes its time
    from ..panel import Panel
    from .curve import curve

    scales = {"weights": "weights", "scores": "scores"}
    panels: tuple[Panel, ...] = tuple(
        Panel(
            title(stage),
            matrix,
            rows,
            columns,
            seen,
            scale=scales.get(stage.rpartition("_")[2], "signed"),
            row_sums=stage == "weights",
        )
        for stage, matrix, rows, columns, seen in parts(of)
    )
    if of.goal is not None and not is_locked(of):
        way = losses(of)
        heading = TEXT["learning"]["loss"].format(loss=loss_text(way[-1]))
        panels = (curve(way, heading, TEXT["learning"]["steps"]), *panels)
    return Picture(panels, said(of, "lead") if is_locked(of) else "").png()
