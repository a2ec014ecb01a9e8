"""Chapter 5: judge a function that finds out whether attention leaks.

The learner's ``leaks(attend)`` is given many ways to attend. Every table that it tries
them on is written down, so that a wrong verdict can be explained by how it was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ...attention import attention, causal_mask, softmax
from ...checks import MATRICES, Matrix, check_matrix
from ...examples import examples
from ...text import number
from .comparing import kind
from .kinds import BLANK, PASSED, UNKNOWN, Verdict, draw, not_a, not_yet
from .origin import library_name
from .running import has_gap, run, takes

CALL = "leaks(attend)"
VERDICT = "True if a later word moves an earlier context, else False"
NUDGE = (
    "Call attend on a table, and on a copy in which the last word is quite another one."
    " If any number in a row before it moves, there is a leak."
)
BANK = examples["bank"]
COLUMNS = BANK.columns["embeddings"]
TINY, JUST_SEEN = 1e-9, 1e-4

Weights = Callable[[Matrix], Matrix]  # of the scaled scores


def masked(mask: Callable[[int], Any]) -> Weights:
    """Hide before the softmax where a mask is False."""
    return lambda scores: softmax(np.where(mask(len(scores)), scores, -np.inf))


def zero_weights(scores: Matrix) -> Matrix:
    """Set the future's attention weights to 0 after the softmax."""
    kept: Matrix = np.tril(softmax(scores))
    return kept


def renormalised(scores: Matrix) -> Matrix:
    """Set them to 0 after the softmax, then divide each row by what is left."""
    kept = zero_weights(scores)
    with np.errstate(invalid="ignore"):  # 0 / 0 where the future took everything
        shares: Matrix = kept / kept.sum(axis=1, keepdims=True)
    return shares


def zero_scores(scores: Matrix) -> Matrix:
    """Set the future's scores to 0 before the softmax."""
    return softmax(np.tril(scores))


def first_sees_all(n: int) -> Any:
    """Let the first word look ahead, and no other."""
    return causal_mask(n) | (np.arange(n) == 0)[:, None]


@cache
def other_matrices(seed: int) -> list[Matrix]:
    """Draw weight matrices, once."""
    return [draw(seed + k, 4, 2) / 2 for k in range(3)]


class Way(NamedTuple):
    """A way to attend, with the right verdict on it."""

    name: str
    weights: Weights
    leaks: bool
    seed: int | None = None  # of other weight matrices than those of bank
    blind: str = ""  # a column of the embeddings that keys and values ignore
    mixed: tuple[tuple[int, int], ...] = ((1, 0), (0, 1))  # the columns of values

    def attend(self, embeddings: Matrix) -> Matrix:
        """Return the contexts."""
        matrices = [getattr(BANK, name) for name in MATRICES]
        if self.seed is not None:
            matrices = other_matrices(self.seed)
        if self.blind:
            seen = np.array([[name != self.blind] for name in COLUMNS])
            matrices = [matrices[0], *(matrix * seen for matrix in matrices[1:])]
        queries, keys, values = (embeddings @ matrix for matrix in matrices)
        scores = attention(queries, keys, values).scaled_scores
        context: Matrix = self.weights(scores) @ values @ np.array(self.mixed)
        return context


CAUSAL, FIRST = masked(causal_mask), masked(first_sees_all)
ONE_AHEAD = masked(lambda n: np.tri(n, k=1))
OPPOSITE = ((1, -1), (0, 0))  # so the sum of a row stays 0
WAYS = (
    Way("the future hidden before the softmax", CAUSAL, False),
    Way("no mask at all", softmax, True),
    Way("attention weights set to 0 after the softmax", zero_weights, True),
    Way("0 written over the future scores", zero_scores, True),
    Way("set to 0 after the softmax, rows divided again", renormalised, False),
    Way("the future hidden, with other weight matrices", CAUSAL, False, 200),
    Way("each word looking at itself alone", masked(np.eye), False, 210),
    Way("set to 0 after the softmax, other matrices", renormalised, False, 280),
    Way("set to 0 after the softmax, still other ones", renormalised, False, 290),
    Way("a mask one diagonal too far", ONE_AHEAD, True, 220, mixed=((0, 0), (0, 1))),
    Way("the same, moving one column", ONE_AHEAD, True, 220, mixed=((1, 0), (0, 0))),
    Way("a mask that the first word escapes", FIRST, True, 230, mixed=OPPOSITE),
    Way("no mask, and no eye for wet", softmax, True, 240, "wet"),
    Way("0 after the softmax, and no eye for rich", zero_weights, True, 250, "rich"),
    Way("0 as a score, and no eye for place", zero_scores, True, 260, "place"),
    Way("no mask, and no eye for link", softmax, True, 270, "link"),
)


