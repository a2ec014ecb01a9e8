"""What hands do that a careful mouse does not: taps, lost releases, haste."""

import pytest
from drive import OnScreen, assert_numpy, show, swipe
from playwright.sync_api import Page

from attention_helpers import examples, explore

BANK = examples["bank"].without_matrices()
LOSE_A_RELEASE = """() => addEventListener('pointerup',
    event => event.stopImmediatePropagation(), {capture: true, once: true})"""


def row(screen: OnScreen, i: int) -> list[float]:
    return [screen.number("embeddings", i, j) for j in range(4)]


def test_a_finger_stretches_a_row_by_its_handle(phone: Page) -> None:
    explorer = explore(BANK)
    screen = show(phone, explorer)
    handle = screen.root.locator("[data-handle=row]").nth(2)
    box = handle.bounding_box()
    assert min(box["width"], box["height"]) >= 24
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    swipe(phone, x, y, 50, 2)
    assert row(screen, 2)[0] == row(screen, 2)[1] == row(screen, 2)[2] / 2 > 1.3
    assert_numpy(screen, explorer)


def test_a_tapped_number_has_the_keys(phone: Page) -> None:
    screen = show(phone, explore(BANK))
    screen.cell("embeddings", 2, 0).tap()
    phone.keyboard.press("ArrowRight")
    assert screen.number("embeddings", 2, 0) == 1.1
    screen.root.locator("[data-handle=row]").nth(4).tap()
    phone.keyboard.press("ArrowLeft")
    assert screen.number("embeddings", 4, 0) == 2.9


@pytest.mark.parametrize("held", ["td[data-col='0']", "[data-handle]"])
def test_nothing_sticks_to_the_pointer_when_its_release_is_lost(
    page: Page, held: str
) -> None:
    explorer = explore(BANK)
    screen = show(page, explorer)
    page.evaluate(LOSE_A_RELEASE)
    with screen.held(screen.root.locator(f"[data-row='4'] {held}").first) as hand:
        hand.to(-5)
    moved = row(screen, 4)
    assert moved[0] < 3
    assert page.evaluate("store.hand")
    hand.to(-6)
    hand.to(40)
    assert row(screen, 4) == moved
    assert_numpy(screen, explorer)
    page.keyboard.press("Control+z")
    assert row(screen, 4) == [3, 0, 1, 0]


def test_two_quick_nudges_are_no_double_click(page: Page) -> None:
    screen = show(page, explore(BANK))
    page.evaluate(
        "root => root.addEventListener('dblclick', () => (window.doubled = true))",
        screen.root.element_handle(),
    )
    handle = screen.root.locator("[data-handle=row]").nth(4)
    for held in (screen.cell("embeddings", 4, 0), handle):
        box = held.bounding_box()
        x, y = round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)
        for clicks in (1, 2):
            page.mouse.move(x, y)
            page.mouse.down(click_count=clicks)
            page.mouse.move(x - 2, y)
            page.mouse.up(click_count=clicks)
        assert page.evaluate("doubled")
        assert screen.root.locator(".typing").count() == 0
    assert row(screen, 4) == [2.49704, 0, 0.9604, 0]  # less 0.4, then twice 2%
    handle.dblclick()
    assert row(screen, 4) == [3, 0, 1, 0]


def test_a_clicked_button_takes_the_focus_in_safari_too(page: Page) -> None:
    everything = {"controls": ["dropout"], "step": 1, "predict": "largest_weight"}
    screen = show(page, explore("bank", query=2, **everything))
    for _ in range(2):
        actions = screen.root.locator("button").evaluate_all(
            "all => all.map(e => [e.dataset.action, e.getAttribute('tabindex')])"
        )
        assert {tabindex for _, tabindex in actions} == {"0"}
        if screen.action("skip").count():
            screen.action("skip").click()
    assert {"step", "back", "large", "reset", "reset-matrix", "draw"} <= {
        name for name, _ in actions
    }
