"""Every gesture on the live pages in Firefox and WebKit; the numbers are NumPy's."""

import io
import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drive import CLEAR, PUT, html_of, state_of, wait_until
from linked import options_of
from live import INPUTS, Live, OnPage
from matplotlib.colors import to_rgb
from PIL import Image
from site_pages import NOTEBOOKS
from webdriver import DOWN, SIZE, UP, Driver, WebKit, move
from words import TEXT, like

from attention_helpers import (
    Example,
    Explorer,
    average_rows,
    descend,
    explore,
    scale_laboratory,
)
from attention_helpers.explorer.laboratory import STATE as LABORATORY

ALIVE = [path.stem for path in NOTEBOOKS if "explore(" in path.read_text("utf-8")]
ELSEWHERE = {"lesson"}  # is visited where haste is tried
PAGES = ["index", *(name for name in ALIVE if name not in ELSEWHERE), "sample"]
CHAPTER_1 = "01_one_word", "01-one-word-34"  # embeddings move, and a word asks


@pytest.fixture(params=["firefox", "webkit"], scope="module")
def engine(request: pytest.FixtureRequest) -> Driver:
    return request.getfixturevalue(request.param)


@pytest.fixture
def window(engine: Driver) -> Iterator[Driver]:
    """A window whose console must stay free of errors."""
    engine.new_errors()
    yield engine
    assert engine.new_errors() == []


def on(window: Driver, site: Path, page: str, name: str, **how: bool) -> OnPage:
    return Live(window, site / f"{page}.html", **how).explorer(name)


@pytest.fixture
def bank(window: Driver, site: Path) -> OnPage:
    """An explorer as it begins, on a page that may have been used before."""
    explorer = on(window, site, *CHAPTER_1, again=True)
    explorer.press(explorer.action("reset"), "Enter")
    start = explorer.live.states[CHAPTER_1[1]]["embeddings"]
    assert explorer.table("embeddings") == start
    return explorer


def test_errors_are_noticed(engine: Driver) -> None:
    engine.goto("data:text/html,<p>a page")
    engine.evaluate(
        """() => {
            console.error('one', 1);
            setTimeout(() => { throw new Error('two'); });
            Promise.reject(new Error('three'));
            console.warn('no error');
            return new Promise(resolve => setTimeout(resolve, 100));
        }"""
    )
    said = engine.new_errors()
    assert len(said) == 3
    assert "one 1" in said
    assert engine.new_errors() == []


# ---- every page ----


def skip_questions(live: Live) -> None:
    for name, shown in live.shown().items():
        if shown.locked:
            explorer = live.explorer(name)
            explorer.press(explorer.action("skip"), "Enter")


@pytest.mark.parametrize("page", PAGES)
def test_every_explorer_of_every_page_is_alive(
    window: Driver, site: Path, page: str
) -> None:
    live = Live(window, site / f"{page}.html")
    live.assert_numpy()
    start, moved = live.shown(), []
    skip_questions(live)
    for name in live.states:
        explorer = live.explorer(name)
        ways = {
            "input[type=range]": ["Home", "ArrowRight"],
            "select": ["ArrowDown"],
            "[data-action=step]": ["Enter"],
        }
        way = next((selector for selector in ways if explorer.count(selector)), None)
        if way:
            explorer.press(f"{explorer.root} {way}", *ways[way])
            moved.append(name)
    live.assert_numpy()
    assert moved
    for name, shown in live.shown().items():
        assert not shown.locked
        assert (shown.stages != start[name].stages) == (name in moved)


# ---- a number under the hand ----


def test_a_number_is_dragged(bank: OnPage) -> None:
    river = bank.cell("embeddings", 4, 0)
    bank.window.drag(river, *range(-1, -7, -1))
    assert bank.number("embeddings", 4, 0) == 2.4
    bank.live.assert_numpy()
    bank.window.drag(river, 9, -4, 0)  # there and back again
    assert bank.number("embeddings", 4, 0) == 2.4
    bank.window.drag(river, -90)
    assert bank.number("embeddings", 4, 0) == -3
    bank.live.assert_numpy()


