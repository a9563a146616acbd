"""Totals of all settled rounds: by bet, by day and by the size of their wins (`totals_schema`)."""

from typing import NamedTuple

from controller.journal.totals_schema import BEYOND, WIN_SIZES
from controller.journal.transaction import Transaction
from ui.protocol.values import Bet


class BetTotal(NamedTuple):
    """All rounds of one bet of one game, in one version of its mathematics."""

    game: str
    maths_version: int
    bet: Bet
    price: int
    games: int
    stakes_cents: int
    wins_cents: int

    @property
    def bet_cents(self) -> int:
        """The price of one round."""
        return self.bet.cents * self.price


class DayTotal(NamedTuple):
    """One day by the cabinet's clock (`2026-11-22`); a void round is subtracted on the day it was voided."""

    day: str
    games: int
    stakes_cents: int
    wins_cents: int
    coins_cents: int
    notes_cents: int


def by_bet(tx: Transaction) -> list[BetTotal]:
    """Return the totals of all bets that were ever played."""
    rows = tx.execute(
        "SELECT game, maths_version, lines, coins_per_line, coin_value_cents, price, games, stakes_cents, wins_cents"
        " FROM bet_totals"
    )
    return [
        BetTotal(game, version, Bet(lines, coins, value), *figures)
        for game, version, lines, coins, value, *figures in rows
    ]


def days(tx: Transaction, most: int) -> list[DayTotal]:
    """Return at most `most` days that have totals, newest first."""
    rows = tx.execute(
        "SELECT day, games, stakes_cents, wins_cents, coins_cents, notes_cents FROM day_totals ORDER BY day DESC"
        " LIMIT ?",
        (most,),
    )
    return [DayTotal(*row) for row in rows]


def win_sizes(tx: Transaction) -> dict[int, int]:
    """Return the number of rounds by the size of their win: each of `WIN_SIZES` times the stake, or more (`BEYOND`)."""
    counted = dict(tx.execute("SELECT size, games FROM win_sizes").fetchall())
    return {size: counted.get(size, 0) for size in (*WIN_SIZES, BEYOND)}


def games_since(tx: Transaction, code: str, place: str) -> int:
    """Return how many rounds were staked since the last event with this code and place (M6)."""
    (games,) = tx.execute(
        "SELECT coalesce((SELECT value FROM meters WHERE name = 'games'), 0)"
        " - coalesce((SELECT games FROM newest_events WHERE code = ? AND place = ?), 0)",
        (code, place),
    ).fetchone()
    return int(games)
