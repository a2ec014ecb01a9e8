"""Random explorer states, and a way to ask the engine in the browser about them."""

import itertools
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from playwright.sync_api import Page

from attention_helpers import causal_mask
from attention_helpers.explorer import DIVISORS, MASKS, twin

State = dict[str, Any]

SHARES = [  # (mask, normalise, axis): only softmax along rows goes with a mask
    *((mask, "softmax", "rows") for mask in MASKS),
    ("none", "softmax", "columns"),
    ("none", "sum", "rows"),
    ("none", "sum", "columns"),
]
PRESENT = list(itertools.product([False, True], repeat=3))  # of the weight matrices
DROPOUT = ["none", "drawn", "p is 0"]
CHOICES = (SHARES, DIVISORS, PRESENT, DROPOUT)
EVERY = list(itertools.product(*CHOICES))
COMBINATIONS = [  # a quarter, in which any two options meet, and most three
    combination
    for combination, places in zip(
        EVERY,
        itertools.product(*(range(len(choices)) for choices in CHOICES)),
        strict=True,
    )
    if sum(places) % 4 == 0
]

NUMBERS = {
    "slider": lambda rng, shape: rng.integers(-300, 301, shape) / 100,
    "normal": lambda rng, shape: rng.normal(size=shape),
    "positive": lambda rng, shape: rng.uniform(0.05, 1, shape),
    "negative": lambda rng, shape: -rng.uniform(0, 2, shape),
    "small whole": lambda rng, shape: rng.integers(-2, 3, shape).astype(float),
    "mostly zero": lambda rng, shape: (
        rng.normal(size=shape) * (rng.random(shape) < 0.2)
    ),
    "zeros": lambda rng, shape: np.zeros(shape),
    "large": lambda rng, shape: rng.uniform(-30, 30, shape),
    "huge": lambda rng, shape: rng.uniform(-1e6, 1e6, shape),
    "tiny": lambda rng, shape: rng.normal(size=shape) * 1e-9,
    "vanishing": lambda rng, shape: rng.normal(size=shape) * 1e-155,
    "all sizes": lambda rng, shape: (
        rng.choice([-1, 1], shape) * 10 ** rng.uniform(-12, 6, shape)
    ),
}
TAME = ["slider", "normal", "positive", "negative"]


