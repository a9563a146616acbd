"""What the display asks of a game (docs/display.md, "A new game's screen"): its symbols, pictures, acts and words.

What a game draws by itself is in `ui.scenes.game_overlay.GameScenes`.
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
    """Something that may be chosen on the paytable's pages: its touch control, its words, whether it is chosen now."""

    control: str
    words: str
    chosen: bool


class Headline(NamedTuple):
    """What is shown over the reels in the logo's place: large golden words, and a line under them."""

    words: str
    note: str = ""


class RulesEdition(NamedTuple):
    """Which words the rules on the screen are: their number, counted from 1, and the day since which they are so."""

    version: int
    since: date


class Explained(NamedTuple):
    """Which rule says what a kind of beat pays, by its heading, and what pays: both in English.

    `name` is a symbol's as the paytable has it, or a feature's as the screens have it, and stands in the heading. Beats
    of one name belong together: one rule may say what all of them pay.
    """

    heading: str
    name: str


class Theme(Protocol):
    """One game's theme; `games/<game>/display/theme.py` exports it as `THEME`. `SpinTheme` is most of one."""

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
        """How many ways there are in a game of ways, whose `lines` are none; 0 in a game of lines."""

    def shard(self, symbol: str) -> str:
        """Return the name of the sprites `<name>_0` to `_2` that `symbol` bursts into in a cascade; empty for none."""

    @property
    def scatter(self) -> str:
        """The symbol that counts anywhere in the window."""

    @property
    def bonus(self) -> str:
        """The symbol that starts the pick bonus from reel 1 on; empty where there is none."""

    @property
    def triggers(self) -> Sequence[Trigger]:
        """Which symbols start a feature, and how many."""

    @property
    def win_sizes(self) -> WinSizes:
        """From how many bets on a win is large, big, huge, mega."""

    @property
    def wipe(self) -> WipeLook:
        """How its screen passes from one scene to another."""

    @property
    def life(self) -> tuple[Drift | Dweller, ...]:
        """What drifts and dwells beside the reels."""

    @property
    def portrait_life(self) -> tuple[Drift | Dweller, ...]:
        """What drifts and dwells above and below the reels of a portrait monitor, in lanes of its canvas."""

    @property
    def symbols(self) -> Mapping[str, str]:
        """What the player calls each symbol, in the order of the paytable."""

    def strips(self, picture: Picture) -> Sequence[Strip]:
        """Return the strips of the reels in `picture`."""

    def picture(self, scene: Scene) -> Picture:
        """Return what `scene` shows."""

    def scenery(self, picture: Picture) -> str:
        """Return the name of the background behind the reels."""

    def backing(self, picture: Picture) -> str:
        """Return the name of the ground of the reels' cells."""

    def headline(self, picture: Picture, view: View, unshown: int = 0) -> Headline | None:
        """Return what replaces the logo, or None for the logo.

        `unshown` coins of the lines, ways and scatters in `picture` still roll up: an amount is without them.
        """

    def anticipation(self, picture: Picture, window: Window, lines: int) -> Anticipation:
        """Return what the reels of `picture` let expect as they stop on `window`, with `lines` played."""

    def act(self, step: Step, before: Picture, after: Picture, stake: Stake) -> Act | None:
        """Return the act that performs `step` in this game's own way, or None for the shared script's."""

    def scene_of(self, picture: Picture, act: Act | None, offer: Step | None) -> str:
        """Return the full-screen scene that is shown instead of the reels now, or nothing for the reels."""

    def scene_in(self, state: str) -> str:
        """Return the full-screen scene of a machine state that only this game has, or nothing."""

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return coins for each coin on the line, by count; empty where the symbol pays no lines."""

    def pays_in_words(self, symbol: str, bet: Bet) -> str:
        """Return what a line of the symbol wins at `bet` where that is no amount of `line_pays`; else nothing."""

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the scatter's pays x total bet, by count; empty where it pays nothing by itself."""

    def notes(self) -> Mapping[str, str]:
        """Return a few words for the paytable beside symbols that do more than pay, by symbol."""

    @property
    def edition(self) -> RulesEdition:
        """The edition of the rules, which every change of their words or figures raises."""

    @property
    def explains(self) -> Mapping[type[Beat], Explained]:
        """The rule that says what a kind of beat pays.

        Lines, ways and scatters are on the paytable and need none.
        """

    def paytable_choices(self, view: View) -> tuple[Choice, ...]:
        """Return at most two things that may be chosen on the paytable's pages."""

    def foot(self) -> str:
        """Return the line under the paytable: what its figures are multiplied by."""

    def rules(self, gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules for the player: headings and texts. Without a cap no gamble is described."""


def shown(theme: Theme, picture: Picture) -> Window:
    """Return the symbols that the player sees in `picture` when its reels are at rest, held ones included."""
    window = picture.window or landed(theme.strips(picture), picture.stops, theme.game.rows)
    if not picture.held:
        return window
    columns = [list(column) for column in window]
    for reel, row, symbol in picture.held:
        columns[reel][row] = symbol
    return tuple(map(tuple, columns))


def printed_pays(theme: Theme, symbol: str, bet: Bet) -> dict[int, int]:
    """Return what the paytable prints at `bet` for `symbol`, in cents by count: its lines or ways, else its scatter."""
    if lines := theme.line_pays(symbol):
        return {count: pay * bet.coins_per_line * bet.coin_value_cents for count, pay in lines.items()}
    scatter = theme.scatter_pays() if symbol == theme.scatter else {}
    return {count: pay * bet.cents for count, pay in scatter.items()}


def load(game: str) -> Theme:
    """Return the theme of the game called `game`; raises `ImportError` for a game without one."""
    theme: Theme = catalogue.module(game, "display.theme").THEME
    return theme
