"""The package as a whole: cheap to import, documented, and complete when built."""

import doctest
import importlib
import importlib.metadata
import inspect
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from places import PACKAGE, ROOT

import attention_helpers
from attention_helpers.exercises import session

MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in PACKAGE.rglob("*.py")
)
PUBLIC = [name for name in attention_helpers.__all__ if name != "__version__"]


def test_the_tests_try_the_package_of_this_repository():
    assert Path(attention_helpers.__file__).parent == PACKAGE


def test_importing_the_package_imports_neither_matplotlib_nor_jupyterlab():
    code = "import sys, attention_helpers; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    imported = {name.partition(".")[0] for name in done.stdout.split()}
    assert "attention_helpers" in imported
    assert imported.isdisjoint({"matplotlib", "jupyterlab", "jupyter_server"})


def test_all_names_everything_public():
    public = {
        name
        for name, what in vars(attention_helpers).items()
        if not name.startswith("_") and not inspect.ismodule(what)
    }
    assert sorted(public | {"__version__"}) == sorted(attention_helpers.__all__)


def test_the_names_of_the_lesson_are_there():
    lesson = {
        "softmax",
        "causal_mask",
        "attention",
        "self_attention",
        "multi_head_attention",
        "Example",
        "examples",
        "heatmap",
        "explore",
        "plain_numbers",
    }
    assert lesson <= set(attention_helpers.__all__)


def documented(name):
    """Return what carries the docstring: the object, or the class of a mapping."""
    what = getattr(attention_helpers, name)
    return what if callable(what) else type(what)


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_public_has_a_docstring_with_an_example(name):
    tests = doctest.DocTestFinder(recurse=False).find(documented(name), name)
    assert tests, f"{name} has no docstring"
    assert tests[0].examples, f"the docstring of {name} has no >>> example"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_method_has_a_docstring(name):
    what = documented(name)
    members = vars(what).items() if inspect.isclass(what) else ()
    missing = [
        member
        for member, value in members
        if not member.startswith("_")
        and isinstance(value, (property, classmethod, staticmethod, type(documented)))
        and not value.__doc__
    ]
    assert not missing, f"{name} has methods without a docstring: {missing}"


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_docstrings_work(module, monkeypatch):
    monkeypatch.setattr(session, "_records", {})  # whatever was tried before
    name = module.removesuffix(".__init__")
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_the_version_is_the_installed_one():
    installed = importlib.metadata.version("attention-helpers")
    assert attention_helpers.__version__ == installed


def tracked(*paths):
    listed = subprocess.run(
        ["git", "ls-files", "-z", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.split("\0") if name]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel from a copy of the files that git tracks."""
    source = tmp_path_factory.mktemp("source")
    for name in tracked():
        if (ROOT / name).is_file():
            copy = source / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((ROOT / name).read_bytes())
    built = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", built]
    if has_setuptools():  # no network is needed then
        command.append("--no-build-isolation")
    done = subprocess.run([*command, source], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        return wheel.namelist()


def has_setuptools():
    """Tell whether this environment can build: pyproject.toml asks for 77."""
    try:
        version = importlib.metadata.version("setuptools")
    except importlib.metadata.PackageNotFoundError:
        return False
    return int(version.partition(".")[0]) >= 77


def test_the_wheel_carries_exactly_the_tracked_files_of_the_package(wheel):
    carried = [name for name in wheel if ".dist-info/" not in name]
    assert sorted(carried) == sorted(tracked("attention_helpers"))


@pytest.mark.parametrize(
    "ending", ["/py.typed", "/engine.js", "/loader.js", "/words/en.js", ".css"]
)
def test_the_wheel_carries_types_javascript_and_style(wheel, ending):
    assert any(name.endswith(ending) for name in wheel)


def test_the_wheel_carries_the_licence(wheel):
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in wheel)
