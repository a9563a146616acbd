import pytest

from ui.protocol.values import Money, written


@pytest.mark.parametrize(
    ("cents", "money", "expected"),
    [
        (0, Money(), "0.00 €"),
        (5, Money(), "0.05 €"),
        (123_450, Money(), "1,234.50 €"),
        (123_450, Money(decimal=",", thousands="."), "1.234,50 €"),
        (100_000_000, Money(symbol="$", symbol_first=True), "$ 1,000,000.00"),
        (-250, Money(), "-2.50 €"),
    ],
)
def test_amounts_are_written_as_the_cabinet_is_configured(cents: int, money: Money, expected: str) -> None:
    """Every amount shows all its cents, in the configured form."""
    assert written(cents, money) == expected
