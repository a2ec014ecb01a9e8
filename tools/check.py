"""Run every check: lint, format, types, tests. The exit code tells.

Further arguments go to pytest: `-x`, `-m "not lab"`, `-n 0` for one worker only.

Three workers with a browser each share the machine with whatever else runs there. A
handful of tests that fail among the others is therefore run once more, alone, and
named either way: what fails twice has failed.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"  # by pytest

CHECKS = [["ruff", "check"], ["ruff", "format", "--check"]]
TYPES = ["mypy"]  # beside the tests, whose workers leave a core idle when they begin
HANDFUL = 12
SOME_FAILED = 1  # pytest's exit code; others mean that it did not get that far


def main() -> None:
    start = time.monotonic()
    types = subprocess.Popen(**call(*TYPES), stdout=subprocess.PIPE, text=True)
    failed = [" ".join(check) for check in CHECKS if run(*check)]
    FAILED.unlink(missing_ok=True)
    code = run("pytest", "-n", "auto", *sys.argv[1:])
    if code and not (code == SOME_FAILED and pass_alone(to_repeat())):
        failed.append("pytest")
    print("==", *TYPES)
    print(types.communicate()[0], end="")
    if types.returncode:
        failed.append(" ".join(TYPES))
    print(f"== {time.monotonic() - start:.0f} s", flush=True)
    if failed:
        sys.exit("failed: " + ", ".join(failed))


def run(*check: str) -> int:
    print("==", *check, flush=True)
    return subprocess.run(**call(*check)).returncode


def call(*check: str) -> dict[str, Any]:
    command = [sys.executable, "-m", *check]
    return {"args": command, "cwd": ROOT, "env": environment()}


def environment() -> dict[str, str]:
    """Let what a check starts begin sooner: each worker loads all tests."""
    env = dict(os.environ)
    paths = str(ROOT / "tools" / "quick"), env.get("PYTHONPATH")
    env["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # else it compiles them each time
    env.setdefault("OPENBLAS_NUM_THREADS", "1")  # no matrix here is worth a thread
    return env


def to_repeat() -> list[str]:
    """Name what failed, a notebook as a whole: a cell needs those before it."""
    if not FAILED.exists():
        return []
    names = json.loads(FAILED.read_text(encoding="utf-8"))
    parts = (name.partition("::") for name in names)
    return sorted({p[0] if p[0].endswith(".ipynb") else "".join(p) for p in parts})


def pass_alone(tests: list[str]) -> bool:
    if not 0 < len(tests) <= HANDFUL:
        return False
    passed = not run("pytest", "-n", "0", *tests)
    verdict = "passed" if passed else "not all passed"
    print(f"== failed among the others, {verdict} alone:", *tests, sep="\n  ")
    return passed


if __name__ == "__main__":
    main()
