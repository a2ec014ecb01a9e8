"""Start JupyterLab at the first notebook: token on, for this machine only.

The environment variable PORT chooses the port. Further options go to JupyterLab.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"


def lab_environment() -> dict[str, str]:
    """Return the environment in which JupyterLab reads binder/labconfig.

    The settings there keep an explorer alive in a saved notebook, and keep the next
    cell from reading a stale value. Binder gets the same file from binder/postBuild.
    """
    paths = [str(ROOT / "binder"), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    joined = os.pathsep.join(path for path in paths if path)
    return os.environ | {"JUPYTER_CONFIG_PATH": joined}


def lab_options() -> list[str]:
    """Return the options that keep the server on this machine."""
    options = ["--ServerApp.ip=127.0.0.1"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")  # in a container everybody is root
    return options


def first_notebook() -> str:
    """Return the name of the notebook to open: they are numbered."""
    return min(path.name for path in NOTEBOOKS.glob("[0-9]*.ipynb"))


def main() -> None:
    os.environ.update(lab_environment())
    from jupyterlab.labapp import main as start

    options = [
        *lab_options(),
        f"--ServerApp.root_dir={NOTEBOOKS}",
        f"--LabApp.default_url=/lab/tree/{first_notebook()}",
        "--log-level=WARN",  # the address stands alone
    ]
    if os.environ.get("PORT"):
        options += [f"--port={os.environ['PORT']}", "--ServerApp.port_retries=0"]
    print("Starting JupyterLab; Ctrl+C stops it", flush=True)
    start([*options, *sys.argv[1:]])


if __name__ == "__main__":
    main()
