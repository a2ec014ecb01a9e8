"""The live explorer: a widget that holds the inputs and shows every stage.

The stages on the screen are computed in the browser, in the frame of the hand's move
(`static/engine.js`). NumPy is the reference: `Explorer.attention` computes them again
from the same inputs, and the tests compare the two stage by stage.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from .attention import Attention, causal_mask, self_attention, softmax
from .checks import (
    Matrix,
    check_array,
    check_matrix,
    check_whole,
    finite_number,
    plain_text,
    shown,
)
from .examples import (
    MATRICES,
    Example,
    check_columns,
    check_presets,
    check_slider,
    check_text,
    check_token,
    check_tokens,
    examples,
    fit_columns,
    fit_presets,
    index_of,
)
from .text import label, table

STATIC = Path(__file__).parent / "static"
MODULES = (
    *("options", "words", "store", "engine", "questions"),
    *("matrices", "controls", "plane", "hands", "view", "widget"),
)


def _joined() -> str:
    """Join the modules into the one source that anywidget wants.

    Imports go, since everything is in one scope, and so do comment lines and indents:
    every widget model carries this text.
    """
    sources = (STATIC.joinpath(f"{m}.js").read_text("utf-8") for m in MODULES)
    drop = re.compile(
        r"^import .*;\n|^ *//.*\n|^ */\*\*(?:[^*]|\*(?!/))*\*/\n|^ +|^\n", re.M
    )
    return "".join(drop.sub("", source) for source in sources)


SOURCE = _joined()
STYLE = STATIC.joinpath("explorer.css").read_text("utf-8")

INPUTS = ("embeddings", *MATRICES)
STAGES = (
    *INPUTS,
    *("queries", "keys", "values"),
    *("scores", "scaled_scores", "masked_scores", "weights", "context"),
)
CONTROLS = (
    *("query", "divide_by", "mask", "normalise", "axis", "dropout"),
    *("row", "tie", "multiply", "example", "preset"),
)
DIVISORS: dict[str, Callable[[int, int, int], int]] = {
    "1": lambda n_tokens, d_in, d_k: 1,
    "sqrt_d_k": lambda n_tokens, d_in, d_k: d_k,
    "sqrt_d_in": lambda n_tokens, d_in, d_k: d_in,
    "sqrt_n_tokens": lambda n_tokens, d_in, d_k: n_tokens,
}
MASKS = ("none", "causal", "zero_scores", "zero_weights", "zero_weights_renormalised")
BROUGHT = {"tokens", *INPUTS, "columns", "slider", "presets", "example"}
QUESTIONS = {
    "largest_weight": "Which word gets the largest attention weight when {query} asks?",
    "most_to_themselves": "How many of the {n} words look most at themselves?",
    "double_W_query": "You double every number of W_query. What moves?",
    "double_W_key": "You double every number of W_key. What moves?",
    "double_W_value": "You double every number of W_value. What moves?",
    "last_word_changes": "The last word, {last}, changes. Which contexts move?",
    "zero_scores_hide": (
        "True or false: writing 0 over the scores of later words hides them."
    ),
}
RELATED = (
    *("tokens", *INPUTS, "edit", "query", "dropout_keep"),
    *("mask", "normalise", "axis", "predict", "columns", "presets", "start"),
)
MOST_TOKENS = 32
MOST_COLUMNS, MOST_NUMBERS = 300, 10_000  # of one matrix; more would freeze the page
LARGEST_INPUT = 1e6


# ---- what a trait may hold: each check returns a clean value or raises ValueError ----

Check = Callable[[str, Any], Any]


def _table(name: str, given: Any) -> tuple[tuple[float, ...], ...]:
    """Tuples, because an array breaks `link`, and a list changes silently in place."""
    matrix = check_matrix(name, given)
    if matrix.shape[1] > MOST_COLUMNS or matrix.size > MOST_NUMBERS:
        raise ValueError(
            f"{name} has shape {matrix.shape}; expected at most {MOST_COLUMNS} columns"
            f" and {MOST_NUMBERS} numbers in an explorer. heatmap shows larger matrices"
        )
    if abs(matrix).max() > LARGEST_INPUT:
        raise ValueError(
            f"{name} holds {abs(matrix).max():g}; expected numbers within a million"
        )
    return tuple(tuple(row) for row in (matrix + 0.0).tolist())


def _words(name: str, given: Any) -> tuple[str, ...]:
    tokens = check_tokens(given)
    if len(tokens) > MOST_TOKENS:
        raise ValueError(
            f"{name} has {len(tokens)} words; expected at most {MOST_TOKENS} in an"
            " explorer. heatmap shows larger matrices"
        )
    return tokens


def _one_of(*known: str) -> Check:
    def check(name: str, given: Any) -> str:
        if not isinstance(given, str) or plain_text(given) not in known:
            raise ValueError(
                f"{name} is {shown(given)}; expected one of {', '.join(known)}"
            )
        return plain_text(given)

    return check


def _some_of(known: tuple[str, ...], most: int) -> Check:
    one_of = _one_of(*known)

    def check(name: str, given: Any) -> tuple[str, ...]:
        try:
            if not isinstance(given, (list, tuple)):
                raise ValueError
            some = tuple(one_of(name, item) for item in given)
        except ValueError:
            raise ValueError(
                f"{name} is {shown(given)}; expected a list of any of"
                f" {', '.join(known)}"
            ) from None
        if len(set(some)) != len(some) or len(some) > most:
            raise ValueError(
                f"{name} is {shown(given)}; expected at most {most}, once each"
            )
        return some

    return check


def _count(name: str, given: Any) -> int:
    return check_whole(name, given, least=0, most=1000)


def _probability(name: str, given: Any) -> float:
    number = finite_number(given)
    if number is None or not 0 <= number < 1:
        raise ValueError(
            f"{name} is {shown(given)}; expected a number from 0 to below 1"
        )
    return number + 0.0


def _flag(name: str, given: Any) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise ValueError(f"{name} is {shown(given)}; expected True or False")
    return bool(given)


def _flags(name: str, given: Any) -> tuple[tuple[bool, ...], ...]:
    keep = check_array(name, given)
    if keep.dtype != bool or keep.ndim != 2:
        raise ValueError(
            f"{name} is {shown(given)}; expected a square table of booleans"
        )
    return tuple(tuple(row) for row in keep.tolist())


def _text(name: str, given: Any) -> str:
    check_text(name, given)
    return plain_text(given)


def _sentence(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return words and matrices that fit together."""
    inputs = {m: _table(m, given[m]) for m in INPUTS if given[m] is not None}
    if "embeddings" not in inputs:
        raise ValueError("embeddings is None; expected a table of numbers")
    state = {**dict.fromkeys(INPUTS), "tokens": _words("tokens", given["tokens"])}
    _check_inputs(state | inputs)
    return state | inputs


