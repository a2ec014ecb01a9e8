"""The exercises: right answers pass, and every known mistake is called by its name."""

import doctest
import importlib
import inspect
import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from IPython.core.formatters import PlainTextFormatter
from mutants import mutants
from places import FACTS
from wrong_solutions import RIGHT, SAME, WRONG
from wrong_solutions.chapter_05_masked import EMBEDDINGS, poke

import attention_helpers
from attention_helpers import Example, examples, explore
from attention_helpers.exercises import check, session, summary
from attention_helpers.exercises.judge import Blank, Function, Goal
from attention_helpers.exercises.judge.leaks import WAYS, other_matrices
from attention_helpers.exercises.judge.operands import failing_operands, same_operands
from attention_helpers.explorer import MATRICES
from attention_helpers.text import number

EXERCISES = session.EXERCISES
FUNCTIONS = [e for e in EXERCISES.values() if isinstance(e, Function)]
BLANKS = [e for e in EXERCISES.values() if isinstance(e, Blank)]
GOALS = [e for e in EXERCISES.values() if isinstance(e, Goal)]
SOLVED = [(name, k) for name in RIGHT for k in range(len(RIGHT[name]))]
MISTAKEN = [(name, k) for name in WRONG for k in range(len(WRONG[name]))]


@pytest.fixture(autouse=True)
def new_session():
    session._records.clear()
    yield
    session._records.clear()


def said(name, answer):
    """Return what is said, as one line."""
    return " ".join(check(name, answer).text.split())


@cache
def judged(name, k):
    """Return what is said about a wrong solution the first time."""
    return check(name, WRONG[name][k][0])


def texts(exercise):
    return [judged(exercise.name, k).text for k in range(len(WRONG[exercise.name]))]


# ---- solutions, right and wrong ----


def test_every_exercise_has_right_and_wrong_solutions_here():
    by_explorer = {"coins wish", "two wishes", "one question", "both answers"}
    by_explorer |= {goal.name for goal in GOALS}
    assert RIGHT.keys() == WRONG.keys() == EXERCISES.keys() - by_explorer
    assert all(len(solutions) >= 3 for solutions in RIGHT.values())


@pytest.mark.parametrize(("name", "k"), SOLVED)
def test_a_right_solution_passes(name, k):
    result = check(name, RIGHT[name][k])
    assert result.status == "passed"
    assert result.text.startswith(f"{name}: passed")


@pytest.mark.parametrize(("name", "k"), MISTAKEN)
def test_a_wrong_solution_is_rejected_and_its_mistake_named(name, k):
    _, words = WRONG[name][k]
    result = judged(name, k)
    assert result.status == "not yet"
    for part in ("Tried: ", "Came: ", "Expected: "):
        assert f"\n{part}" in result.text
    text = " ".join(result.text.split())
    for word in words:
        assert word in text
    assert " at 0x" not in text
    assert all(len(line) <= 82 for line in result.text.splitlines())


@pytest.mark.parametrize("exercise", [*FUNCTIONS, *BLANKS], ids=lambda e: e.name)
def test_every_sentence_about_a_mistake_is_earned_by_a_wrong_solution(exercise):
    lines = [" ".join(text.split()) for text in texts(exercise)]
    shared = exercise.name == "self-attention class"  # the others are tried above it
    for wrong in exercise.wrong[:1] if shared else exercise.wrong:
        assert any(line.endswith(wrong.says) for line in lines), wrong.says


def distance(a, b):
    """Return how far two results are apart; infinite where they differ in kind."""
    if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
        return math.inf
    apart = np.where((a == b) | np.isnan(a), 0, 1)
    with np.errstate(invalid="ignore"):
        return np.nanmax(np.where(apart, abs(a - b), 0))


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.name)
def test_the_inputs_tell_all_known_wrong_ways_apart(exercise):
    def outcomes(way):
        """Return the numbers of each case, or on what it failed there."""
        found = [exercise.outcome(way, case) for case in exercise.cases]
        failed = [failing_operands(way, case.inputs) for case in exercise.cases]
        return [f if isinstance(o, str) else o for o, f in zip(found, failed)]  # noqa: B905

    def apart(one, other):
        numbers = isinstance(one, np.ndarray), isinstance(other, np.ndarray)
        if all(numbers):
            return distance(one, other)
        return math.inf if any(numbers) or not same_operands(one, other) else 0

    right, seen = outcomes(exercise.right), []
    for wrong in exercise.wrong:
        found = outcomes(wrong.way)
        assert max(map(apart, found, right)) > 0.01, wrong.says
        for says, theirs in seen:
            if says != wrong.says:
                assert max(map(apart, theirs, found)) > 0.0005, (says, wrong.says)
        seen.append((wrong.says, found))


