"""The same stories in other numbers: every claim of the chapters still holds."""

from dataclasses import replace

import numpy as np
import pytest

from attention_helpers import examples, explore, softmax
from attention_helpers.exercises import check, session
from attention_helpers.exercises.judge import Function
from attention_helpers.variants import STORIES, claims_of

SEEDS = (0, 1, 7, 2**32 - 1)
MOST = {  # whom each word looks at most, as the notebooks say
    "bank": {"coins": "bank", "on": "bank", "bank": "river", "by": "bank"},
    "robot": {"carries": "robot"},
    "queen": {"it": "cup", "falls": "queen cup"},
    "horse": {"it": "bridge horse", "scared": "horse"},
    "soup": {"good": "not", "soup": "good"},
    "weather": {"sun": "rain", "rain": "snow", "sun (2)": "rain"},
}


def contexts(embeddings, example):
    """Compute the contexts in plain lines of NumPy."""
    queries, keys = embeddings @ example.W_query, embeddings @ example.W_key
    shares = softmax(queries @ keys.T / np.sqrt(keys.shape[1]))
    return shares @ embeddings @ example.W_value, shares


@pytest.mark.parametrize("name", STORIES)
def test_every_claim_holds_for_the_example_and_for_each_variant(name):
    for claim in claims_of(name):
        own = "another than in the chapter" in claim.says
        assert claim.holds(examples[name]) or own, claim.says
    for seed in SEEDS:
        drawn = examples.variant(name, seed)
        for claim in claims_of(name):
            assert claim.holds(drawn), f"{seed}: {claim.says}"


@pytest.mark.parametrize("name", STORIES)
def test_each_word_looks_most_at_whom_the_notebooks_say(name):
    for seed in (None, *SEEDS):
        drawn = examples[name] if seed is None else examples.variant(name, seed)
        _, shares = contexts(drawn.embeddings, drawn)
        for word, looks_at in MOST[name].items():
            row = shares[drawn.tokens.index(word)]
            at = {
                t
                for t, x in zip(drawn.tokens, row, strict=True)
                if x > row.max() - 1e-9
            }
            assert at == set(looks_at.split()), (seed, word)


@pytest.mark.parametrize("name", STORIES)
def test_a_variant_has_other_numbers_and_the_same_of_everything_else(name):
    example = examples[name]
    drawn = [examples.variant(name, seed) for seed in SEEDS]
    for one in drawn:
        assert ((one.embeddings == 0) == (example.embeddings == 0)).all()
        assert (np.sign(one.embeddings) == np.sign(example.embeddings)).all()
        assert abs(one.embeddings).max() <= example.slider["max"]
        assert one.tokens == example.tokens
        assert one.columns == example.columns
        assert list(one.presets) == list(example.presets)
        for matrix in ("W_query", "W_key", "W_value"):
            assert (getattr(one, matrix) == getattr(example, matrix)).all()
        assert "variant" in one.source
        assert explore(one).attention.weights.shape == (len(one.tokens),) * 2
    tables = {one.embeddings.tobytes() for one in (example, *drawn)}
    assert len(tables) == len(SEEDS) + 1
    again = examples.variant(name, SEEDS[2])
    assert (again.embeddings == drawn[2].embeddings).all()


def test_the_garden_path_turns_in_every_variant():
    """Read *coins on bank*, and it is rich; then comes *by river*, and it is wet."""
    for seed in SEEDS:
        bank = examples.variant("bank", seed)
        for words, wet in ((3, False), (5, True)):
            context, _ = contexts(bank.embeddings[:words], bank)
            assert (context[2, 0] > context[2, 1]) == wet, seed
        vault = bank.embeddings.copy()
        vault[4] = bank.presets["vault instead of river"]["embedding"]
        context, _ = contexts(vault, bank)
        assert context[2, 0] < context[2, 1]


