"""The class' hub refuses in words, keeps its words, publishes only the notebooks.

`make hub-test` tries a real one, with two learners.
"""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

if sys.platform == "win32":
    pytest.skip("the hub is for Linux", allow_module_level=True)

sys.path.insert(0, str(ROOT / "tools" / "hub"))
import box
import start


@pytest.fixture(autouse=True)
def a_linux_with_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Somebody who is not root, on a machine whose bubblewrap does nothing."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sys, "platform", "linux")
    system = os.uname_result(("Linux", "here", "6.1.0-x", "", "x86_64"))
    monkeypatch.setattr(os, "uname", lambda: system)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bwrap", "git"):
        program(programs / name, "exit 0")
    monkeypatch.setenv("PATH", str(programs))
    return programs


def program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


# ---- where there can be no hub ----


def test_here_it_can_start() -> None:
    assert start.refusal() is None


def test_root_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "Not as root" in start.refusal()


def test_another_system_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "needs Linux" in start.refusal()


@pytest.mark.parametrize(("release", "enough"), [("5.13.9", 0), ("5.14.0-1-x", 1)])
def test_an_old_linux_is_refused(
    monkeypatch: pytest.MonkeyPatch, release: str, enough: bool
) -> None:
    system = os.uname_result(("Linux", "here", release, "", "x86_64"))
    monkeypatch.setattr(os, "uname", lambda: system)
    assert (start.refusal() is None) == enough


def test_what_is_missing_is_named(a_linux_with_bubblewrap: Path) -> None:
    (a_linux_with_bubblewrap / "git").unlink()
    assert "git" in start.refusal()
    program(a_linux_with_bubblewrap / "bwrap", "echo no namespace >&2; exit 1")
    assert re.search(r"no namespace\n.*AppArmor", start.refusal(), re.S)
    (a_linux_with_bubblewrap / "bwrap").unlink()
    assert "sudo apt-get install bubblewrap" in start.refusal()


