"""What a game defines for the display (docs/display.md, "A new game's screen"): symbols, pictures, acts and words.

What a game draws itself is defined by `ui.scenes.game_overlay.GameScenes`.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple, Protocol

from gamekit import catalogue
from gamekit.play import Beat, Game, Scene, Stake, Step
from gamekit.reels import Strip
from ui.acts import Act
from ui.anticipation import Anticipation, Trigger
from ui.climb import WinSizes
from ui.picture import Drift, Dweller, Picture, Window, WipeLook, landed
from ui.protocol.messages import View
from ui.protocol.values import Bet


class Choice(NamedTuple):
    """A choice on the paytable's pages: its touch control, its words, and whether it is selected."""

    control: str
    words: str
    chosen: bool


class Headline(NamedTuple):
    """The words over the reels in place of the logo: large golden words, and a line below them."""

    words: str
    note: str = ""


class RulesEdition(NamedTuple):
    """The edition of the rules on the screen: its number, counted from 1, and the day from which it applies."""

    version: int
    since: date


class Explained(NamedTuple):
    """The rule that explains a kind of beat, by its heading, and what pays: both in English.

    `name` is a symbol's as on the paytable, or a feature's as on the screens, and is part of the heading. Beats with
    one name belong together: one rule may explain all of them.
    """

    heading: str
    name: str


class Theme(Protocol):
    """One game's theme; `games/<game>/display/theme.py` exports it as `THEME`. `SpinTheme` implements most of one."""

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
    def ways(self) -> int:
        """The number of ways in a game of ways, whose `lines` are empty; 0 in a game of lines."""

    def shard(self, symbol: str) -> str:
        """Return the name of the sprites `<name>_0` to `_2` into which `symbol` bursts in a cascade; empty for none."""

    @property
    def scatter(self) -> str:
        """The symbol that counts anywhere in the window."""

    @property
    def bonus(self) -> str:
        """The symbol that starts the pick bonus from reel 1 on; empty if there is none."""

    @property
    def triggers(self) -> Sequence[Trigger]:
        """The symbols that start a feature, and how many of each."""

    @property
    def win_sizes(self) -> WinSizes:
        """The multiples of the bet from which a win is large, big, huge, mega."""

    @property
    def wipe(self) -> WipeLook:
        """How its screen changes from one scene to another."""

    @property
    def life(self) -> tuple[Drift | Dweller, ...]:
        """The decorative motion beside the reels."""

    @property
    def portrait_life(self) -> tuple[Drift | Dweller, ...]:
        """The decorative motion above and below the reels of a portrait monitor, in lanes of its canvas."""

    @property
    def symbols(self) -> Mapping[str, str]:
        """The player's name for each symbol, in the order of the paytable."""

    def strips(self, picture: Picture) -> Sequence[Strip]:
        """Return the strips of the reels in `picture`."""

    def picture(self, scene: Scene) -> Picture:
        """Return what `scene` shows."""

    def scenery(self, picture: Picture) -> str:
        """Return the name of the background behind the reels."""

    def backing(self, picture: Picture) -> str:
        """Return the name of the background of the reels' cells."""

    def headline(self, picture: Picture, view: View, unshown: int = 0) -> Headline | None:
        """Return what replaces the logo, or None for the logo.

        `unshown` coins of the lines, ways and scatters in `picture` are still rolling up; amounts exclude them.
        """

    def anticipation(self, picture: Picture, window: Window, lines: int) -> Anticipation:
        """Return the anticipation of the reels of `picture` that stop on `window`, with `lines` played."""

    def act(self, step: Step, before: Picture, after: Picture, stake: Stake) -> Act | None:
        """Return the act that performs `step` in this game's own way, or None for the shared script's."""

    def scene_of(self, picture: Picture, act: Act | None, offer: Step | None) -> str:
        """Return the full-screen scene shown instead of the reels, or an empty string for the reels."""

    def scene_in(self, state: str) -> str:
        """Return the full-screen scene of a machine state that only this game has, or an empty string."""

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return the pay per coin on the line, by count; empty if the symbol pays no lines."""

    def pays_in_words(self, symbol: str, bet: Bet) -> str:
        """Return the win of a line of the symbol at `bet` in words if `line_pays` has no amount for it; else empty."""

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the scatter's pays x total bet, by count; empty if it pays nothing by itself."""

    def notes(self) -> Mapping[str, str]:
        """Return short notes for the paytable beside symbols that do more than pay, by symbol."""

    @property
    def edition(self) -> RulesEdition:
        """The edition of the rules, which increases with every change of their words or figures."""

    @property
    def explains(self) -> Mapping[type[Beat], Explained]:
        """The rule that explains what a kind of beat pays.

        Lines, ways and scatters are on the paytable and need none.
        """

    def paytable_choices(self, view: View) -> tuple[Choice, ...]:
        """Return at most two choices for the paytable's pages."""

    def foot(self) -> str:
        """Return the line below the paytable: the multiplier of its figures."""

    def rules(self, gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules for the player: headings and texts. Without a cap no gamble is described."""


def shown(theme: Theme, picture: Picture) -> Window:
    """Return the visible symbols of `picture` when its reels are at rest, including held ones."""
    window = picture.window or landed(theme.strips(picture), picture.stops, theme.game.rows)
    if not picture.held:
        return window
    columns = [list(column) for column in window]
    for reel, row, symbol in picture.held:
        columns[reel][row] = symbol
    return tuple(map(tuple, columns))


def printed_pays(theme: Theme, symbol: str, bet: Bet) -> dict[int, int]:
    """Return the paytable's amounts at `bet` for `symbol`, in cents by count: its lines or ways, else its scatter."""
    if lines := theme.line_pays(symbol):
        return {count: pay * bet.coins_per_line * bet.coin_value_cents for count, pay in lines.items()}
    scatter = theme.scatter_pays() if symbol == theme.scatter else {}
    return {count: pay * bet.cents for count, pay in scatter.items()}


def load(game: str) -> Theme:
    """Return the theme of the game called `game`; raises `ImportError` for a game without one."""
    theme: Theme = catalogue.module(game, "display.theme").THEME
    return theme
