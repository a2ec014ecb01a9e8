"""What the explorer's traits may hold, alone and together.

Each check returns a clean value, or raises a `ValueError` that names the option.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import traitlets

from .. import checks
from ..attention import multi_head_attention
from ..checks import INPUTS, MATRICES, MOST, plain_text, unexpected
from ..examples import Example
from ..facts import LEARNED, LIMITS
from . import goals, twin
from .masks import MASKS

Check = Callable[[str, Any], Any]
count = partial(checks.check_whole, least=0, most=LIMITS["count"])  # rows, steps
MOST_HEADS = LIMITS["heads"]
heads = partial(checks.check_whole, least=1, most=MOST_HEADS)

SENTENCE = ("tokens", *INPUTS)
MOST_TOKENS = LIMITS["words"]
MOST_COLUMNS, MOST_NUMBERS = LIMITS["columns"], LIMITS["numbers"]  # of one matrix
NEEDS = {  # what a question asks about; the others need nothing
    "largest_weight": ("query",),
    "steepest": ("goal", "number to move"),
    **dict.fromkeys(("double_W_query", "double_W_key", "double_W_value"), MATRICES),
    **dict.fromkeys(("last_word_changes", "zero_scores_hide"), ("second word",)),
}


class Option(traitlets.TraitType[Any, Any]):
    """A trait that the page shares and that must fit the other options."""

    metadata = {"sync": True}  # noqa: RUF012 (each trait has a copy)

    def validate(self, obj: Any, value: Any) -> Any:
        """Let traitlets check; text of any type counts as what it holds."""
        try:
            value = plain_text(value) if isinstance(value, str) else value
            return super().validate(obj, value)  # type: ignore[misc]
        except Exception:  # whatever an object may raise that is compared or printed
            error = unexpected(str(self.name), value, self.info())
            raise traitlets.TraitError(str(error)) from None

    def _validate(self, obj: Any, value: Any) -> Any:
        """Check None against the other options too, which traitlets would not."""
        if value is not None or not self.allow_none:
            value = self.validate(obj, value)
        return value if obj._cross_validation_lock else self._cross_validate(obj, value)

    def _cross_validate(self, obj: Any, value: Any) -> Any:
        obj._check_together(self.name, value)
        return value


class Enum(Option, traitlets.Enum[Any]):
    """One of some names."""

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the name itself, whatever it was that equals it."""
        value = super().validate(obj, value)
        return next(name for name in self.values or () if name == value)


class Bool(Option, traitlets.Bool[Any, Any]):
    """True or False."""


class Checked(Option):
    """A value that passes a check of our own, which may also clean it."""

    def __init__(self, check: Check, default: Any = None, **kwargs: Any) -> None:
        super().__init__(default, **kwargs)
        self.check = check

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the clean value, or raise a `TraitError` that names the option."""
        try:
            return self.check(str(self.name), value)
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None


def brought_back(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the traits that are tagged as brought back by `reset`."""
    some = ((k, x) for k, x in options.items() if isinstance(x, Option))
    return tuple(name for name, trait in some if trait.metadata.get("reset"))


def check_known(options: Iterable[str], known: Iterable[str]) -> None:
    """Refuse an option of an unknown name; list the known ones."""
    if unknown := sorted(set(options) - set(known)):
        raise ValueError(
            f"unknown option {', '.join(unknown)}; expected any of {', '.join(known)}"
        )


def table(name: str, given: Any) -> tuple[tuple[float, ...], ...]:
    """Make tuples: an array breaks `link`, and a list changes silently in place."""
    matrix = checks.check_matrix(name, given)
    if matrix.shape[1] > MOST_COLUMNS or matrix.size > MOST_NUMBERS:
        raise ValueError(
            f"{name} has shape {matrix.shape}; expected at most {MOST_COLUMNS} columns"
            f" and {MOST_NUMBERS} numbers in an explorer. heatmap shows larger matrices"
        )
    largest = abs(matrix).max()
    if largest > MOST:
        raise ValueError(f"{name} holds {largest:g}; expected numbers within a million")
    return tuple(tuple(row) for row in (matrix + 0.0).tolist())