def test_keys_step_a_number(bank: OnPage) -> None:
    slider = bank.cell("embeddings", 2, 0) + " input"
    for key, expected in {
        **{"ArrowRight": 1.1, "ArrowUp": 1.2, "ArrowLeft": 1.1, "ArrowDown": 1.0},
        **{"Shift+ArrowRight": 2.0, "Shift+ArrowLeft": 1.0, "Shift+ArrowUp": 2.0},
        **{"Shift+ArrowDown": 1.0, "PageUp": 2.0, "PageDown": 1.0, "Home": -3.0},
        **{"Backspace": 1.0, "End": 3.0, "Delete": 1.0},
    }.items():
        bank.press(slider, key)
        assert bank.number("embeddings", 2, 0) == expected, key
        bank.live.assert_numpy()
    bank.window.press("PageUp", "Tab", "Home")
    assert bank.table("embeddings")[2] == [2, -3, 2, 0]
    bank.window.press("Shift+Delete")  # the row
    assert bank.table("embeddings")[2] == [1, 1, 2, 0]
    bank.live.assert_numpy()


def test_a_slider_moves_as_a_screen_reader_moves_it(bank: OnPage) -> None:
    """No driver has a screen reader: this is what the page hears of one."""
    slider = bank.cell("embeddings", 2, 0) + " input"
    news = "new Event('input', {bubbles: true})"
    bank.evaluate(f"e => {{ e.value = 2.5; e.dispatchEvent({news}); }}", slider)
    assert bank.table("embeddings")[2] == [2.5, 1, 2, 0]
    bank.live.assert_numpy()
    bank.press(slider, "Control+z")
    assert bank.table("embeddings")[2] == [1, 1, 2, 0]
    bank.live.assert_numpy()


def test_a_clicked_number_has_the_keys(bank: OnPage) -> None:
    bank.window.click(bank.cell("embeddings", 2, 0))
    bank.window.press("ArrowRight", "Tab", "ArrowLeft")
    assert bank.table("embeddings")[2] == [1.1, 0.9, 2, 0]
    bank.live.assert_numpy()


def test_a_number_is_typed(bank: OnPage) -> None:
    river = bank.cell("embeddings", 4, 1)
    bank.window.click(river, times=2)
    bank.window.press(*"-1,25", "Enter")
    assert bank.number("embeddings", 4, 1) == -1.25
    assert bank.has_focus(f"{river} input")
    bank.live.assert_numpy()
    bank.window.press("7", "Escape")  # a digit begins too
    assert bank.number("embeddings", 4, 1) == -1.25
    bank.window.press("Enter", *"9a", "Enter")
    assert bank.text("[data-part=message]") != ""
    bank.window.press("Escape")
    assert bank.text("[data-part=message]") == ""
    assert bank.has_focus(f"{river} input")
    assert bank.number("embeddings", 4, 1) == -1.25
    bank.live.assert_numpy()


def test_who_leaves_a_typed_number_has_said_it(bank: OnPage) -> None:
    bank.press(bank.cell("embeddings", 4, 1) + " input", "2", "Tab")
    assert bank.has_focus(bank.cell("embeddings", 4, 2) + " input")
    bank.window.press("-", "4")
    assert bank.table("embeddings")[4] == [3, 2, 1, 0]
    bank.window.click(bank.cell("weights", 2, 0))
    assert bank.table("embeddings")[4] == [3, 2, -4, 0]
    assert bank.count(".typing") == 0
    bank.live.assert_numpy()


def test_a_row_is_stretched_by_its_handle_and_a_double_click_resets_it(
    bank: OnPage,
) -> None:
    bank.window.drag(bank.handle(2), 50)
    assert bank.table("embeddings")[2] == [1.5, 1.5, 3, 0]
    bank.live.assert_numpy()
    bank.window.drag(bank.handle(2), -50)
    assert bank.table("embeddings")[2] == [0.75, 0.75, 1.5, 0]
    bank.live.assert_numpy()
    bank.window.click(bank.handle(2), times=2)
    assert bank.table("embeddings")[2] == [1, 1, 2, 0]
    bank.live.assert_numpy()