def test_only_a_known_operation_on_as_many_things_is_the_same():
    failed = ["stack", np.eye(2), 1]
    assert same_operands(failed, ["stack", np.eye(2), 1])
    for other in ([], failed[:2], ["vstack", *failed[1:]], ["stack", np.eye(3), 1]):
        assert not same_operands(failed, other)
        assert not same_operands(other, failed)
    assert not same_operands([], [])


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.name)
def test_no_two_sizes_of_an_input_are_equal(exercise):
    """Equal sizes hide a swapped table, and make two divisors one."""
    for case in exercise.cases[:2]:
        tables = [np.asarray(x) for x in case.inputs.values() if np.ndim(x) == 2]
        sizes = {size for table in tables for size in table.shape}
        square = {len(table) for table in tables if len(set(table.shape)) == 1}
        for table in tables:
            rows, columns = table.shape
            assert rows != columns or rows in square
        if "W_value" in case.inputs or "values" in case.inputs:
            assert len(sizes) == {4: 4, 3: 3}[len(tables)], exercise.name


@pytest.mark.parametrize(
    ("fill", "note"),
    [
        (-np.inf, "masked scores: passed"),
        (-1000, "passed −1000 stands where the mask is False. That hides only while"),
        (-1e9, "passed −1e+09 stands where the mask is False. That hides only while"),
    ],
)
def test_a_number_that_hides_for_now_is_told(fill, note):
    text = said("masked scores", lambda s, mask: np.where(mask, s, fill))
    assert note in text
    assert ("hides only while" in text) == (fill > -np.inf)


# ---- what a message holds ----


def numbers_in(text):
    return re.findall(r"(?<![\w.×])−?\d+(?:\.\d+)?(?![\w×])", text)


@pytest.mark.parametrize("exercise", BLANKS, ids=lambda e: e.name)
def test_the_answer_to_a_blank_is_never_in_a_message(exercise):
    answers = {str(x) for x in np.ravel(exercise.right)}
    task = set(numbers_in(exercise.asks + exercise.returns))
    for (answer, _), text in zip(WRONG[exercise.name], texts(exercise), strict=True):
        typed = {str(x) for x in np.ravel(np.array(answer, dtype=object))}
        told = set(numbers_in(text)) - typed - task
        assert not answers & told, text


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.name)
def test_a_message_holds_at_most_one_expected_number(exercise):
    for text in texts(exercise):
        for case in exercise.cases:
            right = exercise.outcome(exercise.right, case).ravel()
            entries = {
                number(x, 4).rstrip("0") for x in right[np.isfinite(right)] if x % 1
            }
            theirs = text.partition("\nCame:")[2].partition("\nExpected:")[0]
            told = [x for x in numbers_in(text.replace(theirs, "")) if x in entries]
            assert len(set(told)) <= 1, text


@pytest.mark.parametrize("name", WRONG)
def test_a_message_is_the_same_each_time(name):
    for k in (0, len(WRONG[name]) - 1):
        assert check(name, WRONG[name][k][0]).text == judged(name, k).text


EXACT = [e for e in FUNCTIONS if e.name not in ("spread", "causal mask")]


@pytest.mark.parametrize("exercise", EXACT, ids=lambda e: e.name)
def test_one_percent_is_wrong_and_what_float32_does_is_right(exercise):
    model = RIGHT[exercise.name][0]

    def times(factor):
        def solution(*inputs):
            result = model(*inputs) if exercise.what != "class" else layer(*inputs)
            return factor * np.array(result)

        return solution

    def layer(X, *matrices):
        return model(*matrices)(X)

    for case in exercise.cases:
        assert exercise.fails(times(1.01), case)
        assert not exercise.fails(times(1 + 1e-6), case)


def test_the_first_number_that_differs_is_found_by_row_and_column():
    def scores(queries, keys):
        result = queries @ keys.T
        result[2, 4] += 0.5
        return result

    exercise = EXERCISES["scores of queries and keys"]
    right = exercise.outcome(exercise.right, exercise.cases[0])[2, 4]
    text = said("scores of queries and keys", scores)
    came = number(right + 0.5, 4).rstrip("0")
    assert f"Came: result[2, 4] = {came} (row bank, column river)" in text
    assert f"with result[2, 4] = {number(right, 4).rstrip('0')}" in text
    assert text.endswith(exercise.nudge)


def test_true_stands_for_a_flag_only_and_1_for_a_number():
    flags = said("causal mask", lambda n: np.triu(np.ones((n, n), dtype=bool)))
    assert "Came: result[0, 1] = True" in flags
    assert "with result[0, 1] = False" in flags
    assert "Came: result[0] = 1 (coins)" in said("softmax", lambda s: s * 0 + 1)


def test_of_several_things_that_are_no_numbers_the_first_is_named():
    text = said("softmax", lambda s: np.array(["a", {}, 1, 2, 3], dtype=object))
    assert "Came: text, in quotation marks" in text


def test_what_only_comes_near_to_a_multiple_is_not_called_one():
    shares = RIGHT["softmax"][0]
    text = said("softmax", lambda s: 3 * shares(s) * np.array([1, 1.2, 1, 1, 1]))
    assert "times what it should be" not in text


def test_what_only_comes_near_to_the_last_row_is_not_called_it():
    text = said("queries", lambda x, W: 1.2 * (x @ W)[-1])
    assert "This is the last row alone" not in text


