"""Learning in the explorer: wishes, slopes, steps, with real clicks and keys."""

import numpy as np
import pytest
from drive import OnScreen, assert_numpy, contrasts, rested, show, violations
from playwright.sync_api import Page, expect
from words import TEXT, like, share_of

from attention_helpers import Example, Explorer, descend, examples, explore, gradients

BANK = examples["bank"]
COINS, ON, BANK_ROW, BY, RIVER = range(5)
RIVERSIDE = {"weights": {"bank": "river"}}
WET = {"context": {"bank": "wet"}}
FIVE = {"weights": dict.fromkeys(("coins", "on", "by", "river"), "bank")}
FIVE["weights"]["bank"] = "river"
FIVE_ROWS = {"weights": {COINS: 2, ON: 2, 2: RIVER, BY: 2, RIVER: 2}}
LEARN = ["goal", "rate", "learn"]


def with_matrices(W_query, W_key) -> Example:
    """Return the bank example with other matrices."""
    brought = {"columns": BANK.columns, "slider": BANK.slider}
    return Example(
        BANK.tokens, BANK.embeddings, W_query, W_key, BANK.W_value, **brought
    )


ERASED = with_matrices(np.zeros((4, 2)), BANK.W_key)
SMALL = with_matrices(*np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2)))


def matrices(explorer: Explorer) -> list:
    return [explorer.embeddings, explorer.W_query, explorer.W_key, explorer.W_value]


def loss_on(screen: OnScreen) -> float:
    return float(
        screen.root.locator("[data-part=loss]").get_attribute("data-value") or "nan"
    )


def wished(screen: OnScreen, stage: str = "weights") -> list[tuple[int, int]]:
    return [
        (int(cell["row"]), int(cell["col"]))
        for cell in screen.cells()[stage]
        if cell.get("goal") == "true"
    ]


def until_done(screen: OnScreen) -> None:
    """Let it learn to the end; the button is then what it was."""
    screen.action("learn").click()
    screen.page.wait_for_function("!store.running && store.told?.kind !== 'step'")
    expect(screen.action("pause")).to_have_count(0)


def losses(screen: OnScreen) -> list[float]:
    return screen.page.evaluate("store.state.losses")


# ---- the slopes of numbers that a hand can move ----


def slopes_on(screen: OnScreen, stage: str) -> np.ndarray:
    cells = screen.cells()[stage]
    shape = int(cells[-1]["row"]) + 1, int(cells[-1]["col"]) + 1
    return np.array([float(cell["slope"]) for cell in cells]).reshape(shape)


@pytest.mark.parametrize("goal", [RIVERSIDE, WET], ids=["weights", "context"])
def test_slopes_are_numpys_while_a_number_moves(page: Page, goal) -> None:
    edit = ["W_query", "embeddings"]
    explorer = explore("bank", edit=edit, goal=goal, slopes=True)
    screen = show(page, explorer)
    by_row = {"weights": {2: RIVER}} if goal is RIVERSIDE else {"context": {2: 0}}
    with screen.held(screen.cell("W_query", 2, 0)) as hand:
        for pixels in (0, -4, -13, 6):
            hand.to(pixels)
            moved = [list(row) for row in explorer.W_query]
            moved[2][0] = screen.number("W_query", 2, 0)
            inputs = [explorer.embeddings, moved, explorer.W_key, explorer.W_value]
            expected = gradients(*inputs, goal=by_row)
            assert loss_on(screen) == pytest.approx(expected.loss, rel=1e-9)
            for stage in edit:
                seen, slopes = slopes_on(screen, stage), getattr(expected, stage)
                np.testing.assert_allclose(seen, slopes, rtol=1e-9, atol=1e-12)
                check_arrows(screen, stage, slopes)
    for way, sign in (("left", "◂"), ("right", "▸")):
        arrow = screen.root.locator(f"td[data-way={way}]").first
        assert sign in arrow.evaluate(ARROW)
    assert screen.root.locator("[data-stage=W_key] [data-slope]").count() == 0


