"""Predict first: questions, their choices and answers, against NumPy."""

import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from places import ROOT
from states import (
    COMBINATIONS,
    TAME,
    State,
    ask,
    in_batches,
    plain_state,
    random_states,
    seen_by,
)
from test_engine import attention_of, explorer_of
from test_slopes import loss_of
from test_words import listed, percent, top_of
from traitlets import TraitError
from words import TEXT, judged, like

from attention_helpers import examples, explore
from attention_helpers import explorer as python
from attention_helpers.explorer import twin
from attention_helpers.explorer.traits import NEEDS

ASKED = """state => {
    const S = helpers.compute(state);
    const asked = helpers.question(S);
    if (!asked) return null;
    const choices = asked.choices(S);
    const answers = [...choices.map(choice => choice.value), helpers.UNSURE];
    return {
        text: helpers.questionText(S), choices,
        right: asked.right(S), result: asked.result(S),
        skipped: helpers.verdict(S, helpers.SKIPPED), locked: helpers.isLocked(S),
        verdicts: answers.map(said => helpers.verdict(S, said)),
    };
}"""
W_OF = {
    "double_W_query": "W_query",
    "double_W_key": "W_key",
    "double_W_value": "W_value",
}
SHOWN = ["queries", "keys", "values", "scores", "weights", "context"]


def with_goals(states):
    """Give half of the states that may have a goal one."""
    for k, state in enumerate(states):
        plain = state["normalise"] == "softmax" and state["axis"] == "rows"
        tokens, firsts = state["tokens"], seen_by(state).argmax(axis=1)
        goal = {"weights": {tokens[i]: tokens[firsts[i]] for i in (0, -1)}}
        yield state | ({"goal": goal} if plain and k % 2 else {})


def fits(state, predict) -> bool:
    """Whether a state can be asked a question."""
    here = {"second word": len(state["tokens"]) > 1 or None}
    here |= state | {"number to move": state["edit"] or None}
    return all(here[need] is not None for need in NEEDS.get(predict, ()))


def answers_of(page, predict, more=(), **options):
    """Yield (state, its weights by NumPy, what the browser asks and answers)."""
    states = list(with_goals(random_states(len(COMBINATIONS), seed=20, **options)))
    states += more
    for state in states:
        state["predict"] = predict
    for state, asked in zip(states, in_batches(page, ASKED, states), strict=True):
        assert (asked is not None) == fits(state, predict)
        if asked is not None:
            yield state, attention_of(state)["weights"], asked


def check_verdicts(asked):
    """Check every answer's sentence: what was said, what is, and why not."""
    result, told = asked["result"], TEXT["verdicts"]
    *verdicts, unsure = asked["verdicts"]
    said = TEXT["answers"]["unsure"]
    plain = {"kind": "skipped", "text": told["skipped"].format(result=result)}
    assert asked["skipped"] == plain
    plain = told["unsure"].format(said=said, result=result)
    assert unsure == {"kind": "unsure", "text": plain}
    for choice, verdict in zip(asked["choices"], verdicts, strict=True):
        kind = "right" if choice["value"] in asked["right"] else "wrong"
        start = judged(kind, result, choice["text"])
        assert verdict["kind"] == kind
        assert verdict["text"].startswith(start)
        why = verdict["text"].removeprefix(start).lstrip()
        assert kind == "right" or why or asked["result"] == TEXT["answers"]["true"]
        assert not why or (len(why) > 20 and why.endswith("."))


def values_of(asked) -> list[str]:
    values = [choice["value"] for choice in asked["choices"]]
    assert len(set(values)) == len(values)
    return values


# ---- what NumPy answers ----


def largest_of(state) -> list[int]:
    """Return the places of the largest shares of the word that asks."""
    line = attention_of(state)["weights"][state["query"]]
    return [] if np.isnan(line).any() else top_of(line)


def selfish(state) -> list[int]:
    weights = attention_of(state)["weights"]
    return [i for i, line in enumerate(weights) if i in top_of(line)]


