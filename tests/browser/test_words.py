"""Numbers and results in words: every printed sum is evaluated again."""

import itertools
import math
import re
from dataclasses import dataclass

import numpy as np
import pytest
from states import (
    COMBINATIONS,
    NUMBERS,
    ask,
    in_batches,
    plain_state,
    random_states,
    seen_by,
)
from test_engine import (
    attention_of,
    computed,
    may_look,
    shapes_of,
    shares,
)
from words import TEXT

from attention_helpers.explorer import MASKS
from attention_helpers.text import number

# ---- numbers as text ----


def test_numbers_are_written_as_in_python(engine_page):
    rng = np.random.default_rng(0)
    spread = rng.choice([-1, 1], 3000) * 10 ** rng.uniform(-12, 25, 3000)
    ties = rng.integers(-10_000, 10_000, 1000) / 8
    edges = [0.0, -0.0, 0.005, -0.005, 0.125, -0.004, 99_999.995, 1e5, -1e5, 123_456.5]
    edges += [1e21, -1e21, 1.25e10, 5e-324, 1.7e308, math.nan, math.inf, -math.inf]
    numbers = [*spread.tolist(), *ties.tolist(), *edges]
    for decimals in range(5):
        function = f"texts => texts.map(x => helpers.number(Number(x), {decimals}))"
        written = ask(engine_page, function, [javascript(x) for x in numbers])
        assert written == [number(x, decimals) for x in numbers]
    assert ask(engine_page, "() => helpers.number(0.125)") == "0.13"


def javascript(x: float) -> str:
    return repr(x).replace("nan", "NaN").replace("inf", "Infinity")


def half_a_digit(size: float) -> float:
    """Return by how much a number in a sentence may be rounded."""
    if size == 0:
        return 0.0
    power = math.floor(math.log10(size))
    if size < 0.1:
        return 0.5 * 10.0 ** (power - 3)
    return 0.5e-4 if size < 1e5 else 0.5 * 10.0 ** (power - 6)


def value(text: str) -> float:
    return math.nan if text == "undefined" else float(text.replace("−", "-"))


def is_printed_as(x: float, text: str) -> bool:
    if math.isinf(x):
        return text == ("∞" if x > 0 else "−∞")
    return abs(value(text) - x) <= (1 + 1e-9) * half_a_digit(abs(x))


def test_a_number_in_a_sentence_is_rounded_by_half_a_digit_at_most(engine_page):
    rng = np.random.default_rng(1)
    numbers = (rng.choice([-1, 1], 5000) * 10 ** rng.uniform(-300, 300, 5000)).tolist()
    numbers += (rng.normal(size=3000) * 10 ** rng.uniform(-4, 8, 3000)).tolist()
    numbers += [0.0, 0.1, 0.0999996, 99_999.99996, 1e5, 1.4754, 4.54e-7, -0.5]
    written = ask(engine_page, "numbers => numbers.map(helpers.exactly)", numbers)
    for x, text in zip(numbers, written, strict=True):
        assert is_printed_as(x, text), (x, text)
    assert written[-3:] == ["1.4754", "4.54e−7", "−0.5"]


# ---- arithmetic with the rounding of its printed numbers ----


@dataclass(frozen=True)
class Interval:
    """All that a printed number, or what is computed from some, may stand for."""

    low: float
    high: float

    def __add__(self, other):
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self):
        return Interval(-self.high, -self.low)

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        return self._ends(other, lambda a, b: 0.0 if 0 in (a, b) else a * b)

    def __truediv__(self, other):
        if other.low <= 0 <= other.high:
            return ANYTHING
        return self._ends(other, lambda a, b: a / b)

    def _ends(self, other, operation):
        pairs = itertools.product([self.low, self.high], [other.low, other.high])
        results = [operation(a, b) for a, b in pairs]
        return Interval(min(results), max(results))

    def __contains__(self, x):
        """Whether x is inside, but for the rounding of float64."""
        if math.isinf(x):
            return x in (self.low, self.high)
        ends = [end for end in (self.low, self.high) if math.isfinite(end)]
        slack = 1e-12 * max(map(abs, [*ends, x])) + 1e-320
        return self.low - slack <= x <= self.high + slack


