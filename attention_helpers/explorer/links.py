"""An explorer as an address, and back: the same codec as `static/links.js`.

The state stands after the ``#``, so it never reaches a server: what differs from the
defaults as JSON, deflated, in base64url, and the version at the end, so that a link
which was cut short is noticed.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Self

from .. import checks
from ..examples import Example
from ..facts import LINK, SITE
from . import traits

VERSION: str = LINK["version"]
MOST_CHARACTERS: int = LINK["characters"]
MOST_BYTES: int = LINK["bytes"]
PAGE_ONLY = ("tied",)  # what a page has besides: whether W_key follows W_query
State = dict[str, Any]


class Linked:
    """What turns an explorer into an address, and back."""

    def link(self, base: str = SITE) -> str:
        """Return an address that opens just this explorer, in any browser.

        All of it stands in the address itself, after the ``#``: words, matrices,
        options, goal and start. No server gets to see that part. A history of losses
        too long for an address is left out.

        Parameters
        ----------
        base : str
            Where the pages are: the published ones, or a copy of your own.

        Returns
        -------
        str
            The address of the page `explorer.html` there, with the state.

        Raises
        ------
        ValueError
            For a base that is no text, or for more numbers than an address can hold.

        Examples
        --------
        >>> from attention_helpers import Explorer
        >>> address = Explorer("bank", query=2, mask="causal").link()
        >>> address.partition("#")[0].endswith("/explorer.html")
        True
        >>> Explorer.from_link(address).mask
        'causal'
        """
        if not isinstance(base, str):
            raise checks.unexpected("base", base, f"an address such as {SITE}")
        state = {name: getattr(self, name) for name in defaults(type(self))}
        return f"{base.rstrip('/')}/explorer.html#{encode(state, type(self))}"

    @classmethod
    def from_link(cls, address: str) -> Self:
        """Make the explorer that an address stands for.

        Parameters
        ----------
        address : str
            From `link`, or from *copy link* on any page. The part after the ``#`` is
            enough.

        Returns
        -------
        Explorer
            With the words, numbers, options, goal and start of the other one.

        Raises
        ------
        ValueError
            For an address that is too long, cut short or damaged, or that holds what
            no explorer can show.

        Examples
        --------
        >>> from attention_helpers import Explorer
        >>> Explorer.from_link("https://example.org/explorer.html#abc")
        Traceback (most recent call last):
            ...
        ValueError: address is cut short: its end is missing; expected one from link
        """
        state = whole(decode(address), cls)
        words = {name: state.pop(name) for name in ("tokens", "embeddings")}
        try:
            example = Example(**words, name=state.pop("example", ""))
            return cls(example, **state)  # type: ignore[call-arg]
        except ValueError as error:
            raise refused(f"holds what no explorer can show: {error}") from None


def refused(why: str) -> ValueError:
    """Return the error that says why an address is not opened."""
    return ValueError(f"address {why}; expected one from link")


def defaults(kind: Any) -> State:
    """Return every option of a kind of explorer, as it is at first."""
    options = kind.class_traits().items()
    return {k: t.default_value for k, t in options if isinstance(t, traits.Option)}


# ---- what is left out ----


def implied(given: Iterable[str], kind: Any) -> tuple[str, ...]:
    """Return what a start names where a link does not say it."""
    chosen = (name for name in kind._choices if name in {*traits.DECIDED, *given})
    return (*traits.SENTENCE, *chosen)


def brief(state: State, kind: Any) -> State:
    """Return what differs from the defaults and, of the start, from now.

    Of the start: the names of what is as now, and the rest.
    """
    state = fitting(state)
    first = defaults(kind) | traits.decided(state)
    given = {k: v for k, v in state.items() if k != "start" and v != first[k]}
    given |= {name: state[name] for name in ("tokens", "embeddings")}
    start = state["start"]
    other = {k: v for k, v in start.items() if v != state[k]}
    if other or {*start} != {*implied(given, kind)}:
        given["start"] = [[k for k in start if k not in other], other]
    return given


def fitting(state: State) -> State:
    """Return a state without the names that fit nothing any more: they do not show."""
    train = tuple(name for name in state["train"] if state[name] is not None)
    return state | {
        "columns": traits.fitting_columns(state["columns"], state),
        "off": traits.fitting_off(state),
        "train": train or traits.decided(state)["train"],
        "presets": {k: v for k, v in state["presets"].items() if _fits(k, v, state)},
    }


def _fits(title: str, preset: Any, state: State) -> bool:
    try:
        checks.fit_presets({title: preset}, state["start"])
    except ValueError:
        return False
    return True


def whole(given: Any, kind: Any) -> State:
    """Return the options that a link names, and the start.

    What each may be its trait says.
    """
    first = defaults(kind)
    if not isinstance(given, dict) or not {"tokens", "embeddings"} <= {*given}:
        raise refused("holds no explorer")
    for name in given.keys() - {*first, *PAGE_ONLY}:
        raise refused(f"names {checks.shown(name)}, which is unknown here")
    named: State = {name: x for name, x in given.items() if name not in PAGE_ONLY}
    match named.pop("start", [implied(named, kind), {}]):
        case [[*same], dict(other)] if all(x in implied(first, kind) for x in same):
            now = first | traits.decided(first | named) | named
            return named | {"start": {name: now[name] for name in same} | other}
    raise refused("holds a start that is none")


# ---- text ----


def encode(state: State, kind: Any) -> str:
    """Return what stands for a state in an address."""
    no_losses: State = {"losses": ()}
    start = state["start"]
    forgetful = {**state, **no_losses, "start": {**start, **no_losses}}
    for one in (state, forgetful):
        text = json.dumps(_plain(brief(one, kind)), separators=(",", ":"))
        deflated = zlib.compress(text.encode(), 9, wbits=-15)
        packed = base64.urlsafe_b64encode(deflated).decode().rstrip("=") + VERSION
        if len(text) <= MOST_BYTES and len(packed) <= MOST_CHARACTERS:
            return packed
    raise ValueError(
        f"the explorer holds too much for a link of {MOST_CHARACTERS} characters;"
        " expected fewer words or smaller matrices"
    )


def decode(address: str) -> Any:
    """Return what JSON an address holds; nothing of it is checked yet."""
    if not isinstance(address, str):
        raise refused(f"is {checks.shown(address)}, which is no text")
    whole = "".join(address.split()).strip("<>")  # as mail programs and files have it
    hashed = whole.rpartition("#")[2]
    packed = re.sub(r"^explorer-\d{1,4}(=|%3D)", "", hashed, flags=re.I)
    if len(packed) > MOST_CHARACTERS:
        raise refused(f"has {len(packed)} characters, more than {MOST_CHARACTERS}")
    found = re.fullmatch(r"([\w-]+)(\.\d*)?", packed, re.A)
    if found is None:
        raise refused("holds characters that no link has")
    if found[2] in (None, "."):
        raise refused("is cut short: its end is missing")
    if found[2] != VERSION:
        raise refused("is of another version")
    try:
        deflated = base64.urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4))
        stream = zlib.decompressobj(-15)
        text = stream.decompress(deflated, MOST_BYTES + 1)
        if len(text) <= MOST_BYTES and stream.eof and not stream.unused_data:
            return json.loads(text.decode(), parse_constant=_no_number)
    except (ValueError, zlib.error, RecursionError):
        text = b""
    if len(text) > MOST_BYTES:
        raise refused("holds more than any explorer")
    raise refused("is damaged: some of its characters are wrong")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _plain(x: Any) -> Any:
    """Return what JSON holds, whole numbers without a point, as JavaScript has them."""
    if isinstance(x, Mapping):
        return {name: _plain(part) for name, part in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(part) for part in x]
    return int(x) if isinstance(x, float) and x.is_integer() and abs(x) < 1e16 else x
