"""The explorer on a plain page: no Jupyter, no kernel, nothing fetched."""

import json
import re
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from drive import OnScreen, assert_numpy, rested, show
from playwright.sync_api import Browser, Page
from states import ask, as_explorer, random_states

from attention_helpers import Example, Explorer, examples, explore
from attention_helpers.explorer import CONTROLS, QUESTIONS, _attention

BANK = examples["bank"].without_matrices()
UNLIKE = Example.from_text("all five words differ here", d_in=4, d_k=3, d_v=2)


# ---- a number under the hand ----


@pytest.mark.parametrize(
    ("explorer", "stage", "start"),
    [
        (lambda: explore("journey", edit=["W_query"]), "W_query", 0.296111941),
        (lambda: explore("journey"), "embeddings", 0.43),
        (lambda: explore(BANK), "embeddings", 0.0),
    ],
)
def test_a_drag_there_and_back_is_the_start_value(
    page: Page, explorer: Callable[[], Explorer], stage: str, start: float
) -> None:
    screen = show(page, explorer())
    seen = screen.drag(stage, 0, 0, 7, -7, 0, 900, 0, -900, 0)
    assert seen[2] == seen[4] == seen[6] == start
    assert len(set(seen)) == 5
    assert seen[3] == -seen[5] == float(screen.slider(stage, 0, 0).get_attribute("max"))
    assert screen.drag(stage, 0, 0, 900)[-1] == seen[3]
    assert screen.drag(stage, 0, 0, -900, -5, -5000, 900, 0)[-1] == seen[3]


def test_every_pixel_is_one_step_and_every_number_follows(page: Page) -> None:
    explorer = explore("journey", mask="causal", controls=["mask"])
    screen = show(page, explorer)
    seen = screen.drag("embeddings", 1, 2, *range(-1, -31, -1))
    assert seen == [round(0.66 - k / 100, 2) for k in range(1, 31)]
    assert explorer.embeddings[1][2] == 0.66
    assert_numpy(screen, explorer)
    assert explorer.embeddings[1][2] == 0.36
    assert explorer.changes == {("embeddings", "journey", "x₃"): (0.66, 0.36)}


def test_the_hand_rests_once(page: Page) -> None:
    screen = show(page, explore(BANK))
    screen.drag("embeddings", 0, 0, *range(1, 12))
    assert len(page.evaluate("rests")) == 1
    screen.slider("embeddings", 0, 0).press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert len(page.evaluate("rests")) == 1
    page.wait_for_function("rests.length === 2")


KEYS = [
    ("ArrowRight", 1.1),
    ("ArrowUp", 1.1),
    ("ArrowLeft", 0.9),
    ("ArrowDown", 0.9),
    ("Shift+ArrowRight", 2.0),
    ("Shift+ArrowDown", 0.0),
    ("PageUp", 2.0),
    ("PageDown", 0.0),
    ("Home", -3.0),
    ("End", 3.0),
]


