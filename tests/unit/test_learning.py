"""Slopes against two other hands, bad goals in words, and the numbers of chapter 6."""

import dataclasses
import itertools
import math
import re
import warnings

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junk import JUNK, LEAVES, survive

from attention_helpers import (
    Gradients,
    causal_mask,
    descend,
    examples,
    gradients,
    self_attention,
    softmax,
)

MATRICES = ("W_query", "W_key", "W_value")
INPUTS = ("embeddings", *MATRICES)
STAGES = [
    field.name
    for field in dataclasses.fields(Gradients)
    if field.name not in {"loss", *INPUTS}
]
BANK = examples["bank"]
COINS, ON, _, BY, RIVER = range(5)
X, W_VALUE = BANK.embeddings, BANK.W_value
WET, RICH = 0, 1
RIVERSIDE = {"weights": {2: RIVER}}
FIVE = {"weights": {COINS: 2, ON: 2, 2: RIVER, BY: 2, RIVER: 2}}
ERASED = np.zeros((4, 2))


# --- The slopes, against autograd and against differences -----------------------------


@st.composite
def pipelines(draw, tied=False):
    """Draw inputs of sizes that all differ, and a mask, a scale and wishes for them."""
    n, d_in, d_k, d_v = draw(st.permutations(range(1, 6)))[:4]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    without = [] if tied else draw(st.lists(st.sampled_from(MATRICES), unique=True))
    if {"W_query", "W_key"} & set(without):
        d_k = d_in
    shapes = dict(zip(MATRICES, [(d_in, d_k), (d_in, d_k), (d_in, d_v)], strict=True))
    inputs = {"embeddings": rng.uniform(-1.5, 1.5, (n, d_in))}
    for name, shape in shapes.items():
        inputs[name] = None if name in without else rng.uniform(-1.5, 1.5, shape)
    if tied:
        inputs["W_key"] = inputs["W_query"]
    mask = draw(st.sampled_from([None, "causal", "random"]))
    if mask is not None:
        mask = causal_mask(n) if mask == "causal" else rng.random((n, n)) < 0.6
        np.fill_diagonal(mask, True)
    goal = {}
    for kind in draw(
        st.sampled_from([["weights"], ["context"], ["weights", "context"]])
    ):
        rows = draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))
        may = np.ones((n, n), bool) if mask is None else mask
        if kind == "context":
            may = np.ones((n, d_in if inputs["W_value"] is None else d_v), bool)
        goal[kind] = {i: int(rng.choice(np.flatnonzero(may[i]))) for i in rows}
    scale = draw(st.sampled_from([None, 1.0, 0.3, -0.7, 0.0]))
    return inputs, {"goal": goal, "mask": mask, "scale": scale}


def loss_of(at, given, goal, mask, scale):
    """Go forward once more, for autograd; `at` also holds what is added to a stage."""

    def stage(name, value):
        return value + at[name]

    def project(W):
        return at["embeddings"] if given[W] is None else at["embeddings"] @ at[W]

    queries = stage("queries", project("W_query"))
    keys = stage("keys", project("W_key"))
    values = stage("values", project("W_value"))
    if scale is None:
        scale = 1 / math.sqrt(queries.shape[1])
    scores = stage("scores", queries @ keys.T)
    scaled = stage("scaled_scores", scores * scale)
    hidden = 0 if mask is None else np.where(mask, 0.0, -np.inf)
    masked = stage("masked_scores", scaled + hidden)
    shares = anp.exp(masked) / anp.exp(masked).sum(axis=1, keepdims=True)
    weights = stage("weights", shares)
    context = stage("context", weights @ values)
    losses = [
        anp.log(anp.exp(table[i]).sum()) - table[i, j]
        for kind, table in {"weights": masked, "context": context}.items()
        for i, j in goal.get(kind, {}).items()
    ]
    return sum(losses) / len(losses)


def places(inputs):
    """Return every input, and zeros to add to every stage."""
    record = self_attention(**inputs)
    given = {name: matrix for name, matrix in inputs.items() if matrix is not None}
    return given | {name: np.zeros(getattr(record, name).shape) for name in STAGES}


def assert_slopes(ours, theirs):
    __tracebackhide__ = True
    largest = max(np.abs(slope).max() for slope in theirs.values())
    for name, slope in theirs.items():
        assert getattr(ours, name).shape == slope.shape, name
        tolerance = 1e-6 * np.abs(slope).max() + 1e-9 * (1 + largest)
        np.testing.assert_allclose(
            getattr(ours, name), slope, rtol=0, atol=tolerance, err_msg=name
        )


