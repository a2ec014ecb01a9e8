"""Whatever is set, sent or handed in: the explorer is right, or as it was before."""

import json
import warnings
from contextlib import contextmanager
from enum import Enum, IntEnum
from itertools import cycle

import hypothesis.extra.numpy as npst
import numpy as np
import pytest
import traitlets
from drive import assert_numpy, show
from hypothesis import given
from hypothesis import strategies as st
from ipywidgets import link
from junk import JUNK, survive
from test_engine import computed, wrong_stages
from words import TEXT

from attention_helpers import Example, Explorer, examples, explore, heatmap
from attention_helpers.exercises import check, summary
from attention_helpers.exercises.session import EXERCISES
from attention_helpers.explorer import (
    CONTROLS,
    INPUTS,
    OPTIONS,
    STAGES,
    STATE,
    page_state,
    twin,
)

REFUSALS = (ValueError, TypeError, KeyError, traitlets.TraitError)


class Mute:
    """Nothing can be asked of it."""

    def __repr__(self):
        raise RuntimeError("no")

    __str__ = __iter__ = __len__ = __array__ = __bool__ = __float__ = __repr__

    def _repr_pretty_(self, printer, cycle):
        printer.text("Mute()")  # for hypothesis


class Vague:
    """Comparing it gives an array, as with NumPy's own."""

    def __eq__(self, other):
        return np.array([True, False])

    __hash__ = object.__hash__


class Word(str):
    def __str__(self):
        return "\ud800"

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = str.__hash__


class Choice(str, Enum):  # noqa: UP042 (it says Choice.BANK of itself)  # noqa: UP04:
    CAUSAL = "causal"
    BANK = "bank"


class Row(IntEnum):
    SECOND = 1


class Number(float):
    def __repr__(self):
        return "\ud800"

    def __format__(self, how):
        raise RuntimeError("no")


class Words(tuple):
    __slots__ = ()


class Table(dict):
    pass


STRANGE = st.one_of(
    st.builds(Mute),
    st.builds(Vague),
    st.sampled_from(["causal", "bank", "a", "embeddings"]).map(Word),
    st.sampled_from([*Choice, *Row, Number(0.5), Number("nan"), Words("ab"), Table()]),
    st.sampled_from([np.array(["mask", "row"]), np.array("causal"), np.str_("causal")]),
    st.sampled_from([np.float64(0.3), np.int8(2), np.bool_(True), np.uint64(2**63)]),
    st.sampled_from([np.longdouble(1) - np.finfo(np.longdouble).eps, 1 - 2**-53]),
    st.builds(lambda sign: sign * 10**5000, st.sampled_from([1, -1])),
    st.builds(lambda: {"mask": [10**5000]}),
    st.builds(lambda: memoryview(np.eye(2))),
    st.sampled_from([np.ma.masked, np.ma.ones((3, 3)), np.eye(5, 4), 10**400]),
    st.builds(cycle, st.just("ab")),  # without an end
)
ANYTHING = JUNK | STRANGE | st.lists(STRANGE, max_size=3)

NAMES = st.text(max_size=8) | st.sampled_from(["a", "b", "bank", "$&", "__proto__"])
SIZES = st.integers(1, 4)
NUMBERS = st.floats(-100, 100, width=16) | st.sampled_from(
    [0, -0.0, 1e6, -1e6, 1_000_001, 1e-300, np.nan, np.inf, 1 / 3]
)
BANKS = st.sampled_from([(5, 4), (4, 2)])  # the sizes of its matrices
TABLES = st.one_of(
    npst.arrays(float, st.tuples(SIZES, SIZES), elements=NUMBERS),
    npst.arrays(float, BANKS, elements=st.floats(-1e6, 1e6, width=32)),
).map(np.ndarray.tolist)
PRESET = st.fixed_dictionaries(
    {
        "token": st.sampled_from(["coins", "a"]) | NAMES,
        "becomes": st.sampled_from(["vault", "bank"]) | NAMES,
        "embedding": st.lists(NUMBERS, min_size=3, max_size=5),
    }
)
SLIDER = st.fixed_dictionaries({"min": NUMBERS, "max": NUMBERS, "step": NUMBERS})
COLUMNS = st.dictionaries(
    st.sampled_from([*INPUTS, "keys"]), st.lists(NAMES, max_size=5), max_size=2
)