ANYTHING = Interval(-math.inf, math.inf)
NUMBER = r"\d+(?:\.\d+)?(?:e[+−]\d+)?"


def printed(text: str) -> Interval:
    x = value(text)
    return Interval(x - half_a_digit(abs(x)), x + half_a_digit(abs(x)))


def root(text: str) -> Interval:
    return Interval(math.sqrt(int(text)), math.sqrt(int(text)))


def exp(x: Interval) -> Interval:
    def power(end):
        return math.exp(end) if end < 709 else math.inf

    return Interval(power(x.low), power(x.high))


def evaluate(text: str) -> Interval:
    """Evaluate printed arithmetic, such as "(−0.5) × 2 + exp(1.5) ÷ √4"."""
    code = re.sub(r"√(\d+)|undefined|" + NUMBER, as_call, text)
    for sign, name in {"×": "*", "÷": "/", "−": "-", "∞": "VAST"}.items():
        code = code.replace(sign, name)
    names = {"printed": printed, "root": root, "exp": exp}
    names |= {"ANYTHING": ANYTHING, "VAST": Interval(math.inf, math.inf)}
    return eval(code, {"__builtins__": {}}, names)


def as_call(match: re.Match) -> str:
    if match[0] == "undefined":
        return "ANYTHING"
    name, text = ("root", match[1]) if match[1] else ("printed", match[0])
    return f"{name}('{text}')".replace("−", "\\u2212")


def test_the_test_evaluates_as_a_reader_would():
    assert 1.4754 in evaluate("0.55 × 0.57 + 0.87 × 0.85 + 0.66 × 0.64")
    assert 1.4764 not in evaluate("0.55 × 0.57 + 0.87 × 0.85 + 0.66 × 0.64")
    assert -0.25 in evaluate("(−0.5) ÷ √4")
    assert -math.inf in evaluate("−∞")
    assert math.exp(-1) in evaluate("exp(25.5 − 26.5)")
    assert 0.27 not in evaluate("exp(1) ÷ (exp(1) + exp(2) + 0)")
    assert 4.54e-5 in evaluate("−4.54e−5 × (−1)")


# ---- the sentence for one number ----

CELLS = """([state, cells]) => {
    const S = helpers.compute(state);
    return cells.map(([stage, i, j]) => helpers.explain(S, stage, i, j));
}"""


def some_cells(rng, state, most=6) -> list[tuple[str, int, int]]:
    cells = []
    for stage, shape in shapes_of(state).items():
        places = list(np.ndindex(shape))
        picked = rng.choice(len(places), min(most, len(places)), replace=False)
        cells += [(stage, *places[p]) for p in picked.tolist()]
    return cells


def plain_text(parts) -> str:
    return "".join(part if isinstance(part, str) else part["text"] for part in parts)


def fate(state, stage, i, j) -> str:
    """Return what the mask does to a cell."""
    mask = MASKS[state["mask"]]
    touched = stage in ("masked_scores", "weights") and not may_look(state)[i, j]
    if touched and stage in mask.hides:
        return "hidden"
    return "overwritten" if touched and stage == mask.at else "seen"


def stations(state, S, stage, i, j) -> list[float]:
    """Return what each clause of a sentence must come to; the last is the cell."""
    if stage != "weights":
        return [S[stage][i, j]]
    mask, may = MASKS[state["mask"]], may_look(state)
    ways = [shares(state | {"mask": "none"}, S)[0][i, j]]
    if mask.at == "weights" and not may[i, j]:
        ways.append(mask.fill)
    if mask.renormalise:
        ways.append(shares(state, S)[0][i, j])
    if state["dropout_p"] and state["dropout_keep"]:
        ways.append(S[stage][i, j])
    return ways


def check_sentence(state, S, stage, i, j, parts):
    sentence = plain_text(parts)
    cell = S[stage][i, j]
    if stage == "masked_scores":
        assert is_printed_as(cell, sentence.split()[-1]), sentence
        return
    clauses = sentence.split("; ")
    targets = stations(state, S, stage, i, j)
    assert len(clauses) == len(targets), sentence
    for clause, target in zip(clauses, targets, strict=True):
        check_clause(clause, target, soft=stage == "weights")


