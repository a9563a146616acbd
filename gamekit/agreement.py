"""Checks that a simulation agrees with the exact figures, part by part.

Intervals are joint over all parts (Bonferroni) and come from the exact sigma. A part with few expected events is judged
by its event count instead, in a Poisson interval. Floating point is used for statistics here, never for money.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, sqrt
from statistics import NormalDist

import msgspec

from gamekit.maths import Maths, PartFigure, Trigger, cost
from gamekit.play import Stake
from gamekit.simulate import Tally

REPORT_CONFIDENCE = Fraction(99, 100)
"""Probability that all parts of a correct game lie inside their intervals together."""
ALARM_CONFIDENCE = Fraction(9999, 10000)
"""The same for the wider intervals outside of which a part raises an alarm."""
_FEW_EVENTS = 100


class PartReport(msgspec.Struct, frozen=True, kw_only=True):
    """One part: its simulated and exact share of the bet in percent, its sigma in bets, and whether they agree.

    The interval is around the exact share, jointly 99 % over all parts. If `counted`, fewer than 100 events were
    expected: `events` is then compared with a Poisson interval, and `low` and `high` are counts, not percentages.
    `exact_sigma` is None if it is not known: the interval then uses the simulated sigma.
    """

    name: str
    simulated: float
    exact: float
    sigma: float
    exact_sigma: float | None
    low: float
    high: float
    events: int
    counted: bool
    inside: bool
    alarm: bool


class TriggerReport(msgspec.Struct, frozen=True, kw_only=True):
    """One trigger: how often it was counted and expected in all rounds, and the interval of the count.

    The interval is jointly 99 % over all triggers, from the exact chance; a Poisson interval where fewer than 100 are
    expected.
    """

    name: str
    events: int
    expected: float
    low: float
    high: float
    inside: bool
    alarm: bool


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A simulation compared with the exact figures; `wins` counts its rounds by size of win (`WIN_EDGES`)."""

    game: str
    maths_version: int
    maths_hash: str
    stake: Stake
    rounds: int
    seed: int
    simulated: float
    exact: float
    sigma: float
    exact_sigma: float | None
    parts: list[PartReport]
    triggers: list[TriggerReport] = []
    wins: list[int] = []

    @property
    def inside(self) -> bool:
        """Whether every part and every trigger is inside its jointly 99 % interval."""
        return all(part.inside for part in self.parts) and all(trigger.inside for trigger in self.triggers)

    @property
    def alarm(self) -> bool:
        """Whether a part or a trigger is outside its jointly 99.99 % interval."""
        return any(part.alarm for part in self.parts) or any(trigger.alarm for trigger in self.triggers)


KEPT = "simulated.json"
"""The file in a game's folder with the rounds of its production play; `simulated_*.json` are those of other stakes."""


class KeptSimulation(msgspec.Struct, frozen=True, kw_only=True):
    """A simulation as stored in a game's folder (`KEPT`), with the command that plays the same rounds again."""

    command: str
    inside_jointly_99_percent: bool
    outside_jointly_99_99_percent: bool
    report: Report


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


def judge(maths: Maths, stake: Stake, tally: Tally, seed: int) -> Report:
    """Compare `tally` with the exact figures of `maths`, jointly over all parts and over all triggers (Bonferroni).

    If a game carries memory, each round is compared with the figures of the state it began in. The differences from
    those means form a martingale, so the means and the variances of the rounds simply add up.
    """
    mixed = mixed_figures(maths, stake, tally)
    played = [number for number, part in enumerate(maths.parts) if part.pays]
    paid = cost(stake)
    parts = [
        _judge_part(number, maths.parts[number].name, mixed[number], tally, paid=paid, judged_parts=len(played))
        for number in played
    ]
    return Report(
        game=maths.game.name,
        maths_version=maths.game.maths_version,
        maths_hash=maths.game.maths_hash,
        stake=stake,
        rounds=tally.rounds,
        seed=seed,
        simulated=100 * sum(tally.sums) / tally.rounds / paid,
        exact=float(100 * sum((mixed[number].mean for number in played), Fraction(0)) / paid),
        sigma=_sigma(sum(tally.sums), tally.total_square, tally.rounds, paid),
        exact_sigma=_exact_sigma(_mixed_variance(maths, stake, tally), paid),
        parts=parts,
        triggers=judge_triggers(maths, stake, tally),
        wins=list(tally.wins),
    )


