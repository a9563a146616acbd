"""The common part of themes for games of ways: no lines, and with cascades a ladder of multipliers and shards."""

from gamekit.play import Scene
from gamekit.ways_scene import WaysScene
from ui import text
from ui.draw_context import DrawContext
from ui.layout import Point
from ui.picture import Picture
from ui.scenes.game_overlay import GameOverlay
from ui.scenes.ladder import Ladder
from ui.spin_theme import SpinTheme


class WaysTheme(SpinTheme):
    """Most of the theme of a game of ways; a game defines what `SpinTheme` needs, its ladders, and the shards' names.

    `steps` are the multipliers of a paid spin's cascades, `free_steps` those of free spins; `ladder_foot` is the middle
    of the lowest step on the stage, `ladder_rise` the distance to each higher one.
    """

    lines = ()
    steps: tuple[int, ...] = (1,)
    free_steps: tuple[int, ...] = (1,)
    ladder_foot: Point = (193, 496)
    ladder_rise = 110.0

    @property
    def cascading(self) -> bool:
        """Whether the game has cascades with multiplier steps."""
        return len(self.steps) > 1

    @property
    def ways(self) -> int:
        """The number of ways: one symbol from each reel."""
        return int(self.game.rows**self.game.reels)

    def picture(self, scene: Scene) -> Picture:
        """Return the picture of a `WaysScene`: its own window, since cascades leave the strips, and its ways wins."""
        shown = super().picture(scene)
        if not isinstance(scene, WaysScene):
            raise TypeError(f"{self.game.title} is drawn from a WaysScene, not from a {type(scene).__name__}")
        return shown._replace(window=scene.window, ways_wins=scene.ways_wins)

    def free_note(self) -> str:
        """Return the multipliers of the free spins' cascades, or the multiplier of all their ways."""
        if not self.cascading:
            return super().free_note()
        steps = "  ".join(f"× {times}" for times in self.free_steps)  # noqa: RUF001  the multiplication sign
        return text.say(text.FREE_CASCADES, steps=steps)

    def overlay(self, context: DrawContext) -> GameOverlay:
        """Return the ladder of multipliers, or an empty overlay without cascades."""
        if not self.cascading:
            return super().overlay(context)
        foot, rise = self.ladder_foot, self.ladder_rise
        return Ladder(context, self, self.steps, self.free_steps, foot=foot, rise=rise)

    def foot(self) -> str:
        """Return the explanation of the paytable's figures."""
        return text.say(text.PAYTABLE_WAYS)
