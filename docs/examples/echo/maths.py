"""Lagoon as its exact mathematics sees it: the declared lines, and the echo as a part more."""

from dataclasses import replace
from fractions import Fraction

from gamekit.declared.line_game import LineGameMaths
from gamekit.declared.maths import line_maths
from gamekit.exact.extremes import Largest, largest_win
from gamekit.exact.moments import line_mean
from gamekit.exact.rounds import RoundFigures
from gamekit.exact.runs import Runs
from gamekit.maths import BASE, BetFigures, Part, PartFigure
from gamekit.play import Stake
from games.lagoon import GAME
from games.lagoon.definition import DEFINITION
from games.lagoon.pays import ECHO_ONE_IN
from games.lagoon.steps import LinesPaidAgain

_CHANCE = Fraction(1, ECHO_ONE_IN)
_LINES = 0
"""The place of the lines among the moments of a spin."""


class EchoMaths(LineGameMaths):
    """What the declared game returns, and its echo: the paid spin's line wins once more, with a chance of its own."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The declared parts, then the echo."""
        return (*super().parts, Part("echo", ((BASE, LinesPaidAgain),)))

    @property
    def order(self) -> tuple[str, ...]:
        """The declared order; the echo comes after the lines of the paid spin."""
        landed, lines, *rest = super().order
        echo = f"One paid spin in {ECHO_ONE_IN} whose lines pay, by one draw, has the sum of its line wins paid again."
        return (landed, lines, echo, *rest)

    def figures(self, stake: Stake, state: str) -> BetFigures:
        """Return the figures at `stake`: the echo is a part of the paid spin, and comes with its lines."""
        declared, coins = super().figures(stake, state), stake.coins_per_line
        paid, free = self.analysis.moments(stake.lines)
        figures = RoundFigures(paid.repeated(_LINES, _CHANCE), free.repeated(_LINES, Fraction(0)))
        echo = figures.parts()[len(paid.mean)]
        echoes = self.analysis.events(stake.lines)[_LINES] * _CHANCE
        return replace(
            declared,
            parts=(*declared.parts, PartFigure(echo.mean * coins, echo.variance * coins**2, echoes)),
            variance=figures.total.variance * coins**2,
            largest=self._largest(stake),
        )

    def mean(self, stake: Stake, state: str) -> Fraction:
        """Return what a round at `stake` returns, in coins."""
        lines = line_mean(self.base, Runs(self.base.rules, self.base.rules.pays, self.base.symbols))
        return super().mean(stake, state) + stake.coins * lines * _CHANCE

    def _largest(self, stake: Stake) -> Largest:
        """Return the largest win of a paid spin: with its echo the lines pay twice."""
        twice = largest_win(replace(self.base, multiplier=2), stake.lines).times(stake.coins_per_line)
        return Largest(twice.coins, twice.chance * _CHANCE)


_declared = line_maths(GAME, DEFINITION)

MATHS = EchoMaths(game=GAME, base=_declared.base, free=_declared.free)
