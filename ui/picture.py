"""What a game's screen shows, in the terms of the shared scenes: a `Picture`, and the `Window` of its reels."""

from collections.abc import Sequence
from typing import NamedTuple

from gamekit.beats import LineWin, ScatterWin, WaysWin
from gamekit.double_up import CardTable
from gamekit.play import Scene
from gamekit.reels import Strip


class Opened(NamedTuple):
    """An opened object of a pick bonus: its place and what it paid, in coins."""

    choice: int
    coins: int


class HeldSymbol(NamedTuple):
    """A symbol that stays in its cell while its reel spins behind it; reel and row from 0."""

    reel: int
    row: int
    symbol: str


class WipeLook(NamedTuple):
    """How a world changes from one scene to another: the direction of the edge, and the sprites along it.

    `towards` is `up`, `down`, `left`, `right`, `apart` from the middle, or `together` to it; `sprites` are the world's
    own, and `swarm` of them are drawn.
    """

    towards: str = "right"
    sprites: tuple[str, ...] = ("spark",)
    swarm: int = 36


class Drift(NamedTuple):
    """`swarm` of a world's `sprites` that drift continuously through a lane (left, top, width, height) of the stage.

    `speed` is in units a second, downwards; negative speeds rise.
    """

    sprites: tuple[str, ...]
    swarm: int
    lane: tuple[float, float, float, float]
    speed: float


TILE_LIFE = (62, 32, 160, 114)
"""The moving area of a game's picture in the lobby, below the plaque and above the name: left, top, width, height.

It is baked as `tile_00` to `tile_11`.
"""


class Dweller(NamedTuple):
    """A creature or a light of a world: the `loop` of pictures (docs/art.md) in a lane of the stage.

    One loop lasts `loop_s`. With a `speed` (units a second, negative to the left) it crosses the lane while looping;
    otherwise it stays in its middle for one loop. Then it disappears for `rests_s`.
    """

    loop: str
    lane: tuple[float, float, float, float]
    speed: float = 0
    loop_s: float = 1.0
    rests_s: float = 0.0


Window = tuple[Strip, ...]
"""The visible symbols of each reel from top to bottom, reels from left to right."""


class Picture(NamedTuple):
    """What a game's screen shows, in the terms of the shared scenes; amounts are in coins.

    `scene` is the game's own. `window`, unless empty, replaces what the strips show at the `stops`. `held` symbols stay
    while their reels spin behind them, `locked` reels (from 0) do not spin. `table` is the double-up's table, if there
    is one.
    """

    stops: tuple[int, ...]
    free: bool = False
    line_wins: tuple[LineWin, ...] = ()
    scatter_win: ScatterWin | None = None
    ways_wins: tuple[WaysWin, ...] = ()
    free_left: int = 0
    free_played: int = 0
    free_total: int = 0
    free_win: int = 0
    shown: int = 0
    opened: tuple[Opened, ...] = ()
    picks_left: int = 0
    picks_win: int = 0
    scene: Scene | None = None
    window: Window = ()
    held: tuple[HeldSymbol, ...] = ()
    locked: tuple[int, ...] = ()
    table: CardTable | None = None

    @property
    def won(self) -> bool:
        """Whether the window has won on lines, by ways or by scatters."""
        return bool(self.line_wins or self.ways_wins or self.scatter_win)

    @property
    def picking(self) -> bool:
        """Whether the pick bonus is on the screen."""
        return self.shown > 0


def landed(strips: Sequence[Strip], stops: Sequence[int], rows: int) -> Window:
    """Return what `strips` show at `stops`."""
    return tuple(
        tuple(strip[(stop + row) % len(strip)] for row in range(rows))
        for strip, stop in zip(strips, stops, strict=True)
    )
