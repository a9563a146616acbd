"""The PAR sheet of a game: what it returns at every bet, part by part, from integers and fractions.

Figures are exact until they are written down: percentages as strings of six decimals, chances and sigma as the
nearest floating-point number. Sigma and the volatility index are in whole bets.
"""

from fractions import Fraction
from importlib import import_module
from math import isqrt

import msgspec

from games import catalogue
from games.exact.definition import GameMaths
from games.exact.extremes import Largest, largest_win
from games.exact.hits import LineHits, scatter_chance
from games.exact.moments import SpinAnalysis
from games.exact.rounds import RoundFigures

_DIGITS = 10**6

# The 95th percentile of the normal distribution: 90 % of results lie within so many sigmas of the mean.
_NINETY_PERCENT = Fraction(1645, 1000)


class BetSheet(msgspec.Struct, frozen=True, kw_only=True):
    """One bet: `lines` x `coins_per_line` = `stake` coins. `max_win` is in coins, without free spins."""

    stake: int
    lines: int
    coins_per_line: int
    rtp_percent: str
    parts: dict[str, str]
    hit_frequency: float
    sigma: float
    volatility_index_90: float
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
    """A game's identity and its figures; those beside `bets` are the highest bet's."""

    game: str
    maths_version: int
    maths_hash: str
    bets: list[BetSheet]
    hit_frequency: float
    sigma: float
    volatility_index_90: float
    triggers: dict[str, float]
    max_win: int
    max_win_odds: float
    free_spin: FreeSpinSheet


def load_maths(name: str) -> GameMaths:
    """Return the maths of the game called `name`; raise `catalogue.UnknownGameError` where there is none."""
    game = catalogue.load(name)
    maths: GameMaths = import_module(f"games.{game.name}.maths").MATHS
    return maths


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


class ParAnalysis:
    """The exact figures of a game at any number of lines, at one coin a line; each is worked out once."""

    def __init__(self, maths: GameMaths) -> None:
        self.maths = maths
        self._base = SpinAnalysis(maths.base)
        self._free = SpinAnalysis(maths.free)
        rules = maths.base.rules
        self._any_hits = LineHits(maths.base, (*rules.pays, *rules.features))
        self._pay_hits = LineHits(maths.base, tuple(rules.pays))
        self._pick_hits = LineHits(maths.base, tuple(rules.features))

    def round_figures(self, lines: int) -> RoundFigures:
        """Return the moments of a round's parts."""
        return RoundFigures(self._base.at(lines), self._free.at(lines))

    def hit_frequency(self, lines: int) -> Fraction:
        """Return the chance that a paid spin pays or starts a feature."""
        scatter = self.maths.base.scatter
        return self._any_hits.chance(lines, {*scatter.pays, *scatter.free_spins})

    def line_pays(self, lines: int) -> Fraction:
        """Return the chance that a paid spin has a line win."""
        return self._pay_hits.chance(lines)

    def scatter_pays(self) -> Fraction:
        """Return the chance that a paid spin has a scatter win."""
        return scatter_chance(self.maths.base, self.maths.base.scatter.pays)

    def triggers(self, lines: int) -> dict[str, Fraction]:
        """Return the chance that a paid spin starts each feature."""
        base = self.maths.base
        return {
            "free_spins": scatter_chance(base, base.scatter.free_spins),
            base.picks.name: self._pick_hits.chance(lines),
        }

    def largest(self, lines: int) -> Largest:
        """Return the largest win of a paid spin with its picks."""
        return largest_win(self.maths.base, lines)

    def largest_free(self, lines: int) -> Largest:
        """Return the largest win of a free spin with its picks."""
        return largest_win(self.maths.free, lines)


def par_sheet(maths: GameMaths) -> ParSheet:
    """Return the PAR sheet of `maths`, every selectable bet in it."""
    game = maths.game
    analysis = ParAnalysis(maths)
    bets = [bet for lines in game.line_counts for bet in _bets(analysis, lines)]
    highest = bets[-1]
    lines = highest.lines
    largest_free = analysis.largest_free(lines)
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
        free_spin=FreeSpinSheet(
            per_round=float(analysis.round_figures(lines).free_spins),
            max_win=largest_free.coins * highest.coins_per_line,
            max_win_odds=float(largest_free.chance),
        ),
    )


def _bets(analysis: ParAnalysis, lines: int) -> list[BetSheet]:
    """Return the bets of one number of lines: coins per line scale every win alike, so only amounts in coins differ."""
    game = analysis.maths.game
    figures = analysis.round_figures(lines)
    largest = analysis.largest(lines)
    sigma = square_root(figures.total.variance / lines**2)
    parts = zip(analysis.maths.parts, figures.parts(), strict=True)
    shares = {name: percent(figure.mean / lines) for name, figure in parts}
    triggers = {name: float(chance) for name, chance in analysis.triggers(lines).items()}
    return [
        BetSheet(
            stake=lines * coins,
            lines=lines,
            coins_per_line=coins,
            rtp_percent=percent(figures.total.mean / lines),
            parts=shares,
            hit_frequency=float(analysis.hit_frequency(lines)),
            sigma=float(sigma),
            volatility_index_90=float(sigma * _NINETY_PERCENT),
            triggers=triggers,
            max_win=largest.coins * coins,
            max_win_odds=float(largest.chance),
            max_win_odds_exact=str(largest.chance),
        )
        for coins in game.coins_per_line
    ]
