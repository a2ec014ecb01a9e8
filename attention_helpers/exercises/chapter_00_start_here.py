"""Two warm-ups for the start page."""

from __future__ import annotations

from .judge import Blank, Wrong

EXERCISES = (
    Blank(
        name="dot product",
        asks="the dot product of [2, 0, 3] and [4, 5, 1]",
        returns="one number",
        right=2 * 4 + 0 * 5 + 3 * 1,
        nudge="Multiply the numbers in the same place, then add up the products.",
        wrong=(
            Wrong(16, "One 5 too many: 0 × 5 is 0, a zero wipes its partner out."),
            Wrong(
                15,
                "This adds up all six numbers. Multiply the numbers that stand in the"
                " same place, then add up the products.",
            ),
            Wrong(
                50,
                "This adds up each list and multiplies the two sums. Multiply first,"
                " place by place, then add.",
            ),
            Wrong(
                [8, 0, 3], "These are the three products. Add them up to one number."
            ),
            Wrong(
                [6, 5, 4],
                "These are sums, place by place. Multiply in each place, then add up.",
            ),
            Wrong(
                120,
                "This adds in each place and multiplies the sums. It is the other way"
                " round: multiply in each place, then add.",
            ),
            Wrong(0, "All six numbers multiplied give 0. Add up the three products."),
            Wrong(8, "The first product is 8. Add the other two."),
            Wrong(
                14,
                "One list was read from its end. The first number goes with the first,"
                " the second with the second.",
            ),
        ),
    ),
    Blank(
        name="table times table",
        asks="[[1, 2], [0, 3]] times [[2, 1], [4, 5]]",
        returns="a table of 2 rows × 2 columns, such as [[0, 0], [0, 0]]",
        right=[[10, 11], [12, 15]],
        nudge="Row 0, column 0 of the result is the dot product of the first table's"
        " row 0 with the second table's column 0. Every row meets every column.",
        wrong=(
            Wrong(
                [[2, 2], [0, 15]],
                "This multiplies number by number. Take dot products: every row of the"
                " first table with every column of the second.",
            ),
            Wrong(
                [[2, 7], [4, 23]],
                "This is the second table times the first. The order matters: the rows"
                " come from the first table.",
            ),
            Wrong(
                [[4, 14], [3, 15]],
                "This takes rows with rows. Take rows of the first table with columns"
                " of the second.",
            ),
            Wrong(
                [[2, 1], [16, 17]],
                "This takes columns with columns. Take rows of the first table with"
                " columns of the second.",
            ),
            Wrong(
                [[10, 12], [11, 15]],
                "Rows and columns are swapped in the result: row 0 of the first table"
                " makes row 0 of the result.",
            ),
            Wrong(
                [[3, 3], [4, 8]],
                "This adds the tables. Take dot products of rows with columns.",
            ),
        ),
    ),
)
