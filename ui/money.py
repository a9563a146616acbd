"""How amounts are written: integer cents in, the cabinet's way of writing money out."""

from games.most import most_cents
from ui.messages import Bet, Money


def grouped(number: int, thousands: str) -> str:
    """Return `number` with `thousands` between its groups of three digits."""
    return f"{number:,}".replace(",", thousands)


def written(cents: int, money: Money) -> str:
    """Return `cents` as the cabinet writes money: `1,234.50 €`."""
    whole, rest = divmod(abs(cents), 100)
    amount = f"{'-' if cents < 0 else ''}{grouped(whole, money.thousands)}{money.decimal}{rest:02d}"
    return f"{money.symbol} {amount}" if money.symbol_first else f"{amount} {money.symbol}"


def most_won(game: str, bet: Bet, money: Money) -> str:
    """Return the most that one spin of `game` can win at `bet`, as `written`; raise `KeyError` for a bet it has not."""
    lines, coins, value = bet.lines, bet.coins_per_line, bet.coin_value_cents
    return written(most_cents(game, lines=lines, coins_per_line=coins, coin_value_cents=value), money)