def test_keys_step_a_number(page: Page) -> None:
    screen = show(page, explore(BANK))
    slider = screen.slider("embeddings", 2, 0)
    for key, expected in KEYS:
        slider.press(key)
        assert screen.number("embeddings", 2, 0) == expected, key
        slider.press("Delete")
        assert screen.number("embeddings", 2, 0) == 1.0
    for key in ["ArrowRight"] * 7 + ["ArrowLeft"] * 7:
        slider.press(key)
    assert screen.number("embeddings", 2, 0) == 1.0
    assert float(slider.input_value()) == 1.0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0,5", 0.5),
        ("-1", -1.0),
        ("−1.25", -1.25),
        (".5", 0.5),
        ("1e2", 100.0),
        ("-0", 0.0),
        ("1e6", 1e6),
        ("0.123456789", 0.123456789),
    ],
)
def test_a_number_is_typed(page: Page, text: str, value: float) -> None:
    explorer = explore(BANK)
    screen = show(page, explorer)
    screen.type("embeddings", 2, 1, text)
    assert screen.number("embeddings", 2, 1) == value
    assert screen.part("message") == ""
    slider = screen.slider("embeddings", 2, 1)
    assert slider.evaluate("e => e === document.activeElement")
    assert float(slider.input_value()) == value
    assert_numpy(screen, explorer)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense", "is not a number"),
        ("", "is not a number"),
        ("1,2,3", "is not a number"),
        ("0x10", "is not a number"),
        ("Infinity", "is not a number"),
        ("2e6", "within a million"),
        ("-1000000.1", "within a million"),
    ],
)
def test_what_is_no_number_is_refused_in_words(
    page: Page, text: str, says: str
) -> None:
    screen = show(page, explore(BANK))
    screen.type("embeddings", 2, 1, text or "\b")
    assert says in screen.part("message")
    assert screen.number("embeddings", 2, 1) == 1.0
    page.keyboard.press("Escape")
    assert screen.part("message") == ""
    assert screen.root.locator(".typing").count() == 0
    assert screen.number("embeddings", 2, 1) == 1.0
    slider = screen.slider("embeddings", 2, 1)
    assert slider.evaluate("e => e === document.activeElement")


def test_typing_begins_and_ends_in_many_ways(page: Page) -> None:
    screen = show(page, explore(BANK))
    slider = screen.slider("embeddings", 2, 1)
    slider.press("Enter")
    field = screen.root.locator(".typing")
    assert field.input_value() == "1"
    page.keyboard.press("Escape")
    slider.press("7")
    page.keyboard.type(".5")
    page.keyboard.press("Tab")  # leaving commits, and the focus goes on
    assert screen.number("embeddings", 2, 1) == 7.5
    following = screen.slider("embeddings", 2, 2)
    assert following.evaluate("e => e === document.activeElement")
    screen.cell("embeddings", 2, 1).dblclick()
    page.keyboard.type("oops")
    screen.slider("embeddings", 0, 0).focus()
    assert screen.number("embeddings", 2, 1) == 7.5
    assert screen.part("message") == ""
    assert slider.get_attribute("max") == "10"  # a typed number widens the range
    assert slider.get_attribute("min") == "-10"


# ---- undo and reset ----


def test_undo_takes_back_one_gesture_at_a_time(page: Page) -> None:
    explorer = explore(BANK, query="bank", controls=["query"])
    screen = show(page, explorer)
    start = screen.numbers()
    screen.drag("embeddings", 0, 0, 3, 9, 20)
    after_drag = screen.numbers()
    screen.type("embeddings", 2, 2, "-2")
    screen.control("query").select_option("4")
    screen.slider("embeddings", 2, 2).focus()
    page.keyboard.press("Control+z")
    assert screen.control("query").input_value() == "2"
    page.keyboard.press("Control+z")
    assert screen.numbers() == after_drag
    page.keyboard.press("Control+z")
    assert screen.numbers() == start
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Shift+z")
    assert screen.numbers() == start
    assert_numpy(screen, explorer)


def test_a_row_stretches_flips_and_goes_back(page: Page) -> None:
    explorer = explore(BANK)
    screen = show(page, explorer)
    handle = screen.root.locator("[data-handle=row]").nth(4)
    with screen.held(handle) as hand:
        hand.to(50)
        assert [screen.number("embeddings", 4, k) for k in range(4)] == [4.5, 0, 1.5, 0]
        hand.to(-200)
        assert [screen.number("embeddings", 4, k) for k in range(4)] == [-3, 0, -1, 0]
    assert_numpy(screen, explorer)
    assert screen.root.locator("td.changed").count() == 2
    handle.dblclick()
    assert screen.root.locator("td.changed").count() == 0
    assert_numpy(screen, explorer)
    assert explorer.changes == {}
    page.keyboard.press("Tab")
    screen.slider("embeddings", 4, 0).press("ArrowLeft")
    screen.slider("embeddings", 4, 2).press("ArrowLeft")
    page.keyboard.press("Shift+Delete")  # the whole row, by keyboard
    assert screen.root.locator("td.changed").count() == 0


