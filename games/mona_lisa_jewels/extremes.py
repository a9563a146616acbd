"""The largest win of a paid spin with its two jewel spins, and its exact chance.

The reels are walked from left to right, all three spins at once, merging what is alike. A walk that follows only the
most promising states finds a large win; the exact walk then drops every state that cannot reach it.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from games.exact.extremes import Largest
from games.exact.runs import value_of
from games.mona_lisa_jewels.jewels import TRIGGERS, holdable, overlay
from games.mona_lisa_jewels.pays import JEWEL_SPINS, LINE_RULES, LINES, MONA_LISA, PALETTE, PALETTE_PAYS
from games.mona_lisa_jewels.strips import REELS
from games.reels import Strip

_SPINS = JEWEL_SPINS + 1
_REELS = len(REELS.strips)
_BEAM = 60

Masks = tuple[int, ...]
"""For each of the three spins, lines as bits."""

Option = tuple[Masks, tuple[int, ...]]
"""A reel in all three spins: the lines kept alive, and the palettes shown."""


@dataclass(frozen=True, order=True)
class _State:
    """Lines alive in each spin, palettes seen in each, and what the ended lines pay."""

    alive: Masks
    palettes: tuple[int, ...]
    settled: int


@cache
def held_columns(reel: int) -> Counter[tuple[Strip, ...]]:
    """Return what `reel` shows in the paid spin and the jewel spins, by the number of stop triples that lead there.

    Symbols that can neither go on with a line of the locked reel nor pay as scatters are left blank.
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
    """The walk for one locked window and one number of lines."""

    def __init__(self, window: Strip, lines: int) -> None:
        self._lines = lines
        self._start = _State(((1 << lines) - 1,) * _SPINS, (0,) * _SPINS, 0)
        self._starts = {
            symbol: sum(1 << line for line in range(lines) if window[LINES[line][0]] == symbol)
            for symbol in dict.fromkeys(window)
        }
        self._options = [self._merge(reel) for reel in range(1, _REELS)]
        self._masks = [
            [{option[0][spin] for _, option, _ in options} for options in self._options] for spin in range(_SPINS)
        ]
        self._potential = cache(self._find_potential)

    def _merge(self, reel: int) -> list[tuple[int, Option, int]]:
        """Return the options of `reel` with the most that any spins with it can win and the ways to it, best first."""
        options: Counter[Option] = Counter()
        mask = cache(self._mask)
        for columns, ways in held_columns(reel).items():
            masks = tuple(mask(reel, column) for column in columns)
            options[masks, tuple(column.count(PALETTE) for column in columns)] += ways
        # Alone on the reels, an option may be joined by palettes on every other reel behind the locked one.
        alone = [
            (self._loosely(self._step(self._start, *option, reel), _REELS - 2), option, ways)
            for option, ways in options.items()
        ]
        return sorted(alone, reverse=True)

    def _mask(self, reel: int, column: Strip) -> int:
        mask = 0
        for symbol, started in self._starts.items():
            rows = {row for row, shown in enumerate(column) if LINE_RULES.covers(shown, symbol)}
            mask |= started & sum(1 << line for line in range(self._lines) if LINES[line][reel] in rows)
        return mask

    def worth(self, lines: int, length: int) -> int:
        """Return what the lines in the bits `lines` pay for runs of `length`."""
        return sum(
            (lines & started).bit_count() * value_of(LINE_RULES.pays, symbol, length)
            for symbol, started in self._starts.items()
        )

    def most(self, state: _State, others: int) -> int:
        """Return the most that `state` can come to with `others` more reels; the exact win with none."""
        lines = sum(self._potential(spin, alive, _REELS - others) for spin, alive in enumerate(state.alive))
        return state.settled + self._palettes(state, others) + lines

    def _loosely(self, state: _State, others: int) -> int:
        return state.settled + self._palettes(state, others) + sum(self.worth(alive, _REELS) for alive in state.alive)

    def _find_potential(self, spin: int, alive: int, reel: int) -> int:
        """Return a bound on what the lines `alive` before `reel` pay: each reel to come lets only some of them by."""
        return min(
            (
                max(self.worth(alive & mask, _REELS) + self.worth(alive & ~mask, later) for mask in masks)
                for later, masks in enumerate(self._masks[spin][reel - 1 :], start=reel)
            ),
            default=self.worth(alive, _REELS),
        )

    def _palettes(self, state: _State, others: int) -> int:
        palettes = 0
        for seen in state.palettes:
            reached = [pay for count, pay in PALETTE_PAYS.items() if seen <= count <= seen + others]
            palettes += max(reached, default=0)
        return palettes * self._lines

    def run(self, least: int, beam: int | None = None) -> Counter[int]:
        """Return the ways to each win of `least` or more; with a `beam`, of the most promising states alone."""
        states: Counter[_State] = Counter({self._start: 1})
        for reel, options in enumerate(self._options, start=1):
            others = _REELS - 1 - reel
            going: Counter[_State] = Counter()
            for alone, (masks, palettes), stops in options[:beam]:
                if alone < least:
                    break
                for state, ways in states.items():
                    after = self._step(state, masks, palettes, reel)
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

    def _step(self, state: _State, masks: Masks, palettes: tuple[int, ...], reel: int) -> _State:
        settled = state.settled
        alive = []
        for before, mask in zip(state.alive, masks, strict=True):
            ended = before & ~mask
            if ended:
                settled += self.worth(ended, reel)
            alive.append(before & mask)
        seen = tuple(a + b for a, b in zip(state.palettes, palettes, strict=True))
        return _State(tuple(alive), seen, settled)


def largest_with_jewel_spins(lines: int) -> Largest:
    """Return the largest win, at one coin a line, of a spin that starts jewel spins, those included."""
    windows = Counter(REELS.column(0, stop) for stop in TRIGGERS)
    walks = {window: _Walk(window, lines) for window in windows}
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
