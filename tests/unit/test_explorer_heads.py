"""Several heads in an explorer, and their slopes, in Python."""

import json

import numpy as np
import pytest
from states import as_explorer, random_heads, wishing_heads

from attention_helpers import (
    Example,
    descend,
    examples,
    explore,
    gradients,
    multi_head_attention,
    self_attention,
    softmax,
)
from attention_helpers.explorer import (
    INPUTS,
    LEARNED,
    Explorer,
    attention_of,
    page_state,
    twin,
)
from attention_helpers.explorer.goals import loss, wishes

TWO = examples["two questions"]
GIVEN = (TWO.embeddings, TWO.W_query, TWO.W_key, TWO.W_value, TWO.W_out)
BOTH = {"weights": {"bank": ["river", "bank"]}}
SQUARES = ("scores", "scaled_scores", "masked_scores", "weights")
SMALL = np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2))


def test_an_explorer_of_several_heads_is_multi_head_attention():
    explorer = explore("two questions", heads=2)
    result = explorer.attention
    expected = multi_head_attention(*GIVEN, heads=2)
    for name, stage in vars(expected).items():
        np.testing.assert_array_equal(getattr(result, name), stage, name)
    assert result.weights.shape == (2, 5, 5)
    assert result.context[:, 2].ravel() == pytest.approx([2.40, 1.33], abs=0.005)
    assert result.output[2] == pytest.approx([3.73, -1.06], abs=0.005)


def test_one_head_is_as_before_and_its_context_can_be_mixed():
    result = explore("two questions").attention
    for name, stage in vars(self_attention(*GIVEN[:4])).items():
        if name != "output":
            np.testing.assert_array_equal(getattr(result, name), stage, name)
    np.testing.assert_array_equal(result.output, result.context @ TWO.W_out)
    assert explore("bank").attention.output is None


def test_every_mask_and_option_is_that_of_each_head_alone():
    for state in random_heads(60):
        result = attention_of(as_explorer(state))
        heads, embeddings = state["heads"], state["embeddings"]
        cut = []
        for name in ("W_query", "W_key", "W_value"):
            W = np.eye(len(embeddings[0])) if state[name] is None else state[name]
            cut.append(np.split(np.array(W), heads, axis=1))
        contexts = []
        for head, (W_query, W_key, W_value) in enumerate(zip(*cut, strict=True)):
            one = dict.fromkeys(("W_query", "W_key", "W_value", "W_out"))
            one |= {"W_query": W_query, "W_key": W_key, "W_value": W_value}
            alone = attention_of(as_explorer(state | one | {"heads": 1}))
            for name in SQUARES:
                np.testing.assert_allclose(
                    getattr(result, name)[head], getattr(alone, name), 1e-9, 1e-9
                )
            off = head in state["off"]
            contexts.append(np.zeros_like(alone.context) if off else alone.context)
        np.testing.assert_allclose(result.context, contexts, 1e-9, 1e-9)
        joined = np.hstack(contexts)
        W_out = np.eye(joined.shape[1]) if state["W_out"] is None else state["W_out"]
        np.testing.assert_allclose(result.output, joined @ np.array(W_out), 1e-9, 1e-9)


