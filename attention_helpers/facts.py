"""What the page has to know as well, read from the JavaScript that says it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"


def exported(module: str, name: str) -> Any:
    """Return what a module exports under a name, where that is strict JSON."""
    text = STATIC.joinpath(module).read_text("utf-8")
    _, _, value = text.partition(f"export const {name} = ")
    return json.JSONDecoder().raw_decode(value)[0]


LIMITS: dict[str, int] = exported("facts.js", "LIMITS")
FORMS: dict[str, dict[str, Any]] = exported("facts.js", "FORMS")
SQUARE: dict[str, Any] = exported("facts.js", "SQUARE")
SHOWN_WHERE: dict[str, str] = exported("facts.js", "SHOWN_WHERE")
LEARNED: tuple[str, ...] = tuple(exported("facts.js", "LEARNED"))
LINK: dict[str, Any] = exported("facts.js", "LINK")
CURVE: dict[str, int] = exported("facts.js", "CURVE")
DRAWN: dict[str, Any] = exported("facts.js", "DRAWN")
SITE: str = exported("site.js", "SITE")  # where the pages are published
TEXT: dict[str, Any] = exported("words/en.js", "TEXT")