# ---- hands that are not careful ----


@pytest.mark.parametrize("engine", ["webkit"], indirect=True)  # else no double click
def test_two_quick_nudges_are_no_double_click(bank: OnPage) -> None:
    x, y = bank.window.middle(bank.cell("embeddings", 4, 0))
    nudge = [move(x, y), DOWN, move(x - 2, y), UP]
    bank.evaluate("e => e.addEventListener('dblclick', () => (doubled = 1))", bank.root)
    bank.window.pointer(*nudge, *nudge)
    assert bank.window.evaluate("doubled") == 1
    assert bank.count(".typing") == 0
    assert bank.number("embeddings", 4, 0) == 2.6
    bank.live.assert_numpy()


def test_a_number_does_not_stick_when_a_menu_takes_the_release(bank: OnPage) -> None:
    bank.window.evaluate(
        """() => addEventListener('pointerup',
            event => event.stopImmediatePropagation(), {capture: true, once: true})"""
    )
    x, y = bank.window.middle(bank.cell("embeddings", 4, 0))
    bank.window.pointer(move(x, y), DOWN, move(x - 4, y), UP, move(x - 9, y))
    assert bank.number("embeddings", 4, 0) == 2.6
    bank.live.assert_numpy()


# ---- where a number comes from ----


def test_a_click_explains_a_number_and_arrows_go_on(bank: OnPage) -> None:
    bank.window.click(bank.cell("scores", 2, 3))
    assert bank.text(".result") == "0"
    assert bank.count("td.selected, td.one, td.two") == 9
    bank.window.press("ArrowRight")
    river = bank.cell("scores", 2, 4)
    assert bank.text(".result") == "5"
    assert bank.has_focus(river)
    assert bank.evaluate("e => e.matches(':focus-visible')", river)
    bank.window.drag(bank.cell("embeddings", 4, 0), -10)
    assert bank.text(".result") == "4"
    bank.live.assert_numpy()


def test_large_type_keeps_the_focus(bank: OnPage) -> None:
    bank.window.click(bank.action("large"))
    assert bank.evaluate("e => e.classList.contains('large')", bank.root)
    assert bank.has_focus(bank.action("large"))
    bank.window.press("Enter")
    assert not bank.evaluate("e => e.classList.contains('large')", bank.root)
    bank.live.assert_numpy()


# ---- other explorers, other pages ----


def test_a_weight_matrix_is_dragged(window: Driver, site: Path) -> None:
    explorer = on(window, site, "03_trainable_weights", "03-trainable-weights-14")
    before = explorer.table("W_key")
    explorer.window.drag(explorer.cell("W_key", 1, 1), 7)
    assert explorer.table("W_key") != before
    explorer.live.assert_numpy()


# ---- fingers, which WebKitGTK's driver does not have ----


@pytest.fixture
def finger(window: Driver, site: Path) -> Iterator[OnPage]:
    """The same explorer, 400 pixels wide."""
    window.resize(400, 800)
    yield on(window, site, *CHAPTER_1)
    window.resize(*SIZE)


has_fingers = pytest.mark.parametrize("engine", ["firefox"], indirect=True)


@has_fingers
def test_a_finger_drags_a_number_and_a_row(finger: OnPage) -> None:
    finger.window.drag(finger.cell("embeddings", 4, 0), -6, kind="touch")
    assert finger.number("embeddings", 4, 0) == 2.4
    finger.live.assert_numpy()
    finger.window.drag(finger.handle(4), 50, kind="touch")
    assert finger.table("embeddings")[4] == [3.6, 0, 1.5, 0]
    finger.live.assert_numpy()


@has_fingers
def test_a_tapped_number_has_the_keys(finger: OnPage) -> None:
    finger.window.drag(finger.cell("embeddings", 4, 0), kind="touch")
    finger.window.press("ArrowLeft")
    assert finger.number("embeddings", 4, 0) == 2.9
    finger.live.assert_numpy()


# ---- menus, knobs and buttons ----


