"""Several heads: the engine against NumPy, and the page with real clicks and keys."""

from itertools import product

import live
import numpy as np
import pytest
from drive import (
    OnScreen,
    assert_numpy,
    assert_same,
    contrasts,
    rested,
    show,
    state_of,
    violations,
)
from playwright.sync_api import Page, expect
from states import as_explorer, ask, in_batches, random_heads, wishing_heads
from words import TEXT, judged, largest, like, percents

from attention_helpers import Example, examples, explore, gradients
from attention_helpers.explorer import LEARNED, MASKS, attention_of, goals, twin

TWO = examples["two questions"]
COINS, ON, BANK, BY, RIVER = range(5)
BOTH = {"weights": {"bank": ["river", "bank"]}}
SQUARES = ("scores", "scaled_scores", "masked_scores", "weights")
SHARED = ("queries", "keys", "values", "context")
SMALL = dict(
    zip(
        ("W_query", "W_key"),
        np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2)).tolist(),
        strict=True,
    )
)


# ---- the engine ----

RUN = f"""state => {{
    const S = helpers.compute(state);
    const some = (of, names) => Object.fromEntries(names.map(name => [name, of[name]]));
    return {{each: S.each.map(one => some(one, {[*SQUARES, *SHARED]})),
        ...some(S, {[*SHARED, "output"]}), lights: helpers.lights(S, [0])}};
}}"""


def test_every_stage_of_every_head_is_numpys(engine_page):
    kinds = ["slider", "normal", "negative", "mostly zero"]
    states = list(random_heads(150, seed=2, numbers=kinds))
    seen = set()
    for state, found in zip(states, in_batches(engine_page, RUN, states), strict=True):
        expected = attention_of(as_explorer(state))
        for head, one in enumerate(found["each"]):
            for name in (*SQUARES, *SHARED):
                of_head = getattr(expected, name)[head]
                np.testing.assert_allclose(one[name], of_head, 1e-9, 1e-9, name)
        for name in SHARED:
            joined = np.hstack(list(getattr(expected, name)))
            np.testing.assert_allclose(found[name], joined, 1e-9, 1e-9, name)
        if state["W_out"] is None:
            assert found["output"] is None
        else:
            np.testing.assert_allclose(found["output"], expected.output, 1e-9, 1e-9)
        first, on = expected.weights[:, 0], [*range(state["heads"])]
        on = [head for head in on if head not in state["off"]]
        sums = np.abs(first.sum(axis=1) - 1) <= 1e-9
        assert found["lights"]["rows-sum-to-1"] == sums.all()
        inside = sums[on].all() and (first[on] >= 0).all()
        assert found["lights"]["inside-values"] == inside
        seen |= {
            state["mask"],
            f"{state['heads']} heads",
            f"W_out: {bool(state['W_out'])}",
        }
    assert seen >= {*MASKS, "2 heads", "3 heads", "4 heads"}
    assert seen >= {"W_out: True", "W_out: False"}


def test_a_head_that_looks_at_later_words_puts_the_light_out(engine_page):
    light = "state => helpers.lights(helpers.compute(state), [0])['no-future']"
    for head, asks, mixes in product((0, 1), repeat=3):  # the other one does neither
        alone = np.arange(2) == head
        W, W_value = TWO.W_query * alone * asks, TWO.W_value * alone * mixes
        matrices = {"W_query": W, "W_value": W_value, "W_key": W}
        on = {"none": not (asks or mixes), "zero_weights": not asks, "causal": True}
        for mask in on:
            options = {"heads": 2, "mask": mask, "divide_by": "1"}
            explorer = explore("two questions", **options, **matrices)
            assert ask(engine_page, light, state_of(explorer)) == on[mask]


SLOPES = """state => {
    const S = helpers.compute(state);
    const {each, ...all} = helpers.gradients(S);
    const goal = helpers.goalOf(S, helpers.wishes(S));
    return {loss: helpers.loss(S), goal, each, all};
}"""


