"""What breaks in a class, in a real JupyterLab: a learner goes on, and gets it back."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import nbformat
import pytest
from conftest import collect_errors
from drive import (
    LONGEST_TASK,
    OnScreen,
    assert_kernel,
    explorers,
    opened,
    states_seen,
    wait_until,
)
from lab import KERNEL_ID, SAVE, Lab, Wire, close_notebooks
from playwright.sync_api import Error, Page

IMPORT = "from attention_helpers import examples, explore"
SHOW = "explorer = explore({})\nexplorer"
JOURNEY = SHOW.format("'journey', query='journey'")
BANK = SHOW.format("examples['bank'].without_matrices(), query='bank'")

SESSION = "jupyterapp.shell.currentWidget.sessionContext.session"
NETWORK = re.compile(
    r"^WebSocket connection to |^Failed to load resource: net::ERR_"
    r"|^Failed to load resource: .* 404 .*/api/(kernels|sessions)"
    r"|^Connection lost, reconnecting in "
)


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """A page whose console may say that the network failed; nothing else."""
    yield page
    page.errors[:] = [error for error in page.errors if not NETWORK.search(error)]


def assert_quiet(screen: OnScreen) -> None:
    """No error is on the screen, and the explorer says one line at most."""
    page = screen.page
    assert (
        page.locator("[data-mime-type*=stderr], [data-mime-type*=error]").count() == 0
    )
    assert page.get_by_text("Error displaying widget").count() == 0
    assert page.locator(".jupyter-widgets-error-widget").count() == 0
    assert screen.root.locator(".kernel-gone").count() == 1


def close_dialogs(page: Page) -> list[str]:
    """Close what JupyterLab asks or says; return the headings."""
    seen = []
    while page.locator(".jp-Dialog").count():
        dialog = page.locator(".jp-Dialog").first
        seen.append(dialog.locator(".jp-Dialog-header").inner_text())
        dialog.locator("button").last.click()
        dialog.wait_for(state="detached")
    return seen


def path_of(page: Page) -> str:
    return page.evaluate("jupyterapp.shell.currentWidget.context.path")


def first_number(lab: Lab, page: Page, row: int, col: int) -> float:
    return lab.python(page, f"explorer.embeddings[{row}][{col}]")


# ---- the kernel ----


def shut_down(lab: Lab, page: Page) -> None:
    lab.kill_kernel(page)


def shoot(lab: Lab, page: Page) -> None:
    """End the kernel's process; the server starts another one by itself."""
    pid = lab.python(page, "__import__('os').getpid()")
    os.kill(pid, signal.SIGKILL)
    page.locator(".jp-Dialog", has_text="Kernel Restarting").wait_for()


def test_a_drag_goes_on_when_the_kernel_ends(lab: Lab, page: Page) -> None:
    opened(lab, page, IMPORT, JOURNEY)
    for end in (shoot, shut_down):
        assert_the_drag_goes_on(lab, page, end)
        assert_run_all_mends(lab, page)


def assert_the_drag_goes_on(
    lab: Lab, page: Page, end: Callable[[Lab, Page], None]
) -> None:
    screen = explorers(page)
    gone = screen.root.locator(".kernel-gone")
    assert not gone.is_visible()
    before = screen.number("embeddings", 1, 1)
    with screen.held(screen.cell("embeddings", 1, 1)) as hand:
        hand.to(-5)
        end(lab, page)
        with states_seen(screen, "context") as seen:
            for k in range(6, 26):
                hand.to(-k)
                page.wait_for_timeout(10)
    assert len(set(seen())) >= 16
    assert screen.number("embeddings", 1, 1) == round(before - 0.25, 2)
    gone.wait_for()
    assert gone.inner_text().count("\n") == 0
    assert "the explorer goes on; explorer.attention needs Run All" in gone.inner_text()
    assert_quiet(screen)
    assert close_dialogs(page) == (["Kernel Restarting"] if end is shoot else [])
    before = screen.numbers()
    screen.type("embeddings", 0, 0, "-0.5")
    assert screen.numbers()["weights"] != before["weights"]
    screen.slider("embeddings", 0, 0).press("Control+z")
    assert screen.numbers() == before


