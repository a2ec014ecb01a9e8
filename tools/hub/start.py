"""Start a JupyterHub for one class on this machine: `make hub`.

PORT and HOST say where it listens (8000, and every address of this machine);
HUB_CERT and HUB_KEY name the files for https. HUB_FOLDER is where everything is kept
(_hub), HUB_NOTEBOOKS the git repository whose folder notebooks/ the learners get (this
one). HUB_IDLE is the number of seconds after which an idle learner's server ends.
"""

from __future__ import annotations  # for the Python that is too old, and hears so

import contextlib
import os
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VENV = ROOT / ".venv-hub"
PYTHON = VENV / "bin" / "python"
NODE = VENV / "proxy"
PROXY = NODE / "node_modules/configurable-http-proxy/bin/configurable-http-proxy"
PROXY_VERSION = "configurable-http-proxy@5"
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another


def main() -> None:
    if sys.argv[1:] == ["--install"]:
        return install()
    if refused := refusal():
        sys.exit(f"{refused}\nNothing was started.")
    install()
    folder = Path(os.environ.get("HUB_FOLDER") or ROOT / "_hub").resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    words = {name: word(folder / name, size) for name, size in SIZES.items()}
    try:
        publish(folder)
    except subprocess.CalledProcessError as error:
        sys.exit(f"The notebooks come from a git repository: {error.stderr.strip()}")
    run = Path(tempfile.mkdtemp(prefix="hub-", dir="/tmp"))  # a socket's name is short
    try:
        sys.exit(serve(folder, run, words))
    finally:
        shutil.rmtree(run, ignore_errors=True)


def refusal() -> str | None:
    """Return why no hub can be started here, or None."""
    if sys.version_info < (3, 11):  # noqa: UP036 - it may be run by an older one
        return "Python 3.11 or newer is needed; name it: make hub PYTHON=python3.12"
    if sys.platform != "linux":
        return "The hub needs Linux: bubblewrap, which keeps learners apart, does."
    import box  # which Windows cannot import

    if refused := box.refusal():
        return refused
    if shutil.which("git") is None:
        return "git, which brings the notebooks, is missing: sudo apt-get install git"
    return None


