"""Make .venv and install the package into it: `lab` or `test`.

This file alone must be readable by older Pythons, to say that they are too old.
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if sys.platform == "win32" else "bin")
PYTHON = BIN / ("python.exe" if sys.platform == "win32" else "python")

ENOUGH = {"lab": ["lab", "test"], "test": ["test"]}  # `test` contains `lab`


def main(extra: str) -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - it may be run by an older one
        sys.exit(
            "Python 3.11 or newer is needed, and this is {}.{}.\n"
            "Is there a newer one? Name it: make {} PYTHON=python3.12".format(
                *sys.version_info[:2], extra
            )
        )
    if not PYTHON.exists():
        make_venv()
    wanted = f"{ROOT}\n{(ROOT / 'pyproject.toml').read_text(encoding='utf-8')}"
    stamps = [VENV / f"installed-{name}" for name in ENOUGH[extra]]
    if any(stamp.exists() and stamp.read_text("utf-8") == wanted for stamp in stamps):
        return
    install(extra)
    (VENV / f"installed-{extra}").write_text(wanted, encoding="utf-8")


def make_venv() -> None:
    print("Making .venv", flush=True)
    made = subprocess.run([sys.executable, "-m", "venv", str(VENV)])
    if made.returncode:
        sys.exit("This Python makes no virtual environments (see the lines above).")


def install(extra: str) -> None:
    """Install the package in place with an extra; a dot for each package."""
    print(f"Installing into .venv, once, for `{extra}` ", end="", flush=True)
    start = time.monotonic()
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install"]
    process = subprocess.Popen(
        [*pip, "--editable", f"{ROOT}[{extra}]"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = []
    for line in process.stdout:
        said.append(line)
        if line.startswith("Collecting"):
            print(".", end="", flush=True)
        elif line.startswith("Installing collected"):
            print(" unpacking", end="", flush=True)
    if process.wait():
        sys.exit("\n" + "".join(said[-30:]) + "\npip could not install the package.")
    print(f", done in {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] not in (["lab"], ["test"]):
        sys.exit("usage: python tools/environment.py lab|test")
    main(sys.argv[1])
