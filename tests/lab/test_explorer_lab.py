"""The explorer in a real JupyterLab, with a real mouse and real keys."""

import pytest
from drive import (
    LONGEST_TASK,
    STAGES,
    OnScreen,
    assert_kernel,
    assert_same,
    contrasts,
    explorers,
    on_bench,
    opened,
    states_seen,
    violations,
    wait_until,
)
from lab import Lab, Wire
from playwright.sync_api import Page, expect
from words import TEXT, share_of

IMPORT = "from attention_helpers import examples, explore"
SHOW = "explorer = explore({})\nexplorer"
AFTER = "explorer.attention.weights.round(2)"
ONE_WORD = "examples['bank'].without_matrices(), query='bank'"
ALL_KINDS = """'bank', query='bank', predict='largest_weight', step=9,
edit=['embeddings', 'W_query'], controls=['mask', 'dropout', 'tie']"""

CELLS = """() => [...jupyterapp.shell.currentWidget.context.model.cells]
    .map(cell => [cell.id, cell.type, cell.sharedModel.getSource()])"""


def cells_of(page: Page) -> list:
    return page.evaluate(CELLS)


# ---- the main job ----


def test_a_learner_moves_one_word(lab: Lab, page: Page) -> None:
    code = SHOW.format(f"{ONE_WORD}, controls=['query', 'normalise']")
    screen = on_bench(lab, page, IMPORT, code, AFTER)
    assert_kernel(lab, screen)
    seen = screen.drag("embeddings", 2, 0, 5, 12, -3, 0, 900, 0, 8)
    assert seen == [1.5, 2.2, 0.7, 1.0, 3.0, 1.0, 1.8]
    assert_kernel(lab, screen)
    slider = screen.slider("embeddings", 2, 0)
    for key in ["ArrowRight", "ArrowUp", "Shift+ArrowLeft", "PageUp", "ArrowDown"]:
        slider.press(key)
    assert screen.number("embeddings", 2, 0) == 1.9
    assert_kernel(lab, screen)
    slider.press("End")
    screen.slider("embeddings", 0, 0).press("Home")
    assert_kernel(lab, screen)
    screen.type("embeddings", 4, 1, "0,5")
    screen.type("embeddings", 4, 2, "-1")
    assert_kernel(lab, screen)
    screen.type("embeddings", 4, 3, "2e6")
    told = TEXT["refused"]["too_large"].format(said="2e6")
    assert screen.part("message") == told
    page.keyboard.press("Escape")
    assert_kernel(lab, screen)
    screen.control("query").select_option(label="river")
    assert_kernel(lab, screen)
    assert lab.python(page, "explorer.query") == 4
    screen.control("normalise").select_option("sum")
    assert_kernel(lab, screen)
    slider.press("Control+z")
    slider.press("Control+z")
    slider.press("Control+z")
    assert screen.number("embeddings", 4, 2) == 1
    assert_kernel(lab, screen)
    with screen.held(screen.root.locator("[data-handle]").nth(2)) as hand:
        hand.to(-100)
        hand.to(-150)
    assert_kernel(lab, screen)
    screen.root.locator("[data-handle]").nth(2).dblclick()
    screen.cell("weights", 2, 0).click()
    assert share_of("bank", "coins").fullmatch(screen.part("explanation"))
    assert screen.root.locator("td.one").count() == 1
    assert screen.root.locator("td.two").count() == 5
    screen.action("reset").click()
    assert_kernel(lab, screen)
    assert lab.python(page, "explorer.changes == {}")


def test_every_stage_is_numpys_after_a_drag(lab: Lab, page: Page) -> None:
    code = SHOW.format("'journey', edit=['W_query', 'embeddings'], mask='causal'")
    screen = on_bench(lab, page, IMPORT, code)
    assert screen.drag("W_query", 0, 0, -20, 0) == [0.096111941, 0.296111941]
    screen.drag("W_query", 0, 0, -33)
    screen.drag("embeddings", 5, 1, -70)
    assert_kernel(lab, screen)
    screen.cell("queries", 1, 1).click()  # too high for a screen: the last line sticks
    screen.drag("W_query", 1, 1, 10)
    for part in ("[data-stage=W_query]", "[data-part=last]"):
        box = screen.root.locator(part).bounding_box()  # on one screen
        assert box["y"] > 0
        assert box["y"] + box["height"] < 800


