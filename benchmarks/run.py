"""Install the package and benchmarks/requirements.txt into .venv-bench; run bench.py.

A library that cannot be installed is left out, with a line that says so; the benchmark
names it in its table.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VENV = ROOT / ".venv-bench"
BIN = VENV / ("Scripts" if sys.platform == "win32" else "bin")
PYTHON = BIN / ("python.exe" if sys.platform == "win32" else "python")


def pip(*wanted: str) -> bool:
    """Install into .venv-bench and tell whether it worked."""
    command = [PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    return subprocess.run([*command, *wanted]).returncode == 0


def install() -> None:
    """Install once; again when what is wanted has changed."""
    requirements = (HERE / "requirements.txt").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    stamp = VENV / "installed-bench"
    wanted = f"{ROOT}\n{requirements}\n{project}"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    print("Installing into .venv-bench, once", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    if not pip("--editable", f"{ROOT}[lab]"):
        sys.exit("pip could not install the package (see the lines above).")
    lines = [line for line in requirements.splitlines() if line[:1] not in ("", "#")]
    if not pip(*lines):
        missing = [line for line in lines if not pip(line)]
        print("could not be installed:", *missing, file=sys.stderr, flush=True)
    stamp.write_text(wanted, encoding="utf-8")


def main() -> None:
    """Install, then measure; options go to bench.py."""
    install()
    paths = os.pathsep.join(str(ROOT / name) for name in ("tests/helpers", "tools"))
    command = [PYTHON, HERE / "bench.py", *sys.argv[1:]]
    sys.exit(subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}).returncode)


if __name__ == "__main__":
    main()
