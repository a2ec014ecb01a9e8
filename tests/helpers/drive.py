"""Read the explorer's page contract, and drive it with a real mouse and real keys."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from lab import Lab
from playwright.sync_api import Locator, Page

from attention_helpers import Explorer
from attention_helpers.explorer import INPUTS, SOURCE, STATE, STYLE, page_state
from attention_helpers.explorer import STAGES as ALL_STAGES

PAGE = """<!doctype html><html lang="en"><title>explorer</title>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width"><style>body {{ margin: 8px;
background: #fff; color: gray }} [data-theme=dark] body {{ background: #111 }}
{style}</style><main><h1 tabindex="-1">explorer</h1></main>
<script type="module">{source}
{bench}
{first}
</script>"""

# It shows one thing after another, and nothing is left of what went before.
BENCH = """{
const kinds = {
    explorer: [createStore, mount],
    laboratory: [LABORATORY.createStore, mountLaboratory],
};
const main = document.querySelector("main"), [h1] = main.children;
const unmounts = [];
window.bench = {
    kinds,
    main,
    put(kind, state, theme) {
        document.documentElement.dataset.theme = theme;
        const here = main.appendChild(document.createElement("div"));
        const [create, mountInto] = kinds[kind];
        const rests = window.rests = [];
        window.store = create(state);
        window.unmount = mountInto(here, store, (patch) => {
            rests.push(structuredClone(patch));
        });
        unmounts.push(unmount);
    },
    clear() {
        for (const unmount of unmounts.splice(0)) unmount();
        if (main.querySelector("div > *")) throw new Error("something is left behind");
        document.body.replaceChildren(main);
        for (const changed of [document.body, main])
            for (const name of changed.getAttributeNames())
                changed.removeAttribute(name);
        main.replaceChildren(h1);
        scrollTo(0, 0);
        h1.focus(); // the first Tab leads to what comes after it
        h1.blur();
    },
};
}"""
CLEAR = """() => {
    if (!window.bench?.main.isConnected) return false;
    bench.clear();
    return true;
}"""
PUT = "([kind, state, theme]) => bench.put(kind, JSON.parse(state), theme)"

# As text: Playwright looks at every single value that it hands over.
READ = """root => JSON.stringify(
    [...new Set([...root.querySelectorAll('[data-stage]')].map(e => e.dataset.stage))]
        .map(stage => [stage, [...root.querySelectorAll(`[data-stage=${stage}] td`)]
            .map(td => ({...td.dataset}))])
)"""


def state_of(explorer: Explorer) -> dict[str, Any]:
    """Return what the page gets from Python, as JSON holds it."""
    return json.loads(json.dumps(page_state(explorer)))


def html_of(explorer: Explorer | None = None) -> str:
    """Return a page that holds an explorer, or room for what is put there."""
    state = json.dumps(json.dumps(explorer and state_of(explorer)))
    state = state.replace("<", "\\u003c")
    return PAGE.format(
        style=STYLE,
        source=SOURCE.replace("</", "<\\/"),
        bench=BENCH,
        first=f'bench.put("explorer", JSON.parse({state}), "light")' * bool(explorer),
    )


def put(page: Page, kind: str, state: dict[str, Any], theme: str) -> Locator:
    """Mount something on a plain page, instead of what was put there before."""
    if not cleared(page):
        write(page, html_of())
    page.evaluate(PUT, [kind, json.dumps(state), theme])
    return page.locator("main > div")


def cleared(page: Page) -> bool:
    """Take away what was put on a page; tell whether there was a place for it."""
    return page.evaluate(CLEAR)


def write(page: Page, text: str) -> None:
    """Show this HTML.

    Not over a document that has shown something: there Chromium's own sliders may not
    move with the mouse.
    """
    page.goto("about:blank")
    page.set_content(text)


def show(page: Page, explorer: Explorer, theme: str = "light") -> "OnScreen":
    """Mount an explorer on a plain page, with no Jupyter anywhere."""
    return OnScreen(put(page, "explorer", page_state(explorer), theme))


class OnScreen:
    """One explorer in a page."""

    def __init__(self, root: Locator) -> None:
        self.root, self.page = root, root.page

    # ---- what can be read ----

    def part(self, name: str) -> str:
        return self.root.locator(f"[data-part={name}]").inner_text()

    def cells(self) -> dict[str, list[dict[str, str]]]:
        """Return the data-* attributes of every number, by stage."""
        return dict(json.loads(self.root.evaluate(READ)))

    def numbers(self) -> dict[str, dict[tuple[int, int], float]]:
        """Return every number in full precision, by stage, row and column.

        In the tables that each head has for itself, by head, row and column.
        """
        places = ("head", "row", "col")
        return {
            stage: {
                tuple(int(cell[name]) for name in places if name in cell): float(
                    cell["value"]
                )
                for cell in cells
            }
            for stage, cells in self.cells().items()
        }

    def number(self, stage: str, row: int, col: int) -> float:
        return float(self.cell(stage, row, col).get_attribute("data-value"))

    # ---- what can be done ----

    def cell(self, stage: str, row: int, col: int, head: int | None = None) -> Locator:
        place = f"[data-stage={stage}] td[data-row='{row}'][data-col='{col}']"
        if head is not None:
            place += f"[data-head='{head}']"
        return self.root.locator(place)

    def head(self, head: int) -> Locator:
        """Return the name of a head, which switches it off and on."""
        return self.root.locator(f"[data-action=head][data-head='{head}']")

    def slider(self, stage: str, row: int, col: int) -> Locator:
        return self.cell(stage, row, col).locator("input[type=range]")

    def action(self, name: str) -> Locator:
        return self.root.locator(f"[data-action={name}]")

    def control(self, name: str) -> Locator:
        return self.root.locator(f"[data-control={name}]")

    def light(self, name: str) -> str | None:
        return self.root.locator(f"[data-light={name}]").get_attribute("data-on")

    @contextmanager
    def held(self, target: Locator) -> Iterator["Hand"]:
        """Press the mouse in the middle of an element, and let go at the end."""
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        x, y = box["x"] + box["width"] // 2, box["y"] + box["height"] // 2
        self.page.mouse.move(round(x), round(y))
        self.page.mouse.down()
        yield Hand(self.page, round(x), round(y))
        self.page.mouse.up()

    def drag(self, stage: str, row: int, col: int, *stops: int) -> list[float]:
        """Drag a number to these pixels from where it was held; it is read at each."""
        with self.held(self.cell(stage, row, col)) as hand:
            seen = []
            for stop in stops:
                hand.to(stop)
                seen.append(self.number(stage, row, col))
        return seen

    def type(self, stage: str, row: int, col: int, text: str) -> None:
        """Double click a number, type another one and press Enter."""
        self.cell(stage, row, col).dblclick()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")


class Hand:
    """A pressed mouse button that moves by whole pixels."""

    def __init__(self, page: Page, x: int, y: int) -> None:
        self.page, self.x, self.y = page, x, y

    def to(self, pixels: int) -> None:
        self.page.mouse.move(self.x + pixels, self.y)


LONGEST_TASK = """() => {
    window.longest = 0;
    new PerformanceObserver(list => {
        longest = Math.max(longest, ...list.getEntries().map(task => task.duration));
    }).observe({type: 'longtask'});
}"""


def swipe(page: Page, x: float, y: float, dx: int, dy: int) -> None:
    """Put a finger down, move it in small steps and lift it."""
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: dict) -> None:
        session.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)}
        )

    touch("touchStart", {"x": x, "y": y})
    for k in range(1, 21):
        touch("touchMove", {"x": x + dx * k / 20, "y": y + dy * k / 20})
    touch("touchEnd")
    session.detach()


@contextmanager
def states_seen(screen: OnScreen, stage: str) -> Iterator[Callable[[], list[str]]]:
    """Record what a stage shows after every change; afterwards the states in order."""
    screen.root.evaluate(
        """(root, stage) => {
            const at = root.querySelector(`[data-stage=${stage}]`);
            window.seen = [];
            const look = () => seen.push(
                [...at.querySelectorAll('td')].map(td => td.dataset.value).join());
            window.watcher = new MutationObserver(look);
            watcher.observe(at, {attributeFilter: ['data-value'], subtree: true});
        }""",
        stage,
    )
    yield lambda: screen.page.evaluate("seen")
    screen.page.evaluate("watcher.disconnect()")


def rested(page: Page, explorer: Explorer) -> Explorer:
    """Give Python what the page has handed over at rest, as the kernel would get it."""
    page.wait_for_function("!store.hand")
    for patch in page.evaluate("window.rests.splice(0)"):
        news = {name: patch[name] for name in STATE if name in patch}
        with explorer.hold_trait_notifications():
            for name, value in news.items():
                setattr(explorer, name, value)
    return explorer


STAGES = ("embeddings", *(stage for stage in ALL_STAGES if stage not in INPUTS))


def assert_same(screen: OnScreen, attention: dict[str, Any]) -> None:
    """Every computed number on the page is NumPy's."""
    for stage, numbers in screen.numbers().items():
        if stage not in attention:
            continue
        expected = np.array(attention[stage], float)
        places = tuple(np.array(list(numbers)).T)  # head, where it has one, row, column
        if expected.ndim > len(places):  # one table of all heads, side by side
            expected = np.hstack(list(expected))
        assert expected.ndim == len(places), stage
        np.testing.assert_allclose(
            list(numbers.values()),
            expected[places],
            rtol=1e-9,
            atol=1e-12,
            err_msg=f"{stage} {list(numbers)}",
        )