@given(pipelines())
@settings(max_examples=60)
def test_every_slope_of_every_stage_is_that_of_autograd(pipeline):
    inputs, options = pipeline
    at = places(inputs)
    slopes = gradients(**inputs, **options)
    loss, theirs = autograd.value_and_grad(loss_of)(at, inputs, **options)
    assert slopes.loss == pytest.approx(loss, rel=1e-12, abs=1e-15)
    for name, slope in theirs.items():
        np.testing.assert_allclose(
            getattr(slopes, name), slope, rtol=1e-9, atol=1e-12, err_msg=name
        )
    assert {name for name in INPUTS if getattr(slopes, name) is None} == {
        name for name in INPUTS if inputs[name] is None
    }


def shares_wanted(inputs, goal, mask, scale):
    record = self_attention(**inputs, mask=mask, scale=scale)
    tables = {"weights": record.weights, "context": softmax(record.context)}
    return [tables[kind][wish] for kind in goal for wish in goal[kind].items()]


@given(pipelines())
@settings(max_examples=25)
def test_every_slope_of_every_input_is_the_difference_that_a_nudge_makes(pipeline):
    inputs, options = pipeline
    slopes, differences = gradients(**inputs, **options), {}
    for name in (name for name in INPUTS if inputs[name] is not None):
        differences[name] = np.zeros(inputs[name].shape)
        for place in np.ndindex(inputs[name].shape):
            losses = []
            for nudge in (1e-5, -1e-5):
                nudged = inputs[name].copy()
                nudged[place] += nudge
                shares = shares_wanted(inputs | {name: nudged}, **options)
                losses.append(-np.log(shares).mean())
            differences[name][place] = (losses[0] - losses[1]) / 2e-5
    assert_slopes(slopes, differences)


@given(pipelines(tied=True))
@settings(max_examples=20)
def test_slopes_of_tied_keys_add_up(pipeline):
    inputs, options = pipeline

    def loss(W):
        at = places(inputs) | {"W_query": W, "W_key": W}
        return loss_of(at, inputs, **options)

    slopes = gradients(**inputs, **options)
    np.testing.assert_allclose(
        slopes.W_query + slopes.W_key,
        autograd.grad(loss)(inputs["W_query"]),
        rtol=1e-9,
        atol=1e-12,
    )


@given(pipelines())
@settings(max_examples=20)
def test_the_loss_is_the_mean_of_minus_log_of_the_wanted_shares(pipeline):
    inputs, options = pipeline
    shares = shares_wanted(inputs, **options)
    loss = gradients(**inputs, **options).loss
    assert loss == pytest.approx(-sum(map(math.log, shares)) / len(shares))


def test_a_hidden_cell_has_no_slope():
    slopes = gradients(
        X, goal={"weights": {2: 0}, "context": {1: 3}}, mask=causal_mask(5)
    )
    for name in ("scores", "scaled_scores", "masked_scores"):
        assert not getattr(slopes, name)[~causal_mask(5)].any()


def test_a_record_is_read_only_and_names_its_shapes():
    slopes = gradients(X, BANK.W_query, BANK.W_key, goal=RIVERSIDE)
    assert repr(slopes).startswith("Gradients(loss 0.1396, embeddings (5, 4), W_query")
    assert "W_value" not in repr(slopes)
    with pytest.raises(ValueError, match="read-only"):
        slopes.W_query[0, 0] = 1
    way = descend(X, BANK.W_query, BANK.W_key, goal=RIVERSIDE, rate=1, steps=2)
    assert repr(way) == "Descent(2 steps; loss 0.14 to 5.7e-06)"
    with pytest.raises(ValueError, match="read-only"):
        way.losses[0] = 1
    for record, name in ((slopes, "loss"), (way, "ran_away")):
        assert record != dataclasses.replace(record)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, name, 1)


# --- Going down -----------------------------------------------------------------------


@given(pipelines(), st.lists(st.sampled_from(INPUTS), min_size=1, unique=True))
@settings(max_examples=20)
def test_descend_takes_each_step_against_the_slopes(pipeline, train):
    inputs, options = pipeline
    train = [name for name in train if inputs[name] is not None] or ["embeddings"]
    start = {k: None if v is None else v.copy() for k, v in inputs.items()}
    way = descend(**inputs, **options, train=train, rate=0.01, steps=3)
    losses, here = [], dict(inputs)
    for _ in range(4):
        slopes = gradients(**here, **options)
        losses.append(slopes.loss)
        last = here
        moved = {name: here[name] - 0.01 * getattr(slopes, name) for name in train}
        here = here | moved
    np.testing.assert_array_equal(way.losses, losses)
    for name in INPUTS:
        np.testing.assert_equal(inputs[name], start[name])
        np.testing.assert_equal(getattr(way, name), last[name])
    assert way.ran_away is None


def test_no_step_is_a_way_too():
    way = descend(X, goal=RIVERSIDE, train=["embeddings"], rate=1, steps=0)
    assert way.losses.tolist() == [gradients(X, goal=RIVERSIDE).loss]
    assert way.W_query is None
    assert (way.embeddings == X).all()


