"""The live explorer: a widget that holds the inputs and options, and passes them on.

The stages on the screen are computed in the browser, in the frame of the hand's move
(`static/engine.js`). NumPy is the reference: `Explorer.attention` computes them again
from the same inputs, and the tests compare the two stage by stage.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets
from ipywidgets import Widget, widget_serialization

from .. import checks
from ..attention import Attention
from ..checks import INPUTS, plain_text
from ..examples import Example, examples
from ..facts import LEARNED, LIMITS
from . import goals, traits, twin
from .bundle import LOADER, SOURCE, STYLE
from .links import Linked
from .masks import DIVISORS, MASKS, attention_of
from .traits import SENTENCE, Bool, Checked, Enum, Option, Start, trainable

CONTROLS = (
    *("query", "divide_by", "mask", "normalise", "axis", "dropout"),
    *("row", "tie", "multiply", "example", "preset"),
    *("goal", "rate", "learn", "heads"),
)


class Code(Widget):  # type: ignore[misc]
    """What all widgets of a kernel share: code, style and examples, sent once."""

    source = traitlets.Unicode().tag(sync=True)
    style = traitlets.Unicode().tag(sync=True)
    library = traitlets.Dict().tag(sync=True)
    _one: ClassVar[Code | None] = None

    @classmethod
    def one(cls) -> Code:
        """Return the one there is, or another where somebody has closed it."""
        if cls._one is None or cls._one.comm is None:
            cls._one = cls(source=SOURCE, style=STYLE)
        if list(cls._one.library) != list(examples):  # a reader adds one, too
            cls._one.library = {name: brought_by(examples[name]) for name in examples}
        return cls._one


class Shared(anywidget.AnyWidget):
    """What every live widget here has: the shared code, a text twin, a picture."""

    # What finds the shared code. Not defaults, which are not stored everywhere.
    _esm = traitlets.Unicode().tag(sync=True)
    _kind = traitlets.Unicode().tag(sync=True)  # an entry of KINDS in widget.js
    _code = traitlets.Instance(Code).tag(sync=True, **widget_serialization)

    _twin: ClassVar[Any]  # a module like twin.py

    def __init__(self, kind: str, state: Mapping[str, Any]) -> None:
        try:
            super().__init__(**state, _esm=LOADER, _kind=kind, _code=Code.one())
        except traitlets.TraitError as error:
            raise ValueError(str(error)) from None

    def _check_together(self, name: str, value: Any) -> None:
        """Refuse a value for one option that does not fit the others."""

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the browser sends; in Pyodide its null is not None."""
        super().set_state(json.loads(json.dumps(sync_data, default=lambda _: None)))

    def __repr__(self) -> str:
        return str(self._twin.text(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Show the live widget, with the numbers as text and, on request, a PNG."""
        if self._code.comm is None:
            self._code = Code.one()
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        data["text/plain"] = self._twin.text(self)
        if os.environ.get("ATTENTION_HELPERS_PNG") and self._twin.visible(self):
            data["image/png"] = base64.b64encode(self._twin.png(self)).decode()
            metadata = {**metadata, "image/png": {"alt": self._twin.alternative(self)}}
        return data, metadata


class Explorer(Linked, Shared):
    """A sentence whose every number can be moved, with all stages of its attention.

    Make one with `explore`. Every option below is a trait: set it at any time and the
    screen follows; read it at any time and it says what the screen shows.

    Parameters
    ----------
    tokens : tuple of str
        At most 32 distinct words.
    embeddings : (n_tokens, d_in) table
        As a tuple of tuples of float; anything array-like may be assigned.
    W_query, W_key : (d_in, d_k) table or None
        Weight matrices for queries and keys.
    W_value : (d_in, d_v) table or None
        Weight matrix for values.
    W_out : (d_v, d_out) table or None
        Weight matrix that mixes the contexts, those of all heads side by side.
    stages : tuple of str or None
        The matrices on the screen; None shows those that the other options give: of
        several heads no scores where all rows are shown, which leave no room for them.
    edit : tuple of str
        At most two of the input matrices, whose numbers can be moved.
    heads : int
        How many heads share the columns of queries, keys and values equally.
    off : tuple of int
        The heads, counted from 0, that are switched off: their context is 0.
    query : int or None
        The row that asks, shown alone; None shows all rows.
    divide_by, mask : str
        A name of `DIVISORS` and of `MASKS` in `attention_helpers.explorer`.
    normalise, axis : str
        ``"softmax"`` or ``"sum"``; along ``"rows"`` or ``"columns"``. Anything but
        softmax along rows goes with no mask.
    dropout_p, dropout_keep : float, (n_tokens, n_tokens) table of bool or None
        Probability, below 1, that an attention weight is dropped; which are kept.
    controls : tuple of str
        At most three menus and knobs to show above the matrices.
    predict, predicted : str or None
        A question to answer before the computed stages appear; the answer, once given.
        Where it is about one row of shares it asks about the last head.
    step : int or None
        How many computed stages are revealed so far; None shows all.
    large : bool
        Large type, for a projector.
    goal : dict or None
        Wishes by name: ``{"weights": {"bank": "river"}}`` or ``{"context": {"bank":
        "wet"}}``. With heads, a word is wished for the first one; a list, ``{"weights":
        {"bank": ["river", "bank"]}}``, is one wish a head, in order, None where a head
        has none, and the last head has what is left. The loss is the mean of -log of
        the wanted shares, as in `gradients`.
    train : tuple of str
        The inputs that learning moves.
    rate : float
        How long a step of learning is: each slope times this.
    slopes : bool
        Whether each number that can be moved says which way the loss falls.
    losses : tuple of float
        The loss at the start and after each step, of a hand or of learning.
    start : dict
        What `reset` goes back to: the inputs, and any of `query`, `divide_by`, `mask`,
        `normalise`, `axis`, `dropout_p`, `dropout_keep`, `heads`, `off`, `goal`, `rate`
        and `losses`.

    Examples
    --------
    >>> explorer = Explorer("bank", mask="causal")
    >>> explorer.attention.weights[1].tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0]
    """

    tokens = Checked(traits.words, ("word",))
    embeddings = Checked(traits.table, ((0.0,),))
    W_query = Checked(traits.table, allow_none=True)
    W_key = Checked(traits.table, allow_none=True)
    W_value = Checked(traits.table, allow_none=True)
    W_out = Checked(traits.table, allow_none=True)
    stages = Checked(traits.some_of(twin.STAGES, len(twin.STAGES)), allow_none=True)
    edit = Checked(traits.some_of(INPUTS, LIMITS["edit"]), ("embeddings",))
    query = Checked(traits.count, allow_none=True).tag(reset=True)
    divide_by = Enum(tuple(DIVISORS), "1").tag(reset=True)
    mask = Enum(tuple(MASKS), "none").tag(reset=True)
    normalise = Enum(("softmax", "sum"), "softmax").tag(reset=True)
    axis = Enum(("rows", "columns"), "rows").tag(reset=True)
    dropout_p = Checked(traits.probability, 0.0).tag(reset=True)
    dropout_keep = Checked(traits.flags, allow_none=True).tag(reset=True)
    heads = Checked(traits.heads, 1).tag(reset=True)
    off = Checked(traits.head_indexes, ()).tag(reset=True)
    controls = Checked(traits.some_of(CONTROLS, LIMITS["controls"]), ())
    predict = Enum(tuple(twin.QUESTIONS), None, allow_none=True)
    predicted = Checked(checks.check_text, allow_none=True)
    step = Checked(traits.count, allow_none=True)
    large = Bool(False)
    goal = Checked(goals.check_goal, allow_none=True).tag(reset=True)
    train = Checked(traits.some_of(LEARNED, len(LEARNED)), ("embeddings",))
    rate = Checked(goals.check_rate, 0.5).tag(reset=True)
    slopes = Bool(False)
    losses = Checked(goals.check_losses, ()).tag(reset=True)
    start = Start(
        dict.fromkeys(SENTENCE) | {"tokens": ("word",), "embeddings": ((0.0,),)},
    )

    # What the example brings along.
    columns = Checked(checks.check_columns, {})
    slider = Checked(checks.check_slider, allow_none=True)
    presets = Checked(checks.check_presets, {})
    example = Checked(checks.check_text, "")

    _choices: ClassVar[tuple[str, ...]] = traits.brought_back(locals())

    _twin: ClassVar[Any] = twin
    _checked: Mapping[str, Any] = {}

    def __init__(self, example: Example | str = "bank", **options: Any) -> None:
        example = _find(example)
        traits.check_known(options, OPTIONS)
        state = brought_by(example) | options
        state |= traits.sentence(state)
        if "columns" not in options:
            state["columns"] = traits.fitting_columns(example.columns, state)
        if not options.keys().isdisjoint({"tokens", "embeddings", "start"}):
            state["presets"] = options.get("presets", {})
        if isinstance(state.get("query"), str):
            state["query"] = checks.index_of(
                state["tokens"], state["query"], " for query"
            )
        state = traits.decided(state) | state
        chosen = (name for name in self._choices if name in state)
        state.setdefault("start", {name: state[name] for name in (*SENTENCE, *chosen)})
        super().__init__("explorer", state)

    @property
    def attention(self) -> Attention:
        """Every stage for the inputs and options now, from NumPy, all rows.

        Returns
        -------
        Attention
            ``masked_scores``, ``weights`` and ``context`` follow the options `mask`,
            `normalise`, `axis` and dropout; an undefined share is NaN. With several
            `heads` as from `multi_head_attention`, those that are off with context 0.
        """
        return attention_of(self)

    @property
    def changes(self) -> dict[tuple[str, str, str], tuple[float, float]]:
        """What differs from the start.

        Returns
        -------
        dict
            ``{(matrix, row, column): (at the start, now)}``, rows and columns by name.
            A matrix of another shape than at the start counts in all its numbers.
        """
        found = {}
        for name in INPUTS:
            before, now = self.start.get(name), getattr(self, name) or [[]]
            alike = np.shape(before) == np.shape(now)
            rows, columns = twin.labels(self, name)
            for (i, j), x in np.ndenumerate(now):
                old = before[i][j] if alike else float("nan")
                if old != x:
                    found[name, rows[i], columns[j]] = old, float(x)
        return found

    def load(self, example: Example | str) -> None:
        """Show another example, all its numbers at once.

        Parameters
        ----------
        example : Example or str
            An example, or the name of one.

        Raises
        ------
        ValueError, KeyError
            For an example that does not fit the other options, or an unknown name. The
            explorer is then as it was.
        """
        state = brought_by(_find(example))
        start = self.start | {name: state[name] for name in SENTENCE}
        self._set(state | {"start": start, "dropout_keep": None, "losses": ()})

    def reset(self) -> None:
        """Set all inputs, and the choices, back to what they were at the start."""
        self._set(PLAIN | self.start)

    def _set(self, state: Mapping[str, Any]) -> None:
        """Set all at once, and with it the options that the inputs leave no room for.

        The same ones as `settled` in store.js.
        """
        state, n = dict(state), len(state["tokens"])
        here = tuple(name for name in self.edit if state[name] is not None)
        if here != self.edit:
            state["edit"] = here or ("embeddings",)
        if any(state[name] is None for name in self.train):
            state["train"] = trainable(state)
        options = {name: getattr(self, name) for name in STATE} | state
        state["heads"] = options["heads"] = traits.fitting_heads(options)
        state["off"] = traits.fitting_off(options)
        state["goal"] = traits.fitting_goal(options)
        query = state.get("query", self.query)
        if query is not None and query >= n:
            asked = "query" in traits.NEEDS.get(self.predict, ())
            state["query"] = n - 1 if asked else None
        keep = state.get("dropout_keep", self.dropout_keep)
        if keep is not None and len(keep) != n:
            state["dropout_keep"] = None
        try:
            with self.hold_sync(), self.hold_trait_notifications():
                for name, value in state.items():
                    setattr(self, name, value)
        except traitlets.TraitError as error:
            raise ValueError(str(error)) from None

    def _check_together(self, name: str, value: Any) -> None:
        """Refuse a value for one option that does not fit the others.

        When many are set at once this is asked for each: all together are checked once.
        """
        state = {option: getattr(self, option) for option in STATE} | {name: value}
        try:
            if state != self._checked:
                traits.check_together(state)
                self._checked = state
            traits.check_changed(state, name)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None


# What a page needs of an explorer, and what `explore` takes.
STATE = tuple(k for k, trait in vars(Explorer).items() if isinstance(trait, Option))
OPTIONS = tuple(name for name in STATE if name != "example")
PLAIN = {
    name: vars(Explorer)[name].default_value
    for name in Explorer._choices
    if name not in traits.DECIDED
}


def page_state(explorer: Explorer) -> dict[str, Any]:
    """Return what a page without a kernel needs to show an explorer."""
    library = explorer._code.library if "example" in explorer.controls else {}
    return {name: getattr(explorer, name) for name in STATE} | {"library": library}


def explore(example: Example | str = "bank", **options: Any) -> Explorer:
    """Show a sentence whose every number can be moved.

    Parameters
    ----------
    example : Example or str
        An example, or the name of one in `examples`.
    **options
        Any option of `Explorer`; `query` also takes the word that asks.

    Returns
    -------
    Explorer
        A widget; leave it on the last line of a cell to see it.

    Raises
    ------
    ValueError, KeyError
        For an option or an example that is unknown or does not fit, with its name.

    Examples
    --------
    >>> explore("bank", query="bank").attention.scores[2].tolist()
    [8.0, 0.0, 6.0, 0.0, 11.0]
    """
    return Explorer(example, **options)


def _find(example: Example | str) -> Example:
    if isinstance(example, Example):
        return example
    if not isinstance(example, str):
        known = f"an Example or one of {', '.join(examples)}"
        raise checks.unexpected("example", example, known)
    return examples[plain_text(example)]


def brought_by(example: Example) -> dict[str, Any]:
    """Return what an example brings along, as JSON can hold it."""
    state = {field: value for field, value in vars(example).items() if field in STATE}
    for name in INPUTS:
        state[name] = None if state[name] is None else traits.table(name, state[name])
    names = {name: example.columns[name] for name in INPUTS if name in example.columns}
    return state | {"example": example.name, "columns": names}