def _inputs(name: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping) or set(given) != {"tokens", *INPUTS}:
        raise ValueError(
            f"{name} is {shown(given)}; expected a dict of tokens, {', '.join(INPUTS)}"
        )
    try:
        return _sentence(given)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _presets(name: str, given: Any) -> dict[str, dict[str, Any]]:
    presets = check_presets(name, given)
    for title, preset in presets.items():
        _table(f"{name}[{title!r}] embedding", [preset["embedding"]])
    return presets


def _library(name: str, given: Any) -> dict[str, dict[str, Any]]:
    """Return the states of some examples, each as `_state_of` has it."""
    if not isinstance(given, Mapping):
        raise ValueError(f"{name} is {shown(given)}; expected a dict of examples")
    library = {}
    for title, state in given.items():
        check_token(name, title)
        where = f"{name}[{shown(title)}]"
        if not isinstance(state, Mapping) or set(state) != BROUGHT:
            raise ValueError(
                f"{where} is {shown(state)}; expected a dict of"
                f" {', '.join(sorted(BROUGHT))}"
            )
        fields = {key: state[key] for key in BROUGHT - {"example"}}
        try:
            library[plain_text(title)] = _state_of(
                Example(**fields, name=state["example"])
            )
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    return library


class Checked(traitlets.TraitType[Any, Any]):
    """A trait whose value passes a check, which may also clean it."""

    def __init__(self, check: Check, default: Any = None, *, none: bool = False):
        super().__init__(default, allow_none=none)
        self.check = check
        self.tag(sync=True)

    def _validate(self, obj: Any, value: Any) -> Any:
        """Check None against the other traits too, which traitlets would not."""
        value = self.validate(obj, value)
        alone = not obj._cross_validation_lock
        return self._cross_validate(obj, value) if alone else value

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the clean value, or raise a `TraitError` that names the trait."""
        if value is None and self.allow_none:
            return None
        try:
            return self.check(str(self.name), value)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None


class Explorer(anywidget.AnyWidget):
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
    stages : tuple of str or None
        The matrices on the screen; None shows those that the other options give.
    edit : tuple of str
        At most two of the input matrices, whose numbers can be moved.
    query : int or None
        The row that asks, shown alone; None shows all rows.
    divide_by : str
        ``"1"``, ``"sqrt_d_k"``, ``"sqrt_d_in"`` or ``"sqrt_n_tokens"``.
    mask : str
        ``"none"``, ``"causal"``, ``"zero_scores"``, ``"zero_weights"`` or
        ``"zero_weights_renormalised"``.
    normalise, axis : str
        ``"softmax"`` or ``"sum"``; along ``"rows"`` or ``"columns"``. Anything but
        softmax along rows goes with no mask.
    dropout_p : float
        Probability, at least 0 and below 1, that an attention weight is dropped.
    dropout_keep : (n_tokens, n_tokens) table of bool or None
        Which attention weights are kept.
    controls : tuple of str
        At most three menus and knobs to show above the matrices.
    predict : str or None
        A question to answer before the computed stages appear.
    predicted : str or None
        The answer, once it is given.
    step : int or None
        How many computed stages are revealed so far; None shows all.
    large : bool
        Large type, for a projector.
    start : dict
        The inputs that `reset` goes back to.

    Examples
    --------
    >>> explorer = Explorer("bank", mask="causal")
    >>> explorer.attention.weights[1].tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0]
    """

    _esm = SOURCE
    _css = STYLE

    tokens = Checked(_words, ("word",))
    embeddings = Checked(_table, ((0.0,),))
    W_query = Checked(_table, none=True)
    W_key = Checked(_table, none=True)
    W_value = Checked(_table, none=True)
    stages = Checked(_some_of(STAGES, len(STAGES)), none=True)
    edit = Checked(_some_of(INPUTS, 2), ("embeddings",))
    query = Checked(_count, none=True)
    divide_by = Checked(_one_of(*DIVISORS), "1")
    mask = Checked(_one_of(*MASKS), "none")
    normalise = Checked(_one_of("softmax", "sum"), "softmax")
    axis = Checked(_one_of("rows", "columns"), "rows")
    dropout_p = Checked(_probability, 0.0)
    dropout_keep = Checked(_flags, none=True)
    controls = Checked(_some_of(CONTROLS, 3), ())
    predict = Checked(_one_of(*QUESTIONS), none=True)
    predicted = Checked(_text, none=True)
    step = Checked(_count, none=True)
    large = Checked(_flag, False)
    start = Checked(
        _inputs,
        {**dict.fromkeys(INPUTS), "tokens": ("word",), "embeddings": ((0.0,),)},
    )

    # What the example brings along.
    columns = Checked(check_columns, {})
    slider = Checked(check_slider, none=True)
    presets = Checked(_presets, {})
    library = Checked(_library, {})
    example = Checked(_text, "")

    def __init__(self, example: Example | str = "bank", **options: Any) -> None:
        example = _find(example)
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            raise ValueError(
                f"unknown option {', '.join(unknown)}; expected any of"
                f" {', '.join(OPTIONS)}"
            )
        state = _state_of(example) | options
        state |= _sentence(state)
        if "columns" not in options:
            state["columns"] = {
                matrix: names
                for matrix, names in example.columns.items()
                if state[matrix] is not None and len(names) == len(state[matrix][0])
            }
        if not options.keys().isdisjoint({"tokens", "embeddings", "start"}):
            state["presets"] = options.get("presets", {})
        if isinstance(state.get("query"), str):
            state["query"] = index_of(state["tokens"], state["query"], " for query")
        projected = state["W_query"] is not None and state["W_key"] is not None
        state.setdefault("divide_by", "sqrt_d_k" if projected else "1")
        state.setdefault("start", {name: state[name] for name in ("tokens", *INPUTS)})
        try:
            super().__init__(**state)
        except traitlets.TraitError as error:
            raise ValueError(str(error)) from None

    @traitlets.validate(*RELATED)
    def _fits(self, proposal: Any) -> Any:
        """Check a trait against the others; several may change together."""
        state = {name: getattr(self, name) for name in RELATED}
        name = proposal["trait"].name
        state[name] = proposal["value"]
        try:
            _check_together(state)
            if name == "columns":
                fit_columns(state["columns"], state)
            if name == "presets":
                fit_presets(state["presets"], state["start"])
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None
        return proposal["value"]

    @traitlets.observe("controls")
    def _bring_examples(self, change: Any) -> None:
        if "example" in self.controls and not self.library:
            self.library = {name: _state_of(examples[name]) for name in examples}

    @property
    def attention(self) -> Attention:
        """Every stage for the inputs and options now, from NumPy, all rows.

        Returns
        -------
        Attention
            ``masked_scores``, ``weights`` and ``context`` follow the options `mask`,
            `normalise`, `axis` and dropout; an undefined share is NaN.
        """
        return _attention(self)

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
        for matrix in INPUTS:
            now = getattr(self, matrix) or ()
            before = self.start[matrix] or ()
            rows, columns = self._labels(matrix)
            for i, row in enumerate(now):
                for j, x in enumerate(row):
                    fits = i < len(before) and j < len(before[i])
                    old = before[i][j] if fits else float("nan")
                    if old != x:
                        found[matrix, rows[i], columns[j]] = (old, x)
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
        state = _state_of(_find(example))
        state["start"] = {name: state[name] for name in ("tokens", *INPUTS)}
        self._set(state | {"dropout_keep": None})

    def reset(self) -> None:
        """Set all inputs back to what they were at the start."""
        self._set(self.start)

    def _set(self, state: Mapping[str, Any]) -> None:
        """Set all at once, and with it the options that the inputs leave no room for.

        The same ones as `settled` in store.js.
        """
        state, n = dict(state), len(state["tokens"])
        here = tuple(name for name in self.edit if state[name] is not None)
        if here != self.edit:
            state["edit"] = here or ("embeddings",)
        if self.query is not None and self.query >= n:
            state["query"] = n - 1 if self.predict == "largest_weight" else None
        if self.dropout_keep is not None and len(self.dropout_keep) != n:
            state["dropout_keep"] = None
        try:
            with self.hold_sync(), self.hold_trait_notifications():
                for name, value in state.items():
                    setattr(self, name, value)
        except traitlets.TraitError as error:
            raise ValueError(str(error)) from None

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the browser sends; in Pyodide its null is not None."""
        super().set_state(json.loads(json.dumps(sync_data, default=lambda _: None)))

    def __repr__(self) -> str:
        return self._twin()

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Show the live widget, with the numbers as text and, on request, a PNG."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        data["text/plain"] = self._twin()
        if os.environ.get("ATTENTION_HELPERS_PNG") and self._visible():
            data["image/png"] = base64.b64encode(self._png()).decode()
            metadata = {**metadata, "image/png": {"alt": self._alt()}}
        return data, metadata

    @property
    def _locked(self) -> bool:
        return self.predict is not None and self.predicted is None

    def _visible(self) -> tuple[str, ...]:
        """Return the stages on the screen, as `visibleStages` in engine.js has them."""
        shown = self.stages or _default_stages(self)
        shown = [name for name in shown if getattr(self, name, ()) is not None]
        computed = [name for name in STAGES if name in shown and name not in INPUTS]
        limit = 0 if self._locked else len(STAGES) if self.step is None else self.step
        return tuple(
            name
            for name in STAGES
            if name in shown and (name in INPUTS or name in computed[:limit])
        )

    def _labels(self, stage: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the row and column names of a stage, as `labels` in engine.js."""

        def names(matrix: str, letter: str) -> tuple[str, ...]:
            width = len(getattr(self, matrix)[0])
            given = self.columns.get(matrix, ())
            generic = (f"{letter}{_subscript(k + 1)}" for k in range(width))
            return given if len(given) == width else tuple(generic)

        dimensions = names("embeddings", "x")
        source = _SOURCES.get(stage, stage)
        if stage == "embeddings":
            return self.tokens, dimensions
        if source in MATRICES:
            projected = getattr(self, source) is not None
            columns = names(source, source[2].lower()) if projected else dimensions
            return (dimensions if stage == source else self.tokens), columns
        return self.tokens, self.tokens

    def _panels(self) -> list[tuple[str, Matrix, Any, Any, Any]]:
        """Return (stage, matrix, rows, columns, visible cells) for what is shown."""
        result = self.attention
        panels = []
        for stage in self._visible():
            of = self if stage in MATRICES else result
            matrix = np.array(getattr(of, stage))
            rows, columns = self._labels(stage)
            mask = _unmasked(self.mask, stage, len(self.tokens))
            if self.query is not None and stage not in ("keys", "values", *INPUTS):
                rows, matrix = (rows[self.query],), matrix[[self.query]]
                mask = None if mask is None else mask[[self.query]]
            panels.append((stage, matrix, rows, columns, mask))
        return panels

    def _question(self) -> str:
        asking, last = label(self.tokens[self.query or 0]), label(self.tokens[-1])
        words = {"query": asking, "n": len(self.tokens), "last": last}
        return QUESTIONS[self.predict].format(**words)

    def _twin(self) -> str:
        lines = [f"explorer: {self._spoken()}"]
        if self._locked:
            lines.append(f"Before you look: {self._question()}")
        for stage, matrix, rows, columns, mask in self._panels():
            lines += ["", _title(stage), table(matrix, rows, columns, mask)]
        return "\n".join(lines)

    def _alt(self) -> str:
        names = [_title(panel[0]) for panel in self._panels()]
        question = f" Question: {self._question()}" if self._locked else ""
        return f"{self._spoken()}: {', '.join(names)}.{question}"

    def _spoken(self) -> str:
        return " ".join(map(label, self.tokens))

    def _png(self) -> bytes:
        from .drawing import Panel, draw

        panels = [
            Panel(
                title=_title(stage),
                matrix=matrix,
                rows=rows,
                columns=columns,
                mask=mask,
                scale="weights" if stage == "weights" else "signed",
                row_sums=stage == "weights",
            )
            for stage, matrix, rows, columns, mask in self._panels()
        ]
        return draw(
            panels, f"Before you look: {self._question()}" if self._locked else ""
        )


