"""What each game is expected to return, and how far a cabinet's return may lie from it by chance alone.

The returns are the exact ones of `cabinet par`; how far they may lie off after so many rounds are quantiles of
simulated play (`venue.page.spread`), for a normal distribution is right for no game below some 100,000 rounds.
`python -m venue.page.write_expectations [GAME ...]` writes both into `expectation.json` in the folder of each game; all
of them take a quarter of an hour. A game whose mathematics were changed since has another hash and no expectation.

The spread hangs on the bet: few lines vary more. Meters do not say which bets were played. So there are two bands:
`usual` for the highest bet, all lines, and `wide` for the most volatile bet too. Bets of different size vary as fewer
equal bets would: as `(sum of stakes)^2 / sum of squared bets` of them. Rounds whose win was gambled vary more than
either band.
"""

from functools import cache
from math import sqrt
from typing import NamedTuple

import msgspec

from gamekit import catalogue

FILE = "expectation.json"
FEWEST = 500
"""Rounds below which nothing is judged: no quantiles are stored for fewer."""

Span = tuple[float, float]


class Reach(msgspec.Struct, frozen=True):
    """How far a mean return may lie below and above its expectation after `rounds`, times the root of `rounds`."""

    rounds: int
    below: float
    above: float


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """A game's return as a share of stakes, least and most over its bets (pool growth included), and its reaches.

    `usual` are those of the highest bet, `wide` those of the most volatile bet or the highest, whichever are larger.
    """

    game: str
    maths_hash: str
    least: float
    most: float
    usual: tuple[Reach, ...]
    wide: tuple[Reach, ...]

    def band(self, reaches: tuple[Reach, ...], rounds: float) -> Span:
        """Return the returns between which 999 of 1,000 results of `rounds` equal bets lie."""
        after = next((at for at, one in enumerate(reaches) if one.rounds >= rounds), len(reaches) - 1)
        # Between two stored numbers of rounds the larger reach holds for both.
        near = reaches[max(after - 1, 0) : after + 1]
        root = sqrt(rounds)
        return (
            max(0.0, self.least - max(one.below for one in near) / root),
            self.most + max(one.above for one in near) / root,
        )


class Judged(NamedTuple):
    """A cabinet's return beside its expectation; all are shares of stakes, None where nothing can be said.

    `verdict` is `inside`, `edge` (outside the usual band), `outside` (of the wide band), `few` or `unknown`.
    """

    returned: float | None
    least: float | None
    most: float | None
    usual: Span | None
    wide: Span | None
    verdict: str

    @property
    def hold(self) -> float | None:
        """What the house kept, as a share of stakes."""
        return None if self.returned is None else 1 - self.returned

    @property
    def expected_hold(self) -> float | None:
        """The middle of the expected hold."""
        return None if self.least is None or self.most is None else 1 - (self.least + self.most) / 2

    @property
    def hold_band(self) -> Span | None:
        """The least and the most hold of the usual band."""
        return None if self.usual is None else (1 - self.usual[1], 1 - self.usual[0])

    @property
    def hold_wide_band(self) -> Span | None:
        """The least and the most hold of the wide band."""
        return None if self.wide is None else (1 - self.wide[1], 1 - self.wide[0])


@cache
def known() -> dict[str, Expectation]:
    """Return the expectations of the games whose mathematics are still those of the file."""
    files = [file for name in catalogue.names() if (file := catalogue.folder_of(name) / FILE).is_file()]
    stored = [msgspec.json.decode(file.read_bytes(), type=Expectation) for file in files]
    return {one.game: one for one in stored if catalogue.load(one.game).maths_hash == one.maths_hash}


def judge(game: str, rounds: int, stakes: int, wins: int, squares: float | None) -> Judged:
    """Compare `wins` of `stakes` with the game's expectation.

    `squares` is the sum of squared bets in cents squared, or its least: the sum over days of stakes squared by rounds.
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