def test_what_was_given_can_still_be_written_to():
    embeddings = X.copy()
    descend(embeddings, goal=RIVERSIDE, train=["embeddings"], rate=1, steps=0)
    gradients(embeddings, goal=RIVERSIDE)
    assert embeddings.flags.writeable


@pytest.mark.parametrize(("rate", "step"), [(1.5, 31), (2, 14), (5, 7), (1e308, 1)])
def test_a_rate_that_is_too_large_runs_away_in_words(rate, step):
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        way = descend(X, *small(0)[0], W_VALUE, goal=FIVE, rate=rate, steps=100)
        slopes = gradients(X, way.W_query, way.W_key, W_VALUE, goal=FIVE)
    assert way.ran_away == step == len(way.losses)
    assert np.isfinite(way.losses).all()
    assert way.losses[-1] == slopes.loss
    both = np.array([[way.W_query, way.W_key], [slopes.W_query, slopes.W_key]])
    assert np.abs(both[0]).max() <= 1e6 < np.abs(both[0] - rate * both[1]).max()
    assert f"ran away at step {step}: a number beyond a million" in repr(way)


@pytest.mark.parametrize(("rate", "ran_away"), [(2e6, None), (2e6 + 0.01, 1)])
def test_a_million_is_not_beyond_a_million(rate, ran_away):
    options = {"goal": {"context": {0: 1}}, "train": ("W_value",), "steps": 1}
    way = descend([[1]], None, None, [[0, 0]], **options, rate=rate)
    assert way.ran_away == ran_away


def test_a_share_that_underflows_still_has_a_slope():
    W_query, W_key = many(small(0), [wish(FIVE)], rate=2, steps=5)[1]
    assert self_attention(X, W_query[0], W_key[0], W_VALUE).weights[2, RIVER] == 0
    slopes = gradients(X, W_query[0], W_key[0], W_VALUE, goal=FIVE)
    assert slopes.loss == pytest.approx(615, abs=0.5)
    assert slopes.masked_scores[2, RIVER] == -0.2


def test_a_loss_next_to_nothing_is_not_rounded_away():
    assert gradients([[0.0], [8.0]], goal={"weights": {1: 1}}).loss == pytest.approx(
        math.exp(-64), rel=1e-12
    )


# --- What is refused ------------------------------------------------------------------

SOUND = {
    "embeddings": X,
    "W_query": BANK.W_query,
    "W_key": BANK.W_key,
    "W_value": None,
    "goal": RIVERSIDE,
    "mask": causal_mask(5).T,
    "scale": None,
}
SOUND_WAY = SOUND | {"train": ["W_query", "W_key"], "rate": 0.1, "steps": 2}


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        (None, "goal is None; expected wishes, row: column, such as"),
        ({}, "goal is {}; expected wishes"),
        ({"weights": {}}, "goal is {'weights': {}}; expected wishes"),
        ({"weights": {}, "context": {0: 0}}, "expected wishes"),
        ({"weights": [(0, 4)]}, "goal is {'weights': [(0, 4)]}; expected wishes"),
        ({"scores": {0: 4}}, "goal is {'scores': {0: 4}}; expected wishes"),
        ({0: 4}, "goal is {0: 4}; expected wishes"),
        (
            {"weights": {"bank": "river"}},
            "row in goal['weights'] is 'bank'; expected a whole number from 0 to 4",
        ),
        (
            {"weights": {5: 0}},
            "row in goal['weights'] is 5; expected a whole number from 0 to 4",
        ),
        ({"context": {-1: 0}}, "row in goal['context'] is -1; expected"),
        ({"context": {True: 0}}, "row in goal['context'] is True; expected"),
        (
            {"weights": {0: 5}},
            "goal['weights'][0] is 5; expected a whole number from 0 to 4",
        ),
        ({"weights": {0: 4, 1: 2.0}}, "goal['weights'][1] is 2.0; expected"),
        ({"context": {0: [1, 2]}}, "goal['context'][0] is [1, 2]; expected"),
        (
            {"context": {0: 4}},
            "goal['context'][0] is 4; expected a whole number from 0 to 3",
        ),
        (
            {"weights": {0: 4, 3: 1}},
            "goal['weights'][3] is 1, which the mask hides;"
            " expected a column that row 3 may attend to",
        ),
    ],
)
def test_a_goal_that_cannot_be_is_named(goal, message):
    options = SOUND | {"goal": goal}
    with pytest.raises(ValueError, match=re.escape(message)):
        gradients(**options)
    with pytest.raises(ValueError, match=re.escape(message)):
        descend(**options, rate=0.1, steps=1)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("train", [], "train is []; expected a list out of embeddings, W_query, W_key"),
        ("train", "W_query", "train is 'W_query'; expected a list out of embeddings"),
        ("train", ["W_query", "W_value"], "train is ['W_query', 'W_value']; expected"),
        ("train", ["queries"], "train is ['queries']; expected a list out of"),
        ("train", [["W_query"]], "train is [['W_query']]; expected"),
        ("train", None, "train is None; expected"),
        ("rate", 0, "rate is 0; expected a finite number above 0"),
        ("rate", -0.5, "rate is -0.5; expected a finite number above 0"),
        ("rate", math.inf, "rate is inf; expected a finite number above 0"),
        ("rate", "fast", "rate is 'fast'; expected a finite number above 0"),
        ("steps", -1, "steps is -1; expected a whole number from 0 to 100000"),
        ("steps", 10**6, "steps is 1000000; expected a whole number from 0 to 100000"),
        ("steps", 1.5, "steps is 1.5; expected a whole number from 0 to 100000"),
        ("W_key", [[1, 2]], "W_key has 1 rows but embeddings has 4 columns"),
        ("mask", np.tri(5), "mask holds float64"),
        ("scale", "root", "scale is 'root'"),
    ],
)
def test_an_argument_out_of_range_is_named(name, value, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        descend(**SOUND_WAY | {name: value})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1e155], [2e155]], [[1e-300]]), "the loss or a slope overflows"),
        (
            ([[0], [1]], None, None, [[-1.7e308, 1.7e308]]),
            "the loss or a slope overflows",
        ),
        (([[1e200], [2e200]],), "queries @ keys.T overflows"),
    ],
)
def test_what_overflows_says_so(arguments, message):
    goal = {"weights": {0: 0}, "context": {1: 0}}
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=re.escape(message)):
            gradients(*arguments, goal=goal)