def test_what_a_head_that_is_off_takes_with_it():
    explorer = explore("two questions", heads=2, off=[1])
    assert explorer.attention.context[1].tolist() == [[0]] * 5
    assert explorer.attention.output[2] == pytest.approx([2.40, -2.40], abs=0.005)
    assert explorer.attention.weights[1, 2, 2] == pytest.approx(0.564, abs=5e-4)
    explorer.off = [0]
    assert explorer.attention.output[2] == pytest.approx([1.33, 1.33], abs=0.005)
    explorer.off = [1, 0]
    assert explorer.off == (0, 1)
    assert not explorer.attention.output.any()
    explorer.heads = 1  # and nothing is off
    assert explorer.attention.output[2] == pytest.approx([3.32, -1.48], abs=0.005)
    assert Explorer.from_link(explorer.link()).off == ()
    explorer.reset()
    assert (explorer.heads, explorer.off) == (2, (1,))
    explorer.load("three inputs")  # whose columns two heads cannot share
    assert explorer.off == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"heads": 3}, "W_query has 2 columns, which heads=3 cannot share equally"),
        ({"heads": 0}, "heads is 0; expected a whole number from 1 to 16"),
        ({"heads": True}, "heads is True; expected a whole number"),
        ({"heads": "two"}, "heads is 'two'; expected a whole number"),
        ({"off": [0]}, r"off is \(0,\); expected no head with heads=1"),
        ({"heads": 2, "off": [2]}, r"off is \(2,\); expected any of 0, 1 with heads=2"),
        ({"heads": 2, "off": [1, 1]}, r"off is \[1, 1\]; expected each head at most"),
        ({"heads": 2, "off": 1}, "off is 1; expected a list of heads, counted from 0"),
        ({"heads": 2, "off": [-1]}, "off is -1; expected a whole number"),
        ({"W_out": [[1.0]]}, "W_out has 1 rows but context has 2 columns"),
        ({"W_out": [[1e7], [0]]}, "W_out holds 1e[+]07; expected numbers within a mil"),
        ({"train": ["W_out"]}, r"train is \['W_out'\]; expected a list of any of"),
        ({"controls": ["head"]}, r"controls is \['head'\]; expected a list of any of"),
    ],
)
def test_what_heads_cannot_be_is_named_and_loses_nothing(options, message):
    with pytest.raises(ValueError, match=message):
        explore("two questions", **options)
    explorer = explore("two questions", heads=2)
    before = page_state(explorer)
    *_, (name, value) = options.items()
    if options != {"off": [0]}:  # which can be with two heads
        with pytest.raises(Exception, match=message):
            setattr(explorer, name, value)
    assert page_state(explorer) == before


def test_another_example_that_the_heads_cannot_share_has_one():
    explorer = explore(Example.from_text("a b", d_k=6, d_v=3), heads=3, off=[2])
    explorer.load("journey")
    assert (explorer.heads, explorer.W_out) == (1, None)
    explorer.load("two questions")
    assert explorer.W_out == ((1, -1), (1, 1))
    explorer.heads = 2
    explorer.load("journey")
    assert explorer.heads == 2
    explorer.W_out = [[1], [2]]
    explorer.reset()
    assert explorer.W_out is None


def test_what_mixes_is_an_input_like_the_others():
    explorer = explore("two questions", heads=2, edit=["W_out"])
    explorer.W_out = [[1, -1], [1, 2]]
    assert explorer.changes == {("W_out", "place", "money"): (1.0, 2.0)}
    explorer.reset()
    assert explorer.changes == {}


def test_the_state_is_small_and_plain():
    options = {"heads": 2, "off": [1], "goal": BOTH, "controls": ["heads"]}
    state = page_state(explore("two questions", **options))
    assert len(json.dumps(state)) < 5000
    assert (state["heads"], state["off"], state["goal"]) == (2, (1,), BOTH)


# ---- what stays still ----


def test_the_twin_says_every_number_of_every_head():
    text = repr(explore("two questions", heads=2, query="bank", off=[1]))
    assert "Heads: what kind?, where?.\nSwitched off: where?.\n" in text
    assert "scores, what kind?\n      coins  on  bank  by  river\nbank      8" in text
    assert "attention weights, where?\n" in text
    assert "bank  0.0763  0.0763  0.5637  0.0763  0.2074" in text
    assert "context\n        kind   place\nbank  2.3986  0.0000" in text
    assert "output\n      riverside    money\nbank     2.3986  −2.3986" in text


def test_all_rows_show_the_fewest_stages_and_any_that_are_named():
    shown = twin.visible(explore("two questions", heads=2))
    assert [*shown[-3:]] == ["weights", "context", "output"]
    assert not {"scores", "scaled_scores"} & {*shown}
    some = ["scores", "output"]
    assert twin.visible(explore("two questions", heads=2, stages=some)) == (*some,)
    assert twin.visible(explore("bank", heads=2, stages=some)) == ("scores",)


