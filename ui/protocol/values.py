"""Values that supervisor and display share: money as it is written, a bet, a payout, a past round, volumes."""

import re
from datetime import UTC, datetime

import msgspec


class Money(msgspec.Struct, frozen=True):
    """How the cabinet writes money: `1.234,50 €` is symbol `€`, decimal `,`, thousands `.`, symbol last."""

    symbol: str = "€"
    decimal: str = "."
    thousands: str = ","
    symbol_first: bool = False


def grouped(number: int, thousands: str) -> str:
    """Return `number` with `thousands` between its groups of three digits."""
    return f"{number:,}".replace(",", thousands)


def written(cents: int, money: Money) -> str:
    """Return `cents` as the cabinet writes money: `1,234.50 €`."""
    whole, rest = divmod(abs(cents), 100)
    amount = f"{'-' if cents < 0 else ''}{grouped(whole, money.thousands)}{money.decimal}{rest:02d}"
    return f"{money.symbol} {amount}" if money.symbol_first else f"{amount} {money.symbol}"


USUAL_DATES = "yyyy-mm-dd"
"""How days are written where nothing else is said, and in the books."""
_DAY = re.compile(r"^(\d{4})-(\d\d)-(\d\d)\b")


def moment(at_ms: int, *, seconds: bool = True) -> str:
    """Return a time of the books (milliseconds since 1970) in local time: `2026-11-21 23:36:05`."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone().strftime(f"%Y-%m-%d %H:%M{':%S' * seconds}")


def dated(words: str, dates: str) -> str:
    """Return `words` with the day that they begin with (`2026-11-21`) as the cabinet writes days: `dd/mm/yy`."""
    found = _DAY.match(words)
    if found is None:
        return words
    year, month, day = found.groups()
    for letters, figures in (("yyyy", year), ("yy", year[2:]), ("mm", month), ("dd", day)):
        dates = dates.replace(letters, figures)
    return dates + words[found.end() :]


class Bet(msgspec.Struct, frozen=True):
    """The bet that SPIN would stake now."""

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
    """What a player's session has cost so far: money in and out, and wins less stakes, in cents.

    `began_s` is when it began, in seconds of CLOCK_MONOTONIC, from which the display counts its time; None where none
    runs. `loss_limit_cents` is the limit that the player has chosen, 0 for none.
    """

    began_s: float | None = None
    in_cents: int = 0
    out_cents: int = 0
    net_cents: int = 0
    loss_limit_cents: int = 0

    def seconds(self, now_s: float) -> int:
        """Return how many whole seconds the session lasts at `now_s` of CLOCK_MONOTONIC; 0 where none runs."""
        return 0 if self.began_s is None else max(0, int(now_s - self.began_s))


class Payout(msgspec.Struct, frozen=True):
    """A cash-out in progress or just ended, in cents; `by` is `hopper`, `printer` or `attendant`.

    Of a ticket or hand-pay, `coins_cents` is what the hopper paid before it. `held_cents` is held until it
    is known whether it left the hopper. `hopper` is `away` while it does not answer, and `counted` once the attendant's
    key has asked for the end of its payout. In both cases the key may give the hopper up in `key_in_s` seconds, now
    where that is 0; `hand_cents` is what would then be paid by hand.
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
    """What has been paid out since the last play, in cents: in coins, on tickets, and by an attendant's hand."""

    coins_cents: int = 0
    ticket_cents: int = 0
    hand_cents: int = 0


class Volumes(msgspec.Struct, frozen=True, kw_only=True):
    """How loud the sounds are, each in percent; `overall` scales the other three."""

    wins: int = 100
    game: int = 100
    background: int = 100
    overall: int = 100


class PastRound(msgspec.Struct, frozen=True, kw_only=True):
    """One round that has ended: its number in the books, what was staked and won, and `when` by the cabinet's clock.

    `bet_cents` is all that was paid for it, a bought feature's price included. `state` is `settled` or `void`.
    `companion_known` is False in a replay of a round that was recorded without the companion that it was played with.
    """

    number: int
    game: str
    when: str
    bet_cents: int
    win_cents: int
    state: str = "settled"
    companion_known: bool = True
