"""A hub to try things on, in a folder of its own: for the tests and the measurement.

As root, as in a container, it runs as a user who owns nothing else.
`--install` makes .venv-hub with a Python that this user can run.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTHON = ROOT / ".venv-hub" / "bin" / "python"
SOMEBODY = 65533  # an id that no account has
AS_SOMEBODY = [
    "setpriv",
    f"--reuid={SOMEBODY}",
    f"--regid={SOMEBODY}",
    "--clear-groups",
]


def unprivileged(command: list[str]) -> list[str]:
    """Return the command as it is run by somebody who is not root."""
    return [*AS_SOMEBODY, *command] if os.geteuid() == 0 else command


def install() -> None:
    """Make .venv-hub; as root with Debian's Python, since pyenv's may be root's own."""
    usual = "/usr/bin/python3"
    python = usual if os.geteuid() == 0 and Path(usual).exists() else sys.executable
    subprocess.run([python, HERE / "start.py", "--install"], check=True)


class Hub:
    """A running hub, with a repository of notebooks of its own."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder / "hub"
        self.notebooks = folder / "teacher"  # the repository
        shutil.copytree(ROOT / "notebooks", self.notebooks / "notebooks")
        if os.geteuid() == 0:
            subprocess.run(
                ["chown", "-R", f"{SOMEBODY}:{SOMEBODY}", folder], check=True
            )
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.environment = os.environ | {
            "HOME": str(folder),
            "USER": "somebody",
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "HUB_FOLDER": str(self.folder),
            "HUB_NOTEBOOKS": str(self.notebooks),
            **environment,
        }
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "The notebooks")
        self.start()

    def start(self) -> None:
        """Start it and read what it prints: the address and the words."""
        self.said = ""
        self.process = subprocess.Popen(
            unprivileged([str(PYTHON), str(HERE / "start.py")]),
            cwd="/",
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for line in self.process.stdout:
            self.said += line
            if "Ctrl+C" in line:
                break
        else:
            self.stop()
            raise RuntimeError(f"the hub did not start:\n{self.said}{self.log()}")
        self.url = self.told("address")
        self.word, self.teachers_word = self.told("learners"), self.told("teacher")

    def told(self, what: str) -> str:
        """Return the last word of a line that the hub printed."""
        return re.search(rf"^  {what} .*?(\S+)$", self.said, re.M)[1]

    def log(self) -> str:
        """Return what the hub has written."""
        log = self.folder / "hub.log"
        return log.read_text() if log.exists() else ""

    def git(self, *arguments: str) -> None:
        """Run git in the teacher's repository."""
        who = ["-c", "user.name=teacher", "-c", "user.email=teacher@localhost"]
        command = unprivileged(["git", *who, *arguments])
        subprocess.run(command, cwd=self.notebooks, env=self.environment, check=True)

    def write(self, learner: str, name: str, text: str) -> None:
        """Put a file into a learner's folder."""
        path = self.folder / "learners" / learner / name
        write = "import pathlib, sys; p = pathlib.Path(sys.argv[1])\n"
        write += (
            "p.parent.mkdir(parents=True, exist_ok=True); p.write_text(sys.argv[2])"
        )
        command = unprivileged([str(PYTHON), "-c", write, str(path), text])
        subprocess.run(command, check=True)

    def stop(self) -> None:
        """End it as Ctrl+C does, with everything that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        finally:
            self.process.stdout.close()


if __name__ == "__main__":
    if sys.argv[1:] != ["--install"]:
        sys.exit("usage: python tools/hub/trial.py --install")
    install()
