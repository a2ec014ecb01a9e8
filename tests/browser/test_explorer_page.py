"""The explorer on a plain page: no Jupyter, no kernel, nothing fetched."""

from collections.abc import Callable
from itertools import cycle

import numpy as np
import pytest
from drive import (
    OnScreen,
    assert_numpy,
    contrasts,
    html_of,
    rested,
    show,
    states_seen,
    swipe,
    violations,
    write,
)
from playwright.sync_api import Page, expect
from states import COMBINATIONS, TAME, as_explorer, random_states
from words import TEXT, like, on_page_like, share_of

from attention_helpers import Example, Explorer, examples, explore
from attention_helpers.explorer import (
    CONTROLS,
    INPUTS,
    MASKS,
    QUESTIONS,
    attention_of,
    twin,
)

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
    with states_seen(screen, "context") as states:
        seen = screen.drag("embeddings", 1, 2, *range(-1, -31, -1))
    assert len(set(states())) >= 26
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


TYPED = {
    **{"0,5": 0.5, "-1": -1.0, "−1.25": -1.25, ".5": 0.5, "1e2": 100.0, "-0": 0.0},
    **{"1e6": 1e6, "0.123456789": 0.123456789},
}


def test_a_number_is_typed(page: Page) -> None:
    explorer = explore(BANK)
    screen = show(page, explorer)
    slider = screen.slider("embeddings", 2, 1)
    for text, value in TYPED.items():
        screen.type("embeddings", 2, 1, text)
        assert screen.number("embeddings", 2, 1) == value, text
        assert screen.part("message") == ""
        assert slider.evaluate("e => e === document.activeElement")
        assert float(slider.input_value()) == value
        assert_numpy(screen, explorer)


REFUSED = {
    **dict.fromkeys(["nonsense", "", "1,2,3", "0x10", "Infinity"], "no_number"),
    **dict.fromkeys(["2e6", "-1000000.1"], "too_large"),
}


def test_what_is_no_number_is_refused_in_words(page: Page) -> None:
    screen = show(page, explore(BANK))
    slider = screen.slider("embeddings", 2, 1)
    for text, says in REFUSED.items():
        screen.type("embeddings", 2, 1, text or "\b")
        told = TEXT["refused"][says].format(said=text or "\b")
        assert screen.part("message") == told
        assert screen.number("embeddings", 2, 1) == 1.0
        page.keyboard.press("Escape")
        assert screen.part("message") == ""
        assert screen.root.locator(".typing").count() == 0
        assert screen.number("embeddings", 2, 1) == 1.0
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
    page.keyboard.press("Control+Shift+z")  # would redo, and is none
    assert screen.control("query").input_value() == "4"
    page.keyboard.press("Control+z")
    assert screen.control("query").input_value() == "2"
    page.keyboard.press("Control+z")
    assert screen.numbers() == after_drag
    page.keyboard.press("Control+z")
    assert screen.numbers() == start
    page.keyboard.press("Control+z")
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
    own, shade = screen.cell("scores", 4, 4), "e => e.style.getPropertyValue('--shade')"
    assert own.evaluate(shade) == "100%"
    page.evaluate("""store.edit({embeddings: store.state.embeddings
        .map(row => row.map(x => x / 2))})""")
    assert own.evaluate(shade) == "25%"  # a colour means what it meant


def test_one_matrix_and_all_go_back(page: Page) -> None:
    explorer = explore("journey", edit=["embeddings", "W_query"])
    screen = show(page, explorer)
    start = screen.numbers()
    screen.drag("embeddings", 0, 0, 10)
    screen.drag("W_query", 2, 1, -10)
    named = TEXT["table"]["reset"].format(stage="W_query")
    undo = screen.root.get_by_role("button", name=named)
    undo.click()
    assert not undo.is_visible()
    assert screen.numbers()["W_query"] == start["W_query"]
    assert screen.number("embeddings", 0, 0) != start["embeddings"][0, 0]
    screen.drag("W_query", 2, 1, -10)
    page.keyboard.press("Shift+Delete")  # its row, and no other
    assert {matrix for matrix, *_ in rested(page, explorer).changes} == {"embeddings"}
    screen.drag("W_query", 2, 1, -10)
    screen.action("reset").click()
    assert screen.numbers() == start
    assert_numpy(screen, explorer)
    assert explorer.changes == {}
    screen.type("embeddings", 0, 0, "500")
    screen.action("reset").click()
    assert screen.slider("embeddings", 0, 0).get_attribute("max") == "1"
    screen.drag("W_query", 2, 1, -10)
    assert undo.is_visible()
    page.evaluate(
        """() => {
            const {start, W_query} = store.state;
            store.receive({start: {...start, W_query}});  // that is the start now
        }"""
    )
    assert screen.root.locator("td.changed").count() == 0
    assert not undo.is_visible()


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
    rings = screen.root.evaluate("""root => ['one', 'two'].map(name => [
        getComputedStyle(root.querySelector(`[data-part=explanation] .${name}`)).color,
        getComputedStyle(root.querySelector(`td.${name}`)).boxShadow])""")
    assert all(ring.startswith(colour) for colour, ring in rings)
    hidden = screen.cell("weights", 0, 1)  # its 0 is no share that was rounded
    assert hidden.inner_text() == "0"
    assert screen.cell("masked_scores", 0, 1).inner_text() == "−∞"
    screen.cell("W_key", 0, 0).click()
    assert lit(screen)["one"] == lit(screen)["two"] == set()
    assert TEXT["stages"]["W_key"] in screen.part("explanation")


def shown(x: float) -> str:
    return f"{round(x, 4):g}".replace("-", "−")


def test_the_sentence_stays_true_while_a_number_moves(page: Page) -> None:
    screen = show(page, explore(BANK, query="bank"))
    screen.cell("scores", 2, 4).click()
    pair = {"row": "bank", "column": "river"}
    assert screen.part("explanation") == TEXT["say"]["scores"].format(
        **pair, sum="1 × 3 + 1 × 0 + 2 × 1 + 0 × 0", result=5
    )
    assert screen.part("caption") == TEXT["caption"].format(**pair)
    with screen.held(screen.cell("embeddings", 4, 0)) as hand:
        hand.to(-25)
        assert "1 × 0.5 + 1 × 0" in screen.part("explanation")
        assert screen.part("explanation").endswith("= 2.5")
    screen.cell("context", 2, 0).click()
    assert like(TEXT["caption"], row="bank").fullmatch(screen.part("caption"))


