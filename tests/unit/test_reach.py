"""What the browser-only lab is told, so that plain imports work in it.

The lab itself is tried by `python tools/reach.py lite`, in a browser.
"""

import ast
import hashlib
import json
import sys
import zipfile
from pathlib import Path

import lite
import nbformat
import pages
import pytest
import reach
import yaml

from attention_helpers import __version__

BASE = "https://cdn.example/v1/full"
PYODIDES = {
    "info": {"python": "3.14.0"},
    "packages": {
        name: {"name": name, "file_name": f"{name}.whl", "depends": []}
        for name in ("numpy", "matplotlib")
    },
}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel of two modules, one of them deep, with an extra."""
    path = tmp_path / "Some_Name-1.2-py3-none-any.whl"
    metadata = (
        "Name: Some_Name\nVersion: 1.2\nRequires-Dist: numpy>=2\n"
        'Requires-Dist: absent\nRequires-Dist: jupyter; extra == "lab"\n'
    )
    with zipfile.ZipFile(path, "w") as content:
        content.writestr("some_name/__init__.py", "")
        content.writestr("some_name/deep/__init__.py", "")
        content.writestr("some_name-1.2.dist-info/METADATA", metadata)
    return path


def test_our_wheels_join_pyodides_own(wheel: Path) -> None:
    packages = lite.extended(PYODIDES, BASE, [wheel])["packages"]
    assert packages["numpy"]["file_name"] == f"{BASE}/numpy.whl"
    ours = packages["some-name"]
    assert ours["file_name"] == wheel.name
    assert ours["imports"] == ["some_name"]
    assert ours["depends"] == ["numpy"]
    assert ours["version"] == "1.2"
    assert ours["sha256"] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert PYODIDES["packages"]["numpy"]["file_name"] == "numpy.whl"


def test_a_site_that_is_not_there_does_not_work(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="has 0 notebooks; run make lite first"):
        reach.try_lite(tmp_path, None)


def test_without_a_network_it_says_what_else_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lite, "CDN", f"{tmp_path.as_uri()}/v{{}}")
    with pytest.raises(SystemExit, match=r"v1/pyodide-lock.json cannot .* --lock FILE"):
        lite.read_lock("1", None)
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "pyodide-lock.json").write_text("{}")
    assert lite.read_lock("1", None) == "{}"


def test_every_import_of_a_notebook_is_loaded_at_the_start() -> None:
    imported = {
        alias
        for path in (lite.ROOT / "notebooks").glob("*.ipynb")
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "code"
        for alias in imports(cell.source)
    }
    assert {"numpy", "attention_helpers"} <= imported
    ours = {lite.canonical(name) for name in imported - sys.stdlib_module_names}
    assert ours <= set(lite.AT_START)


def imports(source: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module.partition(".")[0])
    return names


def test_the_kernel_is_told_where_everything_is() -> None:
    data = lite.configuration("314.0.6")["jupyter-config-data"]
    kernel = data["litePluginSettings"][lite.KERNEL]
    assert kernel["pyodideUrl"].endswith("/v314.0.6/full/pyodide.mjs")
    assert kernel["loadPyodideOptions"]["lockFileURL"] == f"./{lite.LOCK}"
    assert kernel["disablePyPIFallback"] is True


# ---- publishing ----


def test_publishing_puts_the_lab_where_the_pages_say() -> None:
    path = lite.ROOT / ".github" / "workflows" / "publish.yml"
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    commands = [step.get("run", "") for step in jobs["build"]["steps"]]
    below = pages.LAB.removeprefix(f"{pages.SITE}/").partition("/")[0]
    assert f"cp -r _lite _site/{below}" in commands
    assert commands.index("make site") < commands.index(f"cp -r _lite _site/{below}")
    assert {job["needs"] for name, job in jobs.items() if name != "build"} == {"build"}


def test_the_changelog_has_this_version() -> None:
    text = (lite.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {__version__}" in text


def test_the_citation_is_valid() -> None:
    text = (lite.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    citation = yaml.safe_load(text)
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["repository-code"] == pages.REPOSITORY
    json.dumps(citation)  # no dates or other kinds that only YAML knows
