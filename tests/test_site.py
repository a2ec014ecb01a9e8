"""The pages that `make site` writes, opened from the disk and from a server."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import numpy as np
import pages
import pytest
import reach
from axe_playwright_python.sync_playwright import Axe
from conftest import collect_errors
from drive import STAGES, OnScreen, assert_same
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import Browser, Page, Route

from attention_helpers import explore
from attention_helpers.explorer import SOURCE, STYLE

NOTEBOOKS = pages.ROOT / "notebooks"
FOLDED = {"jupyter": {"source_hidden": True, "outputs_hidden": True}}

SAMPLE = [
    new_markdown_cell(
        "# A sample\n\n**The question**: does it *stand*?\n\n"
        "[the lesson](lesson.ipynb), [the start](00_start_here.ipynb#Run-a-cell), "
        "[a guide](guide.md), [elsewhere](https://example.org)\n\n"
        r"$$\text{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$ and $d_k$."
    ),
    new_code_cell("from attention_helpers import explore, heatmap"),
    new_code_cell('explore("bank")'),
    new_code_cell(
        'explore(tokens=("</script><b>", "<!--"), embeddings=[[1], [2]], W_query=None,'
        " W_key=None, W_value=None, columns={}, slider=None)"
    ),
    new_code_cell('heatmap([[1, 2]], ["a"], ["b", "c"], title="two")'),
    new_code_cell("from ipywidgets import IntSlider\nIntSlider()"),
    new_code_cell(
        'from attention_helpers.exercises import check\ncheck("dot product blank", ...)'
    ),
    new_code_cell('check("dot product blank", 5, record=False)', metadata=FOLDED),
    new_code_cell("1 / 0", metadata={"tags": ["raises-exception"]}),
    new_code_cell("print('a < b')"),
]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of two real notebooks and of the sample."""
    folder = tmp_path_factory.mktemp("site")
    sample = folder / "sample.ipynb"
    nbformat.write(new_notebook(cells=SAMPLE), sample)
    names = [NOTEBOOKS / "00_start_here.ipynb", NOTEBOOKS / "lesson.ipynb", sample]
    pages.build(names, folder / "site")
    return folder / "site"


@pytest.fixture(scope="session")
def served(site: Path) -> Iterator[str]:
    """The address of the pages on a server, under a path of its own."""
    with reach.served(site) as address:
        yield address


@pytest.fixture(params=["from the disk", "served"])
def address(request: pytest.FixtureRequest, site: Path, served: str) -> str:
    return site.as_uri() if request.param == "from the disk" else served


def only(page: Page, address: str) -> list[str]:
    """Block and collect every request that leaves this address."""
    left: list[str] = []

    def on_request(route: Route) -> None:
        own = route.request.url.startswith((address, "data:"))
        left.extend([] if own else [route.request.url])
        route.continue_() if own else route.abort()

    page.route("**/*", on_request)
    return left


def on_screen(page: Page, index: int = 0) -> OnScreen:
    """Return an explorer of the page, once it is alive."""
    root = page.locator("[data-explorer]").nth(index)
    root.locator("td[data-value]").first.wait_for()
    return OnScreen(root)


def read(site: Path, name: str) -> str:
    return (site / f"{name}.html").read_text(encoding="utf-8")


# ---- alive, with nothing but itself ----


def test_a_drag_gives_numpys_numbers(page: Page, address: str) -> None:
    left = only(page, address)
    page.goto(f"{address}/sample.html")
    screen = on_screen(page)
    assert screen.drag("embeddings", 4, 0, -3, -6) == [2.7, 2.4]
    explorer = explore("bank")
    embeddings = np.array(explorer.embeddings)
    embeddings[4, 0] = 2.4
    explorer.embeddings = embeddings
    result = explorer.attention
    assert set(STAGES) - set(screen.numbers()) == {"masked_scores"}
    assert_same(screen, {stage: getattr(result, stage) for stage in STAGES})
    assert left == []