def sentence(n, d_in, d_k, d_v):
    """Draw words and matrices that fit together, some of them missing."""
    table = st.floats(-3, 3, width=16)
    widths = {"W_query": d_k, "W_key": d_k, "W_value": d_v}
    return st.fixed_dictionaries(
        {
            "tokens": st.lists(NAMES, min_size=n, max_size=n, unique=True),
            "embeddings": npst.arrays(float, (n, d_in), elements=table),
        }
        | {
            name: st.none() | npst.arrays(float, (d_in, width), elements=table)
            for name, width in widths.items()
        }
    )


SENTENCES = st.builds(sentence, SIZES, SIZES, SIZES, SIZES).flatmap(lambda drawn: drawn)
WORDS = st.sampled_from(["coins", "on", "bank", "by", "river", "wet", "rich", "v₁"])
GOALS = st.dictionaries(
    st.sampled_from(["weights", "context", "scores"]),
    st.dictionaries(
        WORDS | NAMES,
        WORDS | NAMES | st.lists(st.none() | WORDS, max_size=3),
        max_size=3,
    ),
    max_size=2,
)
SMALL = st.none() | st.integers(-1, 6)


KINDS = {bool: st.booleans(), int: SMALL, float: NUMBERS, str: NAMES}


def by_its_kind(name):
    """Return what to try for one of some names, a flag, a number or a text."""
    trait = getattr(Explorer, name)
    if isinstance(trait, traitlets.Enum):
        return st.sampled_from([*trait.values, "none such"])
    return KINDS.get(type(trait.default_value))


LIKELY = {
    **{name: some for name in STATE if (some := by_its_kind(name)) is not None},
    "tokens": st.lists(NAMES, min_size=1, max_size=6)
    | st.lists(NAMES, min_size=5, max_size=5, unique=True),
    **dict.fromkeys(INPUTS, st.none() | TABLES),
    "stages": st.lists(st.sampled_from([*STAGES, "all"]), max_size=3),
    "edit": st.lists(st.sampled_from(STAGES), max_size=3),
    "query": SMALL,
    "dropout_p": st.sampled_from([0, 0.1, 0.5, 1 - 2**-53, 1, -0.0, -1e-300]),
    "dropout_keep": st.integers(4, 6).flatmap(lambda n: npst.arrays(bool, (n, n))),
    "heads": st.integers(0, 4),
    "off": st.lists(st.integers(-1, 3), max_size=2),
    "controls": st.lists(st.sampled_from([*CONTROLS, "all"]), max_size=4),
    "predicted": st.none() | NAMES,
    "step": SMALL,
    "goal": st.none() | GOALS,
    "train": st.lists(st.sampled_from([*INPUTS, "keys"]), max_size=3),
    "rate": st.sampled_from([0.1, 0.5, 1e300, 0, -1]),
    "losses": st.lists(NUMBERS, max_size=3),
    "start": SENTENCES,
    "columns": COLUMNS,
    "slider": st.none() | SLIDER,
    "presets": st.dictionaries(NAMES, PRESET, max_size=2),
}


SQUARES = ("scores", "scaled_scores", "masked_scores", "weights")


def test_every_trait_is_tried():
    assert set(LIKELY) == set(STATE)
    assert set(OPTIONS) == set(STATE) - {"example"}


def one_of(names, junk=ANYTHING, likely=LIKELY):
    """Draw the name of a trait, and a value: half are junk, half what it may take."""
    return st.tuples(st.sampled_from(names), st.booleans()).flatmap(
        lambda drawn: st.tuples(
            st.just(drawn[0]), junk if drawn[1] else likely[drawn[0]]
        )
    )


SOME = st.lists(one_of(STATE), min_size=1, max_size=4).map(dict)
OPTION = st.lists(one_of(OPTIONS), min_size=1, max_size=4).map(dict)
FITTING = SENTENCES.flatmap(
    lambda inputs: st.just(inputs | {"columns": {}, "presets": {}})
)


@contextmanager
def refused(*names):
    """Let an error pass that names one of these and says what was expected."""
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        try:
            yield
        except REFUSALS as error:
            message = str(error)
            assert any(name in message for name in names), message
            told = ("expected", "must be", "but there is no", "it is read-only")
            assert any(words in message for words in told), message
            assert "truth value" not in message
            message.encode()