# ---- keys ----

KINDS = """root => {
    const kind = ({dataset: {action, control, choice}, tagName, type}) =>
        action ?? control ?? (choice ? 'choice' : tagName + type);
    const all = [...root.querySelectorAll('input, select, button, [tabindex]')]
        .filter(e => !e.disabled && e.checkVisibility({visibilityProperty: true}));
    return [...new Map(all.map(e => [kind(e), e.dataset.key])).values()];
}"""
COUNT_SAVES = """() => {
    window.saves = 0;
    jupyterapp.commands.commandExecuted.connect((_, {id}) => {
        if (id === 'docmanager:save') saves += 1;
    });
}"""
LETTERS = "xddabmyczr0"


def test_letters_leave_the_notebook_alone_and_control_s_saves(
    lab: Lab, page: Page
) -> None:
    screen = on_bench(lab, page, IMPORT, SHOW.format(ALL_KINDS), AFTER)
    page.evaluate(COUNT_SAVES)
    before = cells_of(page)
    kinds = screen.root.evaluate(KINDS)
    assert {key.split("-")[0] for key in kinds} >= {"choice", "action", "control"}
    press_letters_and_save(screen, kinds)
    screen.action("skip").click()
    screen.drag("W_query", 0, 0, -2)
    screen.cell("weights", 2, 1).click()
    kinds = screen.root.evaluate(KINDS)
    assert {"verdict", "control-tie", "control-dropout"} < set(kinds)
    assert any(key.startswith("reset-") for key in kinds)
    assert any(key.startswith("context-") for key in kinds)
    press_letters_and_save(screen, kinds)
    screen.slider("embeddings", 0, 0).press("Enter")
    press_letters_and_save(screen, ["embeddings-0-0-typing"])
    page.keyboard.press("Escape")
    assert cells_of(page) == before


def press_letters_and_save(screen: OnScreen, kinds: list[str]) -> None:
    """Try keys on each of these elements: one save each, and nothing else happens."""
    page = screen.page
    before = cells_of(page)
    for key in kinds:
        at = screen.root.locator(f'[data-key="{key}"]')
        at.focus()
        for letter in LETTERS:
            page.keyboard.press(letter)
        at.focus()
        page.keyboard.press("Control+z")
        page.keyboard.press("Control+x")
        assert cells_of(page) == before, key
        at.focus()
        page.keyboard.press("Control+s")
        assert page.evaluate("saves") == 1, key
        page.evaluate("saves = 0")


COUNTS = """() => [...jupyterapp.shell.currentWidget.context.model.cells]
    .filter(cell => cell.type === 'code').map(cell => cell.executionCount)"""


def test_escape_and_shift_enter_go_to_the_notebook(lab: Lab, page: Page) -> None:
    screen = on_bench(lab, page, IMPORT, SHOW.format(ONE_WORD), AFTER)
    for target in [
        screen.slider("embeddings", 1, 1),
        screen.cell("weights", 2, 1),
        screen.action("large"),
    ]:
        before = cells_of(page)
        target.focus()
        page.keyboard.press("Escape")
        page.keyboard.press("b")  # JupyterLab's own: insert a cell below
        page.wait_for_function(f"({CELLS})().length === {len(before) + 1}")
        page.wait_for_function(
            "document.activeElement.closest('.jp-Cell.jp-mod-active')"
        )
        page.keyboard.press("d")
        page.keyboard.press("d")
        page.wait_for_function(f"({CELLS})().length === {len(before)}")
        assert cells_of(page) == before
    screen.cell("scores", 2, 2).click()
    screen.slider("embeddings", 2, 2).press("ArrowRight")
    counts = page.evaluate(COUNTS)
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"({COUNTS})()[1] === {max(counts) + 1}")
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(f"({COUNTS})()[2] === {max(counts) + 2}")
    assert_kernel(lab, explorers(page))


