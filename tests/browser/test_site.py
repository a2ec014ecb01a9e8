"""The pages that `make site` writes, opened from the disk and from a server."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pages
import pytest
import reach
from drive import STAGES, assert_same, on_screen, violations
from live import ALIVE
from playwright.sync_api import Browser, Page, Route, expect
from site_pages import NOTEBOOKS, explorers

from attention_helpers import examples, explore
from attention_helpers.explorer import SOURCE, STYLE


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
    assert set(STAGES) - set(screen.numbers()) == {"masked_scores", "output"}
    assert_same(screen, {stage: getattr(result, stage) for stage in STAGES})
    assert left == []


def test_a_seed_in_the_address_gives_the_numbers_of_its_variant(
    page: Page, site: Path
) -> None:
    """The variant that Python draws, on each page that a link leads to; 37 is 7."""
    for seed, chosen in {"7": 7, "37": 7, "0": 0, "x": None, "-1": None}.items():
        page.goto(f"{site.as_uri()}/sample.html?seed={seed}")
        screen = on_screen(page)
        bank = examples["bank"] if chosen is None else examples.variant("bank", chosen)
        result = explore(bank).attention
        assert_same(screen, {stage: getattr(result, stage) for stage in STAGES})
        assert page.locator("[data-seed]").is_visible() == (chosen is not None)
        assert page.locator("[data-no-seed]").is_visible() == (chosen is None)
        links = page.locator("a[href*='glossary.html']").evaluate_all(
            "links => links.map((link) => link.search)"
        )
        assert set(links) == {"" if chosen is None else f"?seed={seed}"}
        screen.control("preset").select_option("vault instead of river")
        vault = [screen.number("embeddings", 4, j) for j in range(4)]
        assert vault == list(bank.presets["vault instead of river"]["embedding"])
    page.goto(f"{site.as_uri()}/01_one_word.html?seed=7#a-fragment")
    drawn = examples.variant("bank", 7).embeddings
    assert on_screen(page).numbers()["embeddings"] == dict(np.ndenumerate(drawn))
    page.goto(f"{site.as_uri()}/01_one_word.html")
    assert page.locator("[data-seed], [data-no-seed]").filter(visible=True).count() == 0
    assert page.errors == []


LIGHT, DARK = (1280, "light"), (400, "dark")
DRESSED = {  # each kind of page in both, without the sum of all
    **{"index": DARK, "00_start_here": LIGHT, "sample": DARK, "lesson": LIGHT},
    **{"vote_sheet": LIGHT, "teaching_guide": DARK},
}


def test_the_largest_pages_come_alive_without_an_error(page: Page, site: Path) -> None:
    """Other tests load the rest."""
    for name in ("03_trainable_weights", "06_learned_weights", "playground"):
        page.goto(f"{site.as_uri()}/{name}.html")
        page.wait_for_function(ALIVE)


def test_every_explorer_of_the_lesson_shows_numpys_numbers(
    page: Page, site: Path
) -> None:
    page.goto(f"{site.as_uri()}/lesson.html")
    made = explorers(site, "lesson.ipynb")
    assert page.locator("[data-explorer]").count() == len(made) > 10
    for k, explorer in enumerate(made):
        result = explorer.attention
        screen = on_screen(page, k)
        assert_same(screen, {stage: getattr(result, stage) for stage in STAGES})


def test_the_source_stands_in_a_page_once(site: Path) -> None:
    assert read(site, "sample").count(SOURCE[:200]) == 1
    assert "</script" not in SOURCE
    for name in ("index", "00_start_here", "lesson", "sample"):
        assert len(read(site, name).encode()) < pages.LARGEST


# ---- what the classroom keeps ----


def test_the_classroom_page_keeps_its_state_over_a_reload(
    page: Page, address: str, classroom: Path
) -> None:
    page.goto(f"{address}/classroom.html")
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


def test_reset_takes_a_change_out_of_the_address(page: Page, classroom: Path) -> None:
    page.goto(f"{classroom.as_uri()}/classroom.html")
    screen = on_screen(page, 2)
    screen.drag("embeddings", 4, 0, -4)
    page.wait_for_function("location.hash !== ''")
    screen.action("reset").first.click()
    page.wait_for_function("location.hash === ''")


UNFIT = [
    '{"embeddings":7}',
    '{"embeddings":[[1]]}',
    '{"embeddings":[[1e300,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]}',
    '{"tokens":["a","a","a","a","a"]}',
    '{"mask":"__proto__"}',
    '{"query":99}',
    '{"rate":"fast"}',
    '{"__proto__":{"query":0}}',
    "[3]",
    '"text"',
]


def test_an_address_that_does_not_fit_is_forgotten(page: Page, classroom: Path) -> None:
    """What does not fit three explorers of five words is tried on all at once."""
    cells = re.findall(r'data-explorer="([^"]+)"', read(classroom, "classroom"))
    addresses = ["", "%7B", "null", "3", "[]", "%"]
    for k in range(0, len(UNFIT), 3):
        patches = zip(cells, UNFIT[k : k + 3], strict=False)
        unfit = ",".join(f'"{cell}":{patch}' for cell, patch in patches)
        addresses.append(quote(f"{{{unfit}}}"))
    for hash_ in addresses:
        page.goto("about:blank")
        page.goto(f"{classroom.as_uri()}/classroom.html#state={hash_}")
        shown = [on_screen(page, k).cells() for k in range(3)]
        if not hash_:
            begun = shown
        assert shown == begun, hash_
        assert page.evaluate("({}).query") is None
    on_screen(page, 2).drag("embeddings", 4, 0, -4)  # and the page is usable
    assert on_screen(page, 2).number("embeddings", 4, 0) == pytest.approx(2.6)


HASTE = """async () => {
    const begun = performance.now();
    window.written = 0;
    const write = history.replaceState.bind(history);
    history.replaceState = (...given) => {
        if (++written > 90) throw new DOMException('too often', 'SecurityError');
        write(...given);
    };
    const key = (options) => document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', {bubbles: true, ...options}));
    for (let k = 0; k < 60; k++) {
        key({key: 'ArrowLeft'});
        key({key: 's', ctrlKey: true});  // a hand that rests
        await new Promise(requestAnimationFrame);
    }
    for (let k = 0; k < 59; k++) key({key: 'z', ctrlKey: true});
    return (performance.now() - begun) / 1000;
}"""


def test_haste_does_not_write_the_address_too_often(
    page: Page, classroom: Path
) -> None:
    page.goto(f"{classroom.as_uri()}/classroom.html")
    screen = on_screen(page, 2)
    screen.slider("embeddings", 4, 0).focus()
    seconds = page.evaluate(HASTE)
    assert screen.number("embeddings", 4, 0) == 2.9
    assert page.evaluate("written") <= 8 * (seconds + 1)
    page.wait_for_function("decodeURIComponent(location.hash).includes('2.9')")


LEAVE = """() => {
    const key = (options) => document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', {bubbles: true, ...options}));
    for (let k = 0; k < 12; k++) {
        key({key: 'ArrowLeft'});
        key({key: 's', ctrlKey: true});
    }
    location.href = 'index.html';
}"""


def test_a_page_left_in_haste_keeps_the_last_change(
    page: Page, classroom: Path
) -> None:
    page.goto(f"{classroom.as_uri()}/classroom.html")
    screen = on_screen(page, 2)
    screen.slider("embeddings", 4, 0).focus()
    with page.expect_navigation(url="**/index.html"):
        page.evaluate(LEAVE)
    page.go_back()
    assert on_screen(page, 2).number("embeddings", 4, 0) == 1.8


def test_where_the_address_may_not_change_undo_works(
    page: Page, classroom: Path
) -> None:
    page.goto(f"{classroom.as_uri()}/classroom.html")
    screen = on_screen(page, 2)
    page.evaluate("() => { history.replaceState = () => { throw new Error('no') } }")
    for value in (2.6, 2.2):
        screen.drag("embeddings", 4, 0, -4)
        assert screen.number("embeddings", 4, 0) == value
    for value in (2.6, 3):
        page.keyboard.press("Control+z")
        assert screen.number("embeddings", 4, 0) == value


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


def test_what_stands_in_a_notebook_stands_on_its_page(page: Page, site: Path) -> None:
    """What is folded is opened late, and a link is followed at the end."""
    page.goto(f"{site.as_uri()}/sample.html")
    assert_markup_in_a_word_stays_text(page)
    assert_formulas_are_mathml(page)
    assert_what_needs_a_kernel_leads_to_one(page)
    assert_folded_cells_are_folded(page)
    assert_a_section_named_more_is_folded(page)
    assert_links_lead_to_pages_and_else_to_the_source(page)


def assert_markup_in_a_word_stays_text(page: Page) -> None:
    screen = on_screen(page, 1)
    assert "</script><b>" in screen.root.inner_text()
    assert page.locator("main b", has_text="<!--").count() == 0


def assert_folded_cells_are_folded(page: Page) -> None:
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


def assert_a_section_named_more_is_folded(page: Page) -> None:
    main = page.locator("main")
    assert "folded away" not in main.inner_text()
    assert "Not folded" in main.inner_text()
    page.get_by_text("More: a fold").click()
    assert "Deeper" in main.inner_text()
    assert "folded away" in main.inner_text()


def assert_what_needs_a_kernel_leads_to_one(page: Page) -> None:
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


def assert_formulas_are_mathml(page: Page) -> None:
    assert page.locator("math[display=block] mfrac msqrt").count() == 1
    assert page.locator("p > math[display=inline] msub").count() == 1
    assert "$" not in page.locator("main").inner_text()


def assert_links_lead_to_pages_and_else_to_the_source(page: Page) -> None:
    hrefs = page.locator(".prose p a").evaluate_all(
        "all => all.map(a => a.getAttribute('href'))"
    )
    assert hrefs == [
        "lesson.html",
        "00_start_here.html#Run-a-cell",
        f"{pages.REPOSITORY}/blob/main/notebooks/guide.md",
        "https://example.org",
        "glossary.html",
    ]
    page.get_by_role("link", name="the start").click()
    page.wait_for_function("document.querySelector(':target')?.tagName === 'H2'")


SPILLED = """root => [...root.querySelectorAll('figcaption > *')].filter(e =>
    e.getClientRects().length && e.getBoundingClientRect().left
        < e.parentElement.getBoundingClientRect().left - 1).map(e => e.innerText)"""


@pytest.mark.parametrize("width", [880, 960, 1280])  # 848 is JupyterLab's
def test_no_title_lies_over_another_table(page: Page, site: Path, width: int) -> None:
    """Nor in a section that was folded when the explorer was built."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{site.as_uri()}/01_one_word.html")
    page.get_by_text("More: a long row wins").click()
    for k in range(3):
        screen = on_screen(page, k)
        if screen.root.get_attribute("data-locked") == "true":
            screen.action("skip").click()
        assert screen.root.evaluate(SPILLED) == []


