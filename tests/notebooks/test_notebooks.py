"""Every notebook is compared with its stored outputs, and refreshing is repeatable.

The comparison is nbval's: `pytest` collects each code cell of notebooks/*.ipynb.
"""

import runpy
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbval.plugin import pytest_collect_file as collect_by_nbval
from places import ROOT
from site_pages import stored

import notebooks

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

PICTURE = "from attention_helpers import heatmap\nheatmap([[0.25, 0.75]])"


def write(path: Path, *sources: str) -> None:
    cells = [new_markdown_cell("# A title"), *map(new_code_cell, sources)]
    nbformat.write(new_notebook(cells=cells), path)


def test_strict_nbval_takes_every_notebook(request: pytest.FixtureRequest) -> None:
    """By folder, never by a list; strict, never lax."""
    config = request.config
    assert "notebooks" in config.getini("testpaths")
    assert config.option.nbval
    assert not config.option.nbval_lax
    for path in NOTEBOOKS:
        ask = {"collection_path": path, "config": config}
        assert not config.hook.pytest_ignore_collect(**ask)
        collected = list(collect_by_nbval(path, request.session).collect())
        cells = nbformat.read(path, as_version=4).cells
        assert len(collected) == sum(cell.cell_type == "code" for cell in cells) > 0


def test_refreshing_any_notebook_gives_no_diff(site: Path) -> None:
    """The pages run every notebook in the same way; what that gives is compared."""
    for path in NOTEBOOKS:
        assert stored(site, path.name).read_bytes() == path.read_bytes(), (
            f"{path.name} is not as it would be stored: run `make notebooks`"
        )


@pytest.mark.lab
def test_refreshing_normalises_and_a_picture_is_kept_until_redrawn(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "01_new.ipynb"
    write(path, "print(1)", "import ipywidgets\nipywidgets.IntSlider(3)", PICTURE)
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["widgets"] = {"some": "state"}
    notebook.metadata["language_info"] = {"name": "python", "version": "3.11.7"}
    notebook.cells[1].metadata["execution"] = {"iopub.execute_input": "12:00"}
    notebook.cells[1].metadata["tags"] = ["kept"]
    nbformat.write(notebook, path)

    assert notebooks.main([str(path)]) == 0
    assert capsys.readouterr().out.split()[:2] == ["01_new.ipynb", "stored"]
    drawn = path.read_text(encoding="utf-8")
    after = nbformat.reads(drawn, as_version=4)
    assert set(after.metadata) == {"kernelspec", "language_info"}
    assert after.metadata["language_info"] == {"name": "python"}
    assert after.cells[1].metadata == {"tags": ["kept"]}
    assert [cell.id for cell in after.cells] == [cell.id for cell in notebook.cells]
    code = after.cells[1:]
    assert [cell.execution_count for cell in code] == [1, 2, 3]
    assert code[0].outputs[0].text == "1\n"
    assert code[1].outputs[0].data == {"text/plain": "IntSlider(value=3)"}

    pixels = code[2].outputs[0].data["image/png"]
    other = drawn.replace(pixels.rstrip("\n"), "AAAA")
    assert other != drawn
    path.write_text(other, encoding="utf-8")
    with monkeypatch.context() as kept:
        run = notebooks.run

        def without_drawing(notebook: NotebookNode, folder: Path, draw: bool) -> None:
            assert not draw
            return run(notebook, folder, draw)

        kept.setattr(notebooks, "run", without_drawing)
        assert notebooks.main([str(path)]) == 0
    assert capsys.readouterr().out.split()[:2] == ["01_new.ipynb", "unchanged"]
    assert path.read_text(encoding="utf-8") == other
    notebooks.main(["--redraw", str(path)])
    assert path.read_text(encoding="utf-8") == drawn


def pictured(
    pixels: str, twin: str = "one", source: str = "heatmap(x)"
) -> NotebookNode:
    data = {"text/plain": twin, "image/png": pixels}
    cell = new_code_cell(source, id="cell", outputs=[new_output("display_data", data)])
    notebook = new_notebook(cells=[cell])
    notebooks.normalise(notebook)
    return notebook


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, "old"),
        ({"twin": "two"}, "new"),
        ({"source": "heatmap(x, 'diverging')"}, "new"),
    ],
)
def test_a_picture_is_kept_while_source_and_twin_are_the_same(
    change: dict[str, str], kept: str
) -> None:
    before, after = pictured("old"), pictured("new", **change)
    notebooks.keep_pictures(before, after)
    assert after.cells[0].outputs[0].data["image/png"] == kept


@pytest.mark.lab
def test_a_failing_cell_is_named_and_nothing_is_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one is stored, with its error on purpose, in which no path stands."""
    broken, sound = tmp_path / "01_broken.ipynb", tmp_path / "02_sound.ipynb"
    write(broken, "1 + 1", "1 / 0")
    write(sound, "1 / 0")
    notebook = nbformat.read(sound, as_version=4)
    notebook.cells[1].metadata["tags"] = ["raises-exception"]
    nbformat.write(notebook, sound)
    before = broken.read_bytes()
    tool = str(ROOT / "tools" / "notebooks.py")
    monkeypatch.setattr(sys, "argv", [tool, str(broken), str(sound)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(tool, run_name="__main__")
    assert ended.value.code == 1
    said = capsys.readouterr().out
    assert "01_broken.ipynb, cell 3:" in said
    assert "ZeroDivisionError" in said
    assert broken.read_bytes() == before
    cell = nbformat.read(sound, as_version=4).cells[1]
    assert cell.execution_count == 1
    assert cell.outputs[0].traceback == ["ZeroDivisionError: division by zero"]


@pytest.mark.lab
def test_nbval_compares_what_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "01_compared.ipynb"
    write(path, "1 + 1", "1 + 2", "1 / 0")
    notebook = nbformat.read(path, as_version=4)
    for count, cell in enumerate(notebook.cells[1:], 1):
        shown = new_output("execute_result", {"text/plain": "2"}, execution_count=count)
        cell.update(outputs=[shown], execution_count=count)
    notebook.metadata["kernelspec"] = notebooks.METADATA["kernelspec"]
    nbformat.write(notebook, path)
    pytest_alone = [sys.executable, "-m", "pytest", "-q", "--noconftest"]
    said = subprocess.run(
        [*pytest_alone, "-c", "pyproject.toml", path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert "2 failed, 1 passed" in said, said