def words(name: str, given: Any) -> tuple[str, ...]:
    """Take no more than fit on a screen."""
    tokens = checks.check_tokens(given)
    if len(tokens) > MOST_TOKENS:
        raise ValueError(
            f"{name} has {len(tokens)} words; expected at most {MOST_TOKENS} in an"
            " explorer. heatmap shows larger matrices"
        )
    return tokens


def some_of(known: Iterable[str], most: int) -> Check:
    """Make the check of a list of names."""
    known = tuple(known)

    def check(name: str, given: Any) -> tuple[str, ...]:
        items = given if isinstance(given, (list, tuple)) else [given]
        some = tuple(plain_text(x) for x in items if isinstance(x, str))
        if items is not given or len(some) < len(items) or not {*some} <= {*known}:
            raise unexpected(name, given, f"a list of any of {', '.join(known)}")
        if len(set(some)) != len(some) or len(some) > most:
            raise unexpected(name, given, f"at most {most}, once each")
        return some

    return check


def probability(name: str, given: Any) -> float:
    """Refuse 1, too: what is kept is divided by what is left of it."""
    number = checks.finite_number(given)
    if number is None or not 0 <= number < 1:
        raise unexpected(name, given, "a number from 0 to below 1")
    return number + 0.0


def flags(name: str, given: Any) -> tuple[tuple[bool, ...], ...]:
    """Turn booleans into tuples like every other table."""
    keep = checks.check_array(name, given)
    if keep.dtype != bool or keep.ndim != 2:
        raise unexpected(name, given, "a square table of booleans")
    return tuple(tuple(row) for row in keep.tolist())


def head_indexes(name: str, given: Any) -> tuple[int, ...]:
    """Return which heads, counted from 0, in order."""
    if not isinstance(given, (list, tuple)) or len(given) > MOST_HEADS:
        raise unexpected(name, given, "a list of heads, counted from 0")
    some = [checks.check_whole(name, x, least=0, most=MOST_HEADS - 1) for x in given]
    if len(set(some)) != len(some):
        raise unexpected(name, given, "each head at most once")
    return tuple(sorted(some))


class Start(Option):
    """What `reset` goes back to: words and matrices, and choices as their traits do."""

    def validate(self, obj: Any, value: Any) -> dict[str, Any]:
        """Return the clean values, or raise a `TraitError` that names the one."""
        if not isinstance(value, Mapping) or not (
            {"tokens", *LEARNED} <= {*value} <= {*SENTENCE, *obj._choices}
        ):
            choices = ", ".join(obj._choices)
            known = f"a dict of {', '.join(SENTENCE)}, and any of {choices}"
            error = unexpected(str(self.name), value, known)
            raise traitlets.TraitError(str(error))
        chosen = [name for name in obj._choices if name in value]
        try:
            return sentence(value) | {k: clean(obj, k, value[k]) for k in chosen}
        except (ValueError, traitlets.TraitError) as error:
            raise traitlets.TraitError(f"{self.name}: {error}") from None


def clean(explorer: Any, name: str, value: Any) -> Any:
    """Return a value as an explorer's trait takes it, without setting it."""
    trait = explorer.traits()[name]
    return (
        None if value is None and trait.allow_none else trait.validate(explorer, value)
    )


