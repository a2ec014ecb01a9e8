"""The kernel: run a learner's cells, and let the grader call what they hand in.

It reads from its standard input and writes to its standard output; both are taken away
from the learner's code, whose prints go nowhere. Nothing that it says is believed: the
grader judges for itself, see `run.py`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import IO, Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from .. import exercises
from ..exercises import session
from ..exercises.judge.kinds import PASSED
from ..explorer import Explorer
from . import wire


class TooLong(BaseException):
    """A cell took too long; no ``except Exception`` holds it up."""


class Kernel:
    """A shell as in a notebook, with a check that asks the grader."""

    def __init__(self, asks: IO[bytes], tells: IO[bytes]) -> None:
        self.asks, self.tells = asks, tells
        self.turn = threading.RLock()  # one check at a time, whatever threads do
        self.things: list[Any] = []  # functions, classes, objects: the grader's handles
        self.check_here = session.check
        self.shell = a_shell()
        for module in (session, exercises):
            module.check = self.check  # type: ignore[attr-defined]

    def serve(self) -> None:
        """Run cells until there are no more."""
        while message := wire.read(self.asks):
            if "cell" not in message:  # it came for a check that took too long
                continue
            said, shown = self.run(message["cell"], message["seconds"])
            if isinstance(shown, Explorer) and message["moved"]:
                said |= {"moved": move(shown, message["moved"])}
            wire.write(self.tells, {"ran": said})

    def run(self, source: str, seconds: float) -> tuple[dict[str, Any], Any]:
        """Run a cell; return what went wrong, and what its last line showed."""
        wake_up_after(seconds)
        try:
            ran = self.shell.run_cell(source, store_history=True)
            error, shown = ran.error_before_exec or ran.error_in_exec, ran.result
        except BaseException as raised:  # between two lines of IPython's
            error, shown = raised, None
        finally:
            wake_up_after(0)
        return {"error": in_one_line(error), "late": isinstance(error, TooLong)}, shown

    def check(
        self, name: str, answer: Any, *, record: bool = True, seed: int | None = None
    ) -> session.Result:
        """Check an answer as in a notebook, and let the grader judge it, too."""
        result = self.check_here(name, answer, record=record, seed=seed)
        if record:
            with self.turn:
                passed = result.status == PASSED
                packed = wire.pack(answer, self.keep) if passed else None
                said = {"name": name, "seed": seed, "status": result.status}
                said |= {"answer": packed, "class": isinstance(answer, type)}
                said |= {"by_hand": isinstance(answer, Explorer)}
                wire.write(self.tells, {"check": said})
                left = pause()  # while the grader thinks
                while passed and "judged" not in (asked := self.next()):
                    resume(left)
                    self.tell(asked)
                    left = pause()
                resume(left)
        return result

    def next(self) -> dict[str, Any]:
        """Return what the grader asks; without one there is nothing left to do."""
        message = wire.read(self.asks)
        if message is None:
            os._exit(0)
        return message

    def keep(self, thing: Any) -> int:
        """Keep a thing for the grader to call, and return its number."""
        self.things.append(thing)
        return len(self.things) - 1

    def tell(self, asked: dict[str, Any]) -> None:
        """Call a thing and send what comes back."""
        try:
            given = [wire.unpack(item, self.back) for item in asked["given"]]
            thing = self.things[asked["call"]]
            came = thing(*given) if callable(thing) else thing.forward(*given)
            made = asked["keep"]
            packed = {"function": self.keep(came)} if made else wire.pack(came)
        except (Exception, SystemExit) as error:
            packed = {"raised": in_one_line(error)}
        wire.write(self.tells, {"came": packed})

    def back(self, number: int) -> Callable[..., Any]:
        """Return a function that is the grader's."""

        def call(*given: Any) -> Any:
            packed = [wire.pack(item) for item in given]
            wire.write(self.tells, {"back": number, "given": packed})
            came = self.next()["came"]
            if "raised" in came:
                raise ValueError(came["raised"])
            return wire.unpack(came)

        return call


def a_shell() -> Any:
    """Return a shell that shows everything as text, without keeping a history."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell: Any = InteractiveShell.instance(config=config)
    shell.ask_exit = sys.exit
    shell.display_formatter.active_types = ["text/plain"]
    for formatter in ("mimebundle_formatter", "ipython_display_formatter"):
        getattr(shell.display_formatter, formatter).enabled = False
    return shell


def move(explorer: Explorer, moved: dict[str, Any]) -> bool:
    """Put an explorer where a hand has left it; say whether that is possible."""
    try:
        explorer.set_state(moved)
    except Exception:
        return False
    now = {name: getattr(explorer, name) for name in moved}
    return bool(json.loads(json.dumps(now)) == moved)


def in_one_line(error: BaseException | None) -> str | None:
    """Return an error as its name and its first line."""
    if error is None:
        return None
    try:
        said = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
        return said.removesuffix(": ")
    except Exception:
        return type(error).__name__


def wake_up_after(seconds: float) -> None:
    """Raise `TooLong` after some seconds, again and again; 0 for never."""
    if not hasattr(signal, "setitimer"):  # Windows: the grader ends the process
        return

    def ring(*_: Any) -> None:
        if not wire.SPEAKING.locked():  # half a message would be none
            raise TooLong(f"took longer than {seconds:g} s")

    if seconds:
        signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5 if seconds else 0)


def pause() -> float:
    """Stop the clock and return how many seconds were left."""
    timed = hasattr(signal, "setitimer")
    return signal.setitimer(signal.ITIMER_REAL, 0)[0] if timed else 0.0


def resume(left: float) -> None:
    """Let the clock go on."""
    if left:
        signal.setitimer(signal.ITIMER_REAL, left, 0.5)


def limit(most: dict[str, int]) -> None:
    """Set limits that a program cannot raise again, where the system knows them."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, value in most.items():
        if hasattr(resource, name):
            hard = resource.getrlimit(getattr(resource, name))[1]
            value = value if hard < 0 else min(value, hard)
            with contextlib.suppress(OSError, ValueError):  # macOS knows few of them
                resource.setrlimit(getattr(resource, name), (value, value))


def main() -> None:
    """Take the pipe away from the learner's code, then serve."""
    asks, tells = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    first = wire.read(asks) or {"limits": {}}
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    limit(first["limits"])
    kernel = Kernel(asks, tells)
    wire.write(tells, {"ready": True})
    kernel.serve()