def check_arrows(screen: OnScreen, stage: str, slopes: np.ndarray) -> None:
    """Check that each points to where the loss falls, and that steeper is heavier."""
    ways = {(int(c["row"]), int(c["col"])): c["way"] for c in screen.cells()[stage]}
    steep = screen.root.evaluate(STEEP, stage)
    sizes = {}
    for (i, j), slope in np.ndenumerate(slopes):
        expected = "" if abs(slope) < 5e-5 else "left" if slope > 0 else "right"
        assert ways[i, j] == expected
        if expected:
            sizes[abs(slope)] = steep[f"{i} {j}"]
    by_slope = [sizes[slope] for slope in sorted(sizes)]
    assert by_slope == sorted(by_slope)


STEEP = """(root, stage) => Object.fromEntries(
    [...root.querySelectorAll(`[data-stage=${stage}] td`)].map(td =>
        [`${td.dataset.row} ${td.dataset.col}`,
            +td.style.getPropertyValue('--steep')]))"""
ARROW = "e => getComputedStyle(e, '::before').content"


def test_who_follows_the_arrows_gets_there_in_ten_drags(page: Page) -> None:
    """Half a unit a drag, in the heaviest arrow's cell, to its side."""
    options = {"query": "bank", "edit": ["W_query"], "slopes": True}
    explorer = explore(ERASED, goal=RIVERSIDE, **options)
    screen = show(page, explorer)
    assert loss_on(screen) == pytest.approx(np.log(5))
    step = float(page.evaluate("helpers => store.state.slider?.step ?? 0.01"))
    seen = []
    while loss_on(screen) > 0.1:
        slopes = slopes_on(screen, "W_query")
        i, j = np.unravel_index(abs(slopes).argmax(), slopes.shape)
        arrow = screen.cell("W_query", i, j).evaluate(ARROW)
        assert ("▸" if slopes[i, j] < 0 else "◂") in arrow
        pixels = round(0.5 / step)
        screen.drag("W_query", int(i), int(j), pixels if slopes[i, j] < 0 else -pixels)
        seen.append(loss_on(screen))
    assert len(seen) == 6
    assert [round(x, 2) for x in seen] == [0.87, 0.51, 0.33, 0.23, 0.14, 0.09]
    assert screen.number("W_query", 2, 0) == 2.5
    assert "none" in screen.cell("W_query", 3, 0).evaluate(ARROW)
    rested(page, explorer)
    assert explorer.losses == pytest.approx([np.log(5), *seen])


SLOPE = like(TEXT["slopes"]["said"])


def plain(text: str) -> float:
    return float(text.replace("−", "-"))


@pytest.mark.parametrize("goal", [RIVERSIDE, WET, FIVE], ids=["one", "context", "five"])
def test_a_clicked_slope_is_a_difference_whose_digits_agree(page: Page, goal) -> None:
    edit = ["W_query", "W_key"] if goal is FIVE else ["W_query"]
    screen = show(page, explore(SMALL, edit=edit, goal=goal, slopes=True))
    told = 0
    for stage in edit:
        slopes = slopes_on(screen, stage)
        for (i, j), slope in np.ndenumerate(slopes):
            screen.cell(stage, i, j).click()
            said = screen.part("explanation")
            row = BANK.columns["embeddings"][i]
            of = {"stage": TEXT["stages"][stage], "row": row}
            found = SLOPE.fullmatch(said)
            if abs(slope) < 5e-5:
                assert found is None
                assert like(TEXT["slopes"]["level"], **of).fullmatch(said)
                continue
            told += 1
            assert {name: found[name] for name in of} == of
            numbers = ("from", "to", "before", "after", "slope")
            x, to, before, after, printed = (plain(found[name]) for name in numbers)
            nudge = round(to - x, 9)
            assert nudge in (1e-3, 1e-4, 1e-5, 1e-6)
            assert printed == pytest.approx((after - before) / nudge, rel=0.06)
            decimals = len(found["slope"].partition(".")[2])
            assert round((after - before) / nudge, decimals) == printed
            assert printed == pytest.approx(slope, abs=0.51 * 10**-decimals)
            assert found["way"] == TEXT["slopes"]["left" if slope > 0 else "right"]
    assert told > 5 * len(edit)
    described = screen.slider(stage, i, j).get_attribute("aria-describedby")
    assert described == screen.root.locator("[data-part=explanation]").get_attribute(
        "id"
    )


