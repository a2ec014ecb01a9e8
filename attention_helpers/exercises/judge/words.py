"""Python's errors in words."""

from __future__ import annotations

import re

_PRODUCT = (
    "A matrix product needs as many columns on its left as rows on its right. Here the"
    " left has {0} and the right has {1}."
)
_ONE_NUMBER = "One number stands where a row or a table is needed."
_LIST = "A plain list cannot do that. Make it an array first: np.array(...)."
UNFILLED = (
    "A ... is still left in something that this function uses, such as an earlier"
    " answer. Fill it first."
)
_WORDS = (
    (r"'ellipsis'|'Ellipsis'", UNFILLED),
    (r"not aligned: (\d+) \(dim \d+\) != (\d+) ", _PRODUCT),
    (r"\(size (\d+) is different from (\d+)\)", _PRODUCT.format("{1}", "{0}")),
    (
        r"enough dimensions",
        "@ takes rows and tables. Here one of the two is a single number.",
    ),
    (
        r"could not broadcast input array from shape (\(.*?\)) into shape (\(.*?\))",
        "Something of size {0} is put into a place of size {1}: the table that is"
        " filled was made for another size.",
    ),
    (
        r"could not be broadcast .*shapes (\(.+?\)) (\(.*?\)) \1$"
        r"|non-broadcastable output",
        "The result does not fit into the row or table that it is added to.",
    ),
    (
        r"could not be broadcast .*remapped shapes",
        "In einsum a letter stands for one size everywhere. Here one stands for two.",
    ),
    (
        r"could not be broadcast .*shapes? (.*)",
        "Working number by number needs tables of the same size, or one number a"
        " column. Here the sizes are {0}.",
    ),
    (
        r"setting an array element with a sequence",
        "A row is put where one number fits, or the rows have different lengths.",
    ),
    (
        r"^UnboundLocalError: .*variable '(\w+)'",
        "{0} is used before it has a value in this function: start it here, in a line"
        " before, even if the notebook has something of that name.",
    ),
    (
        r"^NameError: name '(\w+)' is not defined",
        "Nothing is called {0} here: a slip in the name, or a cell above that has not"
        " been run.",
    ),
    (
        r"AxisError: axis (-?\d+) is out of bounds",
        "There is no axis {0} here. axis=-1 always means along a row.",
    ),
    (
        r"^IndexError: index (-?\d+) is out of bounds|^IndexError: index (-?\d+) out",
        "There is no place {0}: places are counted from 0.",
    ),
    (
        r"^IndexError: too many indices",
        "More places are asked for than there are axes: a row takes one index, a table"
        " two.",
    ),
    (
        r"^IndexError: boolean index did not match",
        "The mask that picks places has another size than the table.",
    ),
    (
        r"^IndexError: (only integers|arrays used as indices)"
        r"|indices must be integers|integer scalar arrays can be converted",
        "A place is asked for by something that is no whole number.",
    ),
    (r"^IndexError", "A place is asked for that is not there."),
    (r"^KeyError: (.*)", "There is no entry {0} to look up."),
    (r"^ValueError: (.*) is not in (?:list|tuple)", "{0} is not in that list."),
    (
        r"zero-size array|empty sequence|argument is empty|has shape \(0,\)",
        "A slice is empty here, so it has no largest number. rows[:0] holds nothing;"
        " rows[: i + 1] goes up to row i and includes it.",
    ),
    (
        r"Cannot cast ufunc '\w+' output from .*float.* to .*int",
        "A table of whole numbers cannot take fractions. Start from np.zeros(...),"
        " which holds fractions.",
    ),
    (
        r"cannot convert float (?:infinity|NaN) to integer",
        "A table of whole numbers can hold neither −∞ nor NaN.",
    ),
    (
        r"ufunc 'invert' not supported|bad operand type for unary ~",
        "~ turns True and False round, and here it is given numbers. Make the table"
        " with dtype=bool.",
    ),
    (
        r"boolean (subtract|negative)",
        "Minus does not work on True and False. ~mask turns a mask round.",
    ),
    (
        r"only length-1 arrays|only 0-dimensional arrays|only size-1 arrays",
        "A function for one number was given many. np.exp takes a whole row; math.exp"
        " does not.",
    ),
    (
        r"'axis'.*\b(sum|max|min)\(\)|\b(sum|max|min)\(\) .*'(?:axis|keepdims)'",
        "Python's own sum, max and min know no axis. NumPy's do: np.sum(..., axis=-1).",
    ),
    (
        r"unexpected keyword argument '(\w+)'",
        "There is no option {0} here: perhaps a slip, as keepdim for keepdims.",
    ),
    (
        r"^TypeError: (\w[\w.]*)\(\) (?:takes|missing) ",
        "{0} is called with more or fewer arguments than it takes. In a class, self is"
        " the first one.",
    ),
    (
        r"^OverflowError: math range error",
        "math.exp gives up: e to the power of such a score is larger than any float.",
    ),
    (r"math domain error", "The root or logarithm of a number that has none."),
    (
        r"can't multiply sequence by non-int",
        "A plain list times a number repeats the list. Make it an array first:"
        " np.array(...).",
    ),
    (
        r"'builtin_function_or_method'|'method'|'function'",
        "A function stands where its result is meant: the brackets () are missing, as"
        " in exponentials.sum().",
    ),
    (
        r"(?:unsupported|bad) operand .*'list'|(?<!type )'list' object has no"
        r"|not 'list'",
        _LIST,
    ),
    (
        r"unsupported operand .*'generator'",
        "NumPy takes no numbers that come one by one. Put [ ] around them, so that they"
        " are a list.",
    ),
    (
        r"'NoneType'",
        "Something here is None: perhaps a function of yours has no return.",
    ),
    (
        r"truth value of an (?:array|empty)",
        "A whole array stands where one True or False is needed: .any() or .all(), or"
        " np.allclose.",
    ),
    (
        r"'numpy.ndarray' object is not callable",
        "Brackets () stand after an array. .T takes none, a place in a table takes [],"
        " and a product needs its * or @.",
    ),
    (
        r"'([\w.]+)' object is not callable",
        "Brackets () stand after something that is no function, but {0}: perhaps a * is"
        " missing, or [] was meant.",
    ),
    (
        r"^TypeError: '([A-Z]\w*)' object is not (?:iterable|subscriptable)",
        "{0} is no table: what it holds has names, which stand after a dot.",
    ),
    (r"object is not (iterable|subscriptable)|has no len\(\)", _ONE_NUMBER),
    (
        r"module '(\w+)' has no attribute '(\w+)'",
        "{0} has nothing called {1}: a slip in the name.",
    ),
    (
        r"^AttributeError: .*has no attribute '(\w+)'",
        "Nothing called {0} belongs to it: a slip in the name, or another kind of thing"
        " than you think.",
    ),
    (
        r"(?:too many|not enough) values to unpack",
        "Left of the = stand more or fewer names than values come from its right.",
    ),
    (
        r"scores is -inf all along the axis",
        "A row has nothing left to look at: all its scores are −∞. A word may look at"
        " itself, so True stays on the diagonal.",
    ),
    (
        r"scores holds NaN or \+inf",
        "The scores hold NaN or +∞ here. 0 times infinity is NaN, and so is the root of"
        " a negative number, or its logarithm.",
    ),
    (
        r"read-only",
        "This table cannot be changed, and another name for it is no copy. Take a"
        " .copy() and change that.",
    ),
    (r"^ZeroDivisionError", "Something is divided by 0."),
    (
        r"^AssertionError",
        "An assert does not hold. Fractions are seldom exactly equal: np.isclose(...)"
        " compares them.",
    ),
    (r"^RecursionError", "The function calls itself without end."),
    (r"^SystemExit", "The function ends Python: take exit or quit out."),
)
AT_THE_CALL = (
    "It comes in when the object is called: use it there, under the name that stands in"
    " the brackets."
)
_IN_A_CLASS = (
    (
        r"^NameError: name '(W_\w+)' is not defined",
        "Inside a class, what __init__ has kept is called self.{0}, with its self.",
    ),
    (
        r"^AttributeError: .*object has no attribute '(W_\w+)'",
        "The object has no {0}: __init__ has to keep it, self.{0} = {0}.",
    ),
    (
        r"^AttributeError: '[A-Z]\w*' object has no attribute '(embeddings)'",
        f"Nothing has kept {{0}} in self. {AT_THE_CALL}",
    ),
    (
        r"^TypeError: (\w+)\(\) takes no arguments$",
        "{0} has no __init__ that takes the matrices: two underscores stand on each"
        " side of init.",
    ),
)


def in_words(said: str, *, in_class: bool = False) -> str:
    """Say an error for people; return "" where there are no better words."""
    for pattern, words in (*(_IN_A_CLASS if in_class else ()), *_WORDS):
        if found := re.search(pattern, said):
            groups = (group for group in found.groups() if group is not None)
            return str(words).format(*groups)
    return ""