def check_clause(clause: str, target: float, soft: bool):
    """Check that all members of "a = b = c" come to the target."""
    chain = clause.split(": ")[-1].split(" = ")
    if len(chain) == 1:  # no arithmetic, but that the numbers cancel
        assert math.isnan(target)
        below, nothing = clause.split(": ")[-2].split(" = ")
        assert nothing == "0"
        assert 0.0 in evaluate(below)
        return
    if math.isnan(target):
        assert chain[-1] == TEXT["numbers"]["undefined"], clause
        return
    for member in chain:
        assert target in evaluate(member), (clause, target)
    assert is_printed_as(target, chain[-1]), clause
    if soft and "exp" in clause:  # an interval that holds every share would say nothing
        assert evaluate(chain[0]).high - evaluate(chain[0]).low < 0.01, clause


def check_words(state, stage, i, j, said, columns):
    """Check that both words, or the word and the column, are named in their colours.

    Where the mask has touched the cell, it is said why.
    """
    parts = [part for part in said["parts"] if isinstance(part, dict)]
    named = {(part["role"], part["text"]) for part in parts}
    assert ("one", state["tokens"][i]) in named
    assert ("two", columns[stage][j]) in named
    text = plain_text(said["parts"])
    words = {"row": state["tokens"][i], "column": columns[stage][j]}
    reasons = (reason.format(**words) for reason in TEXT["why"].values())
    why = next((reason for reason in reasons if reason in text), "")
    assert said["fate"] == fate(state, stage, i, j)
    assert bool(why) == (said["fate"] != "seen"), text
    if stage == "masked_scores":
        result = parts[-1]["text"]
        score = [part["text"] for part in parts if part["role"] == "one"][-1]
        told = TEXT["say"][said["fate"]]
        assert text == told.format(why=why, score=score, result=result, **words)


LABELS = """state => {
    const S = helpers.compute(state);
    return Object.fromEntries(Object.keys(helpers.STAGES)
        .map(stage => [stage, helpers.labels(S, stage).cols]));
}"""


def check_sentences(page, states, seed=0):
    rng = np.random.default_rng(seed)
    cells = [some_cells(rng, state) for state in states]
    answers = in_batches(page, CELLS, list(zip(states, cells, strict=True)))
    columns = list(in_batches(page, LABELS, states))
    all_stages = computed(page, states)
    for n, (state, S, sentences) in enumerate(
        zip(states, all_stages, answers, strict=True)
    ):
        for (stage, i, j), said in zip(cells[n], sentences, strict=True):
            check_sentence(state, S, stage, i, j, said["parts"])
            check_words(state, stage, i, j, said, columns[n])


def test_the_arithmetic_of_every_sentence_comes_to_its_number(engine_page):
    check_sentences(engine_page, list(random_states(len(COMBINATIONS), seed=10)))


@pytest.mark.parametrize("kind", NUMBERS)
def test_sentences_of_long_rows_and_of_any_numbers(engine_page, kind):
    picked = COMBINATIONS[list(NUMBERS).index(kind) % 7 :: 7]  # so all have their turn
    states = random_states(
        28, seed=11, numbers=[kind], tokens=[2, 9, 12], combinations=picked
    )
    check_sentences(engine_page, list(states))


SQUARES = ("scores", "scaled_scores", "masked_scores", "weights")
HOSTILE = ["<b>bold</b>", "a: b = 1; c", "100 × 2", "שלום", "🙂", "${x}", "itself"]


@pytest.mark.parametrize("mask", ["none", "causal", "zero_weights_renormalised"])
def test_tokens_stand_in_sentences_as_they_are(engine_page, mask):
    embeddings = np.random.default_rng(12).normal(size=(7, 2))
    state = plain_state(embeddings, tokens=HOSTILE, mask=mask)
    cells = [(stage, i, 6 - i) for stage in SQUARES for i in range(7)]
    answers = in_batches(engine_page, CELLS, [[state, cells]])
    for (_, i, j), said in zip(cells, next(answers), strict=True):
        named = [part for part in said["parts"] if isinstance(part, dict)]
        assert {"role": "one", "text": HOSTILE[i]} in named
        assert {"role": "two", "text": HOSTILE[j]} in named
    rows = """state => state.tokens.map(
        (_, i) => helpers.sayRow(helpers.compute(state), i).text)"""
    for token, text in zip(HOSTILE, ask(engine_page, rows, state), strict=True):
        assert token in text


