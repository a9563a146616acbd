"""The acts of ways and cascade games: the wins of one window, its fall into the next, and the whole chain.

The shared script (`ui.performance`) makes each from the steps of `gamekit.beats`; nothing here draws.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from gamekit.beats import Cell, WaysWin
from gamekit.ways_scene import WaysScene
from ui.acts import HURRIED_S, TURBO, PacedAct, TotalAct, WinsAct
from ui.climb import WIN_SIZES, WinSizes
from ui.picture import Picture, Window

EACH_SYMBOL_S = 1.1
"""Seconds for which the ways of each winning symbol are lit."""
BURST_S = 0.5
"""Seconds from the start of a cascade until the remaining symbols fall; the winning ones burst in that time."""
FALL_CELL_S = 0.3
"""Seconds that a symbol takes to fall one cell; further falls take the square root of the cells times as long."""
REEL_AFTER_REEL_S = 0.05
BOUNCE_S = 0.22
SETTLE_S = 0.12
"""Seconds for which the fallen window is seen before its wins light up."""
CHAIN_S = 1.5


class WaysAct(WinsAct):
    """The ways wins of one window: the symbols light up one after another while the whole amount rolls up.

    It is never big: a chain of cascades is celebrated as a whole, at its end (`ChainAct`).
    """

    def __init__(self, picture: Picture, ways: Sequence[WaysWin], stake_coins: int) -> None:
        super().__init__(picture, (), None, stake_coins, sum(win.coins for win in ways))
        self.climb = None
        self.ways = tuple(ways)
        self._lasts = EACH_SYMBOL_S * len(self.ways)
        self._roll_s = min(self._roll_s, self._lasts - HURRIED_S)

    def win(self, now: float) -> WaysWin:
        """Return the win that is lit at `now`."""
        part = (now - self.began) / self._lasts if self._lasts else 1.0
        return self.ways[min(len(self.ways) - 1, max(0, int(part * len(self.ways))))]


class Piece(NamedTuple):
    """A symbol of the window after a cascade: its reel, the row it falls to, and the row (or -1, -2 ...) it leaves."""

    reel: int
    row: int
    origin: int
    symbol: str


def pieces(after: Window, cells: Sequence[Cell]) -> tuple[Piece, ...]:
    """Return the origin of each symbol of the window `after` once `cells` of the previous window have vanished.

    Symbols above a vanished cell fall in order, and new ones follow from above the window.
    """
    found: list[Piece] = []
    for reel, column in enumerate(after):
        gone = {row for at, row in cells if at == reel}
        left = [row for row in range(len(column)) if row not in gone]
        origins = [*range(-len(gone), 0), *left]
        found += [Piece(reel, row, origins[row], symbol) for row, symbol in enumerate(column)]
    return tuple(found)


class CascadeAct(PacedAct):
    """The winning `cells` of `picture` burst, and the symbols above them fall until `lands` is shown.

    It pays nothing. `number` counts the cascades of its chain from 1, and `lands_at` is when each moving reel comes to
    rest, in unhurried seconds.
    """

    def __init__(self, picture: Picture, cells: Sequence[Cell], lands: Picture) -> None:
        self.cells = tuple(cells)
        self.lands = lands
        self.pieces = pieces(lands.window, cells)
        fallen = max(piece.row - piece.origin for piece in self.pieces)
        last = max(piece.reel for piece in self.pieces if piece.row != piece.origin)
        super().__init__(picture, 0, BURST_S + last * REEL_AFTER_REEL_S + fall_s(fallen) + BOUNCE_S + SETTLE_S)
        self.number = _number(lands)
        falls: dict[int, float] = {}
        for piece in self.pieces:
            if piece.row != piece.origin:
                at = BURST_S + piece.reel * REEL_AFTER_REEL_S + fall_s(piece.row - piece.origin)
                falls[piece.reel] = max(at, falls.get(piece.reel, 0.0))
        self.lands_at = tuple(sorted(falls.values()))

    def multiplier(self, now: float) -> int:
        """Return the multiplier of the window shown; the next step is reached when the symbols fall."""
        return multiplier(self.lands if self.falling(now) else self.picture)

    @property
    def raises(self) -> bool:
        """Whether the next window has a higher multiplier than the one before."""
        return multiplier(self.lands) > multiplier(self.picture)

    def landed(self, now: float) -> int:
        """Return how many reels have come to rest."""
        return sum(at <= self.elapsed(now) for at in self.lands_at)

    def falling(self, now: float) -> bool:
        """Whether the winning symbols have burst and the others are falling or have fallen."""
        return self.elapsed(now) >= BURST_S

    def fallen(self, piece: Piece, now: float) -> float:
        """Return the row of `piece` at `now`, between its origin and its landing, with a small bounce."""
        elapsed = self.elapsed(now) - BURST_S - piece.reel * REEL_AFTER_REEL_S
        down = piece.row - piece.origin
        lasts = fall_s(down)
        if down == 0 or elapsed <= 0:
            return float(piece.origin)
        if elapsed < lasts:
            return piece.origin + down * (elapsed / lasts) ** 2
        after = (elapsed - lasts) / BOUNCE_S
        return float(piece.row) if after >= 1 else piece.row - _BOUNCE_CELLS * 4 * after * (1 - after)


_BOUNCE_CELLS = 0.07


def multiplier(picture: Picture) -> int:
    """Return the multiplier of the window in `picture`; 1 for a game without cascades."""
    return picture.scene.multiplier if isinstance(picture.scene, WaysScene) else 1


def _number(picture: Picture) -> int:
    return picture.scene.cascade if isinstance(picture.scene, WaysScene) else 1


def fall_s(cells: int) -> float:
    """Return how long a fall of so many cells takes."""
    return FALL_CELL_S * math.sqrt(cells)


class ChainAct(TotalAct):
    """A chain of `falls` cascades has ended: the total of all its windows. It pays nothing itself."""

    def __init__(self, picture: Picture, total: int, stake_coins: int, falls: int, sizes: WinSizes = WIN_SIZES) -> None:
        super().__init__(picture, total, stake_coins, sizes=sizes)
        self.falls = falls
        if not self.big:
            self._lasts = CHAIN_S
            self.roll_total_s = CHAIN_S * TURBO
