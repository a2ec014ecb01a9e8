"""Time the explorer beside three other ways to draw the same heat map.

`make bench` runs it, on any machine with Python 3.11 and a network to install from: it
makes `.venv-bench` and opens one JupyterLab in one headless Chromium (or the one that
the environment variable CHROMIUM names). On two quiet cores it takes five minutes.
Without make: ``python benchmarks/run.py``; with ``--quick`` it takes fewer samples, to
see that it works. Close what else is running; times of a busy machine are noise, so
quote medians and ratios.

What is done: four notebooks in one JupyterLab draw the same map of six words and their
36 numbers (`cells.py`). In rounds, one after the other, each gets the same presses of
the right arrow key and the same mouse drag, 60 moves of one pixel in a second and back.
First with the kernel on the same machine, then behind a proxy that adds 75 ms each way.
Then each learns: sixty steps against the slopes, each drawn; in the browser or, the
others, in a loop of the kernel. Then ours grows, from 4 to 32 tokens and from 2 to 16
dimensions (`growth.js`).

What is noted, in the page (`recorder.js`): the time stamp of the input event; when the
visible map first differs (its text or colours; an image once it has loaded); the first
task after the frame that shows it. Ours draws the embeddings beside the map, too. The
sliders of the others carry the attribute that keeps JupyterLab from taking their keys.
CPU time is that of the server and its kernels, less what they use at rest.

On stdout: tables in Markdown. Written: _bench/results.json, _bench/results.png; with
``--store``, benchmarks/results.json and .png, which README shows and quotes.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import websocket
from browser import FLAGS, find_browser
from cells import LEARN_SETUP, LEARNERS, RIVALS, SETUP, STEPS
from lab import Lab, Wire, free_port
from playwright.sync_api import Browser, Page, sync_playwright
from report import MOVES, Result, describe_machine, draw, percentiles, tables

from attention_helpers import Example, explore
from attention_helpers.explorer import SOURCE, page_state

HERE = Path(__file__).resolve().parent

DEBUGGING_PORT = free_port()
REMOTE = f"--remote-debugging-port={DEBUGGING_PORT}"  # for a mouse that does not wait
KERNELS = {"same machine": 0, "150 ms away": 150}  # milliseconds there and back
RATE = 60  # moves a second
TOKENS, DIMENSIONS = (4, 6, 12, 16, 32), (2, 8, 16)

HANDLES = {
    "ours": "[data-stage=embeddings] td[data-row='1'][data-col='1']",
    "others": ".noUi-handle",
}
LEARN = {
    "ours": "[data-action=learn], [data-action=pause]",
    "others": ".jupyter-button",
}
DRAWN = """name => {
    const cells = document.querySelectorAll('.jp-Notebook .jp-CodeCell');
    window.recorder.root = cells[cells.length - 1].querySelector('.jp-Cell-outputArea');
    return window.recorder.watch(name, window.recorder.root);
}"""
IMPORT = """async source => {
    const blob = new Blob([source], {type: 'text/javascript'});
    window.helpers = await import(URL.createObjectURL(blob));
}"""


def say(text: str, end: str = "\n") -> None:
    """Show progress, beside the tables."""
    print(text, end=end, file=sys.stderr, flush=True)


class Hand:
    """A mouse whose moves do not wait for the page, as Playwright's do."""

    def __init__(self, page: Page) -> None:
        session = page.context.new_cdp_session(page)
        target = session.send("Target.getTargetInfo")["targetInfo"]["targetId"]
        self.socket = websocket.create_connection(
            f"ws://127.0.0.1:{DEBUGGING_PORT}/devtools/page/{target}",
            suppress_origin=True,
            timeout=60,
        )

    def send(self, kind: str, x: int, y: int) -> None:
        """Press, move or release the left button, and go on at once."""
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        event["buttons"] = int(kind != "mouseReleased")
        message = {"id": 1, "method": "Input.dispatchMouseEvent", "params": event}
        self.socket.send(json.dumps(message))

    def wait(self, events: int) -> None:
        """Wait until this many events have arrived."""
        for _ in range(events):
            answer = json.loads(self.socket.recv())
            if "error" in answer:
                raise RuntimeError(answer["error"]["message"])


