"""The laboratory of d_k without a browser: what it draws, measures, refuses, says."""

import json
import math
import re

import numpy as np
import pytest
import traitlets

from attention_helpers import ScaleLaboratory, average_rows, scale_laboratory
from attention_helpers.explorer.laboratory import HIDDEN, STATE
from attention_helpers.facts import TEXT
from attention_helpers.heatmap import Picture
from attention_helpers.random_rows import effective_words, random_rows

# ---- the draws ----


def mixed(bits: int) -> int:
    """Mix one number, in whole numbers of any size."""
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        bits = (bits ^ bits >> shift) * factor % 2**32
    return bits ^ bits >> 16


def drawn(seed: int, row: int, place: int, k: int) -> float:
    """Draw one number: place 0 is the query, the others are keys."""
    count = (row * 7 + place) * 512 + k // 2 * 2
    near, turn = (
        (mixed(count + i ^ mixed(seed ^ 0x9E3779B9)) + 0.5) / 2**32 for i in (0, 1)
    )
    of_angle = math.sin if k % 2 else math.cos
    return math.sqrt(-2 * math.log(near)) * of_angle(2 * math.pi * turn)


@pytest.mark.parametrize("seed", [0, 15, 2**32 - 1])
def test_every_number_is_drawn_by_itself(seed):
    queries, keys = random_rows(9, 5, seed)
    assert (queries.shape, keys.shape) == ((5, 9), (5, 6, 9))
    for row, k in (0, 0), (4, 1), (2, 8), (3, 7):
        assert queries[row, k] == pytest.approx(drawn(seed, row, 0, k), rel=1e-12)
        for j in (0, 5):
            wanted = drawn(seed, row, 1 + j, k)
            assert keys[row, j, k] == pytest.approx(wanted, rel=1e-12)


def test_a_longer_row_begins_as_a_shorter_one():
    long, short = random_rows(512, 20, 3), random_rows(5, 20, 3)
    for a, b in zip(long, short, strict=True):
        assert (a[..., :5] == b).all()
    more, few = random_rows(8, 300, 3), random_rows(8, 20, 3)
    for a, b in zip(more, few, strict=True):
        assert (a[:20] == b).all()


def test_the_numbers_have_mean_0_and_spread_1_and_go_their_own_ways():
    queries, keys = random_rows(512)
    all_of_them = np.concatenate([queries[:, None], keys], axis=1)
    assert abs(all_of_them.mean()) < 0.005
    assert all_of_them.std() == pytest.approx(1, abs=0.005)
    inside = [(abs(all_of_them) < x).mean() for x in (1, 2, 3)]
    assert inside == pytest.approx([0.6827, 0.9545, 0.9973], abs=0.002)
    beside = np.corrcoef(all_of_them.reshape(-1, 512)[:, :40].T)
    assert abs(beside - np.eye(40)).max() < 0.1
    scores = np.einsum("rjk,rk->rj", keys, queries)
    assert scores.std() == pytest.approx(np.sqrt(512), rel=0.05)
    other, _ = random_rows(512, seed=16)
    assert abs(np.corrcoef(queries.ravel(), other.ravel())[0, 1]) < 0.01


# ---- the averages ----


@pytest.mark.parametrize("d_k", [2, 7, 512])
def test_the_averages_are_those_of_a_loop(d_k):
    queries, keys = random_rows(d_k, 30, 4)
    for name, by in (("1", 1), ("sqrt_d_k", math.sqrt(d_k)), ("d_k", d_k)):
        shares, words, frozen = np.zeros(6), 0.0, 0
        for query, six in zip(queries, keys, strict=True):
            rows = []
            for nudge in (0, 0.1):
                nudged = query.copy()
                nudged[0] += nudge
                scores = [
                    sum(a * b for a, b in zip(nudged, key, strict=True)) / by
                    for key in six
                ]
                exponentials = [math.exp(score - max(scores)) for score in scores]
                rows.append([x / sum(exponentials) for x in exponentials])
            before, after = rows
            shares += sorted(before, reverse=True)
            words += math.exp(-sum(x * math.log(x) for x in before if x > 0))
            moved = max(abs(a - b) for a, b in zip(before, after, strict=True))
            frozen += moved < 1e-4
        average = average_rows(d_k, rows=30, seed=4)[name]
        np.testing.assert_allclose(average.weights, shares / 30, rtol=1e-9, atol=1e-15)
        assert average.effective_words == pytest.approx(words / 30, rel=1e-9)
        assert average.frozen == frozen / 30


def test_many_other_rows_say_the_same():
    """What the chapter says of 400 rows is no luck of theirs."""
    many = average_rows(512, rows=1000, seed=99)
    frozen = [many[name].frozen for name in ("1", "sqrt_d_k", "d_k")]
    assert frozen == pytest.approx([2 / 3, 0, 1], abs=0.03)
    for d_k, wanted in (2, [4.1, 4.7, 5.2]), (512, [1.1, 4.4, 6.0]):
        found = average_rows(d_k, rows=1000, seed=99).values()
        words = [row.effective_words for row in found]
        assert words == pytest.approx(wanted, abs=0.1)