def moved_by_doubling(state, W) -> list[str]:
    """Return the stages that move when a matrix is doubled."""
    before = attention_of(state)
    after = attention_of(state | {W: (2 * np.array(state[W])).tolist()})
    return [
        stage
        for stage in SHOWN
        if (np.nan_to_num(abs(after[stage] - before[stage])) > 1e-9).any()
    ]


def moved_rows(state) -> list[int]:
    """Change the last word at random; return the rows whose context moves."""
    rng = np.random.default_rng(22)
    before = attention_of(state)["context"]
    embeddings = np.array(state["embeddings"])
    embeddings[-1] += rng.uniform(0.3, 1.1, embeddings.shape[1])
    after = attention_of(state | {"embeddings": embeddings.tolist()})["context"]
    with np.errstate(invalid="ignore"):
        still = (abs(after - before) <= 1e-12) | (np.isnan(after) & np.isnan(before))
    return np.flatnonzero(~still.all(axis=1)).tolist()


def kind_of_rows(state) -> str:
    n, rows = len(state["tokens"]), moved_rows(state)
    if len(rows) in (0, n):
        return "all" if rows else "none"
    return "last" if rows == [n - 1] else "some"


def leak_of(state) -> float:
    """Return what the first word gives to later ones when their scores are 0."""
    plain = {"mask": "zero_scores", "normalise": "softmax", "axis": "rows"}
    return attention_of(state | plain | {"dropout_p": 0})["weights"][0, 1:].sum()


def raised_losses(state) -> list[float]:
    """Return the loss once the first number of each word is up by 0.5."""
    losses = []
    for k in range(len(state["embeddings"])):
        raised = np.array(state["embeddings"], float)
        raised[k, 0] += 0.5
        losses.append(loss_of(state | {"embeddings": raised.tolist()}))
    return losses


def steepest_of(state) -> list[int]:
    """Return the rows that help most; none where all help the same."""
    losses, best = raised_losses(state), min(raised_losses(state))
    top = [k for k, loss in enumerate(losses) if loss - best <= 1e-9 * best]
    return top if len(top) < len(losses) else []


class Oracle(NamedTuple):
    """Which answers are right, and for what states NumPy can tell."""

    right: Callable[[State], list[str]]
    numbers: list[str] | None = None  # any
    tokens: list[int] | None = None


def words_of(state, rows) -> list[str]:
    return [state["tokens"][k] for k in rows]


ORACLES = {
    "largest_weight": Oracle(lambda state: words_of(state, largest_of(state))),
    "most_to_themselves": Oracle(
        lambda state: [str(n) if (n := len(selfish(state))) <= 8 else "more"],
        tokens=[1, 3, 8, 9, 32],
    ),
    **{
        predict: Oracle(
            lambda state, W=W: [",".join(moved_by_doubling(state, W))],
            numbers=[*TAME, "zeros"],
        )
        for predict, W in W_OF.items()
    },
    "last_word_changes": Oracle(
        lambda state: [kind_of_rows(state)], numbers=["positive"], tokens=[2, 3, 5]
    ),
    "zero_scores_hide": Oracle(lambda state: ["false" if leak_of(state) else "true"]),
    "steepest": Oracle(
        lambda state: words_of(state, steepest_of(state)) or [TEXT["answers"]["same"]],
        numbers=[*TAME, "zeros"],
    ),
}


def judged_answers(page, predict, more=()):
    """Yield the same as `answers_of`, once the page says what NumPy says is right."""
    if predict not in ORACLES:
        here = Path(__file__).relative_to(ROOT).as_posix()
        pytest.fail(
            f"no test knows which answers to {predict!r} are right: write it in NumPy,"
            f" as an entry of ORACLES in {here}"
        )
    right, *among = ORACLES[predict]
    options = dict(zip(Oracle._fields[1:], among, strict=True))
    for state, weights, asked in answers_of(page, predict, more, **options):
        assert asked["right"] == right(state), state
        yield state, weights, asked


