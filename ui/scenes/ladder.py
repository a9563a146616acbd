"""The ladder of multipliers beside the reels of a cascade game; each cascade lights the next step."""

import pygame

from ui.acts import Act
from ui.cascade_acts import BURST_S, CascadeAct, multiplier
from ui.director import Director
from ui.draw_context import DrawContext, put_centred
from ui.layout import Point
from ui.picture import Picture
from ui.scenes.game_overlay import GameOverlay
from ui.stage import Stage
from ui.theme import Theme

PORTRAIT_FOOT: Point = (150, 340)
"""The middle of the lowest step on a portrait canvas, above the reels; the others follow to its right."""
PORTRAIT_STEP = 160
RISE_S = 0.45
"""Seconds for which a newly reached step lights up."""


class Ladder(GameOverlay):
    """The ladders of the base game and of free spins: `steps` and `free_steps` from the lowest to the highest.

    The lowest step's middle is at `foot` of the stage, each further one `rise` higher; in portrait all are in a row
    above the reels. The world's sprites are `step_<times>` and `step_<times>_lit`, and `free_step_<times>` for free
    spins if they exist.
    """

    def __init__(
        self,
        context: DrawContext,
        theme: Theme,
        steps: tuple[int, ...],
        free_steps: tuple[int, ...],
        *,
        foot: Point,
        rise: float,
    ) -> None:
        super().__init__(context, theme)
        self._steps = steps
        self._free_steps = free_steps
        self._foot = foot
        self._rise = rise

    def key(self, director: Director) -> tuple[object, ...]:
        """Return whether the ladder of free spins is shown."""
        return (_free(director),)

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the steps dark."""
        world, free = self.context.world(self.theme), _free(director)
        for place, times in enumerate(self._free_steps if free else self._steps):
            put_centred(plate, world.sprite(self._name(times, free=free)), self.context.scale, *self._middle(place))

    def draw(self, stage: Stage, director: Director, picture: Picture, act: Act | None, now: float) -> None:
        """Light the step of the window's multiplier; a newly reached step shines."""
        world, free = self.context.world(self.theme), _free(director)
        steps = self._free_steps if free else self._steps
        times = act.multiplier(now) if isinstance(act, CascadeAct) else multiplier(picture)
        if times not in steps:
            return
        middle = self._middle(steps.index(times))
        stage.draw_centred(world.sprite(f"{self._name(times, free=free)}_lit"), *middle)
        shining = act.elapsed(now) - BURST_S if isinstance(act, CascadeAct) and not act.plain else -1.0
        if 0 <= shining < RISE_S and "glow" in world:
            glow = world.sprite("glow")
            glow.set_alpha(round(255 * (1 - shining / RISE_S)))
            stage.draw_centred(glow, *middle)
            glow.set_alpha(255)

    def _middle(self, place: int) -> Point:
        across, down = PORTRAIT_FOOT
        aside = (across + PORTRAIT_STEP * place, down)
        return self.context.layout.either((self._foot[0], self._foot[1] - self._rise * place), aside)

    def _name(self, times: int, *, free: bool) -> str:
        name = f"step_{times}"
        return f"free_{name}" if free and f"free_{name}" in self.context.world(self.theme) else name


def _free(director: Director) -> bool:
    return director.picture is not None and director.picture.free