def assert_run_all_mends(lab: Lab, page: Page) -> None:
    wait_until(lambda: page.evaluate(f"{SESSION}?.kernel?.status !== 'dead'"), 30)
    if no_kernel(page):  # then JupyterLab's Run All starts one and runs one cell
        page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    lab.run_all(page)
    screen = explorers(page)
    assert not screen.root.locator(".kernel-gone").is_visible()
    screen.drag("embeddings", 1, 1, -9)
    assert_kernel(lab, screen)
    assert_quiet(screen)
    assert close_dialogs(page) == []


# ---- the network ----

RECONNECT = "void jupyterapp.commands.execute('kernelmenu:reconnect-to-kernel')"
CONNECTED = """status => status ===
    jupyterapp.shell.currentWidget.sessionContext.session.kernel.connectionStatus"""


def test_a_cut_loses_nothing_and_another_kernel_is_noticed(
    lab: Lab, wire: Wire, page: Page
) -> None:
    screen = opened(lab, page, IMPORT, BANK, base=wire.url)
    for silent in (False, True):
        assert_what_was_dragged_while_cut_off_reaches_python(lab, wire, screen, silent)
        lab.python(page, "explorer.reset()")
        page.wait_for_function("document.querySelector('td.changed') === null")
        assert not screen.root.locator(".kernel-gone").is_visible()
        assert_quiet(screen)
    assert_another_kernel_is_noticed(lab, wire, screen)
    assert_run_all_mends(lab, page)


def assert_what_was_dragged_while_cut_off_reaches_python(
    lab: Lab, wire: Wire, screen: OnScreen, silent: bool
) -> None:
    page = screen.page
    screen.drag("embeddings", 2, 0, 5)
    assert_kernel(lab, screen)
    wire.silent = silent  # what is sent now gets lost
    screen.drag("embeddings", 1, 0, 4)
    with screen.held(screen.cell("embeddings", 2, 0)) as hand:
        hand.to(3)
        wire.cut()
        page.wait_for_function(CONNECTED, arg="connecting")
        hand.to(7)
    drag_while_cut_off(screen, 0, {4: 0.4})
    with states_seen(screen, "embeddings") as seen:
        wire.mend()
        page.evaluate(RECONNECT)  # else it waits for ten to thirty seconds
        page.wait_for_function(CONNECTED, arg="connected")
        close_dialogs(page)
        wait_until(lambda: first_number(lab, page, 0, 0) == 0.4)
        assert_kernel(lab, screen)
        assert seen() == []  # nothing jumped
    assert [first_number(lab, page, i, 0) for i in range(3)] == [0.4, 0.4, 2.2]
    screen.drag("embeddings", 2, 1, -12)
    assert_kernel(lab, screen)


def drag_while_cut_off(screen: OnScreen, row: int, way: dict[int, float]) -> None:
    """Drag; once more only where what JupyterLab asked meanwhile covered the page."""
    close_dialogs(screen.page)
    moved = screen.drag("embeddings", row, 0, *way)
    if moved != list(way.values()) and close_dialogs(screen.page):
        moved = screen.drag("embeddings", row, 0, *way)
    assert moved == list(way.values())


def assert_another_kernel_is_noticed(lab: Lab, wire: Wire, screen: OnScreen) -> None:
    page = screen.page
    screen.drag("embeddings", 2, 0, 5)
    kernel = page.evaluate(KERNEL_ID)
    wire.cut()
    drag_while_cut_off(screen, 2, {7: 2.2})
    lab.rest("POST", f"/api/kernels/{kernel}/restart")
    wire.mend()
    page.evaluate(RECONNECT)
    screen.root.locator(".kernel-gone").wait_for()
    close_dialogs(page)
    assert screen.number("embeddings", 2, 0) == 2.2
    assert_quiet(screen)


# JupyterLab asks every ten seconds by itself, and later while nobody answers.
ASK_SERVER = (
    "async () => { await jupyterapp.serviceManager.sessions.refreshRunning(); }"
)


