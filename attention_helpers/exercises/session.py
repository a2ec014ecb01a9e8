"""The exercises by name, and what was tried of them in this session."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from ..checks import check_seed, plain_text, shown
from .judge import Exercise
from .judge.kinds import NOT_ATTEMPTED, PASSED, Verdict


def _found() -> dict[str, ModuleType]:
    """Return the module of each notebook: chapter_06_its_name is "its name"."""
    package = import_module(__package__)
    names = {module.name for module in iter_modules(package.__path__)}
    return {
        re.sub(r"^chapter_\d\d_", "", name).replace("_", " "): import_module(
            f".{name}", __package__
        )
        for name in sorted(names - {"judge", "session"})
    }


MODULES = _found()
CHAPTERS: dict[str, tuple[Exercise, ...]] = {
    chapter: module.EXERCISES for chapter, module in MODULES.items()
}
EXERCISES = {exercise.name: exercise for all_ in CHAPTERS.values() for exercise in all_}


@dataclass(frozen=True)
class Text:
    """Text that a notebook shows as it is."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class Result(Text):
    """What `check` says about an answer.

    Attributes
    ----------
    status : str
        "passed", "not yet" or "not attempted yet".
    text : str
        What is shown.
    """

    status: str


@dataclass
class Record:
    """How often an exercise was tried, and how it stands."""

    status: str = NOT_ATTEMPTED
    tries: int = 0

    def add(self, status: str) -> None:
        """Enter one more check; what has passed stays so."""
        if self.status != PASSED and status != NOT_ATTEMPTED:
            self.status = status
            self.tries += 1


_records: dict[str, Record] = {}
_judged: list[str] = []  # what is being checked: an answer may call check itself


@lru_cache(64)
def _variants(chapter: str, seed: int) -> dict[str, Exercise]:
    return {exercise.name: exercise for exercise in MODULES[chapter].variant(seed)}


def exercise_of(name: str, seed: int | None = None) -> Exercise:
    """Return an exercise, with a seed that with other numbers, or say why not."""
    if not isinstance(name, str) or plain_text(name) not in EXERCISES:
        raise ValueError(
            f"there is no exercise {shown(name)};"
            f" expected one of {', '.join(EXERCISES)}"
        )
    exercise = EXERCISES[plain_text(name)]
    if seed is None:
        return exercise
    seed = check_seed(seed)
    varied = [chapter for chapter in CHAPTERS if hasattr(MODULES[chapter], "variant")]
    for chapter in varied:
        if any(exercise is one for one in CHAPTERS[chapter]):
            return _variants(chapter, seed)[exercise.name]
    raise ValueError(
        f"seed is {seed}, but {exercise.name} has the same numbers for everyone;"
        f" expected none, or an exercise of {', '.join(varied)}"
    )


def check(
    name: str, answer: Any, *, record: bool = True, seed: int | None = None
) -> Result:
    """Check an answer to an exercise, and say in words what is not right yet.

    Parameters
    ----------
    name : str
        The exercise, as the chapter names it.
    answer : object
        What the exercise asks for: a number, a table, a function, a class or an
        explorer. ``...`` and None count as not attempted yet.
    record : bool
        False leaves `summary` as it is: for a solution that is not your own.
    seed : int, optional
        Numbers of your own, from 0 to 2**32 - 1, in the exercises of *one word*: those
        of ``examples.variant("bank", seed)``.

    Returns
    -------
    Result
        Shown as text: what was tried, what came, what was expected, and a nudge.

    Raises
    ------
    ValueError
        For a name that no exercise has; the message lists the names there are. For a
        seed where the numbers are everyone's. A mistake in the answer never raises.

    Examples
    --------
    >>> check("dot product", 15, record=False)
    dot product: not yet
    Tried: the dot product of [2, 0, 3] and [4, 5, 1]
    Came: 15
    Expected: one number
    This adds up all six numbers. Multiply the numbers that stand in the same place,
    then add up the products.
    """
    exercise = exercise_of(name, seed)
    if _judged:
        raise RuntimeError("check is called inside the answer that it checks")
    _judged.append(name)
    try:
        name, verdict = exercise.name, exercise.judge(answer)
    finally:
        _judged.clear()
    if record:
        _records.setdefault(name, Record()).add(verdict.status)
    return Result(status=verdict.status, text=_written(name, verdict))


def summary() -> Text:
    """List the exercises of the chapters that were worked on in this session.

    Returns
    -------
    Text
        A table, one line an exercise: passed, not yet or not attempted yet, and the
        number of tries up to the first that passed.

    Examples
    --------
    >>> result = check("table times table", ...)
    >>> summary()
    Exercises of this session
    <BLANKLINE>
    start here: 0 of 2 passed
      dot product                 not attempted yet
      table times table           not attempted yet
    """
    if not _records:
        return Text("No exercise has been checked in this session yet.")
    lines = ["Exercises of this session"]
    for chapter, exercises in CHAPTERS.items():
        records = {one.name: _records.get(one.name, Record()) for one in exercises}
        if _records.keys().isdisjoint(records):
            continue
        passed = sum(record.status == PASSED for record in records.values())
        lines += ["", f"{chapter}: {passed} of {len(records)} passed"]
        for name, record in records.items():
            tries = f"tries {record.tries}" if record.tries else ""
            lines.append(f"  {name:28}{record.status:19}{tries}".rstrip())
    return Text("\n".join(lines))


def _written(name: str, verdict: Verdict) -> str:
    lines = (f"{name}: {verdict.status}", *verdict.lines)
    text = "\n".join(textwrap.fill(line, 82, break_on_hyphens=False) for line in lines)
    return text.encode(errors="backslashreplace").decode()  # no unpaired surrogates
