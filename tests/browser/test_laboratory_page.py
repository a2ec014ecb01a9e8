"""The laboratory of d_k on a plain page: its numbers, hands, questions and looks."""

import json

import numpy as np
import pytest
from drive import put, violations
from playwright.sync_api import Locator, Page, expect
from words import judged, like

from attention_helpers import ScaleLaboratory, average_rows, scale_laboratory
from attention_helpers.explorer.laboratory import STATE
from attention_helpers.facts import TEXT
from attention_helpers.random_rows import SEED, random_rows

WORDS = TEXT["laboratory"]
CHOICES = WORDS["choices"]
READ = """root => [...root.querySelectorAll('[data-divisor]')].map(row => [
    row.dataset.divisor,
    [...row.querySelectorAll('[data-rank]')].map(td => Number(td.dataset.value)),
    Number(row.querySelector('[data-effective]').dataset.effective),
    Number(row.querySelector('[data-frozen]').dataset.frozen)])"""


def show(page: Page, laboratory: ScaleLaboratory, theme: str = "light") -> Locator:
    """Mount a laboratory on a plain page, with no Jupyter anywhere."""
    state = {name: getattr(laboratory, name) for name in STATE}
    return put(page, "laboratory", state, theme)


def assert_numpy(root: Locator, d_k: int, *names: str, **drawn: int) -> None:
    """The page shows these divisors, in this order, with NumPy's numbers."""
    read = root.evaluate(READ)
    assert [name for name, *_ in read] == list(names or average_rows(2))
    for name, weights, effective, frozen in read:
        wanted = average_rows(d_k, **drawn)[name]
        np.testing.assert_allclose(weights, wanted.weights, rtol=1e-9, atol=1e-12)
        assert effective == pytest.approx(wanted.effective_words, rel=1e-9)
        assert frozen == pytest.approx(wanted.frozen, abs=1e-12)


def slider(root: Locator) -> Locator:
    return root.locator("[data-control=d_k]")


def field(root: Locator) -> Locator:
    return root.locator("[data-control='d_k-typed']")


# ---- the numbers ----


@pytest.mark.parametrize("seed", [0, SEED, 2**32 - 1])
def test_the_draws_are_numpys(engine_page: Page, seed: int) -> None:
    draw = "([rows, seed]) => [...helpers.drawRows(rows, seed)]"
    found = np.reshape(engine_page.evaluate(draw, [9, seed]), (9, 7, 512))
    queries, keys = random_rows(512, 9, seed)
    np.testing.assert_allclose(found[:, 0], queries, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[:, 1:], keys, rtol=1e-9, atol=1e-12)


def test_what_is_not_said_is_as_in_python(engine_page: Page) -> None:
    """A notebook that was saved may lack what is as at first."""
    plain = {name: getattr(ScaleLaboratory(), name) for name in STATE}
    found = engine_page.evaluate("helpers.LABORATORY.defaults")
    assert found == json.loads(json.dumps(plain))
    assert engine_page.evaluate("helpers.LABORATORY.synced") == list(STATE)


def test_every_d_k_shows_numpys_numbers(page: Page) -> None:
    root = show(page, scale_laboratory())
    for d_k in (2, 4, 8, 16, 32, 64, 128, 256, 512):
        assert field(root).input_value() == str(d_k)
        assert_numpy(root, d_k)
        slider(root).press("ArrowRight")
    assert_numpy(root, 512)  # there is no more


def test_rows_seed_and_divisors_are_as_asked_for(page: Page) -> None:
    options = {"rows": 50, "seed": 7}
    root = show(page, scale_laboratory(d_k=100, divisors=["d_k", "1"], **options))
    assert_numpy(root, 100, "1", "d_k", **options)
    assert WORDS["caption"].format(rows=50) in root.inner_text()


def test_what_is_read_is_what_is_held(page: Page) -> None:
    root = show(page, scale_laboratory(d_k=512))
    rows = [line.split("\t") for line in root.locator("tbody").inner_text().split("\n")]
    texts = [" ".join(part.split()) for line in rows for part in line]
    for shown in ("0.96", "1.1", "66.5 %", "0.42", "4.4", "0 %", "6.0", "100 %"):
        assert shown in texts
    height = "i => i.offsetHeight / i.parentElement.clientHeight"
    bar = root.locator("[data-divisor=sqrt_d_k] [data-rank='0'] i")
    assert bar.evaluate(height) == pytest.approx(0.42, abs=0.02)


# ---- hands ----


