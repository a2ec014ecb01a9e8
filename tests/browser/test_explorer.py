"""The explorer from Python: traits, errors, the text twin, NumPy beside it."""

import base64
import json
from types import SimpleNamespace

import numpy as np
import pytest
import traitlets
from drive import show
from ipywidgets import Checkbox, Dropdown, ToggleButtons, Widget, jslink, link
from ipywidgets.embed import dependency_state

from attention_helpers import Example, examples, explore, self_attention, softmax
from attention_helpers.explorer import (
    CONTROLS,
    LOADER,
    MASKS,
    OPTIONS,
    QUESTIONS,
    SOURCE,
    attention_of,
    page_state,
    twin,
)
from attention_helpers.explorer.masks import Mask
from attention_helpers.heatmap import Picture

BANK = examples["bank"]


def odd_sizes():
    """n = 5, d_in = 4, d_k = 3, d_v = 2: nothing may assume that two are equal."""
    return Example.from_text("one two three four five", d_in=4, d_k=3, d_v=2, seed=3)


@pytest.mark.parametrize("name", list(examples))
def test_attention_is_numpys_for_every_example(name):
    example = examples[name]
    matrices = (example.W_query, example.W_key, example.W_value)
    expected = self_attention(example.embeddings, *matrices)
    got = explore(name).attention
    np.testing.assert_allclose(got.weights, expected.weights, rtol=1e-12)
    np.testing.assert_allclose(got.context, expected.context, rtol=1e-12)


@pytest.mark.parametrize(
    ("divide_by", "divisor"),
    [("1", 1), ("sqrt_d_k", 3), ("sqrt_d_in", 4), ("sqrt_n_tokens", 5)],
)
def test_each_divisor(divide_by, divisor):
    result = explore(odd_sizes(), divide_by=divide_by).attention
    np.testing.assert_allclose(result.scaled_scores, result.scores / divisor**0.5)


def test_divide_by_follows_the_matrices_unless_it_is_given():
    assert explore("bank").divide_by == "sqrt_d_k"
    assert explore(BANK.without_matrices()).divide_by == "1"
    assert explore("bank", divide_by="1").divide_by == "1"


def future(n):
    return ~np.tri(n, dtype=bool)


def test_masks():
    plain = explore(odd_sizes()).attention
    hidden = future(5)
    of = {
        mask: explore(odd_sizes(), mask=mask).attention
        for mask in ("causal", "zero_scores", "zero_weights")
    }
    renormalised = explore(odd_sizes(), mask="zero_weights_renormalised").attention
    assert (of["causal"].masked_scores[hidden] == -np.inf).all()
    assert (of["zero_scores"].masked_scores[hidden] == 0).all()
    np.testing.assert_allclose(
        of["zero_scores"].weights, softmax(np.where(hidden, 0, plain.scaled_scores))
    )
    np.testing.assert_array_equal(
        of["zero_weights"].weights, np.where(hidden, 0, plain.weights)
    )
    np.testing.assert_allclose(renormalised.weights, of["causal"].weights)
    for result in (*of.values(), renormalised):
        np.testing.assert_allclose(result.context, result.weights @ result.values)


def test_sum_columns_and_dropout():
    example = odd_sizes()
    plain = explore(example).attention.scaled_scores
    by_sum = explore(example, normalise="sum").attention.weights
    np.testing.assert_allclose(by_sum, plain / plain.sum(axis=1, keepdims=True))
    down = explore(example, axis="columns").attention.weights
    np.testing.assert_allclose(down, softmax(plain, axis=0))
    keep = np.random.default_rng(0).random((5, 5)) < 0.5
    dropped = explore(example, dropout_p=0.5, dropout_keep=keep).attention.weights
    np.testing.assert_allclose(dropped, np.where(keep, 2 * softmax(plain), 0))


def test_a_zero_sum_is_undefined_and_does_not_warn():
    example = Example(["a", "b"], [[1, 0], [-1, 0]])
    result = explore(example, normalise="sum").attention
    assert np.isnan(result.weights).all()


def test_traits_hold_tuples_whatever_array_is_assigned():
    explorer = explore("bank")
    explorer.embeddings = np.ones((5, 4), dtype=np.float32)
    assert explorer.embeddings == ((1.0,) * 4,) * 5
    assert all(type(x) is float for row in explorer.embeddings for x in row)