def test_a_spread_that_is_nowhere_near_0_is_not_taken_for_a_mean():
    assert "mean of the dot products is about 0" in said("spread", lambda d_k, rng: 0.8)
    assert "mean of the dot products is about 0" not in said(
        "spread", lambda d_k, rng: 1.5
    )


# ---- not attempted yet ----


def dots(*arguments):
    return ...


def only_dots(*arguments): ...


def only_a_docstring(*arguments):
    """Say what this will do."""


def only_pass(*arguments):
    pass


def not_implemented(*arguments):
    raise NotImplementedError


def assigned(*arguments):
    result = ...
    return result


GAPS = [
    *(..., None, [..., 1], [[1, ...], [2, 3]], np.array([..., 1], dtype=object)),
    *(dots, only_dots, only_a_docstring, only_pass, not_implemented, assigned),
    *(lambda *x: np.sqrt(...), lambda *x: 1 / ..., lambda *x: np.ones((2, 2)) @ ...),
    *(lambda *x: [1, ...], lambda *x: np.where(np.eye(2), ..., 0)),
]


@pytest.mark.parametrize("name", EXERCISES)
def test_dots_and_nothing_count_as_not_attempted(name):
    for gap in (..., None):
        assert check(name, gap).status == "not attempted yet"


@pytest.mark.parametrize("name", [*(e.name for e in FUNCTIONS), "leaks"])
def test_every_form_of_a_gap_counts_as_not_attempted(name):
    for answer in GAPS:
        if name == "self-attention class" and callable(answer):
            methods = {"__init__": lambda self, *W: None, "__call__": answer}
            answer = type("SelfAttention", (), methods)
        result = check(name, answer)
        assert result.status == "not attempted yet"
        assert "Put your answer where the ... is" in result.text


@pytest.mark.parametrize("exercise", BLANKS, ids=lambda e: e.name)
def test_a_table_with_a_gap_counts_as_not_attempted(exercise):
    for gap in ([..., 1], [[1, ...], [2, 3]], (1, ...)):
        assert check(exercise.name, gap).status == "not attempted yet"


def test_an_empty_class_counts_as_not_attempted():
    class SelfAttention: ...

    assert check("self-attention class", SelfAttention).status == "not attempted yet"


def test_dots_as_an_index_are_no_gap():
    def last(shares, rows):
        i = 0
        return shares[..., i] * rows[..., i] @ missing  # noqa: F821

    assert check("weighted average", last).status == "not yet"


def test_a_forgotten_return_is_no_gap():
    def softmax(scores):
        np.exp(scores) / np.exp(scores).sum()

    text = said("softmax", softmax)
    assert "Came: nothing (None)" in text
    assert "needs return" in text


def test_printing_the_result_is_not_returning_it(capsys):
    def softmax(scores):
        print(np.exp(scores) / np.exp(scores).sum())

    text = said("softmax", softmax)
    assert "It prints, but returns nothing. return hands a result back." in text
    assert capsys.readouterr().out == ""


def test_what_a_wrong_function_prints_is_told():
    def softmax(scores):
        print("the scores\nare", len(scores))
        return scores

    assert "It printed: the scores are 5" in said("softmax", softmax)


# ---- whatever a learner hands in ----


class Largest:
    """A function whose parameters Python does not know."""

    __call__ = staticmethod(max)


class Hostile:
    """Everything that NumPy or print could ask for raises."""

    def __array__(self, *arguments, **options):
        raise KeyError("no")

    def __len__(self):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")

    __str__ = __iter__ = __eq__ = __bool__ = __float__ = __repr__
    __hash__ = None


def endless(*arguments):
    return endless(*arguments)


def leave(*arguments):
    sys.exit(1)


def with_a_hostile_error(*arguments):
    class OddError(Exception):
        def __str__(self):
            raise RuntimeError("no")

    raise OddError


def yields(*arguments):
    yield 1


ENDLESS = [1]
ENDLESS.append(ENDLESS)
CROWDED = []
CROWDED += [CROWDED] * 5
VALUES = [
    ENDLESS,
    CROWDED,
    *(1, -3.5, 10**400, -(10**30), math.nan, math.inf, 1j, True, np.bool_(False)),
    *("text", b"bytes", "", [], [[]], {}, set(), {1: 2}, (), [[1], [2, 3]], ["a"]),
    *([None], [[1, None]], [Fraction(1, 2)] * 5, object(), Hostile(), [Hostile()]),
    Largest(),
    *(print, len, np.exp, int, Hostile, math, NotImplemented, range(5), iter([1])),
    *(np.zeros(0), np.zeros((2, 0)), np.zeros((1, 1, 1)), np.array(["a", "b"])),
    *(np.ma.masked_array([1, 2], [True, False]), np.array([object()])),
    *(np.array([1, 2], dtype="M8[s]"), np.full(5, np.nan), np.full((5, 5), np.inf)),
    *(np.zeros((5, 5), dtype=np.int8), np.float16(3), [10**30] * 5, [True] * 5),
    *(endless, leave, yields, with_a_hostile_error, lambda: 1, lambda a: a),
    *(lambda *a: a, lambda *a: a[0], lambda *a, must: a, lambda *a, **b: None),
]