def values(explorer):
    return {name: getattr(explorer, name) for name in STATE}


def assert_sound(explorer):
    """What it shows, says and sends is right."""
    state = json.dumps(values(explorer), allow_nan=False, ensure_ascii=False)
    state.encode()
    assert json.loads(state)["tokens"] == list(explorer.tokens)
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        result = explorer.attention
        told = repr(explorer)
        bundle = explorer._repr_mimebundle_()[0]
        assert all(np.isfinite(x) for _, x in explorer.changes.values())
    told.encode()
    assert bundle["text/plain"] == told
    shown = twin.visible(explorer)
    assert len(told.splitlines()) == (
        1
        + twin.is_locked(explorer)
        + len(twin.heads_said(explorer))
        + len(twin.learning(explorer))
        + sum((2 + 1 + lines(explorer, s)) * tables(explorer, s) for s in shown)
    )
    assert np.isfinite(result.scores).all()
    if explorer.normalise == "softmax":
        assert np.isfinite(result.weights).all()
        assert np.isfinite(result.context).all()
    plain = explorer.mask in ("none", "causal", "zero_weights_renormalised")
    if plain and explorer.axis == "rows" and not drops(explorer):
        sums = result.weights.sum(axis=-1)
        np.testing.assert_allclose(sums[np.isfinite(sums)], 1, rtol=1e-3)


def drops(explorer):
    return explorer.dropout_p > 0 and explorer.dropout_keep is not None


def tables(explorer, stage):
    """Count the tables of a stage: one a head of what is about pairs of words."""
    return explorer.heads if stage in SQUARES else 1


def lines(explorer, stage):
    if stage in INPUTS:
        return len(getattr(explorer, stage))
    alone = explorer.query is not None and stage not in ("keys", "values")
    return 1 if alone else len(explorer.tokens)


@contextmanager
def closing(explorer):
    """Forget a widget: ipywidgets would keep every one."""
    try:
        yield explorer
    finally:
        if explorer is not None:
            explorer.close()


# ---- made, set and set together ----


@given(OPTION)
def test_any_options_make_an_explorer_or_are_refused(options):
    made = None
    with refused(*options):
        made = explore("bank", **options)
    with closing(made):
        if made is not None:
            assert_sound(made)


@given(ANYTHING, st.none() | one_of(OPTIONS))
def test_anything_for_an_example_is_refused(example, option):
    with refused("example", *(option or ())[:1]):
        explore(example, **dict([option] if option else []))


def steps_of(explorer, step):
    """Return one way to change an explorer, and the names an error may hold."""
    kind, given = step
    if kind == "set":
        return lambda: setattr(explorer, *given), (given[0], *STATE)
    if kind == "load":
        return lambda: explorer.load(given), ("example", *STATE)
    if kind == "reset":
        return explorer.reset, STATE
    if kind == "sent":
        return lambda: explorer.set_state(given), STATE

    def together():
        with explorer.hold_trait_notifications():
            for name, value in given.items():
                setattr(explorer, name, value)

    return together, STATE


def fit(inputs):
    """Make an example of inputs, or leave them where they are none."""
    try:
        return Example(**{k: v for k, v in inputs.items() if k != "presets"})
    except ValueError:
        return inputs


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
PLAIN = one_of(
    STATE, JSON, {name: drawn.map(lambda x: sent(x)) for name, drawn in LIKELY.items()}
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), one_of(STATE)),
        st.tuples(st.just("together"), SOME | FITTING),
        st.tuples(st.just("sent"), st.lists(PLAIN, max_size=3).map(dict)),
        st.tuples(st.just("sent"), FITTING.map(lambda x: sent(x))),
        st.tuples(st.just("load"), SENTENCES.map(fit) | st.sampled_from([*examples])),
        st.tuples(st.just("load"), ANYTHING),
        st.tuples(st.just("reset"), st.none()),
    ),
    min_size=1,
    max_size=6,
)


def sent(value):
    """Return a value as the browser sends it: arrays are lists."""
    return json.loads(json.dumps(value, default=lambda x: x.tolist()))


