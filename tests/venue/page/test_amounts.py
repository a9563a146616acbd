"""Amounts that are typed: as either language writes them, and none that could be read in two ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venue.page.periods import amount_cents


@pytest.mark.parametrize(
    ("typed", "cents"),
    [
        *(
            ("1234", 123_400),
            ("1234.5", 123_450),
            ("1.234,50", 123_450),
            ("1,234.50", 123_450),
            ("0,05", 5),
            ("-7", -700),
        ),
        *(("1 234,50", 123_450), ("1'234.50", 123_450), ("1.234.567", 123_456_700), ("1,234,567.8", 123_456_780)),
        *(("12345,67", 1_234_567), ("0", 0), ("007", 700)),
    ],
)
def test_an_amount_is_read(typed: str, cents: int) -> None:
    """With or without groups, with one or two digits of cents."""
    assert amount_cents(typed) == cents


@pytest.mark.parametrize(
    "typed",
    [
        "0.005",
        "12.345",
        "1,234",
        "1.23,45.6",
        "1.234.5",
        "1.234.567.8",
        "12,34,56",
        "",
        "-",
        ".",
        ",5",
        "1e3",
        "1" * 13,
        "\u0661",
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(typed: str) -> None:
    """Neither thousandths nor a guess."""
    assert amount_cents(typed) is None


@given(st.integers(-(10**13), 10**13), st.sampled_from([",.", ".,"]))
def test_a_written_amount_is_read_back(cents: int, signs: str) -> None:
    """What the page writes, with groups and two digits, in either language."""
    whole, part = divmod(abs(cents), 100)
    written = f"{whole:,}".replace(",", signs[0]) + f"{signs[1]}{part:02d}"
    assert amount_cents(f"-{written}" if cents < 0 else written) == cents
