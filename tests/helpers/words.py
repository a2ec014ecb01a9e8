"""The texts of the explorer, read from the file of its words."""

import json
import re
from typing import Any

from places import PACKAGE


def read_words() -> dict[str, Any]:
    """Return TEXT of words/en.js, which is strict JSON."""
    source = (PACKAGE / "static" / "words" / "en.js").read_text(encoding="utf-8")
    start = source.index("{", source.index("export const TEXT = "))
    return json.JSONDecoder().raw_decode(source, start)[0]


TEXT = read_words()


def like(text: str, **known: object) -> re.Pattern[str]:
    """Return what a text matches in whose places these stand, and anything in others.

    What stands there is found under the name of its place, in any language.
    """
    parts = re.split(r"{(\w+)}", text)
    for k in range(1, len(parts), 2):
        name = parts[k]
        place = f"(?P={name})" if name in parts[1:k:2] else f"(?P<{name}>.*)"
        parts[k] = re.escape(str(known[name])) if name in known else place
    parts[::2] = map(re.escape, parts[::2])
    return re.compile("".join(parts), re.S)


def on_page_like(text: str, **known: object) -> re.Pattern[str]:
    """Return the same for Playwright: JavaScript does not know Python's names."""
    return re.compile(re.sub(r"\(\?P<\w+>", "(", like(text, **known).pattern), re.S)


def share_of(row: str, column: str) -> re.Pattern[str]:
    """Return what the sentence of an attention weight matches."""
    return like(TEXT["say"]["share"], row=row, column=column)


def percents(x: float) -> str:
    return TEXT["numbers"]["percent"].format(x=x)


def judged(kind: str, result: str, said: str = "") -> str:
    """Return how a verdict begins; what follows says why."""
    return TEXT["verdicts"][kind].format(said=said, result=result, why="").rstrip()


def largest(words: str, percent: float) -> str:
    """Return the answer to the question which word gets the largest share."""
    return TEXT["answers"]["largest"].format(words=words, share=percents(percent))