@given(STEPS)
def test_any_change_is_made_or_refused_as_a_whole(steps):
    with closing(explore("bank")) as explorer:
        for step in steps:
            before = values(explorer)
            act, names = steps_of(explorer, step)
            done = False
            with refused(*names):
                act()
                done = True
            if not done:
                assert values(explorer) == before
            assert_sound(explorer)


@given(STEPS)
def test_what_is_accepted_gives_the_same_numbers_in_the_browser(engine_page, steps):
    seen = []
    with closing(explore("bank")) as explorer:
        for step in steps:
            act, names = steps_of(explorer, step)
            with refused(*names):
                act()
                if explorer.heads == 1:  # of heads: test_heads.py
                    seen.append(sent(values(explorer)))
    for state, stages in zip(seen, computed(engine_page, seen), strict=True):
        assert not wrong_stages(state, stages), (wrong_stages(state, stages), state)


@given(one_of(STATE))
def test_of_two_linked_explorers_both_stay_sound(change):
    name, value = change
    with closing(explore("bank")) as one, closing(explore("journey")) as two:
        with refused(*STATE):
            link((one, name), (two, name))
        with refused(*STATE):
            setattr(one, name, value)
        with refused(*STATE):
            setattr(two, name, value)
        assert_sound(one)
        assert_sound(two)


# ---- what was found once ----


def test_a_word_of_another_type_is_taken_for_what_it_holds():
    explorer = explore("bank", mask=Choice.CAUSAL, query=Choice.BANK)
    explorer.tokens = [*"ab", Choice.BANK, *"cd"]
    assert explorer.tokens == (*"ab", "bank", *"cd")
    assert {type(word) for word in (*explorer.tokens, explorer.mask)} == {str}


def test_reset_and_load_leave_room_for_what_is_shown():
    explorer = explore("bank")
    with explorer.hold_trait_notifications():
        explorer.tokens = (*explorer.tokens, "x")
        explorer.embeddings = (*explorer.embeddings, (0, 0, 0, 0))
    explorer.query = 5
    explorer.dropout_keep = np.ones((6, 6), bool)
    explorer.edit = ()
    explorer.reset()
    assert (explorer.query, explorer.dropout_keep, explorer.edit) == (None, None, ())
    assert explorer.changes == {}


def test_a_question_of_one_word_stays_one_where_words_get_fewer(page):
    options = {"query": "step", "predict": "largest_weight", "controls": ["example"]}
    explorer = explore("journey", **options)
    screen = show(page, explorer)
    screen.control("example").select_option("the cat sat")
    question = TEXT["questions"]["largest_weight"].format(query="sat")
    assert question in screen.part("question")
    assert_numpy(screen, explorer)
    assert explorer.query == 2
    explorer.load("journey")
    explorer.query = 5
    explorer.load("the cat sat")
    assert explorer.query == 2


def test_a_start_that_fits_nothing_is_refused():
    explorer = explore("bank")
    for broken in (
        None,
        explorer.start | {"embeddings": None},
        explorer.start | {"tokens": ["a"]},
        explorer.start | {"W_key": [[1.0]]},
    ):
        with pytest.raises(traitlets.TraitError, match="start"):
            explorer.start = broken
    explorer.reset()


def test_names_of_columns_that_fit_no_more_are_not_shown(engine_page):
    explorer = explore("bank")
    with pytest.raises(traitlets.TraitError, match="columns has 1 names for embedd"):
        explorer.columns = {"embeddings": ["a"]}
    with explorer.hold_trait_notifications():
        explorer.embeddings = np.ones((5, 2))
        explorer.W_query = explorer.W_key = explorer.W_value = None
    assert "x₁" in repr(explorer)
    assert "wet" not in repr(explorer)
    read = "state => helpers.labels(helpers.compute(state), 'embeddings').cols"
    assert engine_page.evaluate(read, sent(values(explorer))) == ["x₁", "x₂"]


def other_sizes():
    """Make an explorer whose matrices have other sizes than at the start."""
    explorer = explore(
        "bank",
        edit=["embeddings", "W_query"],
        controls=["multiply", "tie", "row"],
        slider={"min": -3, "max": 3, "step": 0.5},
    )
    with explorer.hold_trait_notifications():
        explorer.tokens = ("a", "b", "c")
        explorer.embeddings = np.arange(9).reshape(3, 3) / 10
        explorer.W_query = explorer.W_key = np.eye(3)
        explorer.W_value = np.ones((3, 1))
    return explorer