def test_the_numbers_of_a_seed_are_promises():
    """A page holds them, a teacher prints them: they may not change by themselves."""
    assert examples.variant("bank", 0).embeddings.tolist() == [
        [0.0, 2.4, 0.0, 0.0],
        [0.0, 0.0, 0.0, 2.4],
        [0.8, 0.8, 1.8, 0.0],
        [0.0, 0.0, 0.0, 2.4],
        [3.0, 0.0, 0.8, 0.0],
    ]


def test_claims_bite():
    """A variant whose river is dry, or whose bank is rich, is not let through."""
    bank = examples.variant("bank", 3)
    for word, column in (("river", 0), ("bank", 2), ("coins", 1)):
        embeddings = bank.embeddings.copy()
        embeddings[bank.index(word), column] = 0.2
        other = replace(bank, embeddings=embeddings)
        assert not all(claim.holds(other) for claim in claims_of("bank"))


def test_what_has_no_story_or_no_such_seed_is_refused():
    for name in (
        "journey",
        "the cat sat",
        "two questions",
        "nobody",
        7,
        None,
        ["bank"],
    ):
        with pytest.raises(ValueError, match="expected an example whose story"):
            examples.variant(name, 1)
    for seed in (-1, 1.5, "7", True, None, 2**32):
        with pytest.raises(ValueError, match="seed is"):
            examples.variant("bank", seed)


# ---- exercises with a seed ----


def test_copied_digits_fail():
    scores = []
    for seed in range(8):
        embeddings = examples.variant("bank", seed).embeddings
        scores.append(round(float(embeddings[2] @ embeddings[4]), 6))
    for seed, own in enumerate(scores):
        for score in {5.0, *scores}:
            status = check("dot product blank", score, seed=seed, record=False).status
            assert (status == "passed") == (score == own), (seed, score)
    assert len(set(scores)) > 6
    assert check("dot product blank", 5, record=False).status == "passed"
    assert check("dot product blank", ..., seed=3, record=False).status.startswith(
        "not"
    )


def test_the_sentences_speak_of_the_learners_own_numbers():
    bank = examples.variant("bank", 3).embeddings
    first, second = bank[2], bank[4]
    said = check("dot product blank", first[0] * second[0], seed=3, record=False).text
    said = " ".join(said.split())
    assert f"it is {first[2]:g} × river's place" in said
    assert f"{first[0]:g} × {second[0]:g}" in said
    said = check("dot product blank", second[2], seed=3, record=False).text
    assert "That fits the gap" in said


RIGHT = {
    "scores of one word": lambda query, embeddings: embeddings @ query,
    "weighted average": lambda shares, rows: shares @ rows,
    "softmax": lambda scores: np.exp(scores) / np.exp(scores).sum(),
}


@pytest.mark.parametrize("seed", [5, 2**32 - 1])
def test_functions_are_tried_on_other_inputs(seed):
    for exercise in session.CHAPTERS["one word"]:
        other = session.exercise_of(exercise.name, seed)
        if not isinstance(exercise, Function):
            continue
        assert other.judge(RIGHT[exercise.name]).status == "passed"
        for before, after in zip(exercise.cases, other.cases, strict=True):
            for name, table in before.inputs.items():
                assert np.shape(after.inputs[name]) == np.shape(table)
        known = {
            np.asarray(exercise.right(*case.inputs.values())).tobytes()
            for case in exercise.cases
        }
        results = [np.asarray(other.right(*c.inputs.values())) for c in other.cases]
        assert not all(result.tobytes() in known for result in results)
        for wrong in exercise.wrong:
            assert any(other.fails(wrong.way, case) for case in other.cases), wrong.says


def test_only_one_chapter_takes_a_seed():
    for name in ("queries", "dot product", "slider goal"):
        with pytest.raises(ValueError, match=r"same numbers for everyone.*one word"):
            check(name, 1, seed=1)
    with pytest.raises(ValueError, match="there is no exercise"):
        check("nothing", 1, seed=1)
