"""M.3: stakes, wins and actual return of each game and bet, beside the theoretical return (M5)."""

from collections.abc import Iterable, Sequence

from controller.journal.totals import BetTotal, by_bet
from controller.journal.transaction import Transaction
from controller.service.page import Line, Page, of_books
from controller.service.past_rounds import title_of
from gamekit.figures import theoretical_return

BOUGHT, PLAYED, GAMES = "Bought at {place}", "Lines and coins: {place}", "games"
MOST = 200
"""The most bets that a page lists: those played most."""


def percent(part: int, whole: int) -> str:
    """Return a share in percent with two decimals, computed in integers."""
    hundredths = part * 10_000 // whole
    return f"{hundredths // 100}.{hundredths % 100:02} %"


def _in_theory(totals: Iterable[BetTotal]) -> str:
    """Return the theoretical return of these bets, weighted by their stakes; empty if unknown."""
    weighted = stakes = 0
    for total in totals:
        share = theoretical_return(
            total.game, lines=total.bet.lines, coins_per_line=total.bet.coins_per_line, price=total.price
        )
        if share is not None:
            weighted, stakes = weighted + share * total.stakes_cents, stakes + total.stakes_cents
    return percent(weighted, 100_000_000 * stakes) if stakes else ""


def _games(tx: Transaction) -> Sequence[Line]:
    totals = by_bet(tx)
    lines: list[Line] = []
    for number, game in enumerate(sorted({total.game for total in totals}), start=1):
        own = [total for total in totals if total.game == game]
        lines += [_heading(title_of(game), own, leads=_game(number, game)), *_sums(own)]
    return lines or (Line("No game was played yet"),)


def _game(number: int, game: str) -> Page:
    """Return the page of one game: its coin values, each with a link to its bets."""

    def lines(tx: Transaction) -> Sequence[Line]:
        own = [total for total in by_bet(tx) if total.game == game]
        rows = [_heading(title_of(game), own), *_sums(own)]
        for place, cents in enumerate(sorted({total.bet.coin_value_cents for total in own}), start=1):
            of_value = [total for total in own if total.bet.coin_value_cents == cents]
            leads = _coin_value(f"M.3.{number}.{place}", game, cents)
            rows += [Line("Coin value", cents=cents, tone="heading", leads=leads), *_sums(of_value)]
        return rows

    return of_books(f"M.3.{number}", "By coin value", lines)


def _coin_value(code: str, game: str, cents: int) -> Page:
    """Return the page of one coin value of a game: the actual and theoretical return of each bet."""

    def lines(tx: Transaction) -> Sequence[Line]:
        own = [total for total in by_bet(tx) if (total.game, total.bet.coin_value_cents) == (game, cents)]
        own.sort(key=lambda total: -total.games)
        return [Line("Returned / in theory, games and bet", tone="heading"), *map(_bet, own[:MOST])]

    return of_books(code, "By bet", lines)


def _bet(total: BetTotal) -> Line:
    returned = f"{percent(total.wins_cents, total.stakes_cents)} / {_in_theory([total]) or '?'}"
    bet = f"{total.bet.lines} \u00d7 {total.bet.coins_per_line}"
    return Line(BOUGHT if total.price > 1 else PLAYED, returned, count=total.games, cents=total.bet_cents, place=bet)


def _heading(words: str, totals: Sequence[BetTotal], *, leads: Page | None = None) -> Line:
    return Line(words, GAMES, count=sum(total.games for total in totals), tone="heading", leads=leads)


def _sums(totals: Sequence[BetTotal]) -> Sequence[Line]:
    staked, won = sum(total.stakes_cents for total in totals), sum(total.wins_cents for total in totals)
    return (
        Line("Staked", cents=staked),
        Line("Won", cents=won),
        Line("Returned", percent(won, staked)),
        Line("Returned in theory", _in_theory(totals) or "?"),
    )


PAGES = (of_books("M.3", "By game and by bet", _games),)