# ---- the result in words ----


def effective_words(line) -> float:
    shares = line[line > 0] / line.sum()
    return math.exp(-(shares * np.log(shares)).sum())


def reachable(state) -> np.ndarray:
    """Return which words each word can give attention to."""
    cells = seen_by(state)
    if state["dropout_p"] and state["dropout_keep"]:
        cells &= np.array(state["dropout_keep"])
    return cells


def top_of(line) -> list[int]:
    return np.flatnonzero(line >= line.max() - 1e-9 * abs(line.max())).tolist()


def listed(state, i, columns) -> str:
    itself = TEXT["row"]["itself"]
    words = [itself if j == i else state["tokens"][j] for j in columns]
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def with_share(state, i, line, columns) -> str:
    text = TEXT["row"]["share_each" if len(columns) > 1 else "share"]
    words = listed(state, i, columns)
    return text.format(words=words, share=percent(line[columns[0]]))


def percent(share: float) -> str:
    decimals = 1 if 0.995 <= share < 0.9995 else 0  # not all, so it does not say so
    return TEXT["numbers"]["percent"].format(x=number(100 * share, decimals))


def is_flat(line, words) -> bool:
    """Whether the words are so equal that a ranking would be noise."""
    return words > 1 and effective_words(line) >= 0.94 * words


def row_in_words(state, weights, i) -> dict[str, str]:
    """Return which kind of row it is, and what is said of it."""
    line = weights[i]
    words = np.flatnonzero(reachable(state)[i])
    top = top_of(line)
    rest = np.where(np.isin(np.arange(len(line)), top), -1.0, line)
    places = {}
    if np.isnan(line).any():
        kind = "undefined"
    elif (line < 0).any():
        kind, first = "negative", np.flatnonzero(line < 0)[0]
        places = {"words": listed(state, i, [first]), "share": percent(line[first])}
    elif not line.any():
        kind = "nothing"
    elif len(words) == 1:
        kind, places = "only", {"words": listed(state, i, words)}
    elif is_flat(line, len(words)):
        kind = "even"
        places = {"spread": number(effective_words(line), 1), "n": len(words)}
        if len(top) < len(words):
            share = TEXT["numbers"]["percent"].format(x=number(100 * line[top[0]], 1))
            places |= {"most": listed(state, i, top), "share": share}
    else:
        kind = "most_then" if rest.max() >= 0.005 else "most"
        places = {"most": with_share(state, i, line, top)}
        places["next"] = with_share(state, i, line, top_of(rest))
    which = "even_most" if kind == "even" and "most" in places else kind
    text = TEXT["row"][which].format(word=state["tokens"][i], **places)
    return {"kind": kind, "text": text}


SAID = """state => {
    const S = helpers.compute(state);
    return {rows: state.tokens.map((_, i) => helpers.sayRow(S, i)),
        all: helpers.summary(S, null), spread: S.weights.map(helpers.effectiveWords),
        largest: S.weights.map(helpers.largest), selfish: helpers.selfish(S)};
}"""


def said_of_all_kinds(page, **options):
    """Yield (state, NumPy's weights, what the browser says of them)."""
    states = list(random_states(2 * len(COMBINATIONS), seed=13, **options))
    answers = in_batches(page, SAID, states)
    for state, answer in zip(states, answers, strict=True):
        yield state, attention_of(state)["weights"], answer


def test_each_row_in_words_is_what_numpy_says(engine_page):
    seen, several = set(), False
    for state, weights, said in said_of_all_kinds(engine_page):
        for i, row in enumerate(said["rows"]):
            assert row == row_in_words(state, weights, i), state
            seen.add(row["kind"])
            several |= row["kind"] == "most" and len(top_of(weights[i])) > 1
    assert seen == set(TEXT["row"]) - {
        *("share", "share_each", "all", "itself", "even_most")
    }
    assert several


