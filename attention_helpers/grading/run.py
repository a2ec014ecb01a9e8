"""Run one notebook, and judge what it hands in."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..exercises.judge.kinds import NOT_ATTEMPTED, NOT_YET, PASSED
from ..exercises.session import EXERCISES, Record, exercise_of
from . import box, wire
from .answers import passes
from .notebook import Cell, Unreadable, read

BY_HAND = "by hand"  # an explorer that nobody can move but its learner
BROKE = "broke"  # its cell raised an error before the check
ENDLESS = "endless"
NOT_REACHED = "not reached"  # the kernel had ended before
UNHEARD = "unheard"  # its cell ran, and the check was not ours
MISSING = "no cell"

GRACE = 3.0  # seconds for a cell to end after it was told to
START = 60.0  # seconds for a kernel to start
IN_ALL = 10  # so many times a cell's time for the whole notebook
MOST_CHECKS = 500
NONSENSE = "its kernel says what a kernel does not say"
LIES = "its own kernel said passed; the grader found that it is not"


class Over(BaseException):
    """The cell, or the kernel, has ended while an answer was being judged."""


class Ended(BaseException):
    """The kernel is no more, or is no longer listened to; the message says why.

    Like `Over` no ``Exception``: the judge would take it for an error of the answer.
    """


@dataclass
class Graded:
    """What came of one notebook."""

    results: dict[str, Record] = field(default_factory=dict)
    broke: list[str] = field(default_factory=list)  # "[12] NameError: ..."
    notes: list[str] = field(default_factory=list)
    seeds: set[int] = field(default_factory=set)


def grade(path: Path, seconds: float, *, boxed: bool) -> Graded:
    """Run a notebook in a kernel of its own; whatever is in it, a result comes back."""
    graded = Graded()
    try:
        cells = read(path)
    except Unreadable as trouble:
        graded.notes.append(str(trouble))
        return graded
    if not any("check" in cell.source for cell in cells):
        graded.notes.append("checks no exercise")
        return graded
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        Notebook(cells, graded, seconds).run(scratch, boxed=boxed)
    return graded


class Notebook:
    """One notebook while its kernel lives."""

    def __init__(self, cells: list[Cell], graded: Graded, seconds: float) -> None:
        self.cells, self.graded, self.seconds = cells, graded, seconds
        self.came: queue.Queue[dict[str, Any] | str] = queue.Queue(maxsize=100)
        self.functions: dict[int, Callable[..., Any]] = {}
        self.fates: dict[int, str] = {}  # of a check that was not heard, by its cell
        self.over: dict[str, Any] | None = None  # a cell's end, come early
        self.moved = False
        self.done = False
        self.checks = 0

    def run(self, scratch: str, *, boxed: bool) -> None:
        """Start a kernel, run all cells, end it; note what was not reached."""
        self.kernel = subprocess.Popen(
            box.command(boxed=boxed),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=scratch,
            env=box.surroundings(scratch, boxed=boxed),
            start_new_session=True,
        )
        assert self.kernel.stdin
        assert self.kernel.stdout
        self.asks, self.tells = self.kernel.stdin, self.kernel.stdout
        threading.Thread(target=self._listen, daemon=True).start()
        whole = START + IN_ALL * self.seconds + 2 * GRACE
        last = threading.Timer(whole, box.end, [self.kernel])  # whatever it does
        last.daemon = True
        last.start()
        cell = None
        try:
            self._tell({"limits": self._limits()})
            self.patience = START
            if "ready" not in self._next():
                raise Ended(NONSENSE)
            self.end = time.monotonic() + IN_ALL * self.seconds
            for cell in self.cells:
                self._run(cell)
        except Ended as why:
            where = f"[{cell.number}] " if cell else ""
            self.graded.broke.append(f"{where}{why}; nothing after that was run")
            if cell:
                late = str(why).startswith("took longer")
                self.fates[cell.number] = ENDLESS if late else BROKE
        finally:
            last.cancel()
            self.done = True
            box.end(self.kernel)
            with contextlib.suppress(OSError):
                self.asks.close()
        self._fill()

    def _limits(self) -> dict[str, int]:
        whole = int(IN_ALL * self.seconds) + 10
        most = box.threads() + box.PROCESSES
        return box.LIMITS | {"RLIMIT_CPU": whole, "RLIMIT_NPROC": most}

    # ---- the cells ----

    def _run(self, cell: Cell) -> None:
        left = self.end - time.monotonic()
        if left <= 0:
            raise Ended(f"took longer than {IN_ALL * self.seconds:g} s in all")
        seconds = min(self.seconds, left)
        self._tell({"cell": cell.source, "seconds": seconds, "moved": cell.moved})
        self.patience = seconds + GRACE
        while (message := self._next()) and "check" in message:
            try:
                if self._judge(message["check"]):
                    self._tell({"judged": True})
            except Over:
                break
        ran = (self.over or message).get("ran")
        self.over = None
        if not isinstance(ran, dict):
            raise Ended(NONSENSE)
        if ran.get("late") is True:
            self.fates[cell.number] = ENDLESS
            self.graded.broke.append(f"[{cell.number}] took longer than {seconds:g} s")
        elif ran.get("error") is not None and not cell.may_fail:
            self.fates[cell.number] = BROKE
            self.graded.broke.append(f"[{cell.number}] {str(ran['error'])[:200]}")
        else:
            self.fates[cell.number] = UNHEARD
        self.moved |= ran.get("moved") is True

    def _judge(self, said: Any) -> bool:
        """Enter what an answer is worth: passed where the grader says so, too.

        Return whether the kernel waits for the grader.
        """
        self.checks += 1
        if not isinstance(said, dict) or self.checks > MOST_CHECKS:
            raise Ended(NONSENSE)
        name, seed, status = said.get("name"), said.get("seed"), said.get("status")
        if not isinstance(name, str) or name not in EXERCISES:
            raise Ended(NONSENSE)
        if status not in (PASSED, NOT_YET, NOT_ATTEMPTED):
            raise Ended(NONSENSE)
        waits = bool(status == PASSED)
        if waits and not self._is_right(name, seed, said):
            status = NOT_YET
            if (note := f"{name}: {LIES}") not in self.graded.notes:
                self.graded.notes.append(note)
        record = self.graded.results.setdefault(name, Record())
        record.add(status)
        unmoved = said.get("by_hand") is True and not self.moved
        if record.status == NOT_ATTEMPTED and unmoved:
            record.status = BY_HAND
        if type(seed) is int:
            self.graded.seeds.add(seed)
        return waits

    def _is_right(self, name: str, seed: Any, said: dict[str, Any]) -> bool:
        try:
            return passes(exercise_of(name, seed), said, self)
        except Exception:  # a seed that there is not, or numbers beyond all bounds
            return False
        finally:
            self.functions.clear()

    def _fill(self) -> None:
        """Give every exercise that stands in the notebook a result."""
        results = self.graded.results
        for cell in self.cells:
            fate = self.fates.get(cell.number, NOT_REACHED)
            for name in cell.checks:
                results.setdefault(name, Record(status=fate))
        for cell in self.cells:
            for name in cell.solves:
                results.setdefault(name, Record(status=MISSING))

    # ---- the pipe ----

    def call(self, thing: int, given: tuple[Any, ...], *, keep: bool = False) -> Any:
        """Call a thing of the kernel's; what it calls back is answered meanwhile."""
        packed = [wire.pack(item, self._send) for item in given]
        self._tell({"call": thing, "given": packed, "keep": keep})
        while "back" in (message := self._next()):
            self._answer(message)
        if "ran" in message:
            self.over = message
            raise Over
        came = message.get("came")
        if not isinstance(came, dict):
            raise Ended(NONSENSE)
        if "raised" in came:
            raise RuntimeError(str(came["raised"])[:200])
        return came["function"] if keep else wire.unpack(came)

    def _send(self, function: Callable[..., Any]) -> int:
        self.functions[len(self.functions)] = function
        return len(self.functions) - 1

    def _answer(self, message: dict[str, Any]) -> None:
        """Call one of the judge's functions for the kernel."""
        try:
            given = [wire.unpack(item) for item in message["given"]]
            packed = wire.pack(self.functions[message["back"]](*given))
        except Exception as error:
            packed = {"raised": str(error)[:500]}
        self._tell({"came": packed})

    def _tell(self, message: dict[str, Any]) -> None:
        try:
            wire.write(self.asks, message)
        except OSError:
            raise Ended("its kernel ended") from None

    def _next(self) -> dict[str, Any]:
        """Return what the kernel says next; look after it meanwhile.

        Only waiting costs patience: that the grader judges is not the learner's fault.
        """
        while self.patience > 0:
            asked = time.monotonic()
            try:
                message = self.came.get(timeout=min(self.patience, 0.2))
            except queue.Empty:
                self.patience -= time.monotonic() - asked
                if excess := box.too_much(self.kernel.pid):
                    raise Ended(excess) from None
                continue
            self.patience -= time.monotonic() - asked
            if isinstance(message, str):
                raise Ended(message)
            return message
        raise Ended(f"took longer than {self.seconds:g} s")

    def _listen(self) -> None:
        """Put what the kernel says into the queue; its end as text."""
        last: dict[str, Any] | str = "its kernel ended"
        try:
            while message := wire.read(self.tells):
                self._put(message)
        except ValueError:
            last = NONSENSE
        except OSError:
            pass
        self._put(last)
        self.tells.close()

    def _put(self, message: dict[str, Any] | str) -> None:
        while not self.done:
            with contextlib.suppress(queue.Full):
                self.came.put(message, timeout=0.5)
                return