@pytest.mark.parametrize("name", ["index", "00_start_here", "lesson", "sample"])
def test_a_page_needs_nothing_from_elsewhere(
    page: Page, address: str, name: str
) -> None:
    left = only(page, address)
    page.goto(f"{address}/{name}.html")
    roots = page.locator("[data-explorer]")
    for k in range(roots.count()):
        on_screen(page, k)
    for picture in page.locator("img").all():
        picture.scroll_into_view_if_needed()
        picture.evaluate("img => img.decode()")
    assert left == []


def test_every_explorer_of_the_lesson_shows_numpys_numbers(
    page: Page, site: Path
) -> None:
    page.goto(f"{site.as_uri()}/lesson.html")
    source = nbformat.read(NOTEBOOKS / "lesson.ipynb", as_version=4)
    made = [cell for cell in source.cells if "\nexplore(" in cell.source]
    assert page.locator("[data-explorer]").count() == len(made) > 10
    names: dict[str, object] = {}
    exec(next(c.source for c in source.cells if c.cell_type == "code"), names)
    for k, cell in enumerate(made):
        explorer = eval(cell.source.split("\n", 1)[1], names)
        result = explorer.attention
        screen = on_screen(page, k)
        assert_same(screen, {stage: getattr(result, stage) for stage in STAGES})


