"""The largest win of a paid or normal free spin with its two jewel spins, and its exact chance.

The reels are walked from left to right for all three spins at once, merging equal states. A beam search first finds a
large win; the exact walk then drops every state that cannot reach it.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from gamekit.exact.extremes import Largest
from gamekit.exact.runs import value_of
from gamekit.reels import Strip
from games.mona_lisa_jewels.jewels import TRIGGERS, holdable, overlay
from games.mona_lisa_jewels.pays import (
    JEWEL_SPINS,
    LINE_RULES,
    LINES,
    MONA_LISA,
    PALETTE,
    PALETTE_PAYS,
    WILD_MULTIPLIERS,
)
from games.mona_lisa_jewels.strips import REELS

_SPINS = JEWEL_SPINS + 1
_REELS = len(REELS.strips)
_BEAM = 6

Masks = tuple[int, ...]
"""Lines as bits, by the number of wilds in them as far as these multiply."""

Kept = tuple[int, int]
"""Lines that a reel's symbols keep alive, and lines that its multiplying wilds do."""

Option = tuple[tuple[Kept, ...], tuple[int, ...]]
"""A reel in all three spins: the lines kept alive, and the palettes shown."""


@dataclass(frozen=True, order=True)
class _State:
    """Lines alive in each spin, palettes seen in each, and what the ended lines pay."""

    alive: tuple[Masks, ...]
    palettes: tuple[int, ...]
    settled: int


@cache
def held_columns(reel: int) -> Counter[tuple[Strip, ...]]:
    """Return the columns of `reel` in the paid spin and the jewel spins, with the number of stop triples for each.

    Symbols that can neither continue a line of the locked reel nor pay as scatters are left blank.
    """
    length = REELS.lengths[reel]
    wanted = {MONA_LISA, PALETTE, *(symbol for stop in TRIGGERS for symbol in REELS.column(0, stop))}
    strips = [
        tuple(symbol if symbol in wanted else "" for symbol in REELS.column(reel, stop)) for stop in range(length)
    ]
    shown: Counter[tuple[Strip, ...]] = Counter((column,) for column in strips)
    empty: Strip = ("",) * REELS.rows
    for _ in range(JEWEL_SPINS):
        later: Counter[tuple[Strip, ...]] = Counter()
        for columns, ways in shown.items():
            held = holdable((empty, columns[-1]))
            for column, stops in Counter(strips).items():
                later[(*columns, overlay((empty, column), held)[1])] += ways * stops
        shown = later
    return shown