def test_hands_leave_matrices_of_other_sizes_than_at_the_start_whole(page):
    explorer = other_sizes()
    screen = show(page, explorer)
    assert screen.control("multiply").count() == 0
    screen.root.locator("[data-stage=embeddings] [data-handle]").nth(1).dblclick()
    screen.slider("embeddings", 1, 1).press("Shift+Delete")
    screen.slider("W_query", 2, 2).press("Delete")
    screen.control("stretch").press("ArrowRight")
    screen.control("tie").check()
    screen.control("tie").uncheck()
    assert_numpy(screen, explorer)
    assert len(explorer.tokens) == 3
    for stage in ("W_query", "embeddings"):
        explorer = other_sizes()
        screen = show(page, explorer)
        screen.drag(stage, 0, 0, 3)
        screen.root.locator(f"[data-stage={stage}] [data-action=reset-matrix]").click()
        assert_numpy(screen, explorer)
        assert explorer.tokens == explorer.start["tokens"]


def test_a_preset_for_another_size_is_not_offered(page):
    explorer = explore("bank", controls=["preset"])
    assert show(page, explorer).control("preset").locator("option").count() == 3
    with explorer.hold_trait_notifications():
        explorer.embeddings = np.ones((5, 2))
        explorer.W_query = explorer.W_key = explorer.W_value = None
    assert show(page, explorer).control("preset").locator("option").count() == 1


def test_other_inputs_come_without_what_belonged_to_the_example():
    explorer = explore(tokens=["a", "b"], embeddings=np.eye(2, 4))
    assert explorer.presets == {}
    assert explorer.columns == examples["bank"].columns
    plain = dict.fromkeys(["W_query", "W_key", "W_value"])
    assert explore(tokens=["a"], embeddings=[[1]], **plain).columns == {}


def test_column_names_are_distinct():
    with pytest.raises(ValueError, match="holds 'x' more than once; expected distinct"):
        Example(["a"], [[1, 2]], columns={"embeddings": ["x", "x"]})


def test_the_examples_come_with_their_menu_whenever_it_is_asked_for():
    explorer = explore("bank")
    explorer.controls = ["example"]
    assert set(page_state(explorer)["library"]) == set(examples)


def test_words_of_a_twin_keep_to_their_line():
    words = Example(["a\nb", "\u202ec", "d\u2069"], np.eye(3))
    explorer = explore(words, predict="last_word_changes")
    question = TEXT["questions"]["last_word_changes"].format(last="d�")
    assert repr(explorer).splitlines()[:2] == [
        TEXT["twin"].format(sentence="a␊b �c d�"),
        TEXT["lead"].format(question=question),
    ]
    assert twin.alternative(explorer).startswith("a␊b �c d�: embeddings.")


# ---- heat maps and exercises ----

HEATMAP = ["matrix", "rows", "columns", "title", "mask", "scale", "decimals"]


@given(st.dictionaries(st.sampled_from(HEATMAP), ANYTHING, max_size=3))
def test_any_arguments_make_a_heat_map_or_are_refused(arguments):
    picture = survive(heatmap, **{"matrix": np.eye(2)} | arguments)
    if picture is not None:
        picture.text.encode()
        picture.alt.encode()


@given(st.sampled_from([*EXERCISES]), ANYTHING)
def test_any_answer_is_judged(name, answer):
    answers = [answer, lambda *inputs: answer, type("C", (), {"__call__": answer})]
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for given_ in answers:
            result = check(name, given_)
            result.text.encode()
            assert result.status in ("passed", "not yet", "not attempted yet")
        repr(summary()).encode()


@given(ANYTHING)
def test_an_exercise_that_is_none_lists_those_there_are(name):
    with pytest.raises(ValueError, match=r"(?s)there is no exercise .*; expected one"):
        check(name, 1)


def test_an_answer_that_cannot_be_printed_is_judged():
    def fails(*rows):
        raise ValueError("\ud800")

    for name, answer in (("dot product", Number(7)), ("contexts", fails)):
        result = check(name, answer, record=False)
        assert result.status == "not yet"
        result.text.encode()
