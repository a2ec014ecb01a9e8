"""What is stored is clean: notebooks, names, links, tables. Each check is tried too."""

import ast
import itertools
import json
import re
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from places import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("**/*.ipynb"))
NOTEBOOKS = [path for path in NOTEBOOKS if ".ipynb_checkpoints" not in path.parts]

REFRESH = "run `make notebooks`"
MAX_BYTES = 400_000
MAX_LINES = 15
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
MACHINE_PATH = re.compile(r"(/home/|/Users/|/root/|/tmp/|site-packages|[A-Z]:\\\\)")


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


def test_the_notebooks_are_clean() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {problem}"
        for path in NOTEBOOKS
        for problem in [
            *file_problems(path.name, path.read_bytes()),
            *notebook_problems(nbformat.read(path, as_version=4)),
        ]
    ]
    assert not found, "\n" + "\n".join(found)


def file_problems(name: str, content: bytes) -> list[str]:
    """Say what is wrong with a notebook's name or size."""
    problems = []
    if not re.fullmatch(r"(\d\d_)?[a-z][a-z_]*\.ipynb", name):
        problems.append("name it 07_like_this.ipynb, or like_this.ipynb: no chapter")
    if len(content) > MAX_BYTES:
        problems.append(
            f"{len(content):,} bytes are stored, at most {MAX_BYTES:,}: draw fewer or "
            "smaller pictures"
        )
    return problems


def notebook_problems(notebook: NotebookNode) -> list[str]:
    """Say what is wrong with what a notebook holds."""
    problems = []
    if "widgets" in notebook.metadata:
        problems.append(
            "widget state is stored, as JupyterLab does on saving: `git restore "
            f"notebooks`, or {REFRESH} to keep your edits"
        )
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        problems.append(f"the kernel is not python3: {REFRESH}")
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        problems.append(
            f"execution counts are {counts}, not 1 to {len(code)} (nbval compares no "
            f"cell without one): remove empty cells, {REFRESH}"
        )
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code":
            found = source_problems(cell) + output_problems(cell)
            problems += [f"cell {number}: {problem}" for problem in found]
    return problems


def source_problems(cell: NotebookNode) -> list[str]:
    """Say what is wrong with a code cell's source."""
    problems = []
    lines = cell.source.splitlines()
    if any(line.lstrip().startswith(("!", "%")) for line in lines):
        return ["it has ! or %: plain Python only"]
    if cell.source.rstrip().endswith(";"):
        problems.append("it ends with `;`, which nbval ignores: assign the value")
    if len(lines) > MAX_LINES:
        problems.append(f"it has {len(lines)} lines, at most {MAX_LINES}: split it")
    tags = cell.metadata.get("tags", [])
    try:
        tree = ast.parse(cell.source)
    except SyntaxError:
        return [*problems, "it is not Python"]
    definitions = (ast.FunctionDef, ast.ClassDef)
    defines = any(isinstance(node, definitions) for node in ast.walk(tree))
    if defines and "definition" not in tags:
        problems.append(
            "it defines a function or class: move it to attention_helpers, or, where "
            "the definition is the lesson, give the cell the tag `definition`"
        )
    return problems


def output_problems(cell: NotebookNode) -> list[str]:
    """Say what is wrong with what a code cell stores."""
    problems = []
    raises = "raises-exception" in cell.metadata.get("tags", [])
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type == "error" and not raises:
            problems.append(f"it stores the error {output.ename}: mend it, {REFRESH}")
        if output.get("name") == "stderr" and not raises:
            problems.append(f"it stores a warning: mend it, {REFRESH}")
        if WIDGET_VIEW in data:
            problems.append(f"it stores a widget view: {REFRESH}")
        if "image/svg+xml" in data:
            problems.append("it stores an SVG, which differs from run to run: use PNG")
        text = "".join(output.get("traceback", [])) + output.get("text", "")
        text += "".join(str(v) for k, v in data.items() if k.startswith("text/"))
        if path := MACHINE_PATH.search(text):
            problems.append(f"it stores a path of your machine ({path[0]})")
    return problems


