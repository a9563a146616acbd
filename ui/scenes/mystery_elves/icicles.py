"""The icicles that hang from the frame into the window, drawn over whatever moves behind them."""

from ui.layout import WIDE
from ui.scenes.props import Props
from ui.stage import Stage
from ui.worlds.look import Look

_REACH = 24


class Icicles:
    """The strip of the frame's picture that reaches into the window."""

    def __init__(self, props: Props, look: Look) -> None:
        self._box = props.layout.reels
        left, top, width, _ = WIDE.reels
        strip = tuple(round(value * props.scale) for value in (left, top, width, _REACH))
        self._strip = props.world(look).sprite("frame").subsurface(strip)

    def draw(self, stage: Stage) -> None:
        """Draw them over the reels or cells, which are drawn anew each frame."""
        stage.canvas.blit(self._strip, stage.pixels(self._box).topleft)