def test_hovering_or_clicking_a_row_label_makes_that_word_ask(page: Page) -> None:
    screen = show(page, explore(BANK))
    labels = screen.root.locator("[data-stage=weights] tbody th[scope=row]")
    dimmed = screen.root.locator("[data-stage=weights] tr.dim")
    labels.nth(2).hover()
    assert dimmed.count() == 4
    page.wait_for_function(
        "document.querySelector('[data-part=summary]').dataset.kind === 'most_then'"
    )
    page.mouse.move(2, 2)
    assert dimmed.count() == 0
    labels.nth(4).click()
    page.mouse.move(2, 2)
    assert screen.root.locator("[data-stage=scores] tr:not(.dim)").count() == 2
    assert screen.root.locator("[data-stage=weights] tr:not(.dim)").count() == 2
    labels.nth(4).click()
    page.mouse.move(2, 2)
    assert dimmed.count() == 0


# ---- keyboard ----


def verdict_kind(screen: OnScreen) -> str | None:
    return screen.root.locator("[data-part=verdict]").get_attribute("data-kind")


def focused(page: Page) -> str | None:
    return page.evaluate("document.activeElement?.dataset.key ?? null")


def test_tab_goes_from_slider_to_slider_and_once_into_each_matrix(page: Page) -> None:
    screen = show(page, explore(BANK, query="bank", controls=["query"]))
    expected = ["control-query", "action-large", "action-reset", "action-menu"]
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
    pair = {"row": "coins", "column": "on"}
    assert share_of(**pair).fullmatch(screen.part("explanation"))
    described = screen.cell("weights", 0, 1).get_attribute("aria-describedby")
    assert page.locator(f"[id='{described}']").inner_text() == screen.part(
        "explanation"
    )
    assert screen.root.locator("[aria-describedby]").count() == 1
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


# ---- what tests of any author can rely on ----

MOUNTED = """states => states.map(state => {
    const root = document.createElement('div');
    document.body.append(root);
    const unmount = helpers.mount(root, state);
    const all = (at, what, read) => [...at.querySelectorAll(what)].map(read);
    const inside = at => ({
        tables: at.querySelectorAll('table').length,
        cells: all(at, 'td', td => ({...td.dataset})),
        names: all(at, 'td input[type=range]', e => e.getAttribute('aria-label')),
        row: all(at, 'th[data-sum=row]', th => th.innerText),
        column: all(at, 'th[data-sum=column]', th => th.innerText),
    });
    const read = {
        name: root.classList.contains('attention-explorer'),
        locked: root.dataset.locked,
        stages: Object.fromEntries(
            all(root, '[data-stage]', at => [at.dataset.stage, inside(at)])),
        elsewhere: root.querySelectorAll('td').length
            - root.querySelectorAll('[data-stage] table td').length,
        parts: all(root, '[data-part]', at => at.dataset.part),
        lights: all(root, '[data-light]', at => at.dataset.light),
        actions: all(root, '.bar [data-action]', at => at.dataset.action),
    };
    unmount();
    if (root.childNodes.length) throw new Error('something is left behind');
    root.remove();
    return read;
})"""


def test_the_page_contract_holds_for_every_shape_and_option(engine_page: Page) -> None:
    some = COMBINATIONS[::5]  # each share with plain and projected words, with a query
    states = list(random_states(len(some), seed=2, numbers=TAME, combinations=some))
    for state, read in zip(states, engine_page.evaluate(MOUNTED, states), strict=True):
        assert read["name"]
        assert read["locked"] == "false"
        assert read["elsewhere"] == 0
        assert {"explanation", "summary"} <= set(read["parts"])
        assert read["lights"] == ["rows-sum-to-1", "inside-values", "no-future"]
        assert read["actions"] == ["large", "reset", "menu"]
        matrices = [f"W_{name}" for name in ("query", "key", "value")]
        always = {"embeddings", "scores", "weights", "context"}
        present = {name for name in matrices if state[name]}
        assert always | present <= set(read["stages"])
        assert not set(matrices) - present & set(read["stages"])
        result = attention_of(as_explorer(state))
        for stage, shown in read["stages"].items():
            matrix = state[stage] if stage in INPUTS else getattr(result, stage)
            check_stage(state, stage, np.array(matrix), shown)


def check_stage(state: dict, stage: str, matrix: np.ndarray, shown: dict) -> None:
    rows = range(len(matrix))
    if twin.form(stage)["asks"] and state.get("query") is not None:
        rows = [state["query"]]
    columns = range(matrix.shape[1])
    assert shown["tables"] == 1
    places = [(int(cell["row"]), int(cell["col"])) for cell in shown["cells"]]
    assert places == [(i, j) for i in rows for j in columns]
    values = [float(cell["value"]) for cell in shown["cells"]]
    expected = matrix[list(rows)].ravel()
    np.testing.assert_allclose(values, expected, rtol=1e-7, atol=1e-9, err_msg=stage)
    mask = MASKS[state["mask"]]
    seen = mask.seen(len(state["tokens"]))
    for cell, place in zip(shown["cells"], places, strict=True):
        hidden = stage in mask.hides and not seen[place]
        assert (cell.get("masked") == "true") == hidden
        if hidden and stage == "masked_scores":
            assert cell["value"] == "-inf"
    if stage == "embeddings":
        names = [name.split(", ")[0] for name in shown["names"]]
        assert names == [state["tokens"][i] for i in rows for _ in columns]
        assert len(set(shown["names"])) == len(names)
    else:
        assert shown["names"] == []
    check_sums(state, stage, matrix[list(rows)], shown)


