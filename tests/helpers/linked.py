"""Explorers with every option at random, and addresses that somebody else has made."""

import base64
import json
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from states import COMBINATIONS, State, random_heads, random_states, seen_by

from attention_helpers import Explorer
from attention_helpers.explorer import CONTROLS, INPUTS, LEARNED, STAGES, STATE

DEFAULTS = {name: getattr(Explorer, name).default_value for name in STATE}
WORDS = ("bank", "__proto__", "constructor", "</script>", "שלום", "a b", "naïve", "🜁")


def random_explorers(count: int, seed: int = 0) -> Iterator[Explorer]:
    """Yield explorers in which every option differs from its default now and then."""
    rng = np.random.default_rng(seed)
    few = count // 3  # of several heads
    one = count - few
    combinations = COMBINATIONS[:: len(COMBINATIONS) // one | 1]  # some of each kind
    for state in random_states(one, seed=seed, combinations=combinations):
        yield random_explorer(rng, state)
    for state in random_heads(few, seed=seed):
        yield random_explorer(rng, state)


def random_explorer(rng: np.random.Generator, state: State) -> Explorer:
    def some(names: Any, most: int) -> tuple[str, ...]:
        names = list(names)
        size = int(rng.integers(0, min(most, len(names)) + 1))
        return tuple(rng.permutation(names)[:size].tolist())

    def often(option: str, value: Any) -> None:
        if rng.random() < 0.5:
            options[option] = value

    n, here = len(state["tokens"]), [k for k in INPUTS if state[k] is not None]
    options = {k: x for k, x in state.items() if k in STATE and k != "start"}
    options["tokens"] = words = tuple(rng.permutation(WORDS)[:n].tolist())
    options["edit"] = some(here, 2)
    options |= {"presets": {}, "columns": {}, "slider": None}
    often("stages", some(STAGES, len(STAGES)))
    often("controls", some(CONTROLS, 3))
    often("step", int(rng.integers(0, 9)))
    often("large", True)
    often("slopes", True)
    often("rate", float(rng.uniform(0, 5)))
    often("train", (str(rng.choice([k for k in here if k in LEARNED])),))
    often("slider", {"min": -1.5, "max": float(rng.uniform(1, 9)), "step": 0.1})
    names = tuple(f"{k}. {word}" for k, word in enumerate(words))
    size = len(state["embeddings"][0])
    often("columns", {"embeddings": tuple(map(str, range(size)))})
    row = tuple(rng.normal(size=size).tolist())
    preset = {"token": words[0], "becomes": names[0], "embedding": row}
    often("presets", {"a change": preset})
    seen = seen_by(state)[-1]  # only what may be seen can be wished for
    plain = options["normalise"] == "softmax" and options["axis"] == "rows"
    if plain and seen.any():
        first = words[seen.argmax()]
        wished = first if options["heads"] == 1 else [None, first, first]
        often("goal", {"weights": {words[-1]: wished}})
    often("losses", tuple(rng.uniform(0, 40, 5).tolist()))
    if rng.random() < 0.5:
        options |= {"predict": "most_to_themselves"}
        often("predicted", "I don't know")
    explorer = Explorer(**options)
    explorer.example = str(rng.choice(["", "a title"]))
    if rng.random() < 0.7:  # a hand has moved something
        moved = np.array(explorer.embeddings)
        moved.flat[rng.integers(moved.size)] = rng.normal()
        explorer.embeddings = moved
    if rng.random() < 0.3:
        explorer.start = explorer.start | {"query": 0, "rate": 1.5}
    return explorer


def options_of(explorer: Explorer) -> dict[str, Any]:
    return {name: getattr(explorer, name) for name in STATE}


def as_page(explorer: Explorer) -> dict[str, Any]:
    """Return what a page without examples gets to see, as JSON holds it."""
    return json.loads(json.dumps(options_of(explorer)))


def packed(text: str | bytes, version: str = ".1") -> str:
    """Return an address' last part that holds any text."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    deflated = zlib.compress(data, 9, wbits=-15)
    return base64.urlsafe_b64encode(deflated).decode().rstrip("=") + version


PLAIN = {"tokens": ["a", "b"], "embeddings": [[1, 0], [0, 1]]}


def with_fields(**fields: Any) -> str:
    return packed(json.dumps(PLAIN | fields))


GOOD = with_fields()
BOMB = packed(b'{"tokens":["' + 8_000_000 * b"a" + b'"]}')

HOSTILE = {  # what somebody else may have put into an address
    "oversized": "A" * 16_001 + ".1",
    "a bomb": BOMB,
    "truncated": GOOD[:-3],
    "cut": GOOD[:-8] + ".1",
    "not base64": "%7B%22tokens%22.1",
    "one character": "A.1",
    "noise": "abcdefgh_-.1",
    "no end": "abc",
    "a later version": GOOD.replace(".1", ".2"),
    "not JSON": packed("{"),
    "NaN": packed('{"tokens":["a"],"embeddings":[[NaN]]}'),
    "deep": packed(40_000 * "[" + 40_000 * "]"),
    "no UTF-8": packed(b'{"tokens":["\xff"],"embeddings":[[1]]}'),
    "a list": packed("[]"),
    "null": packed("null"),
    "nothing": packed("{}"),
    "__proto__": packed('{"__proto__":{"x":1},"tokens":["a"],"embeddings":[[1]]}'),
    "constructor": with_fields(constructor={"prototype": {"x": 1}}),
    "an unknown name": with_fields(wallpaper="blue"),
    "an unknown mask": with_fields(mask="__proto__"),
    "an unknown divisor": with_fields(divide_by="toString"),
    "an unknown stage": with_fields(stages=["valueOf"]),
    "an unknown question": with_fields(predict="constructor"),
    "an unknown control": with_fields(controls=["__proto__"]),
    "a huge number": with_fields(embeddings=[[1e7, 0], [0, 1]]),
    "infinity": packed('{"tokens":["a"],"embeddings":[[1e999]]}'),
    "text for a number": with_fields(embeddings=[["1", 0], [0, 1]]),
    "ragged": with_fields(embeddings=[[1, 0], [1]]),
    "too few rows": with_fields(embeddings=[[1, 0]]),
    "a matrix that does not fit": with_fields(W_value=[[1], [2], [3]]),
    "queries and keys that do not fit": with_fields(W_query=[[1], [2]]),
    "too many words": packed(
        json.dumps(
            {"tokens": [str(k) for k in range(33)], "embeddings": [[0.0]] * 33},
        )
    ),
    "a long word": with_fields(tokens=["a" * 101, "b"]),
    "twins": with_fields(tokens=["a", "a"]),
    "an unseen word": with_fields(tokens=["\u200b", "b"]),
    "half a character": packed('{"tokens":["\\ud800","b"],"embeddings":[[1],[2]]}'),
    "no heads": with_fields(heads=0),
    "heads that share no columns": with_fields(heads=3),
    "half a head": with_fields(heads=0.5),
    "too many heads": with_fields(embeddings=[[0] * 17] * 2, heads=17),
    "a head that is not there": with_fields(heads=2, off=[2]),
    "no such row": with_fields(query=2),
    "a row that is no number": with_fields(query={"valueOf": 1}),
    "a probability of 1": with_fields(dropout_p=1),
    "half a dropout": with_fields(dropout_keep=[[True, False]]),
    "a wish for nobody": with_fields(goal={"weights": {"a": "c"}}),
    "a wish of another kind": with_fields(goal={"__proto__": {"a": "b"}}),
    "a hidden wish": with_fields(goal={"weights": {"a": "b"}}, mask="causal"),
    "a mask and columns": with_fields(mask="causal", axis="columns"),
    "a rate below 0": with_fields(rate=-1),
    "a long history": with_fields(losses=[0] * 5002),
    "a slider without end": with_fields(slider={"min": 0, "max": 0, "step": 0}),
    "a start that is none": with_fields(start=5),
    "a start of unknown names": with_fields(start=[["tokens", "__proto__"], {}]),
    "a start that does not fit": with_fields(
        start=[["tokens"], {"embeddings": [[1]]}],
    ),
    "a start with more": with_fields(
        start=[["tokens", "embeddings", "W_query", "W_key", "W_value"], {"step": 1}]
    ),
    "columns of nothing": with_fields(columns={"__proto__": ["x"]}),
    "a preset of nothing": with_fields(presets={"x": {"token": "a"}}),
}
