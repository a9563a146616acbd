"""A highlight of a game in attract mode: the game's own screen, with a description below.

No money is involved: there is no HUD, and the win is that of the shown round at the bet that the sign names.
"""

from ui.draw_context import DrawContext, Scenery
from ui.scenes.game import GameScreen
from ui.scenes.game_overlay import scenes_of
from ui.scenes.playback import Playback
from ui.scenes.wipe import Wipes
from ui.stage import Stage
from ui.theme import Theme


class Demonstration:
    """Shows `playback` on the screen of its game, whose theme is `theme`."""

    def __init__(self, context: DrawContext, theme: Theme, playback: Playback) -> None:
        self.playback = playback
        self._context = context
        self._theme = theme
        self._scenes: dict[str, Scenery] = {}
        self._wipes = Wipes(context)
        self._whole = False

    def prepare(self) -> bool:
        """Prepare part of what its first spin will need; return whether there may be more."""
        screen = self._shown()
        return isinstance(screen, GameScreen) and screen.prepare(self.playback.director)

    def draw(self, stage: Stage, now: float) -> None:
        """Draw the game's screen at `now`; the round begins after the first picture."""
        playback, director = self.playback, self.playback.director
        playback.advance(now)
        whole, self._whole = self._whole, False
        self._wipes.follow(stage, director, calm=False, whole=whole)
        self._shown().draw(stage, director, now)
        self._wipes.draw(stage, director, now)
        self._whole = True
        if not playback.begun:
            playback.begin(now)

    def _shown(self) -> Scenery:
        """Return the current scene, built when first shown."""
        name = self.playback.director.scene_name
        if name not in self._scenes:
            theme, context = self._theme, self._context
            self._scenes[name] = context.budget.charge(
                lambda: scenes_of(theme).build(name, context) if name else GameScreen(context, theme)
            )
        return self._scenes[name]
