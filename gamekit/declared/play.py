"""The play of a declared game (`gamekit.declared.declaration` has the order in which a spin is evaluated)."""

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import NamedTuple

from gamekit.beats import (
    CascadeFell,
    Cell,
    FreeSpinsWon,
    LineWin,
    PicksWon,
    ReelsLanded,
    ScatterWin,
    WaysWin,
    WildsExpanded,
    WildsHeld,
)
from gamekit.cascades import CascadeRules, Falling
from gamekit.declared.declaration import Declaration, HoldAndWin, LineWins
from gamekit.free_spins import Spin, SpinResult, play_free_spins
from gamekit.hold_and_win import HoldPaid, ValuesLanded, play_respins
from gamekit.lines import LineEvaluator, LineHit
from gamekit.picks import open_objects
from gamekit.play import Answer, Draw, Memory, Stake, Step
from gamekit.reels import Reels, Strip
from gamekit.scatters import ScatterCounter
from gamekit.ways import WaysEvaluator
from gamekit.weights import WeightedTable

Window = Sequence[Strip]


class Shown(NamedTuple):
    """The wins of lines or ways: `coins`, the lines that start picks, and the window in which scatters count.

    The window is None if it is the one at the stops.
    """

    coins: int
    picks: Sequence[LineHit] = ()
    window: Window | None = None


Wins = Generator[Step, Answer | None, Shown]


class LinesPlay:
    """Lines on unchanged windows."""

    def __init__(self, reels: Reels, wins: LineWins, multiplier: int) -> None:
        self._reels = reels
        self._lines = LineEvaluator(reels, wins.lines, wins.rules)
        self._rules = wins.rules
        self._paylines = wins.lines
        self._wild_multipliers = wins.wild_multipliers
        self._multiplier = multiplier

    def wins(self, stake: Stake, stops: Sequence[int]) -> Wins:
        """Yield what the lines played win at `stops`."""
        picks = []
        coins = 0
        for hit in self._lines.hits(stops, stake.lines):
            if hit.symbol in self._rules.features:
                picks.append(hit)
                continue
            multiplier = self._multiplier
            if self._wild_multipliers:
                multiplier *= self._by_wilds(stops, hit)
            win = hit.pay * stake.coins_per_line * multiplier
            coins += win
            yield LineWin(hit.line + 1, hit.symbol, hit.run, multiplier, coins=win)
        return Shown(coins, picks)

    def _by_wilds(self, stops: Sequence[int], hit: LineHit) -> int:
        rows = self._paylines[hit.line][: hit.run]
        cells = (self._reels.column(reel, stops[reel])[row] for reel, row in enumerate(rows))
        wilds = sum(cell == self._rules.wild for cell in cells)
        return self._wild_multipliers[min(wilds, len(self._wild_multipliers)) - 1] if wilds else 1


class WaysPlay:
    """Ways, with cascades or without."""

    def __init__(self, reels: Reels, ways: WaysEvaluator, multiplier: int, cascades: CascadeRules | None) -> None:
        self._reels = reels
        self._ways = ways
        self._multiplier = multiplier
        self._cascades = cascades

    def wins(self, stake: Stake, stops: Sequence[int]) -> Wins:
        """Yield what the ways win at `stops`, window after window."""
        if self._cascades is None:
            window = self._reels.window(stops)
            coins, _ = yield from pay_ways(self._ways, window, stake, self._multiplier)
            return Shown(coins)
        falling = Falling(self._reels, stops)
        coins = 0
        for falls in range(self._cascades.most + 1):
            multiplier = self._cascades.multiplier(falls)
            won, cells = yield from pay_ways(self._ways, falling.window, stake, multiplier)
            coins += won
            if not cells or falls == self._cascades.most:
                break
            falling.fall(cells)
            yield CascadeFell(falls + 1, tuple(sorted(cells)), falling.window, self._cascades.multiplier(falls + 1))
        return Shown(coins, window=falling.window)


class ChangedPlay:
    """Lines or ways on windows changed by wilds: wilds held by earlier free spins, and expanding wilds."""

    def __init__(self, reels: Reels, declared: Declaration, multiplier: int, *, sticky: bool) -> None:
        self._reels = reels
        self._wild = declared.wild
        self._expanding = declared.expanding
        self._sticky = sticky
        self._multiplier = multiplier
        wins = declared.wins
        self._lines = LineEvaluator(reels, wins.lines, wins.rules) if isinstance(wins, LineWins) else None
        self._ways = None if isinstance(wins, LineWins) else WaysEvaluator(reels, wins)

    def wins(self, stake: Stake, stops: Sequence[int], held: set[Cell]) -> Wins:
        """Yield the wins at `stops` with wilds in the cells `held`; the wilds of this spin are added to `held`."""
        landed = covered(self._reels.window(stops), held, self._wild)
        window = expanded(landed, self._wild) if self._expanding else landed
        changed = tuple(reel for reel, column in enumerate(window) if column != landed[reel])
        if changed:
            yield WildsExpanded(changed)
        if self._sticky:
            held.update(
                (reel, row)
                for reel, column in enumerate(window)
                for row, shown in enumerate(column)
                if shown == self._wild
            )
            if held:
                yield WildsHeld(tuple(sorted(held)))
        coins = 0
        if self._ways is not None:
            coins, _ = yield from pay_ways(self._ways, window, stake, self._multiplier)
        elif self._lines is not None:
            for hit in self._lines.hits_in(window, stake.lines):
                win = hit.pay * stake.coins_per_line * self._multiplier
                coins += win
                yield LineWin(hit.line + 1, hit.symbol, hit.run, self._multiplier, coins=win)
        return Shown(coins, window=landed)