# ---- alive ----


FETCH = """async () => {
    const start = performance.now();
    await fetch('/api');
    return performance.now() - start;
}"""


def test_far_from_the_kernel_every_move_is_a_state(
    lab: Lab, wire: Wire, page: Page
) -> None:
    screen = opened(lab, page, IMPORT, SHOW.format("'journey'"), base=wire.url)
    wire.milliseconds = 150
    assert 150 <= page.evaluate(FETCH) < 1000
    with states_seen(screen, "context") as seen:
        for way in (1, -1, 1):  # the echo of a drag comes during the next
            with screen.held(screen.cell("embeddings", 2, 1)) as hand:
                for k in range(1, 25):
                    hand.to(-k * way)
                    page.wait_for_timeout(10)
    one_way = len(set(seen()[:24]))
    assert one_way >= 20
    assert len(seen()) == 3 * one_way  # no number jumps back
    wait_until(lambda: lab.python(page, "explorer.embeddings[2][1]") == 0.61)
    assert_kernel(lab, screen)


def test_run_twice_and_run_again_after_a_restart(lab: Lab, page: Page) -> None:
    screen = on_bench(lab, page, IMPORT, SHOW.format(ONE_WORD), AFTER)
    screen.drag("embeddings", 0, 0, 5)
    page.evaluate("window.old = document.querySelector('.attention-explorer')")
    lab.run_all(page)
    assert page.evaluate("old.childNodes.length") == 0  # the removed view is empty
    assert page.locator(".attention-explorer").count() == 1
    lab.python(page, "explorer.large = True")
    page.locator(".attention-explorer.large").wait_for()
    assert page.evaluate("old.childNodes.length") == 0
    page.evaluate(
        "jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    page.locator(".kernel-gone").wait_for()
    explorers(page).drag("embeddings", 0, 0, -7)
    lab.run_all(page)
    screen = explorers(page)
    assert not screen.root.locator(".kernel-gone").is_visible()
    screen.drag("embeddings", 0, 0, 7)
    assert screen.number("embeddings", 0, 0) == 0.7
    assert_kernel(lab, screen)


# ---- Python beside the page ----


ATTENTION = f"{{stage: getattr(explorer.attention, stage) for stage in {STAGES}}}"


def test_each_trait_set_from_python_redraws(lab: Lab, page: Page) -> None:
    screen = on_bench(lab, page, IMPORT, SHOW.format("'journey'"))
    stage = "document.querySelectorAll('[data-stage={}] td').length === {}"

    def after(code: str, script: str) -> None:
        attention = lab.python(page, f"{code}\n{ATTENTION}")
        page.wait_for_function(script)
        wait_until(lambda: assert_same(screen, attention) is None)

    row = "document.querySelector('[data-stage=embeddings] td').dataset.value === '{}'"
    after("explorer.embeddings = [[0.25, 0, 0]] * 6", row.format("0.25"))
    after("explorer.query = 2", stage.format("weights", 6))
    after("explorer.query = None", stage.format("weights", 36))
    after("explorer.mask = 'causal'", stage.format("masked_scores", 36))
    after("explorer.divide_by = '1'", stage.format("scaled_scores", 0))
    after("explorer.stages = ['embeddings', 'weights']", stage.format("scores", 0))
    after("explorer.stages = None", stage.format("scores", 36))
    after(
        "explorer.W_value = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]",
        stage.format("W_value", 9),
    )
    after(
        "explorer.edit = ['W_value']",
        "document.querySelectorAll('td input').length === 9",
    )
    after("explorer.step = 1", stage.format("keys", 0))
    after("explorer.step = None", stage.format("keys", 12))
    after(
        "explorer.mask = 'none'; explorer.normalise = 'sum'; explorer.axis = 'columns'",
        "document.querySelector('.formula').closest('.attention-explorer')"
        ".innerText.includes('÷ their sum along each column')",
    )
    after(
        "explorer.controls = ['query', 'multiply']",
        "document.querySelectorAll('[data-control]').length === 2",
    )
    after("explorer.large = True", "document.querySelector('.large') !== null")
    after("explorer.load('the cat sat')", stage.format("embeddings", 12))
    lab.python(page, "explorer.embeddings = explorer.embeddings[:2] + ((9, 9, 9, 9),)")
    page.locator("[data-value='9']").first.wait_for()
    after("explorer.reset()", "document.querySelector('td.changed') === null")
    assert screen.slider("W_value", 0, 0).get_attribute("max") == "1"
    after(
        "explorer.dropout_keep = [[True, False, True]] * 3; explorer.dropout_p = 0.5",
        "document.querySelector('[data-stage=weights] td[data-col=\"1\"]')"
        ".dataset.value === '0'",
    )
    assert_kernel(lab, screen)  # and the page has handed nothing back


WIDGETS = """import ipywidgets
explorer = explore('journey', step=3)
slider = ipywidgets.IntSlider(3, 0, 7)
ipywidgets.jslink((slider, 'value'), (explorer, 'step'))
menu = ipywidgets.Dropdown(options=['none', 'causal'])
ipywidgets.link((menu, 'value'), (explorer, 'mask'))
heard = []
explorer.observe(lambda change: heard.append(change.new[1][1]), 'embeddings')
@ipywidgets.interact(large=False)
def enlarge(large):
    explorer.large = large
ipywidgets.VBox([slider, menu, explorer])"""


def test_ordinary_widgets_drive_it_and_are_driven(lab: Lab, page: Page) -> None:
    screen = on_bench(lab, page, IMPORT, WIDGETS)
    page.locator(".noUi-handle").press("ArrowRight")
    screen.root.locator("[data-stage=scores]").wait_for()
    screen.action("back").click()
    page.wait_for_function(
        "document.querySelector('.widget-readout').innerText === '3'"
    )
    page.locator(".widget-dropdown select").select_option("causal")
    page.get_by_label("large").check()
    page.locator(".attention-explorer.large").wait_for()
    assert lab.python(page, "[explorer.mask, explorer.large]") == ["causal", True]
    lab.python(page, "explorer.mask = 'none'")
    page.wait_for_function(
        "document.querySelector('.widget-dropdown select').value === 'none'"
    )
    assert_kernel(lab, screen)  # drawn without the mask, before a hand is on it
    screen.drag("embeddings", 1, 1, -10)
    screen.drag("embeddings", 1, 1, 3)
    wait_until(lambda: lab.python(page, "len(heard)") == 2)
    assert lab.python(page, "heard") == [0.77, 0.8]


FLOOD = """for k in range(400):
    first = (k / 1_000, *explorer.embeddings[0][1:])
    explorer.embeddings = (first, *explorer.embeddings[1:])"""


def test_hundreds_of_updates_from_python_do_not_freeze(lab: Lab, page: Page) -> None:
    screen = on_bench(lab, page, IMPORT, SHOW.format("'journey'"))
    page.evaluate(LONGEST_TASK)
    lab.python(page, FLOOD)
    wait_until(lambda: screen.number("embeddings", 0, 0) != 0.43)
    lab.python(page, "explorer.reset()")
    wait_until(lambda: screen.number("embeddings", 0, 0) == 0.43)
    assert page.evaluate("longest") < 1000
    screen.drag("embeddings", 0, 0, 9)
    assert_kernel(lab, screen)


# ---- themes and narrow screens ----

THEME = "jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab %s'})"


def test_it_follows_jupyterlabs_theme(lab: Lab, page: Page) -> None:
    screen = on_bench(lab, page, IMPORT, SHOW.format("'bank', mask='causal'"))
    screen.cell("weights", 2, 1).click()
    readings = {}
    for theme in ["Light", "Dark", "Light"]:
        page.evaluate(THEME % theme)
        page.wait_for_function(
            "light => document.body.dataset.jpThemeLight === light",
            arg=str(theme == "Light").lower(),
        )
        page.wait_for_timeout(300)
        readings[theme] = contrasts(screen)
        assert min(readings[theme].values()) >= 4.5
        if theme == "Dark":  # the light page is looked at without a notebook
            assert violations(page, ".attention-explorer") == []
    assert readings["Light"] != readings["Dark"]


@pytest.mark.parametrize("options", ["'bank', mask='causal'", "'journey', query=1"])
def test_it_fits_a_narrow_jupyterlab(lab: Lab, page: Page, options: str) -> None:
    screen = on_bench(lab, page, IMPORT, SHOW.format(f"{options}, controls=['mask']"))
    page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")
    page.set_viewport_size({"width": 400, "height": 800})
    screen.cell("context", 1, 0).click()
    page.wait_for_timeout(300)
    assert screen.root.evaluate(
        """root => {
            const inner = root.getBoundingClientRect();
            const out = [...root.querySelectorAll('*')].filter(e => {
                const box = e.getBoundingClientRect();
                return box.width && box.right > inner.right + 0.5
                    && !e.closest('.only-heard, svg');
            });
            return [inner.right <= 400, root.scrollWidth <= root.clientWidth,
                    out.slice(0, 2).map(e => e.outerHTML)];
        }"""
    ) == [True, True, []]


# ---- without a kernel ----


def test_a_question_is_asked_again_from_python(lab: Lab, page: Page) -> None:
    asking = f"{ONE_WORD}, predict='largest_weight'"
    screen = on_bench(lab, page, IMPORT, SHOW.format(asking))
    screen.root.locator("[data-choice=river]").check()
    screen.action("commit").click()
    verdict = screen.part("verdict")
    wait_until(lambda: lab.python(page, "explorer.predicted") == "river")
    screen.drag("embeddings", 4, 0, -60)
    assert screen.part("verdict") == verdict
    lab.python(page, "explorer.predicted = None")
    page.locator("[data-locked=true]").wait_for()
    assert set(screen.numbers()) == {"embeddings"}
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    screen.root.locator("legend").click()  # anywhere in the question
    page.keyboard.press("x")
    page.keyboard.press("s")
    page.locator("[data-locked=false]").wait_for()
    assert screen.part("verdict") != verdict
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells
    lab.python(page, "explorer.predicted, explorer.predict = None, 'zero_scores_hide'")
    page.locator("[data-choice=false]").check()
    lab.kill_kernel(page)
    screen.action("commit").click()
    verdict = screen.root.locator("[data-part=verdict]")
    expect(verdict).to_have_attribute("data-said", "false")
    expect(verdict).to_have_attribute("data-kind", "right")


# ---- several views: JupyterLab stumbles when their notebook is closed ----


OUTPUT_VIEW = ".jp-LinkedOutputView .attention-explorer"


def test_views_of_one_explorer_stay_in_step(lab: Lab, page: Page) -> None:
    code = SHOW.format(f"{ONE_WORD}, controls=['query']")
    one = opened(lab, page, IMPORT, code, "explorer")
    two = explorers(page, 1)
    one.drag("embeddings", 1, 1, 14)
    assert one.numbers() == two.numbers()
    two.control("query").select_option(label="river")
    assert one.numbers() == two.numbers()
    two.cell("embeddings", 1, 1).click()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert one.number("embeddings", 1, 1) == two.number("embeddings", 1, 1) == 0
    two.cell("scores", 2, 2).click()
    page.evaluate("void jupyterapp.commands.execute('notebook:create-output-view')")
    page.wait_for_function(
        "document.querySelectorAll('.attention-explorer').length > 2"
    )
    new = OnScreen(page.locator(OUTPUT_VIEW))
    new.drag("embeddings", 0, 0, -9)
    assert new.number("embeddings", 0, 0) == -0.9
    assert one.numbers() == two.numbers() == new.numbers()
    page.evaluate(f"window.old = document.querySelector('{OUTPUT_VIEW}')")
    page.locator(".lm-TabBar-tab", has_text="Output View").locator(
        ".lm-TabBar-tabCloseIcon"
    ).click()
    page.wait_for_function("old.childNodes.length === 0")
    one.drag("embeddings", 0, 0, 3)
    assert one.numbers() == two.numbers()
    assert page.evaluate("old.childNodes.length") == 0
    assert_kernel(lab, one)