def test_spread_and_largest_shares_are_numpys(engine_page):
    for state, weights, said in said_of_all_kinds(engine_page):
        defined = ~np.isnan(weights).any(axis=1)
        for i in np.flatnonzero(defined & (weights > 0).any(axis=1)):
            if (weights[i] >= 0).all():
                spread = effective_words(weights[i])
                assert said["spread"][i] == pytest.approx(spread, rel=1e-9)
            assert said["largest"][i] == top_of(weights[i])
        own = [i for i in np.flatnonzero(defined) if i in top_of(weights[i])]
        assert said["selfish"] == own, state


def test_all_rows_in_one_line(engine_page):
    seen = set()
    for state, weights, said in said_of_all_kinds(engine_page, tokens=[1, 3, 5, 10]):
        said = {name: said["all"][name] for name in ("kind", "text")}
        if len(weights) == 1:
            assert said == row_in_words(state, weights, 0)
        else:
            kind, places = rows_in_words(state, weights)
            text = TEXT["rows"][kind].format(**places)
            assert said == {"kind": kind, "text": text}, state
            seen.add(said["kind"])
    pieces = {"pair", "between", "no_word", "barely"}
    assert seen == set(TEXT["rows"]) - pieces


def rows_in_words(state, weights) -> tuple[str, dict]:
    """Return the kind of line and what stands in it; flat rows win barely."""
    n = len(weights)
    if np.isnan(weights).any():
        return "undefined", {}
    if (weights < 0).any():
        return "negative", {}
    words = reachable(state).sum(axis=1)
    pairs = zip(weights, words, strict=True)
    even = np.array([line.any() and is_flat(line, k) for line, k in pairs])
    drops = state["dropout_p"] and state["dropout_keep"]
    if even.all():
        return "even_left" if drops else "even", {}
    if n > 8:
        selfish = [i for i in range(n) if i in top_of(weights[i]) and not even[i]]
        places = {"count": len(selfish), "n": n, "even": even.sum()}
        return "many_even" if even.any() else "many", places
    targets = []
    for i, (word, line) in enumerate(zip(state["tokens"], weights, strict=True)):
        top = top_of(line)
        if not line.any():
            words = TEXT["rows"]["no_word"]
        else:
            everybody = len(top) == n > 2
            words = TEXT["row"]["all"] if everybody else listed(state, i, top)
        if even[i] and len(top) < reachable(state)[i].sum():
            words = TEXT["rows"]["barely"].format(words=words)
        targets.append(TEXT["rows"]["pair"].format(word=word, words=words))
    return "each", {"pairs": TEXT["rows"]["between"].join(targets)}


def test_what_differs_from_the_start_is_said(engine_page):
    state = plain_state([[1.0, 2.0], [3.0, 4.0]], W_value=[[1.0], [0.0]])
    said = ask(engine_page, f"state => ({SAID})(state).all", state)
    assert said["changed"] == []
    state["embeddings"] = [[1.0, 2.0], [3.0, 5.0]]
    state["W_value"] = None
    plain = ask(engine_page, f"state => ({SAID})(state).rows[1].text", state)
    row = ask(engine_page, "s => helpers.summary(helpers.compute(s), 1)", state)
    assert row["changed"] == ["embeddings", "W_value"]
    assert row["text"] == plain
    assert row["more"] == TEXT["changed"].format(matrices="embeddings, W_value")
    said = ask(engine_page, f"state => ({SAID})(state).all", state)
    assert said["changed"] == row["changed"]
    assert said["more"] == row["more"]


def test_a_nearly_flat_row_names_its_largest_share(engine_page):
    state = plain_state(np.full((6, 2), 0.3) + np.eye(6, 2) / 50)
    weights = attention_of(state)["weights"]
    for i, row in enumerate(ask(engine_page, f"state => ({SAID})(state).rows", state)):
        assert row["kind"] == "even"
        assert row == row_in_words(state, weights, i)
        assert "16.7" in row["text"] or "16.8" in row["text"]
    alike = plain_state(np.ones((6, 2)))
    said = ask(engine_page, f"state => ({SAID})(state).rows[0].text", alike)
    assert said == "word0 spreads evenly over 6 words."