BAD = {
    "tokens": [["a"], "text", [], ["a", "a", "b", "c", "d"], [1, 2, 3, 4, 5], None],
    "embeddings": [None, [[1, 2], [3]], [[np.nan]], [[1e7] * 4] * 5, [[1, 2]], "x"],
    "W_query": [[[1, 2]], [[1], [2], [3], [4]], [["a"]], 3],
    "W_value": [[[1, 2]], [[np.inf], [1], [1], [1]]],
    "stages": [["weight"], "weights", ["scores", "scores"], 3],
    "edit": [["scores"], ["embeddings", "W_query", "W_key"], "embeddings", None],
    "query": [5, -1, 1.5, True],
    "divide_by": ["sqrt(d_k)", 1, None],
    "mask": ["future", None, True],
    "normalise": ["max", None],
    "axis": [0, "diagonal"],
    "dropout_p": [1, -0.1, "half", None, True, float("nan")],
    "dropout_keep": [[[1]], [[True]], "no"],
    "controls": [["all"], ["query", "mask", "axis", "row"], "query"],
    "predict": ["anything", 3],
    "predicted": [3, ["river"]],
    "step": [-1, 0.5, True, "one"],
    "large": [2, "yes", None],
    "start": [3, {}, {"tokens": ["a"]}],
}


@pytest.mark.parametrize(
    ("name", "value"), [(n, v) for n, values in BAD.items() for v in values]
)
def test_bad_values_are_refused_in_words_and_lose_nothing(name, value):
    explorer = explore("bank")
    before = {option: getattr(explorer, option) for option in OPTIONS}
    with pytest.raises(traitlets.TraitError, match=name):
        setattr(explorer, name, value)
    assert {option: getattr(explorer, option) for option in OPTIONS} == before
    with pytest.raises(ValueError, match=name):
        explore("bank", **{name: value})


def test_options_that_contradict_each_other():
    with pytest.raises(ValueError, match="mask is 'causal' while normalise is 'sum'"):
        explore("bank", mask="causal", normalise="sum")
    with pytest.raises(ValueError, match="edit names W_query, but there is no W_query"):
        explore(BANK.without_matrices(), edit=["W_query"])
    with pytest.raises(
        ValueError, match="predict is 'largest_weight', but there is no query"
    ):
        explore("bank", predict="largest_weight")
    with pytest.raises(ValueError, match="there is no W_query"):
        explore(BANK.without_matrices(), predict="double_W_query")


def test_none_is_checked_against_the_other_traits():
    explorer = explore("bank", query="bank", predict="largest_weight")
    with pytest.raises(traitlets.TraitError, match="there is no query"):
        explorer.query = None
    with pytest.raises(traitlets.TraitError, match="W_query makes queries of 4"):
        explorer.W_query = None
    assert explorer.query == 2
    assert explorer.W_query is not None


@pytest.mark.parametrize("question", ["last_word_changes", "zero_scores_hide"])
def test_questions_about_later_words_need_later_words(question):
    with pytest.raises(ValueError, match="there is no second word here; expected"):
        explore(Example(["alone"], [[1.0, 2.0]]), predict=question)


def test_a_stage_without_its_matrix_is_not_shown():
    explorer = explore(BANK.without_matrices(), stages=["W_query", "scores"])
    assert "W_query" not in repr(explorer)
    assert "scores" in repr(explorer)


def test_unknown_names_list_the_known():
    with pytest.raises(
        ValueError, match=r"unknown option quary; expected any of .*query"
    ):
        explore("bank", quary=1)
    with pytest.raises(KeyError, match="expected one of "):
        explore("riverbank")
    with pytest.raises(ValueError, match="expected one of coins, on, bank, by, river"):
        explore("bank", query="vault")
    with pytest.raises(ValueError, match="expected an Example or one of bank"):
        explore(3)


def test_more_tokens_than_an_explorer_shows_point_to_heatmap():
    many = Example([f"w{k}" for k in range(33)], np.zeros((33, 2)))
    with pytest.raises(ValueError, match=r"33 words; expected at most 32.*heatmap"):
        explore(many)
    assert len(explore(Example(many.tokens[:32], np.zeros((32, 2)))).tokens) == 32


def test_more_numbers_than_a_page_shows_point_to_heatmap():
    words = [str(i) for i in range(32)]
    assert explore(Example(words, np.ones((32, 300)))).attention.weights.shape == (
        32,
        32,
    )
    with pytest.raises(ValueError, match=r"embeddings has shape \(32, 301\).* heatmap"):
        explore(Example(words, np.ones((32, 301))))
    wide = Example(words, np.ones((32, 101)), W_value=np.ones((101, 100)))
    with pytest.raises(ValueError, match=r"W_value has shape \(101, 100\); expected"):
        explore(wide)


def test_query_takes_the_word():
    assert explore("bank", query="river").query == 4