def clean_notebook() -> NotebookNode:
    """Return a notebook without a fault, to be spoilt by the tests below."""
    shown = new_output("execute_result", {"text/plain": "2"}, execution_count=1)
    cells = [
        new_markdown_cell("# One and one"),
        new_code_cell("1 + 1", execution_count=1, outputs=[shown]),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def test_a_clean_notebook_has_no_problem() -> None:
    assert notebook_problems(clean_notebook()) == []
    assert file_problems("01_one_word.ipynb", b"") == []
    assert file_problems("worked_examples.ipynb", b"x" * MAX_BYTES) == []


@pytest.mark.parametrize(
    "name", ["1_one.ipynb", "01_One.ipynb", "01 one.ipynb", "One.ipynb", "01.ipynb"]
)
def test_a_bad_name_is_a_problem(name: str) -> None:
    assert len(file_problems(name, b"")) == 1


def test_a_large_file_is_a_problem() -> None:
    assert "400,001 bytes" in file_problems("lesson.ipynb", b"x" * 400_001)[0]


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"kernelspec": {"name": "python3"}, "widgets": {}}, "git restore notebooks"),
        ({"kernelspec": {"name": "attention"}}, "the kernel is not python3"),
        ({}, "the kernel is not python3"),
    ],
)
def test_bad_metadata_is_a_problem(metadata: dict, said: str) -> None:
    notebook = clean_notebook()
    notebook.metadata = nbformat.from_dict(metadata)
    assert [said in problem for problem in notebook_problems(notebook)] == [True]


@pytest.mark.parametrize("count", [None, 0, 2])
def test_a_wrong_execution_count_is_a_problem(count: int | None) -> None:
    notebook = clean_notebook()
    notebook.cells[1].execution_count = count
    assert f"counts are [{count}]" in notebook_problems(notebook)[0]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\nx;", "ends with `;`"),
        ("!pip install numpy", "! or %"),
        ("  %matplotlib inline", "! or %"),
        ("\n".join(["x = 1"] * 16), "16 lines"),
        ("def f():\n    return 1", "tag `definition`"),
        ("class A:\n    pass", "tag `definition`"),
        ("if True:\n    def f(): return 1", "tag `definition`"),
        ("1 +", "not Python"),
    ],
)
def test_a_bad_source_is_a_problem(source: str, said: str) -> None:
    notebook = clean_notebook()
    notebook.cells[1].source = source
    problems = notebook_problems(notebook)
    assert len(problems) == 1
    assert problems[0].startswith("cell 2: ")
    assert said in problems[0]


def test_a_tagged_definition_is_none() -> None:
    notebook = clean_notebook()
    notebook.cells[1].source = "def f():\n    return 1"
    notebook.cells[1].metadata.tags = ["definition"]
    assert notebook_problems(notebook) == []


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (new_output("error", ename="ValueError", evalue=""), "error ValueError"),
        (new_output("stream", name="stderr", text="careful"), "a warning"),
        (new_output("display_data", {WIDGET_VIEW: {}}), "a widget view"),
        (new_output("display_data", {"image/svg+xml": "<svg/>"}), "an SVG"),
        (new_output("display_data", {"text/plain": "/home/me/x"}), "(/home/)"),
        (new_output("stream", text="/usr/lib/site-packages/x"), "(site-packages)"),
    ],
)
def test_a_bad_output_is_a_problem(output: NotebookNode, said: str) -> None:
    notebook = clean_notebook()
    notebook.cells[1].outputs = [output]
    problems = notebook_problems(notebook)
    assert [said in problem for problem in problems] == [True]


def test_an_error_on_purpose_is_none() -> None:
    notebook = clean_notebook()
    error = new_output("error", ename="ValueError", evalue="", traceback=["told"])
    notebook.cells[1].outputs = [error]
    notebook.cells[1].metadata.tags = ["raises-exception"]
    assert notebook_problems(notebook) == []


# Links and tables