def check_sums(state: dict, stage: str, matrix: np.ndarray, shown: dict) -> None:
    """Sums stand only where they are the subject."""
    plain = not (state["W_query"] or state["W_key"])
    rows = stage == "weights" and (plain or state["mask"] != "none")
    columns = stage == "weights" and state["axis"] == "columns"
    assert bool(shown["row"]) == rows
    assert bool(shown["column"]) == (columns and state.get("query") is None)
    if shown["row"]:
        said = [as_number(text) for text in shown["row"]]
        np.testing.assert_allclose(said, matrix.sum(axis=1), rtol=0.05, atol=0.00501)
    if shown["column"]:
        said = [as_number(text) for text in shown["column"]]
        np.testing.assert_allclose(said, matrix.sum(axis=0), rtol=0.05, atol=0.00501)


def as_number(text: str) -> float:
    return float(text.replace("−", "-").replace("undefined", "nan"))


def test_two_matrices_can_be_edited_and_are_named(page: Page) -> None:
    screen = show(page, explore("bank", edit=["W_key", "W_value"]))
    names = screen.root.locator("[data-stage] input[type=range]").evaluate_all(
        "all => all.map(e => e.getAttribute('aria-label'))"
    )
    text, verb = TEXT["table"]["matrix_cell"], TEXT["verbs"]["W_key"]
    columns = ("what kind", "where")
    told = [text.format(row="wet", verb=verb, column=name) for name in columns]
    assert names[:2] == told
    assert len(names) == len(set(names)) == 16


# ---- the controls ----


def test_every_choice_of_a_menu_is_numpys(page: Page) -> None:
    menus = {
        "divide_by": ["sqrt_d_in", "sqrt_n_tokens", "1", "sqrt_d_k"],
        "mask": ["causal", "zero_scores", "zero_weights", "zero_weights_renormalised"],
        "normalise": ["sum", "softmax"],
        "axis": ["columns", "rows"],
    }
    for name, choices in menus.items():
        explorer = explore(UNLIKE, controls=[name])
        screen = show(page, explorer)
        for choice in choices:
            before = screen.numbers()
            screen.control(name).select_option(choice)
            assert screen.numbers()["weights"] != before["weights"]
            assert_numpy(screen, explorer)
            assert getattr(explorer, name) == choice
            assert focused(page) in (f"control-{name}", None)


def test_a_menu_offers_only_what_goes_together(page: Page) -> None:
    explorer = explore(UNLIKE, controls=["mask", "normalise", "axis"])
    screen = show(page, explorer)

    def barred(name: str) -> list[str]:
        return screen.control(name).evaluate(
            "e => [...e.options].filter(o => o.disabled).map(o => o.value)"
        )

    assert barred("mask") == barred("normalise") == barred("axis") == []
    screen.control("mask").select_option("causal")
    assert (barred("normalise"), barred("axis")) == (["sum"], ["columns"])
    screen.control("mask").select_option("none")
    screen.control("axis").select_option("columns")
    assert barred("mask") == [name for name in MASKS if MASKS[name].at]
    assert_numpy(screen, explorer)


def test_the_asking_word_is_chosen(page: Page) -> None:
    explorer = explore("journey", query="journey", controls=["query"])
    screen = show(page, explorer)
    screen.control("query").select_option(label="step")
    assert {i for i, _ in screen.numbers()["weights"]} == {5}
    assert explorer.query == 1
    assert_numpy(screen, explorer)
    assert explorer.query == 5
    screen.control("query").select_option("all")
    assert len(screen.numbers()["weights"]) == 36
    assert_numpy(screen, explorer)
    assert explorer.query is None
    screen.root.locator("[data-stage=weights] tbody th[scope=row]").nth(2).click()
    summary, even = screen.root.locator("[data-part=summary]"), TEXT["row"]["even_most"]
    expect(summary).to_have_text(on_page_like(even, word="starts"))
    screen.control("query").select_option(label="step")  # no more the clicked row
    expect(summary).to_have_text(on_page_like(even, word="step"))


def test_dropout_is_drawn_again_and_switched_off(page: Page) -> None:
    explorer = explore("journey", controls=["dropout"])
    screen = show(page, explorer)
    knob = screen.control("dropout")
    for _ in range(5):
        knob.press("ArrowRight")
    assert_numpy(screen, explorer)
    assert explorer.dropout_p == 0.5
    first = explorer.dropout_keep
    screen.cell("weights", 0, 0).click()
    for _ in range(9):
        screen.action("draw").click()
    assert_numpy(screen, explorer)
    assert explorer.dropout_keep != first
    assert {kept for row in explorer.dropout_keep for kept in row} == {True, False}
    knob.press("Home")
    knob.press("ArrowRight")
    screen.action("reset").click()
    assert float(knob.input_value()) == 0
    assert_numpy(screen, explorer)
    assert explorer.dropout_p == 0
    assert explorer.dropout_keep is None


def test_the_row_knob_stretches_the_row_it_names(page: Page) -> None:
    explorer = explore(BANK, query="bank", controls=["row"])
    screen = show(page, explorer)
    knob = screen.root.locator("[data-control=stretch]")
    assert screen.control("row").input_value() == "2"
    screen.control("row").select_option(label="river")
    for _ in range(5):
        knob.press("ArrowRight")
    assert_numpy(screen, explorer)
    assert explorer.embeddings[4] == (4.5, 0, 1.5, 0)
    stretch = TEXT["table"]["stretch"].format(word="river")
    assert knob.get_attribute("aria-label") == stretch
    screen.action("reset").click()
    assert screen.control("row").input_value() == "2"
    screen.control("row").select_option(label="river")
    assert float(knob.input_value()) == 1
    screen.slider("embeddings", 4, 0).press("ArrowLeft")
    assert TEXT["options"]["mixed"] in screen.root.locator(".knob").inner_text()
    page.keyboard.press("Control+z")
    assert float(knob.input_value()) == 1
    knob.press("Home")
    assert screen.number("embeddings", 4, 0) == -9


