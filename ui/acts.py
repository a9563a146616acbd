"""The acts of a show: what each shows, and for how long, as functions of time. Nothing here draws.

An act begins once, may be hurried, and ends by itself. What it pays rolls up during the act and is complete exactly at
its end. Thresholds and lengths are presentation only: no act changes a result.
"""

from collections.abc import Sequence

from gamekit.beats import Cell, LineWin, ScatterWin
from gamekit.double_up import CardTurned
from ui.anticipation import Anticipation
from ui.climb import WIN_SIZES, Climb, Size, WinSizes
from ui.picture import Picture, Window
from ui.reels import Pin, Spin

LIT_S = 1.1
FOUNTAIN_HOLD_S = 1.5
CUT_HOLD_S = 1.0
"""Seconds for which a big win that is cut short stays visible with its full amount, while its coins fall away."""
INTRO_S = 2.6
RETRIGGER_S = 1.8
PICKS_WON_S = 2.0
OPEN_S = 1.3
CARD_S = 1.9
CARD_TURNS_S = 0.6
CARD_ROLL_S = 0.6
HALVED_S = 1.2
CARDS_ENDED_S = 1.4
TOTAL_S = 2.8
HURRIED_S = 0.25
TURBO = 0.5


_ROLL_S = {Size.SMALL: 0.5, Size.MEDIUM: 0.9, Size.LARGE: 1.7}


def roll(coins: int, elapsed: float, lasts: float) -> int:
    """Return how much of `coins` is shown `elapsed` seconds into a roll-up of `lasts` seconds, all of it at the end.

    The fraction is computed in whole milliseconds, so that no float touches the amount.
    """
    if elapsed >= lasts or lasts <= 0:
        return coins
    return coins * max(0, round(elapsed * 1000)) // max(1, round(lasts * 1000))


class Act:
    """One act: `picture` is its background; `coins` and `cents` are what it pays, or takes if below 0.

    `sound` plays at its beginning, unless it is one of the acts that every game has (see `ui.cues`).
    """

    sound = ""
    plain = False
    """Whether it pays with a plain tone and a figure, without celebration."""
    climb: Climb | None = None
    """The climb of a big win, with banner and coins; None for any other win."""

    def __init__(self, picture: Picture, coins: int, lasts: float, roll_s: float = 0.0, *, cents: int = 0) -> None:
        self.picture = picture
        self.coins = coins
        self.cents = cents
        self._lasts = lasts
        self._roll_s = roll_s
        self.began = 0.0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.coins} coins {self._lasts:.2f} s>"

    def begin(self, now: float, *, turbo: bool) -> None:
        """Start at `now`; turbo shortens it."""
        self.began = now
        if turbo:
            self._lasts *= TURBO
            self._roll_s *= TURBO
            if self.climb is not None:
                self.climb.beat_s *= TURBO
        if self.plain:
            self._roll_s = 0.0
            self.climb = None

    def hurry(self, now: float) -> None:
        """Bring the act to its end soon: show the amount in full at once, and a big win for a moment."""
        elapsed = now - self.began
        holds = HURRIED_S
        if self.climb is not None and elapsed < self.climb.hit_at:
            self.climb.cut(elapsed)
            holds = CUT_HOLD_S
        self._roll_s = 0.0
        self._lasts = min(self._lasts, elapsed + holds)

    def climbs(self, climb: Climb) -> None:
        """Let the amount that it pays or shows as a total grow as `climb` does; the act lasts as long as that needs."""
        self.climb = climb
        self._roll_s = climb.hit_at
        self._lasts = climb.hit_at + FOUNTAIN_HOLD_S

    @property
    def big(self) -> bool:
        """Whether it is shown with a banner and falling coins."""
        return self.climb is not None

    def ended(self, now: float) -> bool:
        """Whether the act is over."""
        return now >= self.began + self._lasts

    def ends_at(self) -> float:
        """When it will end, unless hurried."""
        return self.began + self._lasts

    def rolled(self, now: float) -> int:
        """Return how many of its coins are shown at `now`."""
        if self.climb is not None and self.coins == self.climb.coins:
            return self.climb.amount(now - self.began)
        return roll(self.coins, now - self.began, self._roll_s)

    def unshown(self, now: float) -> int:
        """Return how many of its coins are not shown yet at `now`."""
        return self.coins - self.rolled(now)

    def rolled_cents(self, now: float) -> int:
        """Return how many of its cents are shown at `now`."""
        return roll(self.cents, now - self.began, self._roll_s)

    def rolling(self, now: float) -> bool:
        """Whether the amount is still growing."""
        return (self.coins > 0 or self.cents > 0) and now < self.began + self._roll_s


