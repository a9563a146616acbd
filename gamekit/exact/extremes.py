"""The largest win of one spin with the picks it starts, and its exact chance.

A best-first search over the reels: a node is the stops chosen so far, its rank an upper bound on what any completion
pays. The first complete spin taken from the queue is a largest one, and all others of the same worth follow it.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import count
from math import prod

from gamekit.exact.definition import SpinDefinition
from gamekit.exact.runs import value_of
from gamekit.lines import LineEvaluator


@dataclass(frozen=True)
class Largest:
    """The largest win of a spin, in coins, and its chance per spin."""

    coins: int
    chance: Fraction

    def times(self, coins: int) -> "Largest":
        """Return the same win at `coins` times the coins per line."""
        return Largest(self.coins * coins, self.chance)


class Bounds:
    """Upper bounds on what the first `lines` lines and the scatters can pay, once some of the reels have stopped."""

    def __init__(self, spin: SpinDefinition, lines: int) -> None:
        self._spin = spin
        self._lines = lines
        self.evaluator = LineEvaluator(spin.strips(), spin.lines, spin.rules)
        self._width = len(self.evaluator.symbols)
        self._enabled = self.evaluator.enabled[lines]
        reels = len(spin.counts)
        self._line_starts = sum(1 << (line * self._width) for line in range(lines))
        self._prizes = [self._by_worth(reel, reels) for reel in range(reels + 1)]
        self._shown = [
            [spin.scatter.count(spin.strips().column(reel, stop)) for stop in range(length)]
            for reel, length in enumerate(spin.strips().lengths)
        ]
        # reach[reel]: the counts that this reel and those after it can add.
        self._reach = [{0}]
        for counts in reversed(self._shown):
            self._reach.append({more + count for more in self._reach[-1] for count in counts})
        self._reach.reverse()
        self._scatters_from = cache(self._most_scatter)

    def _by_worth(self, reel: int, reels: int) -> list[tuple[int, int, int]]:
        """Return what a line may pay once `reel` reels have stopped: worth, run length and symbol, the highest first.

        A run still alive may pay for any length that it can reach; a run that has ended pays for its own length.
        """
        prizes = []
        for index in range(self._width):
            settled = [self._worth(length, index) for length in range(reels + 1)]
            prizes += [(worth, length, index) for length, worth in enumerate(settled[:reel])]
            prizes.append((max(settled[reel:]), reel, index))
        return sorted((prize for prize in prizes if prize[0]), reverse=True)

    def _worth(self, length: int, index: int) -> int:
        symbol = self.evaluator.symbols[index]
        if symbol in self._spin.rules.pays:
            return value_of(self._spin.rules.pays, symbol, length) * self._spin.multiplier
        return self.picks(symbol, length) * self._spin.picks.largest

    def columns(self) -> list[dict[int, int]]:
        """Return, by reel, one stop of each group that lines and scatters do not distinguish, with the group's size."""
        reels = []
        for covers, shown in zip(self.evaluator.covers, self._shown, strict=True):
            first: dict[tuple[int, int], int] = {}
            alike: dict[int, int] = {}
            for stop, looks in enumerate(zip((cover & self._enabled for cover in covers), shown, strict=True)):
                kept = first.setdefault(looks, stop)
                alike[kept] = alike.get(kept, 0) + 1
            reels.append(alike)
        return reels

    def picks(self, symbol: str, length: int) -> int:
        """Return how many picks a run starts."""
        return value_of(self._spin.picks.picks, symbol, length)

    def runs(self, stops: Sequence[int]) -> list[int]:
        """Return the runs alive before the first reel and after each of the reels at `stops`."""
        alive = [self._enabled]
        for covers, stop in zip(self.evaluator.covers, stops, strict=False):
            alive.append(alive[-1] & covers[stop])
        return alive

    def most(self, stops: Sequence[int]) -> int:
        """Return a bound on what any spin that begins with `stops` pays; the exact worth where it is complete."""
        alive = self.runs(stops)
        open_lines = self._line_starts
        total = 0
        for worth, length, index in self._prizes[len(stops)]:
            paid = (alive[length] >> index) & open_lines
            if paid:
                total += worth * paid.bit_count()
                open_lines ^= paid
                if not open_lines:
                    break
        return total + self._scatter(stops)

    def _scatter(self, stops: Sequence[int]) -> int:
        shown = sum(counts[stop] for counts, stop in zip(self._shown, stops, strict=False))
        return self._scatters_from(len(stops), shown)

    def _most_scatter(self, reel: int, shown: int) -> int:
        pays = self._spin.scatter.pays
        return max(pays.get(shown + more, 0) for more in self._reach[reel]) * self._lines


def largest_win(spin: SpinDefinition, lines: int) -> Largest:
    """Return the largest win of one spin, at one coin on each of the first `lines` lines, every pick at its best."""
    bounds = Bounds(spin, lines)
    columns = bounds.columns()
    order = count()
    # Among nodes of equal rank the deeper one comes first: on the last reel the bound is the exact win.
    nodes: list[tuple[int, int, int, tuple[int, ...]]] = [(-bounds.most(()), 0, next(order), ())]
    coins: int | None = None
    chance = Fraction(0)
    while nodes:
        rank, _, _, stops = heapq.heappop(nodes)
        if coins is not None and -rank < coins:
            break
        if len(stops) == len(columns):
            coins = -rank
            ways = prod(alike[stop] for alike, stop in zip(columns, stops, strict=True))
            chance += ways * _chance(spin, bounds, stops, lines)
            continue
        for stop in columns[len(stops)]:
            longer = (*stops, stop)
            heapq.heappush(nodes, (-bounds.most(longer), -len(longer), next(order), longer))
    return Largest(coins or 0, chance)


def _chance(spin: SpinDefinition, bounds: Bounds, stops: Sequence[int], lines: int) -> Fraction:
    picks = sum(bounds.picks(hit.symbol, hit.run) for hit in bounds.evaluator.hits(stops, lines))
    return Fraction(1, spin.combinations) * spin.picks.largest_chance**picks