OPTIONS = (
    *("tokens", *INPUTS, "stages", "edit", "query", "divide_by", "mask", "normalise"),
    *("axis", "dropout_p", "dropout_keep", "controls", "predict", "predicted", "step"),
    *("large", "start", "columns", "slider", "presets"),
)
_SOURCES = {
    "queries": "W_query",
    "keys": "W_key",
    "values": "W_value",
    "context": "W_value",
}


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
    ValueError
        For an option that is unknown or does not fit; the message names it.
    KeyError
        For an unknown example; the message lists the known ones.

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
        raise ValueError(
            f"example is {shown(example)}; expected an Example or one of"
            f" {', '.join(examples)}"
        )
    return examples[plain_text(example)]


def _state_of(example: Example) -> dict[str, Any]:
    """Return what an example brings along, as JSON can hold it."""
    state: dict[str, Any] = {
        "tokens": example.tokens,
        "columns": dict(example.columns),
        "slider": None if example.slider is None else dict(example.slider),
        "presets": {name: dict(preset) for name, preset in example.presets.items()},
        "example": example.name,
    }
    for name in INPUTS:
        matrix = getattr(example, name)
        state[name] = None if matrix is None else _table(name, matrix)
    return state


def _check_inputs(state: Mapping[str, Any]) -> None:
    """Check that words and matrices fit together."""
    n = len(state["tokens"])
    if len(state["embeddings"]) != n:
        raise ValueError(
            f"embeddings has {len(state['embeddings'])} rows but tokens has {n} words;"
            " expected one row a word"
        )
    self_attention(state["embeddings"], *(state[name] for name in MATRICES))