@pytest.mark.parametrize("name", EXERCISES)
def test_no_answer_raises(name):
    functions = ((lambda *arguments, value=value: value) for value in VALUES)
    for answer in (*VALUES, *functions):
        result = check(name, answer)
        assert result.status in ("not yet", "passed", "not attempted yet")
        if result.status == "passed":
            assert name == "dot product blank" or answer in RIGHT.get(name, ())
        assert " at 0x" not in result.text


def fails_with(action):
    def softmax(scores):
        return action(scores)

    return said("softmax", softmax)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda s: s / 0 if 1 / 0 else s, "divided by 0"),
        (lambda s: s[9], "no place 9"),
        (lambda s: s["a"], "A place is asked for that is not there"),
        (lambda s: np.sum(s, axis=3), "no axis 3"),
        (lambda s: exp(s), "Nothing is called exp here"),  # noqa: F821
        (lambda s: math.exp(s), "np.exp takes a whole row"),
        (lambda s: list(s) * 0.5, "repeats the list"),
        (lambda s: list(s) / 2, "Make it an array first"),
        (lambda s: s(2), "Brackets () stand after something that is no function"),
        (lambda s: None + s, "Something here is None"),
        (lambda s: s if s > 0 else 0, "whole array stands where one True or False"),
        (lambda s: s + np.ones(3), "tables of the same size"),
        (lambda s: s @ np.ones((3, 2)), "left has 5 and the right has 3"),
        (lambda s: np.dot(s, np.ones(3)), "left has 5 and the right has 3"),
        (lambda s: endless(), "calls itself without end"),
        (lambda s: leave(), "take exit or quit out"),
        (lambda s: math.exp(10**4), "larger than any float"),
        (lambda s: dots(*s, a=1), "unexpected keyword argument"),
        (lambda s: (lambda: 1)(s), "more or fewer arguments"),
        (lambda s: np.zeros(5, int).__iadd__(s), "cannot take fractions"),
        (lambda s: np.zeros(3).__iadd__(s), "does not fit into the row or table"),
    ],
)
def test_an_error_is_told_in_words(action, words):
    assert words in fails_with(action)


@pytest.mark.parametrize(
    ("hide", "words"),
    [
        (lambda s: np.where(np.tri(len(s), k=-1), s, -np.inf), "nothing left"),
        (lambda s: np.where(np.tri(len(s)), -np.inf, s), "nothing left"),
        (lambda s: s - np.inf * (1 - np.tri(len(s))), "0 times infinity is NaN"),
    ],
)
def test_an_error_of_the_softmax_of_this_package_is_told_in_words(hide, words):
    def causal_attention(queries, keys, values):
        scores = queries @ keys.T / np.sqrt(keys.shape[1])
        return attention_helpers.softmax(hide(scores)) @ values

    text = said("masked attention", causal_attention)
    assert words in text
    assert "in line" in text


def test_nothing_is_said_about_hiding_before_anything_is_hidden():
    def roots(X, Wq, Wk, Wv):
        return attention_helpers.softmax(np.sqrt(X @ Wq @ Wk.T @ X.T))

    text = said("self-attention", roots)
    assert text.endswith("the root of a negative number, or its logarithm.")


def test_an_error_comes_with_the_line_it_came_from():
    def softmax(scores):
        largest = max(scores)
        return scores / (largest - largest * 1) / larger  # noqa: F821

    line = inspect.getsourcelines(softmax)[1] + 2
    assert f"Came: an error in line {line}, return scores / (largest" in said(
        "softmax", softmax
    )


def test_an_error_in_a_helper_names_the_line_of_the_helper():
    def exponential(score):
        return score.exp

    def softmax(scores):
        return [exponential(score) for score in scores]

    line = inspect.getsourcelines(exponential)[1] + 1
    assert f"in line {line}, return score.exp" in said("softmax", softmax)


def test_an_error_holds_no_memory_address():
    def softmax(scores):
        raise TypeError(f"cannot use {object()}")

    text = said("softmax", softmax)
    assert "TypeError: cannot use <object object>" in text


def test_a_right_function_that_is_strange_on_two_words_passes_without_a_note():
    def causal_attention(queries, keys, values):
        if len(queries) == 2:
            return None
        return RIGHT["masked attention"][0](queries, keys, values)

    text = check("masked attention", causal_attention).text
    assert text == "masked attention: passed"


