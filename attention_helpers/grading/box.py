"""A box for a kernel: it sees the system, read-only, and an empty folder of its own.

`bubblewrap <https://github.com/containers/bubblewrap>`_ makes it, on Linux: no network,
no other process, no file but those of Python and of this package.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
ROOMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types")
MEMORY = 3_000_000_000  # bytes, of a kernel and all that it starts
FOLDER = 200_000_000  # bytes in a box's own folder
PROCESSES = 50
LIMITS = {
    "RLIMIT_AS": MEMORY,
    "RLIMIT_FSIZE": 100_000_000,
    "RLIMIT_CORE": 0,
    "RLIMIT_NOFILE": 512,
}
MISSING = (
    "Handed-in notebooks are strangers' code, and bubblewrap, which keeps each in a box"
    " of its own, {why}. On Debian and Ubuntu: sudo apt install bubblewrap. Without it,"
    " add --unboxed on a machine that you can afford to lose: the code then runs with"
    " your rights, can read what you can read, and could change the results."
)
START = (
    "import sys; sys.path[:] = {paths!r};"
    "from attention_helpers.grading.kernel import main; main()"
)


@functools.cache
def trouble() -> str:
    """Say why there is no box here; "" where there is one."""
    if sys.platform != "linux" or not shutil.which("bwrap"):
        return "is not installed here"
    tried = subprocess.run(
        [*_walls(), sys.executable, "-c", ""], capture_output=True, text=True
    )
    said = (tried.stderr.strip().splitlines() or ["no reason given"])[-1]
    return f"does not work here ({said})" if tried.returncode else ""


def command(*, boxed: bool) -> list[str]:
    """Return the command that starts a kernel."""
    start = [sys.executable, "-I", "-B", "-c", START.format(paths=_paths())]
    return [*_walls(), *start] if boxed else start


def surroundings(scratch: str, *, boxed: bool) -> dict[str, str]:
    """Return the environment variables of a kernel: none of yours but the path."""
    home = "/tmp" if boxed else scratch
    kept = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TZ")
    own = dict.fromkeys(("HOME", "IPYTHONDIR", "MPLCONFIGDIR", "TMPDIR"), home)
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return (
        {name: os.environ[name] for name in kept if name in os.environ}
        | own
        | dict.fromkeys(threads, "1")
        | {"MPLBACKEND": "agg"}
    )


def _paths() -> list[str]:
    """Return where Python finds modules here, without the folder that one works in."""
    homes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    own = [
        path
        for path in sys.path
        if any(Path(path).is_relative_to(home) for home in homes)
        or Path(path).name in ("site-packages", "dist-packages")
    ]
    return [*own, str(PACKAGE.parent)]


def _walls() -> list[str]:
    """Return bubblewrap's part of the command."""
    homes = {sys.prefix, sys.base_prefix, *_paths()[:-1], str(PACKAGE)}
    homes |= {str(Path(sys.executable).resolve().parents[1])}
    shown = [Path(home) for home in sorted(homes) if not home.startswith("/usr/")]
    walls = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session"]
    walls += ["--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"]
    for room in map(Path, ROOMS):
        if room.is_symlink():
            walls += ["--symlink", str(room.readlink()), str(room)]
        elif room.is_dir():
            walls += ["--ro-bind", str(room), str(room)]
    walls += ["--proc", "/proc", "--dev", "/dev"]
    walls += ["--size", str(FOLDER), "--tmpfs", "/tmp"]
    for path in (*map(Path, FILES), *shown):
        if path.exists() and str(path) not in ("/", "/usr"):
            walls += ["--ro-bind", str(path), str(path)]
    return [*walls, "--chdir", "/tmp", "--"]


# ---- what a kernel has started ----


def family(first: int) -> list[int]:
    """Return a process and all that descend from it, as far as /proc tells."""
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc") if Path("/proc/self/stat").exists() else ():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it has ended
                stat = Path(entry.path, "stat").read_bytes()
                parent = int(stat.rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found = [first]
    for process in found:  # grows on the way
        found += children.get(process, [])
    return found


def threads() -> int:
    """Return how many threads of yours run on this machine, as far as /proc tells."""
    count = 0
    for tasks in Path("/proc").glob("[0-9]*/task"):
        with contextlib.suppress(OSError):
            count += len(os.listdir(tasks)) if tasks.stat().st_uid == os.getuid() else 0
    return count


def memory(processes: list[int]) -> int:
    """Return how many bytes some processes hold."""
    pages = 0
    for process in processes:
        with contextlib.suppress(OSError):
            pages += int(Path(f"/proc/{process}/statm").read_bytes().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") if pages else 0


def too_much(first: int) -> str:
    """Say what a kernel takes too much of, if anything."""
    processes = family(first)
    if len(processes) > PROCESSES:
        return f"started more than {PROCESSES} processes"
    if memory(processes) > MEMORY:
        return f"took more than {MEMORY // 10**9} GB of memory"
    return ""


def end(process: subprocess.Popen[bytes]) -> None:
    """End a kernel and all that it started: a box ends with its first process."""
    for _ in range(20):
        everyone = family(process.pid) if process.poll() is None else []
        for one in reversed(everyone):
            with contextlib.suppress(OSError):
                os.kill(one, 9) if hasattr(os, "killpg") else process.kill()
        if process.poll() is not None:
            break
        time.sleep(0.05)
    process.wait()
