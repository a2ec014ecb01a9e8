"""A chapter, an exercise, an example, a scale, a page: made in a copy, seen to work.

They are made as CONTRIBUTING says, and no test and no tool has a list that must be
edited as well. Mask styles, stages, questions, controls and options are made in
test_entries.py, in Python, and in tests/browser/test_tables.py, in JavaScript.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from places import ROOT

FOLDERS = ("tools/quick", "tests/helpers", "tests/unit")


class Copy:
    """A copy of the repository, and Python to run in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        names = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(names, cwd=ROOT, capture_output=True, check=True).stdout
        for name in filter(None, listed.decode().split("\0")):
            if (ROOT / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, root / name)

    def write(self, path: str, text: str) -> None:
        assert not (self.root / path).exists()
        (self.root / path).write_text(text, encoding="utf-8")

    def insert(self, path: str, after: str, text: str) -> None:
        """Put text behind the first line that begins so."""
        lines = (self.root / path).read_text(encoding="utf-8").splitlines(True)
        place = next(k for k, line in enumerate(lines) if line.startswith(after))
        lines.insert(place + 1, text)
        (self.root / path).write_text("".join(lines), encoding="utf-8")

    def lead(self, notebook: str, link: str) -> None:
        """Put a link at the end of a notebook."""
        pages = nbformat.read(self.root / notebook, as_version=4)
        pages.cells.append(new_markdown_cell(link))
        nbformat.write(pages, self.root / notebook)

    @contextmanager
    def alone(self, notebook: str) -> Iterator[None]:
        """Take all other notebooks away for a while."""
        folder, aside = self.root / "notebooks", self.root / "aside"
        folder.rename(aside)
        folder.mkdir()
        for path in (aside / Path(notebook).name, *aside.glob("*.md")):
            shutil.copy(path, folder)
        yield
        shutil.copytree(folder, aside, dirs_exist_ok=True)
        shutil.rmtree(folder)
        aside.rename(folder)

    def python(self, *arguments: str) -> str:
        """Run Python in the copy, on the package of the copy; return what it says.

        It is no worker of the pytest around it, whose site would not be its own.
        """
        own = [name for name in os.environ if not name.startswith("PYTEST_XDIST_")]
        folders = [self.root, *(self.root / path for path in FOLDERS)]
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env={name: os.environ[name] for name in own}
            | {"PYTHONPATH": os.pathsep.join(map(str, folders))},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def tests(self, *paths: str, only: str) -> str:
        """Run these; what is made once for all tests stands in `run` then."""
        return self.python("-m", "pytest", "-v", "--basetemp=run", "-k", only, *paths)


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


# ---- a chapter: its notebook, its exercises, its row in README ----

CHAPTER = [
    new_markdown_cell(
        "# Two words\n\n"
        "**What you'll need**: [the terms](glossary.md). About 8 minutes.\n\n"
        "**The question**: how do 2 words share?"
    ),
    new_code_cell(
        "from attention_helpers import Example, explore\n"
        "from attention_helpers.exercises import check"
    ),
    new_code_cell('explore(Example(["one", "two"], [[1, 0], [0, 2]]))'),
    new_code_cell(
        "def mean(rows):\n    return ...\n\n\n" + 'check("halfway", mean)',
        metadata={"tags": ["definition"]},
    ),
    new_code_cell(
        'check("halfway", lambda rows: sum(rows) / len(rows), record=False)',
        metadata={"jupyter": {"source_hidden": True, "outputs_hidden": True}},
    ),
]
EXERCISES = '''"""Chapter 9: two words."""

from .judge import Case, Function, Wrong, draw

EXERCISES = (
    Function(
        name="halfway",
        call="mean(rows)",
        returns="one row",
        right=lambda rows: rows.mean(axis=0),
        cases=(Case({"rows": draw(1, 2, 3)}), Case({"rows": draw(2, 4, 5)})),
        nudge="Add up the rows and divide by how many they are.",
        wrong=(Wrong(lambda rows: rows.sum(axis=0), "This is the sum."),),
    ),
)
'''
CLEAN = """
import test_repository
test_repository.test_the_notebooks_are_clean()
test_repository.test_the_readme_lists_every_notebook()
test_repository.test_every_chapter_is_led_to()
"""
SOLUTIONS = '''"""Answers to the exercises of chapter 9."""

from .notes import right, wrong


@right("halfway")
def _(rows):
    total = 0
    for row in rows:
        total = total + row
    return total / len(rows)


@right("halfway")
def _(rows):
    return rows.mean(axis=0)


@right("halfway")
def _(rows):
    return sum(rows) / len(rows)


@wrong("halfway", "This is the sum")
def _(rows):
    return sum(rows)
'''


# ---- and a page of no notebook: its template ----