def _check_together(state: Mapping[str, Any]) -> None:
    """Check the options that only make sense together."""
    _check_inputs(state)
    n = len(state["tokens"])
    for name in state["edit"]:
        if state[name] is None:
            raise ValueError(f"edit names {name}, but there is no {name} here")
    if state["query"] is not None and state["query"] >= n:
        raise ValueError(
            f"query is {state['query']}; expected a row from 0 to {n - 1}, or None"
        )
    keep = state["dropout_keep"]
    if keep is not None and np.shape(keep) != (n, n):
        raise ValueError(f"dropout_keep has shape {np.shape(keep)}; expected {(n, n)}")
    for option, plain in (("normalise", "softmax"), ("axis", "rows")):
        if state["mask"] != "none" and state[option] != plain:
            raise ValueError(
                f"mask is {state['mask']!r} while {option} is {state[option]!r};"
                f" expected {option}={plain!r} with a mask"
            )
    missing = [name for name in MATRICES if state[name] is None]
    if missing and str(state["predict"]).startswith("double_"):
        raise ValueError(
            f"predict is {state['predict']!r} but there is no {missing[0]};"
            " expected all three weight matrices"
        )
    if state["predict"] in ("last_word_changes", "zero_scores_hide") and n == 1:
        raise ValueError(
            f"predict is {state['predict']!r} but tokens has one word; expected more"
        )
    if state["predict"] == "largest_weight" and state["query"] is None:
        raise ValueError("predict is 'largest_weight' without query; expected a word")