def mixed_figures(maths: Maths, stake: Stake, tally: Tally) -> list[PartFigure]:
    """Return each part's exact figures per round, weighted by the states that the tally's rounds began in."""
    weights = [Fraction(rounds, tally.rounds) for rounds in tally.states.values()]
    by_state = [maths.figures(stake, state).parts for state in tally.states]
    return [
        PartFigure(
            mean=_mix(weights, [figure.mean for figure in figures]),
            variance=_mix_known(weights, [figure.variance for figure in figures]),
            events=_mix(weights, [figure.events for figure in figures]),
        )
        for figures in zip(*by_state, strict=True)
    ]


def judge_triggers(maths: Maths, stake: Stake, tally: Tally) -> list[TriggerReport]:
    """Compare the count of every trigger possible at `stake` with its exact figure."""
    by_state = [(maths.figures(stake, state).triggers, rounds) for state, rounds in tally.states.items()]
    possible = [
        number for number, trigger in enumerate(maths.triggers) if any(trigger.name in known for known, _ in by_state)
    ]
    return [
        _judge_trigger(
            maths.triggers[number],
            [(known.get(maths.triggers[number].name, Fraction(0)), rounds) for known, rounds in by_state],
            tally.triggers[number],
            judged=len(possible),
        )
        for number in possible
    ]


def _judge_trigger(
    trigger: Trigger, figures: Sequence[tuple[Fraction, int]], events: int, *, judged: int
) -> TriggerReport:
    """Judge one of `judged` triggers; `figures` are its figure in each state and the rounds begun there."""
    expected = float(sum(figure * rounds for figure, rounds in figures))
    doubts = [float(1 - sure) / judged for sure in (REPORT_CONFIDENCE, ALARM_CONFIDENCE)]
    if expected < _FEW_EVENTS:
        ranges = [tuple(map(float, poisson_interval(expected, doubt))) for doubt in doubts]
    else:
        # Triggers that a round may show more than once are rare, so their number is nearly Poisson-distributed.
        sigma = sqrt(sum(figure * (1 - figure if trigger.once else 1) * rounds for figure, rounds in figures))
        halves = [sigma * NormalDist().inv_cdf(1 - doubt / 2) for doubt in doubts]
        ranges = [(expected - half, expected + half) for half in halves]
    inside, safe = (low <= events <= high for low, high in ranges)
    return TriggerReport(
        name=trigger.name,
        events=events,
        expected=expected,
        low=ranges[0][0],
        high=ranges[0][1],
        inside=inside,
        alarm=not safe,
    )


def _mixed_variance(maths: Maths, stake: Stake, tally: Tally) -> Fraction | None:
    weights = [Fraction(rounds, tally.rounds) for rounds in tally.states.values()]
    return _mix_known(weights, [maths.figures(stake, state).variance for state in tally.states])


def _mix(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((weight * value for weight, value in zip(weights, values, strict=True)), Fraction(0))


def _mix_known(weights: Sequence[Fraction], values: Sequence[Fraction | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return _mix(weights, known) if len(known) == len(values) else None


def _judge_part(part: int, name: str, known: PartFigure, tally: Tally, *, paid: int, judged_parts: int) -> PartReport:
    exact = float(100 * known.mean / paid)
    simulated = 100 * tally.sums[part] / tally.rounds / paid
    sigma = _sigma(tally.sums[part], tally.squares[part], tally.rounds, paid)
    exact_sigma = _exact_sigma(known.variance, paid)
    events = tally.events[part]
    mean_events = float(known.events * tally.rounds)
    doubts = [float(1 - sure) / judged_parts for sure in (REPORT_CONFIDENCE, ALARM_CONFIDENCE)]
    if mean_events < _FEW_EVENTS:
        ranges = [tuple(map(float, poisson_interval(mean_events, doubt))) for doubt in doubts]
        judged = float(events)
    else:
        error = 100 * (sigma if exact_sigma is None else exact_sigma) / sqrt(tally.rounds)
        halves = [error * NormalDist().inv_cdf(1 - doubt / 2) for doubt in doubts]
        ranges = [(exact - half, exact + half) for half in halves]
        judged = simulated
    inside, safe = (low <= judged <= high for low, high in ranges)
    return PartReport(
        name=name,
        simulated=simulated,
        exact=exact,
        sigma=sigma,
        exact_sigma=exact_sigma,
        low=ranges[0][0],
        high=ranges[0][1],
        events=events,
        counted=mean_events < _FEW_EVENTS,
        inside=inside,
        alarm=not safe,
    )


def _exact_sigma(variance: Fraction | None, paid: int) -> float | None:
    return None if variance is None else sqrt(variance) / paid


def _sigma(total: int, square: int, rounds: int, paid: int) -> float:
    """Return the standard deviation, in bets, of `rounds` wins by their sum and the sum of their squares."""
    return sqrt(square * rounds - total**2) / rounds / paid
