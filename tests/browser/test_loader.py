"""What an explorer carries: it finds the shared code, whenever that comes."""

from typing import Any

from conftest import new_page
from drive import OnScreen, state_of, write
from playwright.sync_api import Browser, Page

from attention_helpers import explore
from attention_helpers.explorer import LOADER, SOURCE, STYLE

PREPARE = """async ({loader, code}) => {
    const blob = new Blob([loader], {type: 'text/javascript'});
    const {default: start} = await import(URL.createObjectURL(blob));
    const shared = Object.fromEntries(Object.entries(code).map(
        ([name, texts]) => [name, {get: key => texts[key]}]));
    window.late = new Map();  // what resolves a model that is not there yet
    window.show = async (state, which, {place = document.body, wait = false}) => {
        const here = new Promise((resolve, reject) =>
            wait ? late.set(which, () => resolve(shared[which])) :
            which in shared ? resolve(shared[which]) : reject(Error('not found')));
        const values = {...state, _code: `IPY_MODEL_${which}`};
        const model = {get: name => values[name], set() {}, save_changes() {}, on() {},
            widget_manager: {get_model: () => here, kernel: window.kernel}};
        const widget = await start();
        const el = place.appendChild(document.createElement('div'));
        await widget.initialize({model});  // returns at once, or anywidget gives up
        const leave = widget.render({model, el});
        if (!wait) await leave;
        return el;
    };
    window.sheets = () => [...document.querySelectorAll('style[data-explorer]')].length;
}"""


def prepared(page: Page, **code: dict[str, Any]) -> dict[str, Any]:
    """Load the loader beside shared code; return the state of an explorer to show."""
    write(page, "<body></body>")
    page.evaluate(PREPARE, {"loader": LOADER, "code": code})
    return state_of(explore("bank", controls=["example"])) | {"library": None}


CODE = {"source": SOURCE, "style": STYLE, "library": {}}


def test_code_that_comes_late_is_waited_for(page: Page) -> None:
    state = prepared(page, a=CODE)
    page.evaluate("state => { show(state, 'a', {wait: true}) }", state)
    page.wait_for_timeout(100)
    assert page.locator(".attention-explorer").count() == 0
    page.evaluate("late.get('a')()")
    screen = OnScreen(page.locator(".attention-explorer"))
    screen.root.wait_for()
    assert screen.drag("embeddings", 2, 0, 5) == [1.5]


def test_a_press_that_moves_nothing_asks_the_kernel_nothing(browser: Browser) -> None:
    page = new_page(browser)  # no page that is kept: its clock stays another one
    page.clock.install()
    state = prepared(page, a=CODE)
    page.evaluate(
        """async state => {
            window.asked = 0;
            const requestCommInfo = async () => ({content: {}, n: asked += 1});
            window.kernel = {requestCommInfo};
            await show(state, 'a', {});
        }""",
        state,
    )
    screen = OnScreen(page.locator(".attention-explorer"))
    for moved, asked in ([], 0), ([5], 1):  # no answer comes, so a move asks for it
        screen.drag("embeddings", 2, 0, *moved)
        page.clock.run_for(5000)
        assert page.evaluate("asked") == asked
    assert page.errors == []
    page.context.close()


def test_code_that_is_not_there_is_said_in_words(page: Page) -> None:
    state = prepared(page)
    page.evaluate("state => show(state, 'a', {})", state)
    assert "Run its cell again" in page.locator("body").inner_text()


def test_code_is_imported_once_and_brings_the_examples(page: Page) -> None:
    count = "globalThis.imported = (globalThis.imported ?? 0) + 1;\n"
    library = {"one": state_of(explore("journey")) | {"example": "my journey"}}
    code = {"source": count + SOURCE, "style": STYLE, "library": library}
    state = prepared(page, a=code)
    for _ in range(3):
        page.evaluate("state => show(state, 'a', {})", state)
    assert page.evaluate("[imported, sheets()]") == [1, 1]
    menu = OnScreen(page.locator(".attention-explorer").nth(1)).control("example")
    assert "my journey" in menu.locator("option").all_inner_texts()


RING = "root => getComputedStyle(root).getPropertyValue('--ring')"


def test_each_version_has_its_own_style(page: Page) -> None:
    other = CODE | {"style": STYLE + ".attention-explorer { --ring: 9px; }"}
    state = prepared(page, a=CODE, b=other)
    for which in "abba":
        page.evaluate("([state, which]) => show(state, which, {})", [state, which])
    roots = page.locator(".attention-explorer").all()
    assert [root.evaluate(RING) for root in roots] == ["2px", "9px", "9px", "2px"]
    assert page.evaluate("sheets()") == 2


def test_a_shadow_root_gets_a_style_of_its_own(page: Page) -> None:
    state = prepared(page, a=CODE)
    page.evaluate(
        """async state => {
            const host = document.body.appendChild(document.createElement('div'));
            const place = host.attachShadow({mode: 'open'});
            window.inside = await show(state, 'a', {place});
            await show(state, 'a', {place});
            window.outside = await show(state, 'a', {});
        }""",
        state,
    )
    for name in ("inside", "outside"):
        assert page.evaluate(f"({RING})({name})") == "2px"
    styles = "inside.getRootNode().querySelectorAll('style[data-explorer]').length"
    assert page.evaluate(f"[{styles}, sheets()]") == [1, 1]


def test_the_dark_theme_reaches_the_style(page: Page) -> None:
    state = prepared(page, a=CODE)
    page.evaluate("state => show(state, 'a', {})", state)
    ink = "getComputedStyle(document.querySelector('.attention-explorer')).color"
    light = page.evaluate(ink)
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert page.evaluate(ink) != light