def test_the_sentence_follows_the_number_under_the_hand(page: Page) -> None:
    options = {"edit": ["W_query"], "goal": RIVERSIDE, "slopes": True}
    screen = show(page, explore("bank", query="bank", **options))
    with screen.held(screen.cell("W_query", 2, 0)) as hand:
        first = screen.part("explanation")
        found = SLOPE.fullmatch(first)
        assert found["column"] == "what kind?"
        numbers = [found[name] for name in ("from", "to", "before")]
        assert numbers == ["2.000", "2.001", "0.13963"]
        hand.to(-5)
        assert screen.part("explanation") != first
    screen.cell("scores", BANK_ROW, RIVER).click()
    score = like(TEXT["say"]["scores"], row="bank", column="river")
    assert score.fullmatch(screen.part("explanation"))
    tab_stops = screen.root.locator("[data-stage=W_query] td[tabindex='0']")
    assert tab_stops.count() == 0


@pytest.mark.parametrize(
    ("explorer", "cell", "why"),
    [
        (
            lambda o: explore(ERASED, **o, goal=RIVERSIDE),
            ("W_query", 3, 0),
            TEXT["level"]["no_such"].format(words="bank", row="link"),
        ),
        (
            lambda o: explore(
                with_matrices(np.zeros((4, 2)), np.zeros((4, 2))), **o, goal=RIVERSIDE
            ),
            ("W_query", 0, 1),
            TEXT["level"]["other"].format(
                other=TEXT["stages"]["keys"], column="where?"
            ),
        ),
        (
            lambda o: explore(
                with_matrices(10 * np.array(BANK.W_query), BANK.W_key),
                **o,
                goal={"context": {"bank": "rich"}},
            ),
            ("W_query", 2, 0),
            TEXT["level"]["decided"],
        ),
        (
            lambda o: explore("bank", **(o | {"edit": ["W_value"]}), goal=RIVERSIDE),
            ("W_value", 0, 0),
            TEXT["level"]["unread"],
        ),
        (
            lambda o: explore(
                with_matrices(5 * np.array(BANK.W_query), BANK.W_key),
                **o,
                goal=RIVERSIDE,
            ),
            ("W_query", 2, 0),
            TEXT["level"]["arrived"],
        ),
    ],
)
def test_a_number_without_an_arrow_says_why(page: Page, explorer, cell, why) -> None:
    screen = show(page, explorer({"edit": ["W_query"], "slopes": True}))
    assert screen.cell(*cell).get_attribute("data-way") == ""
    screen.cell(*cell).click()
    assert why in screen.part("explanation")
    slider = screen.cell(*cell).locator("input")
    slider.press("ArrowRight")
    heard = f"{screen.number(*cell):g},".replace("-", "−")
    assert slider.get_attribute("aria-valuetext").startswith(heard)


def test_without_slopes_or_a_goal_nothing_is_added(page: Page) -> None:
    for options in [{}, {"slopes": True}, {"goal": RIVERSIDE}]:
        screen = show(page, explore("bank", edit=["W_query"], **options))
        assert screen.root.locator("[data-slope]").count() == 0
        panel = screen.root.locator("[data-part=loss]").count()
        assert panel == (1 if "goal" in options else 0)
        assert (screen.root.locator("[data-part=plane]").count() == 1) == (panel == 0)


