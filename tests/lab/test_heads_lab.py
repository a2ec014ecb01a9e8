"""Several heads in a real JupyterLab: on one screen, and Python knows at rest."""

import pytest
from drive import assert_kernel, on_bench, wait_until
from lab import Lab
from playwright.sync_api import Page, expect

SETUP = "from attention_helpers import explore"
EXPLORER = """explorer = explore("two questions", heads=2, query="bank",
    edit=["W_query", "W_out"], controls=["heads"])
explorer"""
CELLS = "() => jupyterapp.shell.currentWidget.context.model.cells.length"


def test_a_head_is_switched_off_and_python_hears_of_it(lab: Lab, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    screen = on_bench(lab, page, SETUP, EXPLORER)
    assert screen.root.evaluate("e => e.offsetWidth") == 848
    assert screen.root.evaluate("e => e.offsetHeight") <= 620
    assert_kernel(lab, screen)
    cells = page.evaluate(CELLS)
    screen.head(1).click()
    for key in "xdd":  # would cut or delete the cell
        page.keyboard.press(key)
    wait_until(lambda: lab.python(page, "list(explorer.off)") == [1])
    assert_kernel(lab, screen)
    screen.drag("W_out", 0, 1, 25)
    screen.drag("W_query", 2, 0, -12)
    assert_kernel(lab, screen)
    output = lab.python(page, "explorer.attention.output[2].tolist()")
    assert output[0] != pytest.approx(2.40, abs=0.005)
    page.keyboard.press("Control+z")
    assert_kernel(lab, screen)
    lab.python(page, "explorer.off = [0]")
    expect(screen.head(0)).to_have_attribute("aria-pressed", "false")
    expect(screen.head(1)).to_have_attribute("aria-pressed", "true")
    assert_kernel(lab, screen)
    screen.control("heads").select_option("1")
    wait_until(lambda: lab.python(page, "explorer.heads") == 1)
    assert_kernel(lab, screen)
    lab.python(page, "explorer.reset()")
    expect(screen.head(0)).to_have_attribute("aria-pressed", "true")
    assert_kernel(lab, screen)
    assert page.evaluate(CELLS) == cells
