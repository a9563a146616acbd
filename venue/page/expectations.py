"""Expected return of each game, and how far a cabinet's return may deviate from it by chance.

The expected returns are the exact ones of `cabinet par`. The permitted deviations are quantiles of simulated play
(`venue.page.spread`), because a normal distribution fits no game below about 100,000 rounds.
`python -m venue.page.write_expectations [GAME ...]` writes both into `expectation.json` in the folder of each game; all
games take a quarter of an hour. The file holds the hash of the game's mathematics. If the mathematics change, the hash
differs and the game has no expectation.

The variance depends on the bet: fewer lines vary more. Meters do not record which bets were played, so there are two
bands: `usual` for the highest bet with all lines, and `wide`, which also covers the most volatile bet. Bets of
different sizes vary like a smaller number of equal bets: `(sum of stakes)^2 / sum of squared bets`. Rounds with gambled
wins vary more than either band allows for.
"""

from functools import cache
from math import sqrt
from typing import NamedTuple

import msgspec

from gamekit import catalogue

FILE = "expectation.json"
FEWEST = 500
"""Fewest rounds that are judged; no quantiles are stored for fewer."""

Span = tuple[float, float]


class Reach(msgspec.Struct, frozen=True):
    """Permitted deviation of a mean return after `rounds`, multiplied by the square root of `rounds`."""

    rounds: int
    below: float
    above: float


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """A game's expected return and the permitted deviations from it.

    `least` and `most` are the lowest and highest return of its bets as a share of stakes, pool growth included.
    `usual` are the deviations of the highest bet, `wide` the larger of those of the most volatile and the highest bet.
    """

    game: str
    maths_hash: str
    least: float
    most: float
    usual: tuple[Reach, ...]
    wide: tuple[Reach, ...]

    def band(self, reaches: tuple[Reach, ...], rounds: float) -> Span:
        """Return the range of returns that contains 999 of 1,000 results of `rounds` equal bets."""
        after = next((at for at, one in enumerate(reaches) if one.rounds >= rounds), len(reaches) - 1)
        # Between two stored numbers of rounds, use the larger deviation.
        near = reaches[max(after - 1, 0) : after + 1]
        root = sqrt(rounds)
        return (
            max(0.0, self.least - max(one.below for one in near) / root),
            self.most + max(one.above for one in near) / root,
        )


class Judged(NamedTuple):
    """A cabinet's return compared with its expectation; all values are shares of stakes, None if unknown.

    `verdict` is `inside`, `edge` (outside the usual band), `outside` (outside the wide band), `few` (too few rounds to
    judge) or `unknown` (the game has no expectation).
    """

    returned: float | None
    least: float | None
    most: float | None
    usual: Span | None
    wide: Span | None
    verdict: str

    @property
    def hold(self) -> float | None:
        """The share of stakes that the house kept."""
        return None if self.returned is None else 1 - self.returned

    @property
    def expected_hold(self) -> float | None:
        """The middle of the expected hold."""
        return None if self.least is None or self.most is None else 1 - (self.least + self.most) / 2

    @property
    def hold_band(self) -> Span | None:
        """The lowest and highest hold of the usual band."""
        return None if self.usual is None else (1 - self.usual[1], 1 - self.usual[0])

    @property
    def hold_wide_band(self) -> Span | None:
        """The lowest and highest hold of the wide band."""
        return None if self.wide is None else (1 - self.wide[1], 1 - self.wide[0])


@cache
def known() -> dict[str, Expectation]:
    """Return the stored expectations by game, without those whose mathematics hash differs from the game's."""
    files = [file for name in catalogue.names() if (file := catalogue.folder_of(name) / FILE).is_file()]
    stored = [msgspec.json.decode(file.read_bytes(), type=Expectation) for file in files]
    return {one.game: one for one in stored if catalogue.load(one.game).maths_hash == one.maths_hash}


def judge(game: str, rounds: int, stakes: int, wins: int, squares: float | None) -> Judged:
    """Compare the return `wins / stakes` with the game's expectation.

    `squares` is the sum of squared bets in cents squared, or its lower bound: the sum over days of squared stakes
    divided by rounds.
    """
    if stakes <= 0 or rounds <= 0:
        return Judged(None, None, None, None, None, "few")
    returned = wins / stakes
    expected = known().get(game)
    if expected is None:
        return Judged(returned, None, None, None, None, "unknown")
    equal = stakes**2 / max(squares or 0, stakes**2 / rounds)
    usual, wide = expected.band(expected.usual, equal), expected.band(expected.wide, equal)
    judged = Judged(returned, expected.least, expected.most, usual, wide, "inside")
    if equal < FEWEST:
        return judged._replace(verdict="few")
    if not wide[0] <= returned <= wide[1]:
        return judged._replace(verdict="outside")
    return judged._replace(verdict="inside" if usual[0] <= returned <= usual[1] else "edge")