# ---- wishes ----


def test_a_goal_is_marked_where_it_stands(page: Page) -> None:
    goal = FIVE | {"context": {"on": "rich"}}
    screen = show(page, explore(SMALL, goal=goal))
    assert wished(screen) == [(0, 2), (1, 2), (2, 4), (3, 2), (4, 2)]
    assert wished(screen, "context") == [(1, 1)]
    assert "◎" in screen.cell("weights", 2, 4).evaluate(ARROW)
    assert TEXT["learning"]["wished"] in screen.cell("weights", 2, 4).inner_text()
    by_row = FIVE_ROWS | {"context": {1: 1}}
    expected = gradients(*matrices(explore(SMALL)), goal=by_row)
    assert loss_on(screen) == pytest.approx(expected.loss, rel=1e-9)


def test_a_click_sets_moves_and_takes_back_the_wish_of_a_row(page: Page) -> None:
    explorer = explore(SMALL, controls=LEARN)
    screen = show(page, explorer)
    assert np.isnan(loss_on(screen))
    assert screen.action("learn").is_disabled()
    screen.cell("weights", BANK_ROW, RIVER).click()
    assert wished(screen) == [(2, 4)]
    assert rested(page, explorer).goal == RIVERSIDE
    formula = screen.root.locator("[data-part=loss] .formula").inner_text()
    assert like(TEXT["learning"]["of_one"], row="bank", column="river").search(formula)
    assert share_of("bank", "river").fullmatch(screen.part("explanation"))
    screen.cell("weights", BANK_ROW, COINS).click()
    screen.cell("weights", ON, COINS).click()
    assert wished(screen) == [(1, 0), (2, 0)]
    goal = {"weights": {"bank": "coins", "on": "coins"}}
    assert rested(page, explorer).goal == goal
    screen.cell("weights", BANK_ROW, COINS).click()
    assert wished(screen) == [(1, 0)]
    page.keyboard.press("Control+z")
    assert wished(screen) == [(1, 0), (2, 0)]
    screen.control("goal").click()
    assert wished(screen) == []
    assert rested(page, explorer).goal is None
    assert explorer.losses == ()


def test_a_wish_by_keyboard(page: Page) -> None:
    explorer = explore(SMALL, query="bank", controls=LEARN)
    screen = show(page, explorer)
    screen.cell("weights", BANK_ROW, COINS).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert wished(screen) == [(2, 1)]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert wished(screen) == [(2, 2)]
    page.keyboard.press("Enter")
    assert wished(screen) == []


def test_clicks_wish_for_contexts_where_the_goal_is_about_them(page: Page) -> None:
    explorer = explore(SMALL, goal=WET, controls=["goal", "learn"])
    screen = show(page, explorer)
    screen.cell("weights", BANK_ROW, RIVER).click()
    screen.cell("context", BANK_ROW, 1).click()
    assert (wished(screen), wished(screen, "context")) == ([], [(2, 1)])
    assert rested(page, explorer).goal == {"context": {"bank": "rich"}}
    screen.action("reset").click()
    assert rested(page, explorer).goal == WET


def test_without_the_control_a_click_wishes_for_nothing(page: Page) -> None:
    screen = show(page, explore(SMALL, goal=RIVERSIDE, controls=["learn"]))
    screen.cell("weights", BANK_ROW, COINS).click()
    assert wished(screen) == [(2, 4)]


def test_a_wish_for_a_hidden_cell_is_refused_in_words(page: Page) -> None:
    screen = show(page, explore(SMALL, mask="causal", controls=["goal", "mask"]))
    screen.cell("weights", COINS, RIVER).click()
    pair = {"row": "coins", "column": "river"}
    why = TEXT["why"]["past"].format(**pair)
    told = TEXT["refused"]["hidden_wish"].format(**pair, why=why)
    assert screen.part("message") == told
    assert wished(screen) == []
    screen.cell("weights", RIVER, COINS).click()
    assert screen.part("message") == ""
    assert wished(screen) == [(4, 0)]


