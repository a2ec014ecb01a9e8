"""Numbers, labels and tables as people read them."""

import json
import math
import unicodedata
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from playwright.sync_api import Page

from attention_helpers.text import fewest_decimals, label, number, plain_numbers, table

BELOW_LARGE = st.floats(-99999, 99999) | st.integers(-(10**7), 10**7).map(
    lambda n: n / 1000  # ends in 5 every now and then, exactly or nearly
)


def rounded(x: float, decimals: int) -> Fraction:
    """Round the exact value, ties away from zero, with whole numbers only."""
    size = abs(Fraction(x))
    whole = math.floor(size * 10**decimals + Fraction(1, 2))
    return Fraction(whole, 10**decimals) * (-1 if x < 0 else 1)


@given(x=BELOW_LARGE, decimals=st.integers(0, 8))
@example(x=0.125, decimals=2)
@example(x=-0.125, decimals=2)
@example(x=1.005, decimals=2)  # below the tie, since 1.005 is no float64
@example(x=-0.004, decimals=2)
@example(x=5e-324, decimals=8)
@example(x=-0.1, decimals=60)
def test_a_number_is_its_exact_value_rounded_with_ties_away_from_zero(x, decimals):
    written = number(x, decimals)
    value = Fraction(written.replace("−", "-"))
    assert value == rounded(x, decimals)
    assert len(written.partition(".")[2]) == decimals
    assert written.startswith("−") == (value < 0), "there is no −0.00"
    assert "-" not in written, "people read a real minus sign"


@given(x=st.floats(1e5, 1.7e308), negative=st.booleans())
@example(x=1e5, negative=False)
@example(x=99.5e5, negative=True)
@example(x=1.25e20, negative=False)
def test_a_large_number_has_two_digits_and_an_exponent(x, negative):
    written = number(-x if negative else x)
    assert written.startswith("−") == negative
    mantissa, exponent = written.lstrip("−").split("e+")
    assert len(mantissa) == 3
    assert mantissa[0] != "0"
    unit = Fraction(10) ** (int(exponent) - 1)
    assert abs(Fraction(mantissa) * 10 * unit - Fraction(x)) <= unit / 2
    assert str(int(exponent)) == exponent


def test_the_cases_that_rounding_rules_disagree_about():
    written = [
        number(x) for x in (0.125, 0.375, -0.625, 2.5e-3, -1e-9, -0.0, 99999.999)
    ]
    assert written == ["0.13", "0.38", "−0.63", "0.00", "0.00", "0.00", "100000.00"]
    assert number(2.5, 0) == "3"
    assert number(-12345678901234) == "−1.2e+13"
    assert number(1.25e20) == "1.3e+20"


def test_what_is_no_number_is_said_in_words_or_signs():
    assert number(math.nan) == "undefined"
    assert number(math.inf) == "∞"
    assert number(-math.inf) == "−∞"


def test_javascript_writes_the_same_numbers(page: Page):
    rng = np.random.default_rng(0)
    ties = rng.integers(-(10**6), 10**6, 1000) / 8
    sizes = rng.normal(size=2000) * 10.0 ** rng.integers(-8, 300, 2000)
    numbers = [*ties.tolist(), *sizes.tolist(), 0.0, -0.0, 1e5, -1e5, 99999.996]
    for decimals in (0, 2, 4):
        theirs = page.evaluate(
            """([numbers, decimals]) => numbers.map((x) => Math.abs(x) < 100000
                ? x.toFixed(decimals) : x.toExponential(1))""",
            [json.loads(json.dumps(numbers)), decimals],
        )
        expected = [text if text.strip("-0.") else text.lstrip("-") for text in theirs]
        ours = [number(x, decimals).replace("−", "-") for x in numbers]
        assert ours == expected


@given(st.lists(BELOW_LARGE, min_size=1, max_size=6), st.integers(0, 5))
def test_the_fewest_decimals_lose_nothing_and_one_less_would(numbers, most):
    fewest = fewest_decimals(numbers, most)
    full = [rounded(x, most) for x in numbers]
    assert fewest <= most
    assert [rounded(x, fewest) for x in numbers] == full
    if fewest:
        assert [rounded(x, fewest - 1) for x in numbers] != full