def test_load_changes_everything_at_once():
    explorer = explore("bank", query="river", edit=["W_query"], dropout_p=0.5)
    explorer.losses = (1.5, 1.25)  # the way of another example
    explorer.load("three inputs")
    assert explorer.losses == ()
    assert explorer.tokens == ("input 1", "input 2", "input 3")
    assert explorer.query is None
    assert explorer.changes == {}
    assert explorer.attention.context.shape == (3, 2)
    explorer.load(BANK.without_matrices())
    assert explorer.edit == ("embeddings",)
    assert explorer.W_query is None


def test_load_that_fails_leaves_the_explorer_as_it_was():
    explorer = explore("bank", predict="double_W_query")
    with pytest.raises(ValueError, match="there is no W_query"):
        explorer.load(BANK.without_matrices())
    assert explorer.tokens == BANK.tokens
    assert explorer.W_query is not None
    with pytest.raises(KeyError):
        explorer.load("nothing")


def test_changes_and_reset():
    explorer = explore("bank")
    embeddings = np.array(explorer.embeddings)
    embeddings[4, 0] = 0.5
    explorer.embeddings = embeddings
    assert explorer.changes == {("embeddings", "river", "wet"): (3.0, 0.5)}
    explorer.reset()
    assert explorer.changes == {}
    assert explorer.embeddings[4] == (3.0, 0.0, 1.0, 0.0)
    with explorer.hold_trait_notifications():
        explorer.tokens, explorer.embeddings = BANK.tokens[:2], BANK.embeddings[:2]
    assert len(explorer.changes) == 8  # of another shape, so all its numbers


def test_the_twin_states_the_numbers():
    twin = repr(explore(BANK.without_matrices(), query="bank"))
    assert "bank  0.0132  0.0018  0.7188  0.0018  0.2644" in twin
    assert "bank  1.5122  0.7452  1.7021  0.0071" in twin
    assert "queries" not in twin


def test_a_locked_twin_shows_inputs_and_question_only():
    explorer = explore("bank", query="bank", predict="largest_weight")
    assert QUESTIONS["largest_weight"].format(query="bank") in repr(explorer)
    assert "attention weights" not in repr(explorer)
    assert "queries" not in repr(explorer)
    explorer.predicted = "river"
    assert "attention weights" in repr(explorer)


def test_step_reveals_the_twin_stage_by_stage():
    explorer = explore("bank", step=0)
    assert "queries" not in repr(explorer)
    explorer.step = 1
    assert "queries" in repr(explorer)
    assert "keys\n" not in repr(explorer)


@pytest.mark.parametrize("mask", ["causal", "zero_weights"])
def test_hidden_cells_of_the_twin_are_not_zeros(mask):
    weights = repr(explore("bank", mask=mask, stages=["weights"])).splitlines()
    coins = next(line for line in weights if line.startswith("coins"))
    assert "·" in coins
    assert coins.split()[2:] == ["·"] * 4


def test_bundle_has_the_view_and_the_twin_and_a_picture_only_on_request(monkeypatch):
    explorer = explore("bank")
    monkeypatch.delenv("ATTENTION_HELPERS_PNG", raising=False)
    data, _ = explorer._repr_mimebundle_()
    assert set(data) == {"text/plain", "application/vnd.jupyter.widget-view+json"}
    monkeypatch.setenv("ATTENTION_HELPERS_PNG", "1")
    data, metadata = explorer._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert "attention weights" in metadata["image/png"]["alt"]


def test_nothing_on_the_screen_makes_no_picture(monkeypatch):
    monkeypatch.setenv("ATTENTION_HELPERS_PNG", "1")
    data, _ = explore("bank", stages=["scores"], step=0)._repr_mimebundle_()
    assert "image/png" not in data


def test_a_locked_picture_shows_the_question(monkeypatch):
    drawn = []
    monkeypatch.setattr(Picture, "png", lambda picture: drawn.append(picture) or b"")
    monkeypatch.setenv("ATTENTION_HELPERS_PNG", "1")
    explorer = explore("bank", query="bank", predict="largest_weight")
    _, metadata = explorer._repr_mimebundle_()
    assert "Which word" in metadata["image/png"]["alt"]
    assert "context" not in metadata["image/png"]["alt"]
    explorer.predicted = "river"
    explorer._repr_mimebundle_()
    locked, answered = drawn
    asked = QUESTIONS["largest_weight"].format(query="bank")
    assert (locked.title, answered.title) == (f"Before you look: {asked}", "")
    assert len(locked.panels) < len(answered.panels)