def sentence(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return words and matrices that fit together."""
    state: dict[str, Any] = {"tokens": words("tokens", given["tokens"])}
    for name in INPUTS:
        matrix = given.get(name)
        state[name] = None if matrix is None else table(name, matrix)
    Example(**state)
    return state


def trainable(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the inputs that learning moves where nothing else is said."""
    here = (name for name in ("W_query", "W_key") if state[name] is not None)
    return tuple(here) or ("embeddings",)


def divisor(state: Mapping[str, Any]) -> str:
    """Return what scores are divided by where nothing else is said."""
    projected = state["W_query"] is not None and state["W_key"] is not None
    return "sqrt_d_k" if projected else "1"


# The options that follow from the inputs, unless they are said: as in options.js.
DECIDED = {"divide_by": divisor, "train": trainable}


def decided(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options for these inputs."""
    return {name: follows(state) for name, follows in DECIDED.items()}


def check_train(train: Iterable[str], state: Mapping[str, Any]) -> None:
    """Refuse to train nothing, or what is not there."""
    if not train:
        raise ValueError(f"train is empty; expected any of {', '.join(LEARNED)}")
    for name in train:
        if state[name] is None:
            raise ValueError(f"train names {name}, but there is no {name} here")


def columns_of_context(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the column names of the context."""
    return twin.labels(SimpleNamespace(**state), "context")[1]


def fitting_columns(
    columns: Mapping[str, tuple[str, ...]], state: Mapping[str, Any]
) -> dict[str, tuple[str, ...]]:
    """Return the column names of which there is one a column."""
    return {
        name: names
        for name, names in columns.items()
        if state[name] and len(state[name][0]) == len(names)
    }


def fitting_goal(state: Mapping[str, Any]) -> goals.Goal | None:
    """Return the goal without what cannot be wished for any more."""
    left = []
    for wish in goals.wishes(state["goal"]):
        try:
            goals.check_fits(wish, state, columns_of_context(state))
        except ValueError:
            continue
        left.append(wish)
    return goals.goal_of(left) or None


def fitting_heads(state: Mapping[str, Any]) -> int:
    """Return the number of heads; 1 where they cannot share the columns any more."""
    try:
        check_heads(state)
    except ValueError:
        return 1
    return int(state["heads"])


def fitting_off(state: Mapping[str, Any]) -> tuple[int, ...]:
    """Return which heads are off, of those there are."""
    return tuple(head for head in state["off"] if head < state["heads"] > 1)


def check_heads(state: Mapping[str, Any]) -> None:
    """Refuse columns that the heads cannot share equally."""
    first = state["embeddings"][:1]  # one row is enough to see whether shapes fit
    matrices = (state[name] for name in INPUTS[1:])
    multi_head_attention(first, *matrices, heads=state["heads"])


def check_changed(state: Mapping[str, Any], changed: str) -> None:
    """Check one option that has changed: what fits no more later is left alone."""
    there = range(state["heads"]) if state["heads"] > 1 else ()
    if changed == "train":  # else, what is not there any more does not move
        check_train(state["train"], state)
    elif changed == "off" and not {*state["off"]} <= {*there}:  # else, as with train
        expected = f"any of {', '.join(map(str, there))}" if there else "no head"
        raise unexpected("off", state["off"], f"{expected} with heads={state['heads']}")
    elif changed == "columns":  # else, names that fit no more are not shown
        checks.fit_columns(state["columns"], state)
    elif changed == "presets":
        checks.fit_presets(state["presets"], state["start"])


def check_together(state: Mapping[str, Any]) -> None:
    """Check the options that only make sense together."""
    Example(*(state[name] for name in SENTENCE))
    n, query, keep = len(state["tokens"]), state["query"], state["dropout_keep"]
    for name in state["edit"]:
        if state[name] is None:
            raise ValueError(f"edit names {name}, but there is no {name} here")
    check_heads(state)
    for wish in goals.wishes(state["goal"]):
        goals.check_fits(wish, state, columns_of_context(state))
    if query is not None and query >= n:
        raise ValueError(f"query is {query}; expected a row from 0 to {n - 1}, or None")
    if keep is not None and np.shape(keep) != (n, n):
        raise ValueError(f"dropout_keep has shape {np.shape(keep)}; expected {(n, n)}")
    if MASKS[state["mask"]].at:
        goals.check_shares(state, f"mask is {state['mask']!r}", "a mask")
    movable = state["edit"] or None
    here = {**state, "second word": n > 1 or None, "number to move": movable}
    for need in NEEDS.get(state["predict"], ()):
        if here[need] is None:
            raise ValueError(
                f"predict is {state['predict']!r}, but there is no {need} here;"
                " expected what the question asks about"
            )