class Trial(NamedTuple):
    """One verdict, and the tables that it was found with."""

    way: Way
    verdict: bool
    tables: list[Matrix]

    @property
    def wrong(self) -> bool:
        """Whether the verdict is wrong."""
        return self.verdict != self.way.leaks


class Change(NamedTuple):
    """Two tables that were tried: where they differ, and what that moved."""

    before: Matrix
    after: Matrix
    columns: tuple[str, ...]  # in which a word differs
    first: int  # the first row that differs
    last: bool  # whether that is the last row
    moved: Matrix  # how far each earlier context moved

    @property
    def only_exchanges(self) -> bool:
        """Whether the same words stand in another order."""
        before, after = (sorted(table.tolist()) for table in (self.before, self.after))
        return before == after


def judge(answer: Any) -> Verdict:
    """Run a learner's `leaks` on all ways; explain the first wrong verdict."""
    if answer is None or has_gap(answer):
        return BLANK
    library = library_name(answer) if callable(answer) else ""
    if library:
        hint = (
            'Write leaks yourself, with def, and give check that: check("leaks", leaks)'
        )
        return not_yet(CALL, f"{library}, not a function of your own", VERDICT, hint)
    if not callable(answer) or isinstance(answer, type):
        came, hint = not_a("function", answer, "leaks", "leaks")
        return not_yet(CALL, came, VERDICT, hint)
    if not takes(answer, 1):
        came = "a function that does not take one argument"
        return not_yet(CALL, came, VERDICT, "It is called as leaks(attend).")
    trials = []
    for way in WAYS:
        trial = _try(answer, way)
        if isinstance(trial, Verdict):
            return trial
        trials.append(trial)
    wrong = [trial for trial in trials if trial.wrong]
    if not wrong:
        return Verdict(PASSED)
    right = f"{len(trials) - len(wrong)} of {len(trials)} verdicts are right"
    came = f"{wrong[0].verdict}; {right}"
    hint = _turned_round(trials) or _why(wrong[0])
    return not_yet(_tried(wrong[0].way), came, VERDICT, hint)


def _tried(way: Way) -> str:
    return f"{CALL}, where attend has {way.name}"


def _try(answer: Callable[..., Any], way: Way) -> Trial | Verdict:
    tables: list[Matrix] = []

    def attend(embeddings: Any) -> Matrix:
        table = check_matrix("embeddings", embeddings)
        if table.shape[1] != BANK.embeddings.shape[1]:
            raise ValueError(
                f"embeddings has {table.shape[1]} columns; attend takes 4: wet, rich,"
                " place, link"
            )
        tables.append(table)
        return way.attend(table)

    outcome = run(answer, {"attend": attend})
    if outcome.gap:
        return BLANK
    if outcome.error:
        came = f"an error{outcome.line}: {outcome.error}"
        return not_yet(_tried(way), came, VERDICT, outcome.words or _CALLED)
    verdict = outcome.result
    if isinstance(verdict, np.ndarray):
        verdict = verdict[()]  # a number where it has no axis, else as it was
    if not isinstance(verdict, (bool, np.bool_)):
        return not_yet(_tried(way), *_no_verdict(verdict))
    return Trial(way, bool(verdict), tables)


_CALLED = "attend takes one table with a word a row and returns one context a row."


def _no_verdict(came: Any) -> tuple[str, str, str]:
    if came is None:
        hint = "The last line needs return, for both verdicts."
    elif isinstance(came, np.ndarray) and came.dtype == bool:
        hint = "One verdict for the whole: .any(), or np.allclose."
    else:
        hint = "Compare, so that one True or False comes out: not np.allclose(...)."
    return kind(came), VERDICT, hint


# ---- why a verdict is wrong ----


def _turned_round(trials: list[Trial]) -> str:
    """Tell verdicts that say True where nothing moves."""
    by_chance = 3  # rounding, or a change that one attend does not see
    turned = sum(not trial.wrong for trial in trials) <= by_chance
    return turned * (
        "The verdicts are the wrong way round: contexts that stay are no leak. not"
        " turns a verdict round."
    )