def covered(window: Window, held: set[Cell], wild: str | None) -> Window:
    """Return `window` with `wild` in the cells `held`."""
    if not held or wild is None:
        return window
    return tuple(
        tuple(wild if (reel, row) in held else shown for row, shown in enumerate(column))
        for reel, column in enumerate(window)
    )


def expanded(window: Window, wild: str | None) -> Window:
    """Return `window` with each reel that shows `wild` filled with it."""
    if wild is None:
        return window
    return tuple((wild,) * len(column) if wild in column else column for column in window)


def pay_ways(
    ways: WaysEvaluator, window: Window, stake: Stake, multiplier: int
) -> Generator[Step, Answer | None, tuple[int, set[Cell]]]:
    """Yield what `window` wins; return its coins and the winning cells."""
    coins = 0
    winning: set[Cell] = set()
    for hit in ways.hits(window):
        cells = ways.cells(window, hit)
        win = hit.pay * stake.coins_per_line * multiplier
        coins += win
        winning.update(cells)
        yield WaysWin(hit.symbol, hit.run, hit.ways, cells, multiplier, coins=win)
    return coins, winning


class _Kind:
    """A kind of spin, paid or free: its reels and how they pay."""

    def __init__(self, declared: Declaration, *, free: bool) -> None:
        self.free = free
        self.reels = declared.free_reels if free else declared.reels
        self.scatters = ScatterCounter(self.reels, declared.scatter.symbol)
        sticky = free and declared.free_spins.sticky
        multiplier = declared.free_spins.multiplier if free else 1
        self.wins: Callable[[Stake, Sequence[int], set[Cell]], Wins]
        if declared.expanding or sticky:
            self.wins = ChangedPlay(self.reels, declared, multiplier, sticky=sticky).wins
        elif isinstance(declared.wins, LineWins):
            on_lines = LinesPlay(self.reels, declared.wins, multiplier)
            self.wins = lambda stake, stops, _: on_lines.wins(stake, stops)
        else:
            cascades = declared.free_cascades if free else declared.cascades
            on_ways = WaysPlay(self.reels, WaysEvaluator(self.reels, declared.wins), multiplier, cascades)
            self.wins = lambda stake, stops, _: on_ways.wins(stake, stops)


class DeclaredPlay:
    """The play of `declared`; it is stateless, so one object can play any number of rounds at once."""

    def __init__(self, declared: Declaration) -> None:
        self._declared = declared
        self._base = _Kind(declared, free=False)
        self._free = _Kind(declared, free=True)

    def __call__(self, stake: Stake, draw: Draw, _memory: Memory = None) -> Generator[Step, Answer | None, Memory]:
        """Play one paid round."""
        paid = yield from self._spin(self._base, stake, draw, set())
        if paid.free_spins:
            held: set[Cell] = set()
            yield from play_free_spins(paid.free_spins, lambda: self._spin(self._free, stake, draw, held))
        return None

    def _spin(self, kind: _Kind, stake: Stake, draw: Draw, held: set[Cell]) -> Spin:
        """One spin; the wilds that stay are added to `held`."""
        declared = self._declared
        scatter, picks, hold = declared.scatter, declared.picks, declared.hold
        stops = kind.reels.spin(draw)
        yield ReelsLanded(stops)
        shown = yield from kind.wins(stake, stops, held)
        coins = shown.coins
        cells = kind.scatters.cells(stops) if shown.window is None else cells_of(shown.window, scatter.symbol)
        count = len(cells)
        if count in scatter.pays:
            win = scatter.pays[count] * stake.coins
            coins += win
            yield ScatterWin(scatter.symbol, count, cells, coins=win)
        if picks is not None:
            for hit in shown.picks:
                yield PicksWon(hit.line + 1, picks.symbol, hit.run, picks.shown)
                prize = partial(_prize, picks.table, draw, stake)
                coins += yield from open_objects(hit.run, picks.shown, prize)
        if hold is not None:
            landed = kind.reels.window(stops) if shown.window is None else shown.window
            coins += yield from play_hold(hold, cells_of(landed, hold.rules.symbol), stake, draw)
        spins = scatter.free_spins.get(count, 0) if declared.free_spins.retrigger or not kind.free else 0
        if spins:
            yield FreeSpinsWon(spins, retrigger=kind.free)
        return SpinResult(coins, spins)


def _prize(table: WeightedTable, draw: Draw, stake: Stake) -> int:
    """Return what an object holds, in coins."""
    return table.draw(draw) * stake.coins_per_line


def cells_of(window: Window, symbol: str) -> tuple[Cell, ...]:
    """Return the cells of `window` that show `symbol`, from left to right and from top to bottom."""
    return tuple(
        (reel, row) for reel, column in enumerate(window) for row, shown in enumerate(column) if shown == symbol
    )


def play_hold(hold: HoldAndWin, cells: Sequence[Cell], stake: Stake, draw: Draw) -> Generator[Step, Answer | None, int]:
    """Play hold and win from `cells`, if they are enough, and return the coins that it paid."""
    if len(cells) < hold.least:
        return 0
    bets = 0

    def land(new: Sequence[Cell]) -> ValuesLanded:
        nonlocal bets
        values = tuple(hold.values.draw(draw) for _ in new)
        bets += sum(values)
        return ValuesLanded(tuple(new), values)

    yield land(cells)
    filled = yield from play_respins(cells, hold.rules, draw, land)
    full = filled == len(hold.rules.cells)
    bets += hold.full * full
    win = bets * stake.coins
    yield HoldPaid(bets, full, coins=win)
    return win