def test_a_mask_that_hides_a_wish_takes_it_away(page: Page) -> None:
    goal = {"weights": {"bank": "river", "river": "coins"}}
    explorer = explore(SMALL, goal=goal, controls=["mask", "learn"])
    screen = show(page, explorer)
    screen.control("mask").select_option("causal")
    assert rested(page, explorer).goal == {"weights": {"river": "coins"}}
    assert explorer.losses == pytest.approx([loss_on(screen)])
    screen.root.press("Control+z")
    assert rested(page, explorer).goal == goal


# ---- learning ----


@pytest.mark.parametrize(
    ("goal", "rows"), [(RIVERSIDE, {"weights": {2: 4}}), (WET, {"context": {2: 0}})]
)
@pytest.mark.parametrize("train", [["W_query", "W_key"], ["W_value", "embeddings"]])
def test_a_step_is_numpys(page: Page, goal, rows, train) -> None:
    options = {"goal": goal, "train": train, "rate": 0.1, "controls": ["learn"]}
    explorer = explore(SMALL, **options)
    start = matrices(explorer)
    screen = show(page, explorer)
    for _ in range(3):
        screen.action("learn-step").click()
    rested(page, explorer)
    way = descend(*start, goal=rows, train=train, rate=0.1, steps=3)
    for name in ("embeddings", "W_query", "W_key", "W_value"):
        np.testing.assert_allclose(
            getattr(explorer, name), getattr(way, name), rtol=1e-9, atol=1e-12
        )
    assert explorer.losses == pytest.approx(way.losses.tolist(), rel=1e-9)
    assert_numpy(screen, explorer)
    page.keyboard.press("Control+z")
    assert len(losses(screen)) == 3
    from_to = {"from": f"{way.losses[2]:.4f}", "to": f"{way.losses[3]:.4f}"}
    said = TEXT["learning"]["step"].format(n=3, **from_to)
    screen.action("learn-step").click()
    assert screen.part("status") == said
    assert said in screen.part("announcement")


def test_learn_reaches_the_wish_a_step_a_frame(page: Page) -> None:
    """And a run is one message at rest, and one undo."""
    explorer = explore(SMALL, goal=RIVERSIDE, controls=LEARN)
    start = matrices(explorer)
    screen = show(page, explorer)
    page.evaluate(
        """() => {
            window.steps = [];
            const {timeline} = document;  // whose time is that of the frame
            store.listen(() => store.running && steps.push(timeline.currentTime));
        }"""
    )
    until_done(screen)
    assert screen.part("status") == TEXT["learning"]["arrived"].format(
        n=38, arrived=0.001
    )
    assert page.evaluate("rests.length") == 1
    rested(page, explorer)
    way = descend(*start, goal={"weights": {2: RIVER}}, rate=0.5, steps=38)
    assert explorer.losses == pytest.approx(way.losses.tolist(), rel=1e-6)
    assert explorer.losses[-1] < 0.001 <= explorer.losses[-2]
    assert min(screen.number("weights", *at) for at in wished(screen)) > 0.99
    times = page.evaluate("steps")
    assert len(times) >= 38
    assert min(np.diff(times[:38])) > 0  # each in a frame of its own
    page.keyboard.press("Control+z")
    assert rested(page, explorer).W_query == start[1]
    assert explorer.losses == pytest.approx([way.losses[0]])
    page.emulate_media(reduced_motion="reduce")
    screen.action("learn").click()
    assert len(losses(screen)) == 39
    screen.action("reset").click()
    assert matrices(rested(page, explorer)) == start
    assert loss_on(screen) == pytest.approx(way.losses[0], rel=1e-9)


