"""Links between Python and pages, the menu that makes them, hostile addresses."""

import base64
import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pages
import pytest
import reach
from drive import OnScreen, assert_same, on_screen, violations, wait_until
from linked import (
    BOMB,
    DEFAULTS,
    GOOD,
    HOSTILE,
    as_page,
    options_of,
    random_explorers,
    with_fields,
)
from playwright.sync_api import Browser, Page, Route, expect
from states import ask
from words import TEXT, on_page_like

from attention_helpers import Explorer, explore
from attention_helpers.explorer import SITE, traits

SAID = TEXT["links"]
NOT_OPENED = on_page_like(SAID["not_opened"])
STAGES = ("scores", "weights", "context")


def write_explorer(folder: Path, base: str) -> None:
    text = pages.hosts(base)["explorer.html"]
    (folder / "explorer.html").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page of one explorer, and nothing else there."""
    folder = tmp_path_factory.mktemp("single")
    write_explorer(folder, SITE)
    with reach.served(folder) as address:
        yield f"{address}/explorer.html"


def state_on(page: Page, address: str) -> str:
    """Return the state part of the address in the bar, once it holds one."""
    page.wait_for_function("location.hash.length > 1")
    assert page.url.startswith(address)
    return page.url.partition("#")[2]


def assert_shows(screen: OnScreen, explorer: Explorer) -> None:
    result = explorer.attention
    assert_same(screen, {stage: getattr(result, stage) for stage in STAGES})


def open_menu(screen: OnScreen) -> None:
    if screen.action("menu").get_attribute("aria-expanded") == "false":
        screen.action("menu").click()


def copied(screen: OnScreen, action: str = "copy-link") -> str:
    """Choose an entry that copies; return what is in the clipboard then."""
    screen.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_menu(screen)
    screen.action(action).click()
    status = screen.root.locator(".entries [role=status]")
    expect(status).to_have_text(on_page_like(TEXT["links"]["copied"]))
    return screen.page.evaluate("navigator.clipboard.readText()")


# ---- the same codec on both sides ----


def test_page_and_python_read_each_others_links(engine_page: Page) -> None:
    """Every option at random, to the last digit, in both directions."""
    explorers = list(random_explorers(30, seed=1))
    made = [explorer.link().partition("#")[2] for explorer in explorers]
    both = """async pairs => JSON.stringify(await Promise.all(JSON.parse(pairs).map(
        async ([text, state]) => [await helpers.decode(text),
            await helpers.encode(helpers.complete(state))])))"""
    states = [as_page(explorer) for explorer in explorers]
    pairs = json.dumps(list(zip(made, states, strict=True)))
    found = json.loads(engine_page.evaluate(both, pairs))
    for explorer, state, (opened, text) in zip(explorers, states, found, strict=True):
        wanted = ask(engine_page, "helpers.complete", state)
        assert {k: opened[k] for k in DEFAULTS} == {k: wanted[k] for k in DEFAULTS}
        losses = {"losses": tuple(wanted["losses"])}  # of the goal, as it is now
        again = Explorer.from_link(text)
        assert options_of(again) == options_of(explorer) | losses


def test_names_of_a_matrix_that_is_gone_are_not_sent(engine_page: Page) -> None:
    explorer = explore("bank")
    explorer.W_value = None
    sent = """async text => helpers.decode(
        await helpers.encode(helpers.complete(JSON.parse(text))))"""
    columns = {name: list(of) for name, of in explorer.columns.items()}
    assert "W_value" in columns
    del columns["W_value"]
    opened = engine_page.evaluate(sent, json.dumps(as_page(explorer)))
    assert opened["columns"] == columns


def test_defaults_are_the_same_on_both_sides(engine_page: Page) -> None:
    those = "() => Object.keys(helpers.OPTIONS).filter(helpers.isDecided)"
    decided = ask(engine_page, those)
    assert {*decided} == {*traits.DECIDED, "start"}
    others = {*decided, "tokens", "embeddings"}
    names = [name for name in DEFAULTS if name not in others]
    there = ask(engine_page, "names => helpers.pick(helpers.DEFAULTS, names)", names)
    here = json.loads(json.dumps({name: DEFAULTS[name] for name in names}))
    assert there == here


LONG = """async state => {
    const many = (length, of) => Array.from({length}, of);
    const long = {...helpers.complete(state), losses: many(5000, Math.random)};
    const embeddings = many(32, () => many(300, Math.random));
    const refused = await helpers.encode({...long, embeddings}).catch(error => error);
    return [await helpers.encode(long), refused.message];
}"""


def test_a_long_history_is_left_out_and_too_many_numbers_are_refused(
    engine_page: Page,
) -> None:
    explorer = explore("bank", goal={"weights": {"bank": "river"}})
    text, message = engine_page.evaluate(LONG, as_page(explorer))
    again = Explorer.from_link(text)
    assert (again.losses, again.goal) == ((), explorer.goal)
    assert message == SAID["refused"]["too_much"]


REFUSED = """async texts => {
    const said = [];
    for (const text of texts) {
        const begun = performance.now();
        const error = await helpers.decode(text).catch(error => error);
        said.push([error instanceof helpers.Refused, error.message ?? '',
            performance.now() - begun]);
    }
    return [said, ({}).x ?? null];
}"""


def test_every_hostile_address_is_refused_in_words(engine_page: Page) -> None:
    said, polluted = engine_page.evaluate(REFUSED, list(HOSTILE.values()))
    sentences = set(SAID["refused"].values())
    for name, (refused, message, milliseconds) in zip(HOSTILE, said, strict=True):
        assert refused, (name, message)
        assert message in sentences, name
        assert milliseconds < 2000, name
    assert polluted is None
    [[_, message, _]], _ = engine_page.evaluate(REFUSED, [BOMB])
    assert message == SAID["refused"]["too_large"]


# 0 is not among them: for a flag Python takes it as False, which it equals there.
KINDS = ["a", "x", "", 7, -1, 1.5, 1e300, True, False, None, {}, {"a": "x"}]
KINDS += [[], [1], ["a"], ["x", "x"], [[1]], [True], [[True]]]


def test_both_sides_take_the_same_kind_of_value_for_every_option(
    engine_page: Page,
) -> None:
    cases = [(name, x) for name in DEFAULTS if name != "library" for x in KINDS]
    texts = [with_fields(**{name: x}) for name, x in cases]
    said, _ = engine_page.evaluate(REFUSED, texts)
    taken = [
        case for case, (refused, *_) in zip(cases, said, strict=True) if not refused
    ]

    def takes(text: str) -> bool:
        with suppress(ValueError):
            return isinstance(Explorer.from_link(f"{SITE}#{text}"), Explorer)
        return False

    wanted = [case for case, text in zip(cases, texts, strict=True) if takes(text)]
    assert taken == wanted
    assert len({name for name, _ in taken}) > 15


# ---- explorer.html ----


def test_a_link_from_python_opens_exactly_this_explorer(
    page: Page, single: str
) -> None:
    explorer = explore(
        "bank",
        query="bank",
        mask="causal",
        controls=["goal", "mask"],
        edit=["W_query", "W_key"],
        goal={"weights": {"bank": "coins"}},
        rate=2,
        slopes=True,
    )
    explorer.W_query = np.array(explorer.W_query) + 1 / 3
    page.goto(explorer.link(single.removesuffix("/explorer.html")))
    screen = on_screen(page)
    assert_shows(screen, explorer)
    assert screen.control("mask").input_value() == "causal"
    assert screen.cell("weights", 2, 0).get_attribute("data-goal") is not None
    assert_shows(screen, Explorer.from_link(page.url))
    screen.action("reset").click()
    expect(screen.cell("W_query", 0, 0)).to_have_attribute("data-value", "0")
    explorer.reset()
    assert_shows(screen, explorer)


def test_what_a_hand_does_stands_in_the_address_and_goes_back_to_python(
    page: Page, single: str
) -> None:
    page.goto(single)
    screen = on_screen(page)
    state_on(page, single)
    before = page.url
    assert screen.drag("embeddings", 4, 0, -6) == [2.4]
    page.wait_for_function("before => location.href !== before", arg=before)
    explorer = Explorer.from_link(page.url)
    assert explorer.embeddings[4][0] == 2.4
    assert explorer.start["embeddings"][4][0] == 3
    assert_shows(screen, explorer)
    link = copied(screen)
    assert link == f"{SITE}/explorer.html#{page.url.partition('#')[2]}"
    page.reload()
    screen = on_screen(page)
    assert screen.number("embeddings", 4, 0) == 2.4
    assert copied(screen) == link
    screen.drag("embeddings", 4, 0, -6)
    assert Explorer.from_link(copied(screen)).embeddings[4][0] == 1.8


def test_copy_as_python_is_code_that_makes_the_same(
    page: Page, engine_page: Page, single: str
) -> None:
    explorers = list(random_explorers(12, seed=2))
    written = "states => states.map(s => helpers.asPython(helpers.complete(s)))"
    codes = ask(engine_page, written, [as_page(explorer) for explorer in explorers])
    page.goto(explorers[0].link(single.removesuffix("/explorer.html")))
    root = page.locator("[data-explorer]")
    root.locator("[data-action=menu]").wait_for()  # a question may hide the numbers
    codes.append(copied(OnScreen(root), "copy-python"))
    for explorer, code in zip([*explorers, explorers[0]], codes, strict=True):
        head, _, last = code.rstrip().rpartition("\nexplore(")
        scope: dict = {}
        exec(head, scope)
        again = eval(f"explore({last}", scope)
        losses = {"losses": again.losses}  # the page knows them better
        assert options_of(again) == options_of(explorer) | losses
    page.goto("about:blank")
    page.goto(explore("three inputs").link(single.removesuffix("/explorer.html")))
    assert copied(on_screen(page), "copy-python").endswith("\nexplore(example)\n")


def test_the_picture_holds_every_number_and_is_a_valid_file(
    page: Page, single: str, tmp_path: Path
) -> None:
    options = {
        "query": "bank",
        "mask": "causal",
        "tokens": ["a<b", "&", "bank", "\x01b"],
    }
    goal = {"weights": {"bank": "a<b"}}
    explorer = explore("bank", embeddings=np.eye(4), goal=goal, **options)
    page.goto(explorer.link(single.removesuffix("/explorer.html")))
    screen = on_screen(page)
    screen.drag("embeddings", 1, 0, 20)
    screen.cell("weights", 2, 2).click()
    open_menu(screen)
    kept = {}
    for kind in ("svg", "png"):
        with page.expect_download() as download:
            screen.action(f"save-{kind}").click()
        assert download.value.suggested_filename == f"{SAID['file']}.{kind}"
        kept[kind] = Path(tmp_path / kind)
        download.value.save_as(kept[kind])
    root = ElementTree.parse(kept["svg"]).getroot()
    texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    wanted = screen.root.locator(".flow td .number").all_inner_texts()
    assert len(wanted) > 40
    assert Counter(wanted) - Counter(texts) == {}
    assert {"a<b", "&", "attention weights", "W_query"} <= set(texts)
    assert not {TEXT["table"]["row"], TEXT["learning"]["wished"]} & set(texts)
    ringed = ":is(.one, .two, .selected, [data-goal])"
    for drawn, shown in (("rect[@stroke]", ringed), ("circle[@r='2.5']", ".changed")):
        marks = root.findall(f"{{http://www.w3.org/2000/svg}}{drawn}")
        assert len(marks) == screen.root.locator(f"td{shown}").count() > 0
    hatched = [e for e in root.iter() if e.get("fill") == "url(#hidden)"]
    assert len(hatched) == 2
    colours = {e.get("fill") for e in root.iter() if e.get("fill")}
    assert all(c[0] == "#" or c in ("none", "url(#hidden)") for c in colours)
    png = kept["png"].read_bytes()
    assert png.startswith(b"\x89PNG")
    width, height = (int.from_bytes(png[k : k + 4]) for k in (16, 20))
    assert (width, height) == (2 * int(root.get("width")), 2 * int(root.get("height")))
    shades = """async address => {
        const bitmap = await createImageBitmap(await (await fetch(address)).blob());
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        const {data} = context.getImageData(0, 0, bitmap.width, bitmap.height);
        return new Set(new Uint32Array(data.buffer)).size;
    }"""
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    assert page.evaluate(shades, address) > 30  # not an empty sheet


def test_the_picture_of_several_heads_names_each(page: Page, single: str) -> None:
    explorer = explore("two questions", heads=2)
    page.goto(explorer.link(single.removesuffix("/explorer.html")))
    screen = on_screen(page)
    heads = screen.root.locator("button.of-head")
    heads.last.click()  # switched off
    open_menu(screen)
    with page.expect_download() as download:
        screen.action("save-svg").click()
    svg = download.value.path().read_text("utf-8")
    on, off = (re.escape(name) for name in heads.all_inner_texts())
    assert re.search(f'"none"[^>]*>{on}</text>', svg)
    assert re.search(f'"line-through"[^>]*>{off}</text>', svg)


# ---- copying ----


def test_without_a_clipboard_it_is_copied_as_before_there_was_one(
    page: Page, single: str
) -> None:
    page.goto(single)
    screen = on_screen(page)
    page.evaluate("""() => {
        Object.defineProperty(navigator, 'clipboard', {value: undefined});
        document.addEventListener('copy', () => {
            window.taken = document.activeElement.value;
        });
    }""")
    open_menu(screen)
    screen.action("copy-link").click()
    status = screen.root.locator(".entries [role=status]")
    expect(status).to_have_text(on_page_like(TEXT["links"]["copied"]))
    assert page.evaluate("taken").startswith(f"{SITE}/explorer.html#")
    page.evaluate("() => { document.execCommand = () => false; }")
    screen.action("copy-link").click()
    field = screen.root.locator(".entries textarea")
    expect(field).to_be_focused()
    link = field.input_value()
    assert Explorer.from_link(link).tokens == explore("bank").tokens
    selected = "e => e.value.slice(e.selectionStart, e.selectionEnd)"
    assert field.evaluate(selected) == link


def test_the_menu_opens_and_closes_by_key_and_adds_no_height(
    page: Page, single: str
) -> None:
    page.goto(single)
    screen = on_screen(page)
    high = screen.root.bounding_box()["height"]
    opener, entries = screen.action("menu"), screen.root.locator(".entries")
    opener.press("Enter")
    expect(entries).to_be_visible()
    assert opener.get_attribute("aria-expanded") == "true"
    assert screen.root.bounding_box()["height"] == high
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    assert violations(page) == []
    page.keyboard.press("Tab")
    expect(screen.action("copy-link")).to_be_focused()
    page.keyboard.press("Escape")
    expect(entries).to_be_hidden()
    expect(opener).to_be_focused()
    opener.click()
    screen.cell("weights", 0, 0).click()
    expect(entries).to_be_hidden()


@pytest.mark.parametrize("controls", [[], ["query"], ["query", "divide_by", "mask"]])
def test_the_menu_is_in_sight_on_a_phone(
    phone: Page, single: str, controls: list[str]
) -> None:
    explorer = explore("bank", controls=controls, large=True)
    phone.goto(explorer.link(single.removesuffix("/explorer.html")))
    screen = on_screen(phone)
    screen.action("menu").tap()
    box = screen.root.locator(".entries").bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= 400
    assert phone.evaluate("document.documentElement.scrollWidth") == 400


# ---- a stranger's address ----


def only_own(page: Page, address: str) -> list[str]:
    left: list[str] = []

    def on_request(route: Route) -> None:
        own = route.request.url.startswith((address, "data:", "blob:"))
        left.extend([] if own else [route.request.url])
        route.continue_() if own else route.abort()

    page.route("**/*", on_request)
    return left


def test_a_page_with_a_hostile_address_says_why_and_stays_usable(
    page: Page, single: str
) -> None:
    left = only_own(page, single)
    page.on("dialog", lambda dialog: left.append(dialog.message))
    for name in ("a bomb", "__proto__"):  # why, is said as the engine says it
        page.goto("about:blank")
        page.goto(f"{single}?x#{HOSTILE[name]}")
        screen = on_screen(page)
        note = page.get_by_role("alert").filter(has_text=NOT_OPENED)
        assert any(why in note.inner_text() for why in SAID["refused"].values())
        assert screen.drag("embeddings", 4, 0, -6) == [2.4]
    assert left == []


def test_hostile_words_are_text(page: Page, single: str) -> None:
    left = only_own(page, single)
    words = ["<img src=x onerror=alert(1)>", "__proto__", "\u202eright", "{row}", "$&"]
    explorer = explore("bank", tokens=words, predict="largest_weight", query=1)
    explorer.goal = {"weights": {"__proto__": "{row}"}}
    explorer.predicted = "</script><script>alert(1)</script>"
    explorer.example = "<b>bold</b>"
    page.goto(explorer.link(single.removesuffix("/explorer.html")))
    screen = on_screen(page)
    assert_shows(screen, explorer)
    screen.cell("weights", 1, 0).click()
    assert words[0] in screen.root.inner_text()
    assert page.locator("main img, main b b, main script").count() == 0
    losses = {"losses": Explorer.from_link(copied(screen)).losses}
    assert (
        options_of(Explorer.from_link(copied(screen))) == options_of(explorer) | losses
    )
    assert left == []


# ---- set it up ----


def field(page: Page, key: str):
    return page.locator(f'.maker [data-key="{key}"]')


def now(page: Page) -> Explorer:
    """Return the explorer that the page copies as a link."""
    page.locator("h1").click()
    return Explorer.from_link(copied(on_screen(page)))


def test_words_sizes_and_every_option_can_be_chosen(page: Page, single: str) -> None:
    page.goto(single)
    screen = on_screen(page)
    field(page, "drop-0").click()
    field(page, "word-0").fill("under")
    field(page, "add").fill("the river bridge")
    field(page, "add").press("Enter")
    words = ("under", "bank", "by", "river", "the", "river (2)", "bridge")
    expect(screen.root.locator("[data-stage=embeddings] tbody tr")).to_have_count(7)
    field(page, "width-embeddings").fill("3")
    field(page, "width-W_key").fill("4")
    field(page, "width-W_value").fill("0")
    field(page, "column-embeddings-2").fill("third")
    field(page, "edit-W_key").check()
    field(page, "query").select_option(label="river")
    field(page, "mask").select_option(label=TEXT["masks"]["causal"]["name"])
    field(page, "goal-weights-river").select_option(label="bank")
    field(page, "goal-weights-bridge").select_option(label="by")
    more = [field(page, f"controls-{name}") for name in ("query", "mask", "tie")]
    field(page, "controls-learn").check()
    more[0].check()
    more[1].check()
    expect(more[2]).to_be_disabled()  # three at most
    more[0].uncheck()
    expect(more[2]).to_be_enabled()
    more[1].uncheck()
    field(page, "slopes").check()
    field(page, "rate").fill("1.5")
    field(page, "dropout_p").fill("0.5")
    field(page, "step").check()
    field(page, "example").fill("mine")
    explorer = now(page)
    assert explorer.tokens == words == explorer.start["tokens"]
    shapes = [np.shape(getattr(explorer, name)) for name in ("W_query", "W_key")]
    assert shapes == [(3, 4), (3, 4)]
    assert explorer.W_value is None
    assert explorer.columns["embeddings"] == ("wet", "rich", "third")
    assert explorer.edit == ("embeddings", "W_key")
    assert (explorer.query, explorer.mask, explorer.rate) == (3, "causal", 1.5)
    assert explorer.goal == {"weights": {"river": "bank", "bridge": "by"}}
    assert explorer.controls == ("learn",)
    assert explorer.slopes
    assert (explorer.dropout_p, explorer.step) == (0.5, 0)
    assert np.shape(explorer.dropout_keep) == (7, 7)
    assert explorer.example == "mine"
    state = page.evaluate("navigator.clipboard.readText()").partition("#")[2]
    frame = field(page, "embed")
    wait_until(lambda: f"/explorer.html?embed#{state}" in frame.input_value())
    field(page, "width-W_value").fill("2")
    field(page, "heads").fill("2")
    field(page, "heads").press("Enter")
    field(page, "off-1").check()
    assert now(page).heads == 2
    assert now(page).off == (1,)
    field(page, "heads").fill("3")
    field(page, "heads").press("Enter")
    expect(page.locator(".maker [role=status]")).to_have_text(TEXT["maker"]["refused"])
    assert now(page).heads == 2
    field(page, "axis").select_option(label=TEXT["axis"]["columns"])
    expect(page.locator(".maker [role=status]")).to_have_text(TEXT["maker"]["refused"])
    assert now(page).axis == "rows"
    field(page, "load").select_option(label="The cat sat")
    assert now(page).tokens == explore("the cat sat").tokens


def test_every_option_has_a_field(page: Page, single: str) -> None:
    """So an option that is added to the table has one by itself, where it is simple."""
    page.goto(single)
    on_screen(page)
    field(page, "heads").fill("2")  # so that there is one to switch off
    field(page, "heads").press("Enter")
    keys = page.locator(".maker [data-key]").evaluate_all(
        "all => all.map(e => e.dataset.key.split('-')[0])"
    )
    simple = {k for k, x in DEFAULTS.items() if isinstance(x, (bool, int, float, str))}
    others = {"stages", "edit", "controls", "train", "goal", "slider", "query", "step"}
    assert simple | others | {"predict", "width", "column", "word", "add"} <= {*keys}


def test_axe_finds_nothing_and_nothing_is_cut_off_where_it_is_narrow_and_dark(
    page: Page, single: str
) -> None:
    """Wide and light: where the menu is opened by key."""
    page.set_viewport_size({"width": 400, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.goto(single)
    open_menu(on_screen(page))
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    assert violations(page) == []


# ---- in a frame ----


def test_in_a_sandboxed_frame_it_moves_and_nothing_is_around_it(
    browser: Browser, page: Page, single: str
) -> None:
    state = explore("bank", query="bank").link().partition("#")[2]
    frame = f'<iframe sandbox="allow-scripts" src="{single}?embed#{state}"'
    page.goto(single)
    page.set_content(f"{frame} width=900 height=700></iframe>")
    inner = page.frame_locator("iframe")
    cell = inner.locator("[data-stage=embeddings] td[data-row='4'][data-col='0']")
    cell.wait_for()
    for around in ("nav", "footer", "h1", ".maker"):
        expect(inner.locator(around).first).to_be_hidden()
    box = cell.bounding_box()
    x, y = round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 6, y)
    page.mouse.up()
    expect(cell).to_have_attribute("data-value", "2.4")
    inner.locator("[data-action=menu]").click()
    inner.locator("[data-action=copy-link]").click()
    expect(inner.locator(".entries [role=status]")).not_to_be_empty()
    page.errors.clear()  # a frame without rights: the browser says what it refused


# ---- a chapter's page ----


def test_a_link_of_a_chapter_leads_back_to_its_explorer(page: Page, site: Path) -> None:
    page.goto(f"{site.as_uri()}/01_one_word.html")
    screen = on_screen(page, 1)
    assert screen.drag("embeddings", 4, 0, -6) == [2.4]
    link = copied(screen)
    assert link.startswith(f"{SITE}/01_one_word.html#explorer-2=")
    first = on_screen(page, 0).numbers()
    page.goto("about:blank")
    page.goto(link.replace(SITE, site.as_uri()))
    again = on_screen(page, 1)
    expect(again.root).to_be_in_viewport()
    assert again.number("embeddings", 4, 0) == 2.4
    assert_shows(again, Explorer.from_link(link))
    assert on_screen(page, 0).numbers() == first
    again.action("reset").click()
    assert again.number("embeddings", 4, 0) == 3
    # Put into the bar of the page as it stands, as some programs write it.
    page.evaluate("link => { location.href = link; }", f"#explorer-2%3D{quote(GOOD)}")
    wanted = Explorer.from_link(GOOD)
    wait_until(lambda: assert_shows(on_screen(page, 1), wanted) is None)


def test_a_link_opens_the_fold_in_which_its_explorer_stands(
    page: Page, site: Path
) -> None:
    page.goto(f"{site.as_uri()}/01_one_word.html#explorer-3={quote(GOOD)}")
    third = on_screen(page, 2)
    expect(third.root).to_be_in_viewport()
    assert_shows(third, Explorer.from_link(GOOD))


def test_a_chapters_page_refuses_in_words_and_is_as_ever(
    page: Page, site: Path
) -> None:
    for hash_ in (f"explorer-2={HOSTILE['cut']}", f"explorer-99={GOOD}"):
        page.goto("about:blank")
        page.goto(f"{site.as_uri()}/01_one_word.html#{hash_}")
        note = page.get_by_role("alert").filter(has_text=NOT_OPENED)
        expect(note).to_be_in_viewport()
        assert on_screen(page, 1).drag("embeddings", 4, 0, -6) == [2.4]


def test_the_lesson_opens_a_link_and_keeps_it(page: Page, classroom: Path) -> None:
    lesson = f"{classroom.as_uri()}/classroom.html"
    page.goto(lesson)
    screen = on_screen(page, 2)
    screen.drag("embeddings", 4, 0, -6)
    link = copied(screen)
    assert link.startswith(f"{SITE}/lesson.html#")
    page.goto("about:blank")
    page.goto(link.replace(f"{SITE}/lesson.html", lesson))
    assert on_screen(page, 2).number("embeddings", 4, 0) == 2.4
    page.wait_for_function("location.hash.startsWith('#state=')")
    page.reload()
    assert on_screen(page, 2).number("embeddings", 4, 0) == 2.4


def test_a_base_of_its_own_stands_in_the_pages(tmp_path: Path, page: Page) -> None:
    write_explorer(tmp_path, "http://school.example/attention")
    page.goto((tmp_path / "explorer.html").as_uri())
    link = copied(on_screen(page))
    assert link.startswith("http://school.example/attention/explorer.html#")
