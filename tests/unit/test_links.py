"""A link carries the whole explorer; what a stranger put into one is refused."""

import itertools
import json
import subprocess
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linked import (
    BOMB,
    DEFAULTS,
    GOOD,
    HOSTILE,
    PLAIN,
    options_of,
    packed,
    random_explorers,
)
from places import ROOT

from attention_helpers import Explorer, examples, explore
from attention_helpers.explorer import SITE, links


def assert_same(one: Explorer, other: Explorer) -> None:
    """Also to the last digit, and of the same types."""
    for name, value in options_of(one).items():
        assert repr(getattr(other, name)) == repr(value) or name in ("start", "goal")
        assert getattr(other, name) == value, name


# ---- to and fro ----


def test_every_example_is_a_short_link():
    for name, example in examples.items():
        for options in ({}, {"query": 0, "mask": "causal", "controls": ["example"]}):
            explorer = explore(name, **options)
            address = explorer.link()
            assert len(address) < 1000, name
            assert_same(explorer, Explorer.from_link(address))
        explorer.embeddings = example.embeddings + np.pi
        for matrix in ("W_query", "W_key", "W_value"):
            if getattr(explorer, matrix):
                moved = np.array(getattr(explorer, matrix)) + np.pi / 7
                setattr(explorer, matrix, moved)
        assert len(explorer.link()) < 2000, name
        assert_same(explorer, Explorer.from_link(explorer.link()))


def test_whatever_an_explorer_is_a_link_brings_it_back():
    differed = set()
    for explorer in random_explorers(32):
        address = explorer.link()
        again = Explorer.from_link(address)
        assert_same(explorer, again)
        assert again.link() == address
        differed |= {k for k, x in options_of(explorer).items() if x != DEFAULTS[k]}
        np.testing.assert_array_equal(
            again.attention.context, explorer.attention.context
        )
    rare = {"goal", "start", "presets", "slider", "losses", "dropout_keep", "predicted"}
    assert rare | {"columns", "stages", "step", "W_value", "example"} <= differed


def test_a_base_of_your_own():
    explorer = explore("bank")
    published, _, state = explorer.link().partition("#")
    assert published == f"{SITE}/explorer.html"
    for base in ("http://localhost:8000", "http://localhost:8000/"):
        assert explorer.link(base) == f"http://localhost:8000/explorer.html#{state}"
    with pytest.raises(ValueError, match=r"base is 3; expected an address"):
        explorer.link(3)


