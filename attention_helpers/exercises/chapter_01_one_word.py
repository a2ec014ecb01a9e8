"""Chapter 1: one word asks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..attention import softmax
from ..checks import Matrix
from ..examples import examples
from .judge import FIVE, SIX, Blank, Case, Exercise, Function, Wrong, draw
from .judge.ways import SHARES_ALREADY, cosine

MORE_SHARES = np.array([0.1, 0.3, 0.05, 0.25, 0.2, 0.1])
WHOLE_ROWS = np.array(
    [[9, 0, 3], [-6, 3, 0], [0, 6, 12], [3, -9, 6], [6, 7, -3], [0, 3, 4]]
)


def in_whole_numbers(shares: Matrix, rows: Matrix) -> Matrix:
    """Add up in a row of the rows' own kind of number."""
    total: Matrix = np.zeros_like(rows[0])
    for share, row in zip(shares, rows, strict=True):
        total[:] = total + share * row
    return total


CUT_OFF = (
    "The fractions are cut off, as a table of whole numbers does."
    " np.zeros_like(rows[0]) makes one when rows holds whole numbers; np.zeros(...)"
    " does not."
)


def dot_product(bank: Matrix, river: Matrix) -> Blank:
    """Ask for the score of bank with river, whatever their numbers are."""
    score = float(bank @ river)
    first, second = (" ".join(f"{x:g}," for x in row)[:-1] for row in (bank, river))
    products = bank * river
    gap = f"{bank[2]:g} × __"
    sums = [f"{x:g} × {y:g}" for x, y in zip(bank, river, strict=True)]
    cosine_ = score / np.linalg.norm(bank) / np.linalg.norm(river)
    wrong = (
        Wrong(
            score - products[2],
            f"The product for place is missing: it is {bank[2]:g} × river's place.",
        ),
        Wrong(
            bank.sum() + river.sum(),
            "This adds up all eight numbers. Multiply column by column, then add up"
            " the four products.",
        ),
        Wrong(
            bank.sum() * river.sum(),
            "This adds up each row and multiplies the two sums. Multiply first,"
            " column by column, then add.",
        ),
        Wrong(
            cosine_.round(3),
            "This is the cosine: the dot product divided by both lengths. A score"
            " is not divided.",
        ),
        Wrong(river[2], "That fits the gap. Now add up the whole line."),
        Wrong(
            products[2],
            "This is the product for place alone. Add the other three.",
        ),
        Wrong(
            bank @ bank,
            "This is bank with bank. The second factors are river's numbers.",
        ),
        Wrong(
            score - products[2] + bank[2] ** 2,
            "The gap takes river's place; this has bank's place again.",
        ),
        Wrong(products, "These are the four products. Add them up to one number."),
    )
    told = [np.round(way, 2).tolist() for way, _ in wrong]
    return Blank(
        name="dot product blank",
        asks=f"{' + '.join([*sums[:2], gap, *sums[3:]])}, the score of bank ({first})"
        f" with river ({second})",
        returns="one number, the whole sum with the gap filled",
        right=score,
        nudge="Each product takes one number of bank and the number of river in the"
        " same column.",
        wrong=tuple(  # two mistakes may come to the same: then neither is certain
            one for one, way in zip(wrong, told, strict=True) if told.count(way) == 1
        ),
    )


def cases(seed: int | None = None) -> dict[str, tuple[Case, ...]]:
    """Return the inputs of the functions, with a seed other ones."""

    def drawn(k: int, *shape: int) -> Matrix:
        return draw(k if seed is None else (k, seed), *shape)

    def turned(row: Matrix) -> Matrix:
        return np.roll(row, (seed or 0) % len(row), axis=0)

    shares = softmax(drawn(11, 5)).round(2)
    shares[0] += 1 - shares.sum()
    scored = drawn(1, 5, 4), drawn(2, 6, 3)
    return {
        "scores of one word": (
            Case({"query": scored[0][2], "embeddings": scored[0]}, FIVE),
            Case({"query": scored[1][4], "embeddings": scored[1]}, SIX),
            Case({"query": drawn(3, 2), "embeddings": drawn(4, 7, 2)}),
        ),
        "weighted average": (
            Case({"shares": shares, "rows": drawn(12, 5, 4)}),
            Case({"shares": MORE_SHARES, "rows": turned(WHOLE_ROWS)}),
            Case({"shares": np.array([0.5, 0.2, 0.3]), "rows": drawn(13, 3, 7)}),
        ),
        "softmax": (
            Case({"scores": drawn(14, 5)}, FIVE),
            Case({"scores": turned(np.array([2, 0, 6, 0, 5, -1]))}, SIX),
            Case({"scores": turned(np.array([-3.5, -1, -2.25]))}),
        ),
    }


def variant(seed: int) -> tuple[Exercise, ...]:
    """Return the exercises with the numbers of one learner."""
    bank = examples.variant("bank", seed).embeddings
    others = cases(seed)
    return (
        dot_product(bank[2], bank[4]),
        *(replace(one, cases=others[one.name]) for one in FUNCTIONS),
    )