def test_a_table_prints_whole_numbers_as_whole_numbers():
    assert table([[0, 2], [-13, 1]], ["coins", "by"], ["wet", "rich"]) == (
        "       wet  rich\n"
        "coins    0     2\n"
        "by     −13     1"
    )  # fmt: skip


def test_a_table_shows_four_decimals_where_they_are_needed():
    assert table([[1 / 3, 0.5]]).splitlines()[1] == "0  0.3333  0.5000"
    assert table([[0.25, 0.5]]).splitlines()[1] == "0  0.25  0.50"
    assert table([[0.25, 0.5]], decimals=1).splitlines()[1] == "0  0.3  0.5"


def test_a_hidden_cell_never_prints_its_number():
    text = table([[1, 7.125], [-np.inf, 3]], mask=[[True, False], [False, True]])
    assert text.splitlines()[1:] == ["0   1  ·", "1  −∞  3"]


def test_undefined_infinite_and_large_numbers_do_not_add_decimals():
    text = table([[np.nan, np.inf, 123456.789, 2]])
    assert text.splitlines()[1] == "0  undefined  ∞  1.2e+5  2"


def columns_of(text: str) -> int:
    """Count columns of a terminal, for the scripts tried below."""
    return sum(
        0 if c == "\u200e" else 1 + (unicodedata.east_asian_width(c) == "W")
        for c in text
    )


def test_columns_stay_aligned_whatever_the_labels_hold():
    rows = ["日本", "a", "שלום", "😀", "two\nlines", "x" * 500]
    lines = table(np.eye(6), rows, rows).split("\n")
    assert len(lines) == 7
    assert len({columns_of(line) for line in lines}) == 1


@given(st.text() | st.text(st.characters(categories=("Cc", "Cf", "Cs", "Zl", "Zp"))))
def test_a_label_is_one_printable_line(text):
    shown = label(text)
    assert len(shown) <= 41
    shown.encode("utf-8")
    assert len(f"<{shown}>".splitlines()) == 1
    assert not any(unicodedata.category(c) == "Cc" for c in shown)
    assert not any(c in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068" for c in shown)


def test_ordinary_labels_are_left_alone():
    for text in (
        "bank",
        "$x$",
        "\\frac",
        "a_b",
        "<b>",
        "naïve",
        "日本",
        "👩‍👩‍👧",
        "x₁",
    ):
        assert label(text) == text


def test_control_characters_are_visible():
    assert label("a\nb\tc\x00d\x85e\u202ef\ud800") == "a␊b␉c␀d�e�f�"


def test_numbers_after_a_right_to_left_word_keep_their_order():
    line = table([[1, 2]], ["שלום"], ["a", "b"]).splitlines()[1]
    assert line.startswith("שלום\u200e"), "a mark ends the right-to-left run"


def test_a_long_label_ends_in_an_ellipsis():
    assert label("a" * 41) == "a" * 39 + "…"
    assert label("a" * 40) == "a" * 40
    assert label("abcdef", 4) == "abc…"


def test_labels_must_be_as_many_as_rows_and_columns():
    with pytest.raises(ValueError, match="zip"):
        table([[1, 2]], rows=["a", "b"])


# ---- what Python prints of NumPy's numbers ----


def test_plain_numbers_prints_numbers_as_numbers():
    with np.printoptions():
        plain_numbers()
        assert repr((np.float64(0.5), np.int64(2))) == "(0.5, 2)"
        assert repr(np.array([1 / 3, 1e-9])) == "array([0.333, 0.   ])"
        assert repr(np.array([True])) == "array([ True])"
        plain_numbers(8)
        assert repr(np.array([1 / 3])) == "array([0.33333333])"


@pytest.mark.parametrize("decimals", [-1, 18, 2.5, "3", True, None])
def test_plain_numbers_refuses_in_words(decimals):
    with pytest.raises(ValueError, match=r"decimals is .*; expected a whole number"):
        plain_numbers(decimals)
