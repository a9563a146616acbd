"""The PAR sheet of a game: what it returns at every bet and in every memory state, from integers and fractions.

Figures are exact until they are written down: percentages as strings of six decimals, chances and sigma as the
nearest floating-point number. Sigma and the volatility index are in whole bets.
"""

from fractions import Fraction
from math import isqrt

import msgspec

from games.maths import BetFigures, Maths, cost
from games.play import Stake

_DIGITS = 10**6

# The 95th percentile of the normal distribution: 90 % of results lie within so many sigmas of the mean.
_NINETY_PERCENT = Fraction(1645, 1000)


class BetSheet(msgspec.Struct, frozen=True, kw_only=True):
    """One bet in one memory state: `lines` x `coins_per_line` x `price` = `stake` coins.

    `rtp_percent` takes the jackpot at its seed; `rtp_with_growth_percent` is None where there is no pool. `max_win` is
    in coins, without free spins. `sigma` is None where no exact one is known.
    """

    stake: int
    lines: int
    coins_per_line: int
    price: int
    state: str
    rtp_percent: str
    rtp_with_growth_percent: str | None
    parts: dict[str, str]
    hit_frequency: float
    sigma: float | None
    volatility_index_90: float | None
    triggers: dict[str, float]
    max_win: int
    max_win_odds: float
    max_win_odds_exact: str


class FreeSpinSheet(msgspec.Struct, frozen=True, kw_only=True):
    """The free spins: how many a round plays on average, and the best single one at the highest bet, in coins."""

    per_round: float
    max_win: int
    max_win_odds: float


class ParSheet(msgspec.Struct, frozen=True, kw_only=True):
    """A game's identity and its figures; those beside `bets` are the highest bet's in the first state."""

    game: str
    maths_version: int
    maths_hash: str
    bets: list[BetSheet]
    hit_frequency: float
    sigma: float | None
    volatility_index_90: float | None
    triggers: dict[str, float]
    max_win: int
    max_win_odds: float
    free_spin: FreeSpinSheet | None


def percent(value: Fraction) -> str:
    """Return `value` as a percentage of six decimals, rounded to the nearest, ties to even."""
    return _decimal(value * 100)


def _decimal(value: Fraction) -> str:
    whole, part = divmod(abs(round(value * _DIGITS)), _DIGITS)
    return f"{'-' if value < 0 and (whole or part) else ''}{whole}.{part:06d}"


def square_root(value: Fraction) -> Fraction:
    """Return the square root of `value`, rounded down to twelve decimals."""
    scale = 10**12
    return Fraction(isqrt(value.numerator * scale**2 // value.denominator), scale)


def par_sheet(maths: Maths) -> ParSheet:
    """Return the PAR sheet of `maths`, every selectable bet in every state in it."""
    game = maths.game
    bets = [bet_sheet(maths, stake, state) for stake in maths.stakes for state in maths.states]
    # The bets of the highest stake stand last, one for each state.
    highest = bets[-len(maths.states)]
    return ParSheet(
        game=game.name,
        maths_version=game.maths_version,
        maths_hash=game.maths_hash,
        bets=bets,
        hit_frequency=highest.hit_frequency,
        sigma=highest.sigma,
        volatility_index_90=highest.volatility_index_90,
        triggers=highest.triggers,
        max_win=highest.max_win,
        max_win_odds=highest.max_win_odds,
        free_spin=_free_spin(maths.figures(maths.stakes[-1], maths.states[0])),
    )


def _free_spin(figures: BetFigures) -> FreeSpinSheet | None:
    best = figures.best_free_spin
    if best is None:
        return None
    return FreeSpinSheet(per_round=float(figures.free_spins), max_win=best.coins, max_win_odds=float(best.chance))


def bet_sheet(maths: Maths, stake: Stake, state: str) -> BetSheet:
    """Return the figures of one bet in one state, written down."""
    figures = maths.figures(stake, state)
    paid = cost(stake)
    sigma = None if figures.variance is None else square_root(figures.variance / paid**2)
    with_growth = percent((figures.mean + figures.growth) / paid)
    return BetSheet(
        stake=paid,
        lines=stake.lines,
        coins_per_line=stake.coins_per_line,
        price=stake.price,
        state=state,
        rtp_percent=percent(figures.mean / paid),
        rtp_with_growth_percent=None if maths.game.pool is None else with_growth,
        parts={part.name: percent(figure.mean / paid) for part, figure in zip(maths.parts, figures.parts, strict=True)},
        hit_frequency=float(figures.hit_frequency),
        sigma=None if sigma is None else float(sigma),
        volatility_index_90=None if sigma is None else float(sigma * _NINETY_PERCENT),
        triggers={name: float(chance) for name, chance in figures.triggers.items()},
        max_win=figures.largest.coins,
        max_win_odds=float(figures.largest.chance),
        max_win_odds_exact=str(figures.largest.chance),
    )
