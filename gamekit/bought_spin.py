"""Bought spins: a spin drawn uniformly from the stop combinations that show enough of a symbol.

The triggering combinations are counted, not listed: a rank below their number is converted into stops reel by reel,
using the number of combinations that the reels to the right still allow. The tables take a few numbers per reel.
"""

from collections.abc import Iterator

from gamekit.play import Draw
from gamekit.reels import Reels


class TriggeringStops:
    """The stop combinations of `reels` whose window shows at least `least` of `symbol`, in a fixed order.

    `total` is their number. Raises ValueError if there are none. The tables are public: `groups[reel][count]` holds
    the stops whose column shows the symbol `count` times, `ways[reel][need]` the number of combinations of this reel
    and those to its right that show it `need` times or more.
    """

    def __init__(self, reels: Reels, symbol: str, least: int) -> None:
        self._least = least
        self.groups = [
            [
                [stop for stop in range(length) if reels.column(reel, stop).count(symbol) == count]
                for count in range(reels.rows + 1)
            ]
            for reel, length in enumerate(reels.lengths)
        ]
        self.ways = [[1] + [0] * least]
        for groups in reversed(self.groups):
            after = self.ways[-1]
            self.ways.append(
                [
                    sum(len(stops) * after[max(need - count, 0)] for count, stops in enumerate(groups))
                    for need in range(least + 1)
                ]
            )
        self.ways.reverse()
        self.total = self.ways[0][least]
        if not self.total:
            raise ValueError(f"no stops show {least} {symbol}: nothing can be bought")

    def draw(self, draw: Draw) -> tuple[int, ...]:
        """Return one of the combinations, each equally likely, with one draw of bound `total`."""
        return self.at(draw(self.total))

    def at(self, rank: int) -> tuple[int, ...]:
        """Return the combination number `rank`; raise IndexError unless it lies in `range(total)`."""
        if not 0 <= rank < self.total:
            raise IndexError(f"there is no triggering combination {rank}: they are numbered from 0 below {self.total}")
        need = self._least
        found = []
        for groups, after in zip(self.groups, self.ways[1:], strict=True):
            for count, stops in enumerate(groups):
                still = max(need - count, 0)
                here = len(stops) * after[still]
                if rank < here:
                    place, rank = divmod(rank, after[still])
                    found.append(stops[place])
                    need = still
                    break
                rank -= here
        return tuple(found)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """Yield every combination, in the order of their ranks."""
        return self._walk(0, self._least, ())

    def _walk(self, reel: int, need: int, before: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if reel == len(self.groups):
            yield before
            return
        after = self.ways[reel + 1]
        for count, stops in enumerate(self.groups[reel]):
            still = max(need - count, 0)
            if after[still]:
                for stop in stops:
                    yield from self._walk(reel + 1, still, (*before, stop))
