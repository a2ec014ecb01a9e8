"""Run every check: lint, format, types, tests. The exit code tells.

Further arguments go to pytest.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CHECKS = [
    ["ruff", "check"],
    ["ruff", "format", "--check"],
    ["mypy"],
    ["pytest"],
]


def main() -> None:
    failed = []
    for check in CHECKS:
        more = sys.argv[1:] if check == ["pytest"] else []
        print("==", *check, *more, flush=True)
        if subprocess.run([sys.executable, "-m", *check, *more], cwd=ROOT).returncode:
            failed.append(" ".join(check))
    if failed:
        sys.exit("failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