def random_states(
    count: int,
    *,
    seed: int = 0,
    numbers: list[str] | None = None,
    tokens: list[int] | None = None,
    combinations: list[tuple] = COMBINATIONS,
) -> Iterator[State]:
    """Yield whole states; the combinations of options and the kinds of numbers come in
    turn."""
    rng = np.random.default_rng(seed)
    kinds = numbers or list(NUMBERS)
    for turn, combination in zip(
        range(count), itertools.cycle(combinations), strict=False
    ):
        rank, step = turn % len(combinations), turn // len(combinations)
        kind = kinds[(rank + rank // 24 + 3 * step) % len(kinds)]
        yield random_state(
            rng, combination, kind, int(rng.choice(tokens or range(1, 9)))
        )


def random_state(
    rng: np.random.Generator, combination: tuple, kind: str, n: int
) -> State:
    (mask, normalise, axis), divide_by, present, dropout = combination
    draw = NUMBERS[kind]
    d_in, d_k, d_v = (int(size) for size in rng.choice(6, 3, replace=False) + 1)
    if present[:2] in [(True, False), (False, True)]:
        d_k = d_in  # else queries and keys would not fit together
    widths = {"W_query": d_k, "W_key": d_k, "W_value": d_v}
    embeddings = draw(rng, (n, d_in))
    if rng.random() < 0.2:
        embeddings = embeddings[rng.integers(0, n, n)]  # some words are twins
    state = plain_state(embeddings)
    for (name, width), here in zip(widths.items(), present, strict=True):
        state[name] = draw(rng, (d_in, width)).tolist() if here else None
    state |= {"mask": mask, "normalise": normalise, "axis": axis}
    state |= {"divide_by": divide_by, "kind": kind}
    if dropout != "none":
        state["dropout_keep"] = (rng.random((n, n)) < 0.6).tolist()
        state["dropout_p"] = (
            0.0 if dropout == "p is 0" else float(rng.choice([0.1, 0.5]))
        )
    if rng.random() < 0.5:
        state["query"] = int(rng.integers(n))
    return with_start(state)


def random_heads(count: int, *, seed: int = 0, numbers: list[str] = TAME) -> Iterator:
    """Yield whole states of several heads; each combination of masks, divisors and
    matrices that are there comes in turn, with and without dropout and W_out."""
    rng = np.random.default_rng(seed)
    combinations = [*itertools.product(SHARES, DIVISORS, PRESENT, DROPOUT)]
    for k, combination in enumerate(itertools.cycle(combinations[:: 5 + seed])):
        if k == count:
            return
        heads, kind = int(rng.integers(2, 5)), numbers[k % len(numbers)]
        state = random_state(rng, combination, kind, int(rng.integers(1, 7)))
        draw = NUMBERS[kind]
        d_in, d_k, d_v = (heads * int(size) for size in rng.choice(3, 3) + 1)
        n, present = len(state["tokens"]), combination[2]
        if present[:2] != (True, True):
            d_k = d_in
        state["embeddings"] = draw(rng, (n, d_in)).tolist()
        widths = {"W_query": d_k, "W_key": d_k, "W_value": d_v}
        for (name, width), here in zip(widths.items(), present, strict=True):
            state[name] = draw(rng, (d_in, width)).tolist() if here else None
        if rng.random() < 0.5:
            height = d_v if present[2] else d_in
            state["W_out"] = draw(rng, (height, int(rng.integers(1, 5)))).tolist()
        off = [head for head in range(heads) if rng.random() < 0.2]
        yield with_start(state | {"heads": heads, "off": off})


def seen_by(state: State) -> np.ndarray:
    """Return which words are not hidden from each word."""
    n = len(state["tokens"])
    seen = MASKS[state["mask"]].visible("weights", n)
    return np.ones((n, n), bool) if seen is None else seen


def _wished(rng: np.random.Generator, state: State) -> tuple[dict, dict]:
    """Return random wishes by name, and by index."""
    n, heads, seen = len(state["tokens"]), state["heads"], seen_by(state)
    columns = twin.labels(as_explorer(state), "context")[1]
    named, placed = {"weights": {}}, {"weights": {}}
    for i in rng.permutation(n)[: rng.integers(1, n + 1)]:
        some = [int(rng.choice(np.flatnonzero(seen[i]))) for _ in range(heads + 1)]
        some = [None if rng.random() < 0.3 else j for j in some[: rng.integers(1, 6)]]
        while some and some[-1] is None:
            some.pop()
        if some:
            words = [None if j is None else state["tokens"][j] for j in some]
            named["weights"][state["tokens"][i]] = words if some[1:] else words[0]
            placed["weights"][int(i)] = some if some[1:] else some[0]
    if rng.random() < 0.5 or not named["weights"]:
        k = int(rng.integers(len(columns)))
        named["context"] = {state["tokens"][0]: columns[k]}
        placed["context"] = {0: k}
    if not named["weights"]:
        del named["weights"], placed["weights"]
    return named, placed


def wishing_heads(
    count: int, *, seed: int, masks: tuple[str, ...] = ("none", "causal")
) -> Iterator[tuple[State, dict]]:
    """Yield states of several heads with wishes, and the options of `gradients`."""
    rng = np.random.default_rng(seed)
    for k, state in enumerate(random_heads(count, seed=seed)):
        state |= {"mask": masks[k % len(masks)], "normalise": "softmax", "axis": "rows"}
        state |= {"dropout_p": 0.0, "dropout_keep": None, "off": []}
        state["goal"], goal = _wished(rng, state)
        n, d_in = np.shape(state["embeddings"])
        width = d_in if state["W_query"] is None else len(state["W_query"][0])
        squared = DIVISORS[state["divide_by"]](n, d_in, width // state["heads"])
        options = {"goal": goal, "heads": state["heads"], "scale": squared**-0.5}
        if state["mask"] == "causal":
            options["mask"] = causal_mask(n)
        yield state, options


def plain_state(embeddings: Any, **options: Any) -> State:
    """Return the state of words without weight matrices, all options plain."""
    embeddings = np.asarray(embeddings, dtype=float).tolist()
    state = {
        "tokens": [f"word{i}" for i in range(len(embeddings))],
        "embeddings": embeddings,
        **dict.fromkeys(["W_query", "W_key", "W_value", "W_out", "stages", "query"]),
        **{"edit": ["embeddings"], "divide_by": "1", "mask": "none"},
        **{"normalise": "softmax", "axis": "rows", "dropout_p": 0},
        **{"dropout_keep": None, "controls": [], "predict": None, "predicted": None},
        **{"step": None, "large": False, "columns": {}, "slider": None, "presets": {}},
        **{"goal": None, "train": ["embeddings"], "rate": 0.5, "slopes": False},
        **{"losses": [], "heads": 1, "off": []},
    }
    return with_start(state | options)


def with_start(state: State) -> State:
    inputs = ["tokens", "embeddings", "W_query", "W_key", "W_value", "W_out"]
    return state | {"start": {name: state[name] for name in inputs}}


def as_explorer(state: State) -> SimpleNamespace:
    """Return the state with its options as attributes, as an `Explorer` has them."""
    return SimpleNamespace(**state)


def ask(page: Page, function: str, *given: Any) -> Any:
    """Call a JavaScript function, which finds the explorer's modules in `helpers`.

    Everything goes as JSON, and NaN and infinities come back as such.
    """
    script = f"""text => {{
        const named = (_, x) =>
            typeof x !== 'number' || Number.isFinite(x) ? x : `@${{x}}@`;
        const answer = ({function})(...JSON.parse(text));
        return JSON.stringify(answer, named).replace(/"@(-?\\w+)@"/g, '$1');
    }}"""
    return json.loads(page.evaluate(script, json.dumps(given)))


def in_batches(page: Page, function: str, states: list, size: int = 500) -> Iterator:
    """Yield what a JavaScript function of one state answers, for each state."""
    for first in range(0, len(states), size):
        batch = states[first : first + size]
        yield from ask(page, f"states => states.map({function})", batch)
