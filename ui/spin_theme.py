"""What the themes of games with reels, lines, a scatter and free spins have in common; each game's theme extends it."""

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
"""The scene of the card table, the same in every game that has one."""


@runtime_checkable
class _Dealing(Protocol):
    """A game's scene that has a card table."""

    @property
    def double_up(self) -> CardTable | None:
        """The table, once there is one."""


class SpinTheme(ABC):
    """Most of a `ui.theme.Theme`, in the shared way; a game sets the names and overrides what is special.

    `free_multiplier` is what line wins are multiplied by in free spins; `win_sizes` say which wins are big.
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
        """None: it is a game of lines."""
        return 0

    def shard(self, _symbol: str) -> str:
        """Return nothing: no symbol bursts."""
        return ""

    @abstractmethod
    def strips(self, picture: Picture) -> Sequence[Strip]:
        """Return the strips of the reels in `picture`: each game says which."""

    def picture(self, scene: Scene) -> Picture:
        """Return what `scene` shows of reels, wins and free spins; raises TypeError for another game's scene.

        A game with more to show returns this, with its own fields replaced.
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
        """Return `reel`, or `reel_free` in free spins; a world without that is drawn with `reel`."""
        return "reel_free" if picture.free else "reel"

    def headline(self, picture: Picture, view: View, unshown: int = 0) -> Headline | None:
        """Return the free spins' counter and what they have won, while they last."""
        if not picture.free:
            return None
        if picture.free_played:
            words = text.say(text.FREE_SPIN_OF, number=picture.free_played, total=picture.free_total)
        else:
            words = text.count(text.FREE_SPIN_LEFT, text.FREE_SPINS_LEFT, picture.free_left)
        won = ""
        if view.reels_bet is not None:
            amount = written(max(0, picture.free_win - unshown) * view.reels_bet.coin_value_cents, view.money)
            won = f"{text.say(text.FREE_SPINS_WIN)} {amount}"
        return Headline(words, "   ·   ".join(note for note in (self.free_note(), won) if note))

    def free_note(self) -> str:
        """Return what is special to this game's free spins, in a few words."""
        return text.say(text.FREE_SPINS_TIMES, times=self.free_multiplier) if self.free_multiplier > 1 else ""

    @property
    def triggers(self) -> Sequence[Trigger]:
        """What starts a feature: three scatters, or three bonus symbols on a line; a game with others says so."""
        bonus = (Trigger(self.bonus, _LEAST, on_line=True),) if self.bonus else ()
        return (Trigger(self.scatter, _LEAST), *bonus)

    def anticipation(self, picture: Picture, window: Window, lines: int) -> Anticipation:
        """Let reels wait that can start a feature."""
        return anticipate(self.strips(picture), picture, window, self.triggers, self.lines[:lines])

    def act(self, _step: Step, _before: Picture, _after: Picture, _stake: Stake) -> Act | None:
        """Return None: the shared script performs every step."""
        return None

    def scene_of(self, picture: Picture, act: Act | None, _offer: Step | None) -> str:
        """Return the card table once a guess was made, else nothing for the reels: a win is offered over them."""
        if isinstance(act, CardAct | HalvedAct | CardsEndedAct):
            return DOUBLE_UP
        table = picture.table
        return DOUBLE_UP if act is None and table is not None and table.open and table.begun else ""

    def scene_in(self, state: str) -> str:
        """Return the card table that GAMBLE opens; a game with a machine state of its own begins with that."""
        return DOUBLE_UP if state == "gamble" else ""

    def build(self, name: str, context: DrawContext) -> Scenery:
        """Build the card table; raise ValueError for a scene that a game's theme names and does not build."""
        if name == DOUBLE_UP:
            return DoubleUp(context, self)
        raise ValueError(f"{self.game.title} has no scene '{name}' for a {context.layout.shape} monitor")

    def overlay(self, context: DrawContext) -> GameOverlay:
        """Return none: nothing but the reels."""
        return GameOverlay(context, self)

    @abstractmethod
    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return coins for each coin on the line: each game says which."""

    def pays_in_words(self, _symbol: str, _bet: Bet) -> str:
        """Return nothing: at every bet a symbol pays its amounts."""
        return ""

    def scatter_pays(self) -> Mapping[int, int]:
        """Return nothing: this game's scatter pays nothing by itself."""
        return {}

    def notes(self) -> Mapping[str, str]:
        """Return nothing: this game's symbols do nothing but pay."""
        return {}

    def paytable_choices(self, _view: View) -> tuple[Choice, ...]:
        """Return nothing: there is nothing to choose on this game's pages."""
        return ()

    def foot(self) -> str:
        """Say what the paytable's figures are."""
        return text.say(text.PAYTABLE_MONEY)

    @abstractmethod
    def rules(self, gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules in words: each game says which."""
