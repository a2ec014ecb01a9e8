"""The engine in the browser against NumPy: stages, sources, lights, names, time."""

import base64
import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from states import (
    COMBINATIONS,
    NUMBERS,
    SHARES,
    TAME,
    as_explorer,
    ask,
    in_batches,
    plain_state,
    random_heads,
    random_states,
)

from attention_helpers import Explorer, examples, explore
from attention_helpers import explorer as python
from attention_helpers.explorer import curve, twin
from attention_helpers.explorer.links import PAGE_ONLY
from attention_helpers.explorer.traits import SENTENCE

NOT_ALWAYS = {*python.INPUTS, "output"}  # which test_heads.py looks at
COMPUTED = [name for name in python.STAGES if name not in NOT_ALWAYS]
SMALLEST = np.finfo(float).tiny  # below it floats lose digits

RUN_AND_PACK = """(states, names) => {
    const numbers = states.flatMap(state => {
        const S = helpers.compute(state);
        return names.flatMap(name => S[name].flat());
    });
    let text = "";
    for (const byte of new Uint8Array(Float64Array.from(numbers).buffer))
        text += String.fromCharCode(byte);
    return btoa(text);
}"""


def shapes_of(state) -> dict[str, tuple[int, int]]:
    named = {stage: twin.labels(as_explorer(state), stage) for stage in COMPUTED}
    return {stage: (len(rows), len(cols)) for stage, (rows, cols) in named.items()}


def computed(page, states, size=500) -> Iterator[dict[str, np.ndarray]]:
    """Yield every stage of each state, inputs too, as the browser computes them."""
    for first in range(0, len(states), size):
        batch = states[first : first + size]
        packed = ask(page, RUN_AND_PACK, batch, COMPUTED)
        numbers = np.frombuffer(base64.b64decode(packed))
        for state in batch:
            stages = inputs_of(state)
            for name, shape in shapes_of(state).items():
                stages[name] = numbers[: shape[0] * shape[1]].reshape(shape)
                numbers = numbers[shape[0] * shape[1] :]
            yield stages
        assert numbers.size == 0


def inputs_of(state) -> dict[str, np.ndarray]:
    given = {name: state[name] for name in python.INPUTS}
    return {name: np.array(x, float) for name, x in given.items() if x is not None}


# ---- one stage from the stages before it: (the stage by NumPy, the allowed error) ----


def product(left, right):
    return left @ right, 1e-12 * (abs(left) @ abs(right)) + SMALLEST


def projected(W):
    def stage(state, S):
        E = S["embeddings"]
        return product(E, S[W]) if W in S else (E, np.zeros(E.shape))

    return stage


def scaled(state, S):
    sizes = {
        "1": 1,
        "sqrt_d_k": S["queries"].shape[1],
        "sqrt_d_in": S["embeddings"].shape[1],
        "sqrt_n_tokens": len(S["embeddings"]),
    }
    result = S["scores"] / np.sqrt(sizes[state["divide_by"]])
    return result, 1e-12 * abs(result) + SMALLEST


def may_look(state) -> np.ndarray:
    """Whom each word may look at, by the style of the mask."""
    return python.MASKS[state["mask"]].seen(len(state["tokens"]))


def masked(state, S):
    mask, result = python.MASKS[state["mask"]], S["scaled_scores"].copy()
    if mask.at == "masked_scores":
        result[~may_look(state)] = mask.fill
    return result, np.zeros(result.shape)


def quotient(part, allowed, axis):
    """Divide by the sum; what cancels in the sum is lost in the quotient."""
    total = part.sum(axis, keepdims=True)
    size = abs(part).sum(axis, keepdims=True)
    undefined = abs(total) <= 1e-12 * size
    with np.errstate(all="ignore"):
        result = np.where(undefined, np.nan, part / total)
        lost = allowed.sum(axis, keepdims=True) + 1e-12 * size
        error = (allowed + abs(result) * lost) / abs(total) + 1e-12 * abs(result)
    return result, error + SMALLEST


def shares(state, S):
    """Attention weights before dropout."""
    scores = S["masked_scores"]
    axis = 1 if state["axis"] == "rows" else 0
    if state["normalise"] == "sum":
        return quotient(scores, np.zeros(scores.shape), axis)
    most = scores.max(axis, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isinf(most), 0, most))
    total = exponentials.sum(axis, keepdims=True)
    result = exponentials / np.where(total == 0, 1, total)  # a mask may leave nothing
    error = 1e-12 * result + SMALLEST
    mask, may = python.MASKS[state["mask"]], may_look(state)
    if mask.at == "weights":
        result, error = np.where(may, result, mask.fill), np.where(may, error, 0)
    if mask.renormalise:
        some = may.any(axis=1, keepdims=True)
        ours, lost = quotient(result, error, axis=1)
        return np.where(some, ours, result), np.where(some, lost, error)
    return result, error


