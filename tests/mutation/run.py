"""Change one thing at a time and see whether a test notices.

`python tests/mutation/run.py` goes through three lists, or those that are named:
attention (the NumPy modules), exercises (a sample of the checks), engine (the hand-made
list of engine_mutants.py). It fails where a mutant survives that survivors.md does not
explain, and where it explains one that is killed. `--only TEXT` runs the mutants whose
line holds the text. One core, one mutant at a time, in a copy of the project.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from engine_mutants import MUTANTS  # noqa: E402

ROOT = HERE.parent.parent
VENV = ROOT / ".venv-mutants"
PACKAGE = "attention_helpers"
SURVIVORS = HERE / "survivors.md"
LIMIT = 1800  # seconds; a mutant that takes longer hangs

JUDGES = ["kinds", "comparing", "running", "leaks", "goal", "session"]
CHAPTERS = ["start", "one_word", "all_words", "trainable_weights", "scaled", "masked"]
SHARES = {  # one in how many mutants of each module is tried
    "attention": {"attention.py": 1, "checks.py": 4},
    "exercises": dict.fromkeys([f"exercises/{name}.py" for name in JUDGES], 8)
    | dict.fromkeys([f"exercises/{name}.py" for name in CHAPTERS], 24),
}
TESTS = {
    "attention": ["test_attention", "test_examples", "test_fuzz"],
    "exercises": ["test_exercises"],
    "engine": [
        "test_store",
        "test_questions",
        "test_words",
        "test_engine",
        "test_explorer_page",
    ],
}
HEAVY = [  # what pytest, its plugins and the tests import: once, not once a mutant
    *("numpy.testing", "hypothesis", "IPython", "anywidget", "playwright.sync_api"),
    *("nbval.plugin", "nbformat.validator", "jupyter_client", "anyio.pytest_plugin"),
    *("_pytest.terminal", "_pytest.logging", "_pytest.junitxml", "_pytest.doctest"),
]
FORK = multiprocessing.get_context("fork")


class Mutant(NamedTuple):
    """A changed source of one file, and the test that should notice first."""

    file: str
    change: str
    source: str
    guard: str | None = None
    why: str = ""


def cosmic_rays_python() -> Path:
    """Install requirements.txt into .venv-mutants, once."""
    python, stamp = VENV / "bin" / "python", VENV / "installed"
    wanted = (HERE / "requirements.txt").read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print("Installing Cosmic Ray into .venv-mutants, once")
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "-q"]
        subprocess.run([*pip, "-r", HERE / "requirements.txt"], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return python


def python_mutants(name: str, package: Path) -> list[Mutant]:
    """Let Cosmic Ray change the modules of a list."""
    made = subprocess.run(
        [cosmic_rays_python(), HERE / "python_mutants.py"]
        + [f"{file}:{share}" for file, share in SHARES[name].items()],
        cwd=package,
        capture_output=True,
        check=True,
    )
    return [
        Mutant(m["file"], f"`{m['before']}` → `{m['after']}`", m["source"])
        for m in json.loads(made.stdout)
    ]


def engine_mutants(package: Path) -> list[Mutant]:
    made = []
    for m in MUTANTS:
        source = (package / m.file).read_text(encoding="utf-8")
        changed = source.replace(m.before, m.after)
        change = f"`{m.before}` → `{m.after}`"
        made.append(Mutant(m.file, change, changed, m.guard, m.why))
    return made


def copy_project(to: Path) -> None:
    skip = shutil.ignore_patterns("__pycache__", ".*")
    for folder in (PACKAGE, "tests", "tools", "notebooks"):
        shutil.copytree(ROOT / folder, to / folder, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", to)


def run_tests(tests: list[str], log: Path) -> None:
    os.setsid()
    said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 1)
    os.dup2(said, 2)
    options = ["-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider"]
    code = pytest.main([*options, "--hypothesis-seed=0", *tests])
    sys.stdout.flush()
    os._exit(code)


def killer(tests: list[str], log: Path) -> str | None:
    """Return the first test that fails, or None where all pass."""
    process = FORK.Process(target=run_tests, args=(tests, log))
    process.start()
    process.join(LIMIT)
    if process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        return "the time limit"
    if process.exitcode == 0:
        return None
    said = log.read_text(encoding="utf-8", errors="replace")
    failed = re.search(r"^(?:FAILED|ERROR) tests/(.+?)(?: - .*)?$", said, re.M)
    if not failed:
        sys.exit(f"{said}\nThe tests could not be run: {' '.join(tests)}")
    return failed[1]


def paths(names: list[str]) -> list[str]:
    return [f"tests/{name}.py" for name in names]


def survivors_of(name: str, mutants: list[Mutant], log: Path) -> set[str]:
    """Try every mutant in the copy that is the working directory."""
    survived = set()
    for k, mutant in enumerate(mutants, 1):
        file = Path(PACKAGE, mutant.file)
        right = file.read_text(encoding="utf-8")
        file.write_text(mutant.source, encoding="utf-8")
        start = time.monotonic()
        by = mutant.guard and killer([f"tests/{mutant.guard}"], log)
        by = by or killer(paths(TESTS[name]), log)
        file.write_text(right, encoding="utf-8")
        end = f"killed by {by}" if by else "SURVIVED"
        what = mutant.why or mutant.change
        took = time.monotonic() - start
        print(f"{k}/{len(mutants)} {mutant.file}: {what}: {end} ({took:.0f} s)")
        if not by:
            survived.add(f"{mutant.file}: {mutant.change}")
    return survived


def explained() -> dict[str, dict[str, str]]:
    """Read survivors.md: {list: {mutant: why no test notices it}}."""
    sections = re.split(
        r"^## (\w+)\n", SURVIVORS.read_text(encoding="utf-8"), flags=re.M
    )
    entry = re.compile(r"^- (.+)\n  (.+)$", re.M)
    pairs = zip(sections[1::2], sections[2::2], strict=True)
    return {name: dict(entry.findall(text)) for name, text in pairs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lists", nargs="*", metavar="attention|exercises|engine")
    parser.add_argument("--only", default="", help="a part of the mutant's line")
    options = parser.parse_args()
    os.nice(10)
    sys.stdout.reconfigure(line_buffering=True)
    for module in HEAVY:
        importlib.import_module(module)

    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        copy, log = Path(folder, "copy"), Path(folder, "log")
        copy_project(copy)
        os.chdir(copy)
        sys.path.insert(0, str(copy))
        for name in options.lists or TESTS:
            package = copy / PACKAGE
            if name == "engine":
                made = engine_mutants(package)
            else:
                made = python_mutants(name, package)
            tried = [m for m in made if options.only in f"{m.file}: {m.change} {m.why}"]
            print(f"== {name}: {len(tried)} mutants, after one run without a change")
            guards = sorted({f"tests/{m.guard}" for m in tried if m.guard})
            if failed := killer(guards or paths(TESTS[name]), log):
                sys.exit(f"{failed} fails without any change")
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
            sys.dont_write_bytecode = True  # it would outlive its mutant
            survived = survivors_of(name, tried, log)
            listed = explained()[name].keys()
            here = {f"{m.file}: {m.change}" for m in tried}
            gone = (listed & here if options.only else listed) - survived
            print(f"== {name}: {len(survived)} of {len(tried)} survived")
            wrong += [
                f"survives, not in survivors.md ({name}):\n- {s}"
                for s in sorted(survived - listed)
            ]
            wrong += [
                f"in survivors.md, but does not survive ({name}):\n- {s}"
                for s in sorted(gone)
            ]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
