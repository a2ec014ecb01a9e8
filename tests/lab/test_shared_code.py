"""The explorer's code goes to the browser once a kernel, and is there in every case."""

import json

import nbformat
import pytest
from drive import OnScreen, assert_kernel, explorers, opened, wait_until
from lab import Lab, close_notebooks
from playwright.sync_api import Page

from attention_helpers.explorer import LOADER, SOURCE

IMPORT = "from attention_helpers import examples, explore"
ALL_OPTIONS = """explore('journey', query='journey', predict='largest_weight', step=3,
    controls=['example', 'mask', 'query'], edit=['embeddings', 'W_query'],
    dropout_p=0.5, dropout_keep=[[True] * 6] * 6)"""
MOST = 5_000  # bytes of an explorer's own state
SAVED = "application/vnd.jupyter.widget-state+json"

LISTEN = """() => {
    const {kernel} = jupyterapp.shell.currentWidget.sessionContext.session;
    window.opened = [];
    kernel.anyMessage.connect((_, {msg}) => {
        if (msg.header.msg_type === 'comm_open') opened.push(msg.content.data.state);
    });
}"""
INSERT = """async code => {
    await jupyterapp.commands.execute('notebook:insert-cell-below');
    jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.setSource(code);
    await jupyterapp.commands.execute('notebook:run-cell');
}"""
SHEETS = "[...document.querySelectorAll('style[data-explorer]')].length"
UNDRESS = "document.querySelectorAll('style[data-explorer]').forEach(e => e.remove())"


def path_of(page: Page) -> str:
    return page.evaluate("jupyterapp.shell.currentWidget.context.path")


def models(notebook: nbformat.NotebookNode) -> dict[str, dict]:
    """Return the states of all widgets in a saved notebook."""
    saved = notebook.metadata.get("widgets", {}).get(SAVED, {"state": {}})
    return {name: model["state"] for name, model in saved["state"].items()}


def saved(lab: Lab, page: Page, count: int) -> nbformat.NotebookNode:
    """Save the notebook; return it as it is on disk, once it has so many explorers."""
    name = path_of(page)

    def explorers_saved() -> int:
        return sum("tokens" in state for state in models(lab.read(name)).values())

    lab.save(page)
    wait_until(lambda: explorers_saved() == count)
    return lab.read(name)


def reopened(lab: Lab, page: Page, notebook: nbformat.NotebookNode) -> OnScreen:
    """Open what was saved, perhaps edited, after its kernel is gone."""
    name = path_of(page)
    lab.kill_kernel(page)
    close_notebooks(page)
    nbformat.write(notebook, lab.folder / name)
    lab.trust(name)
    lab.open(page, name)
    return OnScreen(page.locator(".attention-explorer"))


def assert_alive(lab: Lab, screen: OnScreen, name: str) -> None:
    screen.drag("embeddings", 1, 0, 4)
    assert_kernel(lab, screen, name)


# ---- once ----


def test_the_code_is_sent_once_and_an_explorer_is_small(lab: Lab, page: Page) -> None:
    name = "three.ipynb"
    last = f"three = {ALL_OPTIONS}\nthree"
    lab.write(name, [IMPORT, "explore('bank')", "explore('the cat sat')", last])
    lab.open(page, name)
    page.evaluate(LISTEN)
    lab.run_all(page)
    page.locator(".attention-explorer").nth(2).wait_for()
    states = page.evaluate("window.opened")
    codes = [state for state in states if state.get("source")]
    shown = [state for state in states if "tokens" in state]
    assert (len(codes), len(shown)) == (1, 3)
    assert codes[0]["source"] == SOURCE
    for state in shown:
        assert state["_esm"] == LOADER
        assert len(json.dumps(state)) <= MOST
    kept = models(saved(lab, page, 3))
    (code,) = [f"IPY_MODEL_{model}" for model in kept if "source" in kept[model]]
    for state in kept.values():
        assert len(json.dumps(state)) <= MOST or "source" in state
        assert state.get("_code", code) == code
    assert page.evaluate(SHEETS) == 1
    # the examples come with the code
    screen = explorers(page, 2)
    assert screen.control("example").locator("option").count() > len(shown)
    screen.control("example").select_option("the cat sat")
    wait_until(lambda: lab.python(page, "three.tokens") == ["The", "cat", "sat"])


ORDER = """from ipywidgets import Tab, VBox
one, two, three, four = map(explore, ['bank', 'journey', 'the cat sat', 'bank'])"""