@pytest.mark.parametrize(("rate", "step"), [("2", 14), ("5", 7)])
def test_a_rate_that_is_too_large_is_said_in_words(page: Page, rate, step) -> None:
    Wq, Wk = np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2)).round(2)
    explorer = explore(with_matrices(Wq, Wk), goal=FIVE, controls=LEARN)
    screen = show(page, explorer)
    screen.control("rate").select_option(rate)
    inputs = matrices(explorer)
    way = descend(*inputs, goal=FIVE_ROWS, rate=float(rate), steps=100)
    until_done(screen)
    assert way.ran_away == len(losses(screen))
    said = TEXT["learning"]["ran_away"].format(n=way.ran_away, rate=rate)
    assert screen.part("status") == said
    status = screen.root.locator("[data-part=status]")
    assert status.evaluate("e => e.scrollHeight <= e.clientHeight"), "it is cut off"
    assert abs(way.ran_away - step) <= 2
    assert rested(page, explorer).rate == float(rate)
    assert explorer.losses == pytest.approx(way.losses.tolist(), rel=1e-3)
    values = [x for cells in screen.numbers().values() for x in cells.values()]
    assert not np.isnan(values).any()
    curve = screen.root.locator("[data-part=loss]")
    assert curve.locator(".off").count() > 0
    points = curve.locator("polyline").get_attribute("points").split()
    assert len(points) == way.ran_away
    ys = [float(point.split(",")[1]) for point in points]
    assert 0 < min(ys) < 6  # at the upper edge, not beyond
    assert ys[0] > 15  # the first ones keep their scale
    screen.action("learn").click()
    expect(status).to_have_text(TEXT["learning"]["ran_away"].format(n=1, rate=rate))


def test_a_step_that_goes_too_far_says_so(page: Page) -> None:
    screen = show(page, explore(SMALL, goal=FIVE, rate=2, controls=["learn"]))
    said = []
    for _ in range(5):
        screen.action("learn-step").click()
        rose = like(TEXT["learning"]["rose"], rate=2)
        said.append(rose.fullmatch(screen.part("status")) is not None)
    assert said == (np.diff(losses(screen)) > 0).tolist()
    assert any(said)
    screen.drag("embeddings", 0, 0, 9)  # of which that is no more true
    assert screen.part("status") == TEXT["learning"]["way"].format(n=6)


@pytest.mark.parametrize("how", ["pause", "keys", "drag", "step", "undo", "reset"])
def test_a_hand_that_comes_ends_the_run(page: Page, how: str) -> None:
    """What it does comes after the run, as a gesture of its own."""
    options = {"goal": FIVE, "rate": 0.1, "controls": LEARN, "edit": ["W_query"]}
    explorer = explore(SMALL, **options)
    start = matrices(explorer)
    screen = show(page, explorer)
    screen.action("learn").click()
    page.wait_for_function("store.state.losses.length > 2")
    if how == "pause":
        screen.action("pause").click()
    elif how == "keys":
        screen.slider("W_query", 0, 0).press("ArrowRight")
    elif how == "drag":
        screen.drag("W_query", 0, 0, 10)
    elif how == "step":
        screen.action("learn-step").click()
    elif how == "undo":
        screen.slider("W_query", 0, 0).press("Control+z")
    else:
        screen.action("reset").click()
    assert page.evaluate("store.running") is False
    page.wait_for_function("!store.hand")
    expect(screen.action("learn")).to_have_count(1)
    seen = losses(screen)
    page.wait_for_timeout(100)
    assert losses(screen) == seen
    if how in ("undo", "reset"):
        assert matrices(rested(page, explorer)) == start
        return
    assert len(rested(page, explorer).losses) == len(seen)
    assert explorer.losses[-1] == pytest.approx(loss_on(screen))
    screen.root.press("Control+z")
    if how != "pause":
        assert matrices(rested(page, explorer))[1] != start[1]
        screen.root.press("Control+z")
    assert matrices(rested(page, explorer)) == start