@pytest.mark.parametrize("size", [1e3, 1e150])
def test_vast_scores_have_slopes_and_no_warning(size):
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        slopes = gradients([[1, 0], [0, size]], goal={"weights": {0: 0, 1: 0}}, scale=1)
    np.testing.assert_array_equal(slopes.scores[1], [-0.5, 0.5])
    assert slopes.loss == pytest.approx(size**2 / 2, rel=1e-2)


GOALS = JUNK | st.dictionaries(
    st.sampled_from(["weights", "context", "scores"]),
    st.dictionaries(
        st.integers(-1, 5) | st.text(max_size=2), st.integers(-1, 5) | LEAVES
    ),
)


@given(st.data())
@settings(max_examples=40)
def test_learning_survives_whatever_comes_in(data):
    name = data.draw(st.sampled_from(sorted(SOUND_WAY)))
    what = data.draw(GOALS if name == "goal" else JUNK)
    if name == "steps" and type(what) is int:
        what = what % 10  # a hundred thousand steps are right, and take their time
    way = survive(descend, **SOUND_WAY | {name: what})
    if way is not None:
        assert np.isfinite(way.losses).all()


# --- Chapter 6, to the printed digit --------------------------------------------------
#
# Facts over many starts come from `many`, which learns from all of them at once and by
# another formula; it is compared with `gradients` and `descend` first.


def small(*seeds, spread=0.1, d_k=2):
    """Draw W_query and W_key as the chapter does: (starts, 2, 4, d_k)."""
    draws = [
        np.random.default_rng(seed).normal(scale=spread, size=(2, 4, d_k))
        for seed in seeds
    ]
    return np.array(draws).round(2) if d_k == 2 else np.array(draws)


def wish(goal, embeddings=X):
    """Return one lesson for `many`: embeddings, kind, and 1 where it is wanted."""
    ((kind, wishes),) = goal.items()
    wanted = np.zeros((len(embeddings), 2 if kind == "context" else len(embeddings)))
    wanted[list(wishes), list(wishes.values())] = 1
    return embeddings, kind, wanted


def log_shares(scores):
    scores = scores - scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))


def loss_and_slope(product, lessons, scale):
    """Return the mean loss and its slope at ``W_query @ W_key.T``, for each start."""
    loss = slope = 0.0
    for embeddings, kind, wanted in lessons:
        asked = wanted.sum(axis=-1, keepdims=True)
        n_wishes = asked.sum(axis=(-1, -2))[..., None, None]
        weights = log = log_shares(embeddings @ product @ embeddings.T * scale)
        weights = np.exp(log)
        if kind == "context":
            log = log_shares(weights @ embeddings @ W_VALUE)
        back = (np.exp(log) * asked - wanted) / n_wishes
        if kind == "context":
            back = back @ (embeddings @ W_VALUE).T
            back = weights * (back - (weights * back).sum(axis=-1, keepdims=True))
        loss = loss - (wanted * log / n_wishes).sum(axis=(-1, -2)) / len(lessons)
        slope = slope + embeddings.T @ back @ embeddings * scale / len(lessons)
    return loss, slope


