"""Autospin: the number of spins left, and every reason to stop earlier.

This module only decides: from the player's choices and running sums, whether the next spin may start.
"""

from enum import StrEnum

import msgspec

MOST_SPINS = 1000


class AutospinSettingsError(ValueError):
    """Invalid autospin settings; the message names the field and its valid values."""


class Stop(StrEnum):
    """Why autospin ended."""

    PLAYED_OUT = "played_out"
    BY_PLAYER = "by_player"
    LOSS_LIMIT = "loss_limit"
    SINGLE_WIN = "single_win"
    JACKPOT = "jackpot"
    FEATURE = "feature"
    CREDIT = "credit"
    INTERRUPTED = "interrupted"
    CLOSED = "closed"
    HELD = "held"


class AutospinSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The player's choices before pressing START; amounts are in cents.

    `loss_limit_cents`: no spin starts that could bring the sum of limit and wins less bets below 0. `single_win_cents`:
    stop once a round's win reaches it. Both are None for no limit.
    """

    spins: int = 10
    loss_limit_cents: int | None = None
    single_win_cents: int | None = None
    stop_on_jackpot: bool = True
    stop_on_feature: bool = False

    def __post_init__(self) -> None:
        """Raise `AutospinSettingsError` for invalid values."""
        if not 1 <= self.spins <= MOST_SPINS:
            raise AutospinSettingsError(f"spins is {self.spins}: choose 1 to {MOST_SPINS}")
        for name in ("loss_limit_cents", "single_win_cents"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise AutospinSettingsError(f"{name} is {value}: choose a cent or more, or no limit")


class Autospin:
    """One session of automatic spins: call `refusal` before each and `played` after each.

    `left` is the number of remaining spins that the screen shows, `of` the number that the player chose.
    """

    def __init__(self, settings: AutospinSettings) -> None:
        self.settings = settings
        self.left = settings.spins
        self.stopped: Stop | None = None
        self._balance_cents = 0

    @property
    def of(self) -> int:
        """The number of spins that the player chose."""
        return self.settings.spins

    def refusal(self, bet_cents: int, credit_cents: int) -> Stop | None:
        """Return why a spin at this bet must not start, or None if it may; a refusal ends autospin."""
        self.stopped = self.stopped or self._exhausted(bet_cents, credit_cents, self._balance_cents)
        return self.stopped

    def ends_after(self, win_cents: int, bet_cents: int, credit_cents: int, *, jackpot: bool, feature: bool) -> bool:
        """Return whether the present round is the last if it ends with this win and credit; autospin ends then.

        Call this before a win is collected that may be gambled only if no spin follows automatically.
        """
        balance_cents = self._balance_cents + win_cents
        self.stopped = (
            self.stopped
            or self._reached(win_cents, jackpot=jackpot, feature=feature)
            or self._exhausted(bet_cents, credit_cents, balance_cents)
        )
        return self.stopped is not None

    def _exhausted(self, bet_cents: int, credit_cents: int, balance_cents: int) -> Stop | None:
        limit = self.settings.loss_limit_cents
        if self.left == 0:
            return Stop.PLAYED_OUT
        if limit is not None and limit + balance_cents - bet_cents < 0:
            return Stop.LOSS_LIMIT
        return Stop.CREDIT if credit_cents < bet_cents else None

    def _reached(self, win_cents: int, *, jackpot: bool, feature: bool) -> Stop | None:
        settings = self.settings
        if jackpot and settings.stop_on_jackpot:
            return Stop.JACKPOT
        if feature and settings.stop_on_feature:
            return Stop.FEATURE
        reached = settings.single_win_cents is not None and win_cents >= settings.single_win_cents
        return Stop.SINGLE_WIN if reached else None

    def begun(self, bet_cents: int) -> None:
        """Record that a spin was staked."""
        self.left -= 1
        self._balance_cents -= bet_cents

    def played(self, win_cents: int, *, jackpot: bool, feature: bool) -> None:
        """Record that the spin's round has ended with this win."""
        self._balance_cents += win_cents
        self.stopped = self.stopped or self._reached(win_cents, jackpot=jackpot, feature=feature)

    def stop(self, why: Stop = Stop.BY_PLAYER) -> None:
        """End autospin at once: the present spin is the last one."""
        self.stopped = self.stopped or why