def test_a_share_of_0_counts_nothing():
    with np.errstate(all="raise"):
        assert effective_words(np.array([1.0, 0, 0, 0, 0, 0])) == 1
        assert effective_words(np.full(6, 1 / 6)) == pytest.approx(6)


# ---- what it takes ----


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"d_k": 1}, "d_k is 1; expected a whole number from 2 to 512"),
        ({"d_k": 513}, "d_k is 513; expected a whole number from 2 to 512"),
        ({"d_k": 2.5}, "d_k is 2.5"),
        ({"d_k": True}, "d_k is True"),
        ({"d_k": "64"}, "d_k is '64'"),
        ({"rows": 0}, "rows is 0; expected a whole number from 1 to 1000"),
        ({"seed": -1}, "seed is -1; expected a whole number from 0 to 4294967295"),
        ({"divisors": []}, "divisors is []; expected at least one"),
        ({"divisors": ["2"]}, "expected a list of any of 1, sqrt_d_k, d_k"),
        ({"predict": "largest_weight"}, "expected any of ['effective_words', 'cure']"),
        ({"large": "no"}, "large is 'no'; expected a boolean"),
        ({"start": {"d_k": 2}}, "start is {'d_k': 2}; expected a dict of d_k and seed"),
        ({"start": {"d_k": 2, "seed": -1}}, "seed is -1"),
        ({"tokens": ["a"]}, "unknown option tokens; expected any of d_k, rows, seed"),
    ],
)
def test_a_bad_option_is_refused_in_words(options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        scale_laboratory(**options)
    if "tokens" not in options:
        (name, value), laboratory = *options.items(), ScaleLaboratory()
        before = getattr(laboratory, name)
        with pytest.raises(traitlets.TraitError):
            setattr(laboratory, name, value)
        assert getattr(laboratory, name) == before


@pytest.mark.parametrize("name", ["d_k", "rows", "seed"])
def test_average_rows_refuses_the_same(name):
    numbers = {"d_k": 2} | {name: -5}
    with pytest.raises(ValueError, match=f"{name} is -5; expected a whole number"):
        average_rows(numbers.pop("d_k"), **numbers)


def test_it_starts_where_it_was_made_and_shares_the_code():
    one, two = scale_laboratory(d_k=64, seed=3), ScaleLaboratory()
    assert one.start == {"d_k": 64, "seed": 3}
    assert one._code is two._code
    assert one.divisors == ("1", "sqrt_d_k", "d_k")
    one.divisors = ["d_k", "1"]
    assert one.divisors == ("1", "d_k")
    assert one.averages.keys() == average_rows(64).keys()
    state = {name: getattr(one, name) for name in STATE}
    assert json.loads(json.dumps(state))["d_k"] == 64


# ---- what stays still ----

FIRST = "÷ 1 0.4603 0.2158 0.1320 0.0914 0.0623 0.0381 4.1107 0"


def lines(laboratory):
    return [" ".join(line.split()) for line in repr(laboratory).splitlines()]


def test_the_twin_states_the_numbers():
    said = lines(scale_laboratory())
    assert said[0] == "laboratory: 400 random queries, six keys each, d_k = 2"
    assert any(line.startswith(FIRST) for line in said)
    assert [line[:4] for line in said[-2:]] == ["÷ √d", "÷ d_"]


@pytest.mark.parametrize("predict", HIDDEN)
def test_the_twin_of_a_question_hides_what_it_asks_about(predict):
    laboratory = scale_laboratory(predict=predict, d_k=512)
    said = repr(laboratory)
    assert TEXT["laboratory"]["asked"][predict] in said
    assert ("÷ 1 " in said) == (predict == "cure")
    assert "÷ √d_k" not in said
    laboratory.predicted = "fewer"
    assert lines(laboratory)[-2].startswith("÷ √d_k 0.4198")
    assert "Before you look" not in repr(laboratory)


def test_the_picture_shows_the_same(monkeypatch):
    monkeypatch.setenv("ATTENTION_HELPERS_PNG", "1")
    data, metadata = scale_laboratory(d_k=512)._repr_mimebundle_()
    assert data["text/plain"] == repr(scale_laboratory(d_k=512))
    assert 1_000 < len(data["image/png"]) < 40_000
    assert metadata["image/png"]["alt"].endswith("d_k = 512: ÷ 1, ÷ √d_k, ÷ d_k.")
    data, metadata = scale_laboratory(predict="cure")._repr_mimebundle_()
    assert "Question: What keeps" in metadata["image/png"]["alt"]
    data, _ = scale_laboratory(predict="effective_words")._repr_mimebundle_()
    assert "image/png" not in data  # there is nothing to draw
    drawn = []
    monkeypatch.setattr(Picture, "png", lambda picture: drawn.append(picture) or b"")
    scale_laboratory(d_k=512)._repr_mimebundle_()
    panels = drawn[0].panels  # of each the full colour means the most there can be
    assert [drawn[0].end(panel.scale) for panel in panels] == [1, 6, 1]