def test_markup_in_a_word_stays_text(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/sample.html")
    screen = on_screen(page, 1)
    assert "</script><b>" in screen.root.inner_text()
    assert page.locator("main b", has_text="<!--").count() == 0


def test_the_source_stands_in_a_page_once(site: Path) -> None:
    assert read(site, "sample").count(SOURCE[:200]) == 1
    assert "</script" not in SOURCE
    for name in ("index", "00_start_here", "lesson", "sample"):
        assert len(read(site, name).encode()) < pages.LARGEST


# ---- what the classroom keeps ----


def test_the_classroom_page_keeps_its_state_over_a_reload(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/lesson.html")
    screen = on_screen(page, 2)
    screen.drag("embeddings", 4, 0, -4)
    page.wait_for_function("location.hash.startsWith('#state=')")
    context = screen.numbers()["context"]
    on_screen(page, 1).action("skip").click()
    page.reload()
    again = on_screen(page, 2)
    assert again.number("embeddings", 4, 0) == pytest.approx(2.6)
    assert again.numbers()["context"] == context
    assert on_screen(page, 1).root.get_attribute("data-locked") == "false"


def test_reset_takes_a_change_out_of_the_address(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/lesson.html")
    screen = on_screen(page, 2)
    screen.drag("embeddings", 4, 0, -4)
    page.wait_for_function("location.hash !== ''")
    screen.action("reset").first.click()
    page.wait_for_function("location.hash === ''")


@pytest.mark.parametrize("hash_", ["%7B", "null", "3", "{cell}", "%"])
def test_an_address_that_does_not_fit_is_forgotten(
    page: Page, site: Path, hash_: str
) -> None:
    cell = re.search(r'data-explorer="([^"]+)"', read(site, "lesson"))[1]
    hash_ = hash_.replace("{cell}", f'{{"{cell}":{{"embeddings":7}}}}')
    page.goto(f"{site.as_uri()}/lesson.html#state={hash_}")
    assert on_screen(page, 2).number("embeddings", 4, 0) == 3


def test_other_pages_leave_their_address_alone(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/sample.html")
    screen = on_screen(page)
    screen.drag("embeddings", 4, 0, -4)
    page.wait_for_timeout(400)
    assert page.evaluate("location.hash") == ""


# ---- what stands on a page ----


def test_the_classroom_page_shows_no_code(site: Path) -> None:
    lesson = read(site, "lesson")
    assert 'class="highlight' not in lesson
    assert "import numpy" not in lesson
    assert "VBox(" not in lesson


def test_folded_cells_are_folded_and_the_rest_is_shown(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/sample.html")
    folded = page.locator("details", has_text="record=False")
    assert folded.locator("summary").inner_text() == "Show code and output"
    assert "record=False" not in page.locator("main").inner_text()
    folded.locator("summary").click()
    assert "passed" in folded.inner_text()
    text = page.locator("main").inner_text()
    assert "a < b" in text
    assert "ZeroDivisionError: division by zero" in text
    assert "not attempted" not in text
    assert "IntSlider(value" not in text


def test_what_needs_a_kernel_says_so_and_leads_to_one(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/sample.html")
    exercise = page.locator(".output.exercise")
    assert "An exercise needs a kernel" in exercise.inner_text()
    widget = page.locator(".output.widget")
    assert "needs a kernel" in widget.inner_text()
    for place in (exercise, widget):
        links = [a.get_attribute("href") for a in place.locator("a").all()]
        assert links == [
            f"{pages.LAB}?path=sample.ipynb",
            f"{pages.BINDER}?urlpath=lab/tree/notebooks/sample.ipynb",
        ]


def test_without_scripts_picture_and_numbers_are_there(
    browser: Browser, site: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.as_uri()}/00_start_here.html")
    figure = page.locator(".output.explorer").first
    assert "explorer: coins on bank by river" in figure.inner_text()
    source = figure.locator("img").get_attribute("src")
    assert (site / source).read_bytes().startswith(b"\x89PNG")
    assert figure.locator("img").get_attribute("alt")
    context.close()


def test_formulas_are_mathml(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/sample.html")
    assert page.locator("math[display=block] mfrac msqrt").count() == 1
    assert page.locator("p > math[display=inline] msub").count() == 1
    assert "$" not in page.locator("main").inner_text()


def test_links_lead_to_pages_and_else_to_the_source(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/sample.html")
    hrefs = page.locator(".prose p a").evaluate_all(
        "all => all.map(a => a.getAttribute('href'))"
    )
    assert hrefs == [
        "lesson.html",
        "00_start_here.html#Run-a-cell",
        f"{pages.REPOSITORY}/blob/main/notebooks/guide.md",
        "https://example.org",
    ]
    page.get_by_role("link", name="the start").click()
    assert page.evaluate("document.querySelector(':target').tagName") == "H2"


def test_contents_previous_and_next(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/index.html")
    assert "Does it stand?" in page.locator("ul.contents").inner_text()
    page.get_by_role("link", name="Start here").click()
    assert page.locator("[rel=prev]").count() == 0
    page.locator("[rel=next]").first.click()
    page.locator("[rel=next]").first.click()
    assert page.url.endswith("sample.html")
    assert page.locator("[rel=next]").count() == 0
    page.locator("nav a").first.click()
    assert page.url.endswith("index.html")


# ---- for everybody ----


@pytest.fixture
def anywhere(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages in contexts of one's own choice; no error may come up in them."""
    opened = []

    def open_(**options: object) -> Page:
        page = browser.new_context(**options).new_page()
        collect_errors(page)
        opened.append(page)
        return page

    yield open_
    errors = [error for page in opened for error in page.errors]
    for page in opened:
        page.context.close()
    assert errors == []


@pytest.mark.parametrize("name", ["index", "00_start_here", "lesson", "sample"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_axe_finds_nothing_and_nothing_is_cut_off(
    anywhere: Callable[..., Page], site: Path, name: str, width: int, scheme: str
) -> None:
    page = anywhere(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(f"{site.as_uri()}/{name}.html")
    for k in range(page.locator("[data-explorer]").count()):
        on_screen(page, k)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    found = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in found] == []


def test_in_print_the_controls_are_gone(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/sample.html")
    screen = on_screen(page)
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("nav").is_visible()
    assert not screen.root.locator(".bar").is_visible()
    assert screen.cell("weights", 0, 0).is_visible()
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"


def test_the_page_leaves_the_looks_of_an_explorer_alone() -> None:
    page = (pages.PARTS / "page.css").read_text(encoding="utf-8")
    ours = set(re.findall(r"\.([a-z][a-z-]*)", page))
    assert ours & set(re.findall(r"\.([a-z][a-z-]*)", STYLE)) == set()