class Drawing:
    """One heat map in one notebook, and what was measured of it."""

    def __init__(
        self,
        lab: Lab,
        browser: Browser,
        name: str,
        base: str,
        handles: dict[str, str] = HANDLES,
    ) -> None:
        self.name, self.lab = name, lab
        self.context = browser.new_context(viewport={"width": 1280, "height": 1300})
        self.page = self.context.new_page()
        lab.open(self.page, notebook(name, handles), base)
        lab.run_all(self.page, 120)
        self.handle = self.page.locator(handles.get(name, handles["others"])).first
        self.handle.wait_for()
        self.page.evaluate((HERE / "recorder.js").read_text(encoding="utf-8"))
        self._wait_until_drawn()
        self.hand = Hand(self.page)
        self.keys: list[dict[str, float]] = []
        self.drags: list[dict[str, float]] = []

    def _wait_until_drawn(self) -> None:
        end = time.monotonic() + 60
        while not self.page.evaluate(DRAWN, self.name):
            if time.monotonic() > end:
                raise RuntimeError(f"{self.name} drew no heat map")
            self.page.wait_for_timeout(200)
        self.page.wait_for_timeout(1000)

    def focus(self) -> None:
        """Give the keys to the number that moves."""
        self.page.bring_to_front()
        self.handle.scroll_into_view_if_needed()
        self.handle.evaluate(
            """handle => {
                const target = handle.querySelector('input') ?? handle;
                target.dataset.lmSuppressShortcuts = 'true';
                target.focus({preventScroll: true});
            }"""
        )

    def press(self, times: int) -> None:
        """Press the right arrow key, each time the last has been painted."""
        self.focus()
        for _ in range(times):
            self.page.evaluate("recorder.clear()")
            self.page.keyboard.press("ArrowRight")
            key = self.page.evaluate("recorder.afterKey()")
            if key is None:
                raise RuntimeError(f"{self.name} did not change within 10 s of a key")
            self.keys.append(key)
            self.page.wait_for_timeout(120)

    def drag(self, direction: int) -> None:
        """Drag by whole pixels, 60 moves a second, and wait until all is quiet."""
        self.focus()
        box = self.handle.bounding_box()
        x, y = (
            round(box[a] + box[b] / 2) for a, b in (("x", "width"), ("y", "height"))
        )
        self.page.mouse.move(x, y)
        self.hand.send("mousePressed", x, y)
        self.hand.wait(1)
        self.page.wait_for_timeout(100)
        self.page.evaluate("recorder.clear()")
        cpu, begun = self.cpu_seconds(), time.monotonic()
        for move in range(1, MOVES + 1):
            self.hand.send("mouseMoved", x + direction * move, y)
            time.sleep(max(0, begun + move / RATE - time.monotonic()))
        self.hand.send("mouseReleased", x + direction * MOVES, y)
        self.hand.wait(MOVES + 1)
        drag = self.page.evaluate("recorder.afterDrag()")
        took = time.monotonic() - begun
        used = self.cpu_seconds() - cpu - took * self.resting
        drag["cpu"] = max(0.0, used) / drag["seconds"]
        self.drags.append(drag)

    def learn(self) -> dict[str, float]:
        """Learn for as many steps as all others; ours is stopped there."""
        self.page.bring_to_front()
        self.handle.scroll_into_view_if_needed()
        self.page.evaluate("recorder.clear()")
        self.handle.click()
        learned = self.page.evaluate(f"recorder.afterLearning({STEPS})")
        if self.name == "ours":
            self.handle.click()
        return learned

    def cpu_seconds(self) -> float:
        """Return what the server and its kernels have used so far."""
        server = psutil.Process(self.lab.process.pid)
        times = [p.cpu_times() for p in [server, *server.children(recursive=True)]]
        return sum(t.user + t.system for t in times)

    def rest(self, seconds: float) -> None:
        """Measure what server and kernels use while nobody does anything."""
        before = self.cpu_seconds()
        time.sleep(seconds)
        self.resting = (self.cpu_seconds() - before) / seconds

    def look(self) -> str:
        """Return what is to be seen now, as recorder.js has it."""
        return self.page.evaluate("recorder.last")

    def result(self) -> Result:
        """Return medians, percentiles and sums."""
        assert self.drags, "nothing was dragged"
        of = {name: [drag[name] for drag in self.drags] for name in self.drags[0]}
        return {
            "to_change_ms": percentiles([key["change"] for key in self.keys]),
            "to_paint_ms": percentiles([key["paint"] for key in self.keys]),
            "states": float(np.median(of["states"])),
            "lag_ms": float(np.median([lag for lag in of["lag"] if lag is not None])),
            "cpu": float(np.median(of["cpu"])),
            "moves": float(np.median(of["moves"])),
            "drag_seconds": float(np.median(of["seconds"])),
            "keys": self.keys,
            "drags": self.drags,
        }


@contextmanager
def opened_lab() -> Iterator[Lab]:
    """Start a JupyterLab on empty ground, and end it."""
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Path(folder))
        try:
            yield lab
        finally:
            lab.stop()


@contextmanager
def far(lab: Lab, milliseconds: int) -> Iterator[str]:
    """Give an address of the server that is this far away, there and back."""
    wire = Wire(lab.port)
    wire.milliseconds = milliseconds
    try:
        yield wire.url
    finally:
        wire.stop()


def notebook(name: str, handles: dict[str, str] = HANDLES) -> str:
    """Return the file of a drawing: the one that is moved, or the one that learns."""
    return f"{name}_learns.ipynb" if handles is LEARN else f"{name}.ipynb"


def installed(name: str) -> bool:
    """Tell whether what this drawing needs is there."""
    try:
        return bool(metadata.version(RIVALS[name][1]))
    except metadata.PackageNotFoundError:
        return False