@pytest.mark.last
def test_the_server_is_stopped_and_started_again(
    lab: Lab, page: Page, kept_pages: dict[str, Page]
) -> None:
    for other in kept_pages.values():  # it would miss its server
        other.goto("about:blank")
    screen = opened(lab, page, IMPORT, BANK)
    screen.drag("embeddings", 2, 0, 5)
    lab.stop()
    try:
        with suppress(Error):
            page.evaluate(ASK_SERVER)
        page.locator(".jp-Dialog").wait_for(timeout=60_000)
        assert close_dialogs(page)[0] == "Server Connection Error"
        drag_while_cut_off(screen, 2, {3: 1.8, -4: 1.1, 9: 2.4})
        assert_quiet(screen)
    finally:
        lab.start()
    wait_until(lambda: page.evaluate(ASK_SERVER) is None and no_kernel(page), 90)
    close_dialogs(page)
    assert screen.root.locator(".kernel-gone").is_visible()
    assert screen.number("embeddings", 2, 0) == 2.4
    screen.drag("embeddings", 1, 0, 4)
    lab.save(page)
    wait_until(lambda: saved(lab, path_of(page))[1][0] == 0.4)
    assert_run_all_mends(lab, page)
    page.goto("about:blank")
    page.errors = [error for error in page.errors if "Failed to fetch" not in error]


def no_kernel(page: Page) -> bool:
    return page.evaluate(f"!{SESSION}?.kernel")


# ---- saving ----

WIDGETS = "application/vnd.jupyter.widget-state+json"


def state_in(notebook: nbformat.NotebookNode, trait: str = "tokens") -> dict:
    """Return the state of the first widget with this trait in a saved notebook."""
    models = notebook.metadata["widgets"][WIDGETS]["state"].values()
    return next(m["state"] for m in models if trait in m["state"])


def saved(lab: Lab, name: str) -> list:
    """Return the numbers of *bank*'s first explorer in a saved notebook."""
    models = lab.read(name).metadata["widgets"][WIDGETS]["state"].values()
    states = [model["state"] for model in models]
    return next(s["embeddings"] for s in states if "coins" in s.get("tokens", []))


def test_a_notebook_saved_in_the_middle_of_a_drag(lab: Lab, page: Page) -> None:
    others = "cat, journey = explore('the cat sat'), explore('journey')"
    screen = opened(lab, page, IMPORT, others, BANK, "cat")
    name = path_of(page)
    screen.drag("embeddings", 1, 0, 3)
    with screen.held(screen.cell("embeddings", 2, 0)) as hand:
        hand.to(4)
        lab.save(page)  # as JupyterLab does by itself every two minutes
        wait_until(lambda: saved(lab, name)[1][0] == 0.3)
        assert saved(lab, name)[2][0] == 1
        assert screen.number("embeddings", 2, 0) == 1.4
        hand.to(6)
        assert screen.number("embeddings", 2, 0) == 1.6
        page.keyboard.press("Control+s")
        wait_until(lambda: saved(lab, name)[2][0] == 1.6)
        nbformat.validate(lab.read(name))
        copy = f"copy_{name}"
        nbformat.write(lab.read(name), lab.folder / copy)
        hand.to(9)
        assert screen.number("embeddings", 2, 0) == 1.9
    assert_kernel(lab, screen)
    assert first_number(lab, page, 2, 0) == 1.9
    screen.slider("embeddings", 2, 0).press("Control+z")
    assert screen.number("embeddings", 2, 0) == 1.6
    shown = [explorers(page, k).numbers() for k in range(2)]
    lab.kill_kernel(page)
    lab.trust(copy)
    close_notebooks(page)
    lab.open(page, copy)
    for k, (numbers, moved) in enumerate(zip(shown, (1.8, 1.02), strict=True)):
        again = explorers(page, k)
        assert again.root.locator(".kernel-gone").is_visible()
        assert again.numbers() == numbers
        assert again.drag("embeddings", 2, 0, 2) == [moved]
        assert again.numbers()["weights"] != numbers["weights"]
        assert_quiet(again)


# ---- two tabs ----


