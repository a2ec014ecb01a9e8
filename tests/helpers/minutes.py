"""How long a notebook takes: the rule of CONTRIBUTING, *How long a chapter takes*."""

import re

from chapter import cells
from nbformat import NotebookNode

WORDS = 200  # of prose, read in a minute
MINUTES = {"exercise": 4, "explorer": 3, "code": 0.75}  # each
CALLS = {"exercise": r"^check\(", "explorer": r"\b(explore|scale_laboratory)\("}


def first_reading(name: str) -> list[NotebookNode]:
    """Return the cells but for folded solutions and sections named *More: …*."""
    read, folded = [], 0
    for cell in cells(name):
        heading = re.match(r"(#+) (More: )?", cell.source)
        if heading and cell.cell_type == "markdown":
            level = len(heading[1])
            if not folded or level <= folded:
                folded = level if heading[2] else 0
        if not folded and not cell.metadata.get("jupyter", {}).get("source_hidden"):
            read.append(cell)
    return read


def words(text: str) -> int:
    """Count words, without what is folded, formulas and where links lead."""
    aside = r"<details>.*?</details>|\$\$.*?\$\$|\]\([^)]*\)"
    return len(re.findall(r"\w[\w'’]*", re.sub(aside, "", text, flags=re.S)))


def minutes(name: str) -> float:
    """Return how many minutes a notebook takes whoever reads it for the first time."""
    total = 0.0
    for cell in first_reading(name):
        if cell.cell_type == "markdown":
            total += words(cell.source) / WORDS
        else:
            found = (
                k for k, call in CALLS.items() if re.search(call, cell.source, re.M)
            )
            total += MINUTES[next(found, "code")]
    return total