def weights(state, S):
    result, error = shares(state, S)
    if state["dropout_p"] and state["dropout_keep"]:
        left = 1 - state["dropout_p"]
        keep = np.array(state["dropout_keep"])
        return np.where(keep, result / left, 0.0), np.where(keep, error / left, 0.0)
    return result, error


NUMPY = {
    "queries": projected("W_query"),
    "keys": projected("W_key"),
    "values": projected("W_value"),
    "scores": lambda state, S: product(S["queries"], S["keys"].T),
    "scaled_scores": scaled,
    "masked_scores": masked,
    "weights": weights,
    "context": lambda state, S: product(S["weights"], S["values"]),
}


def wrong_stages(state, S) -> list[str]:
    """List the stages that are not what NumPy makes of the stages before them."""
    wrong = []
    for name, stage in NUMPY.items():
        expected, allowed = stage(state, S)
        with np.errstate(invalid="ignore"):
            close = abs(S[name] - expected) <= allowed
        same = (S[name] == expected) | (np.isnan(S[name]) & np.isnan(expected))
        if not (close | same).all():
            wrong.append(name)
    return wrong


def test_every_stage_is_numpys_whatever_the_options(engine_page):
    """Any two options meet; no stage is made of more than two of them."""
    states = list(random_states(2 * len(COMBINATIONS)))
    states += random_states(len(COMBINATIONS) // 2, seed=1, tokens=[12, 20, 32])
    seen = set()
    for state, S in zip(states, computed(engine_page, states), strict=True):
        assert not wrong_stages(state, S), (wrong_stages(state, S), state)
        seen.add(state["kind"])
    assert len(states) > 450
    assert seen == set(NUMBERS)


def test_a_state_is_left_as_it_is(engine_page):
    states = list(random_states(len(COMBINATIONS), seed=14))
    function = """state => {
        const before = JSON.stringify(state);
        helpers.lights(helpers.compute(state), [0]);
        return JSON.stringify(state) === before;
    }"""
    assert all(in_batches(engine_page, function, states))


def attention_of(state) -> dict[str, np.ndarray]:
    result = python.attention_of(as_explorer(state))
    return inputs_of(state) | {name: getattr(result, name) for name in COMPUTED}


def test_the_python_side_keeps_the_same_rules():
    for state in random_states(3 * len(COMBINATIONS), seed=2):
        S = attention_of(state)
        assert not wrong_stages(state, S), (wrong_stages(state, S), state)


@pytest.mark.parametrize("name", examples)
def test_whole_pipelines_of_the_worked_examples(engine_page, name):
    keep = np.random.default_rng(3).random((6, 6)) < 0.6
    explorers = []
    for example in [examples[name], examples[name].without_matrices()]:
        n = len(example.tokens)
        drops = [{}, {"dropout_p": 0.5, "dropout_keep": keep[:n, :n]}]
        options = [*itertools.product(SHARES, python.DIVISORS, drops)]
        some = options[list(examples).index(name) % 9 :: 9]  # no example has them all
        for share, divide_by, drop in some:
            options = dict(zip(["mask", "normalise", "axis"], share, strict=True))
            explorers.append(explore(example, divide_by=divide_by, **options, **drop))
    states = [sent(explorer) for explorer in explorers]
    for explorer, S in zip(explorers, computed(engine_page, states), strict=True):
        for stage in COMPUTED:
            expected = getattr(explorer.attention, stage)
            np.testing.assert_allclose(
                S[stage], expected, rtol=1e-9, atol=1e-12, err_msg=stage
            )


def sent(explorer) -> dict:
    """Return what the front end gets of an explorer."""
    return python.page_state(explorer)


def explorer_of(state, **options):
    """Return an explorer with the state's options, and perhaps some others."""
    given = {name: state[name] for name in python.OPTIONS if name in state}
    return explore("bank", **given | options)


# ---- names and rules that both sides must share ----


def test_stages_divisors_questions_and_what_reset_brings_back_are_the_same(engine_page):
    names = ask(
        engine_page,
        "() => ['STAGES', 'DIVISORS', 'QUESTIONS'].map(t => Object.keys(helpers[t]))",
    )
    assert names[0] == list(python.STAGES)
    assert sorted(names[1]) == sorted(python.DIVISORS)
    assert names[2] == list(python.QUESTIONS)
    brought_back = ask(engine_page, "() => helpers.RESET")
    assert {*brought_back} == {*SENTENCE, *Explorer._choices, *PAGE_ONLY}
    inputs = "() => Object.keys(helpers.STAGES).filter(s => !helpers.STAGES[s].run)"
    assert ask(engine_page, inputs) == list(python.INPUTS)


def test_divisors_divide_by_the_same_sizes(engine_page):
    states = list(random_states(100, seed=4))
    function = "state => helpers.DIVISORS[state.divide_by](helpers.compute(state))"
    divisors = in_batches(engine_page, function, states)
    for state, divisor in zip(states, divisors, strict=True):
        d_k = shapes_of(state)["queries"][1]
        n, d_in = np.shape(state["embeddings"])
        assert divisor == python.DIVISORS[state["divide_by"]](n, d_in, d_k)


def test_a_loss_is_written_alike(engine_page):
    losses = [0, 0.00012, 0.0009999, 0.001, 0.5, 99.99996, 100, 7770.4]
    written = ask(engine_page, "losses => losses.map(helpers.lossText)", losses)
    assert written == [twin.loss_text(loss) for loss in losses]
    assert written[2:4] == ["0.001000", "0.0010"]
    assert written[5:7] == ["100.0000", "100"]


def test_the_scale_of_a_curve_ends_at_the_same_loss(engine_page):
    losses = [0.1, *np.random.default_rng(2).uniform(0.1, 12, 200), 10, 480]
    ends = ask(engine_page, "losses => losses.map(helpers.tidy)", list(losses))
    assert ends == pytest.approx([curve._tidy(loss) for loss in losses])


def test_both_sides_show_the_same_stages_under_the_same_labels(engine_page):
    rng = np.random.default_rng(5)
    states, explorers = [], []
    alone = random_states(len(COMBINATIONS), seed=5)
    for state in itertools.chain(alone, random_heads(60, seed=5)):
        here = [s for s in python.STAGES if state.get(s, "computed") is not None]
        some = [name for name in here if rng.random() < 0.5]
        widths = {name: len(state[name][0]) for name in python.INPUTS if state[name]}
        named = {W: [f"{W} {k}" for k in range(width)] for W, width in widths.items()}
        explorer = explorer_of(
            state,
            stages=[None, [], some][rng.integers(3)],
            controls=list(rng.choice(python.CONTROLS[:5], 2, replace=False)),
            columns={W: named[W] for W in named if rng.random() < 0.5},
        )
        explorers.append(explorer)
        states.append(sent(explorer))
    answers = in_batches(
        engine_page,
        """state => {
            const S = helpers.compute(state);
            const stages = helpers.visibleStages(state);
            return {
                stages, labels: stages.map(name => helpers.labels(S, name)),
                heights: Object.fromEntries(
                    stages.map(name => [name, helpers.rowsOf(S, name).length])),
            };
        }""",
        states,
    )
    for explorer, answer in zip(explorers, answers, strict=True):
        assert tuple(answer["stages"]) == twin.visible(explorer)
        heights = {part.stage: len(part.rows) for part in twin.parts(explorer)}
        assert answer["heights"] == heights
        for stage, labels in zip(answer["stages"], answer["labels"], strict=True):
            rows, columns = twin.labels(explorer, stage)
            assert (labels["rows"], labels["cols"]) == (list(rows), list(columns))


MOUNTED = """state => {
    const root = document.body.appendChild(document.createElement('div'));
    const leave = helpers.mount(root, state);
    const figures = [...root.querySelectorAll('[data-stage]')];
    leave();
    root.remove();
    return figures.map(figure => figure.dataset.stage);
}"""


@pytest.mark.parametrize("stages", [None, ["embeddings", "queries", "weights"]])
def test_steps_and_questions_hide_the_same_stages_as_in_the_twin(engine_page, stages):
    for step in [None, *range(9)]:
        for predict in [None, "most_to_themselves"]:
            options = {"stages": stages, "step": step, "predict": predict}
            explorer = explore("bank", mask="causal", **options)
            shown = ask(engine_page, MOUNTED, sent(explorer))
            assert sorted(shown) == sorted(twin.visible(explorer)), options


def test_no_matrix_is_shown_that_is_not_there(engine_page):
    state = plain_state([[1.0]], stages=["embeddings", "W_query", "scores"])
    shown = ask(engine_page, "state => helpers.visibleStages(state)", state)
    assert shown == ["embeddings", "scores"]


def test_both_sides_hide_the_same_cells(engine_page):
    for mask, stage in itertools.product(python.MASKS, COMPUTED):
        hidden = ask(
            engine_page,
            """(mask, stage) => [0, 1, 2, 3].map(i => [0, 1, 2, 3].map(
                j => helpers.isMasked({mask}, stage, i, j)))""",
            mask,
            stage,
        )
        shown = python.MASKS[mask].visible(stage, 4)
        expected = np.zeros((4, 4), bool) if shown is None else ~shown
        np.testing.assert_array_equal(hidden, expected)


def test_a_hidden_stage_is_lit_where_the_same_numbers_stand(engine_page):
    """As `shownAs` says: the lit matrix holds the numbers of the hidden one."""
    rng = np.random.default_rng(6)
    states = list(random_states(200, seed=6, numbers=TAME))
    for state in states:
        state["stages"] = [s for s in python.STAGES if rng.random() < 0.4] or ["scores"]
    answers = in_batches(
        engine_page,
        """state => {
            const S = helpers.compute(state);
            const visible = helpers.visibleStages(state);
            return Object.keys(helpers.STAGES)
                .map(stage => [stage, helpers.shownAs(S, stage, visible)]);
        }""",
        states,
    )
    elsewhere = 0
    for state, S, answer in zip(
        states, computed(engine_page, states), answers, strict=True
    ):
        for stage, shown in answer:
            assert (shown == stage) == (stage in state["stages"] and stage in S)
            assert not shown or np.array_equal(S[shown], S[stage], equal_nan=True)
            elsewhere += shown not in (None, stage)
    assert elsewhere > 50


HEADINGS = {
    ("scores", "queries shown"): "queries · keysᵀ",
    ("scores", "queries hidden"): "queries · keysᵀ",
    ("scores", "no matrices"): "embeddings · embeddingsᵀ",
    ("context", "queries shown"): "attention weights · values",
    ("context", "queries hidden"): "attention weights · values",
    ("context", "no matrices"): "attention weights · embeddings",
    ("queries", "queries shown"): "embeddings · W_query",
    ("queries", "no matrices"): "the embeddings themselves",
}


@pytest.mark.parametrize(("stage", "case"), HEADINGS)
def test_headings_say_what_was_multiplied(engine_page, stage, case):
    W = None if case == "no matrices" else [[1.0], [2.0]]
    state = plain_state(np.eye(2), W_query=W, W_key=W, W_value=W)
    if case == "queries hidden":
        state["stages"] = ["embeddings", "scores", "weights", "context"]
    heading = """(state, stage) => helpers.STAGES[stage].formula(
        helpers.compute(state), helpers.visibleStages(state))"""
    assert ask(engine_page, heading, state, stage) == HEADINGS[stage, case]


# ---- sources: what `from` names, and only that, moves a cell ----


DIRECT = {
    "queries": ["embeddings", "W_query"],
    "keys": ["embeddings", "W_key"],
    "values": ["embeddings", "W_value"],
    "scores": ["queries", "keys"],
    "scaled_scores": ["scores"],
    "masked_scores": ["scaled_scores"],
    "weights": ["masked_scores"],
    "context": ["weights", "values"],
}


def test_every_stage_is_written_once_more_here():
    assert set(NUMPY) == set(DIRECT) == set(COMPUTED), "a line for the new stage"


def movers(state, S, stage) -> dict[tuple, np.ndarray]:
    """Replace each number before a stage: {where: which cells of the stage change}.

    NumPy computes the stage anew; the engine has no part in it.
    """
    before, _ = NUMPY[stage](state, S)
    moved = {}
    for name in set(DIRECT[stage]) & set(S):
        matrix = S[name]
        for place in np.ndindex(matrix.shape):
            other = matrix.copy()
            other[place] = 0.37 if np.isinf(matrix[place]) else matrix[place] + 0.37
            after, _ = NUMPY[stage](state, S | {name: other})
            with np.errstate(invalid="ignore"):  # minus infinity less itself
                rounded = abs(after - before) <= 1e-13 * abs(before)
            rounded &= np.isfinite(before)
            moved[name, *place] = (after != before) & ~rounded
    return moved


def named(source, S) -> Iterator[tuple]:
    rows, columns = S[source["stage"]].shape
    for i in range(rows) if source["row"] is None else [source["row"]]:
        for j in range(columns) if source["col"] is None else [source["col"]]:
            yield source["stage"], i, j


def cannot_move(state, S, stage, i, j, source) -> bool:
    """Whether a cell stays what it is: hidden, dropped, times 0, cancelled out."""
    name, row, column = source
    mask, may = python.MASKS[state["mask"]], may_look(state)
    if stage == "masked_scores":
        return mask.at == stage and not may[i, j]
    if stage == "context":
        return name == "values" and S["weights"][i, row] == 0
    if stage != "weights":
        return False
    keep = state["dropout_keep"]
    if state["dropout_p"] and keep and not keep[i][j]:
        return True
    alone = may[i].sum() == 1
    if mask.fill == -np.inf:  # exp(-inf) is 0 over any sum; a share alone is 1
        return (not may[i, j] and column != j) or (alone and may[i, column])
    hidden = mask.at == "weights" and not may[i, j]
    cancels = mask.renormalise and (not may[i, column] or alone)
    return hidden or cancels


ALL_SOURCES = """state => {
    const S = helpers.compute(state);
    const {STAGES} = helpers;
    return Object.keys(STAGES).filter(name => STAGES[name].run && S[name])
        .map(name => S[name].map((row, i) => row.map((_, j) =>
            helpers.explain(S, name, i, j).from)));
}"""


def test_the_cells_a_number_comes_from_are_its_sources_and_the_only_ones(engine_page):
    picked = [c for c in COMBINATIONS if c[1] == "sqrt_d_k" and c[3] != "p is 0"]
    states = list(
        random_states(
            len(picked), seed=7, numbers=["positive"], tokens=[3], combinations=picked
        )
    )
    answers = in_batches(engine_page, ALL_SOURCES, states)
    for state, S, answer in zip(
        states, computed(engine_page, states), answers, strict=True
    ):
        for stage, sources in zip(COMPUTED, answer, strict=True):
            moved = movers(state, S, stage)
            for i, j in np.ndindex(S[stage].shape):
                inside = {place for part in sources[i][j] for place in named(part, S)}
                moving = {place for place, cells in moved.items() if cells[i, j]}
                still = {
                    place
                    for place in inside
                    if cannot_move(state, S, stage, i, j, place)
                }
                assert moving == inside - still, (stage, i, j, state)


# ---- the three lights ----

LIGHTS = "(state, rows) => helpers.lights(helpers.compute(state), rows)"
ROWS_SHOWN = """state => helpers.lights(helpers.compute(state),
    state.query === null ? state.tokens.map((_, i) => i) : [state.query])"""


def sees_future(state, rng) -> bool:
    """Whether other numbers in later words move an earlier word's row, by NumPy."""
    before = attention_of(state)
    embeddings = np.array(state["embeddings"])
    for k in range(1, len(embeddings)):
        other = embeddings.copy()
        other[k:] += rng.normal(size=other[k:].shape)
        after = attention_of(state | {"embeddings": other.tolist()})
        for stage in ["weights", "context"]:
            moved = abs(before[stage][:k] - after[stage][:k])
            if (moved > 1e-12 * np.maximum(1, abs(before[stage][:k]))).any():
                return True
    return False


def test_the_lights_are_numpys_for_every_combination(engine_page):
    rng = np.random.default_rng(8)
    states = list(random_states(len(COMBINATIONS), seed=8, numbers=["positive"]))
    on = dict.fromkeys(["rows-sum-to-1", "inside-values", "no-future"], 0)
    answers = in_batches(engine_page, ROWS_SHOWN, states)
    for state, answer in zip(states, answers, strict=True):
        weights = attention_of(state)["weights"]
        if state["query"] is not None:
            weights = weights[[state["query"]]]
        sums = bool((abs(weights.sum(axis=1) - 1) <= 1e-9).all())
        assert answer == {
            "rows-sum-to-1": sums,
            "inside-values": sums and bool((weights >= 0).all()),
            "no-future": not sees_future(state, rng),
        }, state
        for name in on:
            on[name] += answer[name]
    assert all(0 < count < len(states) for count in on.values()), on


def test_shares_below_0_are_outside_the_values_though_they_sum_to_1(engine_page):
    state = plain_state([[1.0, 0.5], [-0.5, 2.0], [0.2, -0.1]], normalise="sum")
    answer = ask(engine_page, LIGHTS, state, [0, 1, 2])
    assert answer["rows-sum-to-1"] is True
    assert answer["inside-values"] is False


def test_a_sum_that_is_nearly_1_is_not_1(engine_page):
    """Word 0 loses exp(-16) of its attention to the mask; exp(-24) is below 1e-9."""
    for size, light in [(16, False), (24, True)]:
        state = plain_state([[size**0.5, 0.0], [0.0, 1.0]], mask="zero_weights")
        answer = ask(engine_page, LIGHTS, state, [0])
        assert answer["rows-sum-to-1"] is light


@pytest.mark.parametrize(
    ("embeddings", "matrices"),
    [
        ([[1.0, 2.0], [0.0, 0.0]], {}),  # a word without a size of its own
        (  # what is added to both numbers of a word cancels
            [[1.0, 0.5], [0.3, 0.2]],
            {
                "W_key": [[1.0], [-1.0]],
                "W_query": [[1.0], [1.0]],
                "W_value": [[1], [-1]],
            },
        ),
    ],
)
def test_a_look_into_the_future_is_seen_whatever_cancels_or_is_0(
    engine_page, embeddings, matrices
):
    state = plain_state(embeddings, **matrices)
    assert ask(engine_page, LIGHTS, state, [0])["no-future"] is False


def test_undefined_shares_turn_every_light_off(engine_page):
    state = plain_state(np.zeros((3, 2)), normalise="sum")
    assert not any(ask(engine_page, LIGHTS, state, [0, 1, 2]).values())


FUTURE = {  # mask: whether an earlier word notices a later one
    "none": True,
    "causal": False,
    "zero_scores": True,  # by the context only: exp(0) is 1
    "zero_weights": True,  # by the sum that later scores went into
    "zero_weights_renormalised": False,
}


@pytest.mark.parametrize("mask", FUTURE)
@pytest.mark.parametrize("name", examples)
def test_the_light_for_no_future_knows_the_traps(engine_page, mask, name):
    state = sent(explore(name, mask=mask))
    light = ask(engine_page, LIGHTS, state, [0])["no-future"]
    assert light is not FUTURE[mask]


@pytest.mark.parametrize("mask", FUTURE)
def test_shares_of_1e_28_that_move_are_seen(engine_page, mask):
    """Every word looks at itself alone, as far as the screen can tell."""
    state = plain_state(8 * np.eye(4), mask=mask)
    light = ask(engine_page, LIGHTS, state, [0])["no-future"]
    assert light is (mask != "none")  # with a mask, float64 holds no trace of them


def test_a_leak_of_4e_11_into_the_context_is_seen(engine_page):
    """Word 0 gives exp(-24) to the zeroed score of word 1."""
    state = plain_state([[24**0.5, 0.0], [0.0, 1.0]], mask="zero_scores")
    assert ask(engine_page, LIGHTS, state, [0])["no-future"] is False


def test_rounding_where_values_cancel_is_no_look_into_the_future(engine_page):
    """The context of word 1 is 0, but for the last digit of 100,000."""
    rng = np.random.default_rng(10)
    one, two = [[1.0], [0.0]], [[0.0], [1.0]]  # scores from the one, values the other
    states = []
    for _ in range(20):
        embeddings = rng.uniform(-1, 1, (4, 2))
        left = np.exp(embeddings[1, 0] * embeddings[:2, 0])
        embeddings[:2, 1] = 1e5, -1e5 * left[0] / left[1]
        matrices = {"W_query": one, "W_key": one, "W_value": two}
        mask = "zero_weights_renormalised"
        states.append(plain_state(embeddings, mask=mask, **matrices))
    for answer in in_batches(engine_page, ROWS_SHOWN, states):
        assert answer["no-future"]


def test_rounding_of_vast_values_is_no_look_into_the_future(engine_page):
    """Renormalised rows differ in the last digit, and vast values cancel."""
    rng = np.random.default_rng(9)
    states = []
    for _ in range(50):
        embeddings = rng.uniform(-1, 1, (6, 3))
        W_value = rng.uniform(-1e6, 1e6, (3, 2)).tolist()
        mask = "zero_weights_renormalised"
        states.append(plain_state(embeddings, mask=mask, W_value=W_value))
    for answer in in_batches(engine_page, ROWS_SHOWN, states):
        assert answer["no-future"]