def test_every_question_of_the_page_has_an_oracle(engine_page):
    names = engine_page.evaluate("Object.keys(helpers.QUESTIONS)")
    assert sorted(names) == sorted(ORACLES), "ORACLES has one entry a question"


@pytest.mark.parametrize("predict", python.QUESTIONS)
def test_what_is_right_is_what_numpy_says(engine_page, predict):
    rights = [asked["right"] for _, _, asked in judged_answers(engine_page, predict)]
    assert len(rights) > 10


@pytest.mark.parametrize("predict", python.QUESTIONS)
def test_a_right_answer_is_always_among_the_choices(engine_page, predict):
    for state, weights, asked in answers_of(engine_page, predict):
        assert asked["locked"]
        one_row = "query" in NEEDS.get(predict, ())
        if one_row and np.isnan(weights[state["query"]]).any():
            continue  # where a share is undefined, no word is right
        assert asked["right"], state
        assert set(asked["right"]) <= set(values_of(asked)), state
        check_verdicts(asked)


@cache
def some_explorers(step, count, seed, *sizes):
    """Return states, and an explorer of each, which asks nothing yet."""
    picked = {"tokens": sizes, "combinations": COMBINATIONS[step::5]}
    states = list(with_goals(random_states(count, seed=seed, **picked)))
    return states, [explorer_of(state) for state in states]


@pytest.mark.parametrize("predict", python.QUESTIONS)
def test_python_refuses_what_the_page_would_not_ask(engine_page, predict):
    states, explorers = some_explorers(0, 50, 23, 1, 2, 5)
    asks = "state => helpers.question(helpers.compute(state)) !== null"
    given = [state | {"predict": predict} for state in states]
    asked = list(in_batches(engine_page, asks, given))
    for explorer, fits_the_page in zip(explorers, asked, strict=True):
        if fits_the_page:
            explorer.predict = predict
            assert explorer.predict == predict
        else:
            with pytest.raises(TraitError, match=f"predict is '{predict}', but there"):
                explorer.predict = predict
    assert len(set(asked)) == (2 if predict in NEEDS else 1)


@pytest.mark.parametrize("predict", python.QUESTIONS)
def test_questions_are_asked_in_the_words_of_the_text_twin(engine_page, predict):
    pairs = zip(*some_explorers(1, 60, 21, 2, 6), strict=True)
    pairs = [(state, twin) for state, twin in pairs if fits(state, predict)]
    assert len(pairs) > 5
    given = [state | {"predict": predict} for state, _ in pairs]
    answers = in_batches(engine_page, ASKED, given)
    for (_, explorer), asked in zip(pairs, answers, strict=True):
        explorer.predict = predict
        assert repr(explorer).splitlines()[1] == TEXT["lead"].format(
            question=asked["text"]
        )


def test_the_row_in_which_a_wish_is_helped_most(engine_page):
    """Any matrix that is edited; numbers that tell the rows apart, and zeros."""
    same = 0
    for state, _, asked in judged_answers(engine_page, "steepest"):
        rows = [*state["tokens"], TEXT["answers"]["same"]]
        assert values_of(asked) == rows
        if asked["right"] == rows[-1:]:
            same += 1
            assert asked["result"] == rows[-1]
            continue
        alone = sum(map(len, state["goal"].values())) == 1
        for loss in (min(raised_losses(state)), loss_of(state)):
            said = f"{math.exp(-loss):.2f}" if alone else twin.loss_text(loss)
            assert said in asked["result"]
    assert same > 5


def test_of_the_numbers_of_what_kind_place_helps_bank_most(engine_page):
    """42 % against 31, 31 and 20."""
    bank = examples["bank"]
    options = {"query": "bank", "goal": {"weights": {"bank": "river"}}}
    explorer = explore(
        bank, W_query=np.zeros((4, 2)), edit=["W_query"], predict="steepest", **options
    )
    asked = ask(engine_page, ASKED, python.page_state(explorer))
    assert values_of(asked)[:4] == ["wet", "rich", "place", "link"]
    assert asked["right"] == ["place"]
    texts = TEXT["answers"]
    from_to = {"words": "place", "what": texts["share"], "from": "0.20", "to": "0.42"}
    assert asked["result"] == texts["steepest"].format(**from_to)
    why = like(TEXT["why_not"]["steepest"], what=texts["share"])
    shares = [why.search(verdict["text"]) for verdict in asked["verdicts"]]
    assert [found["to"] for found in shares if found] == ["0.31", "0.31", "0.20"]


