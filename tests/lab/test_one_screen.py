"""What moves under the hand is in sight: every explorer of every notebook, measured."""

from pathlib import Path
from typing import Any

import nbformat
from lab import Lab
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from places import NOTEBOOKS
from playwright.sync_api import Page, expect
from site_pages import WIDGET_STATE, WIDGET_VIEW

SHOWN_WIDE = "lesson.ipynb"  # by its teacher, without the left side bar
NAMES = sorted(
    (
        path.name
        for path in NOTEBOOKS.glob("*.ipynb")
        if "explore(" in path.read_text(encoding="utf-8")
    ),
    key=lambda name: (name == SHOWN_WIDE, name),
)

# Answer, reveal every stage, then move numbers of each matrix to both ends. Where it
# yields, it goes on once the others are as far, and what was pressed is painted.
MEASURE = """function* (root) {
    const all = what => [...root.querySelectorAll(what)];
    const action = name => root.querySelector(`[data-action=${name}]:not(:disabled)`);
    const asked = action('skip') !== null;
    action('skip')?.click();
    while (action('step')) action('step').click();
    yield;
    const look = () => {
        const from = root.getBoundingClientRect();
        return {
            height: Math.round(from.height),
            tops: all('[data-stage]').map(stage => {
                const {top, left} = stage.getBoundingClientRect();
                return [stage.dataset.stage, Math.round(top - from.top),
                    Math.round(left - from.left)];
            }),
            wide: all('*').filter(e => e.getBoundingClientRect().right > from.right + 1
                && !e.closest('svg, .only-heard')).map(e => e.outerHTML.slice(0, 99)),
        };
    };
    const states = [look()];
    const sliders = all('td input[type=range]');
    const press = (slider, key) => slider.dispatchEvent(
        new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    for (const slider of [sliders[0], sliders[sliders.length >> 1], sliders.at(-1)])
        for (const key of slider ? ['Home', 'End'] : []) {
            yield;
            press(slider, key);
            yield;
            states.push(look());
        }
    const bottoms = [];
    for (const stage of all('.editable, [data-stage=weights], [data-stage=context],'
            + '[data-part=plane]')) {
        const {top, bottom} = stage.getBoundingClientRect();
        bottoms.push([top, bottom]);
    }
    const words = root.querySelector('[data-stage=context], [data-stage=weights]');
    const rows = words?.querySelectorAll('td[data-col="0"]').length ?? 0;
    yield;
    action('reset').click();
    yield;
    return {
        states, asked, rows, together: Math.round(Math.max(...bottoms.map(b => b[1]))
            - Math.min(...bottoms.map(b => b[0]))),
        width: Math.round(root.getBoundingClientRect().width),
        large: root.classList.contains('large'), look: root.className + ' '
            + all('[data-stage]').map(stage => stage.dataset.stage).join(' '),
        big: rows > 6 || ['embeddings', 'queries', 'values'].some(
            name => root.querySelector(`[data-stage=${name}] [data-col="4"]`)),
        matrices: root.querySelector('[data-stage^=W_]') !== null,
        sticks: getComputedStyle(root.querySelector('.last') ?? root).position,
    };
}"""

# All at once, each as wide as it is by now: they fit themselves when that changes. One
# presses after the other, then one looks after the other: that lays the page out once.
MEASURE_ALL = f"""async (roots, [from, to]) => {{
    const frames = async () => {{
        for (let k = 0; k < 4; k++) await new Promise(requestAnimationFrame);
    }};
    await frames();
    const measured = roots.slice(from, to).map({MEASURE});
    const found = measured.map(() => undefined);
    while (found.includes(undefined)) {{
        for (const [k, one] of measured.entries()) found[k] ??= one.next().value;
        await frames();
    }}
    return found;
}}"""
# No line that the kernel is gone; and laid out as if all were in sight.
AS_WITH_A_KERNEL = """.kernel-gone { display: none !important; }
.jp-Cell { content-visibility: visible !important; }"""


def budget(seen: dict[str, Any]) -> int:
    """Return how high an explorer may be in 848 pixels."""
    if not seen["matrices"] or seen["rows"] == 1:
        return 680 if seen["rows"] == 6 else 620
    if seen["rows"] == 6:
        return 680
    return 660 if seen["asked"] else 640


def too_much(seen: dict[str, Any]) -> list[str]:
    """Say what an explorer does that it should not."""
    first, *moved = seen["states"]
    said = []
    if not seen["large"] and seen["width"] < 820:
        said.append(f"only {seen['width']} wide")
    if first["wide"]:
        said.append(f"wider than its output: {first['wide']}")
    for state in moved:
        if state["wide"]:
            said.append(f"wider while a number moves: {state['wide']}")
        if state["height"] != first["height"] or state["tops"] != first["tops"]:
            said.append(f"jumps from {first} to {state}")
    if seen["big"]:
        return said + ([] if seen["sticks"] == "sticky" else ["its last line is away"])
    if seen["large"]:
        high = seen["together"]
        return said + ([f"{high} together: {seen['look']}"] if high > 640 else [])
    high = first["height"]
    return said + ([f"{high} high: {seen['look']}"] if high > budget(seen) else [])


def shown_in(notebook: NotebookNode) -> list[str]:
    """Return the models of the explorers that a notebook shows, in their order."""
    states = notebook.metadata.widgets[WIDGET_STATE]["state"]
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    views = [output.get("data", {}).get(WIDGET_VIEW) for output in outputs]
    models = [view["model_id"] for view in views if view]
    return [model for model in models if "tokens" in states[model]["state"]]


def together(found: dict[str, NotebookNode]) -> NotebookNode:
    """Return one notebook that shows every explorer of these: saved, so all alive."""
    cells, saved = [], {}
    for notebook in found.values():
        widgets = notebook.metadata.widgets[WIDGET_STATE]
        saved = widgets | {"state": saved.get("state", {}) | widgets["state"]}
        for model in shown_in(notebook):
            data = {WIDGET_VIEW: {"model_id": model}}
            cells.append(
                new_code_cell("...", outputs=[new_output("display_data", data)])
            )
    return new_notebook(cells=cells, metadata={"widgets": {WIDGET_STATE: saved}})


def test_every_explorer_is_on_one_screen(lab: Lab, page: Page, site: Path) -> None:
    alive = site.parent / "alive"  # run once for the site, and here not again
    found = {name: nbformat.read(alive / name, as_version=4) for name in NAMES}
    nbformat.write(together(found), lab.folder / "together.ipynb")
    lab.trust("together.ipynb")
    lab.open(page, "together.ipynb")
    whose = [name for name in NAMES for _ in shown_in(found[name])]
    roots = page.locator(".jp-CodeCell .attention-explorer:has([data-stage])")
    expect(roots).to_have_count(len(whose))
    style = page.add_style_tag(content=AS_WITH_A_KERNEL)
    first_wide = whose.index(SHOWN_WIDE)
    seen = roots.evaluate_all(MEASURE_ALL, [0, first_wide])
    page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")
    seen += roots.evaluate_all(MEASURE_ALL, [first_wide, len(whose)])
    style.evaluate("e => e.remove()")  # the page is used again
    wrong = {
        f"{name}, explorer {whose[:k].count(name) + 1}": said
        for k, name in enumerate(whose)
        if (said := too_much(seen[k]))
    }
    assert set(whose) == set(NAMES)
    assert wrong == {}