def test_multiply_and_tie_move_the_weight_matrices(page: Page) -> None:
    edit = ["W_query", "W_key"]
    explorer = explore("journey", controls=["multiply", "tie"], edit=edit, step=9)
    screen = show(page, explorer)
    knob, box = screen.control("multiply"), screen.control("tie")
    start = screen.numbers()
    knob.press("ArrowRight")
    knob.press("ArrowRight")
    assert_numpy(screen, explorer)
    assert explorer.W_query[0] == (0.592223882, 1.033124566)
    box.press("Space")  # which elsewhere shows the next stage
    assert screen.numbers()["W_key"] == screen.numbers()["W_query"]
    screen.drag("W_query", 1, 1, -12)
    assert screen.numbers()["W_key"] == screen.numbers()["W_query"]
    assert_numpy(screen, explorer)
    assert explorer.W_key == explorer.W_query
    box.uncheck()
    assert screen.numbers()["W_key"] == start["W_key"]
    box.check()
    screen.root.locator("[data-stage=W_key] [data-action=reset-matrix]").click()
    assert not box.is_checked()
    assert screen.numbers()["W_key"] == start["W_key"]
    box.check()
    screen.action("reset").click()
    assert screen.numbers() == start
    assert not box.is_checked()
    assert float(knob.input_value()) == 1
    knob.press("End")
    screen.slider("W_query", 0, 0).press("Control+z")
    assert float(knob.input_value()) == 1
    assert screen.numbers() == start
    assert_numpy(screen, explorer)


def test_another_example_replaces_everything(page: Page) -> None:
    controls = ["example", "preset", "tie"]
    explorer = explore("bank", query="river", controls=controls)
    screen = show(page, explorer)
    start = screen.numbers()
    screen.control("tie").check()
    menu = screen.control("example")
    labels = menu.locator("option").all_inner_texts()
    assert labels[:2] == ["coins on bank by river", "Your journey starts with one step"]
    menu.select_option("the cat sat")
    assert len(screen.numbers()["embeddings"]) == 12
    assert screen.control("preset").locator("option").count() == 1
    assert_numpy(screen, explorer)
    assert explorer.tokens == ("The", "cat", "sat")
    assert explorer.query is None  # there is no fifth word
    assert explorer.changes == {}
    screen.drag("embeddings", 0, 0, 20)
    screen.action("reset").click()
    assert_numpy(screen, explorer)
    assert explorer.embeddings == tuple(map(tuple, explorer.start["embeddings"]))
    assert menu.input_value() == "the cat sat"
    for _ in range(4):
        screen.slider("embeddings", 0, 0).press("Control+z")
    assert menu.input_value() == "bank"
    assert screen.numbers() == start
    assert_numpy(screen, explorer)
    assert explorer.tokens == examples["bank"].tokens


def test_a_preset_replaces_one_word(page: Page) -> None:
    explorer = explore("bank", query="bank", controls=["preset"])
    screen = show(page, explorer)
    menu = screen.control("preset")
    menu.select_option("vault instead of river")
    assert menu.input_value() == "vault instead of river"
    assert_numpy(screen, explorer)
    assert explorer.tokens[4] == "vault"
    assert explorer.embeddings[4] == (0, 3, 1, 0)
    screen.action("reset").click()
    assert menu.input_value() == ""
    menu.select_option("boats instead of coins")
    screen.slider("embeddings", 0, 0).press("Control+z")
    assert menu.input_value() == ""
    assert_numpy(screen, explorer)
    assert explorer.changes == {}


def test_every_control_has_its_element(page: Page) -> None:
    for k in range(0, len(CONTROLS), 3):
        names = CONTROLS[k : k + 3]
        screen = show(page, explore("bank", query="bank", controls=names))
        for name in names:
            assert screen.control(name).first.is_visible(), name


# ---- predict, then look ----


def asked(page: Page, name: str) -> tuple[Explorer, OnScreen]:
    """Show a question; nothing that is computed stands before it is answered."""
    goal = {"weights": {"bank": "river"}} if name == "steepest" else None
    options = {"query": "bank", "controls": ["mask"], "goal": goal}
    explorer = explore("bank", predict=name, **options)
    screen = show(page, explorer)
    assert screen.root.get_attribute("data-locked") == "true", name
    assert set(screen.numbers()) == {"embeddings", "W_query", "W_key", "W_value"}, name
    secrets = "[data-part=summary], [data-part=plane], [data-light]"
    assert screen.root.locator(secrets).count() == 0, name
    assert screen.action("commit").is_disabled(), name
    return explorer, screen


def committed(screen: OnScreen, explorer: Explorer, said: str) -> None:
    """Commit an answer that is ticked; then all is shown, and it is judged."""
    screen.action("commit").click()
    assert screen.root.get_attribute("data-locked") == "false", said
    assert "context" in screen.numbers(), said
    assert verdict_kind(screen) in ("right", "wrong"), said
    assert rested(screen.page, explorer).predicted == said


@pytest.mark.parametrize("name", ["largest_weight", "steepest"])
def test_a_question_comes_before_the_answer(page: Page, name: str) -> None:
    explorer, screen = asked(page, name)
    screen.drag("embeddings", 0, 0, 7)
    assert screen.number("embeddings", 0, 0) == 0.7
    choices = screen.root.locator("[data-choice]")
    choices.first.check()
    said = choices.first.get_attribute("data-choice")
    screen.action("large").click()  # drawn anew, the tick stays
    committed(screen, explorer, said)
    assert focused(page) == "verdict"
    verdict = screen.part("verdict")
    assert_numpy(screen, explorer)
    screen.drag("embeddings", 0, 0, -25)
    screen.drag("embeddings", 4, 0, -60)
    assert screen.part("verdict") == verdict


def test_every_question_is_asked_and_judged(page: Page) -> None:
    for name in QUESTIONS:
        explorer, screen = asked(page, name)
        choices = screen.root.locator("[data-choice]")
        assert choices.last.get_attribute("data-choice") == TEXT["answers"]["unsure"]
        choices.first.check()
        committed(screen, explorer, choices.first.get_attribute("data-choice"))


def test_what_the_answer_is_by_now_stands_behind_the_verdict(page: Page) -> None:
    asks = {"query": "bank", "predict": "largest_weight", "controls": ["query"]}
    screen = show(page, explore(BANK, **asks))
    screen.action("skip").click()
    judged, since = screen.part("verdict"), screen.root.locator("[data-part=since]")
    assert since.inner_text() == ""
    screen.cell("embeddings", 4, 2).locator("input").press("Shift+ArrowRight")
    result = TEXT["answers"]["largest"].format(words="river", share="73 %")
    expect(since).to_have_text(TEXT["since"].format(result=result))
    screen.action("reset").first.click()
    expect(since).to_have_text("")
    screen.control("query").select_option(label="coins")
    share = explore(BANK).attention.weights[0, 0]
    result = TEXT["answers"]["largest"].format(
        words="coins", share=f"{100 * share:.0f} %"
    )
    told = TEXT["since_asking"].format(query="coins", result=result)
    expect(since).to_have_text(told)
    assert screen.part("verdict") == judged


