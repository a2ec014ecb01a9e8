"""Loss, slopes and steps in the browser against NumPy."""

import dataclasses
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from states import DROPOUT, PRESENT, SHARES, ask, in_batches, random_state, seen_by

from attention_helpers import Gradients, causal_mask, descend, gradients
from attention_helpers.explorer import DIVISORS, LEARNED, MASKS, attention_of, goals
from attention_helpers.explorer.traits import columns_of_context

SLOPES = [f.name for f in dataclasses.fields(Gradients) if f.name != "loss"]
PLAIN = [share for share in SHARES if share[0] in ("none", "causal")][:2]
NUMBERS = ["slider", "normal", "positive", "mostly zero", "small whole"]


def learners(
    count: int, seed: int, *, shares=PLAIN, dropout=("none",), tied=False
) -> Iterator[dict]:
    """Yield random states with wishes of either kind, or both."""
    rng = np.random.default_rng(seed)
    present = [some for some in PRESENT if some[:2] == (True, True) or not tied]
    for k in range(count):
        combination = (
            shares[k % len(shares)],
            list(DIVISORS)[k % 4],
            present[k % len(present)],
            dropout[k // len(shares) % len(dropout)],
        )
        state = random_state(rng, combination, NUMBERS[k % 5], int(rng.integers(1, 8)))
        state |= {"tied": tied, "rate": float(rng.choice([0.1, 0.5, 2.0]))}
        if tied:
            state["W_key"] = state["W_query"]
        yield state | {"goal": wished(rng, state), "train": trained(rng, state)}


def wished(rng, state) -> dict:
    n, seen = len(state["tokens"]), seen_by(state)
    columns, goal = columns_of_context(state), {}
    for kind in [["weights"], ["context"], ["weights", "context"]][rng.integers(3)]:
        goal[kind] = {}
        for i in rng.permutation(n)[: rng.integers(1, n + 1)]:
            j = rng.choice(np.flatnonzero(seen[i]))
            wanted = state["tokens"][j] if kind == "weights" else rng.choice(columns)
            goal[kind][state["tokens"][i]] = str(wanted)
    return goal


def trained(rng, state) -> list[str]:
    here = [name for name in LEARNED if state[name] is not None]
    return list(rng.permutation(here)[: rng.integers(1, len(here) + 1)])


def as_numpy(state) -> tuple[dict, dict]:
    """Return the inputs, and the options of `gradients`, of a state."""
    inputs = {name: state[name] for name in LEARNED}
    n, d_in = np.shape(state["embeddings"])
    d_k = d_in if state["W_query"] is None else len(state["W_query"][0])
    tokens, columns = state["tokens"], columns_of_context(state)
    names = {"weights": tokens, "context": list(columns)}
    goal = {
        kind: {tokens.index(i): names[kind].index(j) for i, j in wanted.items()}
        for kind, wanted in state["goal"].items()
    }
    mask = causal_mask(n) if state["mask"] == "causal" else None
    scale = 1 / np.sqrt(DIVISORS[state["divide_by"]](n, d_in, d_k))
    return inputs, {"goal": goal, "mask": mask, "scale": scale}


SLOPES_OF = """state => {
    const S = helpers.compute(state);
    return {loss: helpers.loss(S), ...helpers.gradients(S)};
}"""


def test_loss_and_every_slope_are_numpys(engine_page):
    states = list(learners(240, seed=1))
    states += learners(8, seed=2, shares=PLAIN[1:])
    answers = in_batches(engine_page, SLOPES_OF, states)
    for state, found in zip(states, answers, strict=True):
        inputs, options = as_numpy(state)
        expected = gradients(**inputs, **options)
        assert found["loss"] == pytest.approx(expected.loss, rel=1e-9, abs=1e-15)
        for name in SLOPES:
            slopes = getattr(expected, name)
            assert (slopes is None) == (name not in found), name
            if slopes is not None:
                close = 1e-9 * np.abs(slopes).max() + 1e-13
                np.testing.assert_allclose(found[name], slopes, 1e-9, close, name)


def test_tied_matrices_have_one_slope(engine_page):
    states = list(learners(40, seed=3, tied=True))
    answers = in_batches(engine_page, SLOPES_OF, states)
    for state, found in zip(states, answers, strict=True):
        inputs, options = as_numpy(state)
        slopes = gradients(**inputs, **options)
        both = slopes.W_query + slopes.W_key
        close = 1e-9 * np.abs(both).max() + 1e-13
        np.testing.assert_allclose(found["W_query"], both, 1e-9, close)
        assert found["W_query"] == found["W_key"]


def loss_of(state) -> float:
    of = SimpleNamespace(**state)
    return goals.loss(of, attention_of(of), columns_of_context(state))


def test_every_mask_and_dropout_have_the_slopes_that_a_nudge_shows(engine_page):
    """NumPy's `gradients` knows the causal mask only; here it is differences."""
    rng = np.random.default_rng(4)
    options = {"shares": SHARES[: len(MASKS)], "dropout": DROPOUT}
    states = list(learners(15 * len(MASKS), seed=4, **options))
    answers = in_batches(engine_page, SLOPES_OF, states)
    seen = set()
    for state, found in zip(states, answers, strict=True):
        assert found["loss"] == pytest.approx(loss_of(state), rel=1e-9, abs=1e-12)
        seen.add((state["mask"], bool(state["dropout_p"])))
        for name in (name for name in LEARNED if state[name] is not None):
            slopes = np.array(found[name])
            close = 1e-6 * (1 + np.abs(slopes).max())
            for at in rng.permutation([*np.ndindex(slopes.shape)])[:5]:
                losses = []
                for nudge in (1e-5, -1e-5):
                    nudged = np.array(state[name], float)
                    nudged[tuple(at)] += nudge
                    losses.append(loss_of(state | {name: nudged.tolist()}))
                difference = (losses[0] - losses[1]) / 2e-5
                assert slopes[tuple(at)] == pytest.approx(difference, 1e-5, close)
    assert len(seen) == 2 * len(MASKS)


STEP = "state => helpers.descended(helpers.compute(state))"


def test_a_step_is_numpys(engine_page):
    states = list(learners(80, seed=5))
    for state, moved in zip(states, in_batches(engine_page, STEP, states), strict=True):
        inputs, options = as_numpy(state)
        way = {"train": state["train"], "rate": state["rate"], "steps": 1}
        expected = descend(**inputs, **options, **way)
        assert set(moved) == set(state["train"])
        for name, matrix in moved.items():
            np.testing.assert_allclose(matrix, getattr(expected, name), 1e-9, 1e-12)


def test_no_step_carries_a_number_beyond_a_million(engine_page):
    for state in learners(20, seed=6):
        inputs, options = as_numpy(state)
        for rate in (1e5, 1e7, 1e9):
            way = {"train": state["train"], "rate": rate, "steps": 1}
            ran_away = descend(**inputs, **options, **way).ran_away
            moved = ask(engine_page, STEP, state | {"rate": rate})
            assert (moved is None) == (ran_away is not None)


def test_a_share_that_underflows_still_has_a_loss_and_a_slope(engine_page):
    state = next(learners(1, seed=7)) | {
        "tokens": ["a", "b"],
        "embeddings": [[30.0], [-30.0]],
        "W_query": [[2.0]],
        "W_key": [[2.0]],
        "W_value": None,
        "divide_by": "1",
        "goal": {"weights": {"a": "b"}},
    }
    found = ask(engine_page, SLOPES_OF, state)
    assert found["loss"] == 7200
    assert found["masked_scores"] == [[1, -1], [0, 0]]
    won = ask(engine_page, SLOPES_OF, state | {"goal": {"weights": {"a": "a"}}})
    assert 0 <= won["loss"] < 1e-300
