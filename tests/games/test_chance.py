"""Exact probabilities from drawn digits."""

from fractions import Fraction

import pytest

from gamekit.chance import happens
from tests.games.table import Script

DIGIT = 2**32


@pytest.mark.parametrize(
    ("chance", "draws", "result"),
    [
        (Fraction(1, 2), [DIGIT // 2 - 1], True),
        (Fraction(1, 2), [DIGIT // 2], False),
        (Fraction(1, 3), [DIGIT // 3 - 1], True),
        (Fraction(1, 3), [DIGIT // 3 + 1], False),
        (Fraction(1, 3), [DIGIT // 3, DIGIT // 3, 0], True),
        (Fraction(3, DIGIT**2), [0, 2], True),
        (Fraction(3, DIGIT**2), [0, 3], False),
        (Fraction(1), [], True),
        (Fraction(0), [], False),
    ],
)
def test_digits_are_drawn_until_one_differs(chance: Fraction, draws: list[int], result: bool) -> None:  # noqa: FBT001  # a table
    """The drawn number, read digit by digit, lies below the fraction or not; nothing is drawn beyond that."""
    script = Script(draws)
    assert result == happens(script, chance)
    assert script.spent


def test_a_fraction_of_one_digit_happens_exactly_as_often_as_it_says() -> None:
    """Of all first digits, exactly those below the chance's own make it happen."""
    chance = Fraction(77_114_929, 1_000_000_000)
    digit = int(chance * DIGIT)
    assert [happens(Script([digit + shift, 0, 0]), chance) for shift in (-1, 1)] == [True, False]


@pytest.mark.parametrize("chance", [Fraction(-1, 2), Fraction(3, 2)])
def test_what_is_no_probability_is_refused(chance: Fraction) -> None:
    """Below 0 and above 1 is an error, and nothing is drawn."""
    script = Script([])
    with pytest.raises(ValueError, match="is no probability"):
        happens(script, chance)
    assert script.bounds == []
