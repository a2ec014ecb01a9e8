"""Chapter 5: judge a function that finds out whether attention leaks.

The learner's ``leaks(attend)`` is given five ways to attend. Every table that it tries
them on is written down, so that a wrong verdict can be explained by how it was found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..attention import causal_mask, self_attention, softmax
from ..checks import Matrix, check_matrix
from ..examples import MATRICES, examples
from .comparing import kind
from .kinds import BLANK, PASSED, Verdict, not_yet
from .running import has_gap, run, takes

BANK = examples["bank"]
WEIGHTS = {name: getattr(BANK, name) for name in MATRICES}
CALL = "leaks(attend)"
VERDICT = "True if a later word moves an earlier context, else False"


def causal(embeddings: Matrix) -> Matrix:
    """Hide the future before the softmax."""
    mask = causal_mask(len(embeddings))
    return self_attention(embeddings, **WEIGHTS, mask=mask).context


def unmasked(embeddings: Matrix) -> Matrix:
    """Hide nothing."""
    return self_attention(embeddings, **WEIGHTS).context


def zero_weights(embeddings: Matrix) -> Matrix:
    """Set the future's attention weights to 0 after the softmax."""
    stages = self_attention(embeddings, **WEIGHTS)
    context: Matrix = np.tril(stages.weights) @ stages.values
    return context


def renormalised(embeddings: Matrix) -> Matrix:
    """Set them to 0 after the softmax, then divide each row by what is left."""
    stages = self_attention(embeddings, **WEIGHTS)
    kept = np.tril(stages.weights)
    with np.errstate(invalid="ignore"):  # 0 / 0 where the future took everything
        context: Matrix = kept / kept.sum(axis=1, keepdims=True) @ stages.values
    return context


def zero_scores(embeddings: Matrix) -> Matrix:
    """Set the future's scores to 0 before the softmax."""
    stages = self_attention(embeddings, **WEIGHTS)
    context: Matrix = softmax(np.tril(stages.scaled_scores)) @ stages.values
    return context


class Way(NamedTuple):
    """A way to attend, with the right verdict on it."""

    name: str
    attend: Callable[[Matrix], Matrix]
    leaks: bool


WAYS = (
    Way("the future hidden before the softmax", causal, False),
    Way("no mask at all", unmasked, True),
    Way("attention weights set to 0 after the softmax", zero_weights, True),
    Way("0 written over the future scores", zero_scores, True),
    Way("set to 0 after the softmax, rows divided again", renormalised, False),
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


def judge(answer: Any) -> Verdict:
    """Run a learner's `leaks` on the five ways; explain the first wrong verdict."""
    if answer is None or has_gap(answer):
        return BLANK
    if not callable(answer):
        hint = 'Give check the function itself: check("leaks", leaks).'
        return not_yet(CALL, kind(answer), VERDICT, hint)
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
    came = f"{wrong[0].verdict}; {len(trials) - len(wrong)} of 5 verdicts are right"
    return not_yet(_tried(wrong[0].way), came, VERDICT, _why(trials, wrong[0]))


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
        return way.attend(table).copy()  # a record's arrays are read-only

    outcome = run(answer, {"attend": attend})
    if outcome.gap:
        return BLANK
    if outcome.error:
        came = f"an error{outcome.line}: {outcome.error}"
        return not_yet(_tried(way), came, VERDICT, outcome.words or _CALLED)
    verdict = outcome.result
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


def _why(trials: list[Trial], wrong: Trial) -> str:
    """Explain a wrong verdict by the tables that were tried."""
    verdicts = [trial.verdict for trial in trials]
    tables = wrong.tables
    if not tables:
        return (
            "attend is never called. A leak shows only when attend is tried on a table,"
            " and again after a later word has changed."
        )
    if len(tables) == 1:
        return (
            "attend is called only once. Row sums, or any look at a single result, say"
            " nothing about the future: with 0 in the scores every row still sums to 1,"
            " and leaks. Call it before and after a later word has changed."
        )
    if all(trial.wrong for trial in trials):
        return "Every verdict is the wrong way round: contexts that stay are no leak."
    before, after = tables[0], tables[-1]
    if before.shape != after.shape:
        return (
            "The two tables have different numbers of words. Compare only the rows that"
            " come before the first word that differs."
        )
    changed = np.flatnonzero((before != after).any(axis=1))
    if not changed.size:
        return (
            "attend got the same numbers twice. poked = embeddings is a second name, so"
            " both change together: take embeddings.copy(), and make embeddings again."
            " And change the last word to numbers it does not have already."
        )
    if wrong.verdict:
        return _false_alarm(wrong, changed, after)
    return _overlooked(verdicts, before[changed], after[changed])


def _false_alarm(wrong: Trial, changed: Any, after: Matrix) -> str:
    """Explain a True where nothing leaks."""
    if np.abs(after).max() > 100:
        return (
            "The new numbers are so large that the shares of all other words become 0,"
            " and 0 / 0 is no leak. Change the word to numbers of ordinary size."
        )
    if wrong.way.attend is renormalised:
        return (
            "The contexts differ by less than 1e-12: that is rounding, not a leak."
            " Compare with np.allclose, not with == or !=."
        )
    if changed[0] == 0:
        return (
            "The first word changed. Every word may look back at it, so contexts move"
            " without a leak. Change the last word, and look at the rows before it."
        )
    if changed[0] == len(after) - 1:
        return (
            "The last word changed, and its own context may move, since a word may look"
            " at itself. Compare only the rows before it: [:-1]."
        )
    return (
        f"The first word that changed is in row {changed[0]}. Contexts from there on"
        f" may move. Compare only the rows before it: [:{changed[0]}]."
    )


def _overlooked(verdicts: list[bool], before: Matrix, after: Matrix) -> str:
    """Explain a False where something leaks."""
    if not any(verdicts):
        return (
            "No leak is ever found. Compare the contexts of earlier words, before and"
            " after: perhaps the wrong rows are compared, or too generously."
        )
    if np.allclose(before @ WEIGHTS["W_key"], after @ WEIGHTS["W_key"]):
        return (
            "The new word has the same key as the old one, as vault and river have, so"
            " no score moves and this leak stays hidden. Change the word to numbers"
            " that give another key and another value."
        )
    if np.allclose(before @ WEIGHTS["W_value"], after @ WEIGHTS["W_value"]):
        return (
            "The new word has the same value as the old one, so what leaks from it"
            " looks the same. Change the word to numbers that give another key and"
            " another value."
        )
    return (
        "This leak is overlooked. Compare every number of every earlier context, and"
        " not too generously."
    )
