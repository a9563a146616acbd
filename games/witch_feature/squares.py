"""The exact mean squares of the wins of Witch Feature's windows, from which sigma is computed.

The square of a window's win is the sum over all pairs of lines. A pair is read reel by reel: the joint symbols of two
cells of a reel form a table, and the tables of different reels are independent. If marks fall on randomly drawn cells,
a table's weights are polynomials in the number of marks, packed into one integer.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb, prod

from gamekit.exact.runs import START, Runs, State
from gamekit.reels import Reels
from games.witch_feature.features import CELLS, MEGA_WILDS, feature_reels
from games.witch_feature.pays import (
    EXPLOSION_MARKS,
    EXPLOSION_SYMBOLS,
    EXPLOSION_TABLE,
    LINE_PAYS,
    LINE_RULES,
    LINES,
    RANDOM_WILDS_TABLE,
    REEL_COUNT,
    SYMBOLS,
    WILD,
)
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import EXPLOSION
from games.witch_feature.strips import FREE_REELS

Status = State | int
"""A line's run while it is alive, or what it is worth once it has ended."""

# Squares (below 2**16) over all pairs of lines (2**12), stops (2**27) and choices of marked cells (2**8) fit well.
_MARK_BITS = 80
_MARK = 1 << _MARK_BITS

_RUNS = Runs(LINE_RULES, LINE_PAYS, SYMBOLS)
_PAIRS = tuple((a, b, 1 if a == b else 2) for a, b in combinations_with_replacement(LINES, 2))


def _follow(status: Status, shown: str, length: int) -> Status:
    """Return a line's status once the cell after `length` others shows `shown`."""
    if isinstance(status, int):
        return status
    after = _RUNS.step(status, shown)
    if after is None:
        return _RUNS.worth(status, length)
    wilds, symbol = after
    # Once the symbol is known, wilds too few to pay on their own do not matter: dropping them merges states.
    return after if symbol is None or _RUNS.worth((wilds, None), wilds) else (0, symbol)


class Joint:
    """The joint symbols of two lines' cells on one reel, with weights; `total` is the sum of the weights."""

    def __init__(self, length: int, weights: Mapping[tuple[str, str], int]) -> None:
        self._length = length
        self._weights = weights
        self.total = sum(weights.values())
        self._moves: dict[tuple[Status, Status], list[tuple[tuple[Status, Status], int]]] = {}

    def moves(self, pair: tuple[Status, Status]) -> list[tuple[tuple[Status, Status], int]]:
        """Return the next statuses of the two lines, with weights; pairs with a line worth nothing are dropped."""
        known = self._moves.get(pair)
        if known is None:
            tally: dict[tuple[Status, Status], int] = defaultdict(int)
            for (first, second), weight in self._weights.items():
                after = _follow(pair[0], first, self._length), _follow(pair[1], second, self._length)
                if 0 not in after:
                    tally[after] += weight
            known = self._moves[pair] = list(tally.items())
        return known


def _product(joints: Sequence[Joint]) -> int:
    """Return the weighted sum of the products of two lines' worths."""
    alive: dict[tuple[Status, Status], int] = {(START, START): 1}
    for joint in joints:
        going: dict[tuple[Status, Status], int] = defaultdict(int)
        for pair, ways in alive.items():
            for after, weight in joint.moves(pair):
                going[after] += ways * weight
        alive = going
    return sum(ways * _settled(first) * _settled(second) for (first, second), ways in alive.items())


def _settled(status: Status) -> int:
    return status if isinstance(status, int) else _RUNS.worth(status, REEL_COUNT)


class _Joints:
    """The joint tables of `reels`, each built once; `symbol` is what marks turn cells into."""

    def __init__(self, reels: Reels, symbol: str = WILD) -> None:
        self._reels = reels
        self._symbol = symbol
        self.plain = cache(self._plain)
        self.covered = cache(self._covered)
        self.marked = cache(self._marked)

    def _shown(self, reel: int, a: int, b: int) -> Counter[tuple[str, str]]:
        columns = (self._reels.column(reel, stop) for stop in range(self._reels.lengths[reel]))
        return Counter((column[a], column[b]) for column in columns)

    def _plain(self, reel: int, a: int, b: int) -> Joint:
        return Joint(reel, self._shown(reel, a, b))

    def _covered(self, reel: int, distance: int, first: bool, second: bool) -> Joint:  # noqa: FBT001  # a cache's key
        """Return the table of two cells `distance` apart, of which the given ones are certainly marked."""
        a = max(0, -distance)
        return Joint(reel, self._turned(self._shown(reel, a, a + distance), first=first, second=second))

    def _turned(self, shown: Counter[tuple[str, str]], *, first: bool, second: bool) -> Counter[tuple[str, str]]:
        turned: Counter[tuple[str, str]] = Counter()
        for (a, b), stops in shown.items():
            turned[self._symbol if first else a, self._symbol if second else b] += stops
        return turned

    def _marked(self, reel: int, distance: int) -> Joint:
        """Return the table of two cells `distance` apart that may be marked; each mark is a factor `_MARK`."""
        a = max(0, -distance)
        shown = self._shown(reel, a, a + distance)
        both = 1 if distance == 0 else 2
        cases = [(False, False, 1), (True, True, _MARK**both)]
        if distance:
            cases += [(True, False, _MARK), (False, True, _MARK)]
        weights: dict[tuple[str, str], int] = defaultdict(int)
        for first, second, weight in cases:
            for pair, stops in self._turned(shown, first=first, second=second).items():
                weights[pair] += stops * weight
        return Joint(reel, weights)


