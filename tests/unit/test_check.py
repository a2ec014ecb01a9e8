"""`tools/check.py`: what fails among the others runs once more, alone."""

import sys
from pathlib import Path

import check
import pytest

ONCE = """
from pathlib import Path
def test_fails_the_first_time():
    before = Path("ran").exists()
    Path("ran").touch()
    assert before
"""
ALWAYS = "\n\ndef test_always_fails():\n    assert False\n"


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> object:
    """Run the tests of a small project; the exit code and what was printed."""

    def run(source: str, *options: str, types: str = "") -> tuple[object, str]:
        (tmp_path / "types_of_it.py").write_text(types, encoding="utf-8")
        (tmp_path / "test_small.py").write_text(source, encoding="utf-8")
        (tmp_path / "pytest.ini").write_text("[pytest]", encoding="utf-8")
        monkeypatch.setattr(check, "ROOT", tmp_path)
        monkeypatch.setattr(
            check, "FAILED", tmp_path / ".pytest_cache/v/cache/lastfailed"
        )
        monkeypatch.setattr(check, "CHECKS", [])
        monkeypatch.setattr(check, "TYPES", ["types_of_it"])
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take long
        monkeypatch.setenv("PYTEST_ADDOPTS", "-p xdist.plugin")
        monkeypatch.setattr(sys, "argv", ["check.py", "-n", "0", *options])
        code = None
        try:
            check.main()
        except SystemExit as error:
            code = error.code
        return code, capfd.readouterr().out

    return run


def test_what_passes_alone_is_named_and_has_passed(run) -> None:
    code, said = run(ONCE)
    assert code is None
    assert "passed alone:\n  test_small.py::test_fails_the_first_time" in said


def test_what_the_types_say_comes_after_the_tests(run) -> None:
    code, said = run("def test_a(): pass", types="print('wrong'); exit(1)")
    assert code == "failed: types_of_it"
    assert said.index("1 passed") < said.index("== types_of_it\nwrong\n")


def test_what_fails_twice_has_failed(run) -> None:
    code, said = run(ONCE + ALWAYS)
    assert code == "failed: pytest"
    assert "not all passed alone:\n  test_small.py::test_always_fails" in said


def test_many_that_fail_are_not_run_again(run) -> None:
    many = "\n".join(ALWAYS.replace("fails", f"fails_{i}") for i in range(13))
    code, said = run(many)
    assert code == "failed: pytest"
    assert "alone" not in said


def test_an_error_of_pytest_itself_is_no_failed_test(run) -> None:
    code, said = run(ONCE, "--no-such-option")
    assert code == "failed: pytest"
    assert "alone" not in said


def test_a_notebook_is_repeated_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = tmp_path / "lastfailed"
    names = ["a/b.ipynb::Cell 3", "a/b.ipynb::Cell 4", "test_c.py::test_d[x::y]"]
    failed.write_text(str(dict.fromkeys(names, 1)).replace("'", '"'), "utf-8")
    monkeypatch.setattr(check, "FAILED", failed)
    assert check.to_repeat() == ["a/b.ipynb", "test_c.py::test_d[x::y]"]
