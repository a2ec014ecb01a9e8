"""An explorer that stays still: its numbers as text, in one sentence, as a picture.

Every function takes an `Explorer` and shows what its page shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..attention import side_by_side
from ..checks import INPUTS, MATRICES, Matrix
from ..facts import FORMS, SHOWN_WHERE, SQUARE, TEXT
from ..text import label, number, table
from . import goals
from .masks import MASKS, Cells

STAGES = tuple(TEXT["stages"])
Words = tuple[str, ...]
QUESTIONS: dict[str, str] = TEXT["questions"]
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def is_locked(of: Any) -> bool:
    """Say whether a question waits for an answer."""
    return of.predict is not None and of.predicted is None


def visible(of: Any) -> tuple[str, ...]:
    """Return the stages on the screen, as `visibleStages` in engine.js has them."""
    wanted = of.stages or default_stages(of)
    shown = [name for name in STAGES if name in wanted and name not in missing(of)]
    computed = [name for name in shown if name not in INPUTS]
    revealed = computed[: 0 if is_locked(of) else of.step]
    return tuple(name for name in shown if name in INPUTS or name in revealed)


def missing(of: Any) -> set[str]:
    """Return the stages for which there are no numbers here."""
    hidden = {name for name in INPUTS if getattr(of, name) is None}
    return hidden | {name for name in STAGES if form(name).get("needs") in hidden}


def default_stages(of: Any) -> set[str]:
    """Return the stages that the matrices and options give, as SHOWN_WHERE says."""
    shows = {
        "matrices": any(getattr(of, name) is not None for name in MATRICES),
        "divide_by": of.divide_by != "1" or "divide_by" in of.controls,
        "mask": MASKS[of.mask].at == "masked_scores" or "mask" in of.controls,
        "named": False,
    }
    hidden = missing(of)
    hidden |= {stage for stage, where in SHOWN_WHERE.items() if not shows[where]}
    if of.heads > 1 and of.query is None:  # there is no room for more
        hidden |= {stage for stage in STAGES if form(stage) is SQUARE} - {"weights"}
    return set(STAGES) - hidden


def form(stage: str) -> dict[str, Any]:
    """Return what the rows and columns of a stage are."""
    return FORMS.get(stage, SQUARE)


def labels(of: Any, stage: str) -> tuple[Words, Words]:
    """Return the row and column names of a stage, as `labels` in engine.js."""
    return names_of(of, form(stage)["rows"]), names_of(of, form(stage)["columns"])


def names_of(of: Any, name: str) -> Words:
    """Return the words, or the column names of an input: given, else q₁, q₂ and so on.

    Where the input is not there, the embeddings stand for what it makes.
    """
    if name == "tokens":
        return tuple(of.tokens)
    if getattr(of, name) is None:
        name = "embeddings"
    numbers = range(1, len(getattr(of, name)[0]) + 1)
    letter = form(name)["letter"]
    generic = tuple(letter + str(k).translate(_SUBSCRIPTS) for k in numbers)
    given: Words = of.columns.get(name, ())
    return given if len(given) == len(generic) else generic


def head_names(of: Any) -> Words:
    """Return what the heads are called: as their one column is, else by number."""
    names: Words = of.columns.get("W_query", ())
    width = 0 if of.W_query is None else len(of.W_query[0])
    if len(names) == width == of.heads:
        return names
    return tuple(TEXT["head"].format(k=k + 1) for k in range(of.heads))


class Part(NamedTuple):
    """One table of the page."""

    stage: str
    title: str
    matrix: Matrix
    rows: Words
    columns: Words
    seen: Cells | None  # which cells are not hidden; None: all are seen


def parts(of: Any) -> Iterator[Part]:
    """Yield every table: one a head of what is about pairs of words, else one."""
    result = of.attention
    for stage in visible(of):
        matrix = np.array(getattr(of if stage in INPUTS else result, stage))
        if form(stage)["columns"] != "tokens":
            matrix = side_by_side(matrix)
        rows, columns = labels(of, stage)
        seen = MASKS[of.mask].visible(stage, len(of.tokens))
        if of.query is not None and form(stage)["asks"]:
            asking = slice(of.query, of.query + 1)
            rows, matrix = rows[asking], matrix[..., asking, :]
            seen = None if seen is None else seen[asking]
        tables = {title(stage): matrix}
        if matrix.ndim == 3:
            tables = {
                TEXT["of_head"].format(stage=title(stage), head=label(head)): one
                for head, one in zip(head_names(of), matrix, strict=True)
            }
        for name, one in tables.items():
            yield Part(stage, name, one, rows, columns, seen)


def heads_said(of: Any) -> list[str]:
    """Say what the heads are called, and which of them are off."""
    if of.heads == 1:
        return []
    names = [label(name) for name in head_names(of)]
    off = [names[head] for head in of.off if head < of.heads]
    said = [TEXT["heads"].format(names=", ".join(names))]
    return said + ([TEXT["heads_off"].format(names=", ".join(off))] if off else [])


def title(stage: str) -> str:
    """Return the heading of a stage."""
    return str(TEXT["stages"][stage])


def said(of: Any, key: str) -> str:
    """Return one of the page's texts about the whole explorer, filled in."""
    words = tuple(map(label, of.tokens))
    places = {"query": words[of.query or 0], "n": len(words), "last": words[-1]}
    places |= {"goal": wishes_said(of), "matrix": title(of.edit[0]) if of.edit else ""}
    places["head"] = label(head_names(of)[-1])
    one_of_many = TEXT["questions_of_head"] if of.heads > 1 else {}
    question = one_of_many.get(of.predict, QUESTIONS.get(of.predict, ""))
    return str(TEXT[key]).format(
        sentence=" ".join(words),
        stages=", ".join(map(title, visible(of))),
        question=question.format(**places),
    )


