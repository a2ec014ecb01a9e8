"""Start JupyterLab at the first notebook: token on, this machine only."""

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
    return os.environ | {
        "JUPYTER_CONFIG_PATH": os.pathsep.join(path for path in paths if path)
    }


def lab_command() -> list[str]:
    """Return the command that starts JupyterLab on 127.0.0.1."""
    command = [sys.executable, "-m", "jupyterlab", "--ServerApp.ip=127.0.0.1"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return command
