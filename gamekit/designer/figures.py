"""A designer's figures as kept and drawn: all in whole bets, chances are of one play of the highest bet."""

from math import sqrt

import msgspec

from gamekit.designer.sensitivity import Sensitivity
from gamekit.par import ParSheet


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A chance; where it was counted in rounds played, `low` and `high` are its 95 % interval, else they are None."""

    chance: float
    low: float | None = None
    high: float | None = None


class TailPoint(msgspec.Struct, frozen=True, kw_only=True):
    """The chance that a play wins `bets` or more, and the part of the return that such wins are."""

    bets: float
    reached: Interval
    return_share: float


class PlayBand(msgspec.Struct, frozen=True, kw_only=True):
    """Plays that win more than `above` bets and `up_to` at most; None is open."""

    above: int | None
    up_to: int | None
    chance: Interval
    return_percent: float


class PlayWins(msgspec.Struct, frozen=True, kw_only=True):
    """What a whole play wins; `one_in[n]` is the win in bets that one play in `n` reaches or exceeds."""

    how: str
    exact: bool
    bands: list[PlayBand]
    tail: list[TailPoint]
    one_in: dict[int, float]


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a number of plays: won less staked, in bets.

    `quantiles` are by percent, `below` how likely an outcome of so many bets or less is.
    """

    plays: int
    ahead: Interval
    even: float
    mean: float
    quantiles: dict[str, float]
    below: list[tuple[float, float]]


class TimeOnDevice(msgspec.Struct, frozen=True, kw_only=True):
    """How long a budget lasts: the chance that it pays for so many plays, and the plays by percent of players.

    `quantiles` hold None where more plays are reached than were followed.
    """

    budget_bets: int
    plays: int
    lasting: list[tuple[int, float]]
    quantiles: dict[str, int | None]
    all_plays: Interval


class HoldBand(msgspec.Struct, frozen=True, kw_only=True):
    """Where the return of so many plays lies, in percent of what was staked: from sigma, and exact where known."""

    plays: int
    low_90: float
    high_90: float
    low_99: float
    high_99: float
    exact_90: tuple[float, float] | None


HOLD_PLAYS = (10**3, 10**4, 10**5, 10**6, 10**7)
_Z90, _Z99 = 1.6448536269514722, 2.5758293035489004


def hold_band(plays: int, mean: float, sigma: float, exact_90: tuple[float, float] | None = None) -> HoldBand:
    """Return the band of independent plays by the normal law; `mean` and `sigma` are of one play, in bets."""
    error = sigma / sqrt(plays)
    return HoldBand(
        plays=plays,
        low_90=100 * max(0.0, mean - _Z90 * error),
        high_90=100 * (mean + _Z90 * error),
        low_99=100 * max(0.0, mean - _Z99 * error),
        high_99=100 * (mean + _Z99 * error),
        exact_90=exact_90,
    )


class Drought(msgspec.Struct, frozen=True, kw_only=True):
    """How many plays pass until a feature comes: not exceeded in so many percent of all waits, and chances of none."""

    name: str
    one_in: float
    how: str
    quantiles: dict[str, int]
    none_in: dict[int, float]


class MissRow(msgspec.Struct, frozen=True, kw_only=True):
    """How often a window shows one less than a feature needs (`gamekit.exact.near_misses`)."""

    name: str
    needs: str
    met: float
    missed: float
    suspense: float | None


class DesignSheet(msgspec.Struct, frozen=True, kw_only=True):
    """The PAR sheet and what a designer looks at beside it, at one bet in one memory state.

    `seed` and `rounds` are those of the plays that were counted where no exact distribution is known; 0 rounds where
    all is exact. `notes` say what is not there, and why.
    """

    par: ParSheet
    lines: int
    coins_per_line: int
    state: str
    rounds: int
    seed: int
    wins: PlayWins
    sessions: list[Session]
    budget: TimeOnDevice
    hold: list[HoldBand]
    hold_how: str
    droughts: list[Drought]
    near_misses: list[MissRow]
    sensitivity: Sensitivity
    notes: list[str]
