"""Mona Lisa Jewels as its exact mathematics sees it: the same tables that the play uses.

A cell that can be held shows a jewel or wild if any window so far showed one there, and otherwise the symbol of the
latest window. Windows and reels are independent, so a jewel spin's line is an ordinary line whose cells have other
odds: with h holdable stops out of n, in jewel spin k, a jewel counts (n^k + n^(k-1)(n-h) + ... + (n-h)^k) times its
stops and any other symbol (n-h)^k times, out of n^(k+1).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from operator import add

from gamekit.beats import FreeSpinBegins, FreeSpinsWon, JackpotWon, LineWin, ScatterWin
from gamekit.declared.order_words import free_spin_words, line_words, stop_words, wild_times_words
from gamekit.exact.definition import PickRules, ScatterRules, SpinDefinition, count_symbols
from gamekit.exact.extremes import Largest, largest_win
from gamekit.exact.hits import LineHits, scatter_chance
from gamekit.exact.moments import Polynomial, SpinAnalysis, line_mean, scatter_ways
from gamekit.exact.near_misses import NearMiss, line_miss, window_miss
from gamekit.exact.prizes import PrizeHits, line_prizes, scatter_prizes
from gamekit.exact.rounds import RoundFigures
from gamekit.exact.runs import Counts, Runs
from gamekit.exact.wins import SpinWins, WinLaw
from gamekit.maths import BASE, FREE, BetFigures, Moves, Part, PartFigure, Trigger, WithoutMemory
from gamekit.play import Game, Stake
from games.mona_lisa_jewels import GAME
from games.mona_lisa_jewels.extremes import held_columns, largest_with_jewel_spins
from games.mona_lisa_jewels.jewels import TRIGGERS
from games.mona_lisa_jewels.moments import with_jewel_spins
from games.mona_lisa_jewels.pays import (
    FREE_SPINS,
    JACKPOT,
    JACKPOT_AWARD,
    JACKPOT_COUNT,
    JEWEL,
    JEWEL_SPINS,
    JEWELS_TO_TRIGGER,
    LINE_RULES,
    LINES,
    MONA_LISA,
    PALETTE,
    PALETTE_PAYS,
    POOL_GROWTH_PER_MILLE,
    POOL_SEED_COINS,
    WILD_MULTIPLIERS,
)
from games.mona_lisa_jewels.play import at_highest_bet
from games.mona_lisa_jewels.steps import FiveJackpots, JewelSpinsEnded, JewelSpinsWon
from games.mona_lisa_jewels.strips import REELS

JEWELS = "jewels"
FREE_JEWELS = "free_jewels"

TRIGGER_CHANCE = Fraction(len(TRIGGERS), REELS.lengths[0])

# Three, four and five palettes win the same number of free spins, so wins of them are counted by spins won.
(_SPINS_WON,) = set(FREE_SPINS.values())

_scatter = ScatterRules(symbol=PALETTE, pays=PALETTE_PAYS, free_spins=FREE_SPINS)


def spin_definition(award: int, wild_multipliers: tuple[int, ...] = ()) -> SpinDefinition:
    """Return a paid or free spin whose five jackpots are worth `award` coins per coin on the line."""
    return SpinDefinition(
        counts=count_symbols(REELS),
        rows=REELS.rows,
        lines=LINES,
        rules=LINE_RULES,
        scatter=_scatter,
        picks=PickRules(name=JACKPOT, picks={JACKPOT: {JACKPOT_COUNT: 1}}, mean=Fraction(award), largest=award),
        wild_multipliers=wild_multipliers,
        reels=REELS,
    )


def locked_rows() -> tuple[Counts, ...]:
    """Return the symbols of each row of reel 1 over the windows that lock it; the strip makes all rows equal."""
    return tuple(Counter(REELS.column(0, stop)[row] for stop in sorted(TRIGGERS)) for row in range(REELS.rows))


def held_counts(counts: Counts, spins: int) -> Counts:
    """Return how often each symbol is in a cell in jewel spin number `spins`, out of n^(spins + 1)."""
    stops = sum(counts.values())
    free = stops - counts[JEWEL] - counts[MONA_LISA]
    held = sum(free**seen * stops ** (spins - seen) for seen in range(spins + 1))
    return {
        symbol: number * (held if symbol in {JEWEL, MONA_LISA} else free**spins) for symbol, number in counts.items()
    }


def jewel_definition(spins: int) -> SpinDefinition:
    """Return jewel spin number `spins` (from 1) by the symbols in its cells."""
    counts = (locked_rows()[0], *(held_counts(reel, spins) for reel in count_symbols(REELS)[1:]))
    return replace(spin_definition(JACKPOT_AWARD), counts=counts, reels=None)


@dataclass(frozen=True)
class JewelFigures:
    """The jewel spins of one trigger: a line's mean, the palettes' mean pay in bets, free spins, palette wins."""

    line: Fraction
    scatter: Fraction
    free_spins: Fraction
    scatter_wins: Fraction


def jewel_figures() -> JewelFigures:
    """Return the figures of one trigger's jewel spins, together."""
    line = scatter = spins = wins = Fraction(0)
    for number in range(1, JEWEL_SPINS + 1):
        definition = jewel_definition(number)
        line += line_mean(definition, Runs(LINE_RULES, LINE_RULES.pays, definition.symbols))
        chances = _palette_chances(definition)
        scatter += sum(chances[count] * pay for count, pay in PALETTE_PAYS.items() if count < len(chances))
        spins += sum(chances[count] * won for count, won in FREE_SPINS.items() if count < len(chances))
        wins += sum(chances[count] for count in PALETTE_PAYS if count < len(chances))
    return JewelFigures(line, scatter, spins, wins)


