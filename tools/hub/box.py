"""The box around one learner: what it sees of this machine, and how much it may take.

A learner's server and kernels see a folder, the programs, and nothing else: no other
files, no other processes, no network. The hub is reached through one socket, the
learner's server through another.
"""

import contextlib
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GB = 1024**3

HOME = "/home"  # all that follows is said as it is named in the box
HUB_SOCKET = "/run/hub"
SERVER_SOCKET = "/run/server/socket"
NOTEBOOKS = "/srv/notebooks.git"
FOLDER = "attention"

# A namespace of each kind, and in the box no further ones: bubblewrap 0.8 or newer.
APART = ["--unshare-all", "--unshare-user", "--disable-userns"]
ETC = ["alternatives", "fonts", "hosts", "ld.so.cache", "localtime", "mime.types"]
LIMITS = {  # for each process
    resource.RLIMIT_DATA: GB,  # what it allocates
    resource.RLIMIT_FSIZE: GB,  # a file that it writes
    resource.RLIMIT_CORE: 0,
}
PROCESSES = 256  # of one learner, threads counted
ENVIRONMENT = {
    "HOME": HOME,
    "SHELL": "/bin/bash",
    "LANG": "C.UTF-8",
    "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
    "JUPYTER_CONFIG_PATH": "/srv/binder",  # the settings of `make lab` and Binder
    "JUPYTER_RUNTIME_DIR": "/tmp/runtime",
    "OMP_NUM_THREADS": "1",  # a thread for each core would eat the memory, and the CPU
    "OPENBLAS_NUM_THREADS": "1",
}

# nbgitpuller merges what the teacher changed and keeps what the learner wrote. Where it
# cannot, the server starts with what is there.
START = f"""ulimit -u {PROCESSES}
timeout 60 gitpuller file://{NOTEBOOKS} main {FOLDER} || test -d {FOLDER} && exec "$@"
"""


def command(home: Path, hub: Path, server: Path, notebooks: Path) -> list[str]:
    """Return the bubblewrap command; what is to run in the box comes after it.

    Parameters
    ----------
    home
        The learner's folder, all that lasts.
    hub
        The hub's socket.
    server
        The folder in which the learner's server makes its socket.
    notebooks
        The bare repository that the notebooks come from.
    """
    box = ["bwrap", *APART, "--die-with-parent", "--new-session"]
    box += ["--uid", "1000", "--gid", "1000", "--hostname", "hub"]
    box += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/dev/shm"):
        box += ["--size", str(GB // 4), "--tmpfs", folder]
    for name in ("bin", "lib", "lib64", "sbin"):
        box += ["--symlink", f"usr/{name}", f"/{name}"]
    for path in programs():
        box += ["--ro-bind", path, path]
    for name in ETC:
        box += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    box += ["--ro-bind", str(ROOT / "binder"), "/srv/binder"]
    box += ["--ro-bind", str(notebooks), NOTEBOOKS]
    box += ["--ro-bind", str(hub), HUB_SOCKET]
    box += ["--bind", str(server), str(Path(SERVER_SOCKET).parent)]
    box += ["--bind", str(home), HOME, "--chdir", HOME]
    return [*box, "bash", "-c", START, "bash"]


def programs() -> list[str]:
    """Return the folders with programs: the system's, Python's, ours."""
    ours = [sys.prefix, str(ROOT / "attention_helpers")]
    python = os.path.realpath(sys.base_prefix)  # not below /usr with pyenv, conda, uv
    linked = [sys.base_prefix, python] if not python.startswith("/usr") else []
    return list(dict.fromkeys(["/usr", *linked, *ours]))


def limit() -> None:
    """Set the limits of the process that is about to become a box."""
    os.nice(5)
    for kind, most in LIMITS.items():
        resource.setrlimit(kind, (most, most))
    with contextlib.suppress(OSError):  # memory runs out: Linux ends one of these
        Path("/proc/self/oom_score_adj").write_text("500")


def refusal() -> str | None:
    """Return why there can be no box on this machine, or None."""
    if os.geteuid() == 0:
        return "Not as root: every learner would be root. Start it as another user."
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    if release < (5, 14):
        return "The hub needs Linux 5.14 or newer, to limit each learner's processes."
    try:
        tried = ["bwrap", *APART, "--ro-bind", "/", "/", "true"]
        ran = subprocess.run(tried, capture_output=True, text=True)
    except FileNotFoundError:
        return (
            "bubblewrap, which keeps learners apart, is missing. Install it:\n"
            "  sudo apt-get install bubblewrap     (Debian, Ubuntu)\n"
            "  sudo dnf install bubblewrap         (Fedora)"
        )
    if ran.returncode:
        return (
            "bubblewrap, which keeps learners apart, cannot make a box here:\n"
            f"  {ran.stderr.strip()}\n"
            "On Ubuntu AppArmor may forbid it; this allows it until the next start:\n"
            "  sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        )
    return None