class PacedAct(Act):
    """An act whose parts have fixed times; when hurried, it speeds up to end within `HURRIED_S`."""

    def __init__(self, picture: Picture, coins: int, lasts: float, roll_s: float = 0.0) -> None:
        super().__init__(picture, coins, lasts, roll_s)
        self._whole = lasts
        self._from = (0.0, 0.0)
        """When it was hurried, in seconds from its start, and how far it had progressed then."""

    def begin(self, now: float, *, turbo: bool) -> None:
        """Start at `now`; turbo speeds it up."""
        super().begin(now, turbo=turbo)
        self._from = (0.0, 0.0)

    def hurry(self, now: float) -> None:
        """Continue faster."""
        self._from = (now - self.began, self.elapsed(now))
        super().hurry(now)

    def elapsed(self, now: float) -> float:
        """Return how many seconds of the unhurried act have been shown at `now`."""
        since, seen = self._from
        left = self._lasts - since
        part = 1.0 if left <= 0 else min(1.0, max(0.0, (now - self.began - since) / left))
        return seen + (self._whole - seen) * part


class SpinAct(Act):
    """The reels spin from what `picture` shows (its `window`) to `stops`, where they show `lands`.

    Its `locked` reels do not turn, its `held` symbols stay over their reels.
    """

    def __init__(self, picture: Picture, stops: Sequence[int], anticipation: Anticipation, lands: Window) -> None:
        super().__init__(picture, 0, 0.0)
        self._stops = tuple(stops)
        self.anticipation = anticipation
        self.lands = lands
        self.spin = Spin(picture.stops, self._stops, 0.0, anticipation.waits, locked=picture.locked)

    def begin(self, now: float, *, turbo: bool) -> None:
        """Start the reels."""
        super().begin(now, turbo=turbo)
        locked = self.picture.locked
        self.spin = Spin(self.picture.stops, self._stops, now, self.anticipation.waits, turbo=turbo, locked=locked)

    def pins(self, now: float) -> list[Pin]:
        """Return the symbols that each reel shows at its stops, even if its strip has others."""
        starting = self.spin.starting(now)
        return [
            Pin(self.picture.stops[reel], self.picture.window[reel])
            if starting or reel in self.picture.locked
            else Pin(self._stops[reel], self.lands[reel])
            for reel in range(len(self._stops))
        ]

    def called(self, now: float) -> list[tuple[Cell, float]]:
        """Return the landed cells that can still lead to a feature, each with the seconds since its reel stopped."""
        stopped = enumerate(self.spin.stop_at)
        return [(cell, now - at) for reel, at in stopped if at <= now for cell in self.anticipation.called[reel]]

    def hurry(self, now: float) -> None:
        """Stop all reels at once (STOP)."""
        self.spin.hurry(now)

    def ended(self, now: float) -> bool:
        """Whether every reel is at rest."""
        return self.spin.ended(now)

    def ends_at(self) -> float:
        """When the last reel will be at rest."""
        return self.spin.ends_at


class WinsAct(Act):
    """All line and scatter wins of the spin, lit together, rolling up; a big win climbs.

    `ways` are the coins of ways wins (`ui.cascade_acts.WaysAct`).
    """

    def __init__(
        self,
        picture: Picture,
        lines: Sequence[LineWin],
        scatter: ScatterWin | None,
        stake_coins: int,
        ways: int = 0,
        *,
        sizes: WinSizes = WIN_SIZES,
    ) -> None:
        coins = sum(win.coins for win in lines) + (scatter.coins if scatter else 0) + ways
        self.size = sizes.of(coins, stake_coins)
        roll_s = _ROLL_S.get(self.size, 0.0)
        super().__init__(picture, coins, max(LIT_S, roll_s + 0.25), roll_s)
        if self.size >= Size.BIG:
            self.climbs(Climb.of(coins, stake_coins, sizes))
        self.lines = tuple(lines)
        self.scatter = scatter

    def celebrated(self, now: float) -> float | None:
        """Return for how many seconds banner and coins have replaced the lit wins; None while the wins are lit."""
        if self.climb is None:
            return None
        since = now - self.began - min(LIT_S, self.climb.hit_at)
        return since if since >= 0 else None


