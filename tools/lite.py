"""Build the browser-only lab: a JupyterLite site with all notebooks and our wheel.

usage: python tools/lite.py [--output FOLDER] [--pyodide VERSION --lock FILE]

Plain imports work in it, with no cell that installs: Pyodide's own list of packages,
its lock, is extended by our wheel and the widgets. Pyodide itself stays at its usual
place; a reader's browser fetches it from there. `--lock` takes the list from a file.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

from environment import ROOT

WORK = ROOT / "build" / "lite"
# An environment of its own: the lab of `make lab` would load JupyterLite's extensions.
VENV = WORK / "venv"
PYTHON = VENV / ("Scripts" if sys.platform == "win32" else "bin") / "python"
TOOLS = [
    "build",
    "jupyterlite-core[contents]==0.8.6",
    "jupyterlite-pyodide-kernel==0.8.6",
    "anywidget==0.11.0",
    "ipywidgets==8.1.9",
]
WIDGETS = ["anywidget", "comm", "ipywidgets", "jupyterlab_widgets", "psygnal"]
SHIMS = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi"
CDN = "https://cdn.jsdelivr.net/pyodide/v{}/full"
LOCK = "static/pyodide-lock/pyodide-lock.json"
# Loaded while the kernel starts; imports in a cell would load them one by one.
AT_START = [
    *("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython"),
    *("numpy", "matplotlib", "ipywidgets", "anywidget", "attention-helpers"),
]
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "_lite")
    parser.add_argument("--pyodide", help="another release than JupyterLite's own")
    parser.add_argument("--lock", type=Path, help="Pyodide's list of packages")
    given = parser.parse_args(arguments)
    make_venv()
    version = given.pyodide or own_version()
    wheels = collect_wheels()
    lock = json.loads(read_lock(version, given.lock))
    build(given.output.resolve(), version)
    folder = given.output / Path(LOCK).parent
    folder.mkdir(parents=True)
    for wheel in wheels:
        shutil.copy(wheel, folder)
    (given.output / LOCK).write_text(
        json.dumps(extended(lock, CDN.format(version), wheels))
    )
    print(f"{given.output}, with Pyodide {version}")


def run(*command: str | Path, **options: Any) -> str:
    """Run the environment's Python; what it says is shown where it fails."""
    done = subprocess.run(
        [PYTHON, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )
    if done.returncode:
        sys.exit(done.stdout)
    return done.stdout


def make_venv() -> None:
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    run("-m", "pip", "--disable-pip-version-check", "install", "--quiet", *TOOLS)


def own_version() -> str:
    """Return the Pyodide release that this JupyterLite expects."""
    code = "from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION as v"
    return run("-c", f"{code}; print(v)").strip()


def collect_wheels() -> list[Path]:
    """Gather the wheels that Pyodide's list lacks: ours, the widgets, the kernel's."""
    folder = WORK / "wheels"
    shutil.rmtree(folder, ignore_errors=True)
    run("-m", "build", "--outdir", folder, ROOT)
    names = ", ".join(f"{name!r}" for name in WIDGETS)
    code = f"from importlib.metadata import version as v; print(*map(v, [{names}]))"
    versions = run("-c", code).split()
    pinned = [f"{n}=={v}" for n, v in zip(WIDGETS, versions, strict=True)]
    pure = ["--platform=any", "--only-binary=:all:", "--python-version=3.14"]
    pip = [
        "-m",
        "pip",
        "--disable-pip-version-check",
        "download",
        "--quiet",
        "--no-deps",
    ]
    run(*pip, *pure, "--dest", folder, *pinned)
    for wheel in (VENV / SHIMS).glob("*.whl"):
        if not wheel.name.startswith("widgetsnbextension-3"):
            shutil.copy(wheel, folder)
    return sorted(folder.glob("*.whl"))


def read_lock(version: str, path: Path | None) -> str:
    if path:
        return path.read_text(encoding="utf-8")
    address = f"{CDN.format(version)}/pyodide-lock.json"
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.read().decode()
    except OSError as error:
        sys.exit(f"{address} cannot be fetched ({error}); --lock FILE takes a copy")


def build(output: Path, version: str) -> None:
    """Build the site in a clean folder."""
    lite = WORK / "site"
    for folder in (lite, output):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(
        ROOT / "notebooks",
        lite / "content",
        ignore=shutil.ignore_patterns(".*"),
    )
    (lite / "jupyter-lite.json").write_text(json.dumps(configuration(version)))
    settings = ROOT / "binder" / "labconfig" / "default_setting_overrides.json"
    shutil.copy(settings, lite / "overrides.json")  # the same settings as everywhere
    options = ["--contents", "content", "--output-dir", output, "--no-sourcemaps"]
    run("-m", "jupyterlite_core", "build", *options, "--apps", "lab", cwd=lite)


def configuration(version: str) -> dict[str, Any]:
    """Say where the kernel finds Pyodide and the extended list of packages."""
    kernel = {
        "pyodideUrl": f"{CDN.format(version)}/pyodide.mjs",
        "disablePyPIFallback": True,  # a forgotten wheel fails here, not in a class
        "loadPyodideOptions": {"lockFileURL": f"./{LOCK}", "packages": AT_START},
    }
    data = {"exposeAppInBrowser": True, "litePluginSettings": {KERNEL: kernel}}
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}


def extended(lock: dict[str, Any], base: str, wheels: list[Path]) -> dict[str, Any]:
    """Return Pyodide's list with our wheels; all others stay where they are."""
    packages = {
        name: {**entry, "file_name": f"{base}/{entry['file_name']}"}
        for name, entry in lock["packages"].items()
    }
    ours = {entry["name"]: entry for entry in map(described, wheels)}
    packages = {**packages, **ours}
    for entry in ours.values():
        entry["depends"] = [name for name in entry["depends"] if name in packages]
    return {**lock, "packages": packages}


def described(wheel: Path) -> dict[str, Any]:
    """Return a wheel's entry in Pyodide's list."""
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
        metadata = next(n for n in names if n.endswith(".dist-info/METADATA"))
        about = message_from_bytes(content.read(metadata))
    needs = [n for n in about.get_all("Requires-Dist") or [] if "extra ==" not in n]
    return {
        "name": canonical(about["Name"]),
        "version": about["Version"],
        "file_name": wheel.name,  # beside the list
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted({n.split("/")[0] for n in names if is_module(n)}),
        "depends": [canonical(re.match(r"[\w.-]+", need)[0]) for need in needs],
        "unvendored_tests": False,
        "shared_library": False,
    }


def is_module(name: str) -> bool:
    return name.endswith("/__init__.py") and name.count("/") == 1


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main(sys.argv[1:])
