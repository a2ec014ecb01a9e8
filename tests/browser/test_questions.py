"""Predict first: questions, their choices and answers, against NumPy."""

import math
import re
from collections import Counter
from functools import cache

import numpy as np
import pytest
from states import (
    COMBINATIONS,
    TAME,
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
from words import TEXT

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


def answers_of(page, predict, **options):
    """Yield (state, its weights by NumPy, what the browser asks and answers)."""
    states = list(with_goals(random_states(len(COMBINATIONS), seed=20, **options)))
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
        start = told[kind].format(said=choice["text"], result=result, why="").rstrip()
        assert verdict["kind"] == kind
        assert verdict["text"].startswith(start)
        why = verdict["text"].removeprefix(start).lstrip()
        assert kind == "right" or why or asked["result"] == TEXT["answers"]["true"]
        assert not why or (len(why) > 20 and why.endswith("."))


def values_of(asked) -> list[str]:
    values = [choice["value"] for choice in asked["choices"]]
    assert len(set(values)) == len(values)
    return values


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
        assert repr(explorer).splitlines()[1] == f"Before you look: {asked['text']}"


def test_the_row_in_which_a_wish_is_helped_most(engine_page):
    """Any matrix that is edited; numbers that tell the rows apart, and zeros."""
    same = 0
    for numbers in (TAME, ["zeros"]):
        for state, _, asked in answers_of(engine_page, "steepest", numbers=numbers):
            losses = []
            for k in range(len(state["embeddings"])):
                raised = np.array(state["embeddings"], float)
                raised[k, 0] += 0.5
                losses.append(loss_of(state | {"embeddings": raised.tolist()}))
            rows = [*state["tokens"], TEXT["answers"]["same"]]
            assert values_of(asked) == rows
            best = min(losses)
            top = [k for k, loss in enumerate(losses) if loss - best <= 1e-9 * best]
            if len(top) == len(losses):
                same += 1
                assert asked["right"] == [asked["result"]] == rows[-1:]
            else:
                assert asked["right"] == [rows[k] for k in top]
                alone = sum(map(len, state["goal"].values())) == 1
                for loss in (best, loss_of(state)):
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
    assert asked["result"] == "place: the wished share goes from 0.20 to 0.42"
    shares = [re.search(r"comes to ([\d.]+):", v["text"]) for v in asked["verdicts"]]
    assert [found[1] for found in shares if found] == ["0.31", "0.31", "0.20"]


def test_the_largest_weight(engine_page):
    ties = 0
    for state, weights, asked in answers_of(engine_page, "largest_weight"):
        line, tokens = weights[state["query"]], state["tokens"]
        assert values_of(asked) == tokens
        if np.isnan(line).any():
            assert asked["right"] == []
            assert asked["result"] == TEXT["answers"]["undefined"]
            continue
        top = top_of(line)
        ties += len(top) > 1
        assert asked["right"] == [tokens[j] for j in top]
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
    ("options", "said", "told"),
    [
        ({}, "a", "The score of a is 2, the score of c is 10.5."),
        ({}, "c", "The score of c is 10.5, and no other in the row is larger."),
        ({"mask": "causal"}, "b", "The score of b is 3.25, and no other that is left"),
    ],
)
def test_scores_are_not_divided_and_have_two_decimals(engine_page, options, said, told):
    values = {"W_query": [[1.0]], "W_key": [[1.0]], "W_value": [[1.0]]}
    words = [[2 / 3], [13 / 12], [3.5]]
    divided = plain_state(words, tokens=["a", "b", "c"], query=1)
    divided |= values | {"divide_by": "sqrt_n_tokens"} | options
    divided["W_query"] = [[36 / 13]]
    assert told in ask(engine_page, WHY, divided, said)


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
    why = "a scores 1 with itself and 2.5 with b."
    assert asked["right"] == ["1"]
    assert all(verdict["text"].endswith(why) for verdict in asked["verdicts"][:-1])


def test_how_many_look_most_at_themselves(engine_page):
    numbers = {"tokens": [1, 3, 8, 9, 32]}
    counts = Counter()
    for state, weights, asked in answers_of(
        engine_page, "most_to_themselves", **numbers
    ):
        n = len(weights)
        own = [i for i in range(n) if i in top_of(weights[i])]
        count = str(len(own)) if len(own) <= 8 else "more"
        assert asked["right"] == [count]
        known = [str(k) for k in range(min(n, 8) + 1)] + ["more"] * (n > 8)
        assert values_of(asked) == known
        names = listed({"tokens": state["tokens"]}, None, own)
        told = TEXT["answers"]["counted"].format(count=len(own), words=names)
        assert asked["result"] == (told if 0 < len(own) <= 8 else str(len(own)))
        counts[count] += 1
    assert len(counts) > 6


