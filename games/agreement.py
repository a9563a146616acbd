"""Whether a simulation agrees with the exact figures, part by part.

Intervals are joint over all parts (Bonferroni) and come from the exact sigma; a part with few events expected is
judged by the count of its events instead, in a Poisson interval. Floating point serves statistics here, never money.
"""

from fractions import Fraction
from math import exp, sqrt
from statistics import NormalDist
from typing import NamedTuple

import msgspec

from games.exact.moments import line_mean
from games.exact.rounds import Figure
from games.exact.runs import Runs
from games.par import ParAnalysis
from games.play import Stake
from games.simulate import KINDS, Tally

JOINT = Fraction(99, 100)
ALARM = Fraction(9999, 10000)
_FEW_EVENTS = 100


class PartReport(msgspec.Struct, frozen=True, kw_only=True):
    """One part: its simulated and exact share of the bet in percent, its sigma in bets, and whether they agree.

    The interval is the exact share's, jointly 99 % over all parts. Where `counted`, fewer than 100 events were
    expected: `events` then had to lie in a Poisson interval, `low` to `high`, which are counts and not percentages.
    """

    name: str
    simulated: float
    exact: float
    sigma: float
    exact_sigma: float
    low: float
    high: float
    events: int
    counted: bool
    inside: bool
    alarm: bool


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A simulation held against the exact figures."""

    game: str
    maths_version: int
    maths_hash: str
    stake: Stake
    rounds: int
    seed: int
    simulated: float
    exact: float
    sigma: float
    exact_sigma: float
    parts: list[PartReport]

    @property
    def inside(self) -> bool:
        """Whether every part lies inside the jointly 99 % interval."""
        return all(part.inside for part in self.parts)

    @property
    def alarm(self) -> bool:
        """Whether a part lies outside the jointly 99.99 % interval."""
        return any(part.alarm for part in self.parts)


class Exact(NamedTuple):
    """What is known of one part: its figure, and its events per round."""

    name: str
    figure: Figure
    events: Fraction


def poisson_interval(mean: float, doubt: float) -> tuple[int, int]:
    """Return the smallest counts from low to high that leave less than `doubt` / 2 on either side."""
    low, chance, below = 0, exp(-mean), 0.0
    while below + chance < doubt / 2:
        below += chance
        low += 1
        chance *= mean / low
    high = low
    above = 1.0 - below - chance
    while above > doubt / 2:
        high += 1
        chance *= mean / high
        above -= chance
    return low, high


def judge(analysis: ParAnalysis, stake: Stake, tally: Tally, seed: int) -> Report:
    """Hold `tally` against the exact figures of `analysis`, jointly over all parts (Bonferroni)."""
    maths = analysis.maths
    figures = analysis.round_figures(stake.lines)
    expected = expected_events(analysis, stake.lines)
    parts = [
        _judge_part(part, Exact(*exact), tally, stake)
        for part, exact in enumerate(zip(maths.parts, figures.parts(), expected, strict=True))
    ]
    mean = sum(tally.sums) / tally.rounds
    return Report(
        game=maths.game.name,
        maths_version=maths.game.maths_version,
        maths_hash=maths.game.maths_hash,
        stake=stake,
        rounds=tally.rounds,
        seed=seed,
        simulated=100 * mean / stake.coins,
        exact=float(100 * figures.total.mean / stake.lines),
        sigma=_sigma(sum(tally.sums), tally.total_square, tally.rounds, stake),
        exact_sigma=sqrt(figures.total.variance) / stake.lines,
        parts=parts,
    )


def expected_events(analysis: ParAnalysis, lines: int) -> list[Fraction]:
    """Return how many events of each part a round has on average.

    Events are chosen to be as good as independent: paid spins with a line win, paid spins with a scatter win, pick
    bonuses; and in free spins, where wins come in clusters, the rounds that play free spins, and pick bonuses.
    """
    spin = analysis.maths.base
    starts = {symbol: {least: 1} for symbol, least in spin.rules.features.items()}
    bonuses = lines * line_mean(spin, Runs(spin.rules, starts, spin.symbols))
    free = analysis.triggers(lines)["free_spins"]
    return [
        analysis.line_pays(lines),
        analysis.scatter_pays(),
        bonuses,
        free,
        free,
        bonuses * analysis.round_figures(lines).free_spins,
    ]


def _judge_part(part: int, known: Exact, tally: Tally, stake: Stake) -> PartReport:
    exact = float(100 * known.figure.mean / stake.lines)
    simulated = 100 * tally.sums[part] / tally.rounds / stake.coins
    events = tally.events[part]
    mean_events = float(known.events * tally.rounds)
    doubts = [float(1 - sure) / (2 * KINDS) for sure in (JOINT, ALARM)]
    if mean_events < _FEW_EVENTS:
        ranges = [tuple(map(float, poisson_interval(mean_events, doubt))) for doubt in doubts]
        judged = float(events)
    else:
        error = 100 * sqrt(known.figure.variance / tally.rounds) / stake.lines
        halves = [error * NormalDist().inv_cdf(1 - doubt / 2) for doubt in doubts]
        ranges = [(exact - half, exact + half) for half in halves]
        judged = simulated
    inside, alarm = (low <= judged <= high for low, high in ranges)
    return PartReport(
        name=known.name,
        simulated=simulated,
        exact=exact,
        sigma=_sigma(tally.sums[part], tally.squares[part], tally.rounds, stake),
        exact_sigma=sqrt(known.figure.variance) / stake.lines,
        low=ranges[0][0],
        high=ranges[0][1],
        events=events,
        counted=mean_events < _FEW_EVENTS,
        inside=inside,
        alarm=not alarm,
    )


def _sigma(total: int, square: int, rounds: int, stake: Stake) -> float:
    """Return the standard deviation, in bets, of `rounds` wins by their sum and the sum of their squares."""
    return sqrt(square * rounds - total**2) / rounds / stake.coins
