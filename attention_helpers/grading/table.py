"""What came of a class: a row a learner, a column an exercise, as text and as CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..exercises.judge.kinds import NOT_ATTEMPTED, NOT_YET, PASSED
from ..exercises.session import CHAPTERS
from ..text import aligned, label
from .find import File, copies
from .run import BROKE, BY_HAND, ENDLESS, MISSING, NOT_REACHED, UNHEARD, Graded

ORDER = (  # of two results, the earlier one counts
    *(PASSED, NOT_YET, BY_HAND, ENDLESS, BROKE, NOT_REACHED, UNHEARD),
    *(NOT_ATTEMPTED, MISSING),
)
MEANS = {
    BY_HAND: "an explorer, saved without its numbers: open the notebook and look",
    ENDLESS: "took too long",
    BROKE: "its cell raised an error",
    NOT_REACHED: "its kernel had ended before",
    UNHEARD: "its cell ran, and did not call the check of this package",
    MISSING: "the notebook has no cell that checks it",
}
FORMULA = tuple("=+-@＝＋－＠")


@dataclass
class Row(Graded):
    """A learner, and what came of all that they handed in."""

    learner: str = ""

    def add(self, file: str, graded: Graded) -> None:
        """Enter what came of one notebook; of two answers the better one counts."""
        if self.results.keys() & graded.results.keys():
            self.notes.append(f"{file}: handed in once more; the better answer counts")
        for name, record in graded.results.items():
            held = self.results.get(name)
            if held is None or ORDER.index(record.status) < ORDER.index(held.status):
                self.results[name] = record
        self.broke += [f"{file} {where}" for where in graded.broke]
        self.notes += [f"{file}: {note}" for note in graded.notes]
        self.seeds |= graded.seeds

    @property
    def passed(self) -> int:
        """How many exercises passed."""
        return sum(record.status == PASSED for record in self.results.values())


def rows_of(files: list[File], graded: dict[File, Graded]) -> list[Row]:
    """Return a row for every learner, in order."""
    rows: dict[str, Row] = {}
    same = copies(files)
    others: Counter[str] = Counter()
    for file in files:
        row = rows.setdefault(file.learner, Row(learner=file.learner))
        if file in graded:
            row.add(file.name, graded[file])
        else:
            others[file.learner] += file.trouble == "no notebook"
            if file.trouble == "no notebook" and others[file.learner] > 3:
                continue  # a learner's whole disk
            row.notes.append(f"{file.name}: {file.trouble}")
        if copied := same.get((file.learner, file.name)):
            few = ", ".join(copied[:3]) + (", ..." if len(copied) > 3 else "")
            row.notes.append(f"{file.name}: the same file as that of {few}")
    for learner, count in others.items():
        if count > 3:
            rows[learner].notes.append(f"{count - 3} more that are no notebook")
    return list(rows.values())


def exercises_of(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Return the exercises of all chapters that somebody handed in, in their order."""
    seen = {name for row in rows for name in row.results}
    return {
        chapter: [exercise.name for exercise in exercises]
        for chapter, exercises in CHAPTERS.items()
        if seen & {exercise.name for exercise in exercises}
    }


def as_text(rows: list[Row]) -> str:
    """Return a table for each chapter, then where notebooks broke, and notes."""
    parts = []
    for chapter, names in exercises_of(rows).items():
        here = [row for row in rows if row.results.keys() & set(names)]
        lines = [[chapter, *names]]
        lines += [[label(row.learner, 30), *_cells(row, names)] for row in here]
        parts.append(aligned(lines))
    told = {record.status for row in rows for record in row.results.values()}
    parts.append("\n".join(f"{name}: {MEANS[name]}" for name in MEANS if name in told))
    for title, said in (("where it broke", "broke"), ("notes", "notes")):
        lines = [[label(row.learner, 30), *_first(getattr(row, said))] for row in rows]
        lines = [line for line in lines if len(line) > 1]
        if lines:
            parts.append("\n  ".join([title, *map(": ".join, lines)]))
    return "\n\n".join(filter(None, parts)) or "Nothing was handed in."


def _cells(row: Row, names: list[str]) -> Iterator[str]:
    for name in names:
        record = row.results.get(name)
        tries = f", {record.tries} tries" if record and record.tries > 1 else ""
        yield record.status + tries if record else ""


def _first(said: list[str], most: int = 5) -> list[str]:
    """Return what is said as one text, or nothing."""
    more = [f"{len(said) - most} more"] if len(said) > most else []
    return ["; ".join(label(one, 160) for one in [*said[:most], *more])] if said else []


def as_csv(rows: list[Row]) -> str:
    """Return it all for a spreadsheet, where no text of a learner's is a formula."""
    names = [name for some in exercises_of(rows).values() for name in some]
    head = ["learner", "passed", *names, *(f"{name}: tries" for name in names)]
    written = io.StringIO()
    writer = csv.writer(written, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow([*head, "where it broke", "notes", "seeds"])
    for row in rows:
        records = [row.results.get(name) for name in names]
        writer.writerow(
            [
                as_words(row.learner),
                row.passed,
                *(record.status if record else "" for record in records),
                *(record.tries if record else "" for record in records),
                *(as_words(*_first(said, 50)) for said in (row.broke, row.notes)),
                " ".join(map(str, sorted(row.seeds))),
            ]
        )
    return written.getvalue()


def as_words(text: str = "") -> str:
    """Return text that a spreadsheet shows as text: never a formula, one line."""
    text = label(text, 5000)
    return "'" + text if text.strip().startswith(FORMULA) else text
