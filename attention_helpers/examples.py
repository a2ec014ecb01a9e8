"""Sentences small enough to follow by hand.

Their numbers stand in examples.json, each with its source. What is not our own comes
from teaching notebooks and from Sebastian Raschka's "Build a Large Language Model (From
Scratch)", chapter 3 (code under Apache-2.0).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .attention import Attention, multi_head_attention, self_attention
from .checks import INPUTS, Matrix, shown


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
    W_out : (d_v, d_out) array_like, optional
        Weight matrix that mixes the contexts of several heads, side by side.
    name : str
        What the example is called in menus.
    columns : mapping of str to sequence of str
        Names for the columns of ``embeddings``, ``W_query``, ``W_key``, ``W_value`` or
        ``W_out``.
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
    W_out: Matrix | None = None
    name: str = ""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    slider: Mapping[str, float] | None = None
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    source: str = ""

    def __post_init__(self) -> None:
        set_ = object.__setattr__  # the record is frozen; this is its only writer
        set_(self, "tokens", checks.check_tokens(self.tokens))
        for name in INPUTS:
            if getattr(self, name) is not None or name == "embeddings":
                matrix = checks.check_matrix(name, getattr(self, name))
                matrix.flags.writeable = False
                set_(self, name, matrix)
        if len(self.tokens) != len(self.embeddings):
            raise ValueError(
                f"embeddings has {len(self.embeddings)} rows but tokens has"
                f" {len(self.tokens)} words; expected one row a word"
            )
        first = self.embeddings[:1]  # one row is enough to see whether shapes fit
        matrices = (getattr(self, name) for name in INPUTS[1:])
        multi_head_attention(first, *matrices, heads=1)
        for name, check in _CHECKS.items():
            set_(self, name, check(name, getattr(self, name)))
        checks.fit_columns(self.columns, vars(self))
        checks.fit_presets(self.presets, vars(self))

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
        return checks.index_of(self.tokens, token)

    def attend(
        self, *, mask: ArrayLike | None = None, scale: float | None = None
    ) -> Attention:
        """Let every word of the sentence attend to every word of it.

        Parameters
        ----------
        mask : (n_tokens, n_tokens) bool array_like, optional
            ``True`` where the row's word may attend to the column's word.
        scale : float, optional
            What the scores are multiplied by; ``1 / sqrt(d_k)`` if not given.

        Returns
        -------
        Attention
            Every stage, as from `self_attention`.

        Raises
        ------
        ValueError
            For a mask or a scale that `self_attention` refuses.

        Examples
        --------
        >>> examples["bank"].attend().scores[2]
        array([ 8.,  0.,  6.,  0., 11.])
        """
        matrices = (self.W_query, self.W_key, self.W_value)
        return self_attention(self.embeddings, *matrices, mask=mask, scale=scale)

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
        none: dict[str, Any] = dict.fromkeys(INPUTS[1:])
        return replace(self, columns=columns, **none)

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
            raise checks.unexpected("text", text, "at least one word")
        words = [checks.check_token("text", word) for word in text.split()]
        for name, size in {"d_in": d_in, "d_k": d_k, "d_v": d_v}.items():
            checks.check_whole(name, size, least=1, most=1000)
        seed = checks.check_seed(seed)

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


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("name", "source"), checks.check_text),
    "columns": checks.check_columns,
    "slider": checks.check_slider,
    "presets": checks.check_presets,
}


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
    >>> examples["journey"].source
    'Sebastian Raschka, Build a Large Language Model (From Scratch)'
    """

    def __missing__(self, name: str) -> Example:
        known = ", ".join(self)
        raise KeyError(f"unknown example {shown(name)}; expected one of {known}")

    def variant(self, name: str, seed: int) -> Example:
        """Return an example with its story and other embeddings, for one learner.

        Who looks most at whom, and what comes of it, stay as the chapters say. A number
        that is 0 stays 0, what is equal on purpose stays equal, and a seed gives the
        same numbers everywhere.

        Parameters
        ----------
        name : str
            *bank* or a sentence of the playground.
        seed : int
            Which variant, 0 to 2**32 - 1.

        Returns
        -------
        Example
            The same words and weight matrices.

        Raises
        ------
        ValueError
            For an example whose story is not written down, or a seed out of range.

        Examples
        --------
        >>> bank = examples.variant("bank", 7)
        >>> bank.tokens[bank.attend().weights[2].argmax()]
        'river'
        """
        from .variants import variant  # which is written in examples

        return variant(name, seed)


_GIVEN = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))

examples = Examples({name: Example(**given) for name, given in _GIVEN.items()})