def test_what_rows_and_columns_are_called_where_no_names_are_given():
    inputs = {"W_query": [[1, 0]], "W_key": [[0, 1]], "W_value": [[3, 2, 1]]}
    plain = Example(("to", "be"), [[1], [2]], **inputs, W_out=[[1], [2], [3]])
    explorer = explore(plain, query="be")
    words, values = ("to", "be"), ("v₁", "v₂", "v₃")
    pairs = "scores", "scaled_scores", "masked_scores", "weights"
    found = {stage: twin.labels(explorer, stage) for stage in twin.STAGES}
    expected = {
        **{"embeddings": (words, ("x₁",)), "W_out": (values, ("o₁",))},
        **{"W_query": (("x₁",), ("q₁", "q₂")), "W_key": (("x₁",), ("k₁", "k₂"))},
        **{"W_value": (("x₁",), values), "values": (words, values)},
        **{"queries": (words, ("q₁", "q₂")), "keys": (words, ("k₁", "k₂"))},
        **dict.fromkeys(pairs, (words, words)),
        **{"context": (words, values), "output": (words, ("o₁",))},
    }
    assert found.items() >= expected.items()
    alone = {part.stage for part in twin.parts(explorer) if part.rows == ("be",)}
    shown = {part.stage for part in twin.parts(explorer)} & {*expected}
    assert shown - alone == {*INPUTS, "keys", "values"}
    assert shown & alone == {"queries", *pairs, "context", "output"} - {"masked_scores"}


def test_heads_are_named_by_their_one_column_else_by_number():
    assert twin.head_names(explore("two questions", heads=2))[1] == "where?"
    wide = explore(Example.from_text("a b", d_k=4, d_v=4), heads=2)
    assert twin.head_names(wide) == ("head 1", "head 2")
    plain = explore(TWO.without_matrices(), heads=2)
    assert twin.head_names(plain) == ("head 1", "head 2")
    assert "attention weights, head 2\n" in repr(plain)


def test_a_question_is_asked_of_the_last_head():
    options = {"query": "bank", "predict": "largest_weight"}
    text = repr(explore("two questions", heads=2, **options))
    assert "largest attention weight of the head “where?” when bank asks?" in text
    assert "head" not in repr(explore("two questions", **options))


def test_the_picture_has_a_panel_a_head_and_says_so_in_words():
    explorer = explore("two questions", heads=2, query="bank", goal=BOTH)
    assert twin.png(explorer)[:4] == b"\x89PNG"
    titles = [part.title for part in twin.parts(explorer)]
    assert titles.count("attention weights, what kind?") == 1
    assert titles.count("context") == 1
    alternative = twin.alternative(explorer)
    assert "Heads: what kind?, where?." in alternative
    assert "Goal: bank → river in “what kind?”, bank → bank in “where?”." in alternative


# ---- wishes, slopes, steps ----


def test_loss_and_slopes_of_several_heads_are_those_of_differences():
    rng = np.random.default_rng(1)
    for state, options in wishing_heads(40, seed=1):
        inputs = {name: state[name] for name in LEARNED}
        slopes = gradients(**inputs, **options)
        of = as_explorer(state)
        columns = twin.labels(of, "context")[1]
        assert slopes.loss == pytest.approx(loss(of, attention_of(of), columns))
        for name in (name for name in LEARNED if inputs[name] is not None):
            matrix = np.array(inputs[name])
            found = getattr(slopes, name)
            at = tuple(int(rng.integers(size)) for size in matrix.shape)
            losses = []
            for nudge in (1e-6, -1e-6):
                nudged = matrix.copy()
                nudged[at] += nudge
                moved = inputs | {name: nudged}
                losses.append(gradients(**moved, **options).loss)
            difference = (losses[0] - losses[1]) / 2e-6
            assert found[at] == pytest.approx(difference, rel=1e-5, abs=1e-6)


