"""What the shared scenes need to know of a game's screen (docs/display.md, "A game's own scenes")."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol

from games.beats import LineWin, ScatterWin
from games.double_up import CardTable
from games.play import Game, Scene, Stake, Step
from games.reels import Strip

if TYPE_CHECKING:
    from ui.acts import Act
    from ui.draw_context import DrawContext, Scenery
    from ui.messages import View
    from ui.scenes.game_overlay import GameOverlay


class Opened(NamedTuple):
    """An opened object of a pick bonus: its place and what it paid, in coins."""

    choice: int
    coins: int


class HeldSymbol(NamedTuple):
    """A symbol that stays in its cell while its reel spins behind it; reel and row from 0."""

    reel: int
    row: int
    symbol: str


class Choice(NamedTuple):
    """Something that may be chosen on the paytable's pages: its touch control, its words, whether it is chosen now."""

    control: str
    words: str
    chosen: bool


class Headline(NamedTuple):
    """What stands over the reels in the logo's place: large golden words, and a line under them."""

    words: str
    note: str = ""


Window = tuple[Strip, ...]
"""What the player sees: the symbols of each reel from top to bottom, reels from left to right."""


class Picture(NamedTuple):
    """What stands on a game's screen, in the terms of the shared scenes; amounts are in coins.

    `scene` is the game's own. `window` stands instead of what the strips show at the `stops`, where it is not empty.
    `held` symbols stay while their reels spin behind them, `locked` reels (from 0) do not spin. `table` is the
    double-up's, once there is one.
    """

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
    scene: Scene | None = None
    window: Window = ()
    held: tuple[HeldSymbol, ...] = ()
    locked: tuple[int, ...] = ()
    table: CardTable | None = None

    @property
    def picking(self) -> bool:
        """The pick bonus stands on the screen."""
        return self.shown > 0


class Theme(Protocol):
    """One game's theme; `ui/games/<game>/theme.py` exports it as `THEME`. `SpinTheme` is most of one."""

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
        """The symbol that starts the pick bonus from reel 1 on; empty where there is none."""

    @property
    def symbols(self) -> Mapping[str, str]:
        """What the player calls each symbol, in the order of the paytable."""

    def strips(self, picture: Picture) -> Sequence[Strip]:
        """Return the strips that stand or spin in `picture`."""

    def picture(self, scene: Scene) -> Picture:
        """Return what `scene` shows."""

    def scenery(self, picture: Picture) -> str:
        """Return the name of the background behind the reels."""

    def backing(self, picture: Picture) -> str:
        """Return the name of the ground of the reels' cells."""

    def headline(self, picture: Picture, view: "View") -> Headline | None:
        """Return what stands in the logo's place, or None for the logo."""

    def waits(self, window: Window, lines: int) -> tuple[bool, ...]:
        """Tell for each reel whether it makes the player wait, when `window` lands on `lines` played lines."""

    def act(self, step: Step, before: Picture, after: Picture, stake: Stake) -> "Act | None":
        """Return the act that performs `step` in this game's own way, or None for the shared script's."""

    def scene_of(self, picture: Picture, act: "Act | None", offer: Step | None) -> str:
        """Return the full-screen scene that stands instead of the reels now, or nothing for the reels."""

    def scene_in(self, state: str) -> str:
        """Return the full-screen scene of a machine state that only this game has, or nothing."""

    def build(self, name: str, context: "DrawContext") -> "Scenery":
        """Build the scene that `scene_of` or `scene_in` names; raises ValueError for a name it never returns."""

    def overlay(self, context: "DrawContext") -> "GameOverlay":
        """Return what this game adds around and over its reels."""

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return coins for each coin on the line, by count; empty where the symbol pays no lines."""

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the scatter's pays x total bet, by count; empty where it pays nothing by itself."""

    def notes(self) -> Mapping[str, str]:
        """Return a few words for the paytable beside symbols that do more than pay, by symbol."""

    @property
    def in_money(self) -> bool:
        """Whether the paytable shows line pays as money at the current bet, not as coins for each coin on the line."""

    def paytable_choices(self, view: "View") -> tuple[Choice, ...]:
        """Return at most two things that may be chosen on the paytable's pages."""

    def foot(self) -> str:
        """Return the line under the paytable: what its figures are multiplied by."""

    def rules(self, gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules for the player: headings and texts. Without a cap there is no gamble to tell of."""


def shown(theme: Theme, picture: Picture) -> Window:
    """Return the symbols that the player sees in `picture` when its reels stand, held ones included."""
    window = picture.window or landed(theme.strips(picture), picture.stops, theme.game.rows)
    if not picture.held:
        return window
    columns = [list(column) for column in window]
    for reel, row, symbol in picture.held:
        columns[reel][row] = symbol
    return tuple(map(tuple, columns))


def landed(strips: Sequence[Strip], stops: Sequence[int], rows: int) -> Window:
    """Return what `strips` show at `stops`."""
    return tuple(
        tuple(strip[(stop + row) % len(strip)] for row in range(rows))
        for strip, stop in zip(strips, stops, strict=True)
    )


def load(game: str) -> Theme:
    """Return the theme of the game called `game`; raises `ImportError` for a game without one."""
    theme: Theme = import_module(f"ui.games.{game}.theme").THEME
    return theme