def test_they_are_shown_in_another_order_than_they_were_made(
    lab: Lab, page: Page
) -> None:
    show = "tab = Tab([four, VBox([two])])\ntab"
    opened(lab, page, IMPORT, ORDER, "three", show, "one", "three")
    shown = OnScreen(page.locator(".attention-explorer:visible"))
    wait_until(lambda: shown.root.count() == 4)
    first, tab, one, last = (OnScreen(shown.root.nth(k)) for k in range(4))
    assert [len(s.cells()["embeddings"]) for s in (first, tab, one)] == [12, 20, 20]
    assert_alive(lab, first, "three")
    assert last.numbers() == first.numbers()
    assert_alive(lab, one, "one")
    page.locator(".jupyter-widget-tab .lm-TabBar-tab").nth(1).click()
    wait_until(lambda: len(tab.cells()["embeddings"]) == 18)
    assert_alive(lab, tab, "two")


# ---- again ----


def test_a_reload_takes_the_code_from_the_kernel(lab: Lab, page: Page) -> None:
    opened(lab, page, IMPORT, "one = explore('bank')\none", "two = explore()\ntwo")
    notebook = saved(lab, page, 2)
    del notebook.metadata["widgets"]  # as where JupyterLab does not save widgets
    name = path_of(page)
    nbformat.write(notebook, lab.folder / name)
    lab.trust(name)
    page.reload()
    for k, variable in enumerate(["one", "two"]):
        assert_alive(lab, explorers(page, k), variable)
    assert page.evaluate(SHEETS) == 1


def test_it_is_saved_and_comes_alive_without_a_kernel(lab: Lab, page: Page) -> None:
    opened(lab, page, IMPORT, ORDER, "three", "one")
    explorers(page, 0).drag("embeddings", 1, 0, 9)
    shown = [explorers(page, k).numbers() for k in range(2)]
    reopened(lab, page, saved(lab, page, 4))
    for k in range(2):
        again = explorers(page, k)
        assert again.numbers() == shown[k]
        assert again.drag("embeddings", 0, 0, -5) != []
        assert again.numbers()["weights"] != shown[k]["weights"]


@pytest.fixture
def warned(page: Page) -> list[str]:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    return said


def test_without_its_code_it_says_so(lab: Lab, page: Page, warned) -> None:
    opened(lab, page, IMPORT, "explore('bank')")
    notebook = saved(lab, page, 1)
    states = notebook.metadata["widgets"][SAVED]["state"]
    (code,) = [model for model in states if "source" in states[model]["state"]]
    del states[code]
    reopened(lab, page, notebook)
    page.get_by_text("The explorer's code is not here any more.").wait_for()
    assert page.locator(".jp-RenderedText[data-mime-type*=error]").count() == 0
    assert any("widget model not found" in text for text in warned)
    lab.run_all(page)
    explorers(page).drag("embeddings", 0, 0, 3)


def test_closing_widgets_does_not_end_it(lab: Lab, page: Page) -> None:
    opened(lab, page, IMPORT, "one = explore('bank')\none")
    lab.python(page, "import ipywidgets\nipywidgets.Widget.close_all()\n1")
    wait_until(lambda: page.locator(".attention-explorer").count() == 0)
    lab.run_all(page)
    assert_alive(lab, explorers(page), "one")
    lab.python(page, "one._code.close()\n1")  # the code alone
    screen = explorers(page)
    assert_alive(lab, screen, "one")
    page.evaluate(INSERT, "two = explore('journey')\none")
    both = page.locator(".attention-explorer")
    wait_until(lambda: both.count() == 2)
    assert_alive(lab, OnScreen(both.nth(1)), "one")
    assert screen.numbers() == OnScreen(both.nth(1)).numbers()
    again = reopened(lab, page, saved(lab, page, 2))
    wait_until(lambda: again.root.count() == 2)
    assert again.root.first.locator("[data-stage=weights]").is_visible()


# ---- two kernels, two versions ----


def test_two_versions_on_one_page_keep_their_code_and_style(
    lab: Lab, page: Page
) -> None:
    opened(lab, page, IMPORT, "one = explore('bank')\none")
    notebook = saved(lab, page, 1)
    for state in models(notebook).values():
        if "source" in state:
            state["source"] = state["source"].replace("attention weights", "shares")
            state["style"] += ".attention-explorer { --ring: 9px; }"
    old = reopened(lab, page, notebook)
    old.root.wait_for()
    lab.write("new.ipynb", [IMPORT, "two = explore('bank')\ntwo"])
    lab.open(page, "new.ipynb")
    lab.run_all(page)
    new = OnScreen(page.locator(".attention-explorer:visible"))
    new.root.wait_for()
    ring = "root => getComputedStyle(root).getPropertyValue('--ring')"
    old = OnScreen(page.locator(".attention-explorer").first)
    read = [(s.root.evaluate(ring), s.root.inner_text()) for s in (new, old)]
    assert [look for look, _ in read] == ["2px", "9px"]
    assert "shares" not in read[0][1]
    assert page.evaluate(SHEETS) == 2
    assert_alive(lab, new, "two")
    page.evaluate(UNDRESS)  # the page is used again
