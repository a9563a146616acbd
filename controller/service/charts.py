"""M.6: charts by day and by size of win; the display draws the page's rows as bars."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from controller.journal.totals import DayTotal, days, win_sizes
from controller.journal.totals_schema import BEYOND, WIN_SIZES
from controller.journal.transaction import Transaction
from controller.service.page import Line, Page, of_books

DAYS = 31
"""The most days in a chart, newest first, including days without play."""
NOTHING = "Nothing was counted yet"
STAKES, WINS, GAMES, MONEY = "Stakes by day", "Wins by day", "Games by day", "Money in by day"
SIZES = "Games by win (times the stake)"


def _of_days(number: int, title: str, figure: Callable[[DayTotal], int], *, money: bool = True) -> Page:
    def lines(tx: Transaction) -> Sequence[Line]:
        known = {total.day: figure(total) for total in days(tx, DAYS)}
        if not known:
            return (Line(NOTHING),)
        newest = date.fromisoformat(max(known))
        shown = [(newest - timedelta(days=back)).isoformat() for back in range(DAYS)]
        while shown[-1] not in known:  # days before the first play are left out
            shown.pop()
        figures = ((day, known.get(day, 0)) for day in shown)
        return [Line(day, cents=value) if money else Line(day, count=value) for day, value in figures]

    return of_books(f"M.6.{number}", title, lines, chart=True)


def _sizes(tx: Transaction) -> Sequence[Line]:
    names = {size: f"\u2264 {size} \u00d7" for size in WIN_SIZES} | {0: "0", BEYOND: f"> {WIN_SIZES[-1]} \u00d7"}
    return [Line(names[size], count=games) for size, games in win_sizes(tx).items()]


def _charts(_tx: Transaction) -> Sequence[Line]:
    charts = (
        _of_days(1, STAKES, lambda day: day.stakes_cents),
        _of_days(2, WINS, lambda day: day.wins_cents),
        _of_days(3, GAMES, lambda day: day.games, money=False),
        _of_days(4, MONEY, lambda day: day.coins_cents + day.notes_cents),
        of_books("M.6.5", SIZES, _sizes, chart=True),
    )
    return [Line(chart.title, leads=chart) for chart in charts]


PAGES = (of_books("M.6", "Charts", _charts),)
