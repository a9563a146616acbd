"""The mathematics of a declared game, from its declaration alone."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import compress

from gamekit.beats import CascadeFell, FreeSpinBegins, FreeSpinsWon, LineWin, ScatterWin, WaysWin
from gamekit.declared.declaration import Declaration, LineWins
from gamekit.declared.hold_values import HoldValues
from gamekit.declared.line_game import LineGameMaths
from gamekit.declared.order_words import (
    called,
    cascade_words,
    free_spin_words,
    hold_words,
    line_words,
    multiplied_words,
    scatter_words,
    stop_words,
    ways_words,
)
from gamekit.declared.spins import DeclaredSpins
from gamekit.exact.definition import NO_PICKS, PickRules, SpinDefinition, count_symbols
from gamekit.exact.extremes import Largest
from gamekit.exact.moments import SpinMoments
from gamekit.exact.near_misses import NearMiss, window_miss
from gamekit.exact.prizes import SCATTER, PrizeHits, line_prizes, scatter_prizes, way_prizes
from gamekit.exact.rounds import Figure, RoundFigures
from gamekit.exact.spin_law import Given, SpinLaw
from gamekit.exact.sticky import StickySpins, with_sticky
from gamekit.exact.wins import WinLaw
from gamekit.hold_and_win import HoldPaid, RespinsWon
from gamekit.maths import BASE, FREE, BeatInPhase, BetFigures, Moves, Part, PartFigure, Trigger, WithoutMemory
from gamekit.play import Beat, Game, Stake

CASCADE = "cascade"
FREE_CASCADE = "free_cascade"
"""The phases after the first fall of a spin."""

_PHASES = {BASE: (BASE, CASCADE), FREE: (FREE, FREE_CASCADE)}


def declared_maths(game: Game, declared: Declaration) -> "LineGameMaths | LawMaths":
    """Return the mathematics of `game`: line by line if lines pay on unchanged windows, else by the laws of spins."""
    changed = declared.expanding or declared.free_spins.sticky or declared.hold is not None
    if changed or not isinstance(declared.wins, LineWins):
        return LawMaths(game, declared)
    return line_maths(game, declared)


def line_maths(game: Game, declared: Declaration) -> LineGameMaths:
    """Return the mathematics of a game of lines whose wilds stay as they are; raise TypeError for ways."""
    wins = declared.wins
    if not isinstance(wins, LineWins):
        raise TypeError(f"{game.title} has ways: its mathematics is a LawMaths")
    return LineGameMaths(
        game=game, base=line_spin(game, declared, wins, free=False), free=line_spin(game, declared, wins, free=True)
    )


def line_spin(game: Game, declared: Declaration, wins: LineWins, *, free: bool) -> SpinDefinition:
    """Return a spin of lines as its exact mathematics sees it."""
    reels = declared.free_reels if free else declared.reels
    picks = NO_PICKS
    if declared.picks is not None:
        table = declared.picks.table
        symbol = declared.picks.symbol
        picks = PickRules(
            name=declared.picks.name,
            picks={symbol: {count: count for count in range(wins.rules.features[symbol], len(reels.strips) + 1)}},
            mean=table.mean,
            variance=table.variance,
            largest=table.largest,
            largest_chance=Fraction(table.weights[table.largest], table.total),
            table=called(game.name, table, PickRules.table),
        )
    return SpinDefinition(
        counts=count_symbols(reels),
        rows=reels.rows,
        lines=wins.lines,
        rules=wins.rules,
        scatter=declared.scatter,
        picks=picks,
        multiplier=declared.free_spins.multiplier if free else 1,
        wild_multipliers=wins.wild_multipliers,
        reels=reels,
    )


class LawMaths(WithoutMemory):
    """The mathematics of `game` by the laws of its paid and its free spin, coins per line left out."""

    def __init__(self, game: Game, declared: Declaration) -> None:
        self.game = game
        self.declared = declared
        self.spins = DeclaredSpins(declared)
        self._hold = None if declared.hold is None else HoldValues(declared.hold)
        self._figures: dict[int, BetFigures] = {}

    @property
    def order(self) -> tuple[str, ...]:
        """The order in which a spin is evaluated, as `gamekit.declared.declaration` has it."""
        declared, free, wins = self.declared, self.declared.free_spins, self.declared.wins
        own = partial(called, self.game.name)
        reels = own(declared.reels, "REELS")
        where = "in the last window of a spin" if declared.cascades is not None else "in the window"
        where += ", before wilds expand," if declared.expanding else ""
        steps = [stop_words(reels)]
        if free.sticky:
            steps.append("In free spins wilds stay in their cells until these end, and cover what is under them.")
        if declared.expanding:
            steps.append("Each reel that shows a wild shows nothing but wilds.")
        if isinstance(wins, LineWins):
            steps += line_words(wins.rules, pays=own(wins.rules.pays, "LINE_PAYS"), lines=own(wins.lines, "LINES"))
        else:
            steps += ways_words(wins, pays=own(wins.pays, "PAYS"))
        if declared.cascades is not None:
            steps += cascade_words(declared.cascades, free.cascades)
        elif declared.has_free_spins and free.multiplier > 1:
            steps.append(multiplied_words(free.multiplier, of="line wins" if isinstance(wins, LineWins) else "ways"))
        steps += scatter_words(declared.scatter, where=where, retrigger=free.retrigger)
        if declared.hold is not None:
            steps += hold_words(declared.hold, values=own(declared.hold.values, "the table of values"))
        if declared.has_free_spins:
            steps.append(free_spin_words(own(declared.free_reels, reels), retrigger=free.retrigger))
        return tuple(steps)

    @property
    def stakes(self) -> Sequence[Stake]:
        """Every selectable bet."""
        return self.game.stakes()

    @property
    def moves(self) -> Moves:
        """A fall leads to the cascades of its spin, a free spin to the phase of free spins."""
        moves: dict[BeatInPhase, str] = {(BASE, FreeSpinBegins): FREE}
        if self.declared.cascades is not None:
            moves |= {
                (BASE, CascadeFell): CASCADE,
                (FREE, CascadeFell): FREE_CASCADE,
                (CASCADE, FreeSpinBegins): FREE,
                (FREE_CASCADE, FreeSpinBegins): FREE,
            }
        return moves

    def _seen(self, phase: str, beat: type[Beat]) -> tuple[BeatInPhase, ...]:
        """Return `beat` in a kind of spin, before and after its falls."""
        phases = _PHASES[phase] if self.declared.cascades is not None else (phase,)
        return tuple((each, beat) for each in phases)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the paid spin, then the same of free spins, whose wins come in clusters."""
        win, name = (LineWin, "lines") if isinstance(self.declared.wins, LineWins) else (WaysWin, "ways")
        hold = self.declared.hold
        bonus = "" if hold is None else hold.name
        every = []
        for phase, before, later in ((BASE, "", CASCADE), (FREE, "free_", FREE_CASCADE)):
            begins = self._seen(BASE, FreeSpinBegins) if phase == FREE else ()
            every += [
                Part(f"{before}{name}", ((phase, win),), begins),
                Part(f"{before}cascades", ((later, win),), begins),
                Part(f"{before}scatter", self._seen(phase, ScatterWin), begins),
                Part(f"{before}{bonus}", self._seen(phase, HoldPaid), self._seen(phase, RespinsWon)),
            ]
        return tuple(compress(every, self._has))

    @property
    def _has(self) -> tuple[bool, ...]:
        """Which of the parts this game has."""
        declared = self.declared
        base = (True, declared.cascades is not None, bool(declared.scatter.pays), declared.hold is not None)
        return (*base, *(there and declared.has_free_spins for there in base))

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """Free spins, hold and win, and a first fall."""
        declared = self.declared
        every = (
            (declared.has_free_spins, Trigger("free_spins", self._seen(BASE, FreeSpinsWon))),
            (declared.hold is not None, Trigger(self._bonus_name, self._seen(BASE, RespinsWon))),
            (declared.cascades is not None, Trigger("cascade", ((BASE, CascadeFell),))),
        )
        return tuple(trigger for there, trigger in every if there)

    @property
    def _bonus_name(self) -> str:
        return "" if self.declared.hold is None else self.declared.hold.name

    def given(self, lines: int, tag: int, *, free: bool = False) -> Given:
        """Return the coins, free spins and bonus of a tag at one coin on each of `lines` lines."""
        scatter = self.declared.scatter
        count = self.spins.tags.scatters(tag)
        spins = scatter.free_spins.get(count, 0)
        mean, square = (Fraction(0), Fraction(0))
        if self._hold is not None:
            mean, square = self._hold.moments(self.spins.tags.holds(tag))
        return Given(
            scatter=scatter.pays.get(count, 0) * lines,
            spins=spins if self.declared.free_spins.retrigger or not free else 0,
            bonus=(mean * lines, square * lines**2),
        )

    def figures(self, stake: Stake, _state: str) -> BetFigures:
        """Return the figures at `stake`; coins per line scale every win alike."""
        lines, coins = stake.lines, stake.coins_per_line
        if lines not in self._figures:
            self._figures[lines] = self._at(lines)
        known = self._figures[lines]
        return BetFigures(
            parts=tuple(
                PartFigure(part.mean * coins, None if part.variance is None else part.variance * coins**2, part.events)
                for part in known.parts
            ),
            variance=None if known.variance is None else known.variance * coins**2,
            hit_frequency=known.hit_frequency,
            triggers=known.triggers,
            largest=known.largest.times(coins),
            free_spins=known.free_spins,
        )

    def _at(self, lines: int) -> BetFigures:
        law = self.spins.law(free=False, lines=lines)
        every, total, free_spins = self._round(law, lines)
        chances = self._chances(law)
        events = [*chances[:3], chances[3]]
        starts = law.chance(lambda outcome: self.given(lines, outcome[0]).spins > 0)
        if self.declared.has_free_spins:
            free = self.spins.law(free=True, lines=lines)
            events += [starts, starts, starts, free_spins * self._chances(free)[3]]
        parts = compress(zip(every, events, strict=False), self._has)
        triggers = {
            "free_spins": starts,
            self._bonus_name: chances[3],
            "cascade": chances[0],
        }
        return BetFigures(
            parts=tuple(PartFigure(part.mean, part.variance, events) for part, events in parts),
            variance=total.variance,
            hit_frequency=law.sums.chance(self.starts, or_hits=True),
            triggers={trigger.name: triggers[trigger.name] for trigger in self.triggers},
            largest=self._largest(law, lines),
            free_spins=free_spins,
        )

    def _round(self, law: SpinLaw, lines: int) -> tuple[list[Figure], Figure, Fraction]:
        """Return the figures of all parts that a game may have, of the whole round, and its mean of free spins."""
        paid = partial(self.given, lines)
        if not self.declared.free_spins.sticky:
            free = self.spins.law(free=True, lines=lines) if self.declared.has_free_spins else law
            figures = RoundFigures(law.moments(paid), free.moments(partial(self.given, lines, free=True)))
            return self._spread(figures.parts()), figures.total, figures.free_spins
        moments = with_sticky(law, paid, self._sticky(lines), self.declared.scatter.free_spins.values())
        figures = RoundFigures(moments, nothing(len(moments.mean)))
        return self._spread(figures.parts()[: len(moments.mean)]), figures.total, law.moments(paid).spins

    def _spread(self, parts: Sequence[Figure]) -> list[Figure]:
        """Return `parts` with a place for cascades, where a law has none."""
        if self.declared.cascades is not None:
            return list(parts)
        half = len(parts) // 2
        zero = Figure(Fraction(0), Fraction(0))
        return [parts[0], zero, *parts[1:half], parts[half], zero, *parts[half + 1 :]]

    def _sticky(self, lines: int) -> StickySpins:
        def law(held: int) -> SpinLaw:
            return self.spins.law(free=True, lines=lines, held=held)

        return StickySpins(law, partial(self.given, lines), self.spins.tags.wilds)

    def _chances(self, law: SpinLaw) -> list[Fraction]:
        """Return the chances that lines or ways, cascades, scatters, and hold and win pay in a spin."""
        tags = self.spins.tags
        pays = self.declared.scatter.pays
        return [
            law.chance(lambda outcome: outcome[1] > 0),
            law.chance(lambda outcome: outcome[-1] > 0),
            law.chance(lambda outcome: tags.scatters(outcome[0]) in pays),
            law.chance(lambda outcome: self._holds(outcome[0])),
        ]

    def _holds(self, tag: int) -> bool:
        return self._hold is not None and self.spins.tags.holds(tag) >= self._hold.hold.least

    def starts(self, tag: int) -> bool:
        """Whether a tag pays or starts a feature, independently of lines and ways."""
        scatter, count = self.declared.scatter, self.spins.tags.scatters(tag)
        return count in scatter.pays or count in scatter.free_spins or self._holds(tag)

    def _largest(self, law: SpinLaw, lines: int) -> Largest:
        """Return the largest win of one spin, hold and win at its best."""
        best: dict[int, Fraction] = defaultdict(Fraction)
        for outcome, ways in law.ways.items():
            coins = sum(outcome[1:]) + self.given(lines, outcome[0]).scatter
            chance = Fraction(ways, law.combinations)
            if self._hold is not None and self._holds(outcome[0]):
                bets, sure = self._hold.highest(self.spins.tags.holds(outcome[0]))
                coins += bets * lines
                chance *= sure
            best[coins] += chance
        return Largest(max(best), best[max(best)])

    def mean(self, stake: Stake, _state: str) -> Fraction:
        """Return what a round at `stake` returns, in coins."""
        _, total, _ = self._round(self.spins.law(free=False, lines=stake.lines), stake.lines)
        return total.mean * stake.coins_per_line

    def prizes(self) -> Sequence[PrizeHits]:
        """Return the prizes of a paid spin; none where wilds expand, since its window is not what the stops show.

        With cascades scatters count in the last window.
        """
        if self.declared.expanding:
            return []
        reels, wins, scatter = self.declared.reels, self.declared.wins, self.declared.scatter
        by_place = line_prizes(reels, wins.lines, wins.rules) if isinstance(wins, LineWins) else way_prizes(reels, wins)
        if self.declared.cascades is None:
            return [*by_place, *scatter_prizes(reels, scatter.symbol, scatter.pays)]
        shown: Counter[int] = Counter()
        for outcome, combinations in self.spins.law(free=False, lines=self.stakes[-1].lines).ways.items():
            shown[self.spins.tags.scatters(outcome[0])] += combinations
        return [
            *by_place,
            *(
                PrizeHits(on=SCATTER, symbol=scatter.symbol, count=count, pays=pay, hits=shown[count])
                for count, pay in sorted(scatter.pays.items())
            ),
        ]

    def near_misses(self, stake: Stake) -> Sequence[NearMiss]:
        """Return those of the free spins and of hold and win; with cascades, of the last window."""
        declared, tags = self.declared, self.spins.tags
        found: list[tuple[str, str, int, Callable[[int], int]]] = []
        if declared.has_free_spins:
            found.append(("free_spins", declared.scatter.symbol, min(declared.scatter.free_spins), tags.scatters))
        if declared.hold is not None:
            found.append((declared.hold.name, declared.hold.rules.symbol, declared.hold.least, tags.holds))
        if declared.cascades is None:
            return [window_miss(name, declared.reels, symbol, least) for name, symbol, least, _ in found]
        law = self.spins.law(free=False, lines=stake.lines)
        return [self._last_miss(law, *feature) for feature in found]

    @staticmethod
    def _last_miss(law: SpinLaw, name: str, symbol: str, least: int, count: Callable[[int], int]) -> NearMiss:
        return NearMiss(
            name=name,
            needs=f"{least} or more {symbol} in the last window",
            met=law.sums.chance(lambda tag: count(tag) >= least),
            missed=law.sums.chance(lambda tag: count(tag) == least - 1),
        )

    def spin_wins(self, stake: Stake) -> WinLaw:
        """Return what lines or ways and scatters of a paid spin win, cascades included; hold and win is left out."""
        ways: Counter[int] = Counter()
        for outcome, count in self.spins.law(free=False, lines=stake.lines).ways.items():
            ways[sum(outcome[1:]) + self.given(stake.lines, outcome[0]).scatter] += count
        return WinLaw(stake.lines, dict(sorted(ways.items())))

    def best_free_spin(self, stake: Stake) -> Largest | None:
        """Return the largest win of a free spin with its hold and win; behind sticky wilds, of any free spin played."""
        if not self.declared.has_free_spins:
            return None
        lines = stake.lines
        if not self.declared.free_spins.sticky:
            return self._largest(self.spins.law(free=True, lines=lines), lines).times(stake.coins_per_line)
        paid = self.spins.law(free=False, lines=lines)
        reached: dict[int, Fraction] = defaultdict(Fraction)
        by_count: dict[int, int] = defaultdict(int)
        for tag, ways in paid.by_tag().items():
            by_count[self.given(lines, tag).spins] += ways
        for count, ways in by_count.items():
            for held, spins in self._sticky(lines).reached(count).items():
                reached[held] += Fraction(ways, paid.combinations) * spins
        found = {held: self._largest(self.spins.law(free=True, lines=lines, held=held), lines) for held in reached}
        coins = max(one.coins for one in found.values())
        chance = sum((reached[held] * one.chance for held, one in found.items() if one.coins == coins), Fraction(0))
        return Largest(coins, chance / sum(reached.values())).times(stake.coins_per_line)


def nothing(size: int) -> SpinMoments:
    """Return the moments of a spin that wins nothing."""
    zero = (Fraction(0),) * size
    return SpinMoments(zero, (zero,) * size, zero, Fraction(0), Fraction(0))
