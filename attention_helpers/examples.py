"""Sentences small enough to follow by hand.

*bank* is our own. *journey* and its table of embeddings are Sebastian Raschka's, from
"Build a Large Language Model (From Scratch)", chapter 3 (code under Apache-2.0). The
other three come from teaching notebooks on attention.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .attention import self_attention
from .checks import Matrix, check_matrix, check_whole, finite_number, plain_text, shown

MATRICES = ("W_query", "W_key", "W_value")
MOST_WORDS = 100_000  # an iterator may have no end


@dataclass(frozen=True, eq=False, repr=False)
class Example:
    """A short sentence with its embeddings and, perhaps, its weight matrices.

    Parameters
    ----------
    tokens : sequence of str
        The words, all different, one for each row of `embeddings`.
    embeddings : (n_tokens, d_in) array_like
        One word a row.
    W_query, W_key : (d_in, d_k) array_like, optional
        Weight matrices for queries and keys.
    W_value : (d_in, d_v) array_like, optional
        Weight matrix for values.
    name : str
        What the example is called in menus.
    columns : mapping of str to sequence of str
        Names for the columns of ``embeddings``, ``W_query``, ``W_key`` or ``W_value``.
    slider : mapping with "min", "max" and "step", optional
        The range within which the explorer's sliders move a number.
    presets : mapping of str to mapping, optional
        Named changes of one word: ``{"token": ..., "becomes": ..., "embedding": ...}``.
    source : str
        Where the numbers come from.

    Raises
    ------
    ValueError
        For tokens that are not distinct text, matrices that do not fit, or column
        names, a slider range or presets that do not fit the matrices.

    Examples
    --------
    >>> pair = Example(["up", "down"], [[1, 0], [-1, 0]])
    >>> pair.index("down")
    1
    """

    tokens: tuple[str, ...]
    embeddings: Matrix
    W_query: Matrix | None = None
    W_key: Matrix | None = None
    W_value: Matrix | None = None
    name: str = ""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    slider: Mapping[str, float] | None = None
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    source: str = ""

    def __post_init__(self) -> None:
        set_ = object.__setattr__  # the record is frozen; this is its only writer
        set_(self, "tokens", check_tokens(self.tokens))
        set_(self, "embeddings", _frozen("embeddings", self.embeddings))
        if len(self.tokens) != len(self.embeddings):
            raise ValueError(
                f"embeddings has {len(self.embeddings)} rows but tokens has"
                f" {len(self.tokens)} words; expected one row a word"
            )
        for matrix in MATRICES:
            if getattr(self, matrix) is not None:
                set_(self, matrix, _frozen(matrix, getattr(self, matrix)))
        first = self.embeddings[:1]  # one row is enough to see whether shapes fit
        self_attention(first, self.W_query, self.W_key, self.W_value)
        for name in ("name", "source"):
            check_text(name, getattr(self, name))
        set_(self, "columns", check_columns("columns", self.columns))
        set_(self, "slider", check_slider("slider", self.slider))
        set_(self, "presets", check_presets("presets", self.presets))
        fit_columns(self.columns, vars(self))
        fit_presets(self.presets, vars(self))

    def __repr__(self) -> str:
        return f"Example({' '.join(self.tokens)!r})"

    def index(self, token: str) -> int:
        """Return the row of a word.

        Parameters
        ----------
        token : str
            One of the tokens.

        Returns
        -------
        int
            Its row, counted from 0.

        Raises
        ------
        ValueError
            If there is no such word; the message lists the words there are.

        Examples
        --------
        >>> examples["bank"].index("river")
        4
        """
        return index_of(self.tokens, token)

    def without_matrices(self) -> Example:
        """Return the same words with no weight matrices.

        Returns
        -------
        Example
            Queries, keys and values are then the embeddings themselves.

        Examples
        --------
        >>> examples["bank"].without_matrices().W_query is None
        True
        """
        columns = {k: v for k, v in self.columns.items() if k == "embeddings"}
        return replace(self, W_query=None, W_key=None, W_value=None, columns=columns)

    @classmethod
    def from_text(
        cls, text: str, *, d_in: int = 4, d_k: int = 2, d_v: int = 2, seed: int = 0
    ) -> Example:
        """Make an example from any sentence, with numbers drawn at random.

        A word always gets the same embedding from the same `seed`, whatever stands
        beside it. A repeated word keeps its numbers and gets a label of its own.

        Parameters
        ----------
        text : str
            Words separated by white space.
        d_in, d_k, d_v : int
            Sizes of the embeddings, of queries and keys, and of the values; 1 to 1000.
        seed : int
            Start of the random draws, 0 to 2**32 - 1.

        Returns
        -------
        Example
            Embeddings and weight matrices between -1 and 1, rounded to two decimals.

        Raises
        ------
        ValueError
            For text without words, and for sizes or a seed that are not whole numbers
            in range.

        Examples
        --------
        >>> Example.from_text("to be or not to be").tokens
        ('to', 'be', 'or', 'not', 'to (2)', 'be (2)')
        """
        if not isinstance(text, str) or not text.split():
            raise ValueError(f"text is {shown(text)}; expected at least one word")
        words = text.split()
        for word in words:
            check_token("text", word)
        d_in, d_k, d_v = (
            check_whole(name, size, least=1, most=1000)
            for name, size in (("d_in", d_in), ("d_k", d_k), ("d_v", d_v))
        )
        seed = check_whole("seed", seed, least=0, most=2**32 - 1)

        def draw(name: str, *shape: int) -> Matrix:
            rng = np.random.default_rng([seed, *name.encode()])
            drawn: Matrix = rng.uniform(-1, 1, shape).round(2) + 0.0  # no -0.0
            return drawn

        return cls(
            tokens=_labels(words),
            embeddings=np.array([draw(word, d_in) for word in words]),
            W_query=draw("W_query", d_in, d_k),
            W_key=draw("W_key", d_in, d_k),
            W_value=draw("W_value", d_in, d_v),
            name=text,
            source=f"random numbers, seed {seed}",
        )


def check_columns(name: str, given: object) -> dict[str, tuple[str, ...]]:
    """Return the column names of some matrices, each as a tuple of distinct words."""
    checked = {}
    for matrix, names in _mapping(name, given).items():
        known = ("embeddings", *MATRICES)
        if not isinstance(matrix, str) or plain_text(matrix) not in known:
            raise ValueError(
                f"{name} names {shown(matrix)}; expected embeddings, W_query,"
                " W_key or W_value"
            )
        where = f"{name}[{plain_text(matrix)!r}]"
        checked[plain_text(matrix)] = _distinct(where, _words(where, names), "names")
    return checked


def fit_columns(columns: Mapping[str, tuple[str, ...]], of: Mapping[str, Any]) -> None:
    """Refuse column names that are not as many as the matrix has columns."""
    for matrix, names in columns.items():
        there = of[matrix] is not None
        if not there or len(names) != len(of[matrix][0]):
            width = f"{len(of[matrix][0])} columns" if there else "no matrix"
            raise ValueError(
                f"columns has {len(names)} names for {matrix}, which has {width};"
                " expected one name a column"
            )


def check_presets(name: str, given: object) -> dict[str, dict[str, Any]]:
    """Return named changes of one word, the embeddings as tuples."""
    checked = {}
    for title, preset in _mapping(name, given).items():
        check_token(name, title)
        where = f"{name}[{shown(title)}]"
        preset = _mapping(where, preset)
        if set(preset) != {"token", "becomes", "embedding"}:
            raise ValueError(
                f"{where} has {', '.join(map(shown, preset))};"
                " expected token, becomes and embedding"
            )
        row = check_matrix(f"{where} embedding", [preset["embedding"]])
        words = _words(where, [preset["token"], preset["becomes"]])
        changes = dict(zip(("token", "becomes"), words, strict=True))
        checked[plain_text(title)] = {**changes, "embedding": tuple(row[0].tolist())}
    return checked


def fit_presets(
    presets: Mapping[str, Mapping[str, Any]], of: Mapping[str, Any]
) -> None:
    """Refuse presets that change a word which is not there, or to one which is."""
    tokens, width = of["tokens"], len(of["embeddings"][0])
    for title, preset in presets.items():
        where = f"presets[{shown(title)}]"
        if len(preset["embedding"]) != width:
            raise ValueError(
                f"{where} has {len(preset['embedding'])} numbers; expected"
                f" {width}, one for each embedding column"
            )
        index_of(tokens, preset["token"], f" for {where}")
        if preset["becomes"] in set(tokens) - {preset["token"]}:
            raise ValueError(
                f"{where} becomes {preset['becomes']!r}, which is in the"
                " sentence already; expected a new word"
            )


def check_tokens(tokens: Iterable[str]) -> tuple[str, ...]:
    """Return the words as a tuple, or say what is wrong with them."""
    words = _words("tokens", tokens)
    if not words:
        raise ValueError("tokens is empty; expected at least one word")
    return _distinct("tokens", words, "words, since a row is found by its word")


def _distinct(name: str, words: tuple[str, ...], what: str) -> tuple[str, ...]:
    for word, times in Counter(words).most_common(1):
        if times > 1:
            raise ValueError(
                f"{name} holds {word!r} more than once; expected distinct {what}"
            )
    return words


def check_token(where: str, word: object) -> None:
    """Refuse what cannot be shown as a label."""
    if not isinstance(word, str) or not any(map(_is_seen, word)):
        raise ValueError(
            f"{where} holds {shown(word)}; expected text that is not empty"
        )
    if len(word) > 100:
        raise ValueError(
            f"{where} holds a word of {len(word)} characters; expected at most 100"
        )
    check_text(where, word)


def _is_seen(character: str) -> bool:
    """Tell whether a character takes a place on the screen, as a joiner does not."""
    hidden = unicodedata.category(character) in ("Cc", "Cf")
    return not hidden and not character.isspace()


def check_text(where: str, text: object) -> None:
    """Refuse what no screen can show."""
    if not isinstance(text, str) or re.search(r"[\ud800-\udfff\x00]", text):
        raise ValueError(
            f"{where} holds {shown(text)}; expected text without NUL characters"
            " or unpaired surrogates"
        )


def check_slider(name: str, slider: object) -> dict[str, float] | None:
    """Return the slider range as plain numbers, or say what is wrong with it."""
    if slider is None:
        return None
    problem = ValueError(
        f"{name} is {shown(slider)}; expected numbers for min, max and step,"
        " with min < max and step > 0, within 1e6"
    )
    if not isinstance(slider, Mapping) or set(slider) != {"min", "max", "step"}:
        raise problem
    checked = {}
    for end in ("min", "max", "step"):
        number = finite_number(slider[end])
        if number is None or abs(number) > 1e6:
            raise problem
        checked[end] = number
    if checked["min"] >= checked["max"] or checked["step"] <= 0:
        raise problem
    return checked


def index_of(tokens: tuple[str, ...], token: str, where: str = "") -> int:
    """Return the row of a word, or list the words there are."""
    token = plain_text(token) if isinstance(token, str) else token
    if not isinstance(token, str) or token not in tokens:
        raise ValueError(
            f"there is no token {shown(token)}{where};"
            f" expected one of {', '.join(tokens)}"
        )
    return tokens.index(token)


def _words(name: str, given: Iterable[str]) -> tuple[str, ...]:
    """Return labels as a tuple of plain text."""
    try:
        if isinstance(given, (str, set, frozenset)):  # a set has no order
            raise TypeError
        words = tuple(islice(given, MOST_WORDS + 1))
    except Exception:  # whatever an object that is no list may raise
        raise ValueError(
            f"{name} is {shown(given)}; expected a list of words"
        ) from None
    if len(words) > MOST_WORDS:
        raise ValueError(
            f"{name} has more than {MOST_WORDS} words; expected at most so many"
        )
    for word in words:
        check_token(name, word)
    return tuple(map(plain_text, words))


def _mapping(name: str, given: object) -> dict[Any, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{name} is {shown(given)}; expected a dictionary")
    return dict(given)


def _frozen(name: str, given: ArrayLike) -> Matrix:
    matrix = check_matrix(name, given)
    matrix.flags.writeable = False
    return matrix


def _labels(words: list[str]) -> tuple[str, ...]:
    """Give a repeated word a number: to, be, to (2)."""
    seen: Counter[str] = Counter()
    labels = []
    for word in words:  # no word holds a space, so no label can be a word
        seen[word] += 1
        labels.append(word if seen[word] == 1 else f"{word} ({seen[word]})")
    return tuple(labels)


class Examples(dict[str, Example]):
    """The examples by name; an unknown name is a `KeyError` that lists the known.

    Examples
    --------
    >>> list(examples)
    ['bank', 'journey', 'three inputs', 'the cat sat', 'she likes coffee']
    """

    def __missing__(self, name: str) -> Example:
        known = ", ".join(self)
        raise KeyError(f"unknown example {shown(name)}; expected one of {known}")


# Drawn in the order W_query, W_key, W_value, as the source notebook does.
_CAT_W = np.random.RandomState(0).rand(3, 4, 4)
_THREE_INPUTS_W = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9], [1.0, 1.1, 0.0]]
_COFFEE_W = [
    [0.9, 0.1, 0.1, 0.1],
    [0.1, 0.9, 0.1, 0.1],
    [0.1, 0.1, 0.9, 0.1],
    [0.1, 0.1, 0.1, 0.9],
]

examples: Mapping[str, Example] = Examples(
    {
        "bank": Example(
            tokens=("coins", "on", "bank", "by", "river"),
            embeddings=np.array(
                [
                    [0, 2, 0, 0],  # coins
                    [0, 0, 0, 2],  # on
                    [1, 1, 2, 0],  # bank: undecided between wet and rich
                    [0, 0, 0, 2],  # by: the same numbers as "on", on purpose
                    [3, 0, 1, 0],  # river
                ]
            ),
            W_query=np.array([[0, 0], [0, 1], [2, 0], [0, 1.5]]),
            W_key=np.array([[1, 0], [1, 0], [-0.5, 1], [0, 0]]),
            W_value=np.array([[1, 0], [0, 1], [0, 0], [0, 0]]),
            name="coins on bank by river",
            columns={
                "embeddings": ("wet", "rich", "place", "link"),
                "W_query": ("asks: what kind?", "asks: where?"),
                "W_key": ("tells: what kind", "tells: where"),
                "W_value": ("hands over: wet", "hands over: rich"),
            },
            slider={"min": -3, "max": 3, "step": 0.1},
            presets={
                "vault instead of river": {
                    "token": "river",
                    "becomes": "vault",
                    "embedding": (0, 3, 1, 0),
                },
                "boats instead of coins": {
                    "token": "coins",
                    "becomes": "boats",
                    "embedding": (2, 0, 0, 0),
                },
            },
            source="our own; set by hand to be readable",
        ),
        "journey": Example(
            tokens=("Your", "journey", "starts", "with", "one", "step"),
            embeddings=np.array(
                [
                    [0.43, 0.15, 0.89],  # Your
                    [0.55, 0.87, 0.66],  # journey
                    [0.57, 0.85, 0.64],  # starts
                    [0.22, 0.58, 0.33],  # with
                    [0.77, 0.25, 0.10],  # one
                    [0.05, 0.80, 0.55],  # step
                ]
            ),
            # torch.manual_seed(123), then torch.rand(3, 2) three times
            W_query=np.array(
                [
                    [0.296111941, 0.516562283],
                    [0.251670718, 0.68855679],
                    [0.073972464, 0.866521955],
                ]
            ),
            W_key=np.array(
                [
                    [0.136579871, 0.102479041],
                    [0.184056461, 0.726446748],
                    [0.315253913, 0.687106669],
                ]
            ),
            W_value=np.array(
                [
                    [0.075635314, 0.196638167],
                    [0.316411972, 0.401740134],
                    [0.118568301, 0.82739538],
                ]
            ),
            name="Your journey starts with one step",
            source="Sebastian Raschka, Build a Large Language Model (From Scratch)",
        ),
        "three inputs": Example(
            tokens=("input 1", "input 2", "input 3"),
            embeddings=np.array(
                [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.9, 1.0, 1.1, 1.2]]
            ),
            W_query=np.array(_THREE_INPUTS_W),
            W_key=np.array(_THREE_INPUTS_W),
            W_value=np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]]),
            name="three inputs",
            source="a TensorFlow notebook, 'Attention weights, and context vectors'",
        ),
        "the cat sat": Example(
            tokens=("The", "cat", "sat"),
            embeddings=np.array([[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]]),
            W_query=_CAT_W[0],
            W_key=_CAT_W[1],
            W_value=_CAT_W[2],
            name="The cat sat",
            source="a NumPy notebook; matrices drawn with seed 0",
        ),
        "she likes coffee": Example(
            tokens=("she", "likes", "coffee"),
            embeddings=np.array(
                [[0.2, 0.9, 0.1, 0.5], [0.8, 0.3, 0.7, 0.2], [0.4, 0.6, 0.3, 0.9]]
            ),
            W_query=np.array(_COFFEE_W),
            W_key=np.array(_COFFEE_W),
            W_value=np.array(
                [
                    [0.8, 0.2, 0.1, 0.1],
                    [0.2, 0.8, 0.2, 0.1],
                    [0.1, 0.2, 0.8, 0.1],
                    [0.1, 0.1, 0.1, 0.9],
                ]
            ),
            name="she likes coffee",
            source="a NumPy notebook",
        ),
    }
)