def _palette_chances(definition: SpinDefinition) -> list[Fraction]:
    """Return the chances of 0, 1, 2 ... palettes on reels 2 to 5: the locked reel shows none."""
    ways: Polynomial = scatter_ways(replace(definition, counts=definition.counts[1:]))
    return [Fraction(way, sum(ways)) for way in ways]


@cache
def free_spins_chance() -> Fraction:
    """Return the chance that a paid spin brings free spins: by its own palettes or by those of its jewel spins.

    The locked reel shows no palette, so a spin that starts jewel spins is counted by what reels 2 to 5 show in each of
    the three windows.
    """
    least = min(FREE_SPINS)
    windows: Counter[tuple[int, ...]] = Counter({(0,) * (JEWEL_SPINS + 1): 1})
    for reel in range(1, len(REELS.strips)):
        going: Counter[tuple[int, ...]] = Counter()
        for columns, ways in held_columns(reel).items():
            shown = [column.count(PALETTE) for column in columns]
            for before, count in windows.items():
                going[tuple(map(add, before, shown))] += ways * count
        windows = going
    # The paid spin's own wins are counted with all spins, so only the chance that its jewel spins add is counted here.
    added = sum(count for palettes, count in windows.items() if palettes[0] < least <= max(palettes))
    own = scatter_chance(spin_definition(JACKPOT_AWARD), FREE_SPINS)
    return own + TRIGGER_CHANCE * Fraction(added, windows.total())


_MOVES: Moves = {
    (BASE, JewelSpinsWon): JEWELS,
    (JEWELS, JewelSpinsEnded): BASE,
    (BASE, FreeSpinBegins): FREE,
    (FREE, JewelSpinsWon): FREE_JEWELS,
    (FREE_JEWELS, JewelSpinsEnded): FREE,
}

_PARTS: tuple[Part, ...] = (
    Part("lines", ((BASE, LineWin),)),
    Part("scatter", ((BASE, ScatterWin),)),
    Part("jackpot", ((BASE, FiveJackpots), (BASE, JackpotWon)), ((BASE, FiveJackpots),)),
    Part("jewel_lines", ((JEWELS, LineWin),), ((BASE, JewelSpinsWon),)),
    Part("jewel_scatter", ((JEWELS, ScatterWin),), ((JEWELS, ScatterWin),)),
    Part("free_lines", ((FREE, LineWin),), ((BASE, FreeSpinsWon), (JEWELS, FreeSpinsWon))),
    Part("free_scatter", ((FREE, ScatterWin),), ((BASE, FreeSpinsWon), (JEWELS, FreeSpinsWon))),
    Part("free_jackpot", ((FREE, FiveJackpots), (FREE, JackpotWon)), ((FREE, FiveJackpots),)),
    Part("free_jewel_lines", ((FREE_JEWELS, LineWin),), ((FREE, JewelSpinsWon),)),
    Part("free_jewel_scatter", ((FREE_JEWELS, ScatterWin),), ((FREE_JEWELS, ScatterWin),)),
)


_TRIGGERS = (
    Trigger("jewel_spins", ((BASE, JewelSpinsWon),)),
    Trigger("free_spins", ((BASE, FreeSpinsWon), (JEWELS, FreeSpinsWon))),
    Trigger("five_jackpots", ((BASE, FiveJackpots),)),
    Trigger("pool", ((BASE, JackpotWon), (FREE, JackpotWon)), once=False),
)