def test_one_matrix_and_all_go_back(page: Page) -> None:
    explorer = explore("journey", edit=["embeddings", "W_query"])
    screen = show(page, explorer)
    start = screen.numbers()
    screen.drag("embeddings", 0, 0, 10)
    screen.drag("W_query", 2, 1, -10)
    undo = screen.root.locator("[data-stage=W_query] [data-action=reset-matrix]")
    undo.click()
    assert not undo.is_visible()
    assert screen.numbers()["W_query"] == start["W_query"]
    assert screen.number("embeddings", 0, 0) != start["embeddings"][0, 0]
    screen.drag("W_query", 2, 1, -10)
    screen.action("reset").click()
    assert screen.numbers() == start
    assert_numpy(screen, explorer)
    assert explorer.changes == {}
    screen.type("embeddings", 0, 0, "500")
    screen.action("reset").click()
    assert screen.slider("embeddings", 0, 0).get_attribute("max") == "1"


# ---- where a number comes from ----


def lit(screen: OnScreen) -> dict[str, set[tuple[str, int, int]]]:
    """Return the cells lit in each colour."""
    found = screen.root.evaluate(
        """root => [...root.querySelectorAll('td:is(.one, .two, .selected)')].map(td =>
            [td.closest('[data-stage]').dataset.stage, +td.dataset.row,
             +td.dataset.col, [...td.classList]])"""
    )
    return {
        kind: {(stage, i, j) for stage, i, j, names in found if kind in names}
        for kind in ("selected", "one", "two")
    }


def line(stage: str, row: int | None, col: int | None, size: int) -> set:
    """Return a row or a column of cells."""
    if row is None:
        return {(stage, i, col) for i in range(size)}
    return {(stage, row, j) for j in range(size)}


def test_a_click_lights_what_a_number_comes_from(page: Page) -> None:
    screen = show(page, explore(UNLIKE, mask="causal", controls=["mask"]))
    n, d_in, d_k = 5, 4, 3
    sources = {
        ("queries", 1, 2): (
            line("embeddings", 1, None, d_in),
            line("W_query", None, 2, d_in),
        ),
        ("keys", 1, 2): (
            line("embeddings", 1, None, d_in),
            line("W_key", None, 2, d_in),
        ),
        ("values", 3, 1): (
            line("embeddings", 3, None, d_in),
            line("W_value", None, 1, d_in),
        ),
        ("scores", 3, 1): (line("queries", 3, None, d_k), line("keys", 1, None, d_k)),
        ("scaled_scores", 3, 1): ({("scores", 3, 1)}, set()),
        ("masked_scores", 3, 1): ({("scaled_scores", 3, 1)}, set()),
        ("weights", 3, 1): (
            {("masked_scores", 3, 1)},
            line("masked_scores", 3, None, n),
        ),
        ("context", 3, 1): (line("weights", 3, None, n), line("values", None, 1, n)),
    }
    for (stage, i, j), (one, two) in sources.items():
        screen.cell(stage, i, j).click()
        assert lit(screen) == {"selected": {(stage, i, j)}, "one": one, "two": two}
        assert screen.part("explanation").endswith(shown(screen.number(stage, i, j)))
    screen.cell("W_key", 0, 0).click()
    assert lit(screen)["one"] == lit(screen)["two"] == set()
    assert "W_key" in screen.part("explanation")


def shown(x: float) -> str:
    return f"{round(x, 4):g}".replace("-", "−")