def test_the_sites_address_stands_once():
    listed = subprocess.run(
        ["git", "grep", "-l", SITE, "--", "*.py", "*.js", "*.j2", "*.toml", "*.yml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert listed.stdout.split() == ["attention_helpers/static/site.js"]


@pytest.mark.parametrize(
    "before", ["", "#", "explorer-3=", "x.html?embed#EXPLORER-3%3D"]
)
def test_any_part_of_an_address_from_a_page_will_do(before):
    half = len(GOOD) // 2
    for mailed in (GOOD, f"{GOOD}\n", f"{GOOD[:half]}\r\n  {GOOD[half:]}"):
        assert Explorer.from_link(before + mailed).tokens == ("a", "b")
    assert Explorer.from_link(f"<{before}{GOOD}>").tokens == ("a", "b")


def test_what_a_page_has_besides_is_passed_over():
    explorer = Explorer.from_link(packed(json.dumps(PLAIN | {"tied": True})))
    assert explorer.tokens == ("a", "b")


def test_a_long_history_is_left_out_and_too_many_numbers_are_refused():
    explorer = explore("bank", goal={"weights": {"bank": "river"}})
    losses = np.random.default_rng(0).uniform(size=5000)
    explorer.losses = losses[:40]
    assert Explorer.from_link(explorer.link()).losses == explorer.losses
    explorer.losses = losses
    assert len(explorer.link().partition("#")[2]) <= links.MOST_CHARACTERS
    assert Explorer.from_link(explorer.link()).losses == ()
    assert Explorer.from_link(explorer.link()).goal == explorer.goal
    large = np.random.default_rng(0).normal(size=(32, 300))
    tokens = [str(k) for k in range(32)]
    plain = examples["bank"].without_matrices()
    options = {"tokens": tokens, "embeddings": large, "columns": {}}
    with pytest.raises(ValueError, match="too much for a link of 16000 characters"):
        explore(plain, **options).link()


@pytest.mark.parametrize("limit", ["MOST_CHARACTERS", "MOST_BYTES"])
def test_what_just_fits_a_link_is_linked(limit, monkeypatch):
    explorer = explore("bank")
    address = explorer.link().partition("#")[2]
    text = json.dumps(links.decode(address), separators=(",", ":"))
    least = len(address if limit == "MOST_CHARACTERS" else text)
    monkeypatch.setattr(links, limit, least)
    assert explorer.link().endswith(address)
    monkeypatch.setattr(links, limit, least - 1)
    with pytest.raises(ValueError, match="too much for a link"):
        explorer.link()


def test_names_that_fit_no_more_are_left_out():
    explorer = explore("bank")
    explorer.W_value = [[1, 2, 3]] * 4
    assert "W_value" in explorer.columns
    again = Explorer.from_link(explorer.link())
    assert again.columns.keys() == explorer.columns.keys() - {"W_value"}
    assert again.W_value == explorer.W_value


# ---- a stranger's address ----


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_address_is_refused_in_words(name):
    with pytest.raises(ValueError, match=r"^address .*; expected") as error:
        Explorer.from_link(f"{SITE}/explorer.html#{HOSTILE[name]}")
    assert len(str(error.value)) < 600


@pytest.mark.parametrize("address", [None, 3, b"abc.1", ["abc.1"], "", "#", SITE])
def test_what_is_no_link_is_refused(address):
    with pytest.raises(ValueError, match=r"^address .*; expected one from link"):
        Explorer.from_link(address)


def test_a_bomb_is_stopped_soon():
    assert len(BOMB) < links.MOST_CHARACTERS
    tracemalloc.start()
    start = time.perf_counter()
    with pytest.raises(ValueError, match="more than any explorer"):
        Explorer.from_link(BOMB)
    assert time.perf_counter() - start < 1
    assert tracemalloc.get_traced_memory()[1] < 2e6
    tracemalloc.stop()


def opens(address: str) -> None:
    """An explorer or a sentence, nothing else; and the explorer is a whole one."""
    try:
        explorer = Explorer.from_link(address)
    except ValueError as error:
        said = str(error)
    else:
        said = "address "
        assert_same(explorer, Explorer.from_link(explorer.link()))
    assert said.startswith("address ")


STATES = st.text("ABCDwxyz0189_-", max_size=40).map(lambda text: f"{text}.1")


@given(st.text(max_size=60) | STATES)
@settings(max_examples=100)
def test_any_text(text):
    opens(text)


LINK = explore("bank", goal={"weights": {"bank": "river"}}, query=1).link()


@given(st.data())
@settings(max_examples=40)
def test_a_link_with_other_characters(data):
    state = LINK.partition("#")[2]
    k = data.draw(st.integers(0, len(state) - 1))
    other = data.draw(st.sampled_from("AZaz09-_.=%"))
    kept = data.draw(st.sampled_from([0, 1, 7]))
    opens(state[:k] + other + state[k + kept :])


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**400), 10**400)
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["a", "b", "__proto__", "causal", "weights", "", "\0", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "weights", "min"]), inner)
    ),
    max_leaves=6,
)


@given(st.sampled_from([*DEFAULTS, "tied", "library", "reach", "__class__"]), JSON)
@settings(max_examples=100)
def test_any_value_in_any_field(name, value):
    opens(packed(json.dumps(PLAIN | {name: value})))


@given(JSON)
@settings(max_examples=40)
def test_any_json(value):
    opens(packed(json.dumps(value)))


def test_every_field_is_looked_at():
    """A wrong value in any field is refused: none is taken as it comes."""
    strange = [{"x": [[]]}, [{"x": 1}], 1e300, -7]
    for name, value in itertools.product(DEFAULTS, strange):
        if (name, value) == ("rate", 1e300):
            continue
        with pytest.raises(ValueError, match=r"^address"):
            Explorer.from_link(packed(json.dumps(PLAIN | {name: value})))
