"""Chapter 6's exercises in the explorer: what passes, what is told."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from attention_helpers import descend, examples, explore, gradients, softmax
from attention_helpers.exercises import check
from attention_helpers.exercises.judge.wishes import learned

BANK = examples["bank"]
ERASED = replace(BANK, W_query=np.zeros((4, 2)))
COINS = {"weights": {2: 0}}


def by_hand(W_query, **more):
    explorer = explore(ERASED, query="bank", edit=["W_query"], slopes=True)
    explorer.W_query = W_query
    for name, value in more.items():
        setattr(explorer, name, value)
    return explorer


def said(result):
    return " ".join(result.text.split())


# ---- bank to coins ----


def slid(move):
    """Follow the heaviest arrow to coins; the losses on the way."""
    W_query, losses = np.zeros((4, 2)), []
    for _ in range(9):
        found = gradients(
            BANK.embeddings, W_query, BANK.W_key, BANK.W_value, goal=COINS
        )
        losses.append(found.loss)
        at = np.unravel_index(abs(found.W_query).argmax(), (4, 2))
        W_query[at] -= move * np.sign(found.W_query[at])
    found = gradients(BANK.embeddings, W_query, BANK.W_key, goal=COINS)
    return W_query, [*losses, found.loss]


def test_the_heaviest_arrow_leads_there_in_nine_moves_and_may_first_raise_the_loss():
    W_query, losses = slid(0.5)
    assert losses[-1] == pytest.approx(0.07, abs=0.006)
    assert check("coins wish", by_hand(W_query)).status == "passed"
    losses = slid(1)[1]
    assert losses[4] > losses[3]
    assert min(losses[:6]) == pytest.approx(0.06, abs=0.006)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda: by_hand([[0, 0], [0, 0], [2.5, 1], [0, 0]]), "leads to river"),
        (lambda: by_hand([[0, 0], [0, 0], [1.5, -2.5], [0, 0]]), "point both ways"),
        (
            lambda: by_hand([[0, 0], [0, 0], [1.5, -3], [0, 0]], W_key=BANK.W_key * 2),
            "W_key stays as it is",
        ),
        (
            lambda: by_hand(
                [[0, 0], [0, 0], [1.5, -3], [0, 0]], embeddings=BANK.embeddings * 2
            ),
            "embeddings stays as it is",
        ),
        (
            lambda: by_hand([[0, 0], [0, 0], [1.5, -3], [0, 0]], divide_by="1"),
            "Set divide_by back to 'sqrt_d_k'",
        ),
        (
            lambda: by_hand([[0, 0], [0, 0], [1.5, -3], [0, 0]], heads=2),
            "Set heads back to 1",
        ),
        (  # what is left over makes of a share a 2.13
            lambda: by_hand(
                [[0.1, 0], *[[0, 0]] * 3],
                dropout_p=0.9,
                dropout_keep=np.eye(1, 5).repeat(5, 0) > 0,
            ),
            "Set dropout_p back to 0.0",
        ),
        (lambda: explore("journey"), "Run the cell that makes the explorer again"),
        (lambda: 0.07, "Give check the explorer itself"),
    ],
)
def test_what_does_not_lead_to_coins_is_told(answer, words):
    result = check("coins wish", answer())
    assert result.status == "not yet"
    assert words in said(result)


def test_nothing_moved_is_not_attempted():
    for answer in (explore(ERASED), None, ...):
        assert check("coins wish", answer).status == "not attempted yet"


# ---- two wishes ----


def wished(*pairs):
    names = {BANK.tokens[i]: BANK.tokens[j] for i, j in pairs}
    return explore(BANK, goal={"weights": names})


CAN = (0, 2, 4)  # coins, bank, river: on and by cannot be told apart


def ends(pairs):
    """Learn each pair of wishes as `learned` does, all at once; the last losses."""
    small = np.random.default_rng(0).normal(scale=0.1, size=(2, 4, 2)).round(2)
    W_query, W_key = (np.repeat(W[None], len(pairs), axis=0) for W in small)
    X, wanted = BANK.embeddings, np.zeros((len(pairs), 5, 5))
    for k, pair in enumerate(pairs):
        for row, column in pair:
            wanted[k, row, column] = 1 / len(pair)
    for step in range(501):
        queries, keys = X @ W_query, X @ W_key
        shares = softmax(queries @ keys.mT / np.sqrt(2))
        if step < 500:
            slopes = shares * wanted.sum(axis=-1, keepdims=True) - wanted
            slopes /= np.sqrt(2)
            W_query = W_query - 0.5 * X.T @ (slopes @ keys)
            W_key = W_key - 0.5 * X.T @ (slopes.mT @ queries)
    return -(wanted * np.log(shares)).sum(axis=(1, 2))


def test_of_pairs_that_can_be_learned_alone_those_of_the_twins_exclude_each_other():
    pairs = [
        ((i, a), (j, b))
        for i, j in combinations(range(5), 2)
        for a, b in product(CAN, repeat=2)
    ]
    twins = [((1, a), (3, b)) for a, b in product(CAN, repeat=2)]
    others = [pair for pair in pairs if pair not in twins]
    assert len(others) == 81
    assert (ends(others) < 0.1).all()
    some = others[:3]
    assert ends(some) == pytest.approx([learned(*pair) for pair in some])
    swings = 0.02  # above log 2, where rounding decides when a swing comes
    assert ends(twins) == pytest.approx([learned(*pair) for pair in twins], abs=swings)
    for (i, a), (j, b) in twins:
        result = check("two wishes", wished((i, a), (j, b)))
        assert result.status == ("not yet" if a == b else "passed")
        assert ("stop at a loss of" in result.text) == (a != b)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda: wished((1, 0), (3, 0)), "Both are learned together"),
        (lambda: wished((0, 4), (2, 4)), "Both are learned together"),
        (lambda: wished((0, 1), (2, 4)), "coins → on alone ends at a loss of 0.69"),
        (lambda: wished((1, 0)), "1 wish about attention weights"),
        (lambda: wished((0, 2), (1, 2), (2, 4)), "3 wishes about attention weights"),
        (
            lambda: explore(BANK, goal={"weights": {"bank": ["coins", "river"]}}),
            "2 wishes about attention weights, in one row",
        ),
        (
            lambda: explore(BANK, goal={"context": {"bank": "wet"}}),
            "0 wishes about attention weights",
        ),
        (
            lambda: explore(
                replace(BANK, embeddings=BANK.embeddings + np.eye(5, 4)),
                goal={"weights": {"on": "coins", "by": "bank"}},
            ),
            "The embeddings stay",
        ),
        (lambda: {"on": "coins", "by": "bank"}, "Give check the explorer itself"),
    ],
)
def test_what_is_no_such_pair_is_told(answer, words):
    result = check("two wishes", answer())
    assert result.status == "not yet"
    assert words in said(result)


def test_no_wish_is_not_attempted():
    assert check("two wishes", explore(BANK)).status == "not attempted yet"


# ---- what the chapter says beside its outputs ----


def test_sloppy_hands_arrive_within_ten_moves():
    rng, moves = np.random.default_rng(6), []
    for _ in range(200):
        W_query, count = np.zeros((4, 2)), 0
        while True:
            found = gradients(
                BANK.embeddings, W_query, BANK.W_key, goal={"weights": {2: 4}}
            )
            if found.loss < 0.1 or count > 20:
                break
            heavy = np.argsort(-abs(found.W_query), axis=None)[:3]
            at = np.unravel_index(rng.choice(heavy), (4, 2))
            W_query[at] -= rng.choice([0.5, 1]) * np.sign(found.W_query[at])
            count += 1
        moves.append(count)
    assert np.median(moves) == 6
    assert np.mean(np.array(moves) <= 10) > 0.98


def test_the_loss_of_a_context_has_a_floor():
    way = descend(
        BANK.embeddings,
        np.full((4, 2), 0.1),
        BANK.W_key,
        BANK.W_value,
        goal={"context": {2: 0}},
        rate=0.5,
        steps=300,
    )
    floor = -np.log(np.exp(3) / (np.exp(3) + 1))
    assert floor == pytest.approx(0.0486, abs=5e-5)
    assert way.losses.min() > floor
