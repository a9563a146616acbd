"""The pages of a player's session: its cost, the reality check, the loss limit, and the break."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import pill, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, PEARL, WHITE
from ui.page_layout import within
from ui.protocol.messages import CarePage, View
from ui.protocol.values import Money, written
from ui.scenes.panel import Key, Panel
from ui.stage import Stage

_TITLES = {
    "session": text.SESSION,
    "reality_check": text.REALITY_CHECK,
    "loss_limit": text.LOSS_LIMIT_TITLE,
    "break": text.BREAK,
}
_ASKS = {
    "reality_check": text.REALITY_CHECK_ASK,
    "loss_limit": text.LOSS_LIMIT_ASK,
    "break": text.BREAK_SAYS,
}
_HINTS = {
    "session": text.MENU_HINT,
    "reality_check": text.REALITY_CHECK_HINT,
    "loss_limit": text.LOSS_LIMIT_HINT,
    "break": text.BREAK_HINT,
}
_WORDS = {
    "session:close": text.CLOSE,
    "session:limit": text.LOSS_LIMIT_SET,
    "check:go_on": text.GO_ON,
    "limit:take": text.LOSS_LIMIT_TAKE,
    "collect": text.PAY_OUT,
}
_LEAVES = ("session:close", "limit:take", "check:go_on")


class Care(Panel):
    """Time, money in, money out and net of the session, and the player's choices."""

    def shown(self, director: Director) -> tuple[object, ...]:
        """Return the state and its page."""
        view = director.view
        return (view.state, view.pages.care, view.controls)

    def keys(self, director: Director) -> Sequence[Key]:
        """Return the page's keys."""
        page = _page(director.view)
        steps = [key for key in page.keys if key in ("limit:less", "limit:more")]
        others = [key for key in page.keys if key not in steps]
        row, parts = self.pages.care.box(_LIMIT_ROW), self.pages.care_step
        boxes = self.pages.care_keys[len(others) - 1] if others else ()
        return [
            *(
                Key(key, within(row, box), f"button_{sprite}")
                for key, box, sprite in zip(steps, parts, ("minus", "plus"), strict=False)
            ),
            *(
                Key(key, box, "button_wide" if key in _LEAVES else "button_wide_blue", _key_words(key, page), 21)
                for key, box in zip(others, boxes, strict=True)
            ),
        ]

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the page with the session's running time."""
        super().draw(stage, director, now)
        if director.view.state != "loss_limit":
            (left, top, across, down), air, half = self._row_of(0)
            lasts = text.elapsed(_page(director.view).figures.seconds(now))
            words = self.letters.fitted(lasts, 27, half, GOLD)
            right, middle = self.pages.at(left + across - air, top + down / 2)
            stage.draw_centred(words, right - words.get_width() / self.context.scale / 2, middle)

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the figures, or the limit being chosen, and the buttons' functions."""
        view = director.view
        page = _page(view)
        self.put_panel(plate, _TITLES[view.state])
        if view.state in _ASKS:
            asked = text.say(_ASKS[view.state], minutes=page.left_minutes)
            room = self.pages.room
            self.put_words(plate, self.letters.paragraph(asked, 23, room, WHITE, centred=True), *self.pages.care_words)
        if view.state == "loss_limit":
            chosen = _limit(page.limit_cents, view.locale.money)
            self._figure(plate, _LIMIT_ROW, text.LOSS_LIMIT, chosen, inset=self.pages.care_inset)
        else:
            for row, (label, figure) in enumerate(figures(page, view.locale.money)):
                self._figure(plate, row, label, figure)
        self.put_hint(plate, text.say(_HINTS[view.state]))

    def _figure(self, plate: pygame.Surface, row: int, label: str, figure: str, *, inset: float = 0) -> None:
        """Paint a figure with its label; an `inset` leaves room for keys at both ends."""
        box, air, half = self._row_of(row, inset)
        left, top, across, down = box
        put_centred(plate, pill(box[2:], self.context.scale), self.context.scale, *centre(self.pages.placed(box)))
        words = self.letters.fitted(text.say(label), 25, half, PEARL)
        amount = self.letters.fitted(figure, 27, half, GOLD)
        self.put_left(plate, words, left + air, top + down / 2)
        self.put_right(plate, amount, left + across - air, top + down / 2)

    def _row_of(self, row: int, inset: float = 0) -> tuple[Box, float, int]:
        """Return a row's box on the page, its padding, and the width of each half in letters' units."""
        box, zoom = self.pages.care.box(row), self.pages.zoom
        air = 24 * zoom + inset
        return box, air, round((box[2] / 2 - air) / zoom)


_LIMIT_ROW = 2
"""The row of the figures in which the loss limit is chosen."""


def figures(page: CarePage, money: Money) -> Sequence[tuple[str, str]]:
    """Return labels and figures of a session: time, which is drawn as it runs, money in and out, net, loss limit."""
    now = page.figures
    return (
        (text.SESSION_TIME, ""),
        (text.SESSION_IN, written(now.in_cents, money)),
        (text.SESSION_OUT, written(now.out_cents, money)),
        (text.SESSION_NET, written(now.net_cents, money)),
        (text.LOSS_LIMIT, _limit(now.loss_limit_cents, money)),
    )


def _limit(cents: int, money: Money) -> str:
    return written(cents, money) if cents else text.say(text.AUTO_NO_LIMIT)


def _key_words(key: str, page: CarePage) -> str:
    if key.endswith(":break"):
        return text.say(text.BREAK_OF, minutes=page.break_minutes)
    return text.say(_WORDS[key])


def _page(view: View) -> CarePage:
    if view.pages.care is None:
        raise ValueError(f"a view in the state {view.state} has no page of the session")
    return view.pages.care
