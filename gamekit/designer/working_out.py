"""Works out a designer's figures from a game's maths: exact where it can be, counted in played rounds beyond."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor, log, log1p, sqrt

import numpy as np

from gamekit.designer import law as laws
from gamekit.designer.figures import (
    HOLD_PLAYS,
    DesignSheet,
    Drought,
    HoldBand,
    Interval,
    MissRow,
    PlayBand,
    PlayWins,
    Session,
    TailPoint,
    TimeOnDevice,
    hold_band,
)
from gamekit.designer.law import NoLawError, PlayLaw, exact_law, lasting, quantile, thinned
from gamekit.designer.sample import Sample, played
from gamekit.designer.sensitivity import sensitivity
from gamekit.exact.tails import ROUNDING
from gamekit.maths import BetFigures, KnowsMisses, Maths, cost
from gamekit.par import ParSheet
from gamekit.simulate import WIN_EDGES

SESSIONS = (100, 500, 2_000)
BUDGET_BETS = 100
ROUNDS = 10_000_000
PRODUCTION_ROUNDS = 1_000_000
"""Rounds that are counted by a kernel, and by production code where there is none."""

_PERCENTS = (5, 25, 50, 75, 95)
_WAITS = (50.0, 90.0, 99.0, 99.9)
_ONE_IN = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
_Z95 = 1.959963984540054
_MOST_EXACT_HOLD = 10_000

Progress = Callable[[str, int, int], None]


def design_sheet(
    maths: Maths,
    par: ParSheet,
    *,
    seed: int = 1,
    rounds: int | None = None,
    limit_s: float = 120.0,
    progress: Progress = lambda *_: None,
) -> DesignSheet:
    """Return the figures of `maths` beside its PAR sheet `par`.

    Where the distribution of a play is not known exactly, `rounds` rounds are played from `seed`: `ROUNDS` by a kernel,
    `PRODUCTION_ROUNDS` by the production code. `limit_s` is for each table of sensitivities.
    """
    stake, state = maths.stakes[-1], maths.states[0]
    figures = maths.figures(stake, state)
    notes: list[str] = []
    sample = None
    try:
        progress("distribution of a play", 0, 1)
        law = exact_law(maths, stake, figures.mean)
        how = "exact: the spectrum of a whole play with its free spins and features (reach.py), the pool at its seed"
    except (NoLawError, ImportError) as error:
        sample, how = _sampled(maths, rounds, seed, progress)
        notes.append(f"No exact distribution of a whole play: {error}.")
        law = _counted(sample)
    progress("distribution of a play", 1, 1)
    counted = 0 if sample is None else sample.rounds
    outcomes, budget = _sessions(law, sample, progress)
    if figures.variance is None:
        sigma, hold_how = law.sigma, f"no exact sigma is known: from that of the distribution ({how})"
    else:
        sigma, hold_how = sqrt(figures.variance / cost(stake) ** 2), "from the exact sigma"
    if not isinstance(maths, KnowsMisses):
        notes.append("No near misses: the game's maths has no `near_misses`.")
    return DesignSheet(
        par=par,
        lines=stake.lines,
        coins_per_line=stake.coins_per_line,
        state=state,
        rounds=counted,
        seed=seed,
        wins=_play_wins(law, how, counted),
        sessions=outcomes,
        budget=budget,
        hold=[
            _hold(law, plays, float(figures.mean / cost(stake)), sigma, exact=sample is None) for plays in HOLD_PLAYS
        ],
        hold_how=hold_how,
        droughts=_droughts(maths, figures, sample),
        near_misses=[
            MissRow(
                name=one.name,
                needs=one.needs,
                met=float(one.met),
                missed=float(one.missed),
                suspense=None if one.suspense is None else float(one.suspense),
            )
            for one in (maths.near_misses(stake) if isinstance(maths, KnowsMisses) else ())
        ],
        sensitivity=sensitivity(maths, limit_s, progress),
        notes=notes,
    )


def _sampled(maths: Maths, rounds: int | None, seed: int, progress: Progress) -> tuple[Sample, str]:
    from gamekit.kernels.finding import find_kernel  # noqa: PLC0415 - a kernel is compiled only where it plays

    wanted = rounds or (PRODUCTION_ROUNDS if find_kernel(maths.game.name) is None else ROUNDS)
    sample, compiled = played(
        maths,
        maths.stakes[-1],
        wanted,
        seed,
        lengths=SESSIONS,
        budget_bets=BUDGET_BETS,
        progress=lambda done, total: progress("rounds counted", done, total),
    )
    by = "the kernel" if compiled else "the production code"
    return sample, f"counted in {sample.rounds:,} rounds of {by}, seed {seed}; intervals are 95 %"


def _counted(sample: Sample) -> PlayLaw:
    chances = np.zeros(max(sample.wins) + 1)
    chances[list(sample.wins)] = [times / sample.rounds for times in sample.wins.values()]
    return PlayLaw(sample.bet, chances)


def interval(chance: float, counted: int) -> Interval:
    """Return `chance` with Wilson's 95 % interval where it was counted in so many trials; 0 where it is exact."""
    if not counted:
        return Interval(chance=chance)
    square = _Z95**2
    middle = (chance + square / (2 * counted)) / (1 + square / counted)
    half = _Z95 * sqrt(chance * (1 - chance) / counted + square / (4 * counted**2)) / (1 + square / counted)
    return Interval(chance=chance, low=max(0.0, middle - half), high=min(1.0, middle + half))


