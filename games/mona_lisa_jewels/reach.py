"""What a whole play of Mona Lisa Jewels wins: lines, palettes, jackpot (the pool at its seed), jewel and free spins.

In a spin that locks reel 1 and in its jewel spins, lines that begin with a queen are left out. The wins of the others
depend only on the cells with a jewel or a wild, which are held in the following spins, so the three windows have few
states. The figures are therefore lower bounds; on twelve lines, compared with one complete computation, the amounts of
a locked spin at one in a million are 0.7 % too low.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache

from gamekit.exact.runs import Runs
from gamekit.exact.tails import Outcomes, Spectra, Spectrum, mixed, played_out, reached, scaled
from gamekit.exact.walks import Columns, Shown, Walk
from gamekit.exact.wins import SpinWins, scatter_columns
from gamekit.figures import Promise
from gamekit.lines import LineRules
from gamekit.play import Stake
from gamekit.reels import Strip
from games.mona_lisa_jewels.extremes import held_columns
from games.mona_lisa_jewels.jewels import TRIGGERS
from games.mona_lisa_jewels.maths import MATHS, award_at, spin_definition
from games.mona_lisa_jewels.pays import (
    FREE_SPINS,
    JEWEL,
    JEWEL_SPINS,
    LINE_PAYS,
    LINES,
    MONA_LISA,
    PALETTE,
    PALETTE_PAYS,
    WILD_MULTIPLIERS,
)
from games.mona_lisa_jewels.strips import REELS

LEFT_OUT = "queens on the lines of spins that start jewel spins, and of these"

SPECTRA = Spectra(2**17)

_SPINS = JEWEL_SPINS + 1
_JEWEL_RULES = LineRules(pays={JEWEL: LINE_PAYS[JEWEL]}, wild=MONA_LISA)

# Palettes are counted window by window: a tag is a number of this base, a digit a window.
_BASE = len(REELS.strips) + 1


def _digits(tag: int) -> list[int]:
    """Return the palettes of each window."""
    return [tag // _BASE**spin % _BASE for spin in range(_SPINS)]


def _alike(reels: int, tag: int) -> int:
    """Return `tag` without the palettes of windows in which too few can still come."""
    reachable = len(REELS.strips) - reels
    counted = (palettes if palettes + reachable >= min(PALETTE_PAYS) else 0 for palettes in _digits(tag))
    return sum(palettes * _BASE**spin for spin, palettes in enumerate(counted))


def _jewels_alone(column: Strip, *, wilds: bool) -> Strip:
    """Return `column` with what keeps jewels going; where `wilds` make no difference they are jewels too."""
    shown = {JEWEL: JEWEL, MONA_LISA: MONA_LISA if wilds else JEWEL}
    return tuple(shown.get(symbol, "") for symbol in column)


def _locked_columns(*, free: bool) -> list[Columns]:
    """Return what each reel shows in the spin that locks reel 1 and in its jewel spins, with their palettes."""
    locked = Counter(((_jewels_alone(REELS.column(0, stop), wilds=False),) * _SPINS, 0) for stop in sorted(TRIGGERS))
    every: list[Columns] = [locked]
    for reel in range(1, len(REELS.strips)):
        columns: Counter[Shown] = Counter()
        for windows, ways in held_columns(reel).items():
            shown = tuple(_jewels_alone(column, wilds=free and not spin) for spin, column in enumerate(windows))
            tag = sum(column.count(PALETTE) * _BASE**spin for spin, column in enumerate(windows))
            columns[shown, tag] += ways
        every.append(columns)
    return every


def _locked(lines: int, *, free: bool) -> Outcomes:
    """Return the outcomes of a spin that locks reel 1, with its jewel spins."""
    symbols = (JEWEL, MONA_LISA, "")
    plain = Runs(_JEWEL_RULES, _JEWEL_RULES.pays, symbols)
    first = Runs(_JEWEL_RULES, _JEWEL_RULES.pays, symbols, WILD_MULTIPLIERS) if free else plain
    columns = _locked_columns(free=free)
    total = REELS.lengths[0]
    for reel in columns[1:]:
        total *= sum(reel.values())
    outcomes = []
    for tag, ways in Walk(LINES[:lines], columns, (first, *[plain] * JEWEL_SPINS), _alike).ways().items():
        palettes = _digits(tag)
        plus = sum(PALETTE_PAYS.get(count, 0) for count in palettes) * lines
        spins = sum(FREE_SPINS.get(count, 0) for count in palettes)
        outcomes.append((spins, SPECTRA.of(scaled(ways, total, plus=plus))))
    return mixed(outcomes)


def _plain(lines: int, award: int, *, free: bool) -> Outcomes:
    """Return the outcomes of a spin that does not lock reel 1, five jackpots worth `award`."""
    spin = spin_definition(award, WILD_MULTIPLIERS if free else ())
    unlocked: Counter[Shown] = Counter(
        ((column := REELS.column(0, stop),), spin.scatter.count(column))
        for stop in range(REELS.lengths[0])
        if stop not in TRIGGERS
    )
    columns: list[Columns] = [unlocked, *scatter_columns(spin)[1:]]
    outcomes = []
    for palettes, ways in SpinWins(spin, lines, with_picks=True, columns=columns).by_scatters().items():
        plus = PALETTE_PAYS.get(palettes, 0) * lines
        outcomes.append((FREE_SPINS.get(palettes, 0), SPECTRA.of(scaled(ways, spin.combinations, plus=plus))))
    return mixed(outcomes)


@cache
def _play(lines: int, award: int) -> Spectrum:
    """Return the spectrum of a whole play at one coin a line."""
    paid, free = (
        mixed([*_plain(lines, award, free=free).items(), *_locked(lines, free=free).items()]) for free in (False, True)
    )
    return played_out(paid, free)


def spectrum(stake: Stake) -> Spectrum:
    """Return the spectrum of a whole play, in coins for each coin on a line."""
    return _play(stake.lines, award_at(stake))


def promises() -> Iterator[Promise]:
    """Yield what every bet may promise; at the highest one alone five jackpots win the pool."""
    for stake in MATHS.stakes:
        bound = reached(SPECTRA.tail(spectrum(stake)))
        yield Promise.of(stake, bound.coins * stake.coins_per_line, bound.one_in)
