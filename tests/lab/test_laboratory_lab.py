"""The laboratory of d_k in JupyterLab: alive, in step, safe for the keys."""

import pytest
from drive import explorers, opened, wait_until
from lab import Lab, close_notebooks
from playwright.sync_api import Locator, Page, expect

from attention_helpers import average_rows

IMPORT = "from attention_helpers import explore, scale_laboratory"
READ = """root => [...root.querySelectorAll('[data-divisor]')].map(row => [
    row.dataset.divisor,
    Number(row.querySelector('[data-effective]').dataset.effective),
    Number(row.querySelector('[data-frozen]').dataset.frozen)])"""
SHEETS = "[...document.querySelectorAll('style[data-explorer]')].length"
COUNT = "jupyterapp.shell.currentWidget.content.widgets.length"


def laboratory(lab: Lab, page: Page, *cells: str) -> Locator:
    lab.run_on_bench(page, IMPORT, *cells)
    root = page.locator(".scale-laboratory").first
    root.wait_for()
    return root


def shown(root: Locator) -> list[list]:
    return root.evaluate(READ)


def wanted(d_k: int, *, seed: int = 15) -> list[list]:
    rows = average_rows(d_k, seed=seed).items()
    return [
        [name, pytest.approx(row.effective_words), pytest.approx(row.frozen)]
        for name, row in rows
    ]


def test_two_views_share_one_state_and_one_screen_holds_it(
    lab: Lab, page: Page
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    cell = "one = scale_laboratory()\none"
    root = laboratory(lab, page, cell, "one")
    other = page.locator(".scale-laboratory").nth(1)
    other.wait_for()
    root.locator("[data-control=d_k]").press("PageUp")
    assert shown(root) == shown(other) == wanted(16)
    box = root.bounding_box()
    assert 820 <= box["width"] <= 860
    assert box["height"] <= 620


def test_it_lives_and_stays_in_step_with_python(lab: Lab, page: Page) -> None:
    cell = "laboratory = scale_laboratory(predict='cure')\nlaboratory"
    root = laboratory(lab, page, "explore('bank')", cell)
    assert page.evaluate(SHEETS) == 1  # one widget of the kernel holds code and style
    root.locator("[data-choice=sqrt_d_k]").check()
    root.locator("[data-action=commit]").click()
    slider = root.locator("[data-control=d_k]")
    slider.press("End")
    assert shown(root) == wanted(512)
    wait_until(lambda: lab.python(page, "laboratory.d_k") == 512)
    assert lab.python(page, "laboratory.predicted") == "sqrt_d_k"
    said = lab.python(page, "laboratory.averages['1'].effective_words")
    assert shown(root)[0][1] == pytest.approx(said, rel=1e-9)

    lab.python(page, "(setattr(laboratory, 'd_k', 8), setattr(laboratory, 'seed', 3))")
    wait_until(lambda: shown(root) == wanted(8, seed=3))
    expect(root.locator("[data-control='d_k-typed']")).to_have_value("8")

    before = page.evaluate(COUNT)
    for control in ("[data-control=d_k]", "[data-control='d_k-typed']", "button"):
        root.locator(control).first.focus()
        for key in ("x", "d", "d", "Control+z"):
            page.keyboard.press(key)
    root.locator("caption").click()
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert page.evaluate(COUNT) == before
    assert root.is_visible()

    lab.kill_kernel(page)
    expect(root.locator(".kernel-gone")).to_be_visible()
    slider.press("Home")
    assert shown(root) == wanted(2, seed=3)
    slider.press("End")
    assert shown(root) == wanted(512, seed=3)


def saved(lab: Lab, name: str, trait: str) -> list:
    """Return this trait of all widgets in a file."""
    widgets = lab.read(name).metadata["widgets"]
    models = widgets["application/vnd.jupyter.widget-state+json"]["state"].values()
    return [m["state"][trait] for m in models if trait in m["state"]]


def test_saved_with_an_explorer_both_live_without_their_kernel(
    lab: Lab, page: Page
) -> None:
    asking = "explore('bank', query='bank', predict='largest_weight')"
    cell = "laboratory = scale_laboratory(d_k=64, predict='cure')\nlaboratory"
    screen = opened(lab, page, IMPORT, asking, cell)
    root = page.locator(".scale-laboratory")
    root.locator("[data-choice=d_k]").check()
    root.locator("[data-action=commit]").click()
    root.locator("[data-control=d_k]").press("ArrowRight")
    wait_until(lambda: lab.python(page, "laboratory.d_k") == 128)
    screen.drag("embeddings", 2, 0, 9)
    screen.root.locator("[data-choice=bank]").check()
    screen.action("commit").click()
    screen.slider("embeddings", 0, 0).press("ArrowRight")
    page.keyboard.press("Control+s")  # what moved a moment ago is saved too
    name = page.evaluate("jupyterapp.shell.currentWidget.context.path")
    wait_until(lambda: saved(lab, name, "embeddings")[0][0][0] == 0.1)
    assert saved(lab, name, "embeddings")[0][2][0] == 1.9
    assert saved(lab, name, "d_k") == [128]
    before = screen.numbers()
    lab.kill_kernel(page)
    close_notebooks(page)
    lab.open(page, name)
    again = explorers(page)
    assert again.numbers() == before
    verdicts = page.locator("[data-part=verdict]")
    assert verdicts.nth(0).get_attribute("data-said") == "bank"
    assert again.root.locator(".kernel-gone").is_visible()
    again.drag("embeddings", 2, 0, -20)
    assert again.number("embeddings", 2, 0) == -0.1
    assert again.numbers()["weights"] != before["weights"]
    root.wait_for()
    assert shown(root) == wanted(128)
    assert verdicts.nth(1).get_attribute("data-said") == "d_k"
    root.locator("[data-control=d_k]").press("ArrowLeft")
    assert shown(root) == wanted(64)
