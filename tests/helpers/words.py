"""The texts of the explorer, read from the file of its words."""

import json
from typing import Any

from places import PACKAGE


def read_words() -> dict[str, Any]:
    """Return TEXT of words/en.js, which is strict JSON."""
    source = (PACKAGE / "static" / "words" / "en.js").read_text(encoding="utf-8")
    start = source.index("{", source.index("export const TEXT = "))
    return json.JSONDecoder().raw_decode(source, start)[0]


TEXT = read_words()