HOST = """<!doctype html><html lang="en"><head><title>Two explorers</title>
<meta name="description" content="Side by side.">
<style>{{ style }}</style></head><body>
<div data-state='{{ state("bank") }}'></div>
<script type="module">{{ script("host.js") }}</script></body></html>
"""


@pytest.mark.lab
def test_a_chapter_and_a_page(copy: Copy) -> None:
    notebook = "notebooks/09_two_words.ipynb"
    nbformat.write(new_notebook(cells=CHAPTER), copy.root / notebook)
    copy.write("attention_helpers/exercises/chapter_09_two_words.py", EXERCISES)
    solutions = "tests/helpers/wrong_solutions/chapter_09_two_words.py"
    copy.write(solutions, SOLUTIONS)
    row = f"| [Two words]({notebook}) | How do 2 words share? | 8 |\n"
    readme = (copy.root / "README.md").read_text(encoding="utf-8")
    *_, last = re.findall(r"^\| .*\(notebooks/\d\d_.*", readme, re.M)
    copy.insert("README.md", last, row)

    *_, before = sorted((copy.root / "notebooks").glob("0[0-8]*.ipynb"))
    for page in (before.name, "00_start_here.ipynb", "playground.ipynb"):
        copy.lead(f"notebooks/{page}", "[Two words](09_two_words.ipynb)")

    copy.write("tools/page/two.html.j2", HOST)

    with copy.alone(notebook):  # the others would take long
        copy.python("tools/notebooks.py")
        said = copy.tests(
            notebook,
            "tests/notebooks/test_every_notebook.py",
            "tests/unit/test_exercises.py",
            only="two_words or halfway or every_exercise_has",
        )
    copy.python("-c", CLEAN)
    site = copy.root / "run/site"
    page = (site / "09_two_words.html").read_text(encoding="utf-8")
    assert "How do 2 words share?" in page
    assert page.count("<div data-explorer=") == 1
    contents = (site / "index.html").read_text("utf-8")
    assert "09_two_words.html" in contents
    assert '<a href="two.html">Two explorers</a> <span>Side by side.' in contents
    assert (site / "two.html").exists()
    for passed in (
        "notebooks/09_two_words::ipynb::Cell 3",
        "test_every_explorer_is_alive_and_shows_numpys_numbers[09_two_words.ipynb]",
        "test_every_exercise_waits_and_its_folded_solution_passes[09_two_words.ipynb]",
        "test_a_chapter_takes_the_minutes_that_it_promises[09_two_words.ipynb]",
        "test_a_right_solution_passes[halfway-2]",
        "test_every_sentence_about_a_mistake_is_earned_by_a_wrong_solution[halfway]",
    ):
        assert f"{passed} PASSED" in said


# ---- an example: its entry, and its numbers once more; a scale: its entry ----

DOOR = """"door": {"tokens": ["key", "door"], "embeddings": [[2, 1], [0, 3]],
    "columns": {"embeddings": ["tool", "thing"]},
    "name": "key door", "source": "our own"},
"""
DOOR_AGAIN = """"door": {"tokens": ["key", "door"], "embeddings": [[2, 1], [0, 3]],
    "dimensions": ["tool", "thing"],
    "weights": [[0.804, 0.196], [0.014, 0.986]],
    "context": [[1.609, 1.391], [0.028, 2.972]],
    "looks": {"key": ["key"], "door": ["door"]}},
"""
SEES_BOTH = """
from attention_helpers import examples, explore, heatmap
from attention_helpers.explorer import page_state, twin

heatmap([[1, -2], [0, 3]], scale="context").png()
drawn = twin.png(explore("door", stages=["context"]))
assert drawn != twin.png(explore("door", stages=["values"]))
assert "door" in page_state(explore(controls=["example"]))["library"]
"""


def test_an_example_and_a_scale(copy: Copy) -> None:
    copy.insert("attention_helpers/examples.json", "{", DOOR)
    copy.insert("tests/facts/more_examples.json", "{", DOOR_AGAIN)
    scale = '"context": Scale("8c510a f5f5f5 01665e", -1), '
    panel = copy.root / "attention_helpers/panel.py"
    source = panel.read_text(encoding="utf-8")
    assert source.count("SCALES = {") == 1
    panel.write_text(source.replace("SCALES = {", f"SCALES = {{{scale}"), "utf-8")
    copy.python("-c", SEES_BOTH)
    files = ("test_examples", "test_heatmap", "test_package")
    paths = [f"tests/unit/{name}.py" for name in files]
    only = "door or known or every_example or work[attention_helpers.examples]"
    only += " or scale and not any_numbers"  # which take two seconds
    said = copy.tests(*paths, only=only)
    for passed in (
        "test_our_own_examples_hold_what_is_written_down[door-fact1]",
        "test_the_numbers_of_our_sentences_are_those_of_plain_loops[door-fact0]",
        "test_an_explorers_picture_has_one_scale_for_words_and_one_for_scores",
    ):
        assert f"{passed} PASSED" in said