def test_an_explorer_that_is_removed_stops_learning(page: Page) -> None:
    screen = show(page, explore(SMALL, goal=FIVE, rate=0.1, controls=["learn"]))
    screen.action("learn").click()
    page.wait_for_function("store.state.losses.length > 3")
    page.evaluate("unmount()")
    seen = losses(screen)
    page.wait_for_timeout(100)
    assert losses(screen) == seen
    assert page.evaluate("[store.running, store.hand]") == [False, False]
    screen = show(page, explore(SMALL, goal=FIVE, rate=0.1, controls=["learn"]))
    at_once = "document.querySelector('[data-action=learn]').click(); unmount()"
    page.evaluate(f"() => {{ {at_once} }}")
    page.wait_for_timeout(100)
    assert len(losses(screen)) == 1


def test_who_wants_no_motion_sees_the_end_at_once(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    screen = show(page, explore(SMALL, goal=FIVE, controls=["learn"]))
    page.evaluate("window.paints = 0; store.listen(() => paints++)")
    screen.action("learn").click()
    assert len(losses(screen)) == 220
    assert page.evaluate("paints") < 5
    assert screen.part("status") == TEXT["learning"]["arrived"].format(
        n=219, arrived=0.001
    )


def test_a_run_without_gain_ends(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    nothing = with_matrices(np.zeros((4, 2)), np.zeros((4, 2)))
    screen = show(page, explore(nothing, goal=RIVERSIDE, controls=["learn"]))
    screen.action("learn").click()
    assert losses(screen) == pytest.approx([np.log(5)] * 51)
    assert screen.part("status") == TEXT["learning"]["level"].format(n=50, patience=50)
    twins = explore(SMALL, goal={"weights": {"bank": "on"}}, controls=["learn"])
    screen = show(page, twins)
    screen.action("learn").click()
    assert loss_on(screen) == pytest.approx(np.log(2), abs=1e-3)


def test_a_long_way_ends_after_500_steps_and_goes_on(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    screen = show(page, explore(SMALL, goal=FIVE, rate=0.05, controls=["learn"]))
    for steps in (500, 1000):
        screen.action("learn").click()
        assert len(losses(screen)) == steps + 1
        assert screen.part("status") == TEXT["learning"]["enough"].format(n=500)
    assert min(np.diff(losses(screen))) < 0 < loss_on(screen) < 0.1


def test_tied_keys_learn_as_one_matrix(page: Page) -> None:
    explorer = explore("bank", goal=RIVERSIDE, controls=["tie", "learn"], rate=0.1)
    screen = show(page, explorer)
    screen.control("tie").check()
    screen.action("learn-step").click()
    rested(page, explorer)
    W = np.array(BANK.W_query)
    slopes = gradients(BANK.embeddings, W, W, BANK.W_value, goal={"weights": {2: 4}})
    expected = W - 0.1 * (slopes.W_query + slopes.W_key)
    np.testing.assert_allclose(explorer.W_query, expected, rtol=1e-9)
    assert explorer.W_key == explorer.W_query


# ---- for everybody, on one screen ----

SCREENS = {
    "hand": lambda: explore(
        ERASED, query="bank", edit=["W_query"], goal=RIVERSIDE, slopes=True
    ),
    "five": lambda: explore(
        SMALL, edit=["W_query", "W_key"], goal=FIVE, slopes=True, controls=LEARN
    ),
    "no goal yet": lambda: explore(SMALL, edit=["W_query", "W_key"], controls=LEARN),
    "context": lambda: explore(SMALL, query="bank", goal=WET, controls=LEARN),
    "embeddings": lambda: explore(
        BANK.without_matrices(), goal=RIVERSIDE, slopes=True, controls=LEARN
    ),
}
PLACES = """root => [root.offsetHeight, ...[...root.querySelectorAll(
    '[data-stage], [data-part=loss], .foot, button')].map(part => {
        const {left, top} = part.getBoundingClientRect();
        const name = part.dataset.stage ?? part.dataset.action;
        return [name, Math.round(left), Math.round(top)];
    })]"""


@pytest.mark.parametrize("name", SCREENS)
def test_it_fits_on_one_screen_and_nothing_jumps(page: Page, name: str) -> None:
    page.set_viewport_size({"width": 864, "height": 800})
    screen = show(page, SCREENS[name]())
    before = screen.root.evaluate(PLACES)
    assert screen.root.evaluate("e => e.offsetWidth") == 848
    assert before[0] <= (620 if name in ("hand", "context", "embeddings") else 640)
    if name == "hand":
        screen.drag("W_query", 2, 0, 12)
    elif name == "no goal yet":
        screen.cell("weights", 2, 4).click()
    else:
        screen.action("learn").click()
        page.wait_for_function("store.state.losses.length > 5")
        running = screen.root.evaluate(PLACES)
        assert [at[1:] for at in running[1:]] == [at[1:] for at in before[1:]]
        screen.action("pause").click()
        screen.action("learn").wait_for()
    assert screen.root.evaluate(PLACES) == before


@pytest.mark.parametrize(("theme", "name"), [("light", "five"), ("dark", "hand")])
def test_it_is_for_everybody(page: Page, theme: str, name: str) -> None:
    screen = show(page, SCREENS[name](), theme)
    screen.cell("W_query", 2, 0).click()
    assert violations(page) == []
    assert min(contrasts(screen).values()) >= 4.5
    heard = screen.slider("W_query", 2, 0).get_attribute("aria-valuetext")
    slope = slopes_on(screen, "W_query")[2, 0]
    numbers = {"x": f"{screen.number('W_query', 2, 0):.4g}", "slope": f"{slope:.2f}"}
    assert heard == TEXT["slopes"]["heard"].format(**numbers).replace("-", "−")
    curve = screen.root.locator("[data-part=loss] svg")
    described = like(TEXT["learning"]["described"])
    label = described.fullmatch(curve.get_attribute("aria-label"))
    assert label["first"].startswith("1.6")


def test_an_unanswered_question_hides_loss_and_slopes(page: Page) -> None:
    options = {"edit": ["W_query"], "slopes": True, "controls": ["learn"]}
    explorer = explore(
        ERASED, query="bank", goal=RIVERSIDE, predict="steepest", **options
    )
    screen = show(page, explorer)
    assert screen.root.locator("[data-part=loss], [data-slope]").count() == 0
    assert screen.action("learn").is_disabled()
    screen.root.locator("[data-choice=wet]").check()
    screen.action("commit").click()
    assert loss_on(screen) == pytest.approx(np.log(5))
    assert screen.root.locator("[data-slope]").count() == 8
    verdict = screen.root.locator("[data-part=verdict]")
    expect(verdict).to_have_attribute("data-kind", "wrong")
    result = like(TEXT["answers"]["steepest"], words="place")
    assert result.search(verdict.inner_text())


def test_what_python_changes_begins_the_curve_anew(page: Page) -> None:
    screen = show(page, explore(SMALL, goal=RIVERSIDE, controls=["learn"]))
    screen.action("learn-step").click()
    assert len(losses(screen)) == 2
    matrix = [[1, 0], [0, 1], [0, 0], [0, 0]]
    page.evaluate("W_query => store.receive({W_query})", matrix)
    assert losses(screen) == [loss_on(screen)]


def test_losses_that_come_along_are_shown(page: Page) -> None:
    way = descend(*matrices(explore(SMALL)), goal={"weights": {2: 4}}, rate=1, steps=4)
    given = {"goal": RIVERSIDE, "losses": way.losses}
    explorer = explore(with_matrices(way.W_query, way.W_key), **given)
    screen = show(page, explorer)
    assert losses(screen) == way.losses.tolist()
    assert screen.root.locator("[data-part=loss] circle").count() == 5
    assert like(TEXT["learning"]["described"], n=4).search(repr(explorer))
