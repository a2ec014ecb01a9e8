"""What the tests of the notebooks share: outputs, prose, explorers, exercises."""

import json
import re
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
from drive import OnScreen
from live import ALIVE
from places import FACTS, NOTEBOOKS
from playwright.sync_api import Locator, Page, expect

from notebooks import in_order

NAMES = [path.name for path in in_order()]
CHAPTERS = [name for name in NAMES if re.match(r"\d\d_", name)]
WORKED = json.loads((FACTS / "worked_examples.json").read_text(encoding="utf-8"))


@cache
def cells(name: str) -> list[nbformat.NotebookNode]:
    return nbformat.read(NOTEBOOKS / name, as_version=4).cells


def title(name: str) -> str:
    return cells(name)[0].source.splitlines()[0].removeprefix("# ")


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


def outputs(name: str) -> list[list[float]]:
    """Return the numbers of each stored output, in order."""
    stored = [output for cell in cells(name) for output in cell.get("outputs", [])]
    texts = [output.get("text") or output.data["text/plain"] for output in stored]
    return [numbers(text) for text in texts]


def is_printed(name: str, printed: object) -> bool:
    """Whether an output holds just these numbers, one after the other."""
    wanted = np.ravel(printed).tolist()
    return any(
        found[start : start + len(wanted)] == wanted
        for found in outputs(name)
        for start in range(len(found))
    )


def prose_numbers(name: str) -> list[str]:
    """Return the numbers that a chapter states, without code, formulas, chapters."""
    prose = "\n".join(cell.source for cell in cells(name) if cell.cell_type != "code")
    aside = (
        r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$.*?\$|\]\([^)]*\)|[Cc]hapter \d|\d+ minutes"
    )
    prose = re.sub(aside, "", prose, flags=re.S)
    return re.findall(r"[-−]?\d+(?:\.\d+)?", prose)


def unshown(name: str) -> list[str]:
    """Return the numbers in prose that no stored output shows, rounded or not."""
    shown = np.array([x for found in outputs(name) for x in found])
    missing = []
    for text in prose_numbers(name):
        decimals = len(text.partition(".")[2])
        if not (abs(shown - numbers(text)[0]) <= 0.5000001 * 10**-decimals).any():
            missing.append(text)
    return missing


def on_page(page: Page, site: Path, name: str) -> None:
    """Open the page of a notebook, and wait until all of it is alive."""
    page.goto((site / name).with_suffix(".html").as_uri())
    page.wait_for_function(ALIVE)


def explorer(page: Page, nth: int) -> OnScreen:
    """Return one of the notebook's explorers, once it stands still in view."""
    root = page.locator(".attention-explorer").nth(nth)
    root.scroll_into_view_if_needed()
    return OnScreen(root)


def unfold(page: Page, heading: str) -> None:
    """Open a section *More: …*, which JupyterLab and the pages show folded."""
    more = page.locator(".jp-MarkdownCell, summary", has_text=f"More: {heading}")
    more.scroll_into_view_if_needed()
    button = more.locator(".jp-showHiddenCellsButton")
    (button if button.count() else more).click()


def drag(screen: OnScreen, stage: str, row: int, col: int, pixels: int) -> None:
    """Move a number one step a pixel, to a few of them."""
    cell = screen.cell(stage, row, col)
    cell.scroll_into_view_if_needed()
    box = None
    while box != (box := cell.bounding_box()):  # JupyterLab goes on scrolling
        screen.page.wait_for_timeout(100)
    screen.drag(stage, row, col, pixels // 3, 2 * pixels // 3, pixels)


def matrix(screen: OnScreen, stage: str) -> np.ndarray:
    """Return all numbers of a stage as the page has them."""
    found = screen.numbers()[stage]
    rows, columns = ({place[axis] for place in found} for axis in (0, 1))
    return np.array(list(found.values())).reshape(len(rows), len(columns))


def answer(screen: OnScreen, choice: str) -> Locator:
    """Commit to a choice; return what the explorer says to it."""
    screen.root.locator(f'[data-choice="{choice}"]').check()
    screen.action("commit").click()
    expect(screen.root).to_have_attribute("data-locked", "false")
    return screen.root.locator("[data-part=verdict]")