def _default_stages(state: Any) -> tuple[str, ...]:
    """Return the stages that the matrices and options give."""
    present = [name for name in INPUTS if getattr(state, name) is not None]
    projected = ("queries", "keys", "values") if len(present) > 1 else ()
    scaled = state.divide_by != "1" or "divide_by" in state.controls
    masked = state.mask in ("causal", "zero_scores") or "mask" in state.controls
    return (
        *present,
        *projected,
        "scores",
        *(("scaled_scores",) if scaled else ()),
        *(("masked_scores",) if masked else ()),
        "weights",
        "context",
    )


def _unmasked(mask: str, stage: str, n_tokens: int) -> Any:
    """Return which cells of a stage are not hidden, or None where all are shown."""
    hides_scores = stage == "masked_scores" and mask in ("causal", "zero_scores")
    hides_weights = stage == "weights" and mask not in ("none", "zero_scores")
    return causal_mask(n_tokens) if hides_scores or hides_weights else None


def _attention(state: Any) -> Attention:
    """Compute every stage for an explorer's inputs and options."""
    n, d_in = len(state.tokens), len(state.embeddings[0])
    d_k = d_in if state.W_query is None else len(state.W_query[0])
    scale = 1 / np.sqrt(DIVISORS[state.divide_by](n, d_in, d_k))
    inputs = (state.embeddings, state.W_query, state.W_key, state.W_value)
    may_attend = causal_mask(n)
    if state.mask == "causal":
        result = self_attention(*inputs, mask=may_attend, scale=scale)
    else:
        result = self_attention(*inputs, scale=scale)

    masked_scores, weights = result.masked_scores, result.weights
    if state.mask == "zero_scores":
        masked_scores = np.where(may_attend, masked_scores, 0.0)
        weights = softmax(masked_scores)
    if state.mask.startswith("zero_weights"):
        weights = np.where(may_attend, weights, 0.0)
    if state.mask == "zero_weights_renormalised":
        weights = _divided_by_sum(weights, axis=1)
    along = {"rows": 1, "columns": 0}[state.axis]
    if state.normalise == "sum":
        weights = _divided_by_sum(masked_scores, axis=along)
    elif state.axis == "columns":
        weights = softmax(masked_scores, axis=along)
    if state.dropout_p > 0 and state.dropout_keep is not None:
        weights = np.where(state.dropout_keep, weights / (1 - state.dropout_p), 0.0)

    context = weights @ result.values
    return replace(
        result, masked_scores=masked_scores, weights=weights, context=context
    )


def _divided_by_sum(scores: Matrix, axis: int) -> Matrix:
    """Divide by the sum along an axis; NaN where the numbers cancel to nothing."""
    total = scores.sum(axis=axis, keepdims=True)
    nothing = abs(total) <= 1e-12 * abs(scores).sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Matrix = np.where(nothing, np.nan, scores / total)
    return shares


def _title(stage: str) -> str:
    if stage in MATRICES:
        return stage
    return "attention weights" if stage == "weights" else stage.replace("_", " ")


def _subscript(k: int) -> str:
    return str(k).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