CASES = cases()
FUNCTIONS = (
    Function(
        name="scores of one word",
        call="scores_of(query, embeddings)",
        returns="one score for each word",
        right=lambda query, embeddings: embeddings @ query,
        cases=CASES["scores of one word"],
        nudge="Each word's score is the dot product of the query with that word's row.",
        wrong=(
            Wrong(
                lambda query, embeddings: embeddings @ embeddings[0],
                "The first word always asks here. Use the query that the function is"
                " given.",
            ),
            Wrong(
                lambda query, embeddings: embeddings @ embeddings[2],
                "Row 2 always asks here. Use the query that the function is given.",
            ),
            Wrong(
                lambda query, embeddings: np.array(
                    [row @ query for row in embeddings if not np.allclose(row, query)]
                ),
                "The asking word is left out. It is looked at as well: one score for"
                " each word.",
            ),
            Wrong(
                lambda query, embeddings: np.where(
                    (embeddings == query).all(axis=1), 0, embeddings @ query
                ),
                "The asking word's own score is set to 0. It is looked at as well.",
            ),
            Wrong(
                lambda query, embeddings: embeddings * query,
                "These are the products, number by number. Add up each row.",
            ),
            Wrong(
                lambda query, embeddings: (embeddings * query).sum(axis=0),
                "The products are added up down the columns. Add up along each row.",
            ),
            Wrong(
                lambda query, embeddings: (embeddings * query).sum(),
                "The products of all words are added up to one number. Add up each row"
                " by itself: axis=1.",
            ),
            Wrong(
                lambda query, embeddings: embeddings[0] @ query,
                "This is the score of the first word alone. A return inside a loop ends"
                " it in its first round.",
            ),
            Wrong(
                lambda query, embeddings: embeddings[-1] @ query,
                "This is the score of the last word alone. In a loop, score = ..."
                " replaces what was there; a list collects.",
            ),
            Wrong(
                lambda query, embeddings: (embeddings * query).mean(axis=1),
                "This is the mean of the products. A dot product is their sum.",
            ),
            Wrong(
                cosine,
                "This is the cosine: each dot product is divided by both lengths. A"
                " score is not divided.",
            ),
            Wrong(
                lambda query, embeddings: np.full(len(embeddings), query @ query),
                "Every score is that of the query with itself. The second factor is the"
                " row of the word that is looked at.",
            ),
            Wrong(
                lambda query, embeddings: (embeddings * embeddings).sum(axis=1),
                "Every row is multiplied with itself. One factor is the query.",
            ),
            Wrong(
                lambda query, embeddings: (embeddings + query).sum(axis=1),
                "This adds the two rows. Multiply them, number by number, then add up.",
            ),
            Wrong(
                lambda query, embeddings: embeddings.sum(axis=1),
                "These are sums of each row: the query is not used.",
            ),
            Wrong(
                lambda query, embeddings: embeddings @ embeddings.T,
                "This is every word with every word. Here one word asks: one row.",
            ),
            Wrong(
                lambda query, embeddings: softmax(embeddings @ query),
                "These are shares already. Scores come before the softmax.",
            ),
            Wrong(
                lambda query, embeddings: query @ embeddings,
                "The order is reversed: on the right of @ columns are taken, and the"
                " words are in the rows of embeddings.",
            ),
            Wrong(
                lambda query, embeddings: embeddings.T @ query,
                "The .T turns the rows of embeddings into columns. Each row meets the"
                " query, so it stays as it is.",
            ),
        ),
    ),
    Function(
        name="weighted average",
        call="weighted_average(shares, rows)",
        returns="one row: each number is an average down its column",
        right=lambda shares, rows: shares @ rows,
        cases=CASES["weighted average"],
        nudge="Multiply each row by its share, then add up the rows.",
        wrong=(
            Wrong(
                lambda shares, rows: rows.mean(axis=0),
                "This is the plain average: every row counts the same. Multiply each"
                " row by its share.",
            ),
            Wrong(
                lambda shares, rows: rows.sum(axis=0),
                "This is the plain sum of the rows. Multiply each row by its share"
                " first.",
            ),
            Wrong(
                lambda shares, rows: shares @ rows / len(rows),
                "This divides by the number of rows as well. The shares sum to 1: that"
                " is the division already.",
            ),
            Wrong(
                lambda shares, rows: shares[:, None] * rows,
                "These are the rows, each times its share. Add them up to one row.",
            ),
            Wrong(
                lambda shares, rows: (shares[:, None] * rows).sum(axis=1),
                "This adds up along each row. Add up down the columns: axis=0.",
            ),
            Wrong(
                lambda shares, rows: (shares[:, None] * rows).sum(),
                "This adds up everything to one number. Add up down the columns:"
                " axis=0.",
            ),
            Wrong(
                lambda shares, rows: softmax(shares) @ rows,
                SHARES_ALREADY,
            ),
            Wrong(
                lambda shares, rows: rows[0] + shares[1:] @ rows[1:],
                "The sum starts with the whole first row. Start from zeros, so that the"
                " first row gets its share too.",
            ),
            Wrong(
                lambda shares, rows: rows[0] + shares @ rows,
                "The first row is in the sum twice: once whole, once by its share."
                " Start from zeros.",
            ),
            Wrong(
                lambda shares, rows: shares[-1] * rows[-1],
                "Only the last row is in it, times its share. In a loop, total = ..."
                " replaces what was there; total = total + ... adds.",
            ),
            Wrong(
                lambda shares, rows: shares[0] * rows[0],
                "Only the first row is in it, times its share. A return inside a loop"
                " ends it in its first round.",
            ),
            Wrong(
                lambda shares, rows: shares[:-1] @ rows[:-1],
                "The last row is missing. range(n) goes through all n rows.",
            ),
            Wrong(
                lambda shares, rows: shares[1:] @ rows[1:],
                "The first row is missing. Rows are counted from 0.",
            ),
            Wrong(
                lambda shares, rows: rows[shares.argmax()],
                "This is the row with the largest share alone. Every row counts, by its"
                " share.",
            ),
            Wrong(
                lambda shares, rows: np.trunc(shares @ rows),
                CUT_OFF,
            ),
            Wrong(
                in_whole_numbers,
                CUT_OFF,
            ),
            Wrong(
                lambda shares, rows: shares * rows,
                "* pairs the shares with the columns. shares[:, None] * rows pairs them"
                " with the rows; shares @ rows also adds up.",
            ),
            Wrong(
                lambda shares, rows: rows @ shares,
                "The order is reversed: the shares go first, since they belong to the"
                " rows.",
            ),
        ),
    ),
    Function(
        name="softmax",
        call="my_softmax(scores)",
        returns="one share for each score",
        right=softmax,
        without=("softmax",),
        cases=CASES["softmax"],
        nudge="Take e to the power of each score, then divide by the sum of those.",
        wrong=(
            Wrong(
                lambda scores: scores / scores.sum(),
                "This divides the scores by their sum. Take e to the power of each"
                " score first, else negative scores make negative shares.",
            ),
            Wrong(
                lambda scores: np.abs(scores) / np.abs(scores).sum(),
                "This drops the signs, so a score of −3 would count like 3. e to the"
                " power of a negative score is positive and small.",
            ),
            Wrong(
                lambda scores: softmax(np.abs(scores)),
                "The signs are dropped before np.exp: a score of −3 would count like 3."
                " Leave them; e to the power of a negative score is small.",
            ),
            Wrong(
                lambda scores: softmax(scores / scores.max()),
                "The scores are divided by the largest before np.exp, which levels the"
                " shares. Take np.exp of the scores as they are.",
            ),
            Wrong(
                lambda scores: 2.0**scores / (2.0**scores).sum(),
                "The base is 2 here. Softmax takes e: np.exp.",
            ),
            Wrong(
                lambda scores: scores / scores.max(),
                "This divides by the largest score. Take np.exp of each score, then"
                " divide by the sum.",
            ),
            Wrong(
                lambda scores: np.exp(scores) / np.exp(scores).max(),
                "This divides by the largest exponential, so the shares do not sum to"
                " 1. Divide by the sum.",
            ),
            Wrong(
                np.exp,
                "These are the exponentials. Divide them by their sum, so that the"
                " shares sum to 1.",
            ),
            Wrong(
                lambda scores: np.exp(scores) / len(scores),
                "This divides by how many scores there are. Divide by the sum of the"
                " exponentials.",
            ),
            Wrong(
                lambda scores: np.exp(scores) / scores.sum(),
                "This divides by the sum of the scores. Divide by the sum of the"
                " exponentials.",
            ),
            Wrong(
                lambda scores: scores / np.exp(scores).sum(),
                "The exponential is missing above the line: np.exp(scores) is divided"
                " by its own sum.",
            ),
            Wrong(
                lambda scores: np.exp(-scores) / np.exp(-scores).sum(),
                "The sign is turned round: the smallest score gets the largest share.",
            ),
            Wrong(
                lambda scores: scores**2 / (scores**2).sum(),
                "This squares the scores, so −3 would count like 3. Take np.exp.",
            ),
            Wrong(
                lambda scores: np.log(softmax(scores)),
                "These are logarithms of the shares. Leave np.log out.",
            ),
            Wrong(
                lambda scores: 1 / (1 + np.exp(-scores)),
                "This is the sigmoid, each score by itself. Shares are divided by the"
                " sum over all scores.",
            ),
            Wrong(
                lambda scores: (scores == scores.max()) * 1.0,
                "The largest score takes everything here. Softmax leaves every score a"
                " share.",
            ),
            Wrong(
                lambda scores: softmax(softmax(scores)),
                "This is the softmax of the softmax. Once is enough.",
            ),
        ),
    ),
)

BANK = examples["bank"].embeddings
EXERCISES: tuple[Exercise, ...] = (dot_product(BANK[2], BANK[4]), *FUNCTIONS)