def test_an_error_inside_numpy_names_the_line_of_the_learner():
    def softmax(scores):
        return np.average(scores, weights=[1, 2])

    line = inspect.getsourcelines(softmax)[1] + 1
    assert f"in line {line}, return np.average" in said("softmax", softmax)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda s: softmax(s).astype(int), "whole numbers"),
        (lambda s: softmax(s).round(2), "rounded to 2 decimals"),
        (lambda s: 3 * softmax(s), "3.000 times what it should be"),
        (lambda s: -softmax(s), "−1.000 times what it should be"),
        (lambda s: np.log(s - 9), "NaN is what 0 / 0"),
        (lambda s: softmax(s)[:, None], "a table of 5 rows × 1 column, not"),
        (lambda s: softmax(s) > 0, "booleans"),
        (lambda s: softmax(s) + 0j, "complex numbers"),
        (lambda s: [str(x) for x in s], "text"),
        (lambda s: np.ma.masked_array(s, s > 0), "a masked array"),
        (lambda s: (softmax(s), s[:2]), "2 things at once"),
        (lambda s: {1: 2}, "a dict"),
        (lambda s: dots, "a function, not its result"),
        (lambda s: [10**400] * 5, "too large"),
    ],
)
def test_a_result_of_the_wrong_kind_is_told_in_words(answer, words):
    assert words in said("softmax", answer)


def softmax(scores):
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


def test_a_transposed_table_is_recognised_where_no_known_way_is():
    def rows(scores):
        return softmax(scores).T

    assert "this is the right table, transposed" in said("softmax of every row", rows)


def test_a_function_of_the_wrong_size_is_told_how_it_is_called():
    assert "does not take 2 arguments" in said("weighted average", lambda x: x)
    assert "called as weighted_average(shares, rows)" in said(
        "weighted average", lambda x: x
    )
    assert "does not take 1 argument " in said("softmax", lambda: 1)
    assert "does not take one argument" in said("leaks", lambda: True)


def test_a_result_instead_of_the_function_is_told():
    text = said("softmax", softmax(np.ones(3)))
    assert 'without calling it: check("softmax", my_softmax)' in text
    assert 'check("leaks", leaks)' in said("leaks", True)


def test_numpy_set_to_raise_changes_nothing():
    with np.errstate(all="raise"):
        assert check("stable softmax", RIGHT["stable softmax"][0]).status == "passed"
        text = said("stable softmax", WRONG["stable softmax"][0][0])
    assert "overflows to infinity" in text


def test_a_check_leaves_the_random_numbers_of_numpy_alone():
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.rand()  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    for name in RIGHT:
        check(name, RIGHT[name][0])
        check(name, WRONG[name][0][0])
    assert np.random.rand() == expected  # noqa: NPY002


# ---- inputs and memory ----

KEPT = []


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.name)
def test_no_learner_can_spoil_the_inputs_of_a_check(exercise):
    def vandal(*inputs):
        for x in inputs:
            if isinstance(x, np.ndarray):
                KEPT.append(x)
                x[...] = 0

    answer = vandal
    if exercise.what == "class":
        answer = type("Vandal", (), {"__init__": vandal, "__call__": vandal})
    before = [np.array(x) for c in exercise.cases for x in c.inputs.values()]
    assert check(exercise.name, answer).status == "not yet"
    for x in KEPT:
        x[...] = 7
    after = [np.array(x) for c in exercise.cases for x in c.inputs.values()]
    for a, b in zip(before, after, strict=True):
        assert a.dtype == object or np.array_equal(a, b)
    assert check(exercise.name, RIGHT[exercise.name][0]).status == "passed"


def test_an_overwritten_input_is_named_even_if_the_result_is_right():
    def contexts(attention_weights, embeddings):
        result = attention_weights @ embeddings
        embeddings[0] = 0
        return result

    text = said("contexts", contexts)
    assert "embeddings, an input, is no longer what it was" in text
    assert "This overwrites embeddings, an input" in text


def remembering(memory):
    """Return weighted averages that go wrong by what a call leaves behind."""

    def from_the_third_call_on(shares, rows):
        memory.append(1)
        return shares @ rows + 0.5 * (len(memory) > 2)

    def by_default(shares, rows, total=[]):  # noqa: B006
        total.append(shares @ rows)
        return total[0]

    def added_up(shares, rows):
        for share, row in zip(shares, rows, strict=True):
            TOTALS[: len(row)] += share * row
        return TOTALS[: rows.shape[1]].copy()

    def counted(shares, rows):
        global COUNT
        COUNT += 1
        return shares @ rows / COUNT

    def collected(shares, rows):
        for share, row in zip(shares, rows, strict=True):
            KEPT.append(share * row)
        return sum(KEPT[-len(rows) :]) if len(KEPT) < 9 else KEPT[0]

    return from_the_third_call_on, by_default, added_up, counted, collected


TOTALS, COUNT = np.zeros(9), 0


@pytest.mark.parametrize(
    ("k", "name"), [(0, ""), (1, ""), (2, "TOTALS"), (3, "COUNT"), (4, "KEPT")]
)
def test_something_remembered_between_calls_is_found(k, name):
    global COUNT
    TOTALS[:], COUNT = 0, 0
    KEPT.clear()
    text = said("weighted average", remembering([])[k])
    assert "another result when it is called again with the same inputs" in text
    assert "Something is remembered between calls" in text
    assert (f"{name}, outside of the function, keeps" in text) == bool(name)


