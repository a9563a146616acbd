"""Games described by data alone: lines, scatter, picks won on a line, and free spins of the same kind."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import compress

from gamekit.beats import FreeSpinBegins, FreeSpinsWon, LineWin, PickOpened, PicksWon, ScatterWin
from gamekit.declared.order_words import (
    called,
    free_spin_words,
    line_words,
    multiplied_words,
    pick_words,
    row,
    scatter_words,
    stop_words,
    wild_times_words,
)
from gamekit.exact.definition import SpinDefinition
from gamekit.exact.extremes import Largest, largest_win
from gamekit.exact.hits import LineHits, scatter_chance
from gamekit.exact.moments import SpinAnalysis, SpinMoments, line_mean, scatter_ways
from gamekit.exact.near_misses import NearMiss, line_miss, window_miss
from gamekit.exact.prizes import PrizeHits, line_prizes, scatter_prizes
from gamekit.exact.rounds import RoundFigures
from gamekit.exact.runs import Runs
from gamekit.exact.wins import SpinWins, WinLaw
from gamekit.maths import BASE, FREE, BetFigures, Moves, Part, PartFigure, Trigger, WithoutMemory
from gamekit.play import Game, Stake


@dataclass(frozen=True)
class LineGameMaths(WithoutMemory):
    """The mathematics of `game` from its paid spin and its free spin, coins per line left out."""

    game: Game
    base: SpinDefinition
    free: SpinDefinition

    @property
    def order(self) -> tuple[str, ...]:
        """Lines, scatters, picks, then the free spins."""
        base, free = self.base, self.free
        own = partial(called, self.game.name)
        reels = own(base.reels, "REELS")
        return (
            stop_words(reels),
            *line_words(base.rules, pays=own(base.rules.pays, "LINE_PAYS"), lines=own(base.lines, "LINES")),
            *((wild_times_words(f"the row {row(base.wild_multipliers)}"),) if base.wild_multipliers else ()),
            *((multiplied_words(free.multiplier),) if base.scatter.free_spins and free.multiplier > 1 else ()),
            *scatter_words(base.scatter, retrigger=bool(free.scatter.free_spins)),
            *(pick_words(symbol, picks, amounts=base.picks.table) for symbol, picks in base.picks.picks.items()),
            *(
                (free_spin_words(own(free.reels, reels), retrigger=bool(free.scatter.free_spins)),)
                if base.scatter.free_spins
                else ()
            ),
        )

    @property
    def stakes(self) -> Sequence[Stake]:
        """Every selectable bet."""
        return self.game.stakes()

    @property
    def moves(self) -> Moves:
        """The first free spin leads from the paid spin to the free ones."""
        return {(BASE, FreeSpinBegins): FREE}

    @property
    def parts(self) -> tuple[Part, ...]:
        """Lines, scatter and picks of the paid spin, then the same in free spins.

        In free spins wins come in clusters: there the events of lines and scatter are rounds that play free spins.
        """
        begins = ((BASE, FreeSpinBegins),)
        picks = self.base.picks.name
        every = (
            Part("lines", ((BASE, LineWin),)),
            Part("scatter", ((BASE, ScatterWin),)),
            Part(picks, ((BASE, PickOpened),), ((BASE, PicksWon),)),
            Part("free_lines", ((FREE, LineWin),), begins),
            Part("free_scatter", ((FREE, ScatterWin),), begins),
            Part(f"free_{picks}", ((FREE, PickOpened),), ((FREE, PicksWon),)),
        )
        return tuple(compress(every, self._has))

    @property
    def _has(self) -> tuple[bool, ...]:
        """Which of the parts this game has."""
        base = (True, bool(self.base.scatter.pays), bool(self.base.picks.picks))
        return (*base, *(there and bool(self.base.scatter.free_spins) for there in base))

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """Free spins, and picks."""
        free = Trigger("free_spins", ((BASE, FreeSpinsWon),))
        picks = Trigger(self.base.picks.name, ((BASE, PicksWon),))
        return tuple(compress((free, picks), (self.base.scatter.free_spins, self.base.picks.picks)))

    @cached_property
    def analysis(self) -> "LineGameAnalysis":
        """The exact figures; the tables behind them are built once."""
        return LineGameAnalysis(self.base, self.free)

    def figures(self, stake: Stake, _state: str) -> BetFigures:
        """Return the figures at `stake`; coins per line scale every win alike."""
        analysis = self.analysis
        lines, coins = stake.lines, stake.coins_per_line
        figures = analysis.round_figures(lines)
        parts = compress(zip(figures.parts(), analysis.events(lines), strict=True), self._has)
        return BetFigures(
            parts=tuple(PartFigure(part.mean * coins, part.variance * coins**2, events) for part, events in parts),
            variance=figures.total.variance * coins**2,
            hit_frequency=analysis.hit_frequency(lines),
            triggers=analysis.triggers(lines),
            largest=analysis.largest(lines).times(coins),
            free_spins=figures.free_spins,
        )

    def mean(self, stake: Stake, _state: str) -> Fraction:
        """Return what a round at `stake` returns, in coins; it needs one line, and every bet returns the same."""
        paid, free = (_spin_mean(spin) for spin in (self.base, self.free))
        return stake.coins * (paid[0] + paid[1] * free[0] / (1 - free[1]))

    def prizes(self) -> Sequence[PrizeHits]:
        """Return the prizes of a paid spin; none where only the counts of symbols are known."""
        base = self.base
        if base.reels is None:
            return []
        scatter = base.scatter
        scatters = [] if scatter.weights else scatter_prizes(base.reels, scatter.symbol, scatter.pays)
        return [*line_prizes(base.reels, base.lines, base.rules), *scatters]

    def near_misses(self, stake: Stake) -> Sequence[NearMiss]:
        """Return those of the free spins, and of the picks."""
        spin, found = self.base, []
        if spin.scatter.free_spins and not spin.scatter.weights:
            least = min(spin.scatter.free_spins)
            found.append(window_miss("free_spins", spin.strips(), spin.scatter.symbol, least))
        for symbol, picks in spin.picks.picks.items():
            found.append(line_miss(spin.picks.name, spin, symbol, min(picks), stake.lines))
        return found

    def spin_wins(self, stake: Stake) -> WinLaw:
        """Return what lines and scatters of a paid spin win; picks are left out."""
        return SpinWins(self.base, stake.lines).law()

    def best_free_spin(self, stake: Stake) -> Largest | None:
        """Return the largest win of a free spin with its picks; None where there are none."""
        if not self.base.scatter.free_spins:
            return None
        return self.analysis.largest_free(stake.lines).times(stake.coins_per_line)


def _spin_mean(spin: SpinDefinition) -> tuple[Fraction, Fraction]:
    """Return what a spin returns, in bets, and how many free spins it wins, on average."""
    pays, picks = (
        line_mean(spin, Runs(spin.rules, values, spin.symbols)) for values in (spin.rules.pays, spin.picks.picks)
    )
    ways = scatter_ways(spin)
    scatter, spins = (
        Fraction(sum(by.get(count, 0) * way for count, way in enumerate(ways)), spin.combinations)
        for by in (spin.scatter.pays, spin.scatter.free_spins)
    )
    return pays * spin.multiplier + picks * spin.picks.mean + scatter, spins


class LineGameAnalysis:
    """The exact figures of a game at any number of lines, at one coin a line; each is worked out once."""

    def __init__(self, base: SpinDefinition, free: SpinDefinition) -> None:
        self._definitions = (base, free)
        self._base = SpinAnalysis(base)
        alike = replace(free, multiplier=base.multiplier) == base
        self._free = self._base.multiplied(free.multiplier) if alike else SpinAnalysis(free)
        rules = base.rules
        self._any_hits = LineHits(base, (*rules.pays, *rules.features))
        self._pay_hits = LineHits(base, tuple(rules.pays))
        self._pick_hits = LineHits(base, tuple(rules.features))
        self._rounds: dict[int, RoundFigures] = {}
        self._largest: dict[tuple[int, int], Largest] = {}

    def round_figures(self, lines: int) -> RoundFigures:
        """Return the moments of a round's parts."""
        if lines not in self._rounds:
            self._rounds[lines] = RoundFigures(*self.moments(lines))
        return self._rounds[lines]

    def moments(self, lines: int) -> tuple[SpinMoments, SpinMoments]:
        """Return the moments of the paid and of the free spin: lines, scatter, picks."""
        return self._base.at(lines), self._free.at(lines)

    def events(self, lines: int) -> list[Fraction]:
        """Return how many events of each part a round has on average."""
        base = self._definitions[0]
        starts = {symbol: {least: 1} for symbol, least in base.rules.features.items()}
        bonuses = lines * line_mean(base, Runs(base.rules, starts, base.symbols)) if starts else Fraction(0)
        free = scatter_chance(base, base.scatter.free_spins)
        return [
            self._pay_hits.chance(lines),
            scatter_chance(base, base.scatter.pays),
            bonuses,
            free,
            free,
            bonuses * self.round_figures(lines).free_spins,
        ]

    def hit_frequency(self, lines: int) -> Fraction:
        """Return the chance that a paid spin pays or starts a feature."""
        scatter = self._definitions[0].scatter
        return self._any_hits.chance(lines, {*scatter.pays, *scatter.free_spins})

    def triggers(self, lines: int) -> dict[str, Fraction]:
        """Return the chance that a paid spin starts each feature."""
        base = self._definitions[0]
        won = base.scatter.free_spins
        free = {"free_spins": scatter_chance(base, won)} if won else {}
        return free | ({base.picks.name: self._pick_hits.chance(lines)} if base.picks.picks else {})

    def largest(self, lines: int) -> Largest:
        """Return the largest win of a paid spin with its picks."""
        return self._search(0, lines)

    def largest_free(self, lines: int) -> Largest:
        """Return the largest win of a free spin with its picks."""
        return self._search(1, lines)

    def _search(self, kind: int, lines: int) -> Largest:
        key = (kind, lines)
        if key not in self._largest:
            self._largest[key] = largest_win(self._definitions[kind], lines)
        return self._largest[key]