def test_ipywidgets_can_drive_it_and_be_driven():
    explorer = explore("bank")
    menu = Dropdown(options=["none", "causal", "zero_scores"])
    link((menu, "value"), (explorer, "mask"))
    menu.value = "causal"
    assert explorer.attention.weights[0, 0] == 1
    buttons = ToggleButtons(options=["sqrt_d_k", "1"])
    link((buttons, "value"), (explorer, "divide_by"))
    buttons.value = "1"
    assert explorer.divide_by == "1"
    jslink((Checkbox(), "value"), (explorer, "large"))
    other = explore("bank")
    link((explorer, "embeddings"), (other, "embeddings"))
    explorer.embeddings = np.zeros((5, 4))
    assert other.embeddings == ((0.0,) * 4,) * 5
    seen = []
    explorer.observe(lambda change: seen.append(change["new"]), "query")
    explorer.query = 2
    assert seen == [2]


def test_messages_from_the_page_are_whole_numbers_and_lists():
    explorer = explore("bank")
    explorer.set_state({"embeddings": [[0, 1, 2, 3]] * 5, "dropout_p": 0})
    assert explorer.embeddings == ((0.0, 1.0, 2.0, 3.0),) * 5
    assert isinstance(explorer.dropout_p, float)


def test_a_null_that_is_not_none_is_none():
    """Pyodide hands over JavaScript's null as an object of its own."""
    explorer = explore("bank", query="bank")
    explorer.set_state({"query": object()})
    assert explorer.query is None


FAKE_MODEL = """(state) => {
    const missing = (_, value) => (value === null ? undefined : value);
    const model = {get: (name) => JSON.parse(JSON.stringify(state), missing)[name],
        set() {}, save_changes() {}, on() {}};
    const widget = helpers.default();
    widget.initialize({model});
    const el = document.body.appendChild(document.createElement("div"));
    const leave = widget.render({el});
    const seen = [el.dataset.locked, el.querySelectorAll("[data-action=step]").length];
    leave();
    el.remove();
    return seen;
}"""


def test_none_that_comes_as_undefined_is_null(engine_page):
    explorer = explore("bank", query="bank", predict="largest_weight")
    assert engine_page.evaluate(FAKE_MODEL, page_state(explorer)) == ["true", 0]


def test_examples_travel_along_only_where_there_is_a_menu_for_them():
    assert page_state(explore("bank"))["library"] == {}
    menu = explore("bank", controls=["example"])
    assert set(page_state(menu)["library"]) == set(examples)
    assert set(CONTROLS) >= {"example", "preset"}


# ---- masks ----


def test_the_menu_of_masks_has_the_styles_of_the_table(page):
    menu = show(page, explore("bank", controls=["mask"])).control("mask")
    options = menu.locator("option").evaluate_all("all => all.map(o => o.value)")
    assert options == list(MASKS)


def before(i, j):
    return j < i


@pytest.mark.parametrize(
    ("style", "shares"),
    [
        (Mask(before, "masked_scores", -np.inf, hides=("weights",)), 0),
        (Mask(before, "weights", 0.0, True, ("weights",)), 0),
        (Mask(before, "weights", 0.5), 0.5),
    ],
)
def test_a_style_may_leave_a_row_nothing(monkeypatch, style, shares):
    """The first word has no word before it: in words, never NaN."""
    monkeypatch.setitem(MASKS, "before", style)
    explorer = explore("bank")
    state = SimpleNamespace(**page_state(explorer) | {"mask": "before"})
    result = attention_of(state)
    assert (result.weights[0] == shares).all()
    assert np.isfinite(result.context).all()
    alone = explorer.attention.weights[1, 0] if shares else 1
    assert result.weights[1, 0] == alone
    state.attention = result
    weights = twin.text(state).partition("attention weights\n")[2].splitlines()[1]
    assert weights.split()[1:] == (["·"] * 5 if style.hides else ["0.5000"] * 5)
    assert twin.png(state).startswith(b"\x89PNG")


# ---- the code that all share ----


def test_explorers_share_their_code_and_are_small():
    one, two = explore("bank"), explore("journey", controls=["example"])
    assert one._code is two._code
    assert one.get_state()["_code"] == f"IPY_MODEL_{one._code.model_id}"
    for example in examples:
        assert len(json.dumps(explore(example).get_state())) < 5_000, example


def test_whoever_stores_an_explorer_stores_its_code():
    explorer = explore("bank")
    states = dependency_state(explorer)
    assert set(states) >= {explorer.model_id, explorer._code.model_id}
    assert states[explorer._code.model_id]["state"]["source"] == SOURCE
    assert states[explorer.model_id]["state"]["_esm"] == LOADER


def test_code_that_was_closed_is_made_again():
    explorer = explore("bank")
    old = explorer._code
    old.close()
    new = explore("bank")
    assert new._code is not old
    explorer._repr_mimebundle_()
    assert explorer._code is new._code
    Widget.close_all()
    assert explore("bank")._code.comm is not None
