"""Predict first: questions, their choices and answers, against NumPy."""

from collections import Counter

import numpy as np
import pytest
from states import COMBINATIONS, TAME, ask, in_batches, plain_state, random_states
from test_engine import attention_of, explorer_of
from test_words import listed, top_of

from attention_helpers import explorer as python
from attention_helpers.text import number

ASKED = """state => {
    const S = helpers.compute(state);
    const asked = helpers.question(S);
    if (!asked) return null;
    const choices = asked.choices(S);
    const answers = [...choices.map(choice => choice.value), helpers.UNSURE];
    return {
        text: asked.ask(S), choices, right: asked.right(S), result: asked.result(S),
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


def fits(state, predict) -> bool:
    """Whether a state can be asked a question."""
    if predict == "largest_weight":
        return state["query"] is not None
    if predict in W_OF:
        return all(state[W] is not None for W in W_OF.values())
    return predict == "most_to_themselves" or len(state["tokens"]) > 1


def answers_of(page, predict, **options):
    """Yield (state, its weights by NumPy, what the browser asks and answers)."""
    states = list(random_states(len(COMBINATIONS), seed=20, **options))
    for state in states:
        state["predict"] = predict
    for state, asked in zip(states, in_batches(page, ASKED, states), strict=True):
        assert (asked is not None) == fits(state, predict)
        if asked is not None:
            yield state, attention_of(state)["weights"], asked


def check_verdicts(asked):
    """Check every answer's sentence: what was said, what is, and why not."""
    it = asked["result"]
    assert asked["skipped"] == f"It is {it}."
    *verdicts, unsure = asked["verdicts"]
    assert unsure == f"You said: I don't know. It is {it}."
    for choice, verdict in zip(asked["choices"], verdicts, strict=True):
        said = f"You said {choice['text']}"
        if choice["value"] in asked["right"]:
            assert verdict == f"{said}, and so it is: {it}."
        else:
            start = f"{said}. It is {it}. "
            assert verdict.startswith(start)
            assert len(verdict) > len(start) + 20
            assert verdict.endswith(".")


def values_of(asked) -> list[str]:
    values = [choice["value"] for choice in asked["choices"]]
    assert len(set(values)) == len(values)
    return values


@pytest.mark.parametrize("predict", python.QUESTIONS)
def test_a_right_answer_is_always_among_the_choices(engine_page, predict):
    for state, weights, asked in answers_of(engine_page, predict):
        assert asked["locked"]
        if predict == "largest_weight" and np.isnan(weights[state["query"]]).any():
            continue  # no share is the largest where none is defined
        assert asked["right"], state
        assert set(asked["right"]) <= set(values_of(asked)), state
        check_verdicts(asked)


@pytest.mark.parametrize("predict", python.QUESTIONS)
def test_questions_are_asked_in_the_words_of_the_text_twin(engine_page, predict):
    picked = COMBINATIONS[5::13]
    states = random_states(len(picked), seed=21, combinations=picked, tokens=[2, 6])
    states = [s for s in states if fits(s, predict)]
    for state in states:
        state["predict"] = predict
    assert len(states) > 5
    for state, asked in zip(
        states, in_batches(engine_page, ASKED, states), strict=True
    ):
        twin = explorer_of(state, predict=predict)
        assert asked["text"] == twin._question()
        assert f"Before you look: {asked['text']}" in repr(twin)


def test_the_largest_weight(engine_page):
    ties = 0
    for state, weights, asked in answers_of(engine_page, "largest_weight"):
        line, tokens = weights[state["query"]], state["tokens"]
        assert values_of(asked) == tokens
        if np.isnan(line).any():
            assert asked["right"] == []
            assert asked["result"].startswith("no word: a share is undefined")
            continue
        top = top_of(line)
        ties += len(top) > 1
        assert asked["right"] == [tokens[j] for j in top]
        share = number(100 * line[top[0]], 0)
        words = listed({"tokens": tokens}, None, top)
        assert asked["result"] == f"{words}, with {share} %"
    assert ties > 10


WHY = """(state, said) => {
    const S = helpers.compute({...state, predict: "largest_weight"});
    return helpers.verdict(S, said);
}"""


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"mask": "causal"}, "c comes after b: the mask hides it."),
        ({"mask": "zero_weights"}, "c comes after b: the mask hides it."),
        ({"mask": "zero_weights_renormalised"}, "c comes after b: the mask hides it."),
        ({"mask": "zero_scores"}, "Its score is 0, the score of a is 3."),
        (
            {"dropout_p": 0.5, "dropout_keep": [[True, True, False]] * 3},
            "Dropout hit the share of c.",
        ),
    ],
)
def test_why_the_word_of_the_largest_score_is_not_looked_at(engine_page, options, why):
    """Word c would be the best match for b, if it were not hidden."""
    state = plain_state([[3.0], [1.0], [9.0]], tokens=["a", "b", "c"], query=1)
    assert why in ask(engine_page, WHY, state | options, "c")


def test_how_many_look_most_at_themselves(engine_page):
    numbers = {"tokens": [1, 3, 6, 12, 32]}
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
        in_words = f"{len(own)}: {names}" if 0 < len(own) <= 8 else str(len(own))
        assert asked["result"] == in_words
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
        names = [s.replace("weights", "attention weights") for s in moved]
        assert asked["result"] == listed({"tokens": names}, None, range(len(names)))
        nothing = [c["text"] for c in asked["choices"] if c["value"] == ""]
        assert set(nothing) <= {"nothing"}
        found.add(",".join(moved))
    usual = {
        "W_query": "queries,scores,weights,context",
        "W_key": "keys,scores,weights,context",
        "W_value": "values,context",
    }
    assert usual[W] in found


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
            assert f"would give {number(100 * leak, 0)} % of its" in told
        rights[asked["result"]] += 1
    assert rights["false"] > 0.5 * rights.total()


def test_a_question_once_answered_locks_nothing(engine_page):
    state = plain_state([[1.0], [2.0]], predict="most_to_themselves", predicted="1")
    locked = "state => helpers.isLocked(helpers.compute(state))"
    assert ask(engine_page, locked, state | {"predicted": None}) is True
    assert ask(engine_page, locked, state) is False
    assert ask(engine_page, locked, state | {"predict": None}) is False
