"""Change one thing at a time and see whether a test notices.

`python tests/mutation/run.py` goes through four lists, or those that are named:
attention and learning (the NumPy modules), exercises (a sample of the checks), engine
(the hand-made list of engine_mutants.py). It fails where a mutant survives that
survivors.md does not explain, where it explains one that is killed or no longer made,
and where a hand-made one no longer fits the source. `--only TEXT` runs the mutants
whose line holds the text. One core, one mutant at a time, in a copy of the project.
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
from engine_mutants import MUTANTS, Change  # noqa: E402

ROOT = HERE.parent.parent
VENV = ROOT / ".venv-mutants"
PACKAGE = "attention_helpers"
SURVIVORS = HERE / "survivors.md"
LIMIT = 1800  # seconds; a mutant that takes longer hangs

SHARES = {  # one in how many mutants of the modules is tried; the first that fits
    "attention": {"attention.py": 1, "checks.py": 4},
    "learning": {"learning.py": 1},
    "exercises": {"exercises/chapter_*.py": 24, "exercises/**/*.py": 8},
}
TESTS = {  # what must notice, after the test that a hand-made mutant names
    "attention": [
        "unit/test_attention.py",
        "unit/test_multi_head.py",
        "unit/test_examples.py",
        "unit/test_fuzz.py",
    ],
    "learning": ["unit/test_learning.py", "unit/test_explorer_heads.py"],
    "exercises": [
        "unit/test_exercises*.py",
        "unit/test_two_heads.py",
        "unit/test_wishes.py",
        "unit/test_variants.py",
    ],
    "engine": ["browser/test_*.py"],
}
HEAVY = [  # what pytest, its plugins and the tests import: once, not once a mutant
    *("numpy.testing", "hypothesis", "IPython", "anywidget", "playwright.sync_api"),
    *("nbval.plugin", "nbformat.validator", "jupyter_client", "anyio.pytest_plugin"),
    *("nbconvert", "latex2mathml.converter", "autograd.numpy", "xdist.remote"),
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


def shares(name: str, package: Path) -> dict[str, int]:
    """Find the modules of a list: one in how many mutants of each is tried."""
    found: dict[str, int] = {}
    for pattern, share in SHARES[name].items():
        for path in sorted(package.glob(pattern)):
            if path.name != "__init__.py":
                found.setdefault(path.relative_to(package).as_posix(), share)
    return found


def python_mutants(name: str, package: Path) -> list[Mutant]:
    """Let Cosmic Ray change the modules of a list."""
    made = subprocess.run(
        [cosmic_rays_python(), HERE / "python_mutants.py"]
        + [f"{file}:{share}" for file, share in shares(name, package).items()],
        cwd=package,
        capture_output=True,
        check=True,
    )
    return [
        Mutant(m["file"], f"`{m['before']}` → `{m['after']}`", m["source"])
        for m in json.loads(made.stdout)
    ]


def hand_made(changes: list[Change], package: Path) -> tuple[list[Mutant], list[str]]:
    """Return the mutants, and what is wrong with those that no longer fit."""
    made, misfits = [], []
    for m in changes:
        file = package / m.file
        source = file.read_text(encoding="utf-8") if file.is_file() else ""
        change = f"`{m.before}` → `{m.after}`"
        if (times := source.count(m.before)) == 1:
            changed = source.replace(m.before, m.after)
            made.append(Mutant(m.file, change, changed, m.guard, m.why))
        else:
            there = f"this stands there {times} times"
            misfits.append(f"{m.file}: {m.why}: {there}:\n{m.before}")
    return made, misfits


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
    options += ["--hypothesis-seed=0", "--hypothesis-profile=unshrunk"]
    code = pytest.main([*options, *tests])
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
    if not failed:  # what is changed cannot even be imported
        return "".join(said.splitlines()[-1:]) or "no word"
    return failed[1]


def guarding(name: str, file: str = "") -> list[str]:
    """Find the test files that guard what a list changes; first those named like it."""
    found = [path for pattern in TESTS[name] for path in ROOT.glob(f"tests/{pattern}")]
    found.sort(key=lambda path: (Path(file).stem not in path.stem, path))
    return [path.relative_to(ROOT).as_posix() for path in found]


def survivors_of(name: str, mutants: list[Mutant], log: Path) -> set[str]:
    """Try every mutant in the copy that is the working directory."""
    survived = set()
    for k, mutant in enumerate(mutants, 1):
        file = Path(PACKAGE, mutant.file)
        right = file.read_text(encoding="utf-8")
        file.write_text(mutant.source, encoding="utf-8")
        start = time.monotonic()
        by = mutant.guard and killer([f"tests/{mutant.guard}"], log)
        by = by or killer(guarding(name, mutant.file), log)
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
    entry = re.compile(r"^((?:- .+\n)+)  (.+)$", re.M)
    pairs = zip(sections[1::2], sections[2::2], strict=True)
    return {
        name: {
            mutant.removeprefix("- "): why
            for mutants, why in entry.findall(text)
            for mutant in mutants.splitlines()
        }
        for name, text in pairs
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lists", nargs="*", metavar="|".join(TESTS))
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
                made, misfits = hand_made(MUTANTS, package)
                wrong += [f"no longer fits, {misfit}" for misfit in misfits]
            else:
                made = python_mutants(name, package)
            tried = [m for m in made if options.only in f"{m.file}: {m.change} {m.why}"]
            print(f"== {name}: {len(tried)} mutants, after one run without a change")
            guards = sorted({f"tests/{m.guard}" for m in tried if m.guard})
            if failed := killer(guards or guarding(name), log):
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
