"""How amounts are written: integer cents in, the cabinet's way of writing money out."""

from controller.domain import Money


def grouped(number: int, thousands: str) -> str:
    """Return `number` with `thousands` between its groups of three digits."""
    return f"{number:,}".replace(",", thousands)


def written(cents: int, money: Money) -> str:
    """Return `cents` as the cabinet writes money: `1,234.50 €`."""
    whole, rest = divmod(abs(cents), 100)
    amount = f"{'-' if cents < 0 else ''}{grouped(whole, money.thousands)}{money.decimal}{rest:02d}"
    return f"{money.symbol} {amount}" if money.symbol_first else f"{amount} {money.symbol}"