MENUS = [
    ("playground-05", "query", "4"),
    ("playground-05", "query", "all"),
    ("playground-15", "divide_by", "sqrt_n_tokens"),
    ("playground-15", "mask", "zero_scores"),
    ("playground-17", "axis", "columns"),
    ("playground-17", "normalise", "sum"),
    ("playground-19", "preset", "vault instead of river"),
    ("playground-21", "example", "journey"),
]


KNOBS = [
    ("playground-17", "stretch"),
    ("playground-19", "multiply"),
    ("playground-21", "dropout"),
]


def test_every_menu_and_every_knob_changes_the_numbers(
    window: Driver, site: Path
) -> None:
    """On the page on which every control stands."""
    playground = Live(window, site / "playground.html")
    for name, control, *value in [*MENUS, *KNOBS]:
        explorer = playground.explorer(name)
        before = explorer.shown()
        if value:
            explorer.pick(control, *value)
            assert explorer.has_focus(explorer.control(control))
            assert explorer.shown().controls[control] == value[0]
        else:
            explorer.press(explorer.control(control), *["ArrowRight"] * 3)
            stands = explorer.shown().controls[control]
            assert float(stands) > float(before.controls[control])
        assert explorer.shown().stages != before.stages, control
        explorer.shown().assert_numpy(playground.states[name])
    playground.assert_numpy()  # one moves, the others stay as they are


def test_a_tied_key_follows_the_query(window: Driver, site: Path) -> None:
    explorer = on(window, site, "03_trainable_weights", "03-trainable-weights-33")
    explorer.window.click(explorer.control("tie"))
    explorer.window.drag(explorer.cell("W_query", 0, 0), 5)
    assert explorer.table("W_key") == explorer.table("W_query")
    explorer.live.assert_numpy()
    explorer.window.click(explorer.control("tie"))
    assert explorer.table("W_key") != explorer.table("W_query")
    explorer.live.assert_numpy()


def test_undo_and_reset(window: Driver, site: Path) -> None:
    bank = on(window, site, *CHAPTER_1)  # whose past begins here
    start = bank.table("embeddings")
    bank.window.drag(bank.cell("embeddings", 4, 0), -6)
    bank.window.drag(bank.handle(2), 50)
    bank.window.press("Control+z")
    assert bank.table("embeddings") == [*start[:4], [2.4, 0, 1, 0]]
    bank.live.assert_numpy()
    bank.window.press("Control+z", "Control+z")
    assert bank.table("embeddings") == start
    bank.live.assert_numpy()
    for action in ("reset-matrix", "reset"):
        bank.window.drag(bank.cell("embeddings", 4, 0), -6)
        bank.window.click(bank.action(action))
        assert bank.table("embeddings") == start
        bank.live.assert_numpy()


# ---- before and after the answer ----


def test_a_prediction_unlocks_the_answer(window: Driver, site: Path) -> None:
    explorer = on(window, site, "01_one_word", "01-one-word-08")
    explorer.window.drag(explorer.cell("embeddings", 4, 0), -6)
    assert explorer.shown().locked
    assert explorer.shown().stages.keys() == {"embeddings"}
    explorer.window.click(f"{explorer.root} [data-choice]")
    explorer.window.click(explorer.action("commit"))
    assert not explorer.shown().locked
    assert explorer.text("[data-part=verdict]") != ""
    explorer.live.assert_numpy()


def test_stages_come_step_by_step(window: Driver, site: Path) -> None:
    explorer = on(window, site, "02_all_words", "02-all-words-06")
    for press in (
        lambda: explorer.window.click(explorer.action("step")),
        lambda: explorer.window.press(" "),
    ):
        before = explorer.shown().stages
        press()
        assert len(explorer.shown().stages) == len(before) + 1
        explorer.live.assert_numpy()
    explorer.window.click(explorer.action("back"))
    assert explorer.shown().stages == before


# ---- the lesson, whose state stands in its address ----


