"""The icicles that hang from the frame into the window, drawn over whatever moves behind them."""

from ui.draw_context import DrawContext
from ui.stage import Stage
from ui.theme import Theme

_REACH = 24


class Icicles:
    """The strip of the frame's picture that reaches into the window."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._box = context.layout.reels
        layout, scale = context.layout, context.scale
        left, top, width, _ = layout.reels
        strip = (left - layout.frame[0], top - round(layout.frame[1]), width, _REACH * layout.reels_zoom)
        self._strip = context.on_reels(theme).sprite("frame").subsurface([round(value * scale) for value in strip])

    def draw(self, stage: Stage) -> None:
        """Draw them over the reels or cells, which are drawn anew each frame."""
        stage.canvas.blit(self._strip, stage.pixels(self._box).topleft)
