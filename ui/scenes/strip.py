"""The strip that replaces the HUD in a demonstration: the sign that nobody plays, the bet and the win."""

import pygame

from ui import text
from ui.atlas import blank
from ui.draw_context import DrawContext, pill, put
from ui.lettering import GOLD, PEARL, TITLE
from ui.protocol.messages import View
from ui.protocol.values import written
from ui.stage import Stage

_SIGN = (300.0, 32.0)
"""The size of the sign, in units of a wide monitor."""
_SIGN_Y = {"wide": 620.0, "tall": 832.0, "portrait": 1450.0}
"""The vertical position of the sign in the strip that replaces the HUD."""
_FIGURES: dict[str, tuple[float, float, float]] = {
    "wide": (330.0, 620.0, 330.0),
    "tall": (360.0, 832.0, 400.0),
    "portrait": (246.0, 1504.0, 470.0),
}
"""The distance of bet and win from the middle, their vertical position, and the width of each."""
_WHITE_ZOOM, _GOLD_ZOOM, _GAP = 0.8, 0.55, 6.0
_EDGE = 2.0
_RIM = (226, 178, 84)


class Strip:
    """Paints the still parts (`paint`) on a backdrop, and draws the moving ones (`draw`)."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._layout = context.layout
        self._zoom = context.layout.signs.ribbon_zoom
        self._letters = context.sized(self._zoom).letters
        self._pill = pill((_SIGN[0] * self._zoom, _SIGN[1] * self._zoom), context.scale)
        self._ground: pygame.Surface | None = None

    def paint(self, plate: pygame.Surface) -> None:
        """Paint the strip itself."""
        if self._ground is None:
            self._ground = self._made()
        put(plate, self._ground, self._context.scale, *self._layout.hud.box[:2])

    def draw(self, stage: Stage, view: View, win_cents: int) -> None:
        """Draw the sign, the bet and the win over the coins that fall past the picture's lower edge."""
        middle, y = self._layout.centre[0], _SIGN_Y[self._layout.shape]
        stage.draw_centred(self._pill, middle, y)
        words = self._letters.fitted(text.say(text.DEMONSTRATION), 22, round(_SIGN[0]) - 24, GOLD, TITLE)
        stage.draw_centred(words, middle, y)
        if view.bet is not None:
            self._figure(stage, text.BET, written(view.bet.cents, view.locale.money), -1)
        if win_cents:
            self._figure(stage, text.WIN, written(win_cents, view.locale.money), 1)

    def _figure(self, stage: Stage, words: str, amount: str, side: int) -> None:
        """Draw a label and its amount: the bet left (-1) of the sign, or the win right (1) of it."""
        scale, zoom, letters = self._context.scale, self._zoom, self._letters
        aside, down, room = _FIGURES[self._layout.shape]
        digits, size = ("digits_white", _WHITE_ZOOM) if side < 0 else ("digits_gold", _GOLD_ZOOM)
        label = letters.text(text.say(words), 24, PEARL)
        taken = label.get_width() / scale + _GAP * zoom
        figure = letters.fitted_number(amount, digits, (room - taken) / zoom, size)
        x, width = self._layout.centre[0] + side * aside, figure.get_width() / scale
        stage.draw_centred(label, x - (taken + width) / 2 + label.get_width() / scale / 2, down)
        stage.draw_centred(figure, x + taken / 2, down)

    def _made(self) -> pygame.Surface:
        """Return the background: a piece of the attract screen's, with a golden edge."""
        context, scale = self._context, self._context.scale
        box = pygame.Rect(*(round(side * scale) for side in self._layout.hud.box))
        ground = blank(box.size)
        ground.blit(context.scenery(context.shared, "attract"), (0, 0), box)
        ground.fill(_RIM, (0, 0, box.width, max(1, round(_EDGE * scale))))
        return ground