def test_the_largest_weight(engine_page):
    ties = 0
    for state, weights, asked in judged_answers(engine_page, "largest_weight"):
        line, tokens = weights[state["query"]], state["tokens"]
        assert values_of(asked) == tokens
        top = largest_of(state)
        if not top:
            assert asked["result"] == TEXT["answers"]["undefined"]
            continue
        ties += len(top) > 1
        words = listed({"tokens": tokens}, None, top)
        told = TEXT["answers"]["largest_each" if len(top) > 1 else "largest"]
        assert asked["result"] == told.format(words=words, share=percent(line[top[0]]))
    assert ties > 10


WHY = """(state, said) => {
    const S = helpers.compute({...state, predict: "largest_weight"});
    return helpers.verdict(S, said).text;
}"""


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"mask": "causal"}, "hidden"),
        ({"mask": "zero_weights"}, "hidden"),
        ({"mask": "zero_weights_renormalised"}, "hidden"),
        ({"mask": "zero_scores"}, "less"),
        ({"dropout_p": 0.5, "dropout_keep": [[True, True, False]] * 3}, "dropped"),
    ],
)
def test_why_the_word_of_the_largest_score_is_not_looked_at(engine_page, options, why):
    """Word c would be the best match for b, if it were not hidden."""
    state = plain_state([[3.0], [1.0], [9.0]], tokens=["a", "b", "c"], query=1)
    past = TEXT["why"]["past"].format(row="b", column="c")
    places = {"said": "c", "why": past, "score": 0, "top": "a", "best": 3}
    told = ask(engine_page, WHY, state | options, "c")
    assert TEXT["why_not"][why].format(**places) in told


@pytest.mark.parametrize(
    ("options", "why", "places"),
    [
        ({}, "less", {"said": "a", "score": 2, "top": "c", "best": 10.5}),
        ({}, "largest", {"said": "c", "score": 10.5}),
        ({"mask": "causal"}, "largest_left", {"said": "b", "score": 3.25}),
    ],
)
def test_scores_are_not_divided_and_have_two_decimals(
    engine_page, options, why, places
):
    values = {"W_query": [[1.0]], "W_key": [[1.0]], "W_value": [[1.0]]}
    words = [[2 / 3], [13 / 12], [3.5]]
    divided = plain_state(words, tokens=["a", "b", "c"], query=1)
    divided |= values | {"divide_by": "sqrt_n_tokens"} | options
    divided["W_query"] = [[36 / 13]]
    told = ask(engine_page, WHY, divided, places["said"])
    assert TEXT["why_not"][why].format(**places) in told


def test_as_many_decimals_as_tell_two_numbers_apart(engine_page):
    compared = "pair => helpers.compared(...pair)"
    for pair, told in [
        ([1.457, 1.4754], ["1.46", "1.48"]),
        ([1.4754, 1.475], ["1.4754", "1.475"]),
        ([-2, 6], ["−2", "6"]),
        ([3, 3], ["3", "3"]),
    ]:
        assert ask(engine_page, compared, pair) == told


def test_why_not_every_word_looks_at_itself(engine_page):
    """b's row is the longer one, and so a turns to it."""
    state = plain_state([[1.0], [2.5]], tokens=["a", "b"], predict="most_to_themselves")
    asked = ask(engine_page, ASKED, state)
    places = {"word": "a", "own": 1, "best": 2.5, "other": "b"}
    why = TEXT["why_not"]["turns_away"].format(**places)
    assert asked["right"] == ["1"]
    assert all(verdict["text"].endswith(why) for verdict in asked["verdicts"][:-1])


