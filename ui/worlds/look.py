"""What the shared scenes need to know of a game's screen, whatever the game."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol

from games.beats import LineWin, ScatterWin
from games.play import Game, Scene
from games.reels import Strip


class Opened(NamedTuple):
    """An opened object of a pick bonus: its place and what it paid, in coins."""

    choice: int
    coins: int


class Picture(NamedTuple):
    """What stands on a game's screen, in the terms of the shared scenes; amounts are in coins."""

    stops: tuple[int, ...]
    free: bool = False
    line_wins: tuple[LineWin, ...] = ()
    scatter_win: ScatterWin | None = None
    free_left: int = 0
    free_played: int = 0
    free_total: int = 0
    free_win: int = 0
    shown: int = 0
    opened: tuple[Opened, ...] = ()
    picks_left: int = 0
    picks_win: int = 0

    @property
    def picking(self) -> bool:
        """The pick bonus stands on the screen."""
        return self.shown > 0


class Look(Protocol):
    """One game's look; `ui/worlds/<game>.py` exports it as `LOOK`."""

    @property
    def game(self) -> Game:
        """The game itself."""

    @property
    def world(self) -> str:
        """The name of its baked world."""

    @property
    def lines(self) -> Sequence[Sequence[int]]:
        """The row, from 0, in which each payline crosses each reel."""

    @property
    def scatter(self) -> str:
        """The symbol two of which make the reels wait."""

    @property
    def bonus(self) -> str:
        """The symbol that starts the pick bonus from reel 1 on."""

    @property
    def symbols(self) -> Mapping[str, str]:
        """What the player calls each symbol, in the order of the paytable."""

    @property
    def free_multiplier(self) -> int:
        """What line wins are multiplied by in free spins."""

    def strips(self, picture: Picture) -> Sequence[Strip]:
        """Return the strips that stand or spin in `picture`."""

    def picture(self, scene: Scene) -> Picture:
        """Return what `scene` shows."""

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return coins for each coin on the line, by count; empty where the symbol pays no lines."""

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the scatter's pays x total bet, by count."""

    def rules(self) -> Sequence[tuple[str, str]]:
        """Return the rules for the player: headings and texts."""


def load(game: str) -> Look:
    """Return the look of the game called `game`; raises `ImportError` for a game without one."""
    look: Look = import_module(f"ui.worlds.{game}").LOOK
    return look
