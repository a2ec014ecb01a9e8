"""The explorer's code goes to the browser once a kernel, and is there in every case."""

import json
from copy import deepcopy

import nbformat
import pytest
from drive import OnScreen, assert_kernel, explorers, opened, wait_until
from lab import Lab, close_notebooks
from playwright.sync_api import Page
from words import TEXT

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


def end(lab: Lab, page: Page) -> None:
    lab.kill_kernel(page)
    close_notebooks(page)


def reopened(
    lab: Lab, page: Page, name: str, notebook: nbformat.NotebookNode
) -> OnScreen:
    """Open what was saved, perhaps edited; its kernel knows nothing of it."""
    nbformat.write(notebook, lab.folder / name)
    lab.trust(name)
    lab.open(page, name)
    return OnScreen(page.locator(".attention-explorer:visible"))


def assert_alive(lab: Lab, screen: OnScreen, name: str) -> None:
    screen.drag("embeddings", 1, 0, 4)
    assert_kernel(lab, screen, name)


# ---- once ----


ORDER = """from ipywidgets import Tab, VBox
one, two, three, four = map(explore, ['bank', 'journey', 'the cat sat', 'bank'])"""
TAB = "tab = Tab([four, VBox([two])])\ntab"


def test_the_code_is_sent_once_in_whatever_order_they_are_shown(
    lab: Lab, page: Page
) -> None:
    name = "order.ipynb"
    last = f"five = {ALL_OPTIONS}\nfive"
    lab.write(name, [IMPORT, ORDER, "three", TAB, "one", "three", last])
    lab.open(page, name)
    page.evaluate(LISTEN)
    lab.run_all(page)
    shown = OnScreen(page.locator(".attention-explorer:visible"))
    wait_until(lambda: shown.root.count() == 5)
    assert_sent_once_and_small(page.evaluate("window.opened"))
    assert_small(models(saved(lab, page, 5)))
    assert page.evaluate(SHEETS) == 1
    first, tab, one, again, five = (OnScreen(shown.root.nth(k)) for k in range(5))
    assert [len(s.cells()["embeddings"]) for s in (first, tab, one)] == [12, 20, 20]
    assert_alive(lab, first, "three")
    assert again.numbers() == first.numbers()
    assert_alive(lab, one, "one")
    # the examples come with the code
    assert five.control("example").locator("option").count() > 5
    five.control("example").select_option("the cat sat")
    wait_until(lambda: lab.python(page, "five.tokens") == ["The", "cat", "sat"])
    page.locator(".jupyter-widget-tab .lm-TabBar-tab").nth(1).click()
    wait_until(lambda: len(tab.cells()["embeddings"]) == 18)
    assert_alive(lab, tab, "two")


def assert_sent_once_and_small(sent: list[dict]) -> None:
    """The kernel has told the page the code once, and little of each of five."""
    codes = [state for state in sent if state.get("source")]
    shown = [state for state in sent if "tokens" in state]
    assert (len(codes), len(shown)) == (1, 5)
    assert codes[0]["source"] == SOURCE
    for state in shown:
        assert state["_esm"] == LOADER
        assert len(json.dumps(state)) <= MOST


def assert_small(kept: dict[str, dict]) -> None:
    """The code is saved once; everything else is small."""
    (code,) = [f"IPY_MODEL_{model}" for model in kept if "source" in kept[model]]
    for state in kept.values():
        assert len(json.dumps(state)) <= MOST or "source" in state
        assert state.get("_code", code) == code


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
    name, notebook = path_of(page), saved(lab, page, 2)
    end(lab, page)
    again = reopened(lab, page, name, notebook)
    wait_until(lambda: again.root.count() == 2)
    assert again.root.first.locator("[data-stage=weights]").is_visible()


# ---- without the code, and with another version's ----


def without_code(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    notebook = deepcopy(notebook)
    states = notebook.metadata["widgets"][SAVED]["state"]
    (code,) = [model for model in states if "source" in states[model]["state"]]
    del states[code]
    return notebook


def of_another_version(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    notebook = deepcopy(notebook)
    for state in models(notebook).values():
        if "source" in state:
            state["source"] = state["source"].replace("attention weights", "shares")
            state["style"] += ".attention-explorer { --ring: 9px; }"
    return notebook


@pytest.fixture
def warned(page: Page) -> list[str]:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    return said


def test_without_its_code_it_says_so_and_two_versions_keep_theirs(
    lab: Lab, page: Page, warned: list[str]
) -> None:
    opened(lab, page, IMPORT, "one = explore('bank')\none")
    notebook = saved(lab, page, 1)
    end(lab, page)
    old = reopened(lab, page, "old.ipynb", of_another_version(notebook))
    old.root.wait_for()
    warned.clear()
    new = reopened(lab, page, "new.ipynb", without_code(notebook))
    page.get_by_text(TEXT["code_gone"]).wait_for()
    assert page.locator(".jp-RenderedText[data-mime-type*=error]").count() == 0
    assert any("widget model not found" in text for text in warned)
    lab.run_all(page)
    new.root.wait_for()
    ring = "root => getComputedStyle(root).getPropertyValue('--ring')"
    old = OnScreen(page.locator(".attention-explorer").first)
    read = [(s.root.evaluate(ring), s.root.inner_text()) for s in (new, old)]
    assert [look for look, _ in read] == ["2px", "9px"]
    assert "shares" not in read[0][1]
    assert page.evaluate(SHEETS) == 2
    assert_alive(lab, new, "one")
    page.evaluate(UNDRESS)  # the page is used again
