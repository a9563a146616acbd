"""The largest win of one spin with the picks it starts, and its exact chance.

A best-first search over the reels: a node is the stops chosen so far, its rank the most that any completion could
pay. The first complete spin that comes out is a largest one, and all others of the same worth follow it.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from games.exact.definition import SpinDefinition
from games.exact.runs import value_of
from games.lines import LineEvaluator


@dataclass(frozen=True)
class Largest:
    """The largest win of a spin, in coins, and its chance per spin."""

    coins: int
    chance: Fraction

    def times(self, coins: int) -> "Largest":
        """Return the same win at `coins` times the coins per line."""
        return Largest(self.coins * coins, self.chance)


class Bounds:
    """What the first `lines` lines and the scatters can pay at most, once some of the reels stand."""

    def __init__(self, spin: SpinDefinition, lines: int) -> None:
        self._spin = spin
        self._lines = lines
        self.evaluator = LineEvaluator(spin.strips(), spin.lines, spin.rules)
        self._width = len(self.evaluator.symbols)
        reels = len(spin.counts)
        # best[reel][index]: the most that a run of the symbol pays once it has reached `reel` reels, now or later.
        self._settled = [[self._worth(length, index) for index in range(self._width)] for length in range(reels + 1)]
        self._best = [
            [max(self._settled[length][index] for length in range(reel, reels + 1)) for index in range(self._width)]
            for reel in range(reels + 1)
        ]
        self._shown = [
            [spin.scatter.count(spin.strips().column(reel, stop)) for stop in range(length)]
            for reel, length in enumerate(spin.strips().lengths)
        ]

    def _worth(self, length: int, index: int) -> int:
        symbol = self.evaluator.symbols[index]
        if symbol in self._spin.rules.pays:
            return value_of(self._spin.rules.pays, symbol, length) * self._spin.multiplier
        return self.picks(symbol, length) * self._spin.picks.largest

    def picks(self, symbol: str, length: int) -> int:
        """Return how many picks a run starts."""
        return value_of(self._spin.picks.picks, symbol, length)

    def runs(self, stops: Sequence[int]) -> list[int]:
        """Return the runs alive after each of the reels that stand at `stops`, after none first."""
        alive = [self.evaluator.enabled[self._lines]]
        for covers, stop in zip(self.evaluator.covers, stops, strict=False):
            alive.append(alive[-1] & covers[stop])
        return alive

    def most(self, stops: Sequence[int]) -> int:
        """Return a bound on what any spin that begins with `stops` pays; the exact worth where it is complete."""
        best = [0] * self._lines
        alive = self.runs(stops)
        for length, runs in enumerate(alive):
            last = length == len(alive) - 1
            worth = self._best[length] if last else self._settled[length]
            bits = runs if last else runs & self.evaluator.paying[length]
            while bits:
                lowest = bits & -bits
                bits ^= lowest
                line, index = divmod(lowest.bit_length() - 1, self._width)
                best[line] = max(best[line], worth[index])
        return sum(best) + self._scatter(stops)

    def _scatter(self, stops: Sequence[int]) -> int:
        scatter = self._spin.scatter
        shown = sum(counts[stop] for counts, stop in zip(self._shown, stops, strict=False))
        most = shown + sum(max(counts) for counts in self._shown[len(stops) :])
        return max((pay * self._lines for number, pay in scatter.pays.items() if shown <= number <= most), default=0)


def largest_win(spin: SpinDefinition, lines: int) -> Largest:
    """Return the largest win of one spin, at one coin on each of the first `lines` lines, every pick at its best."""
    bounds = Bounds(spin, lines)
    lengths = spin.strips().lengths
    order = count()
    # Deeper nodes first among equals: a bound that stays as high on the last reel is a win.
    nodes: list[tuple[int, int, int, tuple[int, ...]]] = [(-bounds.most(()), 0, next(order), ())]
    coins: int | None = None
    chance = Fraction(0)
    while nodes:
        rank, _, _, stops = heapq.heappop(nodes)
        if coins is not None and -rank < coins:
            break
        if len(stops) == len(lengths):
            coins = -rank
            chance += _chance(spin, bounds, stops, lines)
            continue
        for stop in range(lengths[len(stops)]):
            longer = (*stops, stop)
            heapq.heappush(nodes, (-bounds.most(longer), -len(longer), next(order), longer))
    return Largest(coins or 0, chance)


def _chance(spin: SpinDefinition, bounds: Bounds, stops: Sequence[int], lines: int) -> Fraction:
    picks = sum(bounds.picks(hit.symbol, hit.run) for hit in bounds.evaluator.hits(stops, lines))
    return Fraction(1, spin.combinations) * spin.picks.largest_chance**picks
