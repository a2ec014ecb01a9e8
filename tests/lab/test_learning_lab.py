"""Learning in a real JupyterLab: Python knows at rest, and keys stay here."""

import numpy as np
import pytest
from drive import assert_kernel, on_bench, wait_until
from lab import Lab
from playwright.sync_api import Page
from words import TEXT, on_page_like

SETUP = """import numpy as np
from attention_helpers import descend, examples, explore
bank = examples["bank"]
W_query, W_key = np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2)).round(2)"""
EXPLORER = """explorer = explore("bank", W_query=W_query, W_key=W_key,
    edit=["W_query", "W_key"], slopes=True, controls=["goal", "rate", "learn"])
explorer"""
WAY = """descend(bank.embeddings, W_query, W_key, bank.W_value,
    goal={"weights": {2: 4}}, rate=1, steps=len(explorer.losses) - 1).losses.tolist()"""
CELLS = "() => jupyterapp.shell.currentWidget.context.model.cells.length"


def test_a_learner_wishes_learns_and_asks_python(lab: Lab, page: Page) -> None:
    screen = on_bench(lab, page, SETUP, EXPLORER)
    cells = page.evaluate(CELLS)
    screen.cell("weights", 2, 4).click()
    screen.control("rate").select_option("1")
    wait_until(lambda: lab.python(page, "explorer.rate") == 1)
    wish = {"weights": {"bank": "river"}}
    assert lab.python(page, "explorer.goal") == wish
    assert screen.root.locator("[data-slope]").count() == 16
    screen.action("learn-step").click()
    screen.action("learn").focus()
    for key in "xdd":  # would cut or delete the cell
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    done = on_page_like(TEXT["learning"]["arrived"])
    screen.root.locator("[data-part=status]", has_text=done).wait_for()
    wait_until(lambda: lab.python(page, "len(explorer.losses)") > 2)
    losses = lab.python(page, "list(explorer.losses)")
    assert losses[-1] < 0.001
    assert losses == pytest.approx(lab.python(page, WAY), rel=1e-6)
    assert_kernel(lab, screen)
    assert page.evaluate(CELLS) == cells
    page.keyboard.press("Control+z")
    wait_until(lambda: lab.python(page, "len(explorer.losses)") == 2)
    assert_kernel(lab, screen)
    lab.python(page, "explorer.reset()")
    wait_until(lambda: screen.root.locator("td[data-goal]").count() == 0)
    lab.python(page, f"setattr(explorer, 'goal', {wish})")
    wait_until(lambda: screen.root.locator("td[data-goal]").count() == 1)
    loss = screen.root.locator("[data-part=loss]").get_attribute("data-value")
    share = lab.python(page, "float(explorer.attention.weights[2, 4])")
    assert float(loss) == pytest.approx(-np.log(share))
    screen.action("learn-step").click()
    wait_until(lambda: lab.python(page, "len(explorer.losses)") == 2)
    assert screen.root.evaluate("e => e.offsetWidth") > 800
    assert screen.root.evaluate("e => e.offsetHeight") <= 640