def many(starts, lessons, *, rate, steps, scale=2**-0.5, most=1e6):
    """Learn from many starts at once; a start that runs away stays where it was."""
    W = np.swapaxes(starts, 0, 1)  # (2, starts, 4, d_k)
    losses, ran = [], np.zeros(len(starts), bool)
    for _ in range(steps + 1):
        loss, slope = loss_and_slope(W[0] @ W[1].mT, lessons, scale)
        losses.append(loss)
        last, moved = W, W - rate * np.array([slope @ W[1], slope.mT @ W[0]])
        ran = ran | (np.abs(moved).max(axis=(0, 2, 3)) > most)
        W = np.where(ran[:, None, None], W, moved)
    return np.array(losses), last, ran


def sentence(words, meaning):
    rows = dict(zip(BANK.tokens, X, strict=True))
    words = words.split()
    return wish(
        {"context": {words.index("bank"): meaning}}, np.array([rows[w] for w in words])
    )


MONEY = sentence("coins on bank", RICH)
WATER = sentence("bank by river", WET)
BOTH = sentence("coins on bank by river", WET)
LESSONS = [MONEY, WATER, BOTH]


def rounded(values, digits=2):
    return (np.asarray(values).round(digits) + 0.0).tolist()


@pytest.mark.parametrize("goal", [RIVERSIDE, FIVE, {"context": {2: WET, 4: RICH}}])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_many_starts_at_once_are_each_start_alone(goal, scale):
    starts = small(3, 4)
    losses, ends, _ = many(
        starts, [wish(goal)], rate=0.5, steps=12, scale=scale or 2**-0.5
    )
    for s, start in enumerate(starts):
        way = descend(X, *start, W_VALUE, goal=goal, rate=0.5, steps=12, scale=scale)
        np.testing.assert_allclose(losses[:, s], way.losses, rtol=1e-9)
        np.testing.assert_allclose(ends[:, s], [way.W_query, way.W_key], rtol=1e-8)


def test_1_the_vote_is_about_place():
    shares = []
    for i in range(4):
        W_query = ERASED.copy()
        W_query[i, 0] = 0.5
        shares.append(self_attention(X, W_query, BANK.W_key).weights[2, RIVER])
    assert rounded(shares) == [0.31, 0.31, 0.42, 0.20]


def test_2_each_halving_of_a_share_costs_the_same():
    def loss(share):  # of a row with two keys
        score = math.log(share / (1 - share))
        return gradients([[1], [0]], [[score]], [[1]], goal={"weights": {0: 0}}).loss

    losses = [loss(share) for share in (0.5, 0.2, 0.1, 0.01)]
    assert rounded(losses) == [0.69, 1.61, 2.30, 4.61]
    assert rounded([loss(0.1) - loss(0.2), loss(0.2) - loss(0.4)]) == [0.69, 0.69]


def test_3_a_nudge_and_the_slopes():
    at = gradients(X, ERASED, BANK.W_key, W_VALUE, goal=RIVERSIDE)
    nudged = ERASED.copy()
    nudged[2, 0] = 0.001
    after = gradients(X, nudged, BANK.W_key, W_VALUE, goal=RIVERSIDE).loss
    assert rounded([at.loss, after], 4) == [1.6094, 1.6075]
    assert round((after - at.loss) / 0.001, 2) == -1.98
    assert rounded(at.W_query) == [
        [-0.99, -0.28],
        [-0.99, -0.28],
        [-1.98, -0.57],
        [0, 0],
    ]


def follow(goal, move, moves):
    """Move the number with the heaviest arrow, as a hand would."""
    W_query, losses = ERASED.copy(), []
    for _ in range(moves + 1):
        slopes = gradients(X, W_query, BANK.W_key, W_VALUE, goal=goal)
        losses.append(slopes.loss)
        last = W_query.copy()
        place = np.unravel_index(np.abs(slopes.W_query).argmax(), (4, 2))
        W_query[place] -= move * np.sign(slopes.W_query[place])
    return losses, last


def test_4_be_the_optimiser():
    losses, W_query = follow(RIVERSIDE, 0.5, 6)
    assert rounded(losses) == [1.61, 0.87, 0.51, 0.33, 0.23, 0.14, 0.09]
    assert W_query.tolist() == [[0, 0], [0, 0], [2.5, 0.5], [0, 0]]
    assert round(self_attention(X, W_query, BANK.W_key).weights[4, 4], 2) == 0.71
    losses, W_query = follow(RIVERSIDE, 1, 4)
    assert rounded(losses) == [1.61, 0.51, 0.23, 0.11, 0.04]
    assert follow(RIVERSIDE, 1, 2)[1][2, 0] == BANK.W_query[2, 0] == 2


