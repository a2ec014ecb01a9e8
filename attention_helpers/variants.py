"""The same stories with other numbers: `examples.variant`.

A story is what its chapter says about a sentence: who looks at whom, in which order,
and what becomes of it. Numbers are drawn until all of that still holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .attention import causal_mask, softmax
from .checks import Matrix, check_seed, unexpected
from .examples import Example, examples

STEPS = np.arange(1, 16) / 5  # the numbers that are drawn, with the old sign
NEAR = 1.1  # of what stands there
TIES = 1e-9  # attention weights nearer than that are equal
MOST_DRAWS = 20_000
Place = tuple[str, str]  # word and column


class Claim(NamedTuple):
    """A sentence about an example, and how to see whether it is true."""

    says: str
    holds: Callable[[Example], Any]  # something true or false


class Story(NamedTuple):
    """What may not change."""

    tied: tuple[tuple[Place, ...], ...] = ()  # numbers that are equal
    claims: tuple[Claim, ...] = ()  # beside `everybody`


def variant(name: str, seed: int) -> Example:
    """Return an example with its story and other embeddings, as `examples.variant`."""
    if not isinstance(name, str) or name not in STORIES:
        told = "an example whose story can be told in other numbers"
        raise unexpected("name", name, f"{told}: {', '.join(STORIES)}")
    return _variant(name, check_seed(seed))


@lru_cache(256)
def _variant(name: str, seed: int) -> Example:
    example, claims = examples[name], claims_of(name)
    rng = np.random.default_rng([seed, *name.encode()])
    for _ in range(MOST_DRAWS):
        drawn = _drawn(example, STORIES[name].tied, rng)
        if all(claim.holds(drawn) for claim in claims):
            return replace(drawn, source=f"{example.source}; variant {seed}")
    raise RuntimeError(f"no variant of {name} in {MOST_DRAWS} draws")


def claims_of(name: str) -> tuple[Claim, ...]:
    """Return all that is claimed of an example and its variants."""
    return (*STORIES[name].claims, *_everybody(examples[name]))


def _drawn(
    example: Example, tied: tuple[tuple[Place, ...], ...], rng: np.random.Generator
) -> Example:
    """Draw every number that is not 0 anew, never as it was; what is tied, once."""
    old = example.embeddings
    groups = [[_place(example, *place) for place in group] for group in tied]
    together = {place for group in groups for place in group}
    alone = {(int(i), int(j)) for i, j in np.argwhere(old)} - together
    new = np.zeros_like(old)
    for group in (*groups, *([place] for place in sorted(alone))):
        before = old[group[0]]
        near = STEPS[abs(STEPS - abs(before)) < NEAR]
        number = np.sign(before) * rng.choice(near)
        for place in group:
            new[place] = number
    presets = {
        title: {**preset, "embedding": _like(example, new, preset)}
        for title, preset in example.presets.items()
    }
    return replace(example, embeddings=new, presets=presets)


def _place(example: Example, word: str, column: str) -> tuple[int, int]:
    return example.index(word), example.columns["embeddings"].index(column)


def _like(example: Example, new: Matrix, preset: Mapping[str, Any]) -> list[float]:
    """Return a preset's row with the new numbers of the word that it replaces."""
    row = example.index(preset["token"])
    became = dict(zip(abs(example.embeddings[row]), abs(new[row]), strict=True))
    return [float(np.sign(x) * became[abs(x)]) for x in preset["embedding"]]


# ---- what holds for every story ----


def most(table: Matrix) -> NDArray[np.bool_]:
    """Mark the largest numbers of every row."""
    marks: NDArray[np.bool_] = table > table.max(axis=1, keepdims=True) - TIES
    return marks


def changed(example: Example, title: str) -> Example:
    """Return an example with one of its presets chosen."""
    preset, embeddings = example.presets[title], example.embeddings.copy()
    row = example.index(preset["token"])
    embeddings[row] = preset["embedding"]
    tokens = (*example.tokens[:row], preset["becomes"], *example.tokens[row + 1 :])
    return replace(example, tokens=tokens, embeddings=embeddings, presets={})


def _everybody(example: Example) -> tuple[Claim, ...]:
    """Return what is claimed of every story: it goes as in the example itself."""

    def alike(says: str, look: Callable[[Example], Any]) -> Claim:
        there = look(example)
        return Claim(says, lambda drawn: np.array_equal(look(drawn), there))

    mask = causal_mask(len(example.tokens))
    words = "every word looks most at the same words"
    contexts = "every context holds most of the same"
    return (
        alike(words, lambda drawn: most(drawn.attend().weights)),
        alike(contexts, lambda drawn: most(drawn.attend().context)),
        alike(
            f"with a causal mask, {words}",
            lambda drawn: most(drawn.attend(mask=mask).weights),
        ),
        *(
            alike(f"with {title}, {contexts}", _contexts_with(title))
            for title in example.presets
        ),
    )


def _contexts_with(title: str) -> Callable[[Example], Any]:
    return lambda drawn: most(changed(drawn, title).attend().context)


# ---- coins on bank by river ----

COINS, BANK, RIVER = OWN = [0, 2, 4]