KEYS = [
    *((64, "ArrowRight", 128), (64, "ArrowDown", 32), (64, "PageUp", 512)),
    *((64, "PageDown", 8), (64, "Home", 2), (64, "End", 512)),
    *((100, "ArrowRight", 128), (100, "ArrowLeft", 64)),
    *((2, "ArrowLeft", 2), (500, "End", 512)),
]


def test_keys_move_d_k_in_powers_of_two(page: Page) -> None:
    """The numbers of these lengths another test compares with NumPy's."""
    root = show(page, scale_laboratory())
    for start, key, d_k in KEYS:
        page.evaluate("d_k => store.edit({d_k})", start)
        assert field(root).input_value() == str(start)
        slider(root).press(key)
        assert field(root).input_value() == str(d_k), (start, key)
        assert slider(root).get_attribute("aria-valuetext") == str(d_k)


# At once: a busy machine may rest between two keys.
FOUR_STEPS = """slider => {
  for (let i = 0; i < 4; i++) {
    slider.stepUp();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return [...rests];
}"""


def test_the_hand_rests_once_and_undoes_once(page: Page) -> None:
    root = show(page, scale_laboratory())
    assert slider(root).evaluate(FOUR_STEPS) == []
    page.wait_for_function("rests.length === 1")
    assert page.evaluate("rests") == [{"d_k": 32}]
    drawn = WORDS["drawn"].format(d_k=32)
    expect(root.locator("[data-part=announcement]")).to_contain_text(drawn)
    slider(root).press("Control+z")
    assert_numpy(root, 2)


def test_the_mouse_moves_the_slider(page: Page) -> None:
    root = show(page, scale_laboratory())
    box = slider(root).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(round(box["x"] + 8), round(y))
    page.mouse.down()
    page.mouse.move(round(box["x"] + box["width"] - 8), round(y), steps=5)
    expect(field(root)).to_have_value("512")
    assert_numpy(root, 512)
    page.mouse.up()


def test_any_length_can_be_typed(page: Page) -> None:
    root = show(page, scale_laboratory())
    field(root).fill(" 300 ")
    field(root).press("Enter")
    assert_numpy(root, 300)
    assert slider(root).evaluate("e => e === document.activeElement")
    field(root).fill("17")
    field(root).press("Escape")
    assert field(root).input_value() == "300"
    field(root).fill("17")
    page.evaluate("store.receive({d_k: 128})")  # from Python, meanwhile
    assert_numpy(root, 128)
    assert field(root).input_value() == "17"
    field(root).press("Tab")
    assert_numpy(root, 17)


def test_what_is_no_length_is_refused_in_words(page: Page) -> None:
    root = show(page, scale_laboratory(d_k=8))
    message = root.locator("[data-part=message]")
    for typed in ("1", "513", "2.5", "many", "", "<b>2</b>"):
        field(root).fill(typed)
        field(root).press("Enter")
        told = WORDS["refused"].format(said=typed, least=2, most=512)
        assert message.inner_text() == told
        field(root).press("Tab")
        assert message.inner_text() == ""
        assert field(root).input_value() == "8", typed
    assert_numpy(root, 8)


def test_other_numbers_are_drawn_and_reset_brings_all_back(page: Page) -> None:
    root = show(page, scale_laboratory(d_k=16))
    root.locator("[data-action=draw_rows]").click()
    root.press("Control+z")
    assert_numpy(root, 16)
    root.locator("[data-action=draw_rows]").click()
    seed = page.evaluate("store.state.seed")
    assert isinstance(seed, int)
    assert seed != SEED
    assert_numpy(root, 16, seed=seed)
    slider(root).press("End")
    root.locator("[data-action=reset]").click()
    assert_numpy(root, 16)
    page.evaluate("unmount()")
    assert root.inner_html() == ""
    left = root.evaluate("e => e.getAttributeNames()")
    assert set(left) == {"class", "data-locked"}


# ---- questions ----


def answered(root: Locator, choice: str) -> Locator:
    root.locator(f"[data-choice='{choice}']").check()
    root.locator("[data-action=commit]").click()
    expect(root).to_have_attribute("data-locked", "false")
    return root.locator("[data-part=verdict]")