def test_a_question_can_be_skipped(page: Page) -> None:
    asks = {"query": "bank", "predict": "largest_weight", "controls": ["query"]}
    explorer = explore(BANK, **asks)
    screen = show(page, explorer)
    screen.control("query").press("s")  # looks there for a word that begins so
    assert screen.root.get_attribute("data-locked") == "true"
    screen.slider("embeddings", 0, 0).press("s")
    told = TEXT["verdicts"]
    result = TEXT["answers"]["largest"].format(words="bank", share="72 %")
    assert screen.part("verdict") == told["skipped"].format(result=result)
    assert verdict_kind(screen) == rested(page, explorer).predicted == "skipped"
    screen = show(page, explore(BANK, query="bank", predict="largest_weight"))
    screen.root.locator("[data-choice]").last.check()
    screen.action("commit").click()
    said = TEXT["answers"]["unsure"]
    assert screen.part("verdict") == told["unsure"].format(said=said, result=result)
    assert verdict_kind(screen) == "unsure"
    screen = show(page, explore(BANK, query="bank", predict="largest_weight"))
    screen.root.locator("[data-choice=bank]").check()
    screen.action("commit").press("Enter")
    assert screen.part("verdict") == told["right"].format(
        said="bank",
        result=result,
        why=TEXT["why_not"]["largest"].format(said="bank", score=6),
    )
    assert verdict_kind(screen) == "right"


def test_radio_buttons_by_keyboard(page: Page) -> None:
    screen = show(page, explore(BANK, query="bank", predict="largest_weight"))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # nothing is ticked yet
    assert screen.root.get_attribute("data-locked") == "true"
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert screen.root.locator("[data-choice=on]").is_checked()
    assert screen.action("commit").is_enabled()
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    assert screen.root.locator("[data-choice=on]").is_checked()  # round and round
    page.keyboard.press("Shift+Enter")  # the notebook's, in JupyterLab
    assert screen.root.get_attribute("data-locked") == "true"
    page.keyboard.press("Enter")
    assert verdict_kind(screen) == "wrong"


OVER = """root => [...root.querySelectorAll('.sums th')].filter(sum => {
    const {x, y, width, height} = sum.getBoundingClientRect();
    const others = [...root.querySelectorAll('figcaption b, td, th')];
    return others.some(other => {
        const box = other.getBoundingClientRect();
        return !sum.closest('figure').contains(other) && box.height > 1
            && box.x < x + width - 1 && x < box.right - 1
            && box.y < y + height - 1 && y < box.bottom - 1;
    });
}).map(sum => sum.textContent)"""


