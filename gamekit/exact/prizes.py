"""How often each prize comes over the full cycle of a paid spin, by symbol and count: lines, ways and scatters."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod

import msgspec

from gamekit.lines import LineEvaluator, LineHit, LineRules, Payline
from gamekit.reels import Reels
from gamekit.ways import WaysRules

LINES, WAYS, SCATTER = "lines", "ways", "scatter"


class PrizeHits(msgspec.Struct, frozen=True, kw_only=True):
    """A prize of `count` of `symbol` and how often it `hits` over all combinations of stops, all lines played.

    A prize `on` lines or ways `pays` coins for each coin on the line, a scatter prize a multiple of the whole bet. A
    line hits once, with its highest win, or with the longer one of two equal wins; symbols that start a feature or win
    a jackpot pay 0. On ways every way is a hit, and only the first window counts.
    """

    on: str
    symbol: str
    count: int
    pays: int
    hits: int


def line_prizes(reels: Reels, lines: Sequence[Payline], rules: LineRules) -> Iterator[PrizeHits]:
    """Yield the prizes of `lines`, each line paying once: its highest win."""
    found: Counter[LineHit] = Counter()
    for line in lines:
        for hit, combinations in _hits_of(LineEvaluator(reels, (line,), rules), reels).items():
            found[hit] += combinations
    order = [*rules.pays, *rules.features]
    for hit in sorted(found, key=lambda hit: (order.index(hit.symbol), hit.run)):
        yield PrizeHits(on=LINES, symbol=hit.symbol, count=hit.run, pays=hit.pay, hits=found[hit])


def _hits_of(evaluator: LineEvaluator, reels: Reels) -> Mapping[LineHit, int]:
    """Return how many combinations give each hit of one line: stops that keep the same runs alive are counted once."""
    alike: dict[tuple[int, ...], tuple[tuple[int, ...], int]] = {(): ((), 1)}
    for covers in evaluator.covers:
        first = {cover: stop for stop, cover in reversed([*enumerate(covers)])}
        stops_of = Counter(covers)
        after: dict[tuple[int, ...], tuple[tuple[int, ...], int]] = {}
        for runs, (stops, combinations) in alike.items():
            for cover, number in stops_of.items():
                alive = (*runs, (runs[-1] if runs else cover) & cover)
                known = after.get(alive, ((*stops, first[cover]), 0))
                after[alive] = (known[0], known[1] + combinations * number)
        alike = after
    found: Counter[LineHit] = Counter()
    for stops, combinations in alike.values():
        for hit in evaluator.hits(stops, 1):
            found[hit] += combinations
    if sum(combinations for _, combinations in alike.values()) != prod(reels.lengths):
        raise ArithmeticError("a combination of stops was lost")
    return found


def way_prizes(reels: Reels, rules: WaysRules) -> Iterator[PrizeHits]:
    """Yield the prizes of ways in the window that the stops show."""
    columns = [[reels.column(reel, stop) for stop in range(length)] for reel, length in enumerate(reels.lengths)]
    for symbol, pays in rules.pays.items():
        counted = [[rules.counted(column, symbol) for column in reel] for reel in columns]
        for count, pay in sorted(pays.items()):
            ways = prod(sum(reel) for reel in counted[:count])
            longest = count == max(pays)
            ends = 1 if longest or count == len(counted) else counted[count].count(0)
            rest = counted[count if longest else count + 1 :]
            yield PrizeHits(on=WAYS, symbol=symbol, count=count, pays=pay, hits=ways * ends * prod(map(len, rest)))


def scatter_prizes(reels: Reels, symbol: str, pays: Mapping[int, int]) -> Iterator[PrizeHits]:
    """Yield the prizes of `symbol` anywhere in the window."""
    ways: Counter[int] = Counter({0: 1})
    for reel, length in enumerate(reels.lengths):
        shown = Counter(reels.column(reel, stop).count(symbol) for stop in range(length))
        after: Counter[int] = Counter()
        for before, combinations in ways.items():
            for more, stops in shown.items():
                after[before + more] += combinations * stops
        ways = after
    for count, pay in sorted(pays.items()):
        yield PrizeHits(on=SCATTER, symbol=symbol, count=count, pays=pay, hits=ways[count])
