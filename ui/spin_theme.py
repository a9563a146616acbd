"""The common part of themes for games with reels, lines, a scatter and free spins; each game's theme extends it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from gamekit.double_up import CardTable
from gamekit.play import Beat, Game, Scene, Stake, Step
from gamekit.reels import Strip
from gamekit.spin_scene import SpinScene
from ui import text
from ui.acts import Act, CardAct, CardsEndedAct, HalvedAct
from ui.anticipation import Anticipation, Trigger, anticipate
from ui.climb import WIN_SIZES
from ui.draw_context import DrawContext, Scenery
from ui.picture import Drift, Dweller, Picture, Window, WipeLook
from ui.protocol.messages import View
from ui.protocol.values import Bet, written
from ui.scenes.double_up import DoubleUp
from ui.scenes.game_overlay import GameOverlay
from ui.theme import Choice, Explained, Headline, RulesEdition

_LEAST = 3
DOUBLE_UP = "double_up"
"""The scene of the card table, which all games with a double-up share."""


@runtime_checkable
class _Dealing(Protocol):
    """A game's scene that has a card table."""

    @property
    def double_up(self) -> CardTable | None:
        """The card table, or None before there is one."""


class SpinTheme(ABC):
    """Most of a `ui.theme.Theme` in the shared style; a game sets the names and overrides what differs.

    `free_multiplier` multiplies line wins in free spins; `win_sizes` state which wins are big.
    """

    game: Game
    world: str
    lines: Sequence[Sequence[int]]
    symbols: Mapping[str, str]
    edition: RulesEdition
    scatter: str
    bonus = ""
    free_multiplier = 1
    win_sizes = WIN_SIZES
    wipe = WipeLook()
    explains: Mapping[type[Beat], Explained] = MappingProxyType({})
    life: tuple[Drift | Dweller, ...] = ()
    portrait_life: tuple[Drift | Dweller, ...] = ()

    @property
    def ways(self) -> int:
        """Return 0: it is a game of lines."""
        return 0

    def shard(self, _symbol: str) -> str:
        """Return an empty string: no symbol bursts."""
        return ""

    @abstractmethod
    def strips(self, picture: Picture) -> Sequence[Strip]:
        """Return the strips of the reels in `picture`; each game defines them."""

    def picture(self, scene: Scene) -> Picture:
        """Return the reels, wins and free spins of `scene`; raise TypeError for another game's scene.

        A game with more to show returns this with its own fields replaced.
        """
        if not isinstance(scene, SpinScene) or not isinstance(scene, self.game.scene_type):
            raise TypeError(f"{self.game.title} is drawn from its own scene, not from a {type(scene).__name__}")
        return Picture(
            stops=scene.stops,
            free=scene.mode == "free",
            line_wins=scene.line_wins,
            scatter_win=scene.scatter_win,
            free_left=scene.free_spins_left,
            free_played=scene.free_spins_played,
            free_total=scene.free_spins_total,
            free_win=scene.free_spin_win,
            scene=scene,
            table=scene.double_up if isinstance(scene, _Dealing) else None,
        )

    def scenery(self, picture: Picture) -> str:
        """Return `background`, or `background_free` in free spins."""
        return "background_free" if picture.free else "background"

    def backing(self, picture: Picture) -> str:
        """Return `reel`, or `reel_free` in free spins; a world without the latter is drawn with `reel`."""
        return "reel_free" if picture.free else "reel"

    def headline(self, picture: Picture, view: View, unshown: int = 0) -> Headline | None:
        """Return the free spins' counter and their total win during free spins, else None."""
        if not picture.free:
            return None
        if picture.free_played:
            words = text.say(text.FREE_SPIN_OF, number=picture.free_played, total=picture.free_total)
        else:
            words = text.count(text.FREE_SPIN_LEFT, text.FREE_SPINS_LEFT, picture.free_left)
        won = ""
        if view.reels_bet is not None:
            amount = written(max(0, picture.free_win - unshown) * view.reels_bet.coin_value_cents, view.locale.money)
            won = f"{text.say(text.FREE_SPINS_WIN)} {amount}"
        return Headline(words, "   ·   ".join(note for note in (self.free_note(), won) if note))

    def free_note(self) -> str:
        """Return a short description of this game's free spins."""
        return text.say(text.FREE_SPINS_TIMES, times=self.free_multiplier) if self.free_multiplier > 1 else ""

    @property
    def triggers(self) -> Sequence[Trigger]:
        """What starts a feature: three scatters, or three bonus symbols on a line; a game with others overrides it."""
        bonus = (Trigger(self.bonus, _LEAST, on_line=True),) if self.bonus else ()
        return (Trigger(self.scatter, _LEAST), *bonus)

    def anticipation(self, picture: Picture, window: Window, lines: int) -> Anticipation:
        """Return which reels wait because they can start a feature."""
        return anticipate(self.strips(picture), picture, window, self.triggers, self.lines[:lines])

    def act(self, _step: Step, _before: Picture, _after: Picture, _stake: Stake) -> Act | None:
        """Return None: the shared script performs every step."""
        return None

    def scene_of(self, picture: Picture, act: Act | None, _offer: Step | None) -> str:
        """Return the card table once a guess was made, else an empty string for the reels, where wins are offered."""
        if isinstance(act, CardAct | HalvedAct | CardsEndedAct):
            return DOUBLE_UP
        table = picture.table
        return DOUBLE_UP if act is None and table is not None and table.open and table.begun else ""

    def scene_in(self, state: str) -> str:
        """Return the card table opened by GAMBLE; a game with its own machine state checks that first."""
        return DOUBLE_UP if state == "gamble" else ""

    def build(self, name: str, context: DrawContext) -> Scenery:
        """Build the card table; raise ValueError for a scene that a game's theme names but does not build."""
        if name == DOUBLE_UP:
            return DoubleUp(context, self)
        raise ValueError(f"{self.game.title} has no scene '{name}' for a {context.layout.shape} monitor")

    def overlay(self, context: DrawContext) -> GameOverlay:
        """Return an overlay that adds nothing to the reels."""
        return GameOverlay(context, self)

    @abstractmethod
    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return the pay per coin on the line, by count; each game defines it."""

    def pays_in_words(self, _symbol: str, _bet: Bet) -> str:
        """Return an empty string: at every bet a symbol pays fixed amounts."""
        return ""

    def scatter_pays(self) -> Mapping[int, int]:
        """Return an empty mapping: this game's scatter pays nothing by itself."""
        return {}

    def notes(self) -> Mapping[str, str]:
        """Return an empty mapping: this game's symbols only pay."""
        return {}

    def paytable_choices(self, _view: View) -> tuple[Choice, ...]:
        """Return an empty tuple: this game's pages have no choices."""
        return ()

    def foot(self) -> str:
        """Return the explanation of the paytable's figures."""
        return text.say(text.PAYTABLE_MONEY)

    @abstractmethod
    def rules(self, gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules in words; each game defines them."""
