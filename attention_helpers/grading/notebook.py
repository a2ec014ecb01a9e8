"""Read a handed-in file: its cells, which of them check, and what a hand has left."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..exercises.session import EXERCISES
from ..explorer import STATE

LARGEST = 20_000_000  # bytes of a file; ours have 400,000
MOST_CELLS = 2000
VIEW = "application/vnd.jupyter.widget-view+json"
WIDGETS = "application/vnd.jupyter.widget-state+json"


class Unreadable(ValueError):  # noqa: N818
    """A file that is no notebook to be run; the message says why."""


@dataclass(frozen=True)
class Cell:
    """One cell of code."""

    number: int  # as JupyterLab counts when all cells are run: [3]
    source: str
    may_fail: bool  # it teaches an error
    checks: tuple[str, ...]  # the exercises that stand in it, by name
    solves: tuple[str, ...]  # those of folded solutions
    moved: dict[str, Any] | None = field(default=None, repr=False)  # its explorer


def read(path: Path) -> list[Cell]:
    """Return the cells of a notebook, or raise `Unreadable`."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(f"cannot be opened: {error.strerror or error}") from None
    if len(text) > LARGEST:
        raise Unreadable(f"larger than {LARGEST // 10**6} MB")
    if not text.strip():
        raise Unreadable("an empty file")
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        raise Unreadable("broken: no JSON, as a notebook is") from None
    try:
        return _cells(notebook)
    except Unreadable:
        raise
    except Exception:  # anything may stand anywhere
        raise Unreadable("broken: JSON, but not that of a notebook") from None


def _cells(notebook: dict[str, Any]) -> list[Cell]:
    if notebook["nbformat"] != 4:
        raise Unreadable(
            f"a notebook of format {int(notebook['nbformat'])}; save it in JupyterLab"
        )
    metadata = notebook["metadata"]
    spec = metadata.get("kernelspec", {}).get("language")
    language = str(spec or metadata.get("language_info", {}).get("name", "python"))
    if not language.lower().startswith("python"):
        raise Unreadable(f"a notebook in {language[:30]}, not in Python")
    states = metadata.get("widgets", {}).get(WIDGETS, {}).get("state", {})
    cells: list[Cell] = []
    for cell in notebook["cells"]:
        source = cell["source"]
        source = source if isinstance(source, str) else "".join(source)
        if cell["cell_type"] == "code" and source.strip():
            tags = cell.get("metadata", {}).get("tags", [])
            checks, solves = _checked(source)
            cells.append(
                Cell(
                    number=len(cells) + 1,
                    source=source,
                    may_fail="raises-exception" in tags,
                    checks=checks,
                    solves=solves,
                    moved=_moved(cell.get("outputs", []), states),
                )
            )
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"more than {MOST_CELLS} cells of code")
    return cells


def _checked(source: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the exercises that a cell checks, and those that it solves."""
    try:
        tree = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.M))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        named = re.findall(r"""\bcheck\(\s*["']([^"'\n]+)["']""", source)
        return tuple(name for name in named if name in EXERCISES), ()
    checks: list[str] = []
    solves: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="check") | ast.Attribute(attr="check"),
                args=[ast.Constant(value=str(name)), *_],
                keywords=options,
            ) if name in EXERCISES:
                given = {option.arg: option.value for option in options}
                record = given.get("record")
                solution = isinstance(record, ast.Constant) and not record.value
                (solves if solution else checks).append(name)
    return tuple(checks), tuple(solves)


def _moved(outputs: Any, states: Any) -> dict[str, Any] | None:
    """Return the numbers of the explorer below a cell, where they were saved."""
    try:
        for output in outputs:
            if view := output.get("data", {}).get(VIEW):
                state = states[view["model_id"]]["state"]
                found = {name: state[name] for name in STATE if name in state}
                return found if "embeddings" in found else None
    except Exception:  # a stranger's file
        return None
    return None
