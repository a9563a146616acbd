"""Values shared by supervisor and display: the money format, a bet, a payout, a past round, volumes."""

import re
from datetime import UTC, datetime

import msgspec


class Money(msgspec.Struct, frozen=True):
    """The cabinet's money format: `1.234,50 €` has symbol `€`, decimal `,`, thousands `.`, symbol last."""

    symbol: str = "€"
    decimal: str = "."
    thousands: str = ","
    symbol_first: bool = False


def grouped(number: int, thousands: str) -> str:
    """Return `number` with `thousands` between its groups of three digits."""
    return f"{number:,}".replace(",", thousands)


def written(cents: int, money: Money) -> str:
    """Return `cents` in the cabinet's money format: `1,234.50 €`."""
    whole, rest = divmod(abs(cents), 100)
    amount = f"{'-' if cents < 0 else ''}{grouped(whole, money.thousands)}{money.decimal}{rest:02d}"
    return f"{money.symbol} {amount}" if money.symbol_first else f"{amount} {money.symbol}"


USUAL_DATES = "yyyy-mm-dd"
"""The default format of days, also used in the books."""
_DAY = re.compile(r"^(\d{4})-(\d\d)-(\d\d)(?=$|[ ,])")


def moment(at_ms: int, *, seconds: bool = True) -> str:
    """Return a time of the books (milliseconds since 1970) in local time: `2026-11-21 23:36:05`."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone().strftime(f"%Y-%m-%d %H:%M{':%S' * seconds}")


def dated(words: str, dates: str) -> str:
    """Return `words` with the day at their start (`2026-11-21`) in the cabinet's format: `dd/mm/yy`."""
    found = _DAY.match(words)
    if found is None:
        return words
    year, month, day = found.groups()
    for letters, figures in (("yyyy", year), ("yy", year[2:]), ("mm", month), ("dd", day)):
        dates = dates.replace(letters, figures)
    return dates + words[found.end() :]


class Bet(msgspec.Struct, frozen=True):
    """The bet that SPIN would stake."""

    lines: int
    coins_per_line: int
    coin_value_cents: int

    @property
    def coins(self) -> int:
        """The whole bet in coins."""
        return self.lines * self.coins_per_line

    @property
    def cents(self) -> int:
        """The whole bet in cents."""
        return self.coins * self.coin_value_cents


class SessionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of a player's session so far: money in and out, and wins minus stakes, in cents.

    `began_s` is when it began, in seconds of CLOCK_MONOTONIC, from which the display computes its length; None without
    a session. `loss_limit_cents` is the limit that the player has chosen, 0 for none.
    """

    began_s: float | None = None
    in_cents: int = 0
    out_cents: int = 0
    net_cents: int = 0
    loss_limit_cents: int = 0

    def seconds(self, now_s: float) -> int:
        """Return the session's length in whole seconds at `now_s` of CLOCK_MONOTONIC; 0 without a session."""
        return 0 if self.began_s is None else max(0, int(now_s - self.began_s))


class Payout(msgspec.Struct, frozen=True):
    """A cash-out that is in progress or has just ended, in cents; `by` is `hopper`, `printer` or `attendant`.

    For a ticket or hand-pay, `coins_cents` is what the hopper paid before it. `held_cents` is held until it is known
    whether it left the hopper. `hopper` is `away` while it does not answer, and `counted` once the attendant's key has
    requested the end of its payout. In both cases the key may give up the hopper in `key_in_s` seconds, at once if that
    is 0; `hand_cents` would then be paid by hand.
    """

    by: str
    amount_cents: int
    paid_cents: int
    coins_cents: int = 0
    held_cents: int = 0
    hopper: str = ""
    key_in_s: int = 0
    hand_cents: int = 0


class Paid(msgspec.Struct, frozen=True, kw_only=True):
    """What has been paid out since the last play, in cents: in coins, by tickets, and by an attendant."""

    coins_cents: int = 0
    ticket_cents: int = 0
    hand_cents: int = 0


class Volumes(msgspec.Struct, frozen=True, kw_only=True):
    """The volume of each group of sounds in percent; `overall` scales the other three."""

    wins: int = 100
    game: int = 100
    background: int = 100
    overall: int = 100


class PastRound(msgspec.Struct, frozen=True, kw_only=True):
    """One completed round: its number in the books, its stake and win, and `when` by the cabinet's clock.

    `bet_cents` is everything paid for it, including a bought feature's price. `state` is `settled` or `void`.
    """

    number: int
    game: str
    when: str
    bet_cents: int
    win_cents: int
    state: str = "settled"