def test_loss_and_every_slope_of_every_head_are_numpys(engine_page):
    cases = list(wishing_heads(90, seed=3))
    answers = in_batches(engine_page, SLOPES, [state for state, _ in cases])
    for (state, options), found in zip(cases, answers, strict=True):
        expected = gradients(**{name: state[name] for name in LEARNED}, **options)
        assert found["loss"] == pytest.approx(expected.loss, rel=1e-9, abs=1e-15)
        assert found["goal"] == goals.check_goal("goal", state["goal"])
        for name in (*LEARNED, "queries", "keys", "values"):
            slopes = getattr(expected, name)
            if slopes is not None:
                slopes = slopes if slopes.ndim == 2 else np.hstack(list(slopes))
                close = 1e-9 * np.abs(slopes).max() + 1e-13
                np.testing.assert_allclose(found["all"][name], slopes, 1e-9, close)
        for head, one in enumerate(found["each"]):
            for name in ("masked_scores", "weights", "context"):
                slopes = getattr(expected, name)[head]
                close = 1e-9 * np.abs(slopes).max() + 1e-13
                np.testing.assert_allclose(one[name], slopes, 1e-9, close, name)


def test_slopes_with_heads_off_and_any_mask_are_those_of_a_nudge(engine_page):
    cases = [state for state, _ in wishing_heads(20, seed=4, masks=tuple(MASKS))]
    rng = np.random.default_rng(4)
    for state in cases:
        state["off"] = [int(rng.integers(state["heads"]))]
    for state, found in zip(cases, in_batches(engine_page, SLOPES, cases), strict=True):
        assert found["loss"] == pytest.approx(loss_of(state), rel=1e-9, abs=1e-12)
        for name in (name for name in LEARNED if state[name] is not None):
            at = tuple(int(rng.integers(size)) for size in np.shape(state[name]))
            losses = []
            for nudge in (1e-6, -1e-6):
                moved = np.array(state[name], float)
                moved[at] += nudge
                losses.append(loss_of(state | {name: moved.tolist()}))
            difference = (losses[0] - losses[1]) / 2e-6
            assert np.array(found["all"][name])[at] == pytest.approx(
                difference, rel=1e-5, abs=1e-6
            )


def loss_of(state) -> float:
    of = as_explorer(state)
    return goals.loss(of, attention_of(of), twin.labels(of, "context")[1])


# ---- the page ----


def shown(screen: OnScreen) -> list[tuple[str, str | None]]:
    """Return the tables in the order of the page: stage and head."""
    figures = screen.root.locator("[data-stage]")
    return figures.evaluate_all(
        "all => all.map(e => [e.dataset.stage, e.dataset.head ?? null])"
    )


def lit(screen: OnScreen, role: str) -> set[tuple]:
    """Return where cells are lit: stage, head, row, column."""
    cells = screen.root.locator(f"td.{role}").evaluate_all(
        """all => all.map(td => [td.closest('[data-stage]').dataset.stage,
            td.dataset.head ?? '', td.dataset.row, td.dataset.col].join(' '))"""
    )
    return set(cells)


def test_each_head_has_its_tables_and_all_follow_the_hand(page: Page) -> None:
    explorer = explore("two questions", heads=2, query="bank", mask="causal")
    screen = show(page, explorer)
    assert [name for name, head in shown(screen) if head is None] == [
        *("embeddings", "W_query", "W_key", "W_value", "W_out"),
        *("queries", "keys", "values", "context", "output"),
    ]
    assert [tuple(at) for at in shown(screen) if at[1]] == [
        (stage, head) for stage in SQUARES for head in "01"
    ]
    assert_numpy(screen, explorer)
    with screen.held(screen.cell("embeddings", BANK, 2)) as hand:
        for stop in (-20, 35):
            hand.to(stop)
            explorer.embeddings = page.evaluate("store.state.embeddings")
            assert_same(screen, vars(explorer.attention))
    assert explorer.embeddings[BANK][2] == 3  # the end of its slider


