"""What moves under the hand is in sight: every explorer of every notebook, measured."""

from typing import Any

import pytest
from lab import Lab
from places import NOTEBOOKS
from playwright.sync_api import Page

NAMES = sorted(
    path.name
    for path in NOTEBOOKS.glob("*.ipynb")
    if "explore(" in path.read_text(encoding="utf-8")
)

# Answer, reveal every stage, then move numbers of each matrix to both ends.
MEASURE = """async root => {
    const wait = ms => new Promise(resolve => setTimeout(resolve, ms));
    const all = what => [...root.querySelectorAll(what)];
    const action = name => root.querySelector(`[data-action=${name}]:not(:disabled)`);
    const asked = action('skip') !== null;
    action('skip')?.click();
    while (action('step')) action('step').click();
    await wait(50);
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
            press(slider, key);
            await wait(30);
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
    action('reset').click();
    await wait(30);
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
    said = [
        f"wider than its output: {state['wide']}"
        for state in seen["states"][:1]
        if state["wide"]
    ]
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


@pytest.mark.parametrize("name", NAMES)
def test_every_explorer_is_on_one_screen(lab: Lab, page: Page, name: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    lab.open(page, name)
    lab.run_all(page, seconds=120)
    if name == "lesson.ipynb":
        page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")
    page.locator(".attention-explorer [data-stage]").first.wait_for(state="attached")
    found = []
    for root in page.locator(".attention-explorer").all():
        if root.evaluate("e => e.getClientRects().length"):  # not one folded away
            root.scroll_into_view_if_needed()
            found.append(root.evaluate(MEASURE))
    wrong = {k: said for k, seen in enumerate(found) if (said := too_much(seen))}
    assert found
    assert all(seen["large"] or seen["width"] >= 820 for seen in found)
    assert wrong == {}
