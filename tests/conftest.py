"""Fixtures for the browser tests: one browser and one JupyterLab per session."""

from collections.abc import Iterator

import pytest
from browser import FLAGS, find_browser
from lab import Lab
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

JUPYTERLABS_OWN = [
    "Could not restore the debugger state: Canceled future",  # when a kernel dies
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium; a missing one is an error that says what to install."""
    path = find_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab on a copy of notebooks/, with the settings of `make lab`."""
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.stop()


def collect_errors(page: Page) -> None:
    """Keep what the page's console calls an error in `page.errors`."""
    page.errors = []

    def on_console(message: ConsoleMessage) -> None:
        own = any(noise in message.text for noise in JUPYTERLABS_OWN)
        if message.type == "error" and not own:
            page.errors.append(f"{message.text} ({message.location.get('url')})")

    page.on("console", on_console)
    page.on("pageerror", lambda error: page.errors.append(str(error)))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page of 1280 x 800 that must stay free of errors in its console.

    A test that provokes errors on purpose empties `page.errors` itself.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    collect_errors(page)
    yield page
    errors = list(page.errors)
    context.close()
    assert not errors, "errors in the browser console:\n" + "\n".join(errors)


@pytest.fixture(scope="session")
def engine_page(browser: Browser) -> Iterator[Page]:
    """A blank page with the explorer's JavaScript module as `window.helpers`."""
    from attention_helpers.explorer import SOURCE

    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    collect_errors(page)
    page.evaluate(
        """async source => {
            const blob = new Blob([source], {type: 'text/javascript'});
            window.helpers = await import(URL.createObjectURL(blob));
        }""",
        SOURCE,
    )
    yield page
    errors = list(page.errors)
    context.close()
    assert not errors, "errors in the browser console:\n" + "\n".join(errors)