def test_the_glossary_is_a_page(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/sample.html")
    page.get_by_role("link", name="the terms").click()
    assert page.url.endswith("glossary.html")
    assert page.locator("main li").count() == 10
    page.get_by_role("link", name="chapter 3").click()
    assert page.url.endswith("03_trainable_weights.html")


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


def test_every_picture_has_words(site: Path) -> None:
    found = re.findall(r"<img [^>]*>", "".join(read(site, p.stem) for p in NOTEBOOKS))
    said = [re.search(r' alt="([^"]*)"', picture)[1] for picture in found]
    assert len(said) > 80
    assert said.count(pages.DRAWN) == 1  # chapter 6 calls matplotlib itself
    assert "" not in said


def test_contents_previous_and_next(site: Path) -> None:
    contents = read(site, "index").split('<ul class="contents">')[1]
    assert "Does it stand?" in contents
    order = [*(path.stem for path in NOTEBOOKS), "sample"]
    listed = re.findall(r'<li><a href="(\w+)\.html">', contents)
    assert listed[: len(order)] == order
    neighbours = [None, *order[:-1]], [*order[1:], None]
    for name, before, after in zip(order, *neighbours, strict=True):
        page = read(site, name)
        assert '<nav aria-label="Top">\n<a href="index.html">' in page
        for rel, other in ("prev", before), ("next", after):
            found = re.findall(rf'<a rel="{rel}" href="(\w+)\.html">', page)
            assert found == ([other] * 2 if other else [])  # above and below
    assert "<title>A sample &amp; more</title>" in page


# ---- for everybody ----


@pytest.mark.parametrize("name", DRESSED)
def test_a_page_needs_nothing_from_elsewhere_and_axe_finds_nothing(
    page: Page, site: Path, name: str
) -> None:
    """From the disk; served, a drag has seen it. And nothing is cut off."""
    left = only(page, site.as_uri())
    page.goto(f"{site.as_uri()}/{name}.html")
    for k in range(page.locator("[data-explorer]").count()):
        on_screen(page, k)
    for picture in page.locator("img").all():
        picture.scroll_into_view_if_needed()
        picture.evaluate("img => img.decode()")
    assert left == []
    other = DARK if DRESSED[name] == LIGHT else LIGHT
    for width, scheme in (other, DRESSED[name]):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            "width => document.documentElement.scrollWidth === width", arg=width
        )
    assert violations(page) == []


