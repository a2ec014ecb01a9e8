"""One browser and one JupyterLab for each worker; which test runs where and when."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import site_pages
import warm_kernels
import webdriver
from browser import FLAGS, all_wanted, find_firefox, find_light, find_webkit
from drive import cleared
from hypothesis import HealthCheck, Phase, settings
from lab import Lab, Wire, close_notebooks, is_jupyterlabs_own
from packaging.version import Version
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# Slow is no finding. CI tries the same cases each time, a desk tries new ones.
settings.register_profile(
    "patient",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.register_profile(  # for `make mutants`: any failing example will do
    "unshrunk", settings.get_profile("patient"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("patient")

# ---- several workers: pytest -n auto ----

LAB = (  # most of what needs JupyterLab: one worker has it, and often waits
    "tests/lab/",
    "tests/notebooks/test_chapter_03.py",
    "tests/notebooks/test_start_here.py",
)
# They start a server, kernels or another browser.
START = {"server", "running", "kernels", "site", "graded", "written", "engine"}


class ByFile(LoadScopeScheduling):
    """Keep the tests of a file on one worker, and those that share a JupyterLab.

    A notebook's cells run in one kernel; what a module's fixture makes is made once.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "lab" if nodeid.startswith(LAB) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    config.option.loadscopereorder = False  # the order is that of the items
    return ByFile(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: that with JupyterLab waits more than it works."""
    return min((os.cpu_count() or 1) + 1, 6)


def pytest_configure(config: pytest.Config) -> None:
    """Let the kernels of all workers, and of a pytest in a test, begin warm."""
    if sys.platform == "linux" and warm_kernels.NEST not in os.environ:
        stack = ExitStack()
        stack.enter_context(warm_kernels.nest())
        config.add_cleanup(stack.close)


def fixtures(item: pytest.Item) -> set[str]:
    """Name what a test asks for; a notebook's cell asks for nothing."""
    return set(getattr(item, "fixturenames", ()))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Mark what starts something large; several workers begin with what is long.

    What is marked as last comes last: after it JupyterLab has to be loaded anew.
    """
    for item in items:
        if item.path.suffix == ".ipynb" or START & fixtures(item):
            item.add_marker("lab")
    if hasattr(config, "workerinput"):
        size = Counter(item.path for item in items)
        lab = {item.path for item in items if item.nodeid.startswith(LAB)}
        long = {item.path for item in items if item.get_closest_marker("lab")}
        site = {item.path for item in items if "site" in fixtures(item)} - lab
        site -= {max(site, key=size.get, default=None)}  # this one builds it for all
        items.sort(
            key=lambda item: (
                item.path not in lab,
                item.path not in long,
                item.path in site,
                -size[item.path],
            )
        )
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


# ---- the browser ----

expect.set_options(timeout=30_000)  # what comes comes sooner; the machine may be busy

# Which pages are not used again: before 4.5 JupyterLab trips over cells and notebooks
# that go while they are out of sight.
ONCE = ("wire", "lab") if Version(version("jupyterlab")) < Version("4.5") else ()
CUT = "Failed to fetch"  # JupyterLab's, at any time while a wire is cut


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium; a missing one is an error that says what to install."""
    path = find_light()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab on a copy of notebooks/, with the settings of `make lab`."""
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.stop()


@pytest.fixture
def lab(server: Lab) -> Lab:
    """Give the JupyterLab; where a test before has left it stopped, started again."""
    if server.process.poll() is not None:
        server.start()
    return server


@pytest.fixture(scope="session")
def kept_wire(server: Lab) -> Iterator[Wire]:
    wire = Wire(server.port)
    yield wire
    wire.stop()


@pytest.fixture
def wire(lab: Lab, kept_wire: Wire) -> Iterator[Wire]:
    """Another way to the JupyterLab, which can be slow, silent or cut."""
    yield kept_wire
    kept_wire.mend()


def collect_errors(page: Page) -> None:
    """Keep what the page's console calls an error in `page.errors`."""
    page.errors = []

    def keep(text: str, where: str = "") -> None:
        if not is_jupyterlabs_own(text):
            page.errors.append(text + where)

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            keep(message.text, f" ({message.location.get('url')})")

    page.on("console", on_console)
    page.on("pageerror", lambda error: keep(str(error)))


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Note whether a test has failed, for its fixtures."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def kept_pages(browser: Browser) -> Iterator[dict[str, Page]]:
    """The pages used again: an empty one, one with JupyterLab, one at a wire's end."""
    kept: dict[str, Page] = {}
    yield kept
    for page in kept.values():
        page.context.close()


@pytest.fixture
def page(
    request: pytest.FixtureRequest, browser: Browser, kept_pages: dict[str, Page]
) -> Iterator[Page]:
    """A page of 1280 x 800 that must stay free of errors in its console.

    It is empty, or shows JupyterLab with no notebook, or that of `Lab.run_on_bench`. It
    has been used before: a new one takes half a second of CPU, a JupyterLab in it four.
    After a test that failed it is a new one. A test that provokes errors on purpose
    empties `page.errors` itself.
    """
    names = request.fixturenames
    kind = next((name for name in ("wire", "lab") if name in names), "plain")
    yield from kept(request, kind, kept_pages, lambda: new_page(browser))


@pytest.fixture
def phone(
    request: pytest.FixtureRequest, browser: Browser, kept_pages: dict[str, Page]
) -> Iterator[Page]:
    """A touch screen 400 pixels wide, kept and empty like the page."""
    options = {"has_touch": True, "is_mobile": True}
    make = partial(new_page, browser, PHONE, **options)
    yield from kept(request, "phone", kept_pages, make)


def kept(
    request: pytest.FixtureRequest,
    kind: str,
    kept_pages: dict[str, Page],
    make: Callable[[], Page],
) -> Iterator[Page]:
    """Give the page of a kind, and keep it where the test has ended well."""
    page = kept_pages.pop(kind, None) or make()
    page.errors = []
    yield page
    wire = kind == "wire"
    errors = [error for error in page.errors if not (wire and CUT in error)]
    if request.node.stash.get(FAILED, False) or errors or kind in ONCE:
        page.context.close()
    else:
        clear(page, PHONE if kind == "phone" else DESK)
        if kind in ("wire", "lab"):
            close_notebooks(page, bench=False)
        else:
            put_away(page)
        kept_pages[kind] = page
    assert not errors, "errors in the browser console:\n" + "\n".join(errors)


DESK, PHONE = {"width": 1280, "height": 800}, {"width": 400, "height": 800}


def new_page(browser: Browser, size: ViewportSize = DESK, **options: bool) -> Page:
    context = browser.new_context(viewport=size, **options)
    page = context.new_page()
    collect_errors(page)
    return page


def clear(page: Page, size: ViewportSize) -> None:
    """Take back what a test may have set and shown."""
    page.unroute_all()
    page.mouse.move(0, 0)
    page.set_viewport_size(size)
    page.emulate_media(media="null", color_scheme="null", reduced_motion="null")


def put_away(page: Page) -> None:
    """Leave a page as a next test may find it: with an empty bench, or blank."""
    if not cleared(page):
        page.goto("about:blank")


@pytest.fixture(scope="session")
def engine_page(browser: Browser) -> Iterator[Page]:
    """A blank page with the explorer's JavaScript module as `window.helpers`."""
    from attention_helpers.explorer import SOURCE

    page = new_page(browser)
    page.evaluate(
        """async source => {
            const blob = new Blob([source], {type: 'text/javascript'});
            window.helpers = await import(URL.createObjectURL(blob));
        }""",
        SOURCE,
    )
    yield page
    errors = list(page.errors)
    page.context.close()
    assert not errors, "errors in the browser console:\n" + "\n".join(errors)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of every notebook, and one of odd cells."""
    folder = tmp_path_factory.getbasetemp()
    return site_pages.build_once(
        folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    )


@pytest.fixture(scope="session")
def classroom(site: Path) -> Path:
    """The folder with `classroom.html`: the lesson with fewer explorers, soon alive."""
    return site_pages.shorten_lesson(site)


# ---- other browsers ----


def installed(find: Callable[[], Any]) -> Any:
    """Return what `find` finds; else leave the tests out, and on CI fail."""
    try:
        return find()
    except FileNotFoundError as missing:
        if all_wanted():
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def firefox() -> Iterator[webdriver.Firefox]:
    with webdriver.firefox(installed(find_firefox)) as driver:
        yield driver


@pytest.fixture(scope="session")
def webkit() -> Iterator[webdriver.WebKit]:
    with webdriver.webkit(**installed(find_webkit)) as driver:
        yield driver


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, and why."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in skipped
    )
    for reason, count in reasons.items():
        terminalreporter.write_line(f"left out: {count} tests, because {reason}")