def _row(drawn: Example) -> dict[str, float]:
    """Return whom *bank* looks at."""
    shares = drawn.attend().weights[drawn.index("bank")]
    return dict(zip(drawn.tokens, map(float, shares), strict=True))


def _plain(drawn: Example) -> Matrix:
    """Return who looks at whom in chapters 1 and 2: no matrices, nothing divided."""
    return softmax(drawn.embeddings @ drawn.embeddings.T)


def _becomes(drawn: Example, **options: Any) -> tuple[float, float]:
    """Return how wet and how rich the context of *bank* is."""
    wet, rich = drawn.attend(**options).context[drawn.index("bank"), :2]
    return float(wet), float(rich)


def _with(drawn: Example, word: str, column: str, number: float) -> Example:
    embeddings = drawn.embeddings.copy()
    embeddings[_place(drawn, word, column)] = number
    return replace(drawn, embeddings=embeddings, presets={})


def _dry(drawn: Example) -> Example:
    return _with(drawn, "river", "wet", 0)


def _falls_and_rises(drawn: Example) -> bool:
    """Look at chapter 1's two drags, in *bank*'s new *wet*."""
    nearer = _with(drawn, "river", "place", drawn.embeddings[RIVER, 2] + 1)
    ways = (_dry(drawn), drawn, nearer)
    dry, now, near = ((_plain(one) @ one.embeddings)[BANK, 0] for one in ways)
    return bool(dry < now < near)


def _across(drawn: Example) -> bool:
    """Look at chapter 2's wrong way round: softmax along each column."""
    embeddings = drawn.embeddings
    row = softmax(embeddings @ embeddings.T, axis=0)[RIVER]
    return bool(row.sum() > 1 and row @ embeddings[:, 0] > embeddings[:, 0].max())


def _quieter(drawn: Example, wet: float) -> Example:
    """Return the example where wet words tell *what kind* less loudly."""
    assert drawn.W_key is not None
    W_key = drawn.W_key.copy()
    W_key[0, 0] = wet
    return replace(drawn, W_key=W_key)


def _most(row: Mapping[str, float]) -> str:
    return max(row, key=row.__getitem__)


CLAIMS_OF_BANK = (
    Claim(
        "bank has more of place than of wet or rich",
        lambda drawn: drawn.embeddings[BANK, :3].argmax() == 2,
    ),
    Claim(
        "the score of bank with river is another than in the chapter",
        lambda drawn: drawn.embeddings[BANK] @ drawn.embeddings[RIVER] != 5,
    ),
    Claim(
        "without matrices bank looks most at itself, then at river, then at coins",
        lambda drawn: (np.diff(_plain(drawn)[BANK, [BANK, RIVER, COINS, 1]]) < 0).all(),
    ),
    Claim(
        "without matrices bank becomes more wet than rich",
        lambda drawn: (_plain(drawn) @ drawn.embeddings)[BANK, :2].argmin() == 1,
    ),
    Claim(
        "without matrices coins, bank and river look most at themselves",
        lambda drawn: (_plain(drawn).argmax(axis=1) == range(5))[OWN].all(),
    ),
    Claim(
        "without matrices bank gives river more than river gives bank",
        lambda drawn: _plain(drawn)[BANK, RIVER] > _plain(drawn)[RIVER, BANK],
    ),
    Claim("bank's wet falls without river's, rises with its place", _falls_and_rises),
    Claim("along columns river gives too much, and gets too wet", _across),
    Claim(
        "with the matrices bank looks most at river, then at coins, then at itself",
        lambda drawn: _row(drawn)["river"] > _row(drawn)["coins"] > _row(drawn)["bank"],
    ),
    Claim(
        "bank is wet by a river, and rich by a dry one",
        lambda drawn: (
            _becomes(drawn)[0] > _becomes(drawn)[1]
            and _becomes(_dry(drawn))[0] < _becomes(_dry(drawn))[1]
        ),
    ),
    Claim(
        "from left to right bank is rich: it cannot see river",
        lambda drawn: np.subtract(*_becomes(drawn, mask=causal_mask(5))) < 0,
    ),
    Claim(
        "where wet words tell half as loudly, bank looks most at coins",
        lambda drawn: _most(_row(_quieter(drawn, 0.5))) == "coins",
    ),
    Claim(
        "where keys follow queries, bank looks most at itself",
        lambda drawn: _most(_row(replace(drawn, W_key=drawn.W_query))) == "bank",
    ),
)
TWINS = ((("on", "link"), ("by", "link")), (("bank", "wet"), ("bank", "rich")))

STORIES: Mapping[str, Story] = {
    "bank": Story(tied=TWINS, claims=CLAIMS_OF_BANK),
    "robot": Story(
        tied=(
            (("robot", "machine"), ("child", "human")),
            (("robot", "first"), ("child", "third")),
        )
    ),
    "queen": Story(tied=((("drops", "action"), ("falls", "action")),)),
    "horse": Story(
        tied=(
            (("horse", "alive"), ("bridge", "built")),
            (("it", "alive"), ("it", "built")),
        )
    ),
    "soup": Story(),
    "weather": Story(tied=((("sun", "sun"), ("sun (2)", "sun")),)),
}