class FreeSpinsAct(Act):
    """Free spins have been won: the intro, or the retrigger during free spins."""

    def __init__(self, picture: Picture, spins: int, *, retrigger: bool) -> None:
        super().__init__(picture, 0, RETRIGGER_S if retrigger else INTRO_S)
        self.spins = spins
        self.retrigger = retrigger


class PicksWonAct(Act):
    """A pick bonus has been won on `line`: its symbols light up and the chests come."""

    def __init__(self, picture: Picture, line: int, count: int) -> None:
        super().__init__(picture, 0, PICKS_WON_S)
        self.line = line
        self.count = count


class OpenAct(Act):
    """Object `choice` opens and shows what it pays."""

    def __init__(self, picture: Picture, choice: int, coins: int) -> None:
        super().__init__(picture, coins, OPEN_S, 0.6)
        self.choice = choice


class JackpotAct(Act):
    """The pool has paid `coins`."""

    def __init__(self, picture: Picture, coins: int) -> None:
        super().__init__(picture, coins, 0.0)
        self.climbs(Climb.of_jackpot(coins))


class CardAct(Act):
    """A card of the double-up turns: the amount at risk is won once more, or lost. `picture` already shows it.

    No amount changes before the card has turned, because the figures would reveal the result.
    """

    def __init__(self, picture: Picture, turned: CardTurned) -> None:
        super().__init__(picture, 0, CARD_S, CARD_ROLL_S, cents=turned.cents)
        self.choice = turned.choice
        self.card = turned.card
        self.won = turned.won
        self._turns_s = CARD_TURNS_S

    def begin(self, now: float, *, turbo: bool) -> None:
        """Start to turn the card."""
        super().begin(now, turbo=turbo)
        if turbo:
            self._turns_s *= TURBO

    def hurry(self, now: float) -> None:
        """Show the card's face at once."""
        self._turns_s = min(self._turns_s, max(0.0, now - self.began))
        super().hurry(now)

    def turned_at(self) -> float:
        """When the card has turned."""
        return self.began + self._turns_s

    def turned(self, now: float) -> float:
        """Return how far the card has turned, from 0 to 1."""
        return 1.0 if now >= self.turned_at() else max(0.0, (now - self.began) / self._turns_s)

    def rolled_cents(self, now: float) -> int:
        """Return how many of its cents are shown at `now`; none before the card has turned."""
        return roll(self.cents, now - self.turned_at(), self._roll_s) if now >= self.turned_at() else 0

    def rolling(self, now: float) -> bool:
        """Whether the amount is growing."""
        return self.cents > 0 and self.turned_at() <= now < self.turned_at() + self._roll_s


class HalvedAct(Act):
    """Half of what was at risk has gone to the credit."""

    def __init__(self, picture: Picture, credited_cents: int) -> None:
        super().__init__(picture, 0, HALVED_S)
        self.credited_cents = credited_cents


class CardsEndedAct(Act):
    """The double-up has ended with this result; the table is still shown."""

    def __init__(self, picture: Picture, total_cents: int) -> None:
        super().__init__(picture, 0, CARDS_ENDED_S)
        self.total_cents = total_cents


class TotalAct(Act):
    """A feature has ended: its total. It pays nothing itself, because its parts have already paid."""

    def __init__(
        self, picture: Picture, total: int, stake_coins: int, spins: int = 0, sizes: WinSizes = WIN_SIZES
    ) -> None:
        self.size = sizes.of(total, stake_coins)
        self.roll_total_s = _ROLL_S.get(self.size, TOTAL_S)
        super().__init__(picture, 0, self.roll_total_s + TOTAL_S / 2)
        if self.size >= Size.BIG:
            self.climbs(Climb.of(total, stake_coins, sizes))
            self.roll_total_s = self._roll_s
        self.total = total
        self.spins = spins

    def shown_total(self, now: float) -> int:
        """Return how much of the total is shown at `now`."""
        if self.plain:
            return self.total
        if self.climb is not None:
            return self.climb.amount(now - self.began)
        return roll(self.total, now - self.began, min(self.roll_total_s, self._lasts - HURRIED_S))
