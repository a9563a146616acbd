"""The wins of lines over every combination of stops: reads the reels from left to right and merges equal states.

A line is in one state of its automaton (`gamekit.exact.runs`). Lines that cross the remaining reels in the same rows
are of the same kind, so a walk stores the number of lines of each kind in each state: one bit field per number, all in
one integer. The effect of a reel's column on the lines with one symbol depends only on that symbol, and is computed
once for each part of the integer. The coins won are a polynomial, packed into another integer.

For example two reels and two lines, in the rows (0, 0) and (1, 0). A number has two bits, as it may be 2. Before reel 1
the lines are of two kinds, one of each, in the one state START: 0b0101. After it both cross reel 2 in row 0, so they
are of one kind, in the state of an A (low bits) or of a B. A column with A over B leads to 0b0101, one line in each
state; A over A to 0b0010, both lines in the state of an A; A over a symbol that pays nothing to 0b0001. The coins of
runs that ended are added from bit 4 on.

A walk reads one window, or several that depend on each other reel by reel, such as respins with held symbols: lines are
then counted per window, and the wins add up.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import add

from gamekit.exact.runs import START, Runs, State
from gamekit.lines import Payline
from gamekit.reels import Strip

Shown = tuple[tuple[Strip, ...], int]
"""What a reel shows in each window, and a tag: a number that is added up over the reels, as a count of scatters is."""

Columns = Mapping[Shown, int]
"""How many stops of a reel (or other choices) show each."""

Ways = dict[int, int]
"""By coins won, the number of combinations."""

_Kind = tuple[int, str | None]
"""A window and the symbol that its lines are made of."""

_Field = tuple[int, State]
"""A window and the state of its lines."""

_Name = tuple[_Kind, tuple[int, ...]]
"""What a column is looked at for: the lines of one kind, and the rows in which they cross it."""

_Options = Mapping[int, tuple[list[Sequence[int]], list[int]]]
"""By tag: for each name the number of its code, and the stops, column by column."""

# States of the last reel but one that are processed together: a larger batch takes more memory, a smaller more time.
_TOGETHER = 6_000


class Walk:
    """The wins of `lines` over every combination of `columns`, the possible columns of each reel.

    `runs` values the lines of each window. `alike` may merge tags that no longer need to be distinguished and drop
    unwanted ones: it takes the number of reels read and a tag, and returns the tag to continue with, or None.
    """

    def __init__(
        self,
        lines: Sequence[Payline],
        columns: Sequence[Columns],
        runs: Sequence[Runs],
        alike: Callable[[int, int], int | None] = lambda _, tag: tag,
    ) -> None:
        self.columns = columns
        self.runs = runs
        self._alike = alike
        self.reels = len(columns)
        self.bits = (len(lines) + 1).bit_length()
        self.kinds = [
            {rest: place for place, rest in enumerate(sorted({line[reel:] for line in lines}))}
            for reel in range(self.reels + 1)
        ]
        self.fields = [[(window, START) for window in range(len(runs))]]
        for reel, shown in enumerate(columns):
            self.fields.append(self._reached(self.fields[-1], shown, reel))
        combinations = 1
        for shown in columns:
            combinations *= sum(shown.values())
        # Whole bytes, wide enough for every combination.
        self._wide = combinations.bit_length() // 8 + 1
        each = sum(1 << (self.kinds[0][line] * self.bits) for line in lines)
        width = len(self.kinds[0]) * self.bits
        self._start = sum(each << (window * width) for window in range(len(runs)))

    def _reached(self, fields: Sequence[_Field], columns: Columns, reel: int) -> list[_Field]:
        """Return the fields that follow `fields`, those of one window and symbol side by side."""
        shown: list[set[str]] = [set() for _ in self.runs]
        for windows, _ in columns:
            for symbols, column in zip(shown, windows, strict=True):
                symbols.update(column)
        found = {
            (window, after)
            for window, state in fields
            for symbol in shown[window]
            if (after := self.after(window, state, symbol)) is not None
        }
        last = reel == self.reels - 1
        return [] if last else sorted(found, key=lambda field: (field[0], field[1][1] or "", field[1][0]))

    def after(self, window: int, state: State, symbol: str) -> State | None:
        """Return the state after `state`, without wilds that change nothing; None if the run ends."""
        runs = self.runs[window]
        after = runs.step(state, symbol)
        return after if after is None else runs.plain(after)

    def ways(self) -> dict[int, Ways]:
        """Return, by tag, how many combinations win each number of coins."""
        states: dict[int, dict[int, int]] = {self._start: {0: 1}}
        last = self.reels - 1
        for reel in range(last - 1):
            states = self._advance(_Reel(self, reel), states)
        before, end = _Reel(self, last - 1), _Reel(self, last)
        packed: dict[int, int] = {}
        known = sorted(states.items())
        for first in range(0, len(known), _TOGETHER):
            ended = self._finish(end, self._advance(before, dict(known[first : first + _TOGETHER])))
            for tag, by_coins in ended.items():
                packed[tag] = packed.get(tag, 0) + sum(self._shifted(coins, ways) for coins, ways in by_coins.items())
        return {tag: self._unpack(ways) for tag, ways in sorted(packed.items())}

    def _advance(self, reel: "_Reel", states: Mapping[int, Mapping[int, int]]) -> dict[int, dict[int, int]]:
        """Return the states after `reel`, each with the packed ways by tag."""
        going: dict[int, dict[int, int]] = {}
        for state, laws in states.items():
            tables, options = reel.look(state)
            for more, (codes, stops) in options.items():
                keys = _sums(tables, codes)
                for tag, ways in laws.items():
                    seen = self._alike(reel.number + 1, tag + more)
                    if seen is None:
                        continue
                    into = going.setdefault(seen, {})
                    for key, times in zip(keys, stops, strict=True):
                        into[key] = into.get(key, 0) + ways * times
        found: dict[int, dict[int, int]] = {}
        mask = (1 << reel.coins_at) - 1
        for tag, into in going.items():
            for key, ways in into.items():
                laws = found.setdefault(key & mask, {})
                laws[tag] = laws.get(tag, 0) + self._shifted(key >> reel.coins_at, ways)
        return found

    def _finish(self, reel: "_Reel", states: Mapping[int, Mapping[int, int]]) -> dict[int, dict[int, int]]:
        """Return the packed wins of `states` before the last reel, by tag and by the coins of the last reel."""
        ended: dict[int, dict[int, int]] = {}
        for state, laws in states.items():
            tables, options = reel.look(state)
            for more, (codes, stops) in options.items():
                won: Ways = {}
                for coins, times in zip(_sums(tables, codes), stops, strict=True):
                    won[coins] = won.get(coins, 0) + times
                for tag, ways in laws.items():
                    seen = self._alike(self.reels, tag + more)
                    if seen is None:
                        continue
                    into = ended.setdefault(seen, {})
                    for coins, times in won.items():
                        into[coins] = into.get(coins, 0) + ways * times
        return ended

    def _shifted(self, coins: int, ways: int) -> int:
        """Return the packed `ways`, each with `coins` more."""
        return ways << (8 * self._wide * coins)

    def _unpack(self, packed: int) -> Ways:
        size = self._wide
        counts = packed.to_bytes((packed.bit_length() // (8 * size) + 1) * size, "little")
        found = {}
        for coins in range(len(counts) // size):
            ways = int.from_bytes(counts[coins * size : (coins + 1) * size], "little")
            if ways:
                found[coins] = ways
        return found


def _sums(tables: Sequence[Sequence[int]], codes: Sequence[Sequence[int]]) -> Sequence[int]:
    """Return, column by column, the sum of what the tables hold at its codes."""
    if not tables:
        return (0,)
    sums: Iterable[int] = map(tables[0].__getitem__, codes[0])
    for table, numbers in zip(tables[1:], codes[1:], strict=True):
        sums = map(add, sums, map(table.__getitem__, numbers))
    return list(sums)


class _Reel:
    """The effect of the columns of reel `number` on the lines alive before it.

    A sum of table entries has the numbers of lines after the reel in its low bits and, from bit `coins_at` on, the pay
    of the runs that ended before the reel; on the last reel the sum is the pay of all runs.
    """

    def __init__(self, walk: Walk, number: int) -> None:
        self.number = number
        self._walk = walk
        self._last = number == walk.reels - 1
        self._fields = walk.fields[number]
        self._width = len(walk.kinds[number]) * walk.bits
        self._next_width = len(walk.kinds[number + 1]) * walk.bits
        self._next = {field: place * self._next_width for place, field in enumerate(walk.fields[number + 1])}
        self.coins_at = 0 if self._last else len(self._next) * self._next_width
        self._columns = [(windows, tag, stops) for (windows, tag), stops in walk.columns[number].items()]
        self._height = len(self._columns[0][0][0])
        self._blocks = [self._block(window, state[1]) for window, state in self._fields]
        self._rows = self._row_slots()
        self._goes = cache(self._go)
        self._codes = cache(self._find_codes)
        self._options = cache(self._find_options)
        self._table = cache(self._find_table)
        self._split = cache(self._split_part)

    def _block(self, window: int, symbol: str | None) -> tuple[_Kind, int, int]:
        """Return the first bit of the fields of one window and symbol, and a mask of all of them."""
        places = [place for place, (at, state) in enumerate(self._fields) if (at, state[1]) == (window, symbol)]
        return (window, symbol), places[0] * self._width, (1 << (len(places) * self._width)) - 1

    def _row_slots(self) -> list[tuple[int, int, int, tuple[int, ...]]]:
        """Return, for each kind of lines, its row on this reel and that row's first bit, mask and following kinds.

        Kinds are sorted, so that those of one row lie side by side.
        """
        bits, kinds, after = self._walk.bits, self._walk.kinds[self.number], self._walk.kinds[self.number + 1]
        by_row: dict[int, list[tuple[int, ...]]] = {}
        for kind in kinds:
            by_row.setdefault(kind[0], []).append(kind)
        slots = []
        for kind in kinds:
            row = by_row[kind[0]]
            follow = tuple(after[other[1:]] * bits for other in row)
            slots.append((kind[0], kinds[row[0]] * bits, (1 << (len(row) * bits)) - 1, follow))
        return slots

    def _pieces(self, part: int) -> Iterable[tuple[int, int, int, int]]:
        """Yield field (from the first of `part`), row, lines by kind after the reel, and their bits in `part`."""
        bits = self._walk.bits
        digit = (1 << bits) - 1
        while part:
            field, rest = divmod((part & -part).bit_length() - 1, self._width)
            row, low, mask, follow = self._rows[rest // bits]
            low += field * self._width
            lines = (part >> low) & mask
            part ^= lines << low
            moved = 0
            for place, to in enumerate(follow):
                moved += ((lines >> (place * bits)) & digit) << to
            yield field, row, moved, lines << low

    def look(self, state: int) -> tuple[list[Sequence[int]], _Options]:
        """Return the tables of the parts of `state`, and the codes of the columns in them."""
        tables: list[Sequence[int]] = []
        names: list[_Name] = []
        while state:
            kind, low, mask = self._blocks[((state & -state).bit_length() - 1) // self._width]
            part = (state >> low) & mask
            state ^= part << low
            for rows, lines in self._split(kind, part):
                tables.append(self._table((kind, rows), lines))
                names.append((kind, rows))
        return tables, self._options(tuple(names))

    def _split_part(self, kind: _Kind, part: int) -> list[tuple[tuple[int, ...], int]]:
        """Return `part` with the rows to read: all, or one by one if a line of wilds may continue as any symbol."""
        if kind[1] is not None:
            return [(tuple(range(self._height)), part)]
        by_row: dict[int, int] = {}
        for _, row, _, lines in self._pieces(part):
            by_row[row] = by_row.get(row, 0) | lines
        return [((row,), lines) for row, lines in by_row.items()]

    def _find_codes(self, name: _Name) -> tuple[list[tuple[str, ...]], list[int]]:
        """Return the distinct views that `name` has of a column, row by row, and the view of each column.

        Lines of a symbol see the symbol itself, a wild that stands for it, or nothing.
        """
        (window, symbol), rows = name
        seen_as = _seen_as(self._walk.runs[window], symbol)
        codes: dict[tuple[str, ...], int] = {}
        numbers = []
        for windows, _, _ in self._columns:
            column = windows[window]
            numbers.append(codes.setdefault(tuple(seen_as(column[row]) for row in rows), len(codes)))
        return list(codes), numbers

    def _find_options(self, names: tuple[_Name, ...]) -> _Options:
        """Return by tag the codes of `names` in the columns, with the stops; columns alike are merged."""
        numbers = [self._codes(name)[1] for name in names]
        tally: dict[int, dict[tuple[int, ...], int]] = {}
        for place, (_, tag, stops) in enumerate(self._columns):
            into = tally.setdefault(tag, {})
            codes = tuple(by_column[place] for by_column in numbers)
            into[codes] = into.get(codes, 0) + stops
        return {tag: (list(zip(*into, strict=True)), list(into.values())) for tag, into in tally.items()}

    def _go(self, field: int, shown: str) -> tuple[int, int]:
        """Return the transition of lines of `field` on `shown`: the first bit of the next field, or -1 and the pay."""
        window, state = self._fields[field]
        runs = self._walk.runs[window]
        after = self._walk.after(window, state, shown)
        if after is None:
            return -1, runs.worth(state, self.number)
        if self._last:
            return -1, runs.worth(after, self.number + 1)
        return self._next[window, after], 0

    def _find_table(self, name: _Name, part: int) -> list[int]:
        """Return, for each code, the state of the lines in `part` after the reel."""
        first = next(place for place, block in enumerate(self._blocks) if block[0] == name[0])
        pieces = [
            (first + field, row, moved, _sum_of_digits(moved, self._walk.bits))
            for field, row, moved, _ in self._pieces(part)
        ]
        table = []
        for code in self._codes(name)[0]:
            shown = dict(zip(name[1], code, strict=True))
            entry = 0
            for field, row, moved, lines in pieces:
                to, worth = self._goes(field, shown[row])
                entry += moved << to if to >= 0 else (lines * worth) << self.coins_at
            table.append(entry)
        return table


def _seen_as(runs: Runs, symbol: str | None) -> Callable[[str], str]:
    """Return how lines of `symbol` see a cell: as the symbol, as a wild if that makes a difference, or as nothing."""

    def seen(shown: str) -> str:
        if symbol is None:
            return shown
        if not runs.rules.covers(shown, symbol):
            return ""
        return shown if runs.multiplied else symbol

    return seen


def _sum_of_digits(number: int, bits: int) -> int:
    """Return the sum of the `bits`-bit fields of `number`; the sum must fit into one field."""
    return number % ((1 << bits) - 1)
