"""Kernels that are copies of a process that has loaded their packages already.

A kernel starts with a second of work, nearly all of it for packages that no test
changes, and the tests start some eighty. So one process, the nest, loads them once and
forks for each; what is under test is not among them. What Jupyter starts, and stops, is
a small process that asks the nest, hands its signals on and ends with the kernel. Where
no nest answers, it becomes a kernel itself.

usage: python warm_kernels.py DOOR [OPTIONS OF A KERNEL ...]
"""

import contextlib
import functools
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys

PACKAGES = (  # not ipywidgets, nor what needs it: it asks at once which kernel it is in
    *("ipykernel.kernelapp", "ipykernel.zmqshell", "ipykernel.debugger", "psutil"),
    *("IPython.core.completerlib", "IPython.core.debugger", "IPython.core.oinspect"),
    *("sqlite3", "tornado.platform.asyncio", "psygnal", "IPython.display"),
    *("numpy.random", "matplotlib.figure", "matplotlib.backends.backend_agg"),
    *(f"PIL.{kind}ImagePlugin" for kind in ("Bmp", "Gif", "Jpeg", "Ppm", "Png")),
)
NEST = "TESTS_KERNEL_NEST"  # in the environment: the folder of the nest
SENT_ON = (signal.SIGINT, signal.SIGTERM)


# ---- in pytest ----


@contextlib.contextmanager
def nest():
    """Keep a nest; meanwhile Jupyter finds its kernels there. Needs Linux."""
    import subprocess
    import tempfile
    from pathlib import Path
    from unittest import mock

    from jupyter_client.kernelspec import get_kernel_spec

    spec = get_kernel_spec("python3").to_dict()
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening,
    ):
        door = Path(folder, "door")
        listening.bind(str(door))
        listening.listen()
        begin = [sys.executable, "-IS", __file__, str(door)]
        spec["argv"] = [*begin, "-f", "{connection_file}"]
        own = Path(folder, "kernels", "python3", "kernel.json")
        own.parent.mkdir(parents=True)
        own.write_text(json.dumps(spec), encoding="utf-8")
        number = listening.fileno()
        paths = filter(None, [folder, os.environ.get("JUPYTER_PATH")])
        found = {"JUPYTER_PATH": os.pathsep.join(paths), NEST: folder}
        with (
            subprocess.Popen(
                [sys.executable, __file__, "--nest", str(number)],
                stdin=subprocess.PIPE,  # it ends with this
                pass_fds=[number],
            ),
            mock.patch.dict(os.environ, found),
        ):
            yield


# ---- in the nest ----


def wait_for_requests(listening):
    """Fork for each request; return it in the copy, and None in the nest at its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a kernel
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # a kernel ends with its parent
    while listening in select.select([listening, sys.stdin], [], [])[0]:
        asking, _ = listening.accept()
        request, streams, *_ = socket.recv_fds(asking, 2**20, 3)
        load()
        if os.fork() == 0:
            listening.close()
            return asking, json.loads(request), streams
        asking.close()
        for stream in streams:
            os.close(stream)
    return None


@functools.cache
def load():
    """Load what every kernel needs, once the first is asked for."""
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # as there
    for package in PACKAGES:
        importlib.import_module(package)
    gc.freeze()  # what is never looked at is never copied


def become_kernel(asking, request, streams):
    """Run a kernel as if it had been started in the place of who asked for it."""
    import runpy
    import threading

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["folder"])
    own = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    wanted = request["environment"].get("PYTHONPATH", "").split(os.pathsep)
    others = [path for path in sys.path[1:] if path not in own]
    sys.path[:] = [path for path in wanted if path] + others
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.modules["numpy.random"].seed()  # else all begin in the same place

    def die_with_who_asked():
        asking.recv(1)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=die_with_who_asked, daemon=True).start()
    asking.send(str(os.getpid()).encode())
    sys.argv[:] = ["ipykernel_launcher", *request["options"]]
    runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)


# ---- what Jupyter starts ----


def stand_for_a_kernel(door, options):
    request = {
        "options": options,
        "folder": os.getcwd(),
        "environment": dict(os.environ),
    }
    parent = os.getppid()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
        try:
            asking.connect(door)
            socket.send_fds(asking, [json.dumps(request).encode()], [0, 1, 2])
            kernel = int(asking.recv(20))
        except (OSError, ValueError):
            launcher = [sys.executable, "-m", "ipykernel_launcher", *options]
            os.execv(sys.executable, launcher)
        for number in SENT_ON:
            signal.signal(number, lambda number, _: os.kill(kernel, number))
        while os.getppid() == parent:
            if select.select([asking], [], [], 1)[0]:
                break  # the kernel has ended


if __name__ == "__main__":
    if sys.argv[1] == "--nest":
        with socket.socket(fileno=int(sys.argv[2])) as listening:
            asked = wait_for_requests(listening)
        if asked:
            become_kernel(*asked)
    else:
        stand_for_a_kernel(sys.argv[1], sys.argv[2:])
