"""What holds for every notebook, found by glob: a new one needs no line here."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pytest
from chapter import CHAPTERS, NAMES, cells, prose_numbers, unshown
from drive import assert_numpy, show
from minutes import first_reading, minutes, words
from places import ROOT
from playwright.sync_api import Page
from site_pages import explorers

import attention_helpers
from attention_helpers import Descent
from attention_helpers.exercises import session

EXPLORES = [
    name for name in NAMES if any("explore(" in cell.source for cell in cells(name))
]
ASKS = [name for name in NAMES if any("check(" in cell.source for cell in cells(name))]


# ---- explorers ----


def test_most_notebooks_have_an_explorer() -> None:
    assert {*CHAPTERS, "lesson.ipynb", "playground.ipynb"} <= set(EXPLORES)


@pytest.mark.parametrize("name", EXPLORES)
def test_every_explorer_is_alive_and_shows_numpys_numbers(
    name: str, page: Page, site: Path
) -> None:
    moved = 0
    for explorer in explorers(site, name):
        screen = show(page, explorer)
        if screen.root.get_attribute("data-locked") == "true":
            screen.action("skip").click()
        assert_numpy(screen, explorer)
        sliders = screen.root.locator("td input[type=range]")
        if sliders.count():
            slider = sliders.first
            most = slider.get_attribute("max") == slider.input_value()
            slider.press("ArrowLeft" if most else "ArrowRight")
            assert_numpy(screen, explorer)
            assert explorer.changes
            moved += 1
    assert moved


# ---- prose ----


@pytest.mark.parametrize("name", CHAPTERS[1:])  # the start page's: test_start_here.py
def test_every_number_in_the_prose_of_a_chapter_is_shown(name: str) -> None:
    assert unshown(name) == [], "no stored output shows these"


def test_numbers_in_prose_are_found() -> None:
    assert {"0.26", "5"} <= {*prose_numbers("02_all_words.ipynb")}


# ---- exercises ----


def checks(name: str) -> list[tuple[nbformat.NotebookNode, str, str, bool]]:
    """Return what each check of a notebook is given: cell, exercise, answer, own."""
    found = []
    for cell in cells(name):
        if cell.cell_type == "code":
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "check":
                    exercise, answer = node.args
                    own = not node.keywords
                    found.append((cell, exercise.value, ast.unparse(answer), own))
    return found


def said(cell: nbformat.NotebookNode) -> str:
    (output,) = cell.outputs
    return output.data["text/plain"].splitlines()[0]


@pytest.mark.parametrize("name", ASKS)
def test_a_chapter_asks_its_own_exercises_in_their_order(name: str) -> None:
    chapter = re.sub(r"(?:\d\d_)?(\w+)\.ipynb", r"\1", name).replace("_", " ")
    asked = [exercise for _, exercise, _, own in checks(name) if own]
    assert asked == [exercise.name for exercise in session.CHAPTERS[chapter]]


def test_every_exercise_is_asked() -> None:
    assert {exercise for name in ASKS for _, exercise, *_ in checks(name)} == set(
        session.EXERCISES
    )


@pytest.mark.parametrize("name", ASKS)
def test_every_exercise_waits_and_its_folded_solution_passes(name: str) -> None:
    solved = {}
    for cell, exercise, _, own in checks(name):
        if own:
            assert said(cell) == f"{exercise}: not attempted yet"
        else:
            assert said(cell) == f"{exercise}: passed"
            assert cell.metadata.jupyter == {
                "source_hidden": True,
                "outputs_hidden": True,
            }
            solved[exercise] = cell
    assert list(solved) == [exercise for _, exercise, _, own in checks(name) if own]


@pytest.mark.parametrize("name", ASKS)
def test_an_exercise_is_called_as_its_notebook_calls_it(name: str) -> None:
    for _, exercise, answer, own in checks(name):
        call = getattr(session.EXERCISES[exercise], "call", "")
        if own and call:
            assert call.startswith(f"{answer}(")


# ---- minutes ----


def promised(name: str) -> tuple[int, str]:
    """Return the minutes that a chapter promises, and what README's table says."""
    need = r"^\*\*What you'll need\*\*: .*About (\d+) minutes"
    (said,) = re.findall(need, cells(name)[0].source, re.M)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\|.*\(notebooks/{name}\).*\| (.+) \|$", readme, re.M)
    return int(said), row


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_takes_the_minutes_that_it_promises(name: str) -> None:
    """By the rule of CONTRIBUTING, within a fifth."""
    said, in_readme = promised(name)
    assert in_readme == str(said)
    assert said == pytest.approx(minutes(name), rel=0.2), f"{minutes(name):.0f}"
    assert round(minutes(name)) <= 45, "fold a section as *More: …*, or move it"


def test_the_rule_counts_what_a_first_reader_does() -> None:
    """A folded section and a folded solution cost nothing; a formula is no prose."""
    assert words("Two *words*, [a link](to/a/page.md): six.") == 5
    assert words("One.\n\n<details><summary>Hint</summary>No.</details>") == 1
    assert words("$$a b$$ and one") == 2
    read = [cell.source for cell in first_reading("01_one_word.ipynb")]
    assert any(source.startswith("## Exercises") for source in read)
    assert any(source.startswith("## In one picture") for source in read)
    assert not any("my_softmax" in source or "More: " in source for source in read)
    assert not any("solution_a" in source for source in read)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_section_to_skip_is_folded_and_every_chapter_has_the_terms(name: str) -> None:
    for cell in cells(name):
        more = re.match(r"#+ More: .+", cell.source)
        assert bool(cell.metadata.get("jp-MarkdownHeadingCollapsed")) == bool(more)
        assert not more or cell.source == more[0], "the rest would not be folded"
    assert any("(glossary.md)" in cell.source for cell in cells(name))


@pytest.mark.parametrize("name", CHAPTERS)
def test_nothing_needs_a_name_from_a_folded_section(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader who skips them runs the rest, cell by cell."""
    monkeypatch.setattr(session, "_records", {})
    descend = attention_helpers.descend

    def begun(*inputs: object, steps: int, **options: object) -> Descent:
        """Take one step of all: here nobody looks at what is learned."""
        way = descend(*inputs, steps=min(steps, 1), **options)
        return replace(way, losses=np.resize(way.losses, steps + 1))

    monkeypatch.setattr(attention_helpers, "descend", begun)
    namespace: dict[str, object] = {}
    with np.printoptions():
        for cell in first_reading(name):
            raises = "raises-exception" in cell.metadata.get("tags", [])
            if cell.cell_type == "code" and not raises:
                exec(cell.source, namespace)