@pytest.mark.parametrize("seed", [0, 1])
def test_random_heads_on_the_page_are_numpys(page: Page, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d_in, heads = int(rng.integers(2, 5)), int(rng.integers(2, 4))
    d_k, d_v = (heads * int(rng.integers(1, 3)) for _ in range(2))

    def drawn(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).round(2)

    matrices = [drawn(d_in, d_k), drawn(d_in, d_k), drawn(d_in, d_v), drawn(d_v, 3)]
    example = Example([f"w{i}" for i in range(4)], drawn(4, d_in), *matrices)
    masks = [*MASKS]
    stages = [name for name in twin.STAGES if name not in ("W_query", "W_key")]
    options = {"mask": masks[rng.integers(5)], "divide_by": "sqrt_d_in"}
    explorer = explore(
        example, heads=heads, edit=["W_value", "W_out"], stages=stages, **options
    )
    screen = show(page, explorer)
    assert_numpy(screen, explorer)
    screen.drag("W_value", 1, d_v - 1, 30)
    screen.type("W_out", d_v - 1, 2, "-1.5")
    assert explorer.W_out[-1][2] != -1.5
    assert_numpy(screen, explorer)
    assert explorer.W_out[-1][2] == -1.5
    assert set(explorer.changes) == {
        ("W_value", f"x{'₀₁₂₃'[2]}", twin.names_of(explorer, "W_value")[-1]),
        ("W_out", twin.names_of(explorer, "W_value")[-1], "o₃"),
    }
    screen.head(heads - 1).click()
    assert_numpy(screen, explorer)
    assert explorer.off == (heads - 1,)


def test_who_drives_other_browsers_reads_every_head(page: Page) -> None:
    explorer = explore("two questions", controls=["heads", "mask"])
    screen = show(page, explorer)
    screen.control("heads").select_option("2")
    screen.control("mask").select_option("causal")
    screen.type("embeddings", BANK, 0, "2.5")
    screen.head(0).click()
    [read] = page.evaluate(live.READ, ".attention-explorer")
    seen = live.Shown(**read)
    inputs = seen.inputs(state_of(explorer))
    assert (inputs["heads"], inputs["off"], inputs["mask"]) == (2, [0], "causal")
    seen.assert_numpy(state_of(explorer))
    seen.tables["weights", 1][BANK][0] += 1e-9
    with pytest.raises(AssertionError, match="weights"):
        seen.assert_numpy(state_of(explorer))


def test_a_head_is_switched_off_and_on_by_its_name(page: Page) -> None:
    explorer = explore("two questions", heads=2, query="bank")
    screen = show(page, explorer)
    where = screen.root.get_by_role("button", name="where?")
    expect(where).to_have_count(1)
    assert screen.head(1).inner_text() == "where?"
    expect(where).to_have_attribute("aria-pressed", "true")
    before = screen.root.evaluate("e => e.offsetHeight")
    title = {"off": TEXT["table"]["head_on"], "on": TEXT["table"]["head_off"]}
    expect(where).to_have_attribute("title", title["on"].format(head="where?"))
    where.click()
    expect(where).to_have_attribute("aria-pressed", "false")
    expect(where).to_have_attribute("title", title["off"].format(head="where?"))
    expect(where).to_be_focused()
    assert screen.number("context", BANK, 1) == 0
    assert screen.number("output", BANK, 1) == pytest.approx(-2.40, abs=0.005)
    assert float(
        screen.cell("weights", BANK, BANK, 1).get_attribute("data-value")
    ) == pytest.approx(0.564, abs=5e-4)
    assert_numpy(screen, explorer)
    assert explorer.off == (1,)
    expect(screen.root.locator("[data-part=summary]")).to_contain_text(
        TEXT["summary_off"].format(head="where?")
    )
    screen.cell("context", BANK, 1).click()
    off = like(TEXT["say"]["off"], row="bank", head="where?")
    assert off.fullmatch(screen.part("explanation"))
    assert screen.root.evaluate("e => e.offsetHeight") == before
    page.keyboard.press("Control+z")
    assert_numpy(screen, explorer)
    assert explorer.off == ()
    what = screen.head(0)
    what.focus()
    page.keyboard.press("Space")
    expect(screen.head(0)).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Enter")
    expect(screen.head(0)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    assert_numpy(screen, explorer)
    assert explorer.off == (0,)
    assert screen.number("output", BANK, 0) == pytest.approx(1.33, abs=0.005)
    screen.action("reset").click()
    assert_numpy(screen, explorer)
    assert explorer.off == ()
    page.evaluate("store.receive({off: [1]})")  # from Python
    expect(screen.head(1)).to_have_attribute("aria-pressed", "false")


def test_the_menu_of_heads_and_the_dot_that_leaves_the_hull(page: Page) -> None:
    explorer = explore("two questions", query="bank", controls=["heads"])
    screen = show(page, explorer)
    plane = screen.root.locator("[data-part=plane] svg")
    assert plane.locator(".box").count() == 0
    point = TEXT["plane"]["point"].format(word="bank", place="2.40, 0.92")
    assert point in plane.get_attribute("aria-label")
    options = screen.control("heads").locator("option")
    assert options.all_inner_texts() == ["1", "2"]
    screen.control("heads").select_option("2")
    point = TEXT["plane"]["point"].format(word="bank", place="2.40, 1.33")
    assert point in plane.get_attribute("aria-label")
    inside = """svg => {
        const dot = svg.querySelector('.mixed circle');
        const point = new DOMPoint(dot.cx.baseVal.value, dot.cy.baseVal.value);
        const areas = ['.hull', '.box'].map(area => svg.querySelector(area));
        return areas.map(area => area.isPointInFill(point));
    }"""
    assert plane.evaluate(inside) == [False, True]
    assert screen.light("inside-values") == "true"
    assert TEXT["inside_each"] in screen.root.locator(".lights").inner_text()
    assert_numpy(screen, explorer)
    assert explorer.heads == 2
    screen.head(1).click()
    screen.control("heads").select_option("1")
    assert_numpy(screen, explorer)
    assert (explorer.heads, explorer.off) == (1, ())
    page.keyboard.press("Control+z")
    assert_numpy(screen, explorer)
    assert (explorer.heads, explorer.off) == (2, (1,))


def test_heads_of_two_columns_have_a_plane_each_that_of_the_clicked_one(page: Page):
    example = Example.from_text("to be or not", d_k=4, d_v=4)
    explorer = explore(example, heads=2, query=1, controls=["heads"])
    screen = show(page, explorer)
    context = explorer.attention.context[:, 1]
    plane = screen.root.locator("[data-part=plane] svg")

    def described(head: int) -> str:
        at = ", ".join(f"{x:.2f}".replace("-", "−") for x in context[head])
        return TEXT["plane"]["point"].format(word="be", place=at)

    assert described(0) in plane.get_attribute("aria-label")
    assert TEXT["head"].format(k=1) in plane.text_content()
    screen.cell("weights", 1, 0, 1).click()
    assert described(1) in plane.get_attribute("aria-label")
    assert TEXT["head"].format(k=2) in plane.text_content()
    screen.cell("context", 1, 0).click()
    assert described(0) in plane.get_attribute("aria-label")
    assert plane.locator(".box").count() == 0
    screen.control("heads").select_option("4")
    assert plane.count() == 0
    screen.cell("weights", 1, 0, 3).click()
    screen.control("heads").select_option("2")
    assert described(1) in plane.get_attribute("aria-label")


def test_a_number_says_of_which_head_it_is_and_lights_that_alone(page: Page) -> None:
    example = Example.from_text("to be or not", d_k=4, d_v=4)
    stages = ["queries", "keys", "values", "scores", "weights", "context"]
    screen = show(page, explore(example, heads=2, divide_by="1", stages=stages))
    screen.cell("scores", 2, 1, 1).click()
    assert lit(screen, "one") == {"queries  2 2", "queries  2 3"}
    assert lit(screen, "two") == {"keys  1 2", "keys  1 3"}
    assert lit(screen, "selected") == {"scores 1 2 1"}
    caption = TEXT["caption_of_head"]
    pair = {"row": "or", "column": "be"}
    second, first = (TEXT["head"].format(k=k) for k in (2, 1))
    assert screen.part("caption") == caption.format(head=second, **pair)
    screen.cell("weights", 2, 1, 0).click()
    assert screen.part("caption") == caption.format(head=first, **pair)
    begins = (
        "all => all.map(e => e.closest('[data-stage]').dataset.stage + e.cellIndex)"
    )
    seen = screen.root.locator(".begins").evaluate_all(begins)
    shared = ("queries", "keys", "values", "context")  # of two heads, two columns each
    assert sorted(seen) == sorted(f"{stage}3" for stage in shared for _ in range(5))
    assert lit(screen, "two") == {f"scores 0 2 {j}" for j in range(4)}
    screen.cell("context", 3, 2).click()
    assert lit(screen, "one") == {f"weights 1 3 {j}" for j in range(4)}
    assert lit(screen, "two") == {f"values  {j} 2" for j in range(4)}
    said = screen.part("explanation")
    for j in range(4):
        weight = float(screen.cell("weights", 3, j, 1).get_attribute("data-value"))
        assert f"{weight:.4f}".rstrip("0") in said
    result = f"{screen.number('context', 3, 2):.4f}".rstrip("0")
    assert said.endswith(f"= {result.replace('-', '−')}")


def test_output_says_what_it_is_made_of(page: Page) -> None:
    screen = show(page, explore("two questions", heads=2, query="bank"))
    screen.cell("output", BANK, 1).click()
    assert screen.part("explanation") == TEXT["say"]["output"].format(
        row="bank",
        column="money",
        sum="2.3986 × (−1) + 1.3349 × 1",
        result="−1.0637",
    )
    assert lit(screen, "one") == {"context  2 0", "context  2 1"}
    assert lit(screen, "two") == {"W_out  0 1", "W_out  1 1"}


def test_keys_stay_in_the_table_of_a_head(page: Page) -> None:
    screen = show(page, explore("two questions", heads=2))
    stops = screen.root.locator("[data-stage=weights] td[tabindex='0']")
    assert stops.count() == 2
    screen.cell("weights", 0, 4, 0).click()
    page.keyboard.press("ArrowRight")
    expect(screen.cell("weights", 0, 4, 0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(screen.cell("weights", 1, 4, 0)).to_be_focused()
    page.keyboard.press("Tab")  # the switch of the next head, then its table
    expect(screen.head(1)).to_be_focused()
    page.keyboard.press("Tab")
    expect(screen.cell("weights", 0, 0, 1)).to_be_focused()
    assert stops.count() == 2


def test_the_question_is_about_the_last_head(page: Page) -> None:
    options = {"query": "bank", "predict": "largest_weight"}
    explorer = explore("two questions", heads=2, **options)
    screen = show(page, explorer)
    assert set(screen.numbers()) == {
        "embeddings",
        "W_query",
        "W_key",
        "W_value",
        "W_out",
    }
    text = TEXT["questions_of_head"]["largest_weight"]
    assert text.format(head="where?", query="bank") in screen.part("question")
    screen.root.locator("[data-choice=river]").check()
    screen.action("commit").click()
    verdict = screen.root.locator("[data-part=verdict]")
    expect(verdict).to_have_attribute("data-kind", "wrong")
    told = judged("wrong", largest("bank", 56), "river")
    scores = {"said": "river", "score": 1, "top": "bank", "best": 2}
    why = TEXT["why_not"]["less"].format(**scores)
    assert verdict.inner_text() == f"{told} {why}"
    assert_numpy(screen, explorer)


@pytest.mark.parametrize("predict", twin.QUESTIONS)
def test_every_question_is_asked_of_heads_in_the_words_of_the_twin(
    engine_page, predict
) -> None:
    options = {"query": "bank", "predict": predict, "goal": BOTH, "edit": ["W_query"]}
    explorer = explore("two questions", heads=2, **options)
    function = """state => {
        const S = helpers.compute(helpers.complete(state));
        const {QUESTIONS} = helpers, it = QUESTIONS[S.predict];
        return [helpers.questionText(S), it.right(S), it.choices(S).map(c => c.value),
            it.result(S), it.choices(S).map(c => it.why(S, c.value))];
    }"""
    text, right, choices, result, why = ask(engine_page, function, state_of(explorer))
    assert TEXT["lead"].format(question=text) in repr(explorer)
    assert {*right} <= {*choices}
    assert "undefined" not in result + "".join(why)
    expected = {
        "largest_weight": ["bank"],
        "most_to_themselves": ["2"],  # bank, and river, which looks at all alike
        "double_W_value": ["values,context,output"],
        "last_word_changes": ["all"],
        "zero_scores_hide": ["false"],
        "steepest": ["place"],
    }
    assert right == expected.get(predict, right)


# ---- wishes ----

LEARN = {"controls": ["goal", "learn"], "edit": ["W_query", "W_key"]}


def wished(screen: OnScreen) -> set[tuple[int, int, int]]:
    return {
        (int(cell["head"]), int(cell["row"]), int(cell["col"]))
        for cell in screen.cells()["weights"]
        if cell.get("goal") == "true"
    }


def test_two_wishes_for_one_word_are_learned_by_two_heads(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    explorer = explore("two questions", heads=2, goal=BOTH, **SMALL, **LEARN)
    screen = show(page, explorer)
    assert wished(screen) == {(0, BANK, RIVER), (1, BANK, BANK)}
    screen.action("learn").click()
    assert_numpy(screen, explorer)
    assert explorer.losses[-1] < 0.001
    weights = explorer.attention.weights
    assert min(weights[0, BANK, RIVER], weights[1, BANK, BANK]) > 0.99
    context = explorer.attention.context[:, BANK].ravel()
    assert context == pytest.approx([3, 2], abs=0.02)
    assert repr(explorer).count("“where?”") == 1
    screen.action("reset").click()
    page.evaluate("store.edit({heads: 1})")
    assert wished_of_one(screen) == {(BANK, RIVER), (BANK, BANK)}
    screen.action("learn").click()
    rested(page, explorer)
    assert 0.69 < explorer.losses[-1] < 0.70
    assert_numpy(screen, explorer)


def wished_of_one(screen: OnScreen) -> set[tuple[int, int]]:
    cells = screen.cells()["weights"]
    return {(int(c["row"]), int(c["col"])) for c in cells if c.get("goal") == "true"}


def test_a_click_wishes_for_the_head_whose_share_it_is(page: Page) -> None:
    explorer = explore("two questions", heads=2, **LEARN)
    screen = show(page, explorer)
    screen.cell("weights", BANK, BANK, 1).click()
    assert rested(page, explorer).goal == {"weights": {"bank": [None, "bank"]}}
    screen.cell("weights", BANK, RIVER, 0).click()
    assert rested(page, explorer).goal == BOTH
    screen.cell("weights", BANK, COINS, 1).click()
    assert wished(screen) == {(0, BANK, RIVER), (1, BANK, COINS)}
    screen.cell("weights", BANK, COINS, 1).click()
    assert rested(page, explorer).goal == {"weights": {"bank": "river"}}
    loss = -np.log(explorer.attention.weights[0, BANK, RIVER])
    assert explorer.losses[-1] == pytest.approx(loss)
    screen.cell("weights", COINS, ON, 1).press("Enter")
    assert wished(screen) == {(0, BANK, RIVER), (1, COINS, ON)}


def test_a_number_of_another_head_or_of_the_output_says_why_it_is_level(page: Page):
    goal = {"weights": {"bank": "river"}}
    options = {"heads": 2, "goal": goal, "slopes": True, "edit": ["W_query", "W_out"]}
    stages = ["W_query", "W_out", "weights"]
    screen = show(page, explore("two questions", **options, stages=stages))
    screen.cell("W_query", 2, 1).click()
    assert TEXT["level"]["other_head"] in screen.part("explanation")
    screen.cell("W_out", 0, 0).click()
    assert TEXT["level"]["out"] in screen.part("explanation")
    screen.cell("W_query", 2, 0).click()
    assert like(TEXT["slopes"]["said"]).fullmatch(screen.part("explanation"))


# ---- on one screen, for everybody ----

SCREENS = {
    "asking": (lambda: explore("two questions", heads=2, query="bank"), 620),
    "all rows": (lambda: explore("two questions", heads=2), 640),
    "menu": (
        lambda: explore("two questions", query="bank", controls=["heads"]),
        620,
    ),
    "no matrices": (lambda: explore(TWO.without_matrices(), heads=2), 620),
    "learning": (
        lambda: explore("two questions", heads=2, goal=BOTH, **SMALL, **LEARN),
        640,
    ),
}
PLACES = """root => [root.offsetHeight, ...[...root.querySelectorAll(
    '[data-stage], [data-part=plane], .foot, button')].map(part => {
        const {left, top} = part.getBoundingClientRect();
        const name = part.dataset.stage ?? part.dataset.action;
        return [name, Math.round(left), Math.round(top)];
    })]"""


@pytest.mark.parametrize("name", SCREENS)
def test_it_fits_on_one_screen_and_nothing_jumps(page: Page, name: str) -> None:
    page.set_viewport_size({"width": 864, "height": 800})
    explorer, budget = SCREENS[name]
    screen = show(page, explorer())
    if name == "menu":
        screen.control("heads").select_option("2")
    before = screen.root.evaluate(PLACES)
    assert screen.root.evaluate("e => [e.offsetWidth, e.scrollWidth]") == [848, 848]
    assert before[0] <= budget
    where = [at[0] for at in before[1:]]
    assert where.index("weights") < where.index("context")
    stage = screen.root.locator(".editable").first.get_attribute("data-stage")
    with screen.held(screen.cell(stage, 2, 0)) as hand:
        for stop in (-60, 60, 3):
            hand.to(stop)
            assert screen.root.evaluate(PLACES) == before
    screen.cell("weights", 2, 4, 1).click()
    screen.head(0).click()
    assert screen.root.evaluate(PLACES) == before


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_for_everybody(page: Page, theme: str) -> None:
    explorer = explore("two questions", heads=2, query="bank", off=[0])
    screen = show(page, explorer, theme)
    screen.cell("weights", BANK, RIVER, 1).click()
    assert violations(page) == []
    assert min(contrasts(screen).values()) >= 4.5
    names = screen.root.locator("[data-stage=weights] table").evaluate_all(
        "all => all.map(e => e.getAttribute('aria-label'))"
    )
    text, stage = TEXT["of_head"], TEXT["stages"]["weights"]
    heads = ("what kind?", "where?")
    assert names == [text.format(stage=stage, head=head) for head in heads]
    off = TEXT["summary_off"].format(head="what kind?")
    itself = {"words": TEXT["row"]["itself"], "share": percents(56)}
    most = TEXT["row"]["share"].format(**itself)
    row = like(TEXT["row"]["most_then"], word="bank", most=most)
    on = like(TEXT["summary_of_head"], head="where?")
    told = on.search(screen.part("summary").removeprefix(off))
    assert row.fullmatch(told["text"])
    assert screen.part("summary").startswith(off)


def test_on_a_phone_every_table_says_of_which_head_it_is(page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    explorer = explore("two questions", heads=2, query="bank")
    screen = show(page, explorer)
    for name in ("what kind?", "where?"):
        assert screen.root.get_by_text(name, exact=True).locator("visible=true").count()
    last = screen.root.locator("[data-part=last]")
    assert last.locator("[data-of=weights]").count() == 10
    where = explorer.attention.weights[1, BANK]
    texts = last.locator("[data-of=weights] .shade").all_inner_texts()
    assert texts[5:] == [f"{x:.2f}" for x in where]
    assert screen.root.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
