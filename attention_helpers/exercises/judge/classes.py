"""Use a learner's class as a chapter does, more than once, and as a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...checks import Matrix
from .comparing import close, numbers
from .origin import unwrapped
from .running import Told
from .words import AT_THE_CALL


class AsFunction:
    """A class as a function: of the embeddings, and of the weight matrices.

    Another object is made as well, which must not disturb the first; and the first is
    called again, which must not have changed it.
    """

    def __init__(self, answer: type) -> None:
        self.class_tried = answer
        methods = [_method(answer, name) for name in ("__call__", "forward")]
        self.method_tried = next((m for m in methods if m is not None), None)

    def __call__(self, embeddings: Any, W_query: Any, W_key: Any, W_value: Any) -> Any:
        """Make an object and call it."""
        written = any(map(callable, vars(self.class_tried).values()))
        if not written and self.method_tried is None:
            raise NotImplementedError
        matrices = W_query, W_key, W_value
        kept = [np.array(matrix) for matrix in matrices]
        again, fewer = np.array(embeddings), np.array(embeddings)[:0:-1]
        layer = self.class_tried(*matrices)
        self.class_tried(*others(*matrices))
        result = _call(layer, embeddings)
        if _alike(result, _tried(self.class_tried(*kept), again.copy())) and not (
            _alike(result, _tried(layer, again))
            and _alike(_tried(layer, fewer), _tried(self.class_tried(*kept), fewer))
        ):
            raise Told(
                "another result when the same object is called once more",
                "A call changes the object: something in self, or a matrix that it"
                " keeps, is not what __init__ left. Work with new names in the call.",
            )
        return result


def where_kept(name: str, inputs: Mapping[str, Any]) -> str:
    """Say what an input is called inside a class: only the first is no part of self."""
    if name != next(iter(inputs)):
        return f"Inside a class, write self.{name}."
    return AT_THE_CALL


def others(*matrices: Matrix) -> list[Matrix]:
    """Turn the rows of weight matrices round: the same shapes, other numbers."""
    return [np.array(matrix)[::-1] + 0.5 for matrix in matrices]


def _method(answer: type, name: str) -> Any:
    """Return a method that a learner wrote, in the class or in one that it is made of.

    What objects of every class have is none.
    """
    for made_of in answer.__mro__:
        if name in vars(made_of):
            return unwrapped(vars(made_of)[name])
    return None


def _call(layer: Any, embeddings: Any) -> Any:
    if callable(layer):
        return layer(embeddings)
    if hasattr(layer, "forward"):
        return layer.forward(embeddings)
    raise TypeError("an object of the class cannot be called: it has no __call__")


def _tried(layer: Any, embeddings: Any) -> Any:
    """Return the result of a call, or of what kind its error is."""
    try:
        return _call(layer, embeddings)
    except Exception as error:
        return type(error)


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, type) or isinstance(other, type):
        return one is other
    try:
        return close(numbers(one), numbers(other), rtol=1e-6, atol=1e-9)
    except ValueError:
        return True  # no numbers: that is told elsewhere