def test_nothing_is_shown_before_the_words_are_predicted(page: Page) -> None:
    root = show(page, scale_laboratory(predict="effective_words"))
    expect(root).to_have_attribute("data-locked", "true")
    slider(root).press("End")
    assert root.evaluate(READ) == []
    verdict = answered(root, "more")
    assert verdict.get_attribute("data-kind") == "wrong"
    assert verdict.get_attribute("data-said") == "more"
    fewer = {"answer": CHOICES["effective_words"]["fewer"], "from": "4.1", "to": "1.1"}
    result = CHOICES["changed"].format(**fewer)
    told = judged("wrong", result, CHOICES["effective_words"]["more"])
    assert verdict.inner_text() == f"{told} {WORDS['corrected']['more']}"
    assert verdict.evaluate("e => e === document.activeElement")
    assert_numpy(root, 512)
    assert page.evaluate("rests.at(-1).predicted") == "more"


def test_the_cures_are_hidden_until_one_is_chosen(page: Page) -> None:
    root = show(page, scale_laboratory(predict="cure"))
    slider(root).press("End")
    assert_numpy(root, 512, "1")
    verdict = answered(root, "sqrt_d_k")
    assert verdict.get_attribute("data-kind") == "right"
    levels = {"divisor": WORDS["ways"]["sqrt_d_k"], "from": "4.7", "to": "4.4"}
    result = CHOICES["levels"].format(**levels)
    told = judged("right", result, CHOICES["cure"]["sqrt_d_k"])
    assert verdict.inner_text() == told
    assert_numpy(root, 512)


@pytest.mark.parametrize("predict", WORDS["asked"])
def test_every_wrong_answer_is_told_why_and_the_key_s_skips(
    page: Page, predict: str
) -> None:
    for choice in WORDS["choices"][predict]:
        verdict = answered(show(page, scale_laboratory(predict=predict)), choice)
        if verdict.get_attribute("data-kind") == "wrong":
            why = like(WORDS["corrected"][choice])
            assert why.search(verdict.inner_text())
        asked = verdict.locator("xpath=..")  # the whole panel: question and verdict
        assert asked.inner_text().endswith(verdict.inner_text())
        assert "{" not in verdict.inner_text()
        assert "undefined" not in verdict.inner_text()
    root = show(page, scale_laboratory(predict=predict))
    root.locator("legend").click()
    page.keyboard.press("s")
    verdict = root.locator("[data-part=verdict]")
    expect(verdict).to_have_attribute("data-kind", "skipped")
    assert_numpy(root, 2)


# ---- looks ----


@pytest.mark.parametrize(("theme", "asks"), [("light", None), ("dark", "cure")])
def test_it_is_for_everybody(page: Page, theme: str, asks: str | None) -> None:
    show(page, scale_laboratory(predict=asks), theme)
    assert violations(page) == []


@pytest.mark.parametrize("predict", [None, *WORDS["asked"]])
def test_it_fits_on_one_screen_and_nothing_jumps(
    page: Page, predict: str | None
) -> None:
    page.set_viewport_size({"width": 864, "height": 800})
    root = show(page, scale_laboratory(predict=predict))
    high = root.locator(".scroll").bounding_box()["height"]
    if predict:
        answered(root, "d_k" if predict == "cure" else "as_many")
    sizes = []
    for key in ("Home", "ArrowRight", "PageUp", "End"):
        slider(root).press(key)
        sizes.append(root.evaluate("e => [e.offsetWidth, e.offsetHeight]"))
        inside = "e => [...e.querySelectorAll('td')].map(td => td.offsetLeft).join()"
        sizes[-1].append(root.evaluate(inside))
    assert all(size == sizes[0] for size in sizes)
    assert abs(root.locator(".scroll").bounding_box()["height"] - high) <= 1
    assert sizes[0][0] == 848
    assert sizes[0][1] <= 620


def test_large_type_fits_too(page: Page) -> None:
    page.set_viewport_size({"width": 1116, "height": 800})
    root = show(page, scale_laboratory(predict="effective_words"))
    root.locator("[data-action=large]").click()
    expect(root.locator("[data-action=large]")).to_have_attribute(
        "aria-pressed", "true"
    )
    answered(root, "more")
    assert root.evaluate("e => getComputedStyle(e).fontSize") == "21px"
    seen = root.evaluate(
        """e => e.querySelector('tbody').getBoundingClientRect().bottom
            - e.querySelector('[data-control=d_k]').getBoundingClientRect().top"""
    )
    assert seen <= 640


def test_a_phone_shows_all_of_it(phone: Page) -> None:
    root = show(phone, scale_laboratory(d_k=512))
    assert root.evaluate("e => [e.scrollWidth <= e.clientWidth, e.clientWidth]")[0]
    assert root.locator(".scroll").evaluate("e => e.scrollWidth <= e.clientWidth")
    slider(root).tap()
    assert_numpy(root, int(field(root).input_value()))
