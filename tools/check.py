"""Run every check: lint, format, types, tests. The exit code tells.

Further arguments go to pytest: `-x`, `-m "not lab"`, `-n 0` for one worker only.
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CHECKS = [
    ["ruff", "check"],
    ["ruff", "format", "--check"],
    ["mypy"],
    ["pytest", "-n", "auto"],
]


def main() -> None:
    failed, start = [], time.monotonic()
    for check in CHECKS:
        more = sys.argv[1:] if check[0] == "pytest" else []
        print("==", *check, *more, flush=True)
        if subprocess.run([sys.executable, "-m", *check, *more], cwd=ROOT).returncode:
            failed.append(" ".join(check))
    print(f"== {time.monotonic() - start:.0f} s", flush=True)
    if failed:
        sys.exit("failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