def _why(wrong: Trial) -> str:
    """Explain a wrong verdict by the tables that were tried."""
    if not wrong.tables:
        return (
            "attend is never called. A leak shows only when attend is tried on a table,"
            " and again after a later word has changed."
        )
    if len(wrong.tables) == 1:
        return (
            "attend is called only once. Row sums, or any look at a single result, say"
            " nothing about the future, and a table from elsewhere comes from another"
            " attend. Call it before and after a later word has changed."
        )
    changes = list(_changes(wrong))
    if not changes:
        return (
            "attend got the same numbers each time, so nothing could move. poked ="
            " embeddings is a second name for the same table: take embeddings.copy()."
            " And change the last word to numbers that it does not have already."
        )
    explain = _false_alarm if wrong.verdict else _missed
    return explain(wrong, changes)


def _changes(trial: Trial) -> Iterator[Change]:
    """Yield how the tables of a trial differ, pair by pair."""
    for before, after in combinations(trial.tables, 2):
        n = min(len(before), len(after))
        rows = np.flatnonzero((before[:n] != after[:n]).any(axis=1))
        if not rows.size and len(before) == len(after):
            continue
        first = int(rows[0]) if rows.size else n
        differs = (before[:n] != after[:n]).any(axis=0) | (len(before) != len(after))
        columns = tuple(name for name, d in zip(COLUMNS, differs, strict=True) if d)
        last = first == max(len(before), len(after)) - 1
        moved = _moved(trial.way, before, after, first)
        yield Change(before, after, columns, first, last, moved)


def _moved(way: Way, before: Matrix, after: Matrix, first: int) -> Matrix:
    """Return how far the contexts before a row moved."""
    with np.errstate(invalid="ignore"):
        apart = way.attend(after)[:first] - way.attend(before)[:first]
    moved: Matrix = np.abs(apart).max(axis=1, initial=0)
    return moved


def _moves_alone(way: Way, change: Change) -> bool:
    """Tell whether one of the words that changed moves an earlier context alone."""
    for row in range(change.first, len(change.after)):
        poked = change.before.copy()
        poked[row] = change.after[row]
        if _moved(way, change.before, poked, change.first).max(initial=0) > TINY:
            return True
    return False


def _false_alarm(wrong: Trial, changes: list[Change]) -> str:
    """Explain a True where nothing leaks."""
    moved = np.concatenate([change.moved for change in changes])
    if np.isnan(moved).any():
        return (
            "The new numbers are so large that the shares of all other words become 0,"
            " and 0 / 0 is no leak. Change the word to numbers of ordinary size."
        )
    if moved.size and 0 < moved.max() < TINY:
        return (
            f"The contexts differ by less than {TINY:g}: that is rounding, not a leak."
            " Compare with np.allclose, not with == or !=."
        )
    change = changes[0]
    if change.first == 0:
        return (
            "The first word changed. Every word may look back at it, so contexts move"
            " without a leak. Change the last word, and look at the rows before it."
        )
    if len({len(table) for table in wrong.tables}) > 1:
        return (
            "The tables have different numbers of words. Compare only the rows that"
            f" come before the first word that differs: [:{change.first}]."
        )
    if change.last:
        return (
            "No row before the last word moved, though its own context may, since a"
            " word may look at itself. Compare the rows before it: [:-1]."
        )
    return (
        f"The first word that changed is in row {change.first}. Contexts from there on"
        f" may move. Compare only the rows before it: [:{change.first}]."
    )


def _missed(wrong: Trial, changes: list[Change]) -> str:
    """Explain a False where something leaks."""
    change = max(changes, key=lambda change: change.moved.max(initial=0))
    if change.first == 0:
        return (
            "The first word changed, and no word comes before it. Change the last word,"
            " and look at the rows before it."
        )
    most = change.moved.max()
    if TINY < most < JUST_SEEN:
        return (
            "The earlier contexts moved by less than 0.0001, since the last word hardly"
            " changed. Change it to quite another one."
        )
    if most > TINY:
        row = int(change.moved.argmax())
        return (
            f"The context in row {row} moved by {number(most, 4)}, which is overlooked."
            " Compare every number of every earlier row, not too generously, and let a"
            " single one be enough."
        )
    if all(change.only_exchanges for change in changes):
        return (
            "The later words only changed places, and here that moves no earlier"
            " context: a sum does not know its order. Change the last word into quite"
            " another one."
        )
    columns = [name for name in COLUMNS if any(name in c.columns for c in changes)]
    if len(columns) < len(COLUMNS) and not any(
        _moves_alone(wrong.way, change) for change in changes
    ):
        return (
            f"Only {' and '.join(columns)} changed, and here that moves no"
            " earlier context. Change the word in every column."
        )
    return f"{UNKNOWN} {NUDGE}"
