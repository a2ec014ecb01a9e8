"""The JavaScript and the style as the browser gets them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from ..facts import STATIC, TEXT

_IMPORTED = re.compile(r'^import\b[^;]*"(\.[^"]+)";', re.M)
_DROPPED = re.compile(
    r"^import\b[^;]*;.*\n|^ *//.*\n|^ */\*\*(?:[^*]|\*(?!/))*\*/\n|^ +|^\n", re.M
)


def modules(path: Path, seen: set[Path] | None = None) -> Iterator[Path]:
    """Yield all modules that one needs, by its imports, each after those it needs."""
    seen = set() if seen is None else seen
    if path in seen:
        return
    seen.add(path)
    for name in _IMPORTED.findall(path.read_text("utf-8")):
        yield from modules((path.parent / name).resolve(), seen)
    yield path


def packed(path: Path) -> str:
    """Return a module without imports, comment lines and indents."""
    return _DROPPED.sub("", path.read_text("utf-8"))


# anywidget wants one source: all modules in one scope.
SOURCE = "".join(map(packed, modules(STATIC.resolve() / "widget.js")))
LOADER = packed(STATIC / "loader.js").replace("GONE", json.dumps(TEXT["code_gone"]))
STYLE = STATIC.joinpath("explorer.css").read_text("utf-8").replace(
    ".attention-explorer", ":is(.attention-explorer, .scale-laboratory)"
) + STATIC.joinpath("laboratory.css").read_text("utf-8")