def test_the_lesson_is_alive_and_haste_does_not_write_its_address_too_often(
    window: Driver, site: Path
) -> None:
    """WebKit throws at the 101st time in ten seconds; Firefox would at the 201st."""
    explorer = on(window, site, "lesson", "lesson-10")
    skip_questions(explorer.live)
    slider = explorer.cell("embeddings", 4, 0) + " input"
    haste = ["Delete"] * (105 if isinstance(window, WebKit) else 5)
    explorer.press(slider, "ArrowLeft", *haste, "ArrowLeft")
    assert explorer.number("embeddings", 4, 0) == 2.9
    window.wait_for_function("decodeURIComponent(location.hash).includes('2.9')")
    explorer.live.assert_numpy()
    assert not any(shown.locked for shown in explorer.live.shown().values())


# ---- a link ----

SAID = "document.querySelector('.entries [role=status]').textContent"


def test_a_link_opens_and_one_goes_back(window: Driver, site: Path) -> None:
    sent = explore("bank", query="bank", mask="causal", edit=["W_query"])
    sent.W_query = np.array(sent.W_query) + 1 / 3
    after = f"#{sent.link().partition('#')[2]}"
    page = Live(window, site / "explorer.html", after).explorer("explorer")
    page.shown().assert_same(sent.attention)
    window.drag(page.cell("W_query", 1, 1), 6)

    def back() -> Explorer:
        return Explorer.from_link(window.evaluate("location.href"))

    wait_until(lambda: back().W_query == tuple(map(tuple, page.table("W_query"))))
    assert back().W_query[1][1] != sent.W_query[1][1]
    assert back().start == sent.start
    page.shown().assert_same(back().attention)
    window.click(page.action("menu"))
    window.click(page.action("copy-link"))
    window.wait_for_function(f"{SAID} !== ''")
    assert like(TEXT["links"]["copied"]).fullmatch(window.evaluate(SAID))


# ---- what is put on an empty page ----