def test_how_many_look_most_at_themselves(engine_page):
    counts = Counter()
    for state, _, asked in judged_answers(engine_page, "most_to_themselves"):
        n, own = len(state["tokens"]), selfish(state)
        known = [str(k) for k in range(min(n, 8) + 1)] + ["more"] * (n > 8)
        assert values_of(asked) == known
        names = listed({"tokens": state["tokens"]}, None, own)
        told = TEXT["answers"]["counted"].format(count=len(own), words=names)
        assert asked["result"] == (told if 0 < len(own) <= 8 else str(len(own)))
        counts.update(asked["right"])
    assert len(counts) > 6


@pytest.mark.parametrize("predict", W_OF)
def test_what_moves_when_a_matrix_is_doubled(engine_page, predict):
    found = set()
    for _, _, asked in judged_answers(engine_page, predict):
        [moved] = asked["right"]
        names = [TEXT["stages"][stage] for stage in filter(None, moved.split(","))]
        nothing = TEXT["answers"]["nothing"]
        all_of_them = listed({"tokens": names}, None, range(len(names)))
        assert asked["result"] == (all_of_them or nothing)
        empty = [c["text"] for c in asked["choices"] if c["value"] == ""]
        assert set(empty) <= {nothing}
        found.add(moved)
    usual = {
        "W_query": "queries,scores,weights,context",
        "W_key": "keys,scores,weights,context",
        "W_value": "values,context",
    }
    assert usual[W_OF[predict]] in found


def test_doubled_is_not_flipped(engine_page):
    """Each word has all of its own weight: more moves nothing, less than 0 would."""
    one = np.eye(2).tolist()
    matrices = {"W_query": one, "W_key": one, "W_value": one}
    state = plain_state([[30, 0], [0, 30]], predict="double_W_query", **matrices)
    assert ask(engine_page, ASKED, state)["right"] == ["queries,scores"]


ROWS_LEFT = {  # by dropout: a row without shares has a context of 0, whatever moves
    "all": [True, True, True],
    "last": [False, False, True],
    "some": [True, False, True],
    "none": [False, False, False],
}


def test_which_contexts_move_with_the_last_word(engine_page):
    """In random states, and in one of each kind, whatever masks there are."""
    kinds = Counter()
    words = [[1.0, 0.5], [0.25, 2.0], [0.75, 1.5]]
    more = [
        plain_state(words, dropout_p=0.5, dropout_keep=[[row] * 3 for row in left])
        for left in ROWS_LEFT.values()
    ]
    found = list(judged_answers(engine_page, "last_word_changes", more))
    for state, _, asked in found:
        [kind] = asked["right"]
        if kind == "some":
            rows = moved_rows(state)
            names = [state["tokens"][i] for i in rows]
            assert asked["result"] == listed({"tokens": names}, None, range(len(rows)))
        kinds[kind, state["mask"]] += 1
    assert [asked["right"] for _, _, asked in found[-4:]] == [
        [kind] for kind in ROWS_LEFT
    ]
    assert {kind for kind, _ in kinds} == {*ROWS_LEFT}
    assert not any(kind == "all" for kind, mask in kinds if mask == "causal")


def test_zeroed_scores_do_not_hide(engine_page):
    rights = Counter()
    for state, _, asked in judged_answers(engine_page, "zero_scores_hide"):
        [right] = asked["right"]
        assert asked["result"] == TEXT["answers"][right]
        if leak := leak_of(state):
            told = asked["verdicts"][values_of(asked).index("true")]
            assert told["kind"] == "wrong"
            assert percent(leak) in told["text"]
        rights[right] += 1
    assert rights["false"] > 0.5 * rights.total()


def test_a_question_once_answered_locks_nothing(engine_page):
    state = plain_state([[1.0], [2.0]], predict="most_to_themselves", predicted="1")
    locked = "state => helpers.isLocked(helpers.compute(state))"
    assert ask(engine_page, locked, state | {"predicted": None}) is True
    assert ask(engine_page, locked, state) is False
    assert ask(engine_page, locked, state | {"predict": None}) is False
