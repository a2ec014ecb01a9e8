"""The browser tests' own handles work: a slider, a kernel, the bench, a saved file."""

import pytest
from drive import wait_until
from lab import KERNEL_ID, Lab
from playwright.sync_api import Page

SLIDER = [
    ("markdown", "# A slider"),
    "import ipywidgets, numpy as np\n"
    "slider = ipywidgets.IntSlider(3, description='wet')\n"
    "slider",
]


def test_a_slider_moves_in_the_kernel(lab: Lab, page: Page) -> None:
    lab.run_on_bench(page, *SLIDER)
    page.locator(".noUi-handle").press("ArrowRight")
    wait_until(lambda: lab.python(page, "slider.value") == 4)
    page.get_by_text("4", exact=True).wait_for()
    assert lab.python(page, "a = np.eye(2)\na * 2") == [[2, 0], [0, 2]]
    assert lab.python(page, "b = 1") is None
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        lab.python(page, "1 / 0")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        lab.python(page, "c = 1 / 0")
    with pytest.raises(TimeoutError, match=r"within 0\.2 s"):
        lab.python(page, "import time; time.sleep(1)", seconds=0.2)


def test_a_failing_cell_fails_run_all(lab: Lab, page: Page) -> None:
    with pytest.raises(AssertionError, match="code cell 2 failed: ZeroDivisionError"):
        lab.run_on_bench(page, "1 + 1", "1 / 0")


def test_a_slow_cell_is_too_late(lab: Lab, page: Page) -> None:
    lab.run_on_bench(page, "import time; time.sleep(globals().get('slow', 0))")
    lab.python(page, "slow = 2")
    with pytest.raises(AssertionError, match="more than"):
        lab.run_all(page, seconds=0.5)


def test_the_next_cells_on_the_bench_replace_the_last(lab: Lab, page: Page) -> None:
    lab.run_on_bench(page, "one = 1", "one + 1")
    kernel = page.evaluate(KERNEL_ID)
    lab.run_on_bench(page, "two = one + 1")
    assert page.locator(".jp-Notebook .jp-Cell").count() == 1
    assert page.evaluate(KERNEL_ID) == kernel
    assert lab.python(page, "two") == 2
    lab.kill_kernel(page)
    lab.run_on_bench(page, "'two' in globals()")
    page.get_by_text("False", exact=True).wait_for()


def test_the_lab_reads_binder_labconfig_and_a_kernel_can_be_killed(
    lab: Lab, page: Page
) -> None:
    lab.write("saved.ipynb", SLIDER)
    lab.open(page, "saved.ipynb")
    plugin = "@jupyterlab/apputils-extension:kernels-settings"
    settings = lab.rest("GET", f"/lab/api/settings/{plugin}")
    comms = settings["schema"]["properties"]["commsOverSubshells"]
    assert comms["default"] == "disabled"
    assert "widgets" not in lab.read("saved.ipynb").metadata
    lab.run_all(page)
    page.locator(".noUi-handle").wait_for()
    lab.save(page)
    assert "widgets" in lab.read("saved.ipynb").metadata
    kernels = len(lab.rest("GET", "/api/kernels"))
    lab.kill_kernel(page)
    assert len(lab.rest("GET", "/api/kernels")) == kernels - 1


def test_the_page_collects_errors(page: Page) -> None:
    page.evaluate("console.error('one')")
    page.evaluate("console.error('Canceled future for debug_request message before')")
    page.evaluate("setTimeout(() => { throw new Error('two') })")
    page.evaluate("new Promise(resolve => setTimeout(resolve, 50))")
    assert [error.split(" (")[0] for error in page.errors] == ["one", "two"]
    page.errors.clear()


def test_the_engine_is_a_module_on_a_blank_page(engine_page: Page) -> None:
    assert engine_page.evaluate("typeof helpers.compute") == "function"