Put = Callable[..., OnPage]
TWO_WORDS = Example(["coins", "bank"], [[0, 2], [2, 1]])


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bench") / "page.html"
    path.write_text(html_of(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def put(window: Driver, bench: str) -> Put:
    """Show something instead of what was put there before."""

    def put(state: dict[str, Any], kind: str = "explorer") -> OnPage:
        if not window.evaluate(CLEAR):
            window.goto(bench)
        window.evaluate(PUT, [kind, json.dumps(state), "light"])
        return OnPage(window, "main > div")

    return put


def assert_same(page: OnPage, explorer: Explorer) -> None:
    """The page shows this explorer's inputs, and what NumPy makes of them."""
    shown = page.shown()
    for name in set(INPUTS) & set(shown.stages):
        assert shown.table(name) == np.asarray(getattr(explorer, name)).tolist()
    shown.assert_same(explorer.attention)


def test_keys_answer_skip_and_go_from_stage_to_stage(put: Put) -> None:
    options = {"query": "bank", "predict": "largest_weight", "step": 1}
    explorer = explore(TWO_WORDS, **options)
    score, share = explorer.attention.scores[1, 1], explorer.attention.weights[1, 1]
    assert share > 0.5
    largest = {"words": "bank", "share": f"{100 * share:.0f} %"}
    result = TEXT["answers"]["largest"].format(**largest)
    why = TEXT["why_not"]["largest"].format(said="bank", score=f"{score:g}")
    said = {"said": "bank", "result": result, "why": why}
    stages = ["embeddings", "scores", "weights", "context"]

    page = put(state_of(explorer))
    page.press(f"{page.root} [data-choice=bank]", "Enter")
    assert page.shown().locked  # nothing is chosen yet
    page.window.press(" ", "Enter")
    assert page.text("[data-part=verdict]") == TEXT["verdicts"]["right"].format(**said)
    for keys, n in (([], 2), ([" "], 3), ([" "], 4), (["Shift+ "], 3)):
        page.window.press(*keys)
        assert list(page.shown().stages) == stages[:n]
        assert_same(page, explorer)

    page = put(state_of(explorer))
    page.press(page.cell("embeddings", 0, 0) + " input", "s")
    skipped = TEXT["verdicts"]["skipped"].format(result=result)
    assert page.text("[data-part=verdict]") == skipped
    assert page.window.evaluate("store.state.predicted") == "skipped"
    assert list(page.shown().stages) == stages[:2]
    assert_same(page, explorer)


def test_a_chosen_row_is_stretched_and_zeros_are_drawn_again(put: Put) -> None:
    options = {"stages": ["embeddings", "weights"], "controls": ["row", "dropout"]}
    explorer = explore("bank", dropout_p=0.5, **options)
    page = put(state_of(explorer))
    page.pick("row", "4")
    page.press(page.control("stretch"), "ArrowRight", "ArrowRight")
    explorer.embeddings = [*explorer.embeddings[:4], [3.6, 0, 1.2, 0]]
    assert_same(page, explorer)
    for _ in range(2):
        before = explorer.dropout_keep
        page.press(page.action("draw"), "Enter")
        explorer.dropout_keep = page.window.evaluate("store.state.dropout_keep")
        assert explorer.dropout_keep != before
        assert_same(page, explorer)


UNDIMMED = """() =>
    [...document.querySelectorAll('[data-stage]:not(.editable) tr[data-row]:not(.dim)')]
        .map(tr => tr.closest('[data-stage]').dataset.stage + ' ' + tr.dataset.row)"""
SUMMARY = "document.querySelector('[data-part=summary]').textContent"


def test_a_word_whose_label_is_touched_asks(put: Put) -> None:
    explorer = explore(TWO_WORDS)
    page = put(state_of(explorer))
    labels = [f"{page.root} [data-stage=weights] tr[data-row='{i}'] th" for i in (0, 1)]
    said = []
    for i, row in enumerate(explorer.attention.weights):
        word, other = explorer.tokens[i], explorer.tokens[1 - i]
        most, least = (f"({100 * share:.0f} %)" for share in (row[i], row[1 - i]))
        assert row[i] > 0.5
        places = {"word": word, "most": f"itself {most}", "next": f"{other} {least}"}
        said.append(TEXT["row"]["most_then"].format(**places))

    def assert_asks(*words: int) -> None:
        stages = ("scores", "weights", "context")
        rows = [f"{stage} {i}" for stage in stages for i in words]
        assert page.window.evaluate(UNDIMMED) == rows
        if len(words) == 1:
            page.window.wait_for_function(f"said => {SUMMARY} === said", said[words[0]])

    page.window.pointer(move(*page.window.middle(labels[1])))
    assert_asks(1)
    page.window.pointer(move(1, 1))
    assert_asks(0, 1)
    page.window.click(labels[0])
    page.window.pointer(move(1, 1))
    assert_asks(0)
    page.window.click(labels[0])
    page.window.pointer(move(1, 1))
    assert_asks(0, 1)
    assert_same(page, explorer)


def test_heads_are_chosen_and_switched_off_and_on(put: Put) -> None:
    explorer = explore("two questions", query="bank", controls=["heads"])
    page = put(state_of(explorer))
    page.pick("heads", "2")
    explorer.heads = 2
    assert page.window.evaluate("store.state.heads") == 2  # no text, as in the menu
    assert_same(page, explorer)
    page.window.click(f"{page.action('head')}[data-head='1']")
    explorer.off = [1]
    assert page.shown().on == [True, False]
    assert_same(page, explorer)
    page.window.press("Enter")
    explorer.off = []
    assert page.shown().on == [True, True]
    assert_same(page, explorer)
    page.pick("heads", "1")
    explorer.heads = 1
    assert page.shown().on == []
    assert_same(page, explorer)


# ---- the menu ----


def test_a_copy_as_python_makes_the_same_explorer(put: Put) -> None:
    """It is pasted with the keys."""
    explorer = explore(TWO_WORDS, query="bank", mask="causal")
    page = put(state_of(explorer))
    page.press(page.cell("embeddings", 0, 0) + " input", "ArrowRight")
    explorer.embeddings = page.table("embeddings")
    assert explorer.embeddings != explorer.start["embeddings"]
    page.window.click(page.action("menu"))
    page.window.click(page.action("copy-python"))
    page.window.wait_for_function(f"{SAID} !== ''")
    field = "document.createElement('textarea')"
    page.evaluate(f"main => main.appendChild({field}).focus()", "main")
    page.window.press("Control+v")
    code = page.window.evaluate("document.activeElement.value")
    head, _, last = code.rpartition("\nexplore(")
    scope: dict[str, Any] = {}
    exec(head, scope)
    again = eval(f"explore({last}", scope)
    assert options_of(again) == options_of(explorer)
    assert page.window.evaluate(SAID) == TEXT["links"]["copied"].format(n=len(code))


def saved(page: OnPage, kind: str, end: bytes) -> bytes:
    """Choose a picture in the menu; return the file that the browser has written."""
    path = page.window.downloads / f"explorer.{kind}"
    page.window.click(page.action(f"save-{kind}"))
    wait_until(lambda: path.read_bytes().rstrip().endswith(end))
    found = path.read_bytes()
    path.unlink()
    return found


def test_a_saved_picture_has_every_number_and_every_shade(put: Put) -> None:
    explorer = explore(TWO_WORDS, mask="causal")
    page = put(state_of(explorer))
    assert_same(page, explorer)
    page.window.click(page.action("menu"))
    svg = ElementTree.fromstring(saved(page, "svg", b"</svg>"))
    file = io.BytesIO(saved(page, "png", b"IEND\xaeB`\x82"))
    png = np.asarray(Image.open(file).convert("RGB")) / 255
    texts = Counter(e.text for e in svg.iter("{http://www.w3.org/2000/svg}text"))
    numbers = "[...document.querySelectorAll('td .number')].map(e => e.textContent)"
    assert Counter(page.window.evaluate(numbers)) <= texts
    assert {f"{x:.2f}" for x in explorer.attention.weights[1]} <= set(texts)
    left, top, width, height = map(float, svg.get("viewBox").split())
    assert png.shape[:2] == (2 * height, 2 * width)
    rects = svg.iter("{http://www.w3.org/2000/svg}rect")
    boxes = [e for e in rects if e.get("rx") and e.get("fill")[0] == "#"]
    assert len({e.get("fill") for e in boxes}) > 5
    for box in boxes:  # in its corner there is no text
        x = round(2 * (float(box.get("x")) - left) + 8)
        y = round(2 * (float(box.get("y")) - top) + 8)
        assert png[y, x] == pytest.approx(to_rgb(box.get("fill")), abs=1 / 255)


# ---- learning ----


def test_it_wishes_and_learns(put: Put) -> None:
    W_query, W_key = np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2))
    options = {"slopes": True, "edit": ["W_query"], "controls": ["goal", "learn"]}
    explorer = explore("bank", W_query=W_query, W_key=W_key, **options)
    window = put(state_of(explorer)).window
    window.click("[data-stage=weights] td[data-row='2'][data-col='4']")
    mark = "td => getComputedStyle(document.querySelector(td), '::before').content"
    assert "◎" in window.evaluate(mark, "td[data-goal]")
    window.click("[data-stage=W_query] td[data-row='2'][data-col='0']")
    said = "document.querySelector('[data-part=explanation] .result').textContent"
    arrow = window.evaluate(mark, "td[data-row='2'][data-slope]")
    slope = "+document.querySelector(`td[data-row='2'][data-slope]`).dataset.slope"
    assert ("▸" if window.evaluate(slope) < 0 else "◂") in arrow
    told = float(window.evaluate(said).replace("−", "-"))
    assert told == pytest.approx(window.evaluate(slope), abs=0.005)
    window.click("[data-action=learn]")
    window.wait_for_function("store.running === false")
    losses = window.evaluate("store.state.losses")
    matrices = explorer.embeddings, W_query, W_key, explorer.W_value
    options = {"rate": 0.5, "steps": len(losses) - 1}
    way = descend(*matrices, goal={"weights": {2: 4}}, **options)
    np.testing.assert_allclose(losses, way.losses, rtol=1e-6)
    assert losses[-1] < 0.001
    assert window.evaluate("document.querySelectorAll('[data-part=loss] svg').length")