def text(of: Any) -> str:
    """Return the twin: every number on the screen."""
    head = [said(of, "twin"), *([said(of, "lead")] if is_locked(of) else [])]
    tables = (f"\n{part.title}\n{table(*part[2:])}" for part in parts(of))
    return "\n".join([*head, *heads_said(of), *learning(of), *tables])


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
        TEXT["learning"][f"{wish.kind}_of_head" if many else wish.kind].format(
            row=label(wish.row),
            column=label(wish.column),
            head=label(head_names(of)[wish.head(of.heads)]),
        )
        for wish in goals.wishes(of.goal)
        for many in [of.heads > 1 and wish.kind == "weights"]
    )


def loss_text(x: float) -> str:
    """Write a loss as `lossText` in numbers.js does."""
    return number(x, 6 if x < 0.001 else 4 if x < 100 else 0)


def alternative(of: Any) -> str:
    """Return one sentence for a reader who cannot see the picture."""
    alt = said(of, "alt_question" if is_locked(of) else "alt")
    return " ".join([alt, *heads_said(of), *learning(of)])


def png(of: Any) -> bytes:
    """Draw what is on the screen."""
    from ..heatmap import Picture  # it takes its time
    from ..panel import SCALES, Panel
    from .curve import curve

    def scale(stage: str) -> str:
        last = stage.rpartition("_")[2]  # scores, scaled and masked ones have one end
        names = (name for name in (stage, last) if name in {*SCALES, "scores"})
        return next(names, "signed")

    panels: tuple[Panel, ...] = tuple(
        Panel(
            *part[1:],
            scale=scale(part.stage),
            row_sums=part.stage == "weights",
        )
        for part in parts(of)
    )
    if of.goal is not None and not is_locked(of):
        way = losses(of)
        heading = TEXT["learning"]["loss"].format(loss=loss_text(way[-1]))
        panels = (curve(way, heading, TEXT["learning"]["steps"]), *panels)
    return Picture(panels, said(of, "lead") if is_locked(of) else "").png()
