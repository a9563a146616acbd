"""What the themes of games of ways have in common: no lines, and with cascades a ladder of multipliers, shards."""

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
    """Most of the theme of a game of ways; a game sets what `SpinTheme` asks for, its ladders, and the shards' names.

    `steps` are the multipliers of a paid spin's cascades, `free_steps` those of free spins; `ladder_foot` is the middle
    of the lowest step on the stage, `ladder_rise` how much higher each other one lies.
    """

    lines = ()
    steps: tuple[int, ...] = (1,)
    free_steps: tuple[int, ...] = (1,)
    ladder_foot: Point = (193, 496)
    ladder_rise = 110.0

    @property
    def cascading(self) -> bool:
        """Whether there are steps to climb."""
        return len(self.steps) > 1

    @property
    def ways(self) -> int:
        """How many ways there are: one symbol from each reel."""
        return int(self.game.rows**self.game.reels)

    def picture(self, scene: Scene) -> Picture:
        """Return what a `WaysScene` shows: its own window, for cascades leave the strips, and its wins by ways."""
        shown = super().picture(scene)
        if not isinstance(scene, WaysScene):
            raise TypeError(f"{self.game.title} is drawn from a WaysScene, not from a {type(scene).__name__}")
        return shown._replace(window=scene.window, ways_wins=scene.ways_wins)

    def free_note(self) -> str:
        """Return the multipliers of the free spins' cascades, or what all their ways are multiplied by."""
        if not self.cascading:
            return super().free_note()
        steps = "  ".join(f"× {times}" for times in self.free_steps)  # noqa: RUF001  the multiplication sign
        return text.say(text.FREE_CASCADES, steps=steps)

    def overlay(self, context: DrawContext) -> GameOverlay:
        """Return the ladder of multipliers; none without cascades."""
        if not self.cascading:
            return super().overlay(context)
        foot, rise = self.ladder_foot, self.ladder_rise
        return Ladder(context, self, self.steps, self.free_steps, foot=foot, rise=rise)

    def foot(self) -> str:
        """Say what the paytable's figures are."""
        return text.say(text.PAYTABLE_WAYS)