def test_a_refused_hub_starts_and_writes_nothing(
    a_linux_with_bubblewrap: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (a_linux_with_bubblewrap / "bwrap").unlink()
    monkeypatch.setattr(sys, "argv", ["start.py"])
    monkeypatch.setenv("HUB_FOLDER", str(tmp_path / "hub"))
    monkeypatch.setattr(start, "install", lambda: pytest.fail("installs"))
    with pytest.raises(SystemExit, match=r"(?s)apt-get.*Nothing was started"):
        start.main()
    assert not (tmp_path / "hub").exists()


# ---- the words ----


def test_a_word_is_made_once_and_is_the_owners_alone(tmp_path: Path) -> None:
    words = {
        name: start.word(tmp_path / name, size) for name, size in start.SIZES.items()
    }
    assert len(words["class"]) >= 8, "JupyterHub wants as many"
    assert len(words["teacher"]) >= 32
    for name, size in start.SIZES.items():
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
        assert start.word(tmp_path / name, size) == words[name]
        assert set(words[name]) <= {*start.LETTERS, "-"}
    assert start.word(tmp_path / "other", (5, 5)) != words["class"]
    (tmp_path / "class").write_text("our-own-word\n")
    assert start.word(tmp_path / "class", (5, 5)) == "our-own-word"


def test_all_that_a_teacher_needs_is_said_in_one_place() -> None:
    words = {"class": "abcde-fghjk", "teacher": "mnpqr"}
    said = start.welcome("http://192.0.2.7:8000", Path("/somewhere"), words)
    for part in ("http://192.0.2.7:8000", *words.values(), "/somewhere/learners"):
        assert said.count(part) == 1


# ---- the notebooks ----


@pytest.fixture
def teacher(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A repository with a notebook, and more that is nobody's business."""
    monkeypatch.undo()  # the real git
    folder = tmp_path / "teacher"
    for name in ("notebooks/01_one.ipynb", "notebooks/images/a.png", "secret.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    start.git(str(tmp_path), "init", "--quiet", str(folder))
    commit(folder, "first")
    monkeypatch.setenv("HUB_NOTEBOOKS", str(folder))
    return folder


def commit(folder: Path, message: str, *more: str) -> None:
    start.git(str(folder), "add", "--all")
    start.git(str(folder), *start.BY, "commit", "--quiet", *more, "-m", message)


def published(folder: Path, *arguments: str) -> list[str]:
    return start.git(str(folder / "notebooks.git"), *arguments).splitlines()


def test_only_the_notebooks_are_published(teacher: Path, tmp_path: Path) -> None:
    start.publish(tmp_path)
    files = published(tmp_path, "ls-tree", "-r", "--name-only", "main")
    assert files == ["01_one.ipynb", "images/a.png"]
    objects = published(tmp_path, "cat-file", "--batch-all-objects", "--batch-check")
    assert sum(" blob " in line for line in objects) == len(files)
    start.publish(tmp_path)
    assert len(published(tmp_path, "rev-list", "main")) == 1, "nothing new"


def test_what_is_published_only_grows(teacher: Path, tmp_path: Path) -> None:
    """So that a learner's copy can always be merged."""
    start.publish(tmp_path)
    first = published(tmp_path, "rev-parse", "main")
    (teacher / "notebooks" / "01_one.ipynb").write_text("changed")
    start.publish(tmp_path)
    assert published(tmp_path, "rev-parse", "main") == first, "not committed yet"
    commit(teacher, "another history", "--amend")
    start.publish(tmp_path)
    assert published(tmp_path, "show", "main:01_one.ipynb") == ["changed"]
    assert published(tmp_path, "rev-parse", "main~1") == first


def test_a_folder_without_git_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("HUB_NOTEBOOKS", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["start.py"])
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setenv("HUB_FOLDER", str(tmp_path / "hub"))
    monkeypatch.setattr(start, "refusal", lambda: None)
    monkeypatch.setattr(start, "install", lambda: None)
    with pytest.raises(SystemExit, match="come from a git repository: fatal: not a"):
        start.main()


# ---- the box ----


def mounted(command: list[str], *kinds: str) -> list[tuple[str, str]]:
    """Return (outside, inside) of the mounts of these kinds."""
    return [
        (command[at + 1], command[at + 2])
        for at, word in enumerate(command)
        if word in kinds
    ]


def test_a_box_shows_a_folder_and_the_programs_and_nothing_else() -> None:
    places = [Path(f"/hub/{name}") for name in ("home", "socket", "server", "books")]
    command = box.command(*places)
    assert set(box.APART) <= set(command)
    assert "--unshare-all" in command, "no network, no processes of others"
    assert "--share-net" not in command
    assert {"--die-with-parent", "--new-session"} <= set(command)
    assert mounted(command, "--bind") == [
        ("/hub/server", "/run/server"),
        ("/hub/home", "/home"),
    ]
    readable = [outside for outside, _ in mounted(command, "--ro-bind")]
    for private in (ROOT, ROOT / "tools", ROOT / ".git", Path.home(), Path("/etc")):
        for path in readable:
            assert not private.is_relative_to(path), f"{path} shows {private}"
    assert not mounted(command, "--bind-try", "--dev-bind", "--dev-bind-try")
    etc = [outside for outside, _ in mounted(command, "--ro-bind-try")]
    assert not {"/etc/passwd", "/etc/shadow", "/etc/ssl"} & set(etc)


def test_a_python_elsewhere_comes_into_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "base_prefix", "/opt/python")
    assert "/opt/python" in box.programs()
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    assert box.programs().count("/usr") == 1


def test_the_limits_reach_the_process() -> None:
    code = "import box; box.limit(); import os, resource; "
    code += "print(resource.getrlimit(resource.RLIMIT_DATA), os.nice(0))"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT / "tools" / "hub",
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith(f"({box.GB}, {box.GB})")
    assert int(ran.stdout.split()[-1]) >= 5