class _Walk:
    """The walk for one locked window and one number of lines; if it is `free`, wilds of the first spin multiply."""

    def __init__(self, window: Strip, lines: int, *, free: bool) -> None:
        self._lines = lines
        self._factors = [(1, *WILD_MULTIPLIERS) if free and not spin else (1,) for spin in range(_SPINS)]
        self._starts = {
            symbol: sum(1 << line for line in range(lines) if window[LINES[line][0]] == symbol)
            for symbol in dict.fromkeys(window)
        }
        self._values = [
            [
                (started, value)
                for symbol, started in self._starts.items()
                if (value := value_of(LINE_RULES.pays, symbol, length))
            ]
            for length in range(_REELS + 1)
        ]
        self._options = [self._merge(reel) for reel in range(1, _REELS)]
        self._kept = [
            [list(dict.fromkeys(kept[spin] for kept, _ in options)) for options in self._options]
            for spin in range(_SPINS)
        ]
        self._potential = cache(self._find_potential)
        self._ranked = [self._rank(reel) for reel in range(1, _REELS)]

    def _start(self, wilds: int) -> _State:
        """Return a state in which every line is alive and holds `wilds` wilds."""
        every = (1 << self._lines) - 1
        alive = tuple(
            tuple(every * (number == min(wilds, len(factors) - 1)) for number in range(len(factors)))
            for factors in self._factors
        )
        return _State(alive, (0,) * _SPINS, 0)

    def _merge(self, reel: int) -> Counter[Option]:
        """Return the options of `reel` with the ways to each."""
        options: Counter[Option] = Counter()
        mask = cache(self._mask)
        for columns, ways in held_columns(reel).items():
            kept = [mask(reel, column) for column in columns]
            options[
                tuple(
                    (plain, wild) if len(factors) > 1 else (plain | wild, 0)
                    for (plain, wild), factors in zip(kept, self._factors, strict=True)
                ),
                tuple(column.count(PALETTE) for column in columns),
            ] += ways
        return options

    def _rank(self, reel: int) -> list[tuple[int, Option, int]]:
        """Return the options of `reel`, each with an upper bound on the win and its number of ways, best first."""
        # The bound assumes that every line is alive with a wild, and that every other free reel shows a palette.
        start = self._start(reel - 1)
        ranked = []
        for option, ways in self._options[reel - 1].items():
            state = self._step(start, *option, reel)
            ranked.append((state.settled + self._palettes(state, _REELS - 2) + self._reach(state, reel), option, ways))
        return sorted(ranked, reverse=True)

    def _mask(self, reel: int, column: Strip) -> Kept:
        """Return the lines that continue with their symbol in `column`, and those that continue with a wild."""
        plain = wild = 0
        for line in range(self._lines):
            shown = column[LINES[line][reel]]
            wild |= (shown == MONA_LISA) << line
            plain |= self._starts.get(shown, 0) & (1 << line)
        return plain, wild

    def worth(self, lines: int, length: int) -> int:
        """Return what the lines in the bits `lines` pay for runs of `length`."""
        total = 0
        for started, value in self._values[length]:
            total += (lines & started).bit_count() * value
        return total

    def most(self, state: _State, others: int) -> int:
        """Return an upper bound on the win of `state` with `others` more reels to come; the exact win with none."""
        return state.settled + self._palettes(state, others) + self._reach(state, _REELS - 1 - others)

    def _reach(self, state: _State, reel: int) -> int:
        """Return an upper bound on the pay of the lines alive after `reel`, with each spin bounded separately."""
        return sum(self._potential(spin, alive, reel + 1) for spin, alive in enumerate(state.alive))

    def _find_potential(self, spin: int, alive: Masks, reel: int) -> int:
        """Return a bound on the pay of the lines `alive` before `reel` in `spin`, independent of the other spins.

        If wilds multiply, the bound is exact, because a looser one would not prune enough states.
        """
        if len(alive) == 1:
            return self._find_rough_potential(spin, alive[0], reel)
        if not any(alive):
            return 0
        if reel == _REELS:
            return sum(
                self.worth(lines, reel) * factor for lines, factor in zip(alive, self._factors[spin], strict=True)
            )
        most = 0
        for kept in self._kept[spin][reel - 1]:
            after, settled = self._advance(spin, alive, kept, reel)
            most = max(most, settled + self._potential(spin, after, reel + 1))
        return most

    def _find_rough_potential(self, spin: int, alive: int, reel: int) -> int:
        """Return a bound from the remaining reels, each of which lets only some of the lines continue."""
        return min(
            (
                max(self.worth(alive & kept, _REELS) + self.worth(alive & ~kept, later) for kept, _ in options)
                for later, options in enumerate(self._kept[spin][reel - 1 :], start=reel)
            ),
            default=self.worth(alive, _REELS),
        )

    def _advance(self, spin: int, alive: Masks, kept: Kept, reel: int) -> tuple[Masks, int]:
        """Return the lines alive after `reel`, and what those pay that ended before it."""
        plain, wild = kept
        settled = moved = 0
        after = []
        for lines, factor in zip(alive, self._factors[spin], strict=True):
            ended = lines & ~(plain | wild)
            if ended:
                settled += self.worth(ended, reel) * factor
            after.append(lines & plain | moved)
            moved = lines & wild
        # Beyond the last factor further wilds change nothing.
        after[-1] |= moved
        return tuple(after), settled

    def _palettes(self, state: _State, others: int) -> int:
        palettes = 0
        for seen in state.palettes:
            reached = [pay for count, pay in PALETTE_PAYS.items() if seen <= count <= seen + others]
            palettes += max(reached, default=0)
        return palettes * self._lines

    def run(self, least: int, beam: int | None = None) -> Counter[int]:
        """Return the number of ways for each win of `least` or more; a `beam` keeps only the most promising states."""
        states: Counter[_State] = Counter({self._start(0): 1})
        for reel, options in enumerate(self._ranked, start=1):
            others = _REELS - 1 - reel
            going: Counter[_State] = Counter()
            for alone, (kept, palettes), stops in options[:beam]:
                if alone < least:
                    break
                for state, ways in states.items():
                    after = self._step(state, kept, palettes, reel)
                    if self.most(after, others) >= least:
                        going[after] += ways * stops
            states = going
            if beam is not None:
                ranked = sorted(((self.most(state, others), state) for state in going), reverse=True)
                states = Counter({state: going[state] for _, state in ranked[:beam]})
        wins: Counter[int] = Counter()
        for state, ways in states.items():
            wins[self.most(state, 0)] += ways
        return wins

    def _step(self, state: _State, kept: tuple[Kept, ...], palettes: tuple[int, ...], reel: int) -> _State:
        settled = state.settled
        alive = []
        for spin, (before, by) in enumerate(zip(state.alive, kept, strict=True)):
            after, paid = self._advance(spin, before, by, reel)
            alive.append(after)
            settled += paid
        seen = tuple(a + b for a, b in zip(state.palettes, palettes, strict=True))
        return _State(tuple(alive), seen, settled)


def largest_with_jewel_spins(lines: int, *, free: bool = False) -> Largest:
    """Return the largest win, at one coin a line, of a spin that starts jewel spins, those included.

    With `free` that spin is a normal free one, whose wilds multiply.
    """
    windows = Counter(REELS.column(0, stop) for stop in TRIGGERS)
    walks = {window: _Walk(window, lines, free=free) for window in windows}
    least = max(max(walk.run(0, _BEAM)) for walk in walks.values())
    ways: Counter[int] = Counter()
    for window, walk in walks.items():
        for win, count in walk.run(least).items():
            ways[win] += count * windows[window]
    combinations = REELS.lengths[0]
    for length in REELS.lengths[1:]:
        combinations *= length**_SPINS
    best = max(ways)
    return Largest(best, Fraction(ways[best], combinations))