WISHED = "[...document.querySelectorAll('td[data-goal]')].map(e => e.dataset.col)"


def test_keys_wish_step_learn_and_pause(put: Put) -> None:
    options = {"query": "bank", "controls": ["goal", "rate", "learn"]}
    page = put(state_of(explore(TWO_WORDS, **options)))
    window = page.window

    def assert_learned(steps: int) -> None:
        """The page has learned what NumPy learns in so many steps."""
        how = {"train": ["embeddings"], "scale": 1, "rate": 0.1, "steps": steps}
        way = descend(TWO_WORDS.embeddings, goal={"weights": {1: 0}}, **how)
        losses = window.evaluate("store.state.losses")
        np.testing.assert_allclose(losses, way.losses, rtol=1e-9)
        np.testing.assert_allclose(page.table("embeddings"), way.embeddings, rtol=1e-9)

    page.press(page.cell("weights", 1, 1), "ArrowLeft", "Enter")
    assert window.evaluate(WISHED) == ["0"]
    page.pick("rate", "0.1")
    assert_learned(0)
    page.press(page.action("learn-step"), "Enter")
    assert_learned(1)
    steps = 1
    for _ in range(2):  # paused, it goes on
        before = steps
        page.press(page.control("learn"), "Enter")
        window.wait_for_function("n => store.state.losses.length > n", steps + 3)
        window.press("Enter")
        assert page.text("[data-action=learn]") == TEXT["buttons"]["learn"][0]
        steps = len(window.evaluate("store.state.losses")) - 1
        said = TEXT["learning"]["paused"].format(n=steps - before)
        assert page.text("[data-part=status]") == said
        assert_learned(steps)
    learned = page.table("embeddings")
    page.press(page.action("no-goal"), "Enter")
    assert window.evaluate(WISHED) == window.evaluate("store.state.losses") == []
    assert page.table("embeddings") == learned


