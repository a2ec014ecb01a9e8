"""Where right and wrong solutions are noted, and what they share."""

import numpy as np

RIGHT = {}
WRONG = {}
SAME = {  # changes of a model that change nothing; a chapter adds its own
    r"axis=-1.*-> .*axis=1": "a table has two axes",
    r"-> return None": "counts as not attempted",
}


def right(name):
    """Note a right solution."""

    def note(solution):
        RIGHT.setdefault(name, []).append(solution)
        return solution

    return note


def wrong(name, *words):
    """Note a wrong solution, and words that the message has to contain."""

    def note(solution):
        WRONG.setdefault(name, []).append((solution, words))
        return solution

    return note


def softmax(scores, axis=-1):
    """Take the softmax, as chapter 2 writes it."""
    e = np.exp(scores)
    return e / e.sum(axis=axis, keepdims=True)