@pytest.mark.parametrize("predict", W_OF)
def test_what_moves_when_a_matrix_is_doubled(engine_page, predict):
    W = W_OF[predict]
    found = set()
    for state, _, asked in answers_of(engine_page, predict, numbers=[*TAME, "zeros"]):
        before = attention_of(state)
        after = attention_of(state | {W: (2 * np.array(state[W])).tolist()})
        moved = [
            stage
            for stage in SHOWN
            if (np.nan_to_num(abs(after[stage] - before[stage])) > 1e-9).any()
        ]
        assert asked["right"] == [",".join(moved)], state
        names = [TEXT["stages"][stage] for stage in moved]
        nothing = TEXT["answers"]["nothing"]
        all_of_them = listed({"tokens": names}, None, range(len(names)))
        assert asked["result"] == (all_of_them or nothing)
        empty = [c["text"] for c in asked["choices"] if c["value"] == ""]
        assert set(empty) <= {nothing}
        found.add(",".join(moved))
    usual = {
        "W_query": "queries,scores,weights,context",
        "W_key": "keys,scores,weights,context",
        "W_value": "values,context",
    }
    assert usual[W] in found


def test_doubled_is_not_flipped(engine_page):
    """Each word has all of its own weight: more moves nothing, less than 0 would."""
    one = np.eye(2).tolist()
    matrices = {"W_query": one, "W_key": one, "W_value": one}
    state = plain_state([[30, 0], [0, 30]], predict="double_W_query", **matrices)
    assert ask(engine_page, ASKED, state)["right"] == ["queries,scores"]


def moved_rows(state, rng) -> list[int]:
    """Change the last word at random; return the rows whose context moves, by NumPy."""
    before = attention_of(state)["context"]
    embeddings = np.array(state["embeddings"])
    embeddings[-1] += rng.uniform(0.3, 1.1, embeddings.shape[1])
    after = attention_of(state | {"embeddings": embeddings.tolist()})["context"]
    with np.errstate(invalid="ignore"):
        still = (abs(after - before) <= 1e-12) | (np.isnan(after) & np.isnan(before))
    return np.flatnonzero(~still.all(axis=1)).tolist()


def test_which_contexts_move_with_the_last_word(engine_page):
    rng = np.random.default_rng(22)
    kinds = Counter()
    numbers = {"numbers": ["positive"], "tokens": [2, 3, 5]}
    for state, _, asked in answers_of(engine_page, "last_word_changes", **numbers):
        n, rows = len(state["tokens"]), moved_rows(state, rng)
        kind = "all" if len(rows) == n else "last" if rows == [n - 1] else "some"
        kind = kind if rows else "none"
        assert asked["right"] == [kind], (rows, state)
        if kind == "some":
            names = [state["tokens"][i] for i in rows]
            assert asked["result"] == listed({"tokens": names}, None, range(len(rows)))
        kinds[kind, state["mask"]] += 1
    assert {kind for kind, _ in kinds} == {"all", "last", "some", "none"}
    assert not any(kind == "all" for kind, mask in kinds if mask == "causal")


def test_zeroed_scores_do_not_hide(engine_page):
    rights = Counter()
    for state, _, asked in answers_of(engine_page, "zero_scores_hide"):
        plain = {"mask": "zero_scores", "normalise": "softmax", "axis": "rows"}
        leak = attention_of(state | plain | {"dropout_p": 0})["weights"][0, 1:].sum()
        assert asked["right"] == [asked["result"]] == ["true" if leak == 0 else "false"]
        if leak:
            told = asked["verdicts"][values_of(asked).index("true")]
            assert told["kind"] == "wrong"
            assert percent(leak) in told["text"]
        rights[asked["result"]] += 1
    assert rights["false"] > 0.5 * rights.total()


def test_a_question_once_answered_locks_nothing(engine_page):
    state = plain_state([[1.0], [2.0]], predict="most_to_themselves", predicted="1")
    locked = "state => helpers.isLocked(helpers.compute(state))"
    assert ask(engine_page, locked, state | {"predicted": None}) is True
    assert ask(engine_page, locked, state) is False
    assert ask(engine_page, locked, state | {"predict": None}) is False