# ---- the laboratory of d_k ----


def assert_rows(page: OnPage, d_k: int, **drawn: int) -> None:
    """Every share and every count of words is NumPy's."""
    found = page.window.evaluate(
        """root => ['rank', 'effective'].map(what =>
            [...document.querySelectorAll(`${root} [data-${what}]`)].map(cell =>
                Number(cell.dataset.value ?? cell.dataset.effective)))""",
        page.root,
    )
    rows = average_rows(d_k, **drawn).values()
    shares = np.concatenate([row.weights for row in rows])
    np.testing.assert_allclose(found[0], shares, rtol=1e-9)
    words = [row.effective_words for row in rows]
    np.testing.assert_allclose(found[1], words, rtol=1e-9)


def test_the_laboratory_shows_numpys_numbers(window: Driver, site: Path) -> None:
    live = Live(window, site / "04_scaled.html")
    page = OnPage(window, '[data-laboratory="04-scaled-cure"]', live)
    window.click(page.action("skip"))
    window.click(page.control("d_k"))
    window.press("Home", "ArrowRight", "ArrowRight")
    assert_rows(page, 8)


def test_a_length_is_typed_and_other_rows_are_drawn(put: Put) -> None:
    laboratory = scale_laboratory(rows=5)
    state = {name: getattr(laboratory, name) for name in LABORATORY}
    page = put(state, "laboratory")
    field = page.control("d_k-typed")
    page.press(field, "Control+a", *"100", "Enter")
    assert page.has_focus(page.control("d_k"))
    assert_rows(page, 100, rows=5)
    page.press(field, "Control+a", *"7", "Tab")
    assert_rows(page, 7, rows=5)
    page.press(field, "Control+a", "1", "Enter")
    refused = TEXT["laboratory"]["refused"].format(said="1", least=2, most=512)
    assert page.text("[data-part=message]") == refused
    page.window.press("Escape")
    assert page.window.evaluate("store.state.d_k") == 7
    page.press(page.action("draw_rows"), "Enter")
    seed = page.window.evaluate("store.state.seed")
    assert seed != laboratory.seed
    assert_rows(page, 7, rows=5, seed=seed)