def assert_numpy(screen: OnScreen, explorer: Explorer) -> None:
    """The page shows what NumPy computes from what the page has handed over."""
    result = rested(screen.page, explorer).attention
    assert_same(screen, {stage: getattr(result, stage) for stage in STAGES})


# ---- for everybody ----

CONTRASTS = """root => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d');
    const rgb = color => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        if (a < 255) throw new Error('a colour one can see through: ' + color);
        return [r, g, b];
    };
    const light = color => {
        const part = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        const [r, g, b] = rgb(color).map(v => part(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => {
        const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
        return (x + 0.05) / (y + 0.05);
    };
    return Object.fromEntries([...root.querySelectorAll('td')].map(td => {
        const style = getComputedStyle(td);
        const hatched = style.backgroundImage.match(/(rgb|color)\\([^)]*\\)/g);
        const below = hatched ?? [style.backgroundColor];
        if (style.opacity !== '1') throw new Error('dimmed by opacity');
        const place = td.closest('[data-stage]').dataset.stage + ' '
            + td.dataset.row + ' ' + td.dataset.col + ' ' + td.className;
        return [place, Math.min(...below.map(color => ratio(style.color, color)))];
    }));
}"""


def contrasts(screen: OnScreen) -> dict[str, float]:
    """Return how much each number stands out from its cell, 1 to 21."""
    return screen.root.evaluate(CONTRASTS)


