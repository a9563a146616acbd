"""The constraints of a search: stops, counts, stacks and distances, from `tune.toml` and the current strips.

The author's constraints are in `tune.toml` in the game's folder. The current strips set the others: a symbol stays on
the reels that have it, at half to double its number; symbols that never appear twice in a window still do not; a symbol
that is always in groups of one size stays in such groups; a reel keeps its length within a tenth.
"""

from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec

from gamekit.reels import Strip

FILE = "tune.toml"
_MOST_BYTES = 1 << 16


class FixedError(ValueError):
    """What is fixed contradicts itself or the game; the message has file, key and mend."""


class SymbolRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One symbol: its number on each reel, exactly or at `least` and `most`; how far `apart`; its `stack`."""

    counts: tuple[int, ...] | None = None
    least: tuple[int, ...] | None = None
    most: tuple[int, ...] | None = None
    apart: int | None = None
    stack: int | None = None


class Distance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Any two of `symbols` are at least `stops` stops from each other: 3 keeps them out of one window of three rows."""

    symbols: tuple[str, ...]
    stops: int


class TuneFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `tune.toml`: `stops` are the fewest and the most of a reel, `fixed_reels` count from 1."""

    stops: tuple[int, int] | None = None
    fixed_reels: tuple[int, ...] = ()
    symbols: dict[str, SymbolRule] = {}
    apart: tuple[Distance, ...] = ()


Reel = tuple[int, ...]
"""A reel as a search holds it: the index of each symbol; a stack is one entry."""


@dataclass(frozen=True)
class Fixed:
    """The constraints of a search; symbols are given by their index in `symbols`.

    `least`, `most` and `stacks` are by reel and symbol; the first two count entries of a `Reel`. `kept` are the reels,
    from 0, that do not change.
    """

    symbols: tuple[str, ...]
    stacks: tuple[tuple[int, ...], ...]
    distances: tuple[tuple[frozenset[int], int], ...]
    least: tuple[tuple[int, ...], ...]
    most: tuple[tuple[int, ...], ...]
    stops: tuple[tuple[int, int], ...]
    kept: frozenset[int]

    def strip(self, number: int, reel: Reel) -> Strip:
        """Return the strip that `reel` encodes, with the stacks of reel `number`."""
        return tuple(self.symbols[entry] for entry in reel for _ in range(self.stacks[number][entry]))

    def reel(self, number: int, strip: Strip) -> Reel:
        """Return `strip` as entries, starting where a group begins; each stacked group is one entry."""
        if number in self.kept:
            return tuple(map(self.symbols.index, strip))
        start = next((stop for stop, shown in enumerate(strip) if shown != strip[stop - 1]), 0)
        turned = [self.symbols.index(shown) for shown in (*strip[start:], *strip[:start])]
        return tuple(
            entry
            for stop, entry in enumerate(turned)
            if self.stacks[number][entry] == 1 or stop == 0 or turned[stop - 1] != entry
        )

    def length(self, number: int, reel: Reel) -> int:
        """Return how many stops `reel` has."""
        return sum(self.stacks[number][entry] for entry in reel)

    def too_close(self, number: int, reel: Reel) -> int:
        """Return how many pairs of neighbouring symbols on `reel` are closer than their least distance."""
        stacks = self.stacks[number]
        places: list[tuple[int, int]] = []
        stop = 0
        for entry in reel:
            places.append((entry, stop))
            stop += stacks[entry]
        close = 0
        for symbols, distance in self.distances:
            at = [(place, place + stacks[entry] - 1) for entry, place in places if entry in symbols]
            if not at:
                continue
            around = [*at, (at[0][0] + stop, 0)]
            close += sum(following[0] - last[1] < distance for last, following in pairwise(around))
        return close

    def within(self, number: int, reel: Reel) -> bool:
        """Whether the counts and the length of reel `number` are allowed; `too_close` checks the distances."""
        fewest, longest = self.stops[number]
        return fewest <= self.length(number, reel) <= longest and all(
            least <= reel.count(entry) <= most
            for entry, (least, most) in enumerate(zip(self.least[number], self.most[number], strict=True))
        )


def read(folder: Path) -> TuneFile:
    """Return the `tune.toml` of a game's folder, or an empty one; raise `FixedError` if it cannot be read."""
    file = folder / FILE
    if not file.exists():
        return TuneFile()
    try:
        with file.open("rb") as text:
            return msgspec.toml.decode(text.read(_MOST_BYTES).removeprefix(BOM_UTF8), type=TuneFile)
    except (ValueError, RecursionError) as error:
        raise FixedError(f"{file}: {error}") from error