def test_two_tabs_on_one_kernel(lab: Lab, page: Page) -> None:
    one = opened(lab, page, IMPORT, BANK)
    name = path_of(page)
    lab.save(page)
    second = page.context.new_page()
    collect_errors(second)
    lab.open(second, name)
    two = explorers(second)
    assert two.numbers() == one.numbers()
    one.drag("embeddings", 2, 0, 5)
    wait_until(lambda: two.numbers() == one.numbers())
    two.drag("embeddings", 1, 1, -7)
    wait_until(lambda: two.numbers() == one.numbers())
    assert_kernel(lab, one)
    with one.held(one.cell("embeddings", 0, 0)) as hand:
        hand.to(4)
        with states_seen(one, "embeddings") as seen:
            two.drag("embeddings", 3, 3, 9)
            wait_until(lambda: first_number(lab, page, 3, 3) == 2.9)
            page.wait_for_timeout(300)
            assert seen() == []  # the held number is the hand's
            hand.to(6)
            assert one.number("embeddings", 0, 0) == 0.6
    wait_until(lambda: two.numbers() == one.numbers())
    assert two.number("embeddings", 0, 0) == 0.6
    with (
        states_seen(one, "embeddings") as here,
        states_seen(two, "embeddings") as there,
    ):
        page.wait_for_timeout(1000)
        assert here() == there() == []  # nothing goes to and fro
    assert_kernel(lab, two)
    lab.save(page)
    second.evaluate(f"void ({SAVE})()")
    second.locator(".jp-Dialog").wait_for()
    assert close_dialogs(second) == ["File Changed"]
    wait_until(lambda: saved(lab, name)[0][0] == 0.6)
    for screen in (one, two):
        assert_quiet(screen)
        screen.drag("embeddings", 2, 1, 3)
        assert_kernel(lab, screen)
    assert second.errors == []
    second.close()


# ---- Python at the same time ----

FLOOD = """import time
for k in range(600):
    first = (k / 600, *explorer.embeddings[0][1:])
    explorer.embeddings = (first, *explorer.embeddings[1:])
    time.sleep(0.003)"""  # else a fast machine is through before the hand has moved
EXECUTE = """code => {
    const {kernel} = jupyterapp.shell.currentWidget.sessionContext.session;
    window.flooding = true;
    kernel.requestExecute({code}).onReply = () => window.flooding = false;
}"""


def test_hundreds_of_updates_from_python_during_a_drag(lab: Lab, page: Page) -> None:
    screen = opened(lab, page, IMPORT, JOURNEY)
    page.evaluate(LONGEST_TASK)
    k = 0
    with screen.held(screen.cell("embeddings", 2, 1)) as hand:
        hand.to(-1)
        with states_seen(screen, "embeddings") as seen:
            page.evaluate(EXECUTE, FLOOD)
            while page.evaluate("window.flooding"):
                k += 1
                assert k < 800, "the flood does not end"
                hand.to(-10 - k % 40)
                page.wait_for_timeout(30)
        assert k >= 10
        assert len(seen()) <= k  # only the hand moves numbers
        assert page.evaluate("longest") < 2000
        hand.to(-30)
        held = screen.numbers()
    wait_until(lambda: first_number(lab, page, 2, 1) == 0.55, 60)
    assert_kernel(lab, screen)
    assert screen.numbers() == held
    screen.drag("embeddings", 3, 1, 8)
    wait_until(lambda: first_number(lab, page, 3, 1) == 0.66, 60)
    assert_kernel(lab, screen)
    assert_quiet(screen)
    lab.python(page, "explorer.reset()")
    wait_until(lambda: screen.number("embeddings", 2, 1) == 0.85)
    assert_kernel(lab, screen)


# ---- saved with another version ----


def older(state: dict, code: dict) -> None:
    """Drop what an earlier version did not have."""
    for name in ("columns", "slider", "presets", "start", "example"):
        state.pop(name, None)
    code["source"] = code["source"].replace("explorer.attention needs", "older:")


def newer(state: dict, code: dict) -> None:
    """Add what a later version may have."""
    state |= {"heads": [[1, 2]], "colour": "green"}
    code["source"] = code["source"].replace("explorer.attention needs", "newer:")