AXE_RUN = """async root => {
    const broken = {resultTypes: ['violations']};  // to tell what is right takes longer
    const {violations} = await axe.run(root ?? document, broken);
    return violations.flatMap(({id, nodes}) =>
        nodes.map(({html}) => `${id}: ${html.slice(0, 120)}`));
}"""


def violations(page: Page, root: str | None = None) -> list[str]:
    """Return what axe-core finds wrong with a page, or with a part of it."""
    if not page.evaluate("'axe' in window"):  # half a megabyte, once a document
        page.evaluate(Axe().axe_script)
    return page.evaluate(AXE_RUN, root)


# ---- in JupyterLab ----


def opened(lab: Lab, page: Page, *cells: str, base: str | None = None) -> OnScreen:
    """Run these cells in a notebook of their own; return the first explorer shown."""
    name = f"{uuid.uuid4().hex[:8]}.ipynb"
    lab.write(name, [("markdown", "# An explorer"), *cells])
    lab.open(page, name, base)
    lab.run_all(page)
    return explorers(page)


def on_bench(lab: Lab, page: Page, *cells: str) -> OnScreen:
    """Run these cells where others have run theirs; return the first explorer shown."""
    lab.run_on_bench(page, ("markdown", "# A bench"), *cells)
    return explorers(page)


def explorers(page: Page, which: int = 0) -> OnScreen:
    screen = OnScreen(page.locator(".attention-explorer").nth(which))
    screen.root.locator("[data-stage]").first.wait_for()
    return screen


def assert_kernel(lab: Lab, screen: OnScreen, name: str = "explorer") -> None:
    """The page shows what NumPy computes in the kernel, once that has heard of it."""
    ask = f"{{stage: getattr({name}.attention, stage) for stage in {STAGES}}}"
    wait_until(lambda: assert_same(screen, lab.python(screen.page, ask)) is None)


def wait_until(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Ask again and again; what raises does not hold yet."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(Exception):
            if holds():
                return
        time.sleep(0.05)
    assert holds()


def on_screen(page: Page, index: int = 0) -> OnScreen:
    """Return an explorer of a live page, once it is alive."""
    root = page.locator("[data-explorer]").nth(index)
    root.locator("td[data-value]").first.wait_for()
    return OnScreen(root)
