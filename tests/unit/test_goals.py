"""What an explorer takes as a goal, its loss, and how it stands in text and picture."""

import io
import re

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from attention_helpers import (
    Example,
    causal_mask,
    descend,
    examples,
    explore,
    gradients,
)
from attention_helpers.explorer import MASKS, goals, page_state, twin
from attention_helpers.explorer.curve import curve

BANK = examples["bank"]
RIVERSIDE = {"weights": {"bank": "river"}}
SUCH_AS = "expected wishes by name, such as {'weights': {'bank': 'river'}}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goal": {}}, f"goal is {{}}; {SUCH_AS}"),
        ({"goal": {"weights": {}}}, f"goal is {{'weights': {{}}}}; {SUCH_AS}"),
        ({"goal": RIVERSIDE | {"context": {}}}, SUCH_AS),
        ({"goal": {"scores": {"bank": "river"}}}, SUCH_AS),
        ({"goal": {"weights": {2: 4}}}, f"goal is {{'weights': {{2: 4}}}}; {SUCH_AS}"),
        ({"goal": {"weights": ["bank"]}}, SUCH_AS),
        ({"goal": {"weights": {"bank": []}}}, SUCH_AS),
        ({"goal": {"weights": {"bank": [None]}}}, SUCH_AS),
        ({"goal": {"weights": {"bank": ["river"] * 17}}}, SUCH_AS),
        ({"goal": {"weights": {"bank": ["river", 2]}}}, SUCH_AS),
        ({"goal": {"context": {"bank": ["wet"]}}}, SUCH_AS),
        ({"goal": "river"}, f"goal is 'river'; {SUCH_AS}"),
        (
            {"goal": {"weights": {"sea": "river"}}},
            "there is no token 'sea' for goal['weights']; expected one of coins, on",
        ),
        (
            {"goal": {"weights": {"bank": "wet"}}},
            "there is no token 'wet' for goal['weights']['bank']; expected one of",
        ),
        (
            {"goal": {"context": {"bank": "river"}}},
            "goal['context']['bank'] is 'river'; expected a column of context: wet",
        ),
        (
            {"goal": RIVERSIDE, "mask": "causal"},
            "goal['weights']['bank'] is 'river', which mask 'causal' hides; expected a"
            " word that bank may attend to",
        ),
        (
            {"goal": RIVERSIDE, "normalise": "sum"},
            "goal is set while normalise is 'sum'; expected normalise='softmax'",
        ),
        (
            {"goal": RIVERSIDE, "axis": "columns"},
            "goal is set while axis is 'columns'; expected axis='rows' with a goal",
        ),
        ({"train": []}, "train is empty; expected any of embeddings, W_query"),
        ({"train": ["queries"]}, "train is ['queries']; expected a list of any of"),
        ({"train": ["W_key"], "W_key": None}, "W_key"),
        ({"rate": 0}, "rate is 0; expected a finite number above 0"),
        ({"rate": float("nan")}, "rate is nan; expected a finite number above 0"),
        ({"rate": "fast"}, "rate is 'fast'; expected a finite number above 0"),
        ({"slopes": 2}, "slopes is 2; expected a boolean"),
        (
            {"losses": [1, float("inf")]},
            "losses is [1, inf]; expected a list of at most",
        ),
        ({"losses": 3}, "losses is 3; expected a list of at most 5001 finite numbers"),
        ({"controls": ["goals"]}, "controls is ['goals']; expected a list of any of"),
        ({"predict": "steepest"}, "predict is 'steepest', but there is no goal here"),
        (
            {"predict": "steepest", "goal": RIVERSIDE, "edit": []},
            "predict is 'steepest', but there is no number to move here",
        ),
    ],
)
def test_what_cannot_be_is_named(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        explore("bank", **options)


def test_a_goal_that_does_not_fit_leaves_the_explorer_as_it_was():
    explorer = explore("bank", goal=RIVERSIDE)
    for goal in ({}, {"weights": {"bank": "sea"}}):
        with pytest.raises(Exception, match="goal"):
            explorer.goal = goal
        assert explorer.goal == RIVERSIDE
    with pytest.raises(Exception, match="which mask 'causal' hides"):
        explorer.mask = "causal"
    explorer.goal = None
    explorer.mask = "causal"


def test_what_learning_moves_where_nothing_else_is_said():
    assert explore("bank").train == ("W_query", "W_key")
    assert explore(BANK.without_matrices()).train == ("embeddings",)
    explorer = explore("bank", train=["W_value"], goal=RIVERSIDE)
    explorer.load(BANK.without_matrices())
    assert explorer.train == ("embeddings",)
    assert explorer.goal == RIVERSIDE
    explorer.load("journey")
    assert (explorer.goal, explorer.losses) == (None, ())


def test_the_page_gets_it_all_and_reset_brings_it_back():
    options = {"goal": RIVERSIDE, "rate": 2, "slopes": True, "train": ["W_key"]}
    explorer = explore("bank", **options, controls=["goal", "rate", "learn"])
    state = page_state(explorer)
    assert (state["goal"], state["rate"], state["slopes"]) == (RIVERSIDE, 2.0, True)
    assert (state["train"], state["losses"]) == (("W_key",), ())
    assert state["start"]["goal"] == RIVERSIDE
    explorer.goal, explorer.rate, explorer.losses = None, 1, [1, 2]
    explorer.reset()
    assert (explorer.goal, explorer.rate) == (RIVERSIDE, 2.0)
    assert explorer.losses == ()


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_loss_is_that_of_gradients(mask):
    goal = {"weights": {"bank": "coins", "on": "on"}, "context": {"by": "rich"}}
    by_row = {"weights": {2: 0, 1: 1}, "context": {3: 1}}
    explorer = explore("bank", goal=goal, mask=mask)
    inputs = [BANK.embeddings, BANK.W_query, BANK.W_key, BANK.W_value]
    where = causal_mask(5) if mask == "causal" else None
    expected = gradients(*inputs, goal=by_row, mask=where).loss
    columns = twin.labels(explorer, "context")[1]
    assert goals.loss(explorer, explorer.attention, columns) == pytest.approx(
        expected, rel=1e-12
    )


@pytest.mark.parametrize("mask", MASKS)
def test_the_loss_is_of_the_share_on_the_screen(mask):
    """But where shares are only written over: those are of what was there before."""
    seen = MASKS[mask].visible("weights", 5)
    j = 1 if seen is None else np.flatnonzero(seen[4])[0]
    goal = {"weights": {"river": BANK.tokens[j]}}
    explorer = explore("bank", goal=goal, mask=mask)
    share = explorer.attention.weights[4, j]
    assert twin.losses(explorer) == pytest.approx([-np.log(share)])


def test_the_text_states_goal_and_loss():
    goal = RIVERSIDE | {"context": {"on": "wet"}}
    explorer = explore("bank", goal=goal)
    lines = repr(explorer).splitlines()
    assert lines[1] == "Goal: bank → river, context of on → wet."
    loss = twin.losses(explorer)[0]
    assert lines[2] == f"Loss {loss:.4f}."
    assert lines[3] == ""
    assert twin.alternative(explorer).endswith(f"{lines[1]} {lines[2]}")
    asked = explore("bank", goal=RIVERSIDE, predict="steepest", edit=["W_query"])
    lines = repr(asked).splitlines()
    asks = "Before you look: You wish bank → river. In which row of W_query does it"
    assert lines[1].startswith(asks)
    assert lines[2] == "Goal: bank → river."
    assert "Loss" not in repr(asked)
    assert "Goal" not in repr(explore("bank"))


def learned(steps: int, rate: float = 0.5):
    """Return an explorer after some steps."""
    Wq, Wk = np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2))
    goal = {"weights": {2: 4}}
    way = descend(
        BANK.embeddings, Wq, Wk, BANK.W_value, goal=goal, rate=rate, steps=steps
    )
    example = Example(
        BANK.tokens, BANK.embeddings, way.W_query, way.W_key, BANK.W_value
    )
    return explore(example, goal=RIVERSIDE, losses=way.losses)


