"""Measure a class on the hub: `.venv/bin/python tools/hub/measure.py 30`.

Every learner logs in at once, starts a server, runs chapter 1, and then drags: sends
what the page sends when the hand rests, every two seconds. Their browsers are not
measured: all that moves under a hand moves there. Printed are the times, the memory,
and the CPU while all drag.
"""

import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from learner import Kernel, Learner
from trial import ROOT, Hub

CHAPTER = "01_one_word.ipynb"
DRAG_SECONDS, EVERY = 20, 2
MEGABYTE = 1024**2


def main() -> None:
    count = int(sys.argv[1]) if sys.argv[1:] else 30
    with tempfile.TemporaryDirectory() as folder:
        hub = Hub(Path(folder))
        try:
            measure(hub, count)
        finally:
            start = time.monotonic()
            hub.stop()
            print(f"{'all ended':30} {time.monotonic() - start:6.1f} s")


def measure(hub: Hub, count: int) -> None:
    """Take a class through its lesson, step by step, all at once."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{count} learners, {os.cpu_count()} cores; load before: {load}")
    names = [f"learner{number}" for number in range(count)]
    with ThreadPoolExecutor(count) as pool:

        def step(what: str, do: Callable[[Any], Any], of: list[Any]) -> list[Any]:
            start = time.monotonic()
            done = list(pool.map(do, of))
            print(f"{what:30} {time.monotonic() - start:6.1f} s", flush=True)
            return done

        start = time.monotonic()
        learners = step("all logged in", lambda n: Learner(hub.url, n, hub.word), names)
        step("all servers up", lambda learner: learner.start(600), learners)
        kernels = step("all kernels", lambda learner: learner.kernel(CHAPTER), learners)
        step("chapter 1, all cells", run_chapter, kernels)
        print(f"{'from log-in to here':30} {time.monotonic() - start:6.1f} s")
        for name, value in memory(hub).items():
            print(f"{name:30} {value / MEGABYTE:6.0f} MB")
        before, start = cpu(hub), time.monotonic()
        times = sorted(itertools.chain(*pool.map(drag, kernels)))
        cores = (cpu(hub) - before) / (time.monotonic() - start)
        print(f"{'CPU while all drag':30} {cores:6.2f} cores")
        median, late = statistics.median(times), times[int(0.95 * len(times))]
        print(f"{'an answer, median':30} {median * 1000:6.0f} ms")
        print(f"{'an answer, 95 of 100 within':30} {late * 1000:6.0f} ms")


def run_chapter(kernel: Kernel) -> None:
    """Run every cell of chapter 1; one that fails, where it should not, is an error."""
    for cell in nbformat.read(ROOT / "notebooks" / CHAPTER, 4).cells:
        if cell.cell_type != "code":
            continue
        try:
            kernel.run(f"{cell.source}\nNone")
        except RuntimeError:
            if "raises-exception" not in cell.metadata.get("tags", []):
                raise


def drag(kernel: Kernel) -> list[float]:
    """Move a number for a while; return the seconds until Python had each."""
    code = (
        "from attention_helpers import explore; held = explore('bank'); held.model_id"
    )
    comm = kernel.run(code)
    embeddings = kernel.run("[list(row) for row in held.embeddings]")
    taken, end = [], time.monotonic() + DRAG_SECONDS
    while time.monotonic() < end:
        start = time.monotonic()
        embeddings[4][0] = round(start % 3, 3)
        state = {"method": "update", "state": {"embeddings": embeddings}}
        kernel.send("comm_msg", {"comm_id": comm, "data": state})
        assert kernel.run("held.embeddings[4][0]") == embeddings[4][0]
        taken.append(time.monotonic() - start)
        time.sleep(EVERY)
    return taken


def processes(hub: Hub) -> Iterator[Path]:
    """Yield every process that the hub has started, in boxes or not."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
    for process in parents:
        above = process
        while above not in (0, 1, hub.process.pid):
            above = parents.get(above, 0)
        if above == hub.process.pid:
            yield Path(f"/proc/{process}")


def memory(hub: Hub) -> dict[str, int]:
    """Return PSS in all, and the median of a learner's server and kernel, in bytes."""
    sizes: dict[str, list[int]] = {"servers": [], "kernels": [], "others": []}
    for folder in processes(hub):
        try:
            command = (folder / "cmdline").read_text()
            lines = (folder / "smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        size = next(int(x.split()[1]) * 1024 for x in lines if x.startswith("Pss:"))
        kind = "kernels" if "ipykernel" in command else "others"
        if "python" in command.split("\0")[0] and "singleuser" in command:
            kind = "servers"
        sizes[kind].append(size)
    return {
        "memory in all (PSS)": sum(map(sum, sizes.values())),
        "a server, median (PSS)": int(statistics.median(sizes["servers"] or [0])),
        "a kernel, median (PSS)": int(statistics.median(sizes["kernels"] or [0])),
    }


def cpu(hub: Hub) -> float:
    """Return the seconds of CPU that these processes have used."""
    ticks = 0
    for folder in processes(hub):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