def test_in_print_the_controls_are_gone(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/sample.html")
    screen = on_screen(page)
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("nav").is_visible()
    assert not screen.root.locator(".bar").is_visible()
    assert screen.cell("weights", 0, 0).is_visible()
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"


DEAF = """
const Observer = ResizeObserver;  // paper comes without a change of size being told
ResizeObserver = class extends Observer {
    constructor(told) { super((...sizes) => window.onPaper || told(...sizes)); }
};"""
A4 = {"width": 718, "height": 1047}  # what a browser's margins leave
COVERED = """root => {
    const parts = 'table, figcaption > b, .formula, svg, .foot';
    const boxes = [...root.querySelectorAll(parts)]
        .map(part => [part, part.getBoundingClientRect()])
        .filter(([part, {width, height}]) => width > 1 && height > 1
            && !part.closest('.further figcaption'));  // is only heard
    const outside = boxes.filter(([, {right}]) => right > innerWidth + 1);
    const over = ([a, p], [b, q]) => p.left < q.right - 1 && q.left < p.right - 1
        && p.top < q.bottom - 8 && q.top < p.bottom - 8
        && a.closest('figure') !== b.closest('figure');
    const pairs = boxes.flatMap((p, k) => boxes.slice(k + 1).filter(q => over(p, q))
        .map(q => [p[0].outerHTML.slice(0, 80), q[0].outerHTML.slice(0, 80)]));
    return [...outside.map(([part]) => part.outerHTML.slice(0, 80)), ...pairs];
}"""


@pytest.mark.parametrize("name", ["lesson", "07_many_heads"])
def test_on_paper_nothing_covers_anything(
    browser: Browser, site: Path, name: str
) -> None:
    page = browser.new_page()  # which keeps its script until it is closed
    page.add_init_script(DEAF)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{site.as_uri()}/{name}.html")
    page.wait_for_function(ALIVE)
    page.evaluate("window.onPaper = true")
    page.emulate_media(media="print")
    page.set_viewport_size(A4)
    for root in page.locator(".attention-explorer").all():
        assert root.evaluate(COVERED) == []
    page.close()


def test_the_page_leaves_the_looks_of_an_explorer_alone() -> None:
    page = (pages.PARTS / "page.css").read_text(encoding="utf-8")
    ours = set(re.findall(r"\.([a-z][a-z-]*)", page))
    assert ours & set(re.findall(r"\.([a-z][a-z-]*)", STYLE)) == set()


# ---- the laboratory of d_k ----


def shown_words(page: Page) -> list[str]:
    effective = page.locator(".scale-laboratory").last.locator("[data-effective]")
    return effective.all_inner_texts()


def test_the_laboratories_of_a_chapter_live_on_its_page(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/04_scaled.html")
    asked, cure = page.locator("[data-laboratory]").all()
    cure.locator("[data-action=skip]").click()
    assert shown_words(page) == ["1.1", "4.4", "6.0"]
    cure.locator("[data-control=d_k]").press("Home")
    assert shown_words(page) == ["4.1", "4.7", "5.2"]
    assert asked.get_attribute("data-locked") == "true"
    assert "#" not in page.url
    assert "needs a kernel" not in cure.locator("..").inner_text()


def test_the_classroom_page_keeps_a_laboratory_over_a_reload(
    page: Page, classroom: Path
) -> None:
    page.goto(f"{classroom.as_uri()}/classroom.html")
    laboratory = page.locator("[data-laboratory]")
    laboratory.locator("[data-choice=more]").check()
    laboratory.locator("[data-action=commit]").click()
    laboratory.locator("[data-control=d_k]").press("End")
    page.wait_for_function("location.hash.includes('512')")
    page.reload()
    verdict = laboratory.locator("[data-part=verdict]")
    expect(verdict).to_have_attribute("data-said", "more")
    assert shown_words(page) == ["1.1", "4.4", "6.0"]


def test_a_length_that_an_address_may_not_bring_is_forgotten(
    page: Page, classroom: Path
) -> None:
    page.goto(f"{classroom.as_uri()}/classroom.html")
    name = page.locator("[data-laboratory]").get_attribute("data-laboratory")
    hash_ = quote(json.dumps({name: {"d_k": 1e9, "predicted": "skipped"}}))
    page.goto("about:blank")
    page.goto(f"{classroom.as_uri()}/classroom.html#state={hash_}")
    laboratory = page.locator(".scale-laboratory[data-locked=true]")
    laboratory.locator("[data-action=skip]").click()
    assert shown_words(page) == ["4.1", "4.7", "5.2"]