def sloppy_hands(goal, n):
    """Count the moves of hands that take one of the three heaviest arrows."""
    rng, W_query, moves = np.random.default_rng(0), np.zeros((n, 4, 2)), np.zeros(n)
    for move in range(1, 16):
        _, slope = loss_and_slope(W_query @ BANK.W_key.T, [wish(goal)], 2**-0.5)
        slope = (slope @ BANK.W_key).reshape(n, 8)
        flat = W_query.reshape(n, 8)
        free = (np.abs(flat) < 3) | (flat * slope > 0)  # the slider has an end
        heaviest = np.argsort(-np.abs(slope) * free, axis=1, kind="stable")
        chosen = np.arange(n), heaviest[np.arange(n), rng.integers(0, 3, n)]
        flat[chosen] -= np.sign(slope[chosen]) * rng.choice([0.5, 1], n)
        np.clip(W_query, -3, 3, out=W_query)
        loss, _ = loss_and_slope(W_query @ BANK.W_key.T, [wish(goal)], 2**-0.5)
        moves[(moves == 0) & (loss < 0.1)] = move
    return np.where(moves, moves, np.inf)


def test_4_a_thousand_sloppy_hands_arrive():
    moves = sloppy_hands(RIVERSIDE, 1000)
    assert np.median(moves) == 6
    assert 0.99 < (moves <= 10).mean() < 1


def test_5_the_machine_moves_all_numbers_at_once():
    options = {"goal": RIVERSIDE, "train": ["W_query"], "rate": 0.5}
    way = descend(X, ERASED, BANK.W_key, W_VALUE, **options, steps=10)
    assert rounded(way.losses[:8]) == [1.61, 0.24, 0.19, 0.16, 0.13, 0.11, 0.10, 0.09]
    assert rounded(way.W_query) == [[0.81, 0.30], [0.81, 0.30], [1.62, 0.61], [0, 0]]


@pytest.mark.parametrize(
    ("rate", "losses", "below"),
    [
        (0.1, "1.64 1.63 1.62", 82),
        (0.5, "1.6 1.59 1.55 1.43 1.19 0.89", 18),
        (1, "1.6 1.53 1.2 0.673 0.491", 11),
        (
            1.2,
            "1.61 1.49 0.975 0.519 0.391 0.358 0.599 0.583 0.62 0.394 2.28 1.25 0.957"
            " 0.409 0.715 0.000287",
            16,
        ),
        (1.5, "1.63 1.47 0.761 1.36 2.13 5.06 23.8", None),
        (2, "1.7 1.78 1.38 37.9 615 7.77e+03", None),
        (5, "3.09 308 6.36e+04", None),
    ],
)
def test_6_the_rate(rate, losses, below):
    way = descend(X, *small(0)[0], W_VALUE, goal=FIVE, rate=rate, steps=90)
    shown = " ".join(f"{loss:.3g}" for loss in way.losses[0 if rate == 0.1 else 1 :])
    assert f"{shown} ".startswith(f"{losses} ")
    assert next((i for i, loss in enumerate(way.losses) if loss < 0.1), None) == below


@pytest.mark.parametrize(
    ("rate", "learned", "never_stopped"),
    [
        (0.1, 100, 100),
        (0.2, 100, 100),
        (0.5, 100, 100),
        (1, 100, 100),
        (1.5, 19, 26),
        (2, 1, 4),
    ],
)
def test_6_a_hundred_starts(rate, learned, never_stopped):
    options = {"lessons": [wish(FIVE)], "rate": rate, "steps": 200}
    losses, _, ran = many(small(*range(100)), **options)
    assert ((losses[-1] < 0.1) & ~ran).sum() == learned
    losses, _, _ = many(small(*range(100)), **options, most=np.inf)
    assert (losses[-1] < 0.1).sum() == never_stopped


def test_7a_both_tables_0_have_no_slope():
    slopes = gradients(X, ERASED, ERASED, W_VALUE, goal=FIVE)
    assert not slopes.W_query.any()
    assert not slopes.W_key.any()
    assert round(slopes.loss, 2) == 1.61
    pushed = descend(X, *small(0)[0], W_VALUE, goal=FIVE, rate=0.5, steps=18)
    assert pushed.losses[-1] < 0.1


def test_7b_twins_stop_at_log_2():
    goal = {"weights": {2: ON}}
    way = descend(X, *small(0)[0], W_VALUE, goal=goal, rate=0.5, steps=500)
    assert 0 < way.losses[-1] - math.log(2) < 1e-3
    row = self_attention(X, way.W_query, way.W_key).weights[2]
    assert rounded(row) == [0, 0.5, 0, 0.5, 0]


@pytest.mark.parametrize(
    ("m", "slope", "steps"), [(1, "3.9", 1), (3, "0.21", 2), (5, "0.005", 9)]
)
def test_7c_sure_and_wrong_moves_late(m, slope, steps):
    inputs = X, BANK.W_query * m, BANK.W_key, W_VALUE
    way = descend(*inputs, goal={"context": {2: RICH}}, rate=0.5, steps=10)
    assert f"{largest_slope(*inputs):.2g}" == slope
    assert np.flatnonzero(way.losses < 0.2)[0] == steps


