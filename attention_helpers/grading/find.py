"""Find what was handed in: whose it is, and which of it can be run."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .notebook import LARGEST

LEFT_OUT = {"__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini"}
DEEPEST = 6  # folders in folders
MOST = 500  # files of a learner


@dataclass(frozen=True)
class File:
    """A file that was handed in."""

    learner: str
    name: str
    path: Path
    trouble: str = ""  # why it is not run
    digest: str = ""  # of its bytes


def handed_in(folder: Path, leave: Path | None = None) -> list[File]:
    """Return the files of a folder, those of one learner together.

    A learner is a folder in it, or a file. `leave` is no hand-in: the CSV file.
    """
    files = []
    count: Counter[str] = Counter()
    for path in _walk(folder, DEEPEST):
        if leave is not None and path == leave:
            continue
        inside = path.relative_to(folder)
        learner = inside.parts[0] if len(inside.parts) > 1 else inside.stem
        name = "/".join(inside.parts[1:]) or inside.name
        count[learner] += 1
        if count[learner] < MOST:
            files.append(File(learner, name, path, **_looked_at(path)))
        elif count[learner] == MOST:
            trouble = f"not looked at, as are all that follow: {MOST} files are enough"
            files.append(File(learner, name, path, trouble))
    return sorted(files, key=lambda file: (file.learner.casefold(), file.name))


def _walk(folder: Path, deep: int) -> Iterator[Path]:
    """Yield what is in a folder, its folders' contents for those that can be read."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        yield folder
        return
    for entry in found:
        if entry.name.startswith(".") or entry.name in LEFT_OUT:
            continue
        if entry.is_dir(follow_symlinks=False) and deep:
            yield from _walk(Path(entry.path), deep - 1)
        else:
            yield Path(entry.path)


def _looked_at(path: Path) -> dict[str, str]:
    """Look at a file without running anything: its trouble, else its digest."""
    try:
        about = path.lstat()
        if path.suffix != ".ipynb":
            folder = stat.S_ISDIR(about.st_mode)
            what = "a folder that cannot be opened" if folder else "no notebook"
        elif not stat.S_ISREG(about.st_mode):
            link = stat.S_ISLNK(about.st_mode)
            what = "a link to somewhere else" if link else "no plain file"
        elif about.st_size > LARGEST:
            size = f"{about.st_size / 10**6:.0f} MB, more than {LARGEST // 10**6}"
            what = f"too large: {size}"
        else:
            return {"digest": hashlib.sha256(path.read_bytes()).hexdigest()}
    except OSError as error:
        what = f"cannot be opened: {error.strerror or error}"
    return {"trouble": what}


def copies(files: list[File]) -> dict[tuple[str, str], list[str]]:
    """Return which other learners handed in the very same file."""
    owners: dict[str, list[str]] = {}
    for file in files:
        if file.digest:
            owners.setdefault(file.digest, []).append(file.learner)
    return {
        (file.learner, file.name): sorted({*owners[file.digest]} - {file.learner})
        for file in files
        if file.digest
    }