def install() -> None:
    """Install into .venv-hub, once; again when what is wanted has changed."""
    requirements = HERE / "requirements.txt"
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = f"{ROOT}\n{requirements.read_text('utf-8')}{PROXY_VERSION}\n{project}"
    stamp = VENV / "installed-hub"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print("Installing into .venv-hub, once: some minutes", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        needed = ["--editable", f"{ROOT}[lab]", "--requirement", requirements]
        if subprocess.run([*pip, *needed]).returncode:
            sys.exit("pip could not install the hub (see the lines above).")
        npm = [VENV / "bin" / "npm", "install", "--silent", "--prefix", NODE]
        path = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"
        if subprocess.run(
            [*npm, PROXY_VERSION], env=os.environ | {"PATH": path}
        ).returncode:
            sys.exit("npm could not install the hub's proxy (see the lines above).")
        stamp.write_text(wanted, encoding="utf-8")
    if os.access(ROOT / "attention_helpers", os.W_OK):  # a box cannot write there
        compiling = [PYTHON, "-m", "compileall", "-q", ROOT / "attention_helpers"]
        subprocess.run(compiling, check=True)


SIZES = {"class": (5, 5), "teacher": (8, 8, 8, 8)}  # JupyterHub: at least 8, 32 letters


def word(path: Path, sizes: tuple[int, ...]) -> str:
    """Return the password in a file; the first time, make one."""
    if not path.exists():
        parts = ["".join(secrets.choice(LETTERS) for _ in range(n)) for n in sizes]
        path.touch(mode=0o600)
        path.write_text("-".join(parts) + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8").strip()


def publish(folder: Path) -> None:
    """Put the committed notebooks/ into the repository that the learners pull from.

    That one has a history of its own, with nothing else of the teacher's repository,
    and only ever grows, whatever the teacher does to the other's history.
    """
    source = os.environ.get("HUB_NOTEBOOKS") or str(ROOT)
    store = str(folder / "notebooks.git")
    if not Path(store).exists():
        git(str(folder), "init", "--quiet", "--bare", "--initial-branch=main", store)
    tree = git(source, "rev-parse", "HEAD:notebooks")
    published = git(store, "for-each-ref", "--format=%(tree) %(objectname)")
    if published.startswith(tree):
        return
    parent = [part for name in published.split()[1:] for part in ("-p", name)]
    names = git(source, "rev-list", "--objects", "--no-object-names", tree)
    sent = subprocess.run(
        ["git", "-C", source, "pack-objects", "--quiet", "--stdout"],
        input=names.encode(),
        capture_output=True,
        check=True,
    ).stdout
    unpack = ["git", "-C", store, "unpack-objects", "-q"]
    subprocess.run(unpack, input=sent, check=True, capture_output=True)
    commit = git(store, *BY, "commit-tree", tree, *parent, "-m", "The notebooks")
    git(store, "update-ref", "refs/heads/main", commit)


BY = ["-c", "user.name=teacher", "-c", "user.email=teacher@localhost"]


def git(folder: str, *arguments: str) -> str:
    """Run git in a folder and return what it says."""
    command = ["git", "-C", folder, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def serve(folder: Path, run: Path, words: dict[str, str]) -> int:
    """Run the hub until it ends or is told to; say where it is once it answers."""
    host, port = os.environ.get("HOST") or "0.0.0.0", os.environ.get("PORT") or "8000"
    scheme = "https" if os.environ.get("HUB_CERT") else "http"
    own = {"HUB_FOLDER": str(folder), "HUB_RUN": str(run)}
    own |= {"HUB_BIND": f"{scheme}://{host}:{port}"}
    for name in ("HUB_CERT", "HUB_KEY"):
        if os.environ.get(name):
            own[name] = str(Path(os.environ[name]).resolve())
    own |= {"PATH": f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    command = [PYTHON, "-m", "jupyterhub", "-f", HERE / "jupyterhub_config.py"]
    log = folder / "hub.log"
    with log.open("w") as written:
        hub = subprocess.Popen(
            command, cwd=run, env=os.environ | own, stdout=written, stderr=written
        )
    signal.signal(signal.SIGTERM, lambda *_: hub.terminate())
    try:
        here = "127.0.0.1" if host == "0.0.0.0" else host
        if not is_up(f"{scheme}://{here}:{port}/hub/health", run / "hub", hub):
            hub.terminate()
            hub.wait()
            said = log.read_text(encoding="utf-8")[-2000:]
            print(f"The hub did not start.\n{said}", file=sys.stderr)
            return 1
        shown = address_in_network() if host == "0.0.0.0" else host
        print(welcome(f"{scheme}://{shown}:{port}", folder, words), flush=True)
        return hub.wait()
    except KeyboardInterrupt:  # the hub has got the same signal from the terminal
        print("Ending every learner's server", flush=True)
        hub.terminate()
        return hub.wait()


def is_up(address: str, hub: Path, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the hub answers through the proxy; False if it does not."""
    end = time.monotonic() + 60
    unchecked = ssl._create_unverified_context()  # this machine, by its number
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError):
            if hub.exists():
                urllib.request.urlopen(address, timeout=5, context=unchecked).close()
                return True
        time.sleep(0.2)
    return False


def address_in_network() -> str:
    """Return this machine's number in its network; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address that is nobody's
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def welcome(address: str, folder: Path, words: dict[str, str]) -> str:
    """Return all that a teacher needs to know, in one place."""
    return f"""
The hub is up.

  address     {address}
  learners    a name of their own, and the class' word: {words["class"]}
  teacher     the name teacher, and the word: {words["teacher"]}
  notebooks   what you commit arrives when a learner's server starts
  their work  {folder / "learners"}

Ctrl+C ends it, and every learner's server."""


if __name__ == "__main__":
    main()
