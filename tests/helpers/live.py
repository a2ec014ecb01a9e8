"""Explorers in any browser: what they show, and what NumPy says of it."""

import json
import re
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.testing import assert_allclose
from webdriver import Driver

from attention_helpers import Attention, Explorer

INPUTS = ("embeddings", "W_query", "W_key", "W_value", "W_out")
MENUS = ("divide_by", "mask", "normalise", "axis")

ALIVE = """() => [...document.querySelectorAll('[data-explorer]')].every(root =>
    root.querySelector('td[data-value]')) &&
    [...document.querySelectorAll('[data-laboratory]')].every(root =>
        root.children.length)"""
UNFOLD = """() => {
    for (const more of document.querySelectorAll('details.more')) more.open = true;
}"""
READ = """roots => [...document.querySelectorAll(roots)].map(root => ({
    name: root.dataset.explorer,
    locked: root.dataset.locked === 'true',
    controls: Object.fromEntries([...root.querySelectorAll('[data-control]')].map(e =>
        [e.dataset.control, e.type === 'checkbox' ? e.checked : e.value])),
    stages: [...root.querySelectorAll('[data-stage]')].map(stage => [
        stage.dataset.stage,
        'head' in stage.dataset ? Number(stage.dataset.head) : null,
        [...stage.querySelectorAll('tr[data-row]')].map(tr => [
            Number(tr.dataset.row),
            [...tr.querySelectorAll('td')].map(td => td.dataset.value)])]),
    heads: [...root.querySelectorAll('[data-action=head]')].map(e =>
        e.getAttribute('aria-pressed') === 'true'),
}))"""
WAY_TO = """([menu, value]) => {
    const {options, value: now} = document.querySelector(menu);
    const values = [...options].filter(e => !e.disabled).map(e => e.value);
    return values.indexOf(value) - values.indexOf(now);
}"""


ITS_OWN = r"""data-explorer="([^"]+)" data-state='([^']*)'"""


@cache
def numpys(inputs: str) -> Attention:
    """Return every stage as NumPy computes it."""
    return Explorer(**json.loads(inputs)).attention


class Live:
    """One page of the site; `again`: as it stands, where the window still shows it."""

    def __init__(
        self, window: Driver, page: Path, after: str = "", *, again: bool = False
    ) -> None:
        self.window = window
        text = page.read_text(encoding="utf-8")
        if states := re.search(r"const states = JSON\.parse\((.*)\);", text):
            self.states = json.loads(json.loads(states[1]))
        else:  # a page of no notebook
            self.states = {
                name: json.loads(unescape(state))
                for name, state in re.findall(ITS_OWN, text)
            }
        address = page.as_uri() + after
        if not again or window.evaluate("location.href") != address:
            window.goto(address)
        window.wait_for_function(ALIVE, timeout=30_000)
        window.evaluate(UNFOLD)

    def shown(self) -> dict[str, "Shown"]:
        """Return what every explorer shows, by the name of its cell."""
        found = [
            Shown(**read) for read in self.window.evaluate(READ, "[data-explorer]")
        ]
        assert [shown.name for shown in found] == list(self.states)
        return {shown.name: shown for shown in found}

    def explorer(self, name: str) -> "OnPage":
        return OnPage(self.window, f'[data-explorer="{name}"]', self)

    def assert_numpy(self) -> None:
        """Every number of every explorer is NumPy's for the inputs it shows."""
        for name, shown in self.shown().items():
            shown.assert_numpy(self.states[name])