def _shifts() -> Mapping[tuple[int, ...], int]:
    """Return the number of ordered pairs of lines by their row distances on each reel; a pair equals its reverse."""
    shifts: Counter[tuple[int, ...]] = Counter()
    for first, second, times in _PAIRS:
        shift = tuple(b - a for a, b in zip(first, second, strict=True))
        shifts[max(shift, tuple(-distance for distance in shift))] += times
    return shifts


@cache
def window_square(reels: Reels) -> Fraction:
    """Return the mean square of a window's line wins, for reels whose rows need not be alike."""
    joints = _Joints(reels)
    total = sum(
        times * _product([joints.plain(reel, a, b) for reel, (a, b) in enumerate(zip(first, second, strict=True))])
        for first, second, times in _PAIRS
    )
    return Fraction(total, prod(reels.lengths))


@cache
def strip_square(reels: Reels) -> Fraction:
    """Return the mean square of a window's line wins, for strips shown as they are: only rows' distances matter."""
    joints = _Joints(reels)
    total = sum(
        times * _product([joints.plain(reel, max(0, -by), max(0, by)) for reel, by in enumerate(shift)])
        for shift, times in _shifts().items()
    )
    return Fraction(total, prod(reels.lengths))


def mega_wild_square(reels: Reels) -> Fraction:
    """Return the mean square of a window with a Mega Wild."""
    joints = _Joints(reels)
    keys: dict[tuple[tuple[int, bool, bool], ...], Fraction] = defaultdict(Fraction)
    for places in MEGA_WILDS:
        for cells in map(set, places):
            for first, second, times in _PAIRS:
                key = []
                for reel, (a, b) in enumerate(zip(first, second, strict=True)):
                    marks = ((reel, a) in cells, (reel, b) in cells)
                    # Beside a marked cell the other one's distance no longer matters.
                    key.append((0 if any(marks) else b - a, *marks))
                keys[tuple(key)] += Fraction(times, len(MEGA_WILDS) * len(places))
    total = sum(
        (
            weight * _product([joints.covered(reel, *cell) for reel, cell in enumerate(key)])
            for key, weight in keys.items()
        ),
        Fraction(0),
    )
    return total / prod(reels.lengths)


@cache
def _marked_ways(reels: Reels, symbol: str) -> Mapping[int, int]:
    """Return the sum of squares by number of cells that a pair of lines has, packed by how many of them are marked."""
    joints = _Joints(reels, symbol)
    ways: dict[int, int] = defaultdict(int)
    for shift, times in _shifts().items():
        cells = REEL_COUNT + sum(distance != 0 for distance in shift)
        ways[cells] += times * _product([joints.marked(reel, distance) for reel, distance in enumerate(shift)])
    return dict(ways)


def marked_square(reels: Reels, symbol: str, count: int) -> Fraction:
    """Return the mean square of a window with `count` distinct cells, any of them, turned into `symbol`."""
    total = 0
    for cells, packed in _marked_ways(reels, symbol).items():
        for marks in range(min(cells, count) + 1):
            ways = (packed >> (_MARK_BITS * marks)) % _MARK
            total += ways * comb(len(CELLS) - cells, count - marks)
    return Fraction(total, comb(len(CELLS), count) * prod(reels.lengths))


@cache
def respin_square(feature: str) -> Fraction:
    """Return the mean square of one respin of `feature`, before any multiplier."""
    reels = feature_reels((feature,))
    if feature == "mega_wild":
        return mega_wild_square(reels)
    if feature == "random_wilds":
        table = RANDOM_WILDS_TABLE
        parts = [weight * marked_square(reels, WILD, count) for count, weight in table.weights.items()]
        return sum(parts, Fraction(0)) / table.total
    if feature == EXPLOSION:
        table = EXPLOSION_TABLE
        parts = [
            weight * marked_square(reels, EXPLOSION_SYMBOLS[place], EXPLOSION_MARKS)
            for place, weight in table.weights.items()
        ]
        return sum(parts, Fraction(0)) / table.total
    return strip_square(reels)


def all_squares() -> dict[str, Fraction]:
    """Return the mean squares of a paid window, a free one, and one respin of each feature: minutes of work.

    `known_squares` keeps them; a slow proof holds them against this.
    """
    features = ("high_symbols", "random_wilds", "multiplier", "mega_wild", EXPLOSION)
    return {
        "paid": window_square(PAID_REELS),
        "free": strip_square(FREE_REELS),
        **{feature: respin_square(feature) for feature in features},
    }