def test_losses_are_said_where_they_end_at_the_numbers_on_the_screen():
    explorer = learned(5)
    assert "\nLoss 1.6184 at the start, 0.0124 at step 5.\n" in repr(explorer)
    explorer.W_query = BANK.W_query
    assert "at step" not in repr(explorer)
    assert [twin.loss_text(x) for x in (0.00012, 0.5, 7770.4)] == [
        *("0.000120", "0.5000", "7770")
    ]


def test_the_stored_picture_has_the_curve():
    def drawn(explorer):
        explorer.stages = ["weights"]  # the curve stands beside them
        return twin.png(explorer)

    def size(png):
        return Image.open(io.BytesIO(png)).size

    plain = learned(0)
    plain.goal = None
    pictures = [drawn(learned(steps)) for steps in (0, 1, 80)]
    assert len(set(pictures)) == 3
    assert size(pictures[1]) != size(drawn(plain))
    ink = []
    for png in pictures[1:]:
        picture = Image.open(io.BytesIO(png)).convert("L")
        ink.append(int((np.asarray(picture)[30:140, 40:250] < 120).sum()))
    assert ink[1] > ink[0] + 50


@pytest.mark.parametrize(
    ("losses", "end", "dots"),
    [
        ((1.6, 2.5, 1e6), 3, [0, 1]),  # what jumps is an arrow at the edge
        ((0.02, 0.01), 0.1, [0, 1]),
        ((1.6, *[0.5] * 79), 2, [79]),
    ],
)
def test_the_curve_keeps_its_scale_and_marks_few_steps(losses, end, dots):
    panel = curve(losses, "loss", "{n} steps")
    assert panel.scale == end
    ax = Figure().add_axes((0, 0, 1, 1))
    panel.draw(ax, panel.scale)
    _, marked, arrows = ax.lines
    assert marked.get_xdata().tolist() == dots
    assert len(arrows.get_xdata()) == sum(x > end for x in losses)
