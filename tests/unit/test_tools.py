"""The tools say what is missing, and do nothing twice."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import browser
import conftest
import environment
import pytest
from places import ROOT


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


@pytest.mark.usefixtures("no_browser")
def test_the_tests_drive_the_lighter_chromium(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "playwrights_own", lambda: sys.executable)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert browser.find_light() == "/usr/bin/chromium-headless-shell"
    monkeypatch.setenv("CHROMIUM", "chromium")
    assert browser.find_light() == "/usr/bin/chromium"
    monkeypatch.delenv("CHROMIUM")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert browser.find_light() == sys.executable


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Note what would be run, on a machine without any browser."""
    noted: list[list[str]] = []

    def run(command: list[str], **_: object) -> None:
        noted.append(command)
        if "nowhere" in os.environ["PATH"]:
            raise subprocess.CalledProcessError(100, command)

    monkeypatch.setenv("CHROMIUM", "/nowhere/chrome")
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.delenv("CI", raising=False)
    return noted


@pytest.mark.parametrize(
    ("root", "debian"), [(True, True), (True, False), (False, True)]
)
def test_the_install_is_debians_as_root_else_playwrights(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, root: bool, debian: bool
) -> None:
    monkeypatch.setattr(browser, "is_root", lambda: root)
    monkeypatch.setattr(browser, "is_debian", lambda: debian)
    browser.install()
    if not (root and debian):
        assert commands == [[sys.executable, "-m", "playwright", "install", "chromium"]]
        return
    installed = [command[4:] for command in commands if "install" in command]
    fewer = "--no-install-recommends"
    assert installed == [
        ["chromium"],
        [fewer, "chromium-headless-shell"],
        [fewer, "firefox-esr"],
        [fewer, "webkit2gtk-driver", "xvfb"],
    ]


def test_firefox_and_webkit_may_fail_to_install_but_not_on_ci(
    commands: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(browser, "is_root", lambda: True)
    monkeypatch.setattr(browser, "is_debian", lambda: True)
    monkeypatch.setattr(browser, "find_browser", lambda: "here")
    monkeypatch.setitem(browser.PACKAGES, ("chromium",), lambda: "here")
    monkeypatch.setattr(sys, "argv", ["browser.py", "--install"])
    monkeypatch.setenv("PATH", "/nowhere")
    browser.main()
    said = capsys.readouterr().out
    assert "left out of the tests: no Firefox is installed" in said
    assert "left out of the tests: no WebKit is installed" in said
    monkeypatch.setenv("CI", "true")
    with pytest.raises(subprocess.CalledProcessError):
        browser.main()
    assert "not installed" in capsys.readouterr().out  # the lighter Chromium: no error
    monkeypatch.setattr(sys, "argv", ["browser.py"])
    with pytest.raises(FileNotFoundError, match="no Firefox is installed"):
        browser.main()


def test_without_chromium_tests_fail_and_without_firefox_they_are_left_out() -> None:
    tests = [
        "tests/lab/test_lab.py::test_the_page_collects_errors",
        "tests/browser/test_other_browsers.py::test_errors_are_noticed[firefox]",
    ]
    without = {name: value for name, value in os.environ.items() if name != "CI"}
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *tests],
        cwd=ROOT,
        env=without | {"CHROMIUM": "/nowhere/chrome", "PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 1
    assert "CHROMIUM is '/nowhere/chrome'" in said.stdout
    assert "1 skipped, 1 error" in said.stdout
    assert re.search("left out: 1 tests, because .*Firefox is", said.stdout)


def test_on_ci_nothing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> str:
        raise FileNotFoundError("nowhere")

    monkeypatch.setattr(browser, "is_root", lambda: True)
    monkeypatch.setattr(browser, "is_debian", lambda: True)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        conftest.installed(find)
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="nowhere"):
        conftest.installed(find)


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
