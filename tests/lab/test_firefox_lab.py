"""Chapter 1 in JupyterLab, in Firefox: the page, the kernel and the keys."""

import shutil
from types import SimpleNamespace

import numpy as np
from drive import STAGES, wait_until
from lab import Lab, is_jupyterlabs_own
from live import OnPage
from places import NOTEBOOKS
from webdriver import Firefox

CELLS = """() => [...jupyterapp.shell.currentWidget.context.model.cells]
    .map(cell => [cell.id, cell.type, cell.sharedModel.getSource()])"""
MARK = """() => document.querySelectorAll('.attention-explorer')
    .forEach((root, k) => (root.id = `explorer-${k}`))"""
SHOWN = "document.querySelectorAll('.attention-explorer td[data-value]').length > 80"
SAVED = "!jupyterapp.shell.currentWidget.context.model.dirty"
EXPLORERS = "[x for x in Out.values() if type(x).__name__ == 'Explorer']"


def assert_kernel(lab: Lab, explorer: OnPage, which: int) -> None:
    """The page shows what NumPy computes in the kernel, once that has heard of it."""
    attention = f"{EXPLORERS}[{which}].attention"
    ask = f"{{stage: getattr({attention}, stage) for stage in {STAGES}}}"

    def heard() -> bool:
        found = lab.python(explorer.window, ask)
        as_arrays = {stage: np.array(table) for stage, table in found.items()}
        explorer.shown().assert_same(SimpleNamespace(**as_arrays))
        return True

    wait_until(heard)


SETTLED = """async selector => {
    const found = document.querySelector(selector);
    const middle = () => {
        const { left, top, width, height } = found.getBoundingClientRect();
        return [left + width / 2, top + height / 2];
    };
    let before;
    do {
        found.scrollIntoView({block: 'center'});
        before = middle();
        await new Promise(resolve => setTimeout(resolve, 700));
        await new Promise(resolve => requestIdleCallback(resolve));
    } while (Math.abs(middle()[1] - before[1]) > 1
        || !found.contains(document.elementFromPoint(...middle())));
    return true;
}"""  # JupyterLab moves a cell once more when those above it have appeared


def settled(firefox: Firefox, selector: str) -> str:
    """Give a selector back once it stays in the middle, where a hand looks for it."""
    firefox.evaluate(SETTLED, selector)
    return selector


def test_chapter_1_in_firefox(lab: Lab, firefox: Firefox) -> None:
    own = lab.folder / "chapter_1_in_firefox.ipynb"  # it is saved below
    shutil.copy(NOTEBOOKS / "01_one_word.ipynb", own)
    lab.open(firefox, own.name)
    lab.run_all(firefox)
    firefox.wait_for_function(SHOWN)
    firefox.evaluate(MARK)
    bank = OnPage(firefox, "#explorer-1")
    assert_kernel(lab, bank, 1)

    # a hand on a number, a row, the keys and a menu
    firefox.drag(settled(firefox, bank.cell("embeddings", 4, 0)), *range(-1, -7, -1))
    firefox.drag(settled(firefox, bank.handle(2)), 50)
    bank.press(bank.cell("embeddings", 0, 0) + " input", "ArrowRight", "Tab", "End")
    assert bank.table("embeddings")[0] == [0.1, 3, 0, 0]
    assert bank.table("embeddings")[2] == [1.5, 1.5, 3, 0]
    assert bank.table("embeddings")[4] == [2.4, 0, 1, 0]
    assert_kernel(lab, bank, 1)
    bank.pick("normalise", "sum")
    assert bank.shown().controls["normalise"] == "sum"
    assert_kernel(lab, bank, 1)

    # letters belong to the explorer, Ctrl+S and Escape to the notebook
    before = firefox.evaluate(CELLS)
    for take_the_focus, selector in (
        (firefox.click, bank.cell("weights", 2, 0)),
        (firefox.click, bank.cell("embeddings", 1, 1)),
        (firefox.click, bank.action("large")),
        (bank.press, bank.control("normalise")),
    ):
        take_the_focus(settled(firefox, selector))
        firefox.press(*"xddab")
        assert firefox.evaluate(CELLS) == before
    firefox.press("Control+s")
    firefox.wait_for_function(SAVED)
    firefox.press("Escape", "b")
    firefox.wait_for_function(f"({CELLS})().length === {len(before) + 1}")
    assert [e for e in firefox.new_errors() if not is_jupyterlabs_own(e)] == []
    firefox.goto("about:blank")  # and let the kernel go
