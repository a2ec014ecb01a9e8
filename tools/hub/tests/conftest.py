"""One hub with two learners, for all tests; one Chromium."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from browser import FLAGS, find_browser
from learner import Learner
from trial import PYTHON, Hub


@pytest.fixture(scope="session")
def new_hub() -> Iterator[Callable[..., Hub]]:
    """Start another hub, with an environment of its own."""
    if not PYTHON.exists():
        pytest.fail("no .venv-hub: run `make hub-test`")
    hubs, folders = [], []

    def start(**environment: str) -> Hub:
        folders.append(tempfile.mkdtemp())  # pytest's own are closed to others
        hubs.append(Hub(Path(folders[-1]), **environment))
        return hubs[-1]

    yield start
    for hub in hubs:
        hub.stop()
    for folder in folders:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def hub(new_hub: Callable[..., Hub]) -> Hub:
    """Start the hub of most tests."""
    hub = new_hub()
    for name in ("anna", "ben"):  # so that Playwright can ask JupyterLab
        config = '{"LabApp": {"expose_app_in_browser": true}}'
        hub.write(name, ".jupyter/jupyter_lab_config.json", config)
    return hub


@pytest.fixture(scope="session")
def anna(hub: Hub) -> Learner:
    """Return the one who tries to reach what she should not."""
    anna = Learner(hub.url, "anna", hub.word)
    anna.start()
    return anna


@pytest.fixture(scope="session")
def ben(hub: Hub) -> Learner:
    """Return the other."""
    ben = Learner(hub.url, "ben", hub.word)
    ben.start()
    return ben


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield browser
        browser.close()