def test_slopes_have_the_shapes_of_their_stages():
    result = explore("two questions", heads=2).attention
    goal = {"weights": {2: [4, 2]}, "context": {0: 1}}
    slopes = gradients(*GIVEN[:4], goal=goal, heads=2)
    for name in ("queries", "keys", "values", *SQUARES, "context"):
        assert getattr(slopes, name).shape == getattr(result, name).shape, name
    assert slopes.context[:, 0].sum() == pytest.approx(0)  # over both heads' columns
    assert not slopes.context[:, 1:].any()
    alone = gradients(*GIVEN[:4], goal={"weights": {2: 4}}, heads=1)
    assert alone.weights.shape == (5, 5)


@pytest.mark.parametrize(
    ("heads", "wishes"), [(1, [[4], [2], [1]]), (2, [[4], [None, 2], [None, 1]])]
)
def test_the_last_head_takes_the_wishes_that_are_left(heads, wishes):
    every, *one = (
        gradients(*GIVEN[:4], goal={"weights": {2: columns}}, heads=heads)
        for columns in ([4, 2, 1], *wishes)
    )
    assert every.loss == pytest.approx(np.mean([each.loss for each in one]))
    mean = np.mean([each.W_query for each in one], axis=0)
    np.testing.assert_allclose(every.W_query, mean)


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"weights": {2: [4, 9]}}, r"goal\['weights'\]\[2\] is 9; expected"),
        ({"weights": {2: []}}, "expected at least one wish"),
        ({"weights": {2: [None]}}, "expected at least one wish"),
        ({"context": {2: [0, 1]}}, r"goal\['context'\]\[2\] is \[0, 1\]; expected"),
        ({"context": {2: 2}}, r"goal\['context'\]\[2\] is 2; expected"),
    ],
)
def test_a_wish_that_cannot_be_is_named(goal, message):
    with pytest.raises(ValueError, match=message):
        gradients(*GIVEN[:4], goal=goal, heads=2)
    with pytest.raises(ValueError, match="heads=3 cannot share equally"):
        gradients(*GIVEN[:4], goal={"weights": {2: 4}}, heads=3)


def test_two_wishes_for_one_word_which_one_head_cannot_learn_and_two_can():
    matrices = (TWO.embeddings, *SMALL, TWO.W_value)
    way = {"goal": {"weights": {2: [4, 2]}}, "rate": 0.5, "steps": 200}
    one, two = (descend(*matrices, **way, heads=heads) for heads in (1, 2))
    assert one.losses[:4].round(2).tolist() == [1.61, 1.54, 1.24, 0.82]
    assert 0.69 < one.losses[-1] < 0.70
    assert one.losses.min() >= np.log(2)
    assert two.losses[[0, 1, 2, 3, 5, 10]].round(2).tolist() == [
        *(1.61, 1.59, 1.51, 1.17, 0.45, 0.02),
    ]
    assert two.losses[200] == pytest.approx(0.0003, abs=5e-5)


def test_wishes_are_one_a_head_and_a_single_one_is_the_first_heads():
    of = explore("two questions", heads=2, goal={"weights": {"bank": "river"}})
    first = softmax(of.attention.scaled_scores[0, 2])[4]
    assert twin.losses(of)[-1] == pytest.approx(-np.log(first))
    of.goal = {"weights": {"bank": [None, "bank"]}}
    second = softmax(of.attention.scaled_scores[1, 2])[2]
    assert twin.losses(of)[-1] == pytest.approx(-np.log(second))
    of.goal = {"weights": {"bank": ["river", None]}}
    assert of.goal == {"weights": {"bank": "river"}}
    of.goal = BOTH
    assert [wish.head(2) for wish in wishes(of.goal)] == [0, 1]
    assert [wish.head(1) for wish in wishes(of.goal)] == [0, 0]
    of.load("bank")
    assert of.goal == BOTH
    with pytest.raises(Exception, match="which mask 'causal' hides"):
        of.mask = "causal"
