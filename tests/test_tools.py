"""The tools say what is missing, and do nothing twice."""

import os
import subprocess
import sys
from pathlib import Path

import browser
import environment
import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(browser, "NAMES", [])
    monkeypatch.setattr(browser, "USUAL_PLACES", [])
    monkeypatch.setattr(browser, "playwrights_own", lambda: "/nowhere/chrome")


@pytest.mark.usefixtures("no_browser")
def test_a_missing_browser_is_said_with_what_to_install() -> None:
    with pytest.raises(FileNotFoundError, match=r"tools/browser\.py --install"):
        browser.find_browser()


@pytest.mark.usefixtures("no_browser")
def test_a_browser_is_found_in_each_place(monkeypatch: pytest.MonkeyPatch) -> None:
    here = sys.executable
    monkeypatch.setattr(browser, "playwrights_own", lambda: here)
    assert browser.find_browser() == here
    monkeypatch.setattr(browser, "playwrights_own", lambda: "/nowhere/chrome")
    monkeypatch.setattr(browser, "USUAL_PLACES", ["/nowhere/else", here])
    assert browser.find_browser() == here
    monkeypatch.setattr(browser, "USUAL_PLACES", [])
    monkeypatch.setattr(browser, "NAMES", ["nowhere", Path(here).name])
    monkeypatch.setenv("PATH", str(Path(here).parent))
    assert Path(browser.find_browser()) == Path(here)
    monkeypatch.setattr(browser, "NAMES", [])
    monkeypatch.setenv("CHROMIUM", here)
    assert browser.find_browser() == here
    monkeypatch.setenv("CHROMIUM", "/nowhere/chrome")
    with pytest.raises(FileNotFoundError, match="CHROMIUM is '/nowhere/chrome'"):
        browser.find_browser()


@pytest.mark.parametrize(
    ("root", "debian", "first"),
    [(True, True, "apt-get"), (True, False, sys.executable), (False, True, None)],
)
def test_the_install_is_debians_as_root_else_playwrights(
    monkeypatch: pytest.MonkeyPatch, root: bool, debian: bool, first: str | None
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(browser, "is_root", lambda: root)
    monkeypatch.setattr(browser, "is_debian", lambda: debian)
    monkeypatch.setattr(
        subprocess, "run", lambda command, **_: commands.append(command)
    )
    browser.install()
    assert commands[0][0] == (first or sys.executable)
    assert commands[-1][-2:] in (["-qq", "chromium"], ["install", "chromium"])


def test_without_a_browser_the_tests_fail_and_do_not_skip() -> None:
    test = "tests/test_lab.py::test_the_page_collects_errors"
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", test],
        cwd=ROOT,
        env=os.environ | {"CHROMIUM": "/nowhere/chrome"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 1
    assert "CHROMIUM is '/nowhere/chrome'" in said.stdout
    assert "1 error" in said.stdout
    assert "skipped" not in said.stdout


@pytest.fixture
def installs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Note what would be installed, into an empty folder instead of .venv."""
    noted: list[str] = []
    monkeypatch.setattr(environment, "VENV", tmp_path)
    monkeypatch.setattr(environment, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(environment, "install", noted.append)
    return noted


def test_what_is_installed_is_not_installed_again(installs: list[str]) -> None:
    for extra in ["lab", "lab", "test", "test", "lab"]:
        environment.main(extra)
    assert installs == ["lab", "test"]


def test_a_changed_pyproject_is_installed_again(
    installs: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment.main("lab")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text("other", encoding="utf-8")
    environment.main("lab")
    environment.main("lab")
    assert installs == ["lab", "lab"]


def test_an_old_python_is_refused_in_words(
    installs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    with pytest.raises(SystemExit, match=r"3\.11 or newer is needed, and this is 3\.9"):
        environment.main("lab")
    assert installs == []
