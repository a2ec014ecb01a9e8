"""What goes through the pipe between grader and kernel: lines of JSON, nothing else."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from ..exercises.judge.comparing import kind, numbers
from ..explorer import Explorer
from ..explorer.links import fitting
from ..explorer.widget import OPTIONS

LONGEST = 10_000_000  # bytes of a line
DEEPEST = 20  # lists in lists
SPEAKING = threading.Lock()
KINDS = "biuf"  # of arrays: booleans, whole numbers, floats

Send = Callable[[Callable[..., Any]], int]  # gives a function a number
Receive = Callable[[int], Callable[..., Any]]  # makes a function of a number


class Strange:
    """Stands for what cannot be sent, such as text or a dictionary."""

    def __init__(self, what: str) -> None:
        self.what = what


def write(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Send one message."""
    with SPEAKING:
        stream.write(json.dumps(message).encode("ascii") + b"\n")
        stream.flush()


def read(stream: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message, or None at the end; anything else is a `ValueError`."""
    line = stream.readline(LONGEST)
    if not line:
        return None
    if not line.endswith(b"\n"):
        raise ValueError(f"a line of more than {LONGEST} bytes, or half of one")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("a line that is no JSON") from None
    if not isinstance(message, dict):
        raise ValueError("a line that is no message")
    return message


def no_function(_: Any) -> Any:
    """Refuse a function where none can be sent."""
    raise TypeError("no function is expected here")


def pack(value: Any, send: Send = no_function, depth: int = DEEPEST) -> Any:
    """Return a value as JSON can hold it; what is no number comes as its kind."""
    try:
        packed = _packed(value, send, depth)
        json.dumps(packed)  # not every whole number can be written
    except Exception:
        return {"strange": _kind(value)}
    return packed


def _packed(value: Any, send: Send, depth: int) -> Any:
    if value is None or value is ...:
        return {"none": value is None}
    if type(value) in (bool, int, float):
        return {"number": value}
    if type(value) in (list, tuple) and depth:
        items = [_packed(item, send, depth - 1) for item in value]
        return {type(value).__name__: items}
    if type(value) is np.ndarray or isinstance(value, np.generic):
        array = np.asarray(value)
        if array.dtype.kind in KINDS:
            return _table(array, array.dtype.kind, isinstance(value, np.generic))
    if isinstance(value, np.random.Generator):
        return {"generator": value.bit_generator.state}
    if isinstance(value, Explorer):
        return {"explorer": fitting({name: getattr(value, name) for name in OPTIONS})}
    if callable(value) and send is not no_function:
        return {"function": send(value)}
    return _table(numbers(value, flags=True), "f", scalar=False)


def _table(array: Any, kind: str, scalar: bool) -> dict[str, Any]:
    return {
        "table": array.ravel().tolist(),
        "shape": array.shape,
        "kind": kind,
        "scalar": scalar,
    }


def _kind(value: Any) -> str:
    try:
        return kind(value)
    except Exception:  # a class may lie about everything
        return "something that says nothing of itself"


def unpack(packed: Any, receive: Receive = no_function, depth: int = DEEPEST) -> Any:
    """Return what `pack` has packed; anything else is `Strange`."""
    try:
        return _unpacked(packed, receive, depth)
    except Exception:  # whatever a stranger has put there
        return Strange("something that cannot be read")


def _unpacked(packed: dict[str, Any], receive: Receive, depth: int) -> Any:
    if not depth:
        raise ValueError
    if "none" in packed:
        return None if packed["none"] else ...
    if "number" in packed:
        if type(packed["number"]) not in (bool, int, float):
            raise ValueError
        return packed["number"]
    for made in (list, tuple):
        if made.__name__ in packed:
            items = packed[made.__name__]
            return made(_unpacked(item, receive, depth - 1) for item in items)
    if "table" in packed:
        types = {"b": bool, "i": np.int64, "u": np.uint64, "f": np.float64}
        flat = np.array(packed["table"], types[packed["kind"]])
        array = flat.reshape(packed["shape"])
        return array[()] if packed["scalar"] else array
    if "generator" in packed:
        generator = np.random.default_rng()
        generator.bit_generator.state = packed["generator"]
        return generator
    if "explorer" in packed:
        state = packed["explorer"]
        return Explorer(**{name: state[name] for name in OPTIONS})
    if "function" in packed:
        return receive(packed["function"])
    return Strange(str(packed["strange"])[:200])