def test_the_sentence_stays_true_while_a_number_moves(page: Page) -> None:
    screen = show(page, explore(BANK, query="bank"))
    screen.cell("scores", 2, 4).click()
    assert screen.part("explanation") == (
        "score: bank asks, river is looked at: 1 × 3 + 1 × 0 + 2 × 1 + 0 × 0 = 5"
    )
    assert screen.part("caption") == "row bank asks, column river is looked at"
    with screen.held(screen.cell("embeddings", 4, 0)) as hand:
        hand.to(-25)
        assert "1 × 0.5 + 1 × 0" in screen.part("explanation")
        assert screen.part("explanation").endswith("= 2.5")
    screen.cell("context", 2, 0).click()
    assert screen.part("caption").startswith("row bank asks")


def test_hovering_or_clicking_a_row_label_makes_that_word_ask(page: Page) -> None:
    screen = show(page, explore(BANK))
    labels = screen.root.locator("[data-stage=weights] tbody th[scope=row]")
    dimmed = screen.root.locator("[data-stage=weights] tr.dim")
    labels.nth(2).hover()
    assert dimmed.count() == 5  # four words and the sums
    page.wait_for_function(
        "document.querySelector('[data-part=summary]').innerText.startsWith('bank')"
    )
    page.mouse.move(2, 2)
    assert dimmed.count() == 0
    labels.nth(4).click()
    page.mouse.move(2, 2)
    assert screen.root.locator("[data-stage=scores] tr:not(.dim)").count() == 2
    labels.nth(4).click()
    page.mouse.move(2, 2)
    assert dimmed.count() == 0


# ---- keyboard ----


def focused(page: Page) -> str | None:
    return page.evaluate("document.activeElement?.dataset.key ?? null")


def test_tab_goes_from_slider_to_slider_and_once_into_each_matrix(page: Page) -> None:
    screen = show(page, explore(BANK, query="bank", controls=["query"]))
    expected = ["control-query", "action-large", "action-reset"]
    expected += [f"embeddings-{i}-{j}" for i in range(5) for j in range(4)]
    expected += ["scores-2-0", "weights-2-0", "context-2-0", None]
    seen = []
    for _ in expected:
        page.keyboard.press("Tab")
        seen.append(focused(page))
    assert seen == expected
    screen.slider("embeddings", 0, 0).focus()
    page.keyboard.press("Escape")
    assert focused(page) is None


def test_arrows_move_inside_a_computed_matrix(page: Page) -> None:
    screen = show(page, explore(BANK))
    screen.cell("weights", 0, 0).focus()
    seen = []
    for key in ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft"]:
        page.keyboard.press(key)
        seen.append(focused(page))
    assert seen == [f"weights-{place}" for place in ("1-0", "1-1", "1-2", "0-2", "0-1")]
    for _ in range(9):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
    assert focused(page) == "weights-0-0"
    page.keyboard.press("ArrowRight")
    assert "share of on when coins asks" in screen.part("explanation")
    described = screen.cell("weights", 0, 1).get_attribute("aria-describedby")
    assert page.locator(f"[id='{described}']").inner_text() == screen.part(
        "explanation"
    )
    page.keyboard.press("Tab")
    assert focused(page) == "context-0-0"
    page.keyboard.press("Shift+Tab")
    assert focused(page) == "weights-0-1"  # where it was left


def test_the_focus_is_always_to_be_seen(page: Page) -> None:
    everything = {"controls": ["query", "row", "multiply"], "step": 9}
    screen = show(page, explore("bank", predict="double_W_query", **everything))
    screen.action("skip").click()
    rings = """() => {
        const at = document.activeElement;
        const ring = e => e && getComputedStyle(e).outlineStyle !== 'none'
            && parseFloat(getComputedStyle(e).outlineWidth) >= 2;
        return !at.dataset.key || ring(at) || ring(at.closest('td'));
    }"""
    page.locator("body").click(position={"x": 2, "y": 2})
    count = 0
    while focused(page) or not count:
        page.keyboard.press("Tab")
        assert page.evaluate(rings), focused(page)
        count += 1
    assert count > 30