def test_what_is_remembered_without_harm_is_not_held_against_a_function():
    def weighted_average(shares, rows):
        KEPT.append(shares @ rows)
        return KEPT[-1]

    assert check("weighted average", weighted_average).status == "passed"


def test_numbers_drawn_at_random_are_told():
    text = said("softmax", lambda s: np.random.default_rng().random(len(s)))
    assert "or drawn at random" in text


# ---- the slider goal ----


def moved(changes, **options):
    explorer = explore("bank", **options)
    for matrix, row, column, x in changes:
        table = [list(r) for r in getattr(explorer, matrix)]
        table[row][column] = x
        setattr(explorer, matrix, table)
    return explorer


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        (("W_query", 1, 0, 0.7), 0.6),
        (("W_key", 0, 1, 0.6), 0.5),
        (("W_key", 1, 1, -1.1), -1.0),
    ],
)
def test_each_way_to_the_slider_goal_passes_from_its_threshold_on(change, missing):
    assert check("slider goal", moved([change])).status == "passed"
    text = said("slider goal", moved([(*change[:3], missing)]))
    assert "slider goal: not yet" in text
    assert f"went from 0 to {number(missing, 1)}".rstrip("0.") in text
    assert "coins looks" in text


@pytest.mark.parametrize(
    ("explorer", "words"),
    [
        (lambda: moved([("embeddings", 4, 0, -3)]), "words themselves changed"),
        (lambda: moved([("W_value", 2, 0, 3)]), "never the attention weights"),
        (
            lambda: moved([("W_query", 1, 0, 2), ("W_key", 0, 1, 2)]),
            "more than one moved",
        ),
        (
            lambda: moved([("W_query", 1, 0, 2), ("W_value", 0, 1, 2)]),
            "never the attention weights",
        ),
        (lambda: moved([("W_query", 1, 1, 0)]), "equally at 5 words"),
        (lambda: moved([("W_query", 1, 0, 0.1)]), "at bank (0.68), at river 0.20 "),
        (lambda: moved([("W_query", 1, 0, 0.1)]), "and bank answers that best"),
        (lambda: moved([("W_key", 0, 1, 0.5)]), "are level: a little further."),
        (lambda: moved([("W_query", 1, 1, -1)]), "neither is river. Either coins"),
        (lambda: moved([("W_query", 1, 1, 0)]), "neither is river. Either coins"),
        (lambda: moved([("W_key", 2, 1, 0)]), "neither is river. Either coins"),
        (lambda: moved([("W_query", 2, 1, 1)]), "this number does not move it."),
        (lambda: moved([("W_key", 2, 0, 1)]), "this number does not move it."),
        (lambda: moved([("W_query", 1, 0, 2)], mask="causal"), "Set mask back"),
        (lambda: moved([("W_query", 1, 0, 2)], mask="zero_scores"), "Set mask back"),
        (lambda: moved([], axis="columns"), "Set axis back to 'rows'"),
        (lambda: moved([("W_query", 1, 0, 2)], divide_by="1"), "Set divide_by back"),
        (lambda: explore("journey"), "Run the cell that makes the explorer again"),
        (
            lambda: explore(examples["bank"].without_matrices()),
            "Run the cell that makes the explorer again",
        ),
        (lambda: examples["bank"], "an Example"),
        (lambda: "river", "text"),
        (lambda: explore, "explorer = explore("),
    ],
)
def test_another_way_round_the_slider_goal_is_told(explorer, words):
    answer = explorer()
    result = check("slider goal", answer)
    assert result.status == "not yet"
    assert words in " ".join(result.text.split())


def test_an_explorer_that_has_not_moved_is_not_attempted():
    explorer = explore("bank")
    assert check("slider goal", explorer).status == "not attempted yet"
    explorer.W_query = [[0, 0], [0.7, 1], [2, 0], [0, 1.5]]
    assert check("slider goal", explorer).status == "passed"
    explorer.reset()
    assert check("slider goal", explorer).status == "not attempted yet"


def test_a_rewritten_bank_does_not_pass():
    bank = examples["bank"]
    W_query = bank.W_query.copy()
    W_query[1, 0] = 0.7
    ready = Example(bank.tokens, bank.embeddings, W_query, bank.W_key, bank.W_value)
    assert check("slider goal", explore(ready)).status == "not yet"


def test_the_bank_with_another_word_does_not_pass():
    bank = examples["bank"]
    for other in ("aardvark", "zoo"):
        tokens = [other if token == "on" else token for token in bank.tokens]
        assert other in tokens
        ready = replace(bank, tokens=tokens)
        text = said("slider goal", explore(ready))
        assert f"the words {' '.join(tokens)} " in text
        assert "Run the cell that makes the explorer again" in text


# ---- the goals of the playground ----

SENTENCES = json.loads((FACTS / "more_examples.json").read_text(encoding="utf-8"))
SENTENCES.pop("about")
SENTENCES = {name: fact for name, fact in SENTENCES.items() if "goal" in fact}


