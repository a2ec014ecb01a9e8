"""The store: steps and ranges of sliders, and who comes first, hand or kernel."""

import pytest
from states import ask


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