class Shown:
    """What one explorer shows: rows of numbers by stage, and how its controls stand."""

    def __init__(
        self,
        locked: bool,
        controls: dict[str, Any],
        stages: list[Any],
        heads: list[bool],
        name: str | None = None,
    ) -> None:
        self.name, self.locked, self.controls = name, locked, controls
        self.on = heads  # which heads are not switched off, where they have a name
        self.tables = {
            (stage, head): {i: [float(value) for value in values] for i, values in rows}
            for stage, head, rows in stages
        }
        self.stages = {  # those that each head has for itself are not among these
            stage: rows for (stage, head), rows in self.tables.items() if head is None
        }

    def table(self, stage: str) -> list[list[float]]:
        return list(self.stages[stage].values())

    def inputs(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return the inputs and options that it shows, those it hides from `state`."""
        now, controls = dict(state), self.controls
        if "example" in controls:
            now |= state["library"][controls["example"]]
        if "multiply" in controls:
            factor = float(controls["multiply"])
            start = np.array(state["start"]["W_query"])
            now["W_query"] = (factor * start).tolist()
        now |= {name: self.table(name) for name in INPUTS if name in self.stages}
        if controls.get("tie"):
            now["W_key"] = now["W_query"]
        if "dropout" in controls:
            now["dropout_p"] = float(controls["dropout"])
            kept = self.tables.get(("weights", None)) or self.tables["weights", 0]
            now["dropout_keep"] = (np.array(list(kept.values())) != 0).tolist()
        if "heads" in controls:
            now["heads"], now["off"] = int(controls["heads"]), []
        if self.on:
            now["off"] = [head for head, is_on in enumerate(self.on) if not is_on]
        now |= {name: controls[name] for name in MENUS if name in controls}
        names = ("tokens", *INPUTS, *MENUS, "dropout_p", "dropout_keep", "heads", "off")
        return {name: now[name] for name in names}

    def assert_numpy(self, state: dict[str, Any]) -> None:
        assert not (self.locked and {stage for stage, _ in self.tables} - set(INPUTS))
        self.assert_same(numpys(json.dumps(self.inputs(state))))

    def assert_same(self, result: Attention) -> None:
        """Every computed number is the one of this attention."""
        for (stage, head), rows in self.tables.items():
            if stage in INPUTS:
                continue
            expected = getattr(result, stage)
            if expected.ndim == 3:
                one = np.hstack(list(expected)) if head is None else expected[head]
                expected = one
            said = f"{stage} of {self.name}"
            numbers, expected = list(rows.values()), expected[list(rows)]
            assert_allclose(numbers, expected, 1e-12, 1e-12, err_msg=said)


class OnPage:
    """One explorer, and a hand on it."""

    def __init__(self, window: Driver, root: str, live: Live | None = None) -> None:
        self.window, self.root, self.live = window, root, live

    # ---- where things are ----

    def cell(self, stage: str, i: int, j: int) -> str:
        return f"{self.root} [data-stage={stage}] td[data-row='{i}'][data-col='{j}']"

    def handle(self, i: int) -> str:
        return f"{self.root} tr[data-row='{i}'] [data-handle]"

    def action(self, name: str) -> str:
        return f"{self.root} [data-action={name}]"

    def control(self, name: str) -> str:
        return f"{self.root} [data-control={name}]"

    # ---- what can be read ----

    def shown(self) -> Shown:
        [read] = self.window.evaluate(READ, self.root)
        return Shown(**read)

    def table(self, stage: str) -> list[list[float]]:
        return self.shown().table(stage)

    def number(self, stage: str, i: int, j: int) -> float:
        return self.shown().stages[stage][i][j]

    def text(self, selector: str) -> str:
        return self.evaluate("e => e.textContent", f"{self.root} {selector}")

    def evaluate(self, function: str, selector: str) -> Any:
        """Return what a function says of an element."""
        find = f"selector => ({function})(document.querySelector(selector))"
        return self.window.evaluate(find, selector)

    def count(self, selector: str) -> int:
        every = f"{self.root} {selector}"
        return self.window.evaluate(
            "all => document.querySelectorAll(all).length", every
        )

    def has_focus(self, selector: str) -> bool:
        return self.evaluate(
            "e => e !== null && e === document.activeElement", selector
        )

    # ---- what can be done ----

    def press(self, selector: str, *keys: str) -> None:
        """Press keys on an element."""
        self.evaluate("e => e.focus()", selector)
        self.window.press(*keys)

    def pick(self, control: str, value: str) -> None:
        """Choose from a menu with the arrow keys."""
        way = self.window.evaluate(WAY_TO, [self.control(control), value])
        key = "ArrowDown" if way > 0 else "ArrowUp"
        self.press(self.control(control), *[key] * abs(way))