def sliders(name):
    """Yield every number of an example: its matrix, its names, its place."""
    example = examples[name]
    for matrix in ("embeddings", "W_query", "W_key", "W_value"):
        above = example.columns["embeddings"]
        rows = example.tokens if matrix == "embeddings" else above
        for i, j in np.ndindex(getattr(example, matrix).shape):
            yield (matrix, rows[i], example.columns[matrix][j]), (i, j)


def reached(goal, matrix, place, at):
    """Say which numbers reach a goal there: all at once, without our attention."""
    if matrix not in goal.edit:
        return np.zeros(len(at), dtype=bool)
    example = examples[goal.example]
    tables = {name: getattr(example, name) for name in ("embeddings", *MATRICES)}
    tables[matrix] = np.repeat(tables[matrix][None], len(at), axis=0)
    tables[matrix][:, *place] = at
    embeddings, *matrices = tables.values()
    queries, keys, values = (embeddings @ W for W in matrices)
    shares = np.exp(queries @ keys.mT / np.sqrt(keys.shape[-1]))
    shares /= shares.sum(axis=-1, keepdims=True)
    stage, names = shares, example.tokens
    if goal.stage == "context":
        stage, names = shares @ values, example.columns["W_value"]
    rows = np.broadcast_to(stage, (len(at), *stage.shape[-2:]))
    rows = rows[:, example.index(goal.asks)].tolist()
    return np.array([goal.reached(dict(zip(names, row, strict=True))) for row in rows])


def test_every_goal_of_the_playground_is_written_down():
    goals = [goal.name for goal in session.CHAPTERS["playground"]]
    assert goals == [f"{name} goal" for name in SENTENCES]


@pytest.mark.parametrize("name", SENTENCES)
def test_a_goal_is_reached_by_the_numbers_that_are_known_and_no_others(name):
    """Every place of every slider, by NumPy; where that changes, the check says so."""
    example, goal, explorer = examples[name], EXERCISES[f"{name} goal"], explore(name)
    at = np.arange(-30, 31) / 10
    assert dict(example.slider) == {"min": at[0], "max": at[-1], "step": 0.1}
    known = {
        (s["matrix"], s["row"], s["column"]): s["values"]
        for s in SENTENCES[name]["solutions"]
    }
    found = {}
    for (matrix, *names), place in sliders(name):
        table = getattr(example, matrix)
        ways = reached(goal, matrix, place, at) & (at != table[place])
        there = np.flatnonzero(ways)
        if there.size:
            first, last = there[[0, -1]]
            found[matrix, *names] = [at[first], at[last]]
            assert there.size == last - first + 1
            tried = {first - 1, first, last, last + 1} & {*range(len(at))}
        else:
            tried = {0 if at[0] != table[place] else 1}
        for k in tried:
            moved = table.copy()
            moved[place] = at[k]
            setattr(explorer, matrix, moved)
            assert (check(goal.name, explorer).status == "passed") == ways[k]
        setattr(explorer, matrix, table)
    assert found == known


@pytest.mark.parametrize("name", ["queen", "horse", "soup"])
def test_a_goal_is_not_reached_by_heads(name):
    explorer = explore(name)
    explorer.embeddings = np.array(explorer.embeddings) + 0.1
    explorer.heads = 2
    assert "Set heads back to 1" in said(f"{name} goal", explorer)


@pytest.mark.parametrize("name", SENTENCES)
def test_another_way_to_a_goal_of_the_playground_is_told(name):
    fact, goal, explorer = SENTENCES[name], f"{name} goal", explore(name)
    assert check(goal, explorer).status == "not attempted yet"
    assert "Run the cell that makes" in said(goal, explore("bank"))
    solution = fact["solutions"][0]
    table = getattr(examples[name], solution["matrix"]).copy()
    rows = explorer.tokens
    if solution["matrix"] != "embeddings":
        rows = explorer.columns["embeddings"]
    i = rows.index(solution["row"])
    j = explorer.columns[solution["matrix"]].index(solution["column"])
    table[i, j] = solution["values"][0]
    setattr(explorer, solution["matrix"], table)
    assert check(goal, explorer).status == "passed"
    explorer.mask = "causal"
    assert "Set mask back to 'none'" in said(goal, explorer)
    explorer.mask = "none"
    explorer.W_value = np.array(explorer.W_value) * 2
    assert "Leave W_value as it was" in said(goal, explorer)
    start = np.array(explorer.start["W_value"])
    for other in (start[:, :1], np.hstack([start, start])):
        explorer.W_value = other
        text = said(goal, explorer)
        assert "the sentence with other tables" in text
        assert "reset brings the sentence back" in text
    explorer.reset()
    explorer.tokens = ["another", *explorer.tokens[1:]]  # as a preset changes a word
    explorer.mask = "causal"
    assert "reset brings the sentence back" in said(goal, explorer)
    explorer.reset()
    assert check(goal, explorer).status == "not attempted yet"
    table[i, j] = getattr(examples[name], solution["matrix"])[i, j]
    table[i, j - 1] += 0.1
    setattr(explorer, solution["matrix"], table)
    expected = "ends up with" if name == "soup" else "looks "
    assert f" {fact['goal']['query']} {expected}" in said(goal, explorer)
    table[i, j] += 0.1
    setattr(explorer, solution["matrix"], table)
    assert "more than one moved" in said(goal, explorer)


