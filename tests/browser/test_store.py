"""The store: steps and ranges of sliders, and who comes first, hand or kernel."""

import difflib

import pytest
from drive import OnScreen, put, show, state_of
from playwright.sync_api import Page
from states import ask

from attention_helpers import examples, explore


@pytest.mark.parametrize(
    ("base", "k", "step", "expected"),
    [
        (0.1, 2, 0.1, 0.3),
        (0.296111941, 7, 0.01, 0.366111941),
        (-0.5, 3, 0.1, -0.2),
        (1e-7, 1, 0.01, 0.0100001),
        (1e-150, 0, 0.01, 1e-150),
        (5.0, -3, 10, -25),
    ],
)
def test_steps_are_exact_decimals(engine_page, base, k, step, expected):
    steps = "(base, k, step) => helpers.stepped(base, k, step)"
    assert ask(engine_page, steps, base, k, step) == expected


def test_a_range_is_the_smallest_round_size_that_holds_the_numbers(engine_page):
    sizes = [digit * 10**power for power in range(6) for digit in (1, 2, 5)]
    numbers = [0, 0.3, *sizes, *(size + 0.01 for size in sizes[:-1])]
    ranges = ask(
        engine_page,
        """numbers => numbers.map(x => {
            const state = helpers.complete({tokens: ['a'], embeddings: [[-x]]});
            return helpers.range(state, 'embeddings');
        })""",
        numbers,
    )
    for x, found in zip(numbers, ranges, strict=True):
        size = min(size for size in sizes if size >= x)
        step = size / 200 if str(size)[0] == "2" else size / 100
        assert found == {"min": -size, "max": size, "step": step}


STORY = """actions => {
    const store = helpers.createStore({tokens: ['a'], embeddings: [[1]]});
    for (const [action, ...given] of actions) store[action](...given);
    return store.state.embeddings[0][0];
}"""


def to(x, **more) -> dict:
    return {"embeddings": [[x]], **more}


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([["change", to(2)], ["receive", to(9)]], 2),
        ([["change", to(2)], ["release"], ["receive", to(9)]], 9),
        ([["edit", to(2)], ["receive", to(9)], ["undo"]], 1),
        ([["edit", to(2)], ["receive", to(9, start=to(9))], ["undo"]], 9),
        ([["edit", to(2)], ["receive", to(9, tokens=["b"])], ["undo"]], 9),
    ],
)
def test_a_hand_comes_before_the_kernel(engine_page, actions, expected):
    assert ask(engine_page, STORY, actions) == expected


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([["edit", to(2)], ["edit", to(3)], ["undo"]], 2),
        ([["edit", to(2)], ["edit", to(3)], ["undo"], ["undo"], ["undo"]], 1),
        ([["change", to(2)], ["change", to(3)], ["release"], ["undo"]], 1),
        ([["edit", to(2)], ["change", to(3)], ["undo"]], 2),  # the hand still holds it
    ],
)
def test_undo_takes_back_whole_gestures(engine_page, actions, expected):
    assert ask(engine_page, STORY, actions) == expected


HEADS = explore("bank", heads=2, goal={"weights": {"bank": "river"}}, query="bank")
MOVED = [[1, 2, 3, 4]] * 5
GESTURES = [  # whatever a hand may change
    {"tokens": [*"abcde"], "embeddings": MOVED, "goal": None},
    *({name: [[k, 2] for k in range(4)]} for name in ("W_query", "W_key", "W_value")),
    {"tied": True},
    *({"query": None}, {"divide_by": "1"}, {"mask": "causal"}),  # which hides the wish
    *({"normalise": "sum"}, {"axis": "columns"}, {"heads": 1}, {"off": [1]}),
    {"dropout_p": 0.5, "dropout_keep": [[True] * 4 + [False]] * 5},
    *({"goal": {"context": {"on": "wet"}}}, {"rate": 2}),
]
EXAMPLE = {"columns": {}, "slider": None, "presets": {}, "example": "another"}
BACK = """(given, patches, back) => patches.map(patch => {
    const store = helpers.createStore(given);
    const first = store.state;
    const differs = () => Object.keys(first).filter(name => name !== 'start' &&
        JSON.stringify(first[name]) !== JSON.stringify(store.state[name]));
    store.edit(patch);
    const changed = differs();
    back === 'undo' ? store.undo() : store.edit(helpers.startOver(store.state));
    return [changed, differs()];
})"""