def _play_wins(law: PlayLaw, how: str, counted: int) -> PlayWins:
    least = 1 / counted if counted else ROUNDING
    most = int(np.nonzero(law.tail >= least)[0][-1])
    edges = (None, *WIN_EDGES, None)
    above = [1.0, *(law.above(edge) for edge in WIN_EDGES), 0.0]
    shares = [1.0, *(law.share_above(edge) for edge in WIN_EDGES), 0.0]
    return PlayWins(
        how=how,
        exact=not counted,
        bands=[
            PlayBand(
                above=edges[number],
                up_to=edges[number + 1],
                chance=interval(max(0.0, above[number] - above[number + 1]), counted),
                return_percent=100 * law.mean * (shares[number] - shares[number + 1]),
            )
            for number in range(len(edges) - 1)
        ],
        tail=[
            TailPoint(
                bets=coins / law.bet,
                reached=interval(float(law.tail[coins]), counted),
                return_share=law.share_above((coins - 0.5) / law.bet),
            )
            for coins in thinned(most)
        ],
        one_in={
            odds: int(np.nonzero(law.tail >= 1 / odds)[0][-1]) / law.bet for odds in _ONE_IN if 1 / odds >= 10 * least
        },
    )


def _sessions(law: PlayLaw, sample: Sample | None, progress: Progress) -> tuple[list[Session], TimeOnDevice]:
    found = []
    for number, plays in enumerate(SESSIONS):
        progress("sessions", number, len(SESSIONS) + 1)
        if sample is None:
            chances, counted = law.sum_of(plays), 0
        else:
            sums = sample.sessions[plays]
            chances, counted = np.bincount(sums) / len(sums), len(sums)
        found.append(_session(law.bet, plays, chances, counted))
    progress("sessions", len(SESSIONS), len(SESSIONS) + 1)
    most = SESSIONS[-1]
    if sample is None:
        lasts, counted = np.minimum(lasting(law, BUDGET_BETS, most), 1.0), 0
    else:
        counted = len(sample.lasted)
        played_out = np.bincount(sample.lasted, minlength=most + 1)
        lasts = np.cumsum(played_out[::-1])[::-1] / counted
    progress("sessions", len(SESSIONS) + 1, len(SESSIONS) + 1)
    quantiles: dict[str, int | None] = {}
    for percent in _PERCENTS:
        gone = np.nonzero(lasts <= 1 - percent / 100)[0]
        quantiles[str(percent)] = int(gone[0]) - 1 if gone.size else None
    return found, TimeOnDevice(
        budget_bets=BUDGET_BETS,
        plays=most,
        lasting=[(plays, float(lasts[plays])) for plays in range(0, most + 1, max(1, most // 200))],
        quantiles=quantiles,
        all_plays=interval(float(lasts[most]), counted),
    )


def _session(bet: int, plays: int, chances: laws.Chances, counted: int) -> Session:
    staked = plays * bet
    sums = np.cumsum(chances)
    total = float(sums[-1])
    edges = [quantile(chances, share) for share in np.linspace(0.005, 0.995, 100)]
    return Session(
        plays=plays,
        ahead=interval(float(chances[staked + 1 :].sum()) / total, counted),
        even=float(chances[staked]) / total if staked < chances.size else 0.0,
        mean=float(chances @ np.arange(chances.size)) / total / bet - plays,
        quantiles={str(percent): quantile(chances, percent / 100) / bet - plays for percent in _PERCENTS},
        below=[((won - staked) / bet, float(sums[won]) / total) for won in dict.fromkeys(edges)],
    )


def _hold(law: PlayLaw, plays: int, mean: float, sigma: float, *, exact: bool) -> HoldBand:
    found = None
    if exact and plays <= _MOST_EXACT_HOLD:
        try:
            chances = law.sum_of(plays)
            low, high = (100 * quantile(chances, share) / law.bet / plays for share in (0.05, 0.95))
            found = (low, high)
        except NoLawError:
            found = None
    return hold_band(plays, mean, sigma, found)


def _droughts(maths: Maths, figures: BetFigures, sample: Sample | None) -> list[Drought]:
    rows = [_geometric("pays or starts a feature", figures.hit_frequency, "exact")]
    alike = len(maths.states) == 1
    for place, trigger in enumerate(maths.triggers):
        chance = figures.triggers.get(trigger.name)
        if chance is None and alike:
            continue  # it cannot come at this bet
        if not alike:
            waits = [] if sample is None else sample.waits.get(place, [])
            if waits:
                rows.append(_counted_waits(trigger.name, waits, sample.rounds if sample else 0))
        elif chance:
            # Where a round may show more than one, fewer rounds show any, and waits are longer.
            rows.append(
                _geometric(
                    trigger.name, chance, "exact" if trigger.once else "bounds from below: its mean number a play"
                )
            )
    if not alike:
        # The hit frequency too depends on the memory.
        rows = rows[1:]
    return rows


def _geometric(name: str, chance: Fraction, how: str) -> Drought:
    likely = float(chance)
    miss = log1p(-likely) if likely < 1 else float("-inf")
    return Drought(
        name=name,
        one_in=1 / likely,
        how=how,
        quantiles={f"{percent:g}": max(1, ceil(log(1 - percent / 100) / miss)) for percent in _WAITS},
        none_in={plays: float(np.exp(plays * miss)) for plays in SESSIONS},
    )


def _counted_waits(name: str, waits: Sequence[int], rounds: int) -> Drought:
    ordered = np.sort(np.array(waits))
    mean = float(ordered.mean())
    return Drought(
        name=name,
        one_in=mean,
        how=f"{len(waits):,} waits counted in {rounds:,} rounds",
        quantiles={
            f"{percent:g}": int(ordered[min(len(ordered) - 1, floor(percent / 100 * len(ordered)))])
            for percent in _WAITS
        },
        # From any play on: as likely as that play is one of those which have so many to wait still.
        none_in={plays: float(np.clip(ordered - plays, 0, None).sum() / ordered.sum()) for plays in SESSIONS},
    )