# ---- leaks ----


def test_leaks_meets_many_ways_to_attend():
    verdicts = []

    def leaks(attend):
        verdicts.append(RIGHT["leaks"][0](attend))
        return verdicts[-1]

    assert check("leaks", leaks).status == "passed"
    assert verdicts == [way.leaks for way in WAYS]
    assert len({way.seed for way in WAYS}) == len(WAYS) - 5
    assert {way.blind for way in WAYS} == {"", *examples["bank"].columns["embeddings"]}


def test_every_wrong_verdict_of_leaks_is_rejected():
    for k in range(len(WAYS)):
        count = iter(range(100))

        def leaks(attend, k=k, count=count):
            return RIGHT["leaks"][0](attend) != (next(count) == k)

        text = said("leaks", leaks)
        assert "15 of 16 verdicts are right" in text


def test_a_word_that_changed_unseen_in_every_column_is_not_explained():
    way = next(way for way in WAYS if "diagonal" in way.name)
    _, W_key, W_value = other_matrices(way.seed)
    seen = np.column_stack([W_key, W_value @ way.mixed])
    *_, unseen = np.linalg.svd(seen.T)[2]

    def leaks(attend):
        poked = EMBEDDINGS.copy()
        poked[-1] += unseen
        return not np.allclose(attend(EMBEDDINGS)[:-1], attend(poked)[:-1])

    text = said("leaks", leaks)
    assert way.name in text
    assert "Which mistake this is, the check cannot tell" in text


def test_what_attend_returns_may_be_overwritten():
    def leaks(attend):
        before = attend(EMBEDDINGS)
        before[-1] = 0
        after = attend(poke(wet=0, rich=1, place=-1, link=1))
        after[-1] = 0
        return not np.allclose(before, after)

    assert check("leaks", leaks).status == "passed"


# ---- names, summary, display ----


@pytest.mark.parametrize("name", ["Softmax", "", 3, None, ["softmax"]])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(ValueError, match="there is no exercise") as error:
        check(name, 1)
    assert all(known in str(error.value) for known in EXERCISES)


def test_no_two_exercises_have_the_same_name():
    listed = [e.name for exercises in session.CHAPTERS.values() for e in exercises]
    assert len(listed) == len(set(listed)) == len(EXERCISES)


def test_a_summary_of_nothing_says_so():
    assert str(summary()) == "No exercise has been checked in this session yet."


def test_a_summary_counts_tries_up_to_the_first_pass():
    check("softmax", ...)
    check("softmax", lambda s: s)
    check("softmax", lambda s: s / s.sum())
    check("softmax", softmax)
    check("softmax", lambda s: s)
    check("weighted average", lambda shares, rows: rows)
    check("dot product blank", ...)
    assert str(summary()) == (
        "Exercises of this session\n"
        "\n"
        "one word: 1 of 4 passed\n"
        "  dot product blank           not attempted yet\n"
        "  scores of one word          not attempted yet\n"
        "  weighted average            not yet            tries 1\n"
        "  softmax                     passed             tries 3"
    )


def test_a_summary_keeps_the_order_of_the_chapters():
    for name in reversed(list(EXERCISES)):
        check(name, ...)
    lines = str(summary()).splitlines()
    assert [line.strip() for line in lines if "passed" in line] == [
        f"{chapter}: 0 of {len(exercises)} passed"
        for chapter, exercises in session.CHAPTERS.items()
    ]


def test_a_solution_that_is_not_your_own_is_not_entered():
    assert check("softmax", softmax, record=False).status == "passed"
    with pytest.raises(TypeError):
        check("softmax", softmax, False)
    assert "No exercise" in str(summary())


def test_a_notebook_shows_the_text_as_it_is():
    show = PlainTextFormatter()
    for result in (check("softmax", lambda s: s), check("softmax", ...), summary()):
        assert show(result) == result.text


def test_importing_the_exercises_does_not_import_matplotlib():
    code = "import sys, attention_helpers.exercises; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("module", ["attention_helpers.exercises", session.__name__])
def test_the_examples_in_the_docstrings_work(module):
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert failed == 0
    assert tried > 0


# ---- mistakes made by a machine ----


@pytest.mark.parametrize("name", [n for n in RIGHT if callable(RIGHT[n][0])])
def test_no_single_change_to_a_solution_passes_unless_it_means_the_same(name):
    tried = 0
    for what, mutant in mutants(RIGHT[name][0]):
        tried += 1
        if check(name, mutant).status != "not yet":
            assert any(re.search(pattern, what) for pattern in SAME), what
    assert tried >= 7


def test_an_answer_that_checks_itself_comes_to_an_end():
    def my_softmax(scores):
        check("softmax", my_softmax, record=False)

    result = check("softmax", my_softmax, record=False)
    assert result.status == "not yet"
    assert "check is called inside the answer" in " ".join(result.text.split())
    assert check("dot product", 15, record=False).status == "not yet"