@pytest.mark.parametrize("back", ["undo", "reset"])
def test_whatever_a_hand_changes_goes_back(engine_page, back):
    patches = GESTURES + [EXAMPLE] * (back == "undo")
    found = ask(engine_page, BACK, state_of(HEADS), patches, back)
    for patch, (changed, left) in zip(patches, found, strict=True):
        assert set(patch) <= set(changed)
        assert left == [], patch


def test_another_loss_begins_its_way_anew(engine_page):
    way = """(given, patches) => patches.map(patch => {
        const store = helpers.createStore(given);
        store.edit({embeddings: given.embeddings.map(row => row.map(x => x / 2))});
        store.edit(patch);
        return store.state.losses.length;
    })"""
    step, same = {"W_key": [[k, 7] for k in range(4)]}, {"query": None}
    others = [{"divide_by": "1"}, {"mask": "zero_scores"}, {"heads": 1}, {"off": [1]}]
    others += [
        {"goal": {"context": {"on": "wet"}}},
        {"tokens": ["at", *HEADS.tokens[1:]]},
    ]
    kept = [[True] * 4 + [False]] * 5
    others += [{"dropout_p": 0.4}, {"dropout_keep": [row[::-1] for row in kept]}]
    given = state_of(HEADS) | {"dropout_p": 0.5, "dropout_keep": kept}
    found = ask(engine_page, way, given, [step, same, *others])
    assert found == [3, 2, *[1] * len(others)]


@pytest.mark.parametrize("patch", [{"goal": None}, {"mask": "causal"}])
def test_with_the_wish_goes_the_question_that_needs_it(engine_page, patch):
    edit = """(given, patch) => {
        const store = helpers.createStore(given);
        const asked = store.state.predict;
        store.edit(patch);
        return [asked, store.state.goal, store.state.predict];
    }"""
    goal = {"weights": {"bank": "river"}}
    explorer = explore("bank", edit=["W_query"], goal=goal, predict="steepest")
    found = ask(engine_page, edit, state_of(explorer), patch)
    assert found == ["steepest", None, None]
    with explorer.hold_trait_notifications():  # Python takes what the page hands over
        explorer.set_trait("goal", None)
        explorer.set_trait("predict", None)


def test_python_may_untie_what_a_hand_has_tied(engine_page):
    receive = """(given, news) => {
        const store = helpers.createStore(given);
        store.edit({tied: true});
        store.receive(news);
        return [store.state.tied, store.state.W_key];
    }"""
    state, other = state_of(HEADS), [[k, 7] for k in range(4)]
    assert ask(engine_page, receive, state, {"W_key": other}) == [False, other]
    both = {"W_query": other, "W_key": other}
    assert ask(engine_page, receive, state, both) == [True, other]


def test_a_hand_that_comes_back_at_once_makes_one_gesture(engine_page):
    grasp = """given => {
        const {setTimeout: later, clearTimeout: never} = window;
        const timers = new Map();
        window.setTimeout = act => timers.set(timers.size + 1, act).size;
        window.clearTimeout = timer => timers.delete(timer);
        try {
            const store = helpers.createStore(given);
            store.change({rate: 1});
            store.releaseSoon();
            store.grasp();
            for (const act of timers.values()) act();
            const held = store.hand;
            store.releaseSoon();
            for (const act of timers.values()) act();
            return [held, store.hand];
        } finally {
            Object.assign(window, {setTimeout: later, clearTimeout: never});
        }
    }"""
    assert ask(engine_page, grasp, state_of(HEADS)) == [True, False]