def fixed(strips: Sequence[Strip], rows: int, told: TuneFile, shown: Sequence[int] = ()) -> Fixed:
    """Return the constraints of a search from `strips`; raise `FixedError` if `told` contradicts itself or them.

    `shown` are the stops on an idle screen: a reel stays long enough to have its stop.
    """
    symbols = tuple(dict.fromkeys(symbol for strip in strips for symbol in strip))
    for symbol in (*told.symbols, *(symbol for one in told.apart for symbol in one.symbols)):
        if symbol not in symbols:
            raise FixedError(f"{FILE}: {symbol!r} is on no reel; the symbols are {', '.join(symbols)}")
    for number in told.fixed_reels:
        if not 1 <= number <= len(strips):
            raise FixedError(f"{FILE}: fixed_reels: there is no reel {number}; they are 1 to {len(strips)}")
    rules = [told.symbols.get(symbol, SymbolRule()) for symbol in symbols]
    stacks = tuple(
        _stack(strips, symbol) if rule.stack is None else max(1, rule.stack)
        for symbol, rule in zip(symbols, rules, strict=True)
    )
    each = list(zip(symbols, rules, stacks, strict=True))
    kept = frozenset(number - 1 for number in told.fixed_reels)
    bounds = [
        [(0, len(strip)) if number in kept else _bounds(strip, number, *one) for one in each]
        for number, strip in enumerate(strips)
    ]
    single = [
        (frozenset({index}), _apart(strips, symbol, rows) if rule.apart is None else rule.apart)
        for index, (symbol, rule) in enumerate(zip(symbols, rules, strict=True))
    ]
    several = [(frozenset(map(symbols.index, one.symbols)), one.stops) for one in told.apart]
    return Fixed(
        symbols=symbols,
        stacks=tuple((1,) * len(symbols) if number in kept else stacks for number in range(len(strips))),
        distances=tuple((those, stops) for those, stops in (*single, *several) if stops > 1),
        least=tuple(tuple(least for least, _ in reel) for reel in bounds),
        most=tuple(tuple(most for _, most in reel) for reel in bounds),
        stops=tuple(
            _stops(strip, told.stops, max(rows, shown[number] + 1 if number < len(shown) else 0))
            for number, strip in enumerate(strips)
        ),
        kept=kept,
    )


def _groups(strip: Strip, symbol: str) -> list[tuple[int, int]]:
    """Return where groups of `symbol` begin on the loop, and how many stops each has."""
    length = len(strip)
    starts = [stop for stop in range(length) if strip[stop] == symbol != strip[stop - 1]]
    groups = []
    for start in starts:
        size = 1
        while strip[(start + size) % length] == symbol:
            size += 1
        groups.append((start, size))
    return groups


def _stack(strips: Sequence[Strip], symbol: str) -> int:
    """Return the size of all groups of `symbol`, 1 where they differ."""
    sizes = {size for strip in strips for _, size in _groups(strip, symbol)}
    return sizes.pop() if len(sizes) == 1 else 1


def _apart(strips: Sequence[Strip], symbol: str, rows: int) -> int:
    """Return how far apart groups of `symbol` are on all strips, `rows` at most, 1 where any are together."""
    nearest = rows
    for strip in strips:
        groups = _groups(strip, symbol)
        if groups and len({size for _, size in groups}) > 1:
            return 1
        for (start, size), (following, _) in pairwise([*groups, *((at + len(strip), n) for at, n in groups[:1])]):
            nearest = min(nearest, following - (start + size - 1))
    return nearest


def _bounds(strip: Strip, reel: int, symbol: str, rule: SymbolRule, stack: int) -> tuple[int, int]:
    """Return the least and the most entries of `symbol` on a reel."""
    present = strip.count(symbol)
    least = _of(rule.counts or rule.least, reel, symbol, -(-present // 2))
    most = _of(rule.counts or rule.most, reel, symbol, 2 * present)
    if least > most:
        raise FixedError(f"{FILE}: [symbols.{symbol}]: at least {least} and at most {most} on reel {reel + 1}")
    if rule.counts and least % stack:
        raise FixedError(f"{FILE}: [symbols.{symbol}]: {least} on reel {reel + 1} are no stacks of {stack}")
    return -(-least // stack), most // stack


def _of(told: Sequence[int] | None, reel: int, symbol: str, otherwise: int) -> int:
    if told is None:
        return otherwise
    if reel >= len(told):
        raise FixedError(f"{FILE}: [symbols.{symbol}]: give a number for each reel")
    return told[reel]


def _stops(strip: Strip, told: tuple[int, int] | None, fewest: int) -> tuple[int, int]:
    if told is None:
        return max(fewest, len(strip) * 9 // 10), -(-len(strip) * 11 // 10)
    if told[0] > told[1] or told[1] < fewest:
        raise FixedError(f"{FILE}: stops = [{told[0]}, {told[1]}]: give the fewest, then the most, {fewest} or more")
    return max(fewest, told[0]), told[1]