def compare(
    lab: Lab, browser: Browser, base: str, rounds: int, keys: int
) -> dict[str, Result]:
    """Drive every drawing in turns: what disturbs the machine disturbs all alike."""
    names = [name for name in RIVALS if installed(name)]
    drawings = []
    for name in names:
        say(f"  opening {RIVALS[name][0]}")
        drawings.append(Drawing(lab, browser, name, base))
    for number in range(1, rounds + 1):
        say(f"  round {number} of {rounds} ", end="")
        for drawing in drawings:
            drawing.rest(0.5)
            drawing.press(keys)
            before = drawing.look()
            drawing.drag(1)
            drawing.drag(-1)
            if drawing.look() != before:
                raise RuntimeError(f"{drawing.name} did not come back where it began")
            say(".", end="")
        say("")
    results = {drawing.name: drawing.result() for drawing in drawings}
    for drawing in drawings:
        drawing.context.close()
    for kernel in lab.rest("GET", "/api/kernels"):
        lab.rest("DELETE", f"/api/kernels/{kernel['id']}")
    return results


def learn(lab: Lab, browser: Browser, base: str, rounds: int) -> dict[str, Result]:
    """Let every drawing learn in turns, each time from the start."""
    results: dict[str, Result] = {}
    for _ in range(rounds):
        for name in filter(installed, RIVALS):
            drawing = Drawing(lab, browser, name, base, LEARN)
            results.setdefault(name, {"runs": []})["runs"].append(drawing.learn())
            drawing.context.close()
            for kernel in lab.rest("GET", "/api/kernels"):
                lab.rest("DELETE", f"/api/kernels/{kernel['id']}")
            say(".", end="")
    say("")
    for result in results.values():
        runs = result["runs"]
        result["steps"] = float(np.median([STEPS / run["seconds"] for run in runs]))
        result["frames"] = float(
            np.median([run["states"] / run["seconds"] for run in runs])
        )
    return results


def state_of(tokens: int, dimensions: int) -> dict[str, Any]:
    """Return an explorer of this size, all stages shown, as the page gets it."""
    random = np.random.default_rng(0)
    words = [f"word{k}" for k in range(tokens)]
    matrices = random.normal(size=(3, dimensions, dimensions)).round(2)
    embeddings = random.normal(size=(tokens, dimensions)).round(2)
    return page_state(explore(Example(words, embeddings, *matrices)))


def grow(page: Page, changes: int) -> list[dict[str, Any]]:
    """Measure ours at every size, in the output of a notebook in JupyterLab."""
    page.evaluate(IMPORT, SOURCE)
    page.bring_to_front()
    script = (HERE / "growth.js").read_text(encoding="utf-8")
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.enable")
    rows = []
    for tokens in TOKENS:
        for dimensions in DIMENSIONS:
            state = state_of(tokens, dimensions)
            argument = {"state": state, "changes": changes, "mounts": 3}
            measured = page.evaluate(script, argument)
            full = heap(session)
            page.evaluate("growthUnmount(); recorder.root.replaceChildren()")
            rows.append(
                {
                    "tokens": tokens,
                    "d": dimensions,
                    "change_ms": percentiles(measured["each"]),
                    "first_draw_ms": percentiles(measured["first"]),
                    "heap_mb": (full - heap(session)) / 1e6,
                }
            )
            say(".", end="")
    say("")
    return rows


def heap(session: Any) -> float:
    """Return the bytes that JavaScript and the page hold, garbage collected."""
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    usage = session.send("Runtime.getHeapUsage")
    return usage["usedSize"] + usage.get("embedderHeapUsedSize", 0)


def write_notebooks(lab: Lab) -> None:
    """Write one notebook for each drawing that can be drawn."""
    for name, (_, _, cell) in RIVALS.items():
        if installed(name):
            lab.write(notebook(name), [SETUP.strip(), cell.strip()])
            lab.write(notebook(name, LEARN), [LEARN_SETUP.strip(), LEARNERS[name]])


def main() -> None:
    """Measure everything, show the tables, write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="see that it works")
    parser.add_argument("--store", action="store_true", help="what README shows")
    options = parser.parse_args()
    rounds, keys, changes = (1, 3, 10) if options.quick else (3, 10, 30)
    into = HERE if options.store else HERE.parent / "_bench"
    into.mkdir(exist_ok=True)
    begun = time.monotonic()
    with sync_playwright() as playwright, opened_lab() as lab:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=[*FLAGS, REMOTE]
        )
        machine = describe_machine(browser.version)
        write_notebooks(lab)
        results: dict[str, Any] = {
            "machine": machine,
            "kernels": {},
            "learning": {},
        }
        for kernel, delay in KERNELS.items():
            say(f"kernel {kernel}")
            with far(lab, delay) if delay else nullcontext(lab.url) as base:
                results["kernels"][kernel] = compare(lab, browser, base, rounds, keys)
                say("  learning ", end="")
                results["learning"][kernel] = learn(lab, browser, base, rounds)
        say("growth ", end="")
        results["growth"] = grow(Drawing(lab, browser, "ours", lab.url).page, changes)
        browser.close()
    results["seconds"] = round(time.monotonic() - begun)
    text = json.dumps(results, indent=1) + "\n"
    (into / "results.json").write_text(text, encoding="utf-8")
    draw(results, into / "results.png")
    print(tables(results))


if __name__ == "__main__":
    main()