@pytest.mark.parametrize("width", [360, 480, 640, 1280])
def test_sums_of_columns_lie_over_nothing(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    screen = show(page, explore(BANK, controls=["axis"]))
    assert screen.root.locator(".sums th").count() == 6
    assert screen.root.evaluate(OVER) == []


# ---- one stage at a time ----


def test_steps_by_button_and_by_space_bar_and_back(page: Page) -> None:
    explorer = explore(BANK, query="bank", step=0)
    screen = show(page, explorer)
    stages = ["embeddings", "scores", "weights", "context"]
    assert list(screen.numbers()) == stages[:1]
    screen.action("step").click()
    assert list(screen.numbers()) == stages[:2]
    assert focused(page) == "action-step"
    screen.slider("embeddings", 0, 0).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    page.keyboard.press("Space")
    assert list(screen.numbers()) == stages
    assert focused(page) == "embeddings-0-0"
    assert screen.action("step").is_disabled()
    assert rested(page, explorer).step == 3
    screen.action("back").click()
    assert list(screen.numbers()) == stages[:3]
    screen.cell("weights", 2, 0).focus()
    page.keyboard.press("Shift+Space")  # takes away what has the focus
    assert list(screen.numbers()) == stages[:2]
    assert focused(page) == "action-step"
    screen.action("back").focus()
    for _ in range(4):
        page.keyboard.press("Enter")
    assert rested(page, explorer).step == 0
    assert screen.action("back").is_disabled()
    assert focused(page) == "explorer"  # not the notebook


def test_a_click_anywhere_gives_the_explorer_the_keys(page: Page) -> None:
    explorer = explore(BANK, query="bank", step=0)
    screen = show(page, explorer)
    for place in ["[data-stage=embeddings] figcaption", ".bar", ".foot"]:
        page.locator("h1").click()
        screen.root.locator(place).click(position={"x": 3, "y": 3})
        page.keyboard.press("Space")
    assert rested(page, explorer).step == 3
    screen.drag("embeddings", 0, 0, 10)
    page.locator("h1").click()
    screen.root.locator("[data-part=summary]").click()
    page.keyboard.press("Control+z")
    assert screen.number("embeddings", 0, 0) == 0


def test_reset_brings_back_every_choice(page: Page) -> None:
    controls = ["query", "mask", "divide_by"]
    explorer = explore("bank", query="bank", mask="causal", controls=controls)
    screen = show(page, explorer)
    start = screen.numbers()
    screen.control("query").select_option("all")
    screen.control("mask").select_option("zero_scores")
    screen.control("divide_by").select_option("1")
    assert screen.numbers() != start
    screen.action("reset").click()
    assert screen.numbers() == start
    assert rested(page, explorer).query == 2
    assert (explorer.mask, explorer.divide_by) == ("causal", "sqrt_d_k")
    page.keyboard.press("Control+z")
    assert screen.control("query").input_value() == "all"


def test_the_largest_share_of_a_row_is_marked_and_told_apart(page: Page) -> None:
    screen = show(page, explore("journey", stages=["embeddings", "weights"]))
    marked = screen.root.locator("[data-stage=weights] td.most")
    places = marked.evaluate_all(
        "all => all.map(td => [+td.dataset.row, +td.dataset.col])"
    )
    weights = explore("journey").attention.weights
    assert places == [[i, int(j)] for i, j in enumerate(weights.argmax(axis=1))]
    for i, line in enumerate(weights):
        texts = [screen.cell("weights", i, j).inner_text() for j in range(len(line))]
        assert texts.count(texts[int(line.argmax())]) == 1
    for x, share in ((1.5, "0.989"), (2, "1.00")):  # 1.00 is all of it, or nearly
        screen = show(page, explore(Example(("a", "b"), [[x], [-x]])))
        assert screen.cell("weights", 0, 0).inner_text() == share


def test_large_type_is_large(page: Page) -> None:
    explorer = explore(BANK)
    screen = show(page, explorer)
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    small = screen.cell("scores", 0, 0).evaluate(size)
    screen.action("large").click()
    assert screen.cell("scores", 0, 0).evaluate(size) == 1.5 * small
    assert screen.action("large").get_attribute("aria-pressed") == "true"
    assert rested(page, explorer).large
    fresh = show(page, explore(BANK, large=True))
    assert fresh.cell("scores", 0, 0).evaluate(size) == 1.5 * small


# ---- the plane, the lights, the words ----


def test_the_plane_shows_values_and_contexts(page: Page) -> None:
    screen = show(page, explore("bank", query="bank"))
    plane = screen.root.locator("[data-part=plane] svg")
    assert plane.locator(".value rect").count() == 5
    assert plane.locator(".mixed circle").count() == 1
    place = "e => [e.getAttribute('cx'), e.getAttribute('cy')]"
    before = plane.locator("circle").evaluate(place)
    with screen.held(screen.cell("embeddings", 2, 0)) as hand:
        hand.to(-20)
        assert plane.locator("circle").evaluate(place) != before
    point = TEXT["plane"]["point"].format(word="bank", place="")
    assert point in plane.get_attribute("aria-label")
    first = TEXT["plane"]["point"].split("{")[0]
    assert plane.get_attribute("aria-label").count(first) == 1  # no other word's
    assert show(page, explore(BANK)).root.locator("[data-part=plane]").count() == 0
    unlike = show(page, explore(UNLIKE)).root.locator("[data-part=plane] circle")
    assert unlike.count() == 5


def test_a_word_whose_context_is_its_value_is_named_once(page: Page) -> None:
    """So that the context beside it finds room for its own name."""
    plane = show(page, explore("bank", mask="causal")).root.locator("[data-part=plane]")
    names = {kind: plane.locator(f".{kind} text") for kind in ("mixed", "value")}
    assert {*names["mixed"].all_text_contents()} == {*BANK.tokens}
    assert "coins" not in names["value"].all_text_contents()


AT_AXES = """svg => {
    const axes = [...svg.querySelectorAll('.axis, .tick')].map(e => e.getBBox());
    const covers = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width
        && a.y < b.y + b.height && b.y < a.y + a.height;
    const names = [...svg.querySelectorAll('g text')];
    return names.filter(e => axes.some(b => covers(e.getBBox(), b)))
        .map(e => e.textContent);
}"""


def test_names_in_the_plane_leave_the_axes_alone_where_there_is_room(page: Page):
    screen = show(page, explore("bank", query="bank", edit=["W_key"]))
    plane = screen.root.locator("[data-part=plane] svg")
    assert plane.locator("g text").count() == 5
    assert plane.evaluate(AT_AXES) == []
    screen.slider("W_key", 0, 0).press("ArrowRight")  # bank comes nearer to river
    assert plane.locator("g text").count() == 5
    assert plane.evaluate(AT_AXES) == []


@pytest.mark.parametrize(
    ("word", "anchor"),
    [("river", "start"), ("mmmmm", "middle"), ("河河河河", "middle")],
)
def test_a_name_stands_to_the_right_only_where_its_letters_have_room(
    page: Page, word: str, anchor: str
) -> None:
    tokens = (*BANK.tokens[:-1], word)
    screen = show(page, explore("bank", tokens=tokens, query="bank"))
    name = screen.root.locator("[data-part=plane] .value text").get_by_text(word)
    assert name.get_attribute("text-anchor") == anchor


BOXES = """svg => [...svg.querySelectorAll('g text, g rect, g circle')].map(e => {
    const {x, y, width, height} = e.getBBox();
    return [e.tagName === 'text', x, y, x + width, y + height];
})"""


@pytest.mark.parametrize("seed", range(8))
def test_names_in_the_plane_cover_no_point_and_no_other_name(
    page: Page, seed: int
) -> None:
    sentence = "the quick brown fox jumps over a lazy dog"
    words = sentence.split()[: seed + 2]
    example = Example.from_text(" ".join(words), d_in=4, d_k=2, d_v=2, seed=seed)
    plane = show(page, explore(example)).root.locator("[data-part=plane] svg")
    boxes = plane.evaluate(BOXES)
    names = [box for is_text, *box in boxes if is_text]
    assert names
    for left, top, right, bottom in names:
        crossed = [
            box
            for _, *box in boxes
            if min(right, box[2]) - max(left, box[0]) > 1
            and min(bottom, box[3]) - max(top, box[1]) > 4  # room above the letters
        ]
        assert crossed == [[left, top, right, bottom]]
    said = ", ".join(filter(None, plane.locator("title").all_text_contents()))
    assert sorted(said.split(", ")) == sorted(words * 2)


def wait_for_light(screen: OnScreen, name: str, on: str) -> None:
    screen.root.locator(f"[data-light={name}][data-on={on}]").wait_for()


def test_the_lights_follow_the_options(page: Page) -> None:
    screen = show(page, explore(UNLIKE, controls=["mask", "normalise", "axis"]))
    for mask, sums, inside, future in [
        ("none", "true", "true", "false"),
        ("causal", "true", "true", "true"),
        ("zero_scores", "true", "true", "false"),
        ("zero_weights", "false", "false", "false"),
        ("zero_weights_renormalised", "true", "true", "true"),
    ]:
        screen.control("mask").select_option(mask)
        wait_for_light(screen, "rows-sum-to-1", sums)
        wait_for_light(screen, "inside-values", inside)
        wait_for_light(screen, "no-future", future)
    screen.control("mask").select_option("none")
    screen.control("axis").select_option("columns")
    wait_for_light(screen, "rows-sum-to-1", "false")
    inside = screen.root.locator("[data-light=inside-values]")
    assert TEXT["lights"]["inside-values"] in inside.inner_text()
    inside = show(page, explore(BANK)).root.locator("[data-light=inside-values]")
    assert TEXT["inside_words"] in inside.inner_text()  # without values of their own


def test_what_is_heard_is_the_result_when_the_hand_rests(page: Page) -> None:
    screen = show(page, explore(BANK, query="bank"))
    page.evaluate(
        """() => {
            window.heard = [];
            const alive = document.querySelector('[aria-live]');
            const hear = () => heard.push(alive.textContent);
            new MutationObserver(hear).observe(alive, {childList: true, subtree: true});
        }"""
    )
    with screen.held(screen.cell("embeddings", 4, 0)) as hand:
        for k in range(1, 25):
            hand.to(-k)
        page.wait_for_timeout(50)
        assert page.evaluate("heard") == []
    assert page.evaluate("heard") == [" ".join(screen.part("summary").split())]
    summary = screen.root.locator("[data-part=summary]")
    assert summary.get_attribute("data-changed") == "embeddings"
    assert summary.get_attribute("data-kind") == "most_then"
    assert page.locator("[aria-live=polite]").count() == 1


# ---- everybody ----

SHAPES = {
    "one word": lambda: explore(BANK, query="bank", controls=["query", "normalise"]),
    "everything": lambda: explore(
        "bank", mask="causal", controls=["mask", "divide_by", "row"], step=9
    ),
    "numbers of all signs": lambda: explore(
        UNLIKE, controls=["multiply", "tie", "dropout"], edit=["W_query", "embeddings"]
    ),
    "undefined": lambda: explore(
        Example(("a", "b"), [[1.0, 0.0], [-1.0, 0.0]]), normalise="sum", large=True
    ),
    "one token": lambda: explore(Example(("alone",), [[2.0]]), controls=["example"]),
}
THEMES = ["light", "dark"]


@pytest.mark.parametrize(
    ("shape", "theme"), list(zip(SHAPES, cycle(THEMES), strict=False))
)
def test_axe_finds_nothing(page: Page, shape: str, theme: str) -> None:
    screen = show(page, SHAPES[shape](), theme)
    screen.root.locator("[data-stage=weights] td").first.click()
    screen.slider("embeddings", 0, 0).press("ArrowLeft")
    assert screen.root.locator("td.selected").count() == 1
    screen.type("embeddings", 0, 0, "nonsense")
    assert screen.part("message") != ""
    assert violations(page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_before_a_question_is_answered(
    page: Page, theme: str
) -> None:
    asking = explore("bank", query="bank", predict="largest_weight", step=2)
    screen = show(page, asking, theme)
    assert violations(page) == []
    screen.action("skip").click()
    screen.action("step").click()
    assert violations(page) == []


TONES = """root => [...root.querySelectorAll('td.negative')].map(td => {
    const tone = getComputedStyle(td).getPropertyValue('--tone');
    return tone === getComputedStyle(root).getPropertyValue('--less') ? 'less' : tone;
})"""  # a negative share, too


@pytest.mark.parametrize("theme", THEMES)
def test_every_number_is_readable_on_its_cell(page: Page, theme: str) -> None:
    ramp = np.linspace(-1, 1, 24).reshape(6, 4)
    shaded = Example(tuple("abcdef"), ramp)
    kinds = set()
    for explorer in [
        explore(
            shaded, mask="causal", stages=["embeddings", "masked_scores", "weights"]
        ),
        explore(shaded, mask="none", normalise="sum"),
        explore(shaded, mask="zero_weights", divide_by="sqrt_d_in"),
    ]:
        screen = show(page, explorer, theme)
        for target in [
            screen.cell("weights", 3, 2),
            screen.root.locator(".line > :first-child th[scope=row]").nth(2),
        ]:
            target.click()
            readings = contrasts(screen)
            assert min(readings.values()) >= 4.5
            kinds |= {name for place in readings for name in place.split()[3:]}
        assert set(screen.root.evaluate(TONES)) <= {"less"}
    assert kinds >= {"negative", "selected", "one", "two"}


def test_nothing_moves_by_itself(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    screen = show(page, explore("bank", mask="causal"))
    moving = screen.root.evaluate(
        """root => [root, ...root.querySelectorAll('*')].filter(e => {
            const style = getComputedStyle(e);
            return style.animationName !== 'none' || style.scrollBehavior === 'smooth'
                || style.transitionDuration.split(', ').some(t => t !== '0s');
        }).length"""
    )
    assert moving == 0


# ---- small screens, fingers, strange words ----


def middle(screen: OnScreen, stage: str, row: int, col: int) -> tuple[float, float]:
    box = screen.cell(stage, row, col).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


SCROLLED = """async () => {
    const there = scrollY;
    await new Promise(resolve => setTimeout(resolve, 200));
    return there > 100 && scrollY === there;
}"""


SHADES = """last => [...last.querySelectorAll('.shade')]
    .map(({style}) => style.getPropertyValue('--shade'))"""  # of shares, not of context


PANE = """root => Object.assign(root.parentElement.style,
    {height: '300px', width: '1000px', overflow: 'auto'})"""


@pytest.mark.parametrize("scrolled", ["window", "part of it"])
def test_the_line_that_moves_stays_in_sight_on_a_low_screen(
    page: Page, scrolled: str
) -> None:
    """Such as a laptop's, enlarged; of JupyterLab's only a part is scrolled."""
    screen = show(page, explore("bank", query="bank"))
    last = screen.root.locator("[data-part=last]")
    assert 300 < screen.root.bounding_box()["height"] < 800
    assert not last.is_visible()
    if scrolled == "window":
        page.set_viewport_size({"width": 1000, "height": 300})
    else:
        screen.root.evaluate(PANE)
    last.wait_for()
    with screen.held(screen.cell("embeddings", 2, 0)) as hand:
        hand.to(20)
        box = last.bounding_box()
        assert 250 < box["y"] + box["height"] <= 310
        assert screen.part("last").startswith("bank")


def test_a_part_that_scrolls_only_sideways_is_no_screen(page: Page) -> None:
    screen = show(page, explore("bank", query="bank"))
    screen.root.evaluate("root => root.parentElement.style.overflowX = 'auto'")
    page.set_viewport_size({"width": 1000, "height": 300})
    screen.root.locator("[data-part=last]").wait_for()


def test_a_finger_drags_a_number_and_scrolls_the_page(phone: Page) -> None:
    explorer = explore("bank", mask="causal")
    screen = show(phone, explorer)
    swipe(phone, *middle(screen, "embeddings", 2, 0), 40, 3)
    last = screen.root.locator("[data-part=last]").bounding_box()
    assert 700 < last["y"] < last["y"] + last["height"] <= 800  # stays in sight
    assert 2.0 <= screen.number("embeddings", 2, 0) <= 3.0
    assert screen.part("last").startswith("bank")  # the word that moved last
    shades = screen.root.locator("[data-part=last]").evaluate(SHADES)
    shares = [screen.number("weights", 2, j) for j in range(5)]
    assert shades == [f"{100 * x:.0f}%" for x in shares] + [""] * 2
    assert phone.evaluate("scrollY") == 0
    assert_numpy(screen, explorer)
    before = screen.numbers()
    swipe(phone, *middle(screen, "embeddings", 4, 1), 6, -200)
    phone.wait_for_function(SCROLLED)
    assert screen.numbers() == before
    screen.cell("weights", 2, 0).tap()
    pair = {"row": "bank", "column": "coins"}
    assert share_of(**pair).fullmatch(screen.part("explanation"))
    screen.root.locator("[data-stage=weights] [scope=row]").nth(4).tap()
    assert screen.part("last").startswith("river")  # the word that asks
    screen.cell("embeddings", 0, 0).scroll_into_view_if_needed()
    with_two_taps(phone, *middle(screen, "embeddings", 0, 0))
    assert screen.root.locator(".typing").count() == 1
    phone.keyboard.type("x")
    phone.keyboard.press("Enter")
    refused = screen.root.locator("[data-part=message]").bounding_box()
    assert 0 < refused["y"] < refused["y"] + refused["height"] <= 800


def with_two_taps(page: Page, x: float, y: float) -> None:
    page.touchscreen.tap(x, y)
    page.touchscreen.tap(x, y)


FITS = """root => {
    const wide = [...root.querySelectorAll('*')].filter(e => {
        const box = e.getBoundingClientRect();
        return box.width && (box.right > 400.5 || box.left < -0.5)
            && !e.closest('.only-heard, svg');
    });
    const page = document.documentElement.scrollWidth;
    return [page, wide.slice(0, 3).map(e => e.outerHTML)];
}"""


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("name", ["bank", "journey"])
def test_nothing_leaves_a_narrow_screen(phone: Page, name: str, large: bool) -> None:
    for options in [
        {"controls": ["mask", "dropout", "row"], "step": 9},
        {"controls": ["multiply", "tie", "example"], "mask": "causal"},
        {"query": 1, "predict": "largest_weight", "controls": ["query", "preset"]},
        {"query": 1},
    ]:
        screen = show(phone, explore(name, large=large, **options))
        assert screen.root.evaluate(FITS) == [400, []], options


# ---- alive ----


def test_it_mounts_from_plain_json_and_fetches_nothing(page: Page) -> None:
    asked = []
    write(page, html_of(explore("bank")))
    page.route("**/*", lambda route: asked.append(route.request.url))
    page.evaluate("unmount()")
    assert page.locator("main > div").inner_html() == ""
    show(page, explore(BANK)).drag("embeddings", 0, 0, 9)
    page.evaluate(
        """() => {
            const embeddings = [[1, 2], [0, 1]];
            const [makeStore, mountInto] = bench.kinds.explorer;
            const shared = makeStore({tokens: ['a', 'b'], embeddings});
            for (const name of ['one', 'two']) {
                const root = document.createElement('div');
                root.id = name;
                document.body.append(root);
                window['stop' + name] = mountInto(root, shared);
            }
        }"""
    )
    one, two = (OnScreen(page.locator(f"#{name}")) for name in ("one", "two"))
    one.drag("embeddings", 0, 1, -30)
    assert one.numbers() == two.numbers()
    assert one.number("embeddings", 0, 1) == 1.7
    page.evaluate("stopone()")
    two.drag("embeddings", 0, 1, 30)
    two.action("large").click()
    assert two.number("embeddings", 0, 1) == 2
    assert page.locator("#one").inner_html() == ""
    left = page.evaluate("one.getAttributeNames()")
    assert set(left) == {"id", "class", "data-locked"}
    assert asked == []


@pytest.mark.parametrize("name", ["robot", "horse", "soup", "bank"])
def test_no_name_lies_over_the_table_beside_it(page: Page, name: str) -> None:
    """The names of the stages of one word stand to the left of their table."""
    stages = ["embeddings", "W_query", "W_key", "queries", "keys", "scores"]
    explorer = explore(name, query=2, stages=[*stages, "weights", "context"])
    for width in (848, 1000, 1216, 1400):
        page.set_viewport_size({"width": width, "height": 800})
        screen = show(page, explorer)
        outside = screen.root.evaluate("""root => {
            const table = root.querySelector('.one-table');
            const left = e => e.getBoundingClientRect().left;
            return [...table.querySelectorAll('figcaption > b')]
                .filter(name => left(name) < left(table) - 1).map(e => e.textContent);
        }""")
        assert outside == [], width
        rows = screen.root.evaluate("""root => ['embeddings', 'queries'].map(stage =>
            root.querySelector(`[data-stage=${stage}] td[data-row='2']`)
                .getBoundingClientRect().top)""")
        assert rows[0] == pytest.approx(rows[1], abs=6), width  # of 25 pixels


def test_beside_the_matrices_no_table_is_cut(page: Page) -> None:
    """A table that scrolls makes no line wider: it is measured itself."""
    stages = ["embeddings", "queries", "keys", "weights"]
    explorer = explore("bank", controls=["tie"], stages=stages)
    for width in (848, 864, 880, 1000):
        page.set_viewport_size({"width": width, "height": 800})
        cut = show(page, explorer).root.evaluate("""root =>
            [...root.querySelectorAll('.scroll')].filter(part =>
                part.scrollWidth > part.clientWidth + 1).length""")
        assert cut == 0, width
