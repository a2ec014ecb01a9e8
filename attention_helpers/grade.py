"""Grade the notebooks of a folder: a row a learner, a column an exercise.

A learner is a folder in FOLDER, or a notebook in it. Every notebook is run again, in a
kernel of its own, and its answers are judged anew; nothing that is stored in it counts,
but for the numbers of an explorer that a hand has moved.

It runs strangers' code. Where bubblewrap is installed (Linux), each kernel is shut in a
box; elsewhere nothing is run unless --unboxed is given.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from .grading import box
from .grading.find import File, handed_in
from .grading.run import Graded, grade
from .grading.table import as_csv, as_text, rows_of
from .text import label

SECONDS = 30.0
Run = Callable[[Path], Graded]


def main(arguments: list[str] | None = None) -> int:
    """Grade a folder as the command line says; return 0, or 2 for what cannot be."""
    given = _parser().parse_args(arguments)
    try:
        _check(given)
        files = handed_in(given.folder, given.csv)
        run = partial(one, seconds=given.timeout, boxed=not given.unboxed)
        rows = rows_of(files, graded_files(files, run, given.jobs))
        if given.csv:
            given.csv.write_text(as_csv(rows), "utf-8-sig", newline="")
    except (OSError, ValueError) as error:
        print(f"grade: {error}", file=sys.stderr)
        return 2
    print(
        as_text(rows).encode(sys.stdout.encoding, "replace").decode(sys.stdout.encoding)
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m attention_helpers.grade",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write a table, too")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="so many notebooks at a time"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=SECONDS,
        metavar="S",
        help=f"seconds for a cell ({SECONDS:g}); a notebook gets ten times that",
    )
    parser.add_argument(
        "--unboxed", action="store_true", help="run strangers' code with your rights"
    )
    return parser


def _check(given: argparse.Namespace) -> None:
    """Refuse what cannot be done before anything is run."""
    if not given.folder.is_dir():
        raise ValueError(f"FOLDER is {given.folder}; expected a folder")
    if given.jobs < 1:
        raise ValueError(f"--jobs is {given.jobs}; expected 1 or more")
    if not (math.isfinite(given.timeout) and given.timeout > 0):
        raise ValueError(f"--timeout is {given.timeout:g}; expected seconds above 0")
    given.folder = given.folder.resolve()
    if given.csv:
        given.csv = given.csv.resolve()
        given.csv.open("a").close()  # an hour later would be late
    if given.unboxed:
        print("grade: without a box, as asked for", file=sys.stderr)
    elif box.trouble():
        raise ValueError(box.MISSING.format(why=box.trouble()))


def graded_files(files: list[File], run: Run, jobs: int) -> dict[File, Graded]:
    """Run what is a notebook, some at a time, and show how far it is."""
    files = [file for file in files if not file.trouble]
    graded: dict[File, Graded] = {}
    for file, came in _each(files, run, jobs):
        graded[file] = came
        _show(len(graded), len(files), file)
    return graded


def _each(files: list[File], run: Run, jobs: int) -> Iterator[tuple[File, Graded]]:
    if jobs == 1:
        for file in files:
            yield file, run(file.path)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        runs = {pool.submit(run, file.path): file for file in files}
        for ended in as_completed(runs):
            error = ended.exception()
            yield runs[ended], ended.result() if error is None else _failed(error)


def one(path: Path, seconds: float, boxed: bool) -> Graded:
    """Grade one notebook; what fails is a note."""
    try:
        return grade(path, seconds, boxed=boxed)
    except Exception as error:
        return _failed(error)


def _failed(error: BaseException) -> Graded:
    return Graded(notes=[f"could not be graded: {type(error).__name__}: {error}"])


def _show(done: int, of: int, file: File) -> None:
    """Show a progress bar on a terminal, a line elsewhere."""
    said = f"{done}/{of} {label(file.learner, 30)}"
    if not sys.stderr.isatty():
        print(f"grade: {said}", file=sys.stderr, flush=True)
        return
    width = 24
    bar = "#" * (width * done // of)
    end = "\n" if done == of else ""
    line = f"\r[{bar:.<{width}}] {said}"
    print(f"{line:<70}", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