def test_7c_surer_and_wrong_does_not_move():
    inputs = X, BANK.W_query * 10, BANK.W_key, W_VALUE
    way = descend(*inputs, goal={"context": {2: RICH}}, rate=0.5, steps=500)
    assert f"{largest_slope(*inputs):.7f}" == "0.0000002"
    assert way.losses[-1] == pytest.approx(way.losses[0], abs=1e-4)


def largest_slope(*inputs):
    slopes = gradients(*inputs, goal={"context": {2: RICH}})
    return max(np.abs(slopes.W_query).max(), np.abs(slopes.W_key).max())


def test_8_the_product_is_found_and_not_the_tables():
    _, (W_query, W_key), _ = many(small(*range(20)), [wish(FIVE)], rate=0.5, steps=50)
    product = W_query @ W_key.mT
    pairs = np.triu_indices(20, 1)
    for found, agreement in ((W_query, -0.02), (product, 0.98)):
        correlations = np.corrcoef(found.reshape(20, -1))[pairs]
        assert round(correlations.mean(), 2) == agreement
    wet, rich, place, link = 0, 1, 2, 3
    mean = product.mean(axis=0)
    found = mean[[link, wet, rich, place], [place, place, place, wet]]
    assert rounded(found, 1) == [3.1, 2.4, 2.3, 2.1]


def test_9_nobody_says_whom_to_look_at():
    goal = {"context": {2: WET}}
    seen = {}
    for steps in (0, 3, 5, 10, 50, 500):
        way = descend(X, *small(0)[0], W_VALUE, goal=goal, rate=0.5, steps=steps)
        row = self_attention(X, way.W_query, way.W_key, W_VALUE).weights[2]
        seen[steps] = rounded([row[RIVER], way.losses[-1]])
    assert [seen[steps][0] for steps in (0, 3, 5, 10)] == [0.20, 0.28, 0.77, 0.94]
    assert [seen[0][1], seen[50][1]] == [0.60, 0.05]
    floor = gradients([[3, 0]], goal={"context": {0: 0}}).loss
    assert round(floor, 4) == 0.0486
    assert way.losses[-1] == pytest.approx(floor, abs=1e-4)


def learned_from(lessons):
    losses, W, _ = many(small(*range(20)), lessons, rate=0.5, steps=100)
    return losses, W[0] @ W[1].mT


def reading(product, words):
    """Return the row of *bank* and the softmax of its context, for each start."""
    embeddings, _, wanted = sentence(words, WET)
    i = wanted[:, WET].argmax()
    weights = np.exp(log_shares(embeddings @ product @ embeddings.T * 2**-0.5))[:, i]
    return weights, np.exp(log_shares(weights @ embeddings @ W_VALUE))


def test_9_three_sentences_are_averaged_in_a_loop():
    W_query, W_key = small(0)[0]
    losses = []
    for _ in range(101):
        goals = [
            {"context": {int(w.sum(1).argmax()): int(w.sum(0).argmax())}}
            for _, _, w in LESSONS
        ]
        each = [
            gradients(x, W_query, W_key, W_VALUE, goal=goal)
            for (x, _, _), goal in zip(LESSONS, goals, strict=True)
        ]
        losses.append(np.mean([slopes.loss for slopes in each]))
        W_query = W_query - 0.5 * np.mean([slopes.W_query for slopes in each], axis=0)
        W_key = W_key - 0.5 * np.mean([slopes.W_key for slopes in each], axis=0)
    assert rounded([losses[0], losses[100]], 3) == [0.444, 0.077]
    np.testing.assert_allclose(losses, learned_from(LESSONS)[0][:, 0], rtol=1e-9)


UNSEEN = {
    "river by bank": "river",
    "bank on coins": "coins",
    "by river on bank": "river",
    "coins by bank": "coins",
    "river by bank on coins": "river",
}


@pytest.mark.parametrize("words", UNSEEN)
def test_9_five_unseen_sentences(words):
    deciding = words.split().index(UNSEEN[words])
    meaning = {"river": WET, "coins": RICH}[UNSEEN[words]]
    flat, average = reading(np.zeros((1, 4, 4)), words)
    assert flat[0, deciding] == pytest.approx(1 / len(words.split()))
    assert 0.545 < average[0, meaning] < 0.735  # a flat average reads it right, too
    weights, sure = reading(learned_from(LESSONS)[1], words)
    assert (weights[:, deciding] >= 0.98).all()
    assert {0.88, 0.95} >= set(sure[:, meaning].round(2))


def test_9_the_baseline_is_as_sure_as_the_plan_says():
    sure = [reading(np.zeros((1, 4, 4)), words)[1].max() for words in UNSEEN]
    assert rounded([min(sure), max(sure)]) == [0.55, 0.73]


def test_9_only_bank_asked():
    mean = learned_from(LESSONS)[1].mean(axis=0)
    assert rounded(mean[:3, WET] / mean[0, WET], 0) == [1, 1, 2]