def prose(path: Path) -> str:
    """Return the Markdown of a page or a notebook."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def broken_links(path: Path, text: str) -> list[str]:
    """Return what a page's links and commands name and the repository lacks."""
    linked = re.findall(r"\]\(([^)#\s]+)", text) + re.findall(r'src="([^"]+)"', text)
    local = [path.parent / link for link in linked if ":" not in link]
    local += [ROOT / name for name in re.findall(r"urlpath=lab/tree/([\w/.]+)", text)]
    if path.suffix == ".md":
        local += [ROOT / name for name in re.findall(r"\btools/\w+\.py", text)]
    return [str(target) for target in local if not target.exists()]


def test_every_link_leads_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("notebooks/*.md"), *NOTEBOOKS]
    found = {str(page): broken_links(page, prose(page)) for page in pages}
    assert not {page: links for page, links in found.items() if links}


@pytest.mark.parametrize(
    "text",
    [
        "[x](nowhere.md)",
        "![x](images/nowhere.png)",
        "https://mybinder.org/v2/gh/a/b/main?urlpath=lab/tree/notebooks/none.ipynb)",
        "python tools/nothing.py",
    ],
)
def test_a_broken_link_is_found(text: str) -> None:
    assert len(broken_links(ROOT / "README.md", text)) == 1


def test_a_link_elsewhere_is_not_followed() -> None:
    text = "[a](https://example.org/x) [b](README.md#run) [c](#run) [d](mailto:a@b.c)"
    assert broken_links(ROOT / "README.md", text) == []


def test_the_readme_lists_every_notebook() -> None:
    """In the order of reading: the chapters, then the others."""
    rows = re.findall(
        r"^\| \[[^]]+\]\(notebooks/([^)]+)\)", prose(ROOT / "README.md"), re.M
    )
    chapters = [path.name for path in NOTEBOOKS if path.name[0].isdigit()]
    others = [path.name for path in NOTEBOOKS if not path.name[0].isdigit()]
    assert rows[: len(chapters)] == chapters, "add a row to README's table of chapters"
    assert sorted(rows[len(chapters) :]) == others, "and one for every other notebook"


def test_every_chapter_is_led_to() -> None:
    """From the start page, from the playground, and from the chapter before."""
    chapters = [path for path in NOTEBOOKS if path.name[0].isdigit()]
    for before, chapter in itertools.pairwise(chapters):
        for page in (chapters[0], before, before.with_name("playground.ipynb")):
            assert f"({chapter.name})" in prose(page), f"{page.name}: {chapter.name}"


def test_every_make_target_of_the_readme_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.M))
    pages = prose(ROOT / "README.md") + prose(ROOT / "CONTRIBUTING.md")
    named = set(re.findall(r"(?:^|`)make (\w+)", pages, re.M))
    assert {"lab", "test", "notebooks"} <= named <= targets


def test_the_readme_quotes_the_stored_benchmark() -> None:
    stored = (ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8")
    kernels = json.loads(stored)["kernels"]
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("| --- | --- | --- |", lines.index("## How fast, and why"))
    table = [line.strip("| ").split(" | ")[1:] for line in lines[start + 1 : start + 5]]

    def quoted(drawing: dict) -> str:
        paint = drawing["to_paint_ms"]["median"]
        return f"{paint:.0f} ms, {drawing['states']:.0f} states"

    names = kernels["same machine"]
    measured = [[quoted(of[name]) for of in kernels.values()] for name in names]
    assert list(kernels) == ["same machine", "150 ms away"]
    assert table == measured


def test_the_readme_quotes_how_fast_it_learns() -> None:
    stored = (ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8")
    kernels = json.loads(stored)["learning"]
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    heads = (
        "| learning, sixty steps | kernel on the same machine | kernel 150 ms away |"
    )
    start = lines.index(heads) + 2
    table = [line.strip("| ").split(" | ")[1:] for line in lines[start : start + 4]]

    def quoted(drawing: dict) -> str:
        return f"{drawing['steps']:.0f} steps, {drawing['frames']:.0f} frames"

    names = kernels["same machine"]
    assert table == [[quoted(of[name]) for of in kernels.values()] for name in names]