def test_the_word_that_python_has_changed_is_the_one_in_sight(page):
    screen = show(page, explore("bank"))
    rows = [list(row) for row in screen.page.evaluate("store.state.embeddings")]
    rows[3][0] = 2.5
    page.evaluate("embeddings => store.receive({embeddings})", rows)
    assert screen.root.locator("[data-part=last]").get_attribute("data-row") == "3"


# What Python sets while the page is there: options besides, and the one that changes.
STILL = {"query": "bank", "stages": ["embeddings"]}  # nothing to hide or to reveal
GOAL = {"goal": {"weights": {"bank": "river"}}, "query": "bank"}
SET = {
    "tokens": ({}, {"tokens": ["a", "b"], "embeddings": [[1, 2, 0, 0]] * 2}),
    "W_query": (
        {"edit": ["W_query"]},
        {"W_query": [[7, 0, 1]] * 4, "W_key": [[1, 2, 3]] * 4},
    ),
    "stages": ({}, {"stages": ["scores"]}),
    "edit": ({}, {"edit": ["W_key", "W_value"]}),
    "query": ({}, {"query": 2}),
    "controls": ({}, {"controls": ["multiply"]}),
    "divide_by": ({"controls": ["divide_by"]}, {"divide_by": "sqrt_d_in"}),
    "mask": ({"controls": ["axis", "mask"]}, {"mask": "causal"}),
    "normalise": ({"controls": ["mask"]}, {"normalise": "sum"}),
    "axis": ({"controls": ["mask"]}, {"axis": "columns"}),
    "dropout_p": (
        {"controls": ["dropout"]},
        {"dropout_p": 0.5, "dropout_keep": [[True, False] * 2 + [True]] * 5},
    ),
    "heads": ({"query": "bank"}, {"heads": 2}),
    "off": ({"heads": 2}, {"off": [0]}),
    "predict": (STILL, {"predict": "largest_weight"}),
    "predicted": (STILL | {"predict": "largest_weight"}, {"predicted": "river"}),
    "step": (STILL, {"step": 1}),
    "large": ({}, {"large": True}),
    "goal": ({}, GOAL | {"query": 2}),
    "rate": (GOAL | {"controls": ["rate"]}, {"rate": 2}),
    "slopes": (GOAL | {"edit": ["W_key"]}, {"slopes": True}),
    "columns": ({}, {"columns": {"embeddings": [*"abcd"], "W_value": [*"ef"]}}),
    "slider": ({}, {"slider": {"min": -9, "max": 9, "step": 0.5}}),
    "presets": ({"controls": ["preset"]}, {"presets": {}}),
    "example": ({"controls": ["example"]}, {"example": examples["robot"].name}),
}
WRITTEN = """root => {
    const controls = [...root.querySelectorAll('input, select')];
    const copy = root.cloneNode(true);
    const later = '.lights, [data-part=summary], [data-part=announcement]';
    for (const part of copy.querySelectorAll(later)) part.remove();
    const html = copy.innerHTML.replaceAll(/0[.]\\d{9,}| style="--shade: 0%;"/g, '');
    return [...html.split('><'), ...controls.map(one => one.value)];
}"""


@pytest.mark.parametrize("option", SET)
def test_what_python_sets_shows_as_on_a_page_that_begins_with_it(
    page: Page, option: str
) -> None:
    others, patch = SET[option]
    screen = show(page, explore("bank", **others))
    before = screen.root.evaluate(WRITTEN)
    page.evaluate("patch => store.receive(patch)", patch)
    after = screen.root.evaluate(WRITTEN)
    state = page.evaluate("store.state")
    anew = OnScreen(put(page, "explorer", state, "light")).root.evaluate(WRITTEN)
    assert before != after
    assert list(difflib.unified_diff(anew, after)) == []