class MonaLisaMaths(WithoutMemory):
    """The parts and figures of Mona Lisa Jewels."""

    game: Game = GAME

    @property
    def moves(self) -> Moves:
        """Jewel spins and normal free spins are phases of their own."""
        return _MOVES

    @property
    def parts(self) -> tuple[Part, ...]:
        """Paid spin, its jewel spins, normal free spins, their jewel spins."""
        return _PARTS

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """Jewel spins, free spins by palettes in the paid spin and its jewel spins, five jackpots, and the pool."""
        return _TRIGGERS

    @property
    def stakes(self) -> Sequence[Stake]:
        """Every selectable bet."""
        return self.game.stakes()

    @cached_property
    def _won_by_scatter(self) -> Fraction:
        """The free spins that a spin's own palettes win on average."""
        ways = scatter_ways(spin_definition(JACKPOT_AWARD))
        return Fraction(sum(ways[count] * won for count, won in FREE_SPINS.items()), sum(ways))

    @property
    def free_spins(self) -> Fraction:
        """How many normal free spins a round plays on average."""
        won = self._won_by_scatter + TRIGGER_CHANCE * _jewels().free_spins
        return won / (1 - won)

    def round_figures(self, lines: int, award: int) -> RoundFigures:
        """Return the moments of a round at one coin a line, five jackpots worth `award`."""
        return _round_figures(lines, award)

    def part_figures(self, stake: Stake) -> tuple[PartFigure, ...]:
        """Return the figures of the parts at `stake`; the pool is played for, at its seed, at the highest bet alone."""
        lines, coins = stake.lines, stake.coins_per_line
        figures = zip(self.round_figures(lines, award_at(stake)).parts(), self._events(lines), strict=True)
        return tuple(PartFigure(part.mean * coins, part.variance * coins**2, events) for part, events in figures)

    def figures(self, stake: Stake, _state: str) -> BetFigures:
        """Return the figures at `stake`."""
        pool = at_highest_bet(stake)
        total = self.round_figures(stake.lines, award_at(stake)).total
        return BetFigures(
            parts=self.part_figures(stake),
            variance=total.variance * stake.coins_per_line**2,
            hit_frequency=self._hit_frequency(stake.lines),
            triggers=self._triggers(stake.lines, pool=pool),
            largest=self._largest(stake.lines, award_at(stake)).times(stake.coins_per_line),
            growth=Fraction(stake.coins * POOL_GROWTH_PER_MILLE, 1000) if pool else Fraction(0),
            free_spins=self.free_spins,
        )

    @property
    def order(self) -> tuple[str, ...]:
        """Lines, palettes, jackpot, jewel spins, free spins."""
        return (
            stop_words("REELS"),
            *line_words(LINE_RULES),
            wild_times_words("WILD_MULTIPLIERS", where="In normal free spins alone"),
            (
                "By their number PALETTE anywhere in the window pay PALETTE_PAYS times the whole bet, and win "
                "FREE_SPINS normal free spins."
            ),
            (
                "JACKPOT_COUNT of JACKPOT in a row on a line played, for which nothing stands, pay JACKPOT_AWARD "
                "times the coins on the line; with all LINES and the last of COINS_PER_LINE they claim the pool "
                "instead, which the return counts at POOL_SEED_COINS."
            ),
            (
                "JEWELS_TO_TRIGGER or more of JEWEL on reel 1, for which nothing stands there, start JEWEL_SPINS "
                "jewel spins, in paid spins and in normal free spins."
            ),
            (
                "In jewel spins reel 1 stays as it is and the others turn. Each JEWEL and MONA_LISA on the others "
                "stays in its cell, over what turns behind it: those of the spin that started them for all jewel "
                "spins, those that land in a jewel spin for the ones after it."
            ),
            (
                "Each jewel spin pays its lines, not multiplied, and its palettes, which win normal free spins too; "
                "what is behind a symbol that stays does not count. It starts no jewel spins and wins no jackpot: "
                "reel 1 shows none."
            ),
            "Jewel spins are played at once, each behind a press.",
            f"Normal f{free_spin_words('REELS')[1:]}",
        )

    def mean(self, stake: Stake, _state: str) -> Fraction:
        """Return what a round at `stake` returns, in coins."""
        jewels, ways = _jewels(), scatter_ways(spin_definition(JACKPOT_AWARD))
        palettes = Fraction(
            sum(ways[count] * pay for count, pay in PALETTE_PAYS.items() if count < len(ways)), sum(ways)
        )
        around = palettes + TRIGGER_CHANCE * (jewels.line + jewels.scatter)
        own, multiplied = (_line_and_jackpot_mean(award_at(stake), wilds) for wilds in ((), WILD_MULTIPLIERS))
        return stake.coins * (own + around + self.free_spins * (multiplied + around))

    def prizes(self) -> Sequence[PrizeHits]:
        """Return the prizes of a paid spin."""
        return [*line_prizes(REELS, LINES, LINE_RULES), *scatter_prizes(REELS, PALETTE, PALETTE_PAYS)]

    def near_misses(self, stake: Stake) -> Sequence[NearMiss]:
        """Return those of free spins, of jewel spins, and of five jackpots on a line."""
        return [
            window_miss("free_spins", REELS, PALETTE, min(FREE_SPINS)),
            window_miss("jewel_spins", REELS, JEWEL, JEWELS_TO_TRIGGER, (0,)),
            line_miss("five_jackpots", spin_definition(JACKPOT_AWARD), JACKPOT, JACKPOT_COUNT, stake.lines),
        ]

    def spin_wins(self, stake: Stake) -> WinLaw:
        """Return what lines and palettes of a paid spin win: its jackpot and its jewel spins are left out."""
        return SpinWins(spin_definition(JACKPOT_AWARD), stake.lines).law()

    def best_free_spin(self, stake: Stake) -> Largest:
        """Return the largest win of a normal free spin with its jewel spins, the pool at its seed."""
        lines = stake.lines
        plain = SpinWins(spin_definition(award_at(stake), WILD_MULTIPLIERS), lines, with_picks=True).law().largest
        return _larger(plain, largest_with_jewel_spins(lines, free=True)).times(stake.coins_per_line)

    def _events(self, lines: int) -> list[Fraction]:
        """Return how many events of each part a round has on average."""
        analysis = _analysis(JACKPOT_AWARD)
        free = self.free_spins
        wins = free / (1 + free) / _SPINS_WON
        jackpots = lines * analysis.picks_mean
        jewels = [TRIGGER_CHANCE, TRIGGER_CHANCE * _jewels().scatter_wins]
        return [
            self._line_hits.chance(lines),
            scatter_chance(analysis.spin, PALETTE_PAYS),
            jackpots,
            *jewels,
            wins,
            wins,
            free * jackpots,
            *(free * events for events in jewels),
        ]

    @cached_property
    def _line_hits(self) -> LineHits:
        return LineHits(spin_definition(JACKPOT_AWARD), tuple(LINE_RULES.pays))

    @cached_property
    def _unlocked_hits(self) -> LineHits:
        """Hits of spins that start no jewel spins."""
        others = frozenset(range(REELS.lengths[0])) - TRIGGERS
        return LineHits(spin_definition(JACKPOT_AWARD), (*LINE_RULES.pays, JACKPOT), others)

    def _hit_frequency(self, lines: int) -> Fraction:
        return TRIGGER_CHANCE + self._unlocked_hits.chance(lines, {*PALETTE_PAYS, *FREE_SPINS})

    def _triggers(self, lines: int, *, pool: bool) -> dict[str, Fraction]:
        jackpot = lines * _analysis(JACKPOT_AWARD).picks_mean
        return {
            "jewel_spins": TRIGGER_CHANCE,
            "free_spins": free_spins_chance(),
            "five_jackpots": jackpot,
            **({"pool": jackpot * (1 + self.free_spins)} if pool else {}),
        }

    def _largest(self, lines: int, award: int) -> Largest:
        return _larger(_largest_plain(lines, award), _largest_locked(lines))