@pytest.mark.parametrize(
    ("lessons", "loss", "coins", "river", "wet"),
    [
        (LESSONS, 0.077, 0.008, 0.992, 0.95),
        (
            [MONEY, WATER, sentence("coins on bank by river", RICH)],
            0.103,
            0.996,
            0.004,
            0.12,
        ),
        ([MONEY, WATER], 0.089, 0.571, 0.425, 0.53),
        ([WATER, BOTH], 0.049, 0, 0.997, 0.95),
    ],
)
def test_9_the_sentences_decide(lessons, loss, coins, river, wet):
    losses, product = learned_from(lessons)
    weights, meaning = reading(product, "coins on bank by river")
    assert round(losses[-1].mean(), 3) == loss
    assert rounded(weights.mean(axis=0)[[COINS, RIVER]], 3) == [coins, river]
    assert round(meaning[:, WET].mean(), 2) == wet


def test_9_the_lowest_loss_never_needed_coins():
    _, product = learned_from([WATER, BOTH])
    weights, meaning = reading(product, "coins by bank")
    assert round(weights[:, 0].mean(), 2) == 0.03
    assert round(meaning[:, RICH].mean(), 2) == 0.52
    weights, meaning = reading(np.zeros((1, 4, 4)), "coins by bank")
    assert rounded([weights[0, 0], meaning[0, RICH]]) == [0.33, 0.66]


@pytest.mark.parametrize(
    ("scale", "learned", "others"),
    [
        (1, [0.27, 0.52, 0.59, 0.60, 0.64], {0.69: 32, 2.13: 4}),
        (512**-0.5, [0, 0, 0.91, 1, 1], {}),
        (1 / 512, [0, 0, 0, 0, 0], None),
    ],
)
def test_10_why_the_root_of_d_k(scale, learned, others):
    goal = {"context": {2: WET}}
    starts = small(*range(100), spread=0.3, d_k=512)
    losses, _, _ = many(starts, [wish(goal)], rate=0.5, steps=20, scale=scale)
    assert rounded((losses < 0.1).mean(axis=1)[[0, 1, 5, 10, 20]]) == learned
    if others is not None:
        end = losses[-1][losses[-1] > 0.1].round(2)
        assert {loss: int((end == loss).sum()) for loss in set(end)} == others
    way = descend(X, *starts[0], W_VALUE, goal=goal, rate=0.5, steps=20, scale=scale)
    np.testing.assert_allclose(way.losses, losses[:, 0], rtol=1e-6)


def test_10_a_small_scale_is_only_slow():
    goal = {"context": {2: WET}}
    starts = small(*range(20), spread=0.3, d_k=512)
    losses, _, _ = many(starts, [wish(goal)], rate=50, steps=10, scale=1 / 512)
    assert (losses[-1] < 0.1).all()


def test_exercise_d_coins_wins_by_drags():
    coins = {"weights": {2: COINS}}
    assert rounded(follow(coins, 0.5, 9)[0])[-1] == 0.07
    losses, _ = follow(coins, 1, 5)
    assert rounded(losses[3:5], 3) == [0.214, 0.223]
    assert rounded(losses)[-1] == 0.06


def test_exercise_e_only_twins_cannot_be_parted():
    pairs = [
        ((i, a), (k, b))
        for i, k in itertools.combinations(range(5), 2)
        for a, b in itertools.product([COINS, 2, RIVER], repeat=2)
    ]
    lessons = [wish({"weights": dict(pair)}) for pair in pairs]
    together = X, "weights", np.array([wanted for _, _, wanted in lessons])
    losses = [
        many(small(seed).repeat(len(pairs), 0), [together], rate=0.2, steps=400)[0]
        for seed in (0, 1)
    ]
    best = np.min(losses, axis=(0, 1))
    stuck = {pair for pair, loss in zip(pairs, best, strict=True) if loss > 0.1}
    twins = {((ON, a), (BY, b)) for a in (0, 2, 4) for b in (0, 2, 4) if a != b}
    assert stuck == twins
    assert best[[pair in twins for pair in pairs]].min() >= math.log(2) > 0.69


def test_the_fold_attention_weights_are_no_scores():
    row = np.eye(5)[RIVER]
    assert round(-math.log(softmax(row)[RIVER]), 2) == 0.90


def test_the_facts_of_an_unrounded_start():
    rng = np.random.default_rng(0)
    W_query, W_key = rng.normal(size=(4, 2)) * 0.1, rng.normal(size=(4, 2)) * 0.1
    way = descend(X, W_query, W_key, W_VALUE, goal=RIVERSIDE, rate=0.5, steps=5)
    assert rounded(way.losses[[0, 1, 5]], 3) == [1.618, 1.553, 0.012]
    goal = {"weights": {2: ON}}
    way = descend(X, W_query, W_key, W_VALUE, goal=goal, rate=0.5, steps=500)
    assert 0 < way.losses[-1] - math.log(2) < 1e-3
