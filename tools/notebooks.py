"""Run notebooks and store their outputs, so that running twice gives no diff.

usage: python tools/notebooks.py [--redraw] [NOTEBOOK ...]

Without names it takes every notebook of notebooks/. A stored picture is kept while
the source of its cell and its text twin are unchanged; --redraw draws it again. Drawing
takes most of the time: a notebook is run without it first, and then only where a
picture is new.
"""

import copy
import hashlib
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import (
    CellExecutionError,
    CellTimeoutError,
    DeadKernelError,
)
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent

METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}
CELL_METADATA = {"jp-MarkdownHeadingCollapsed", "jupyter", "slideshow", "tags"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
PICTURE = "image/png"
DRAW_NOTHING = """__import__(
    "attention_helpers.heatmap", fromlist=["Picture"]
).Picture.png = lambda self: b""
"""  # leaves no name behind
FAILURES = (CellExecutionError, CellTimeoutError, DeadKernelError)
Widgets = dict[str, Any]
DRAWN_FROM = "drawn_from"  # in a picture's metadata: a hash of the cell's source


class CellError(Exception):
    """A cell that failed, with its number."""


def main(arguments: list[str]) -> int:
    redraw = "--redraw" in arguments
    names = [Path(name).resolve() for name in arguments if name != "--redraw"]
    return sum([not refresh(path, redraw) for path in names or in_order()])


def in_order() -> list[Path]:
    """Return every notebook, in the order of README's table; what it lacks, last."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| \[[^]]+\]\(notebooks/(\w+\.ipynb)\)", readme, re.M)
    rank = {name: k for k, name in enumerate(table)}
    found = sorted((ROOT / "notebooks").glob("*.ipynb"))
    return sorted(found, key=lambda path: rank.get(path.name, len(rank)))


def refresh(path: Path, redraw: bool) -> bool:
    """Run a notebook and store it; return False, and leave it, where a cell fails."""
    print(f"{path.name:<32}", end="", flush=True)
    start = time.monotonic()
    stored = path.read_text(encoding="utf-8")
    try:
        text = as_stored(executed(path, redraw)[0])
    except CellError as failure:
        print(f"failed\n\n{path.name}, {failure}\n", flush=True)
        return False
    if text != stored:
        path.write_text(text, encoding="utf-8", newline="\n")
    state = "unchanged" if text == stored else "stored"
    print(f"{state:<10}{time.monotonic() - start:5.1f} s", flush=True)
    return True


def executed(path: Path, redraw: bool = False) -> tuple[NotebookNode, Widgets]:
    """Run a notebook in memory; return it, and the state of its widgets by model."""
    before = nbformat.read(path, as_version=4)
    before = nbformat.v4.upgrade(before, 4, before.nbformat_minor)  # cells get ids
    for draw in [True] if redraw else [False, True]:
        after = copy.deepcopy(before)
        widgets = run(after, path.parent, draw)
        normalise(after)
        if not redraw:
            keep_pictures(before, after)
        if not lacks_pictures(after):
            break
    return after, widgets


def run(notebook: NotebookNode, folder: Path, draw: bool) -> Widgets:
    """Run all cells in a fresh kernel; a failure says in which cell.

    Where nothing is drawn, pictures have no pixels, and all else that they have.
    """
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=120,
        record_timing=False,
        store_widget_state=True,  # by the client, not in the notebook
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        if not draw:
            startup = Path(profile, "profile_default", "startup", "draw_nothing.py")
            startup.parent.mkdir(parents=True)
            startup.write_text(DRAW_NOTHING, encoding="utf-8")
        settings = {"ATTENTION_HELPERS_PNG": "1", "IPYTHONDIR": profile}
        with client.setup_kernel(env=os.environ | settings):
            for index, cell in enumerate(notebook.cells):
                try:
                    client.execute_cell(cell, index)
                except FAILURES as error:
                    raise CellError(f"cell {index + 1}:\n{error}") from None
    return dict(client.widget_state)


def normalise(notebook: NotebookNode) -> None:
    """Drop what differs from run to run, machine to machine, editor to editor."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        kept = {key: cell.metadata[key] for key in CELL_METADATA & set(cell.metadata)}
        cell.metadata = nbformat.from_dict(kept)
        for output in cell.get("outputs", []):
            normalise_output(output, cell.source)


def normalise_output(output: NotebookNode, source: str) -> None:
    if output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]  # no paths
    data = output.get("data", {})
    if PICTURE in data:
        digest = hashlib.sha256(source.encode()).hexdigest()[:12]
        output.metadata[DRAWN_FROM] = digest


def as_stored(notebook: NotebookNode) -> str:
    """Return the text of its file: without widgets, which end with their kernel."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(WIDGET_VIEW, None)
    return nbformat.writes(notebook) + "\n"


def keep_pictures(before: NotebookNode, after: NotebookNode) -> None:
    """Take the stored picture over where source and twin are the same."""
    stored = {cell.id: cell.get("outputs", []) for cell in before.cells}
    for cell in after.cells:
        for old, new in zip(stored[cell.id], cell.get("outputs", []), strict=False):
            if described(old) and described(old) == described(new):
                new.data[PICTURE] = old.data[PICTURE]


def lacks_pictures(notebook: NotebookNode) -> bool:
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    return any(output.get("data", {}).get(PICTURE) == "" for output in outputs)


def described(output: NotebookNode) -> tuple[object, object] | None:
    """Return what a picture shows: its cell's hash and its twin; None if no picture."""
    data = output.get("data", {})
    if PICTURE not in data:
        return None
    aside = (PICTURE, WIDGET_VIEW)
    twin = {kind: value for kind, value in data.items() if kind not in aside}
    return output.metadata.get(DRAWN_FROM), twin


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