def with_both(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return a notebook that shows its explorer as two other versions saved it.

    The older one where it stood, the newer one in a cell that shows none when it runs.
    """
    text = nbformat.writes(notebook)
    for model in notebook.metadata["widgets"][WIDGETS]["state"]:
        text = text.replace(model, model[::-1])
    other = nbformat.reads(text, as_version=4)
    older(state_in(notebook), state_in(notebook, "source"))
    newer(state_in(other), state_in(other, "source"))
    states = other.metadata["widgets"][WIDGETS]["state"]
    notebook.metadata["widgets"][WIDGETS]["state"] |= states
    shown = other.cells[-1].outputs
    notebook.cells.append(nbformat.v4.new_code_cell("pass", outputs=shown))
    return notebook


def test_a_notebook_saved_with_another_version(lab: Lab, page: Page) -> None:
    screen = opened(lab, page, IMPORT, BANK)
    screen.drag("embeddings", 2, 0, 9)
    shown = screen.numbers()
    name = path_of(page)
    lab.save(page)
    wait_until(lambda: saved(lab, name)[2][0] == 1.9)
    lab.kill_kernel(page)
    close_notebooks(page)
    nbformat.write(with_both(lab.read(name)), lab.folder / name)

    lab.open(page, name)  # from somebody else: nothing of it is run
    twin = page.locator(".jp-OutputArea-output", has_text="explorer: coins on bank")
    wait_until(lambda: twin.count() == 2)
    assert page.locator(".attention-explorer").count() == 0
    lab.kill_kernel(page)

    close_notebooks(page)
    lab.trust(name)
    lab.open(page, name)  # with a kernel that knows nothing of the explorers
    both = [explorers(page, k) for k in range(2)]
    for screen, version in zip(both, ("older", "newer"), strict=True):
        line = screen.root.locator(".kernel-gone")
        assert line.is_visible()
        assert f"{version}: Run All" in line.inner_text()  # its own JavaScript
        assert screen.numbers() == shown
        assert screen.drag("embeddings", 2, 0, 3)[0] > 1.9
        assert_quiet(screen)
    lab.kill_kernel(page)
    for screen in both:
        assert screen.drag("embeddings", 2, 0, -30)[0] < 1.9
    assert_run_all_mends(lab, page)
    assert explorers(page).number("embeddings", 2, 0) == 1


# ---- the page ----


def test_sleep_and_a_reload_in_the_middle_of_a_drag(lab: Lab, page: Page) -> None:
    screen = opened(lab, page, IMPORT, BANK)
    lab.save(page)
    assert_a_drag_survives_sleep(lab, screen)
    lab.python(page, "explorer.reset()\nexplorer.large = False")
    page.locator(".attention-explorer:not(.large)").wait_for()
    page.wait_for_function("document.querySelector('td.changed') === null")
    screen.drag("embeddings", 1, 0, 3)
    assert_kernel(lab, screen)
    with screen.held(screen.cell("embeddings", 2, 0)) as hand:
        hand.to(4)
        page.reload()
    again = explorers(page)
    assert again.number("embeddings", 1, 0) == 0.3
    assert again.number("embeddings", 2, 0) == 1  # the hand had not rested
    assert not again.root.locator(".kernel-gone").is_visible()
    again.drag("embeddings", 2, 0, 7)
    assert_kernel(lab, again)
    assert_quiet(again)


def assert_a_drag_survives_sleep(lab: Lab, screen: OnScreen) -> None:
    page = screen.page
    switch = page.context.new_cdp_session(page)
    with screen.held(screen.cell("embeddings", 2, 0)) as hand:
        hand.to(4)
        page.evaluate(EXECUTE, "explorer.large = True")
        switch.send("Page.setWebLifecycleState", {"state": "frozen"})
        time.sleep(2)
        switch.send("Page.setWebLifecycleState", {"state": "active"})
        assert screen.number("embeddings", 2, 0) == 1.4
        hand.to(9)
        assert screen.number("embeddings", 2, 0) == 1.9
    switch.detach()
    page.locator(".attention-explorer.large").wait_for()
    assert_kernel(lab, screen)
    assert first_number(lab, page, 2, 0) == 1.9
    assert_quiet(screen)
