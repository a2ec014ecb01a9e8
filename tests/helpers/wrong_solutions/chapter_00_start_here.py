"""Answers to the exercises of chapter 0."""

import numpy as np

from .notes import RIGHT, WRONG

RIGHT["dot product"] = [11, 11.0, np.int8(11), np.float32(11)]
WRONG["dot product"] = [
    (16, ["0 × 5 is 0"]),
    (15, ["adds up all six"]),
    (50, ["multiplies the two sums"]),
    ([8, 0, 3], ["three products", "Add them up"]),
    (np.array([8, 0, 3]), ["three products"]),
    ([6, 5, 4], ["sums, place by place"]),
    (120, ["multiplies the sums"]),
    (0, ["six numbers multiplied give 0"]),
    (8, ["first product is 8"]),
    (14, ["from its end"]),
    (99, ["Multiply the numbers in the same place"]),
    ("11", ["quotation marks"]),
]

RIGHT["table times table"] = [
    [[10, 11], [12, 15]],
    np.array([[10, 11], [12, 15]]),
    ((10.0, 11.0), (12.0, 15.0)),
]
WRONG["table times table"] = [
    ([[2, 2], [0, 15]], ["number by number"]),
    ([[2, 7], [4, 23]], ["second table times the first"]),
    ([[4, 14], [3, 15]], ["rows with rows"]),
    ([[2, 1], [16, 17]], ["columns with columns"]),
    ([[10, 12], [11, 15]], ["Rows and columns are swapped"]),
    ([[3, 3], [4, 8]], ["adds the tables"]),
    ([[10, 11], [12, 14]], ["Every row meets every column"]),
    ([10, 11, 12, 15], ["4 numbers in one row"]),
    (10, ["one number"]),
    ([[10, 11], [12]], ["rows of different lengths"]),
]
