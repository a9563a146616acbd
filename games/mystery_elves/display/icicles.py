"""The icicles that hang from the frame into the window, drawn over whatever moves behind them."""

from ui.draw_context import DrawContext
from ui.layout import WIDE
from ui.stage import Stage
from ui.theme import Theme

_REACH = 24


class Icicles:
    """The strip of the frame's picture that reaches into the window."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._box = context.layout.reels
        left, top, width, _ = WIDE.reels
        strip = tuple(round(value * context.scale) for value in (left, top, width, _REACH))
        self._strip = context.world(theme).sprite("frame").subsurface(strip)

    def draw(self, stage: Stage) -> None:
        """Draw them over the reels or cells, which are drawn anew each frame."""
        stage.canvas.blit(self._strip, stage.pixels(self._box).topleft)