def award_at(stake: Stake) -> int:
    """Return what five jackpots bring at `stake`, in coins per coin on the line."""
    return POOL_SEED_COINS // stake.coins_per_line if at_highest_bet(stake) else JACKPOT_AWARD


def _line_and_jackpot_mean(award: int, wild_multipliers: tuple[int, ...]) -> Fraction:
    """Return what a line wins on average with its jackpot, in coins at one coin a line."""
    spin = spin_definition(award, wild_multipliers)
    pays = Runs(spin.rules, spin.rules.pays, spin.symbols, wild_multipliers)
    return line_mean(spin, pays) + award * line_mean(spin, Runs(spin.rules, spin.picks.picks, spin.symbols))


def _larger(plain: Largest, locked: Largest) -> Largest:
    """Return the larger of a spin's wins without and with jewel spins, whose worth is 0 or more."""
    return plain if plain.coins > locked.coins else locked


@cache
def _analysis(award: int, wild_multipliers: tuple[int, ...] = ()) -> SpinAnalysis:
    return SpinAnalysis(spin_definition(award, wild_multipliers))


@cache
def _jewels() -> JewelFigures:
    return jewel_figures()


@cache
def _round_figures(lines: int, award: int) -> RoundFigures:
    jewels = _jewels()
    means = (TRIGGER_CHANCE * lines * jewels.line, TRIGGER_CHANCE * lines * jewels.scatter)
    spins = TRIGGER_CHANCE * jewels.free_spins
    base, free = (
        with_jewel_spins(analysis, lines, free=bool(free), jewel_means=means, jewel_free_spins=spins)
        for free, analysis in enumerate((_analysis(award), _analysis(award, WILD_MULTIPLIERS)))
    )
    return RoundFigures(base, free)


@cache
def _largest_plain(lines: int, award: int) -> Largest:
    return largest_win(spin_definition(award), lines)


@cache
def _largest_locked(lines: int) -> Largest:
    return largest_with_jewel_spins(lines)


MATHS = MonaLisaMaths()
