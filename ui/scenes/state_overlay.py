"""Overlays over the game for payments, recovery, doors, faults and locks, in plain words: who must act, what is safe.

An overlay is painted once over the darkened picture; only its figure, its progress and its slowly pulsing icon are
drawn again.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import pygame

from ui import text
from ui.atlas import clear
from ui.director import Director
from ui.draw_context import Control, DrawContext, pill, put_centred
from ui.layout import Box, centre
from ui.lettering import GOLD, PEARL, TITLE, WHITE, Colour
from ui.protocol.messages import Notice, View
from ui.protocol.values import Money, Payout, written
from ui.stage import Stage

DOOR_OPEN = "door_open"
"""The code of a notice with its own headline and icon."""
FRAME_S = 1 / 20
BREATH_S = 2.0
PROGRESS: Box = (360, 420, 560, 22)
"""The progress bar of a payment, positioned in the wide monitor's dialog."""


class Words(NamedTuple):
    """The content of an overlay: its icon, its headline and the text below it."""

    icon: str
    headline: str
    body: str


_STATES = {
    "booting": Words("notice_power", text.BOOTING, text.BOOTING_TEXT),
    "recovering": Words("notice_power", text.RECOVERING, text.RECOVERING_TEXT),
    "tilted": Words("notice_warning", text.TILTED, text.TILTED_TEXT),
    "locked": Words("notice_padlock", text.LOCKED, text.LOCKED_TEXT),
    "out_of_service": Words("notice_power", text.OUT_OF_SERVICE, text.OUT_OF_SERVICE_TEXT),
    "service": Words("notice_warning", text.SERVICE, text.SERVICE_TEXT),
    "collecting": Words("notice_coin", text.COLLECTING, ""),
    "handpay": Words("notice_attendant", text.HANDPAY, text.HANDPAY_WAIT),
    "large_win": Words("notice_attendant", text.LARGE_WIN, text.LARGE_WIN_TEXT),
}
_FIGURES = ("collecting", "handpay", "large_win")
"""The states that show an amount instead of what has happened."""

_LINE, _LINE_STEP = 18, 25
"""The size and distance of the lines under a payment's figure."""

_TEXT_UNTIL = 360
"""The lower end of a dialog's text in its units; below it the overlay says that the credit is safe."""

STATES = frozenset(_STATES)
"""The machine states that are drawn as overlays."""


class StateOverlay:
    """Draws every state of `STATES` over the current picture."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._layout = context.layout
        self._middle = context.layout.centre[0]
        self._dialog = context.layout.dialog
        self._call = context.layout.dialogs.call
        self._zoom = context.layout.dialogs.zoom
        self._sprites, self._letters = context.sized(context.layout.dialogs.zoom)
        _, _, width, height = context.layout.in_dialog(PROGRESS)
        self._trough = pill((width + 8, height + 8), context.scale)
        self._gold = _gold_bar(round(width * context.scale), round(height * context.scale))
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, _director: Director) -> list[Control]:
        """Return the one touch control that an overlay leaves live: the attendant call."""
        return [("service", self._call)]

    def due(self, director: Director, now: float) -> float:
        """Return when to draw next; icons pulse if somebody must act."""
        moving = director.view.state in (*_FIGURES, "recovering", "booting", "tilted")
        return (
            now + FRAME_S if moving else self._context.pressed_until if now < self._context.pressed_until else math.inf
        )

    def prepared(self, director: Director) -> bool:
        """Whether the plate for this view is painted; if not, `prepare` needs the picture below it."""
        return self._plate is not None and self._plate_key == self._key(director)

    def prepare(self, beneath: pygame.Surface, director: Director) -> None:
        """Paint the overlay over `beneath`, which is darkened."""
        plate = self._context.dim(beneath)
        view = director.view
        words = _STATES[view.state]
        put_centred(plate, self._sprites.sprite("panel_dialog"), self._context.scale, *centre(self._dialog))
        if view.notices and view.state not in _FIGURES:
            self._notice(plate, words, view)
        else:
            self._plain(plate, words, view)
        if "service" in view.controls:
            self._button(plate)
        self._plate, self._plate_key = plate, self._key(director)

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the overlay; `prepare` has been called for this view."""
        if self._plate is None:
            raise ValueError("an overlay is prepared before it is drawn")
        stage.begin(self._plate)
        view = director.view
        bob = 5 * math.sin(2 * math.pi * now / BREATH_S) if self.due(director, now) <= now + FRAME_S else 0
        icon = self._icon(view)
        stage.draw_centred(self._sprites.sprite(icon), self._middle, self._down(84 + bob))
        self._money(stage, view)
        if self._context.pressed == "service" and now < self._context.pressed_until:
            stage.draw_centred(self._sprites.sprite("button_wide_lit"), *centre(self._call))
            label = self._letters.text(text.say(text.CALL_ATTENDANT), 24)
            stage.draw_centred(label, *centre(self._call))

    def _money(self, stage: Stage, view: View) -> None:
        """Draw the amounts of the states that have one."""
        payout, money = view.balance.payout, view.locale.money
        if payout is not None and view.state == "collecting":
            if payout.by == "printer":
                self._ticket(stage, payout, money)
            else:
                self._coins(stage, payout, money, view.balance.residue_cents)
        if payout is not None and view.state == "handpay":
            self._hand_pay(stage, payout, money)
        if view.state == "large_win":
            self._large_win(stage, written(view.past.large_win_cents, money))

    def _down(self, units: float) -> float:
        """Return the canvas height of a point `units` of the dialog below its upper edge."""
        return self._dialog[1] + units * self._zoom

    @staticmethod
    def _key(director: Director) -> tuple[object, ...]:
        view = director.view
        return (
            view.state,
            view.notices,
            view.controls,
            view.balance.credit_cents,
            view.game,
            view.locale.money,
            view.message,
        )

    @staticmethod
    def _icon(view: View) -> str:
        if view.state == "tilted" and any(notice.code == DOOR_OPEN for notice in view.notices):
            return "notice_door"
        return _STATES[view.state].icon

    def _plain(self, plate: pygame.Surface, words: Words, view: View) -> None:
        letters, scale = self._letters, self._context.scale
        headline = letters.fitted(text.say(words.headline), 50, 640, GOLD, TITLE)
        put_centred(plate, headline, scale, self._middle, self._down(160))
        body = text.message(view) or (text.say(words.body) if words.body else "")
        if body and view.state not in _FIGURES:
            paragraph = letters.paragraph(body, 24, 600, PEARL, centred=True)
            put_centred(plate, paragraph, scale, self._middle, self._down(264))
        if view.state not in ("booting", "collecting", "handpay"):
            self._safe(plate, view)

    def _notice(self, plate: pygame.Surface, words: Words, view: View) -> None:
        """Paint what happened, where, who must act, and what is safe."""
        letters, scale = self._letters, self._context.scale
        door = self._icon(view) == "notice_door"
        headline = text.say(text.DOOR_OPEN if door else words.headline)
        put_centred(plate, letters.fitted(headline, 50, 640, GOLD, TITLE), scale, self._middle, self._down(164))
        top = self._down(214)
        for notice in sorted(view.notices, key=_stops_play_first)[:2]:
            # a notice that needs no action, such as a restart, gives way to the words about the credit
            if notice.stops_play or top + self._height(notice) <= self._down(_TEXT_UNTIL):
                top = self._entry(plate, notice, top)
        paragraph = letters.paragraph(text.say(words.body), 20, 640, PEARL, centred=True)
        room = self._down(_TEXT_UNTIL) - top
        if paragraph.get_height() / scale <= room:
            put_centred(plate, paragraph, scale, self._middle, top + room / 2)
        self._safe(plate, view)

    def _height(self, notice: Notice) -> float:
        """Return the height of a notice's words; who must act has its own line."""
        paragraph = self._letters.paragraph(text.notice(notice), 23, 620, WHITE, centred=True)
        return paragraph.get_height() / self._context.scale + (34 * self._zoom if notice.who else 0)

    def _entry(self, plate: pygame.Surface, notice: Notice, top: float) -> float:
        letters, scale = self._letters, self._context.scale
        paragraph = letters.paragraph(text.notice(notice), 23, 620, WHITE, centred=True)
        height = paragraph.get_height() / scale
        put_centred(plate, paragraph, scale, self._middle, top + height / 2)
        top += height + 4 * self._zoom
        if notice.who:
            words = f"{text.say(text.WHO, who=text.say(notice.who))}   ·   {notice.code}"
            who = letters.fitted(words, 20, 620, GOLD)
            put_centred(plate, who, scale, self._middle, top + 12 * self._zoom)
            top += 34 * self._zoom
        return top

    def _safe(self, plate: pygame.Surface, view: View) -> None:
        """Paint that the credit is safe, except for a locked machine, whose books may differ."""
        if view.state == "locked":
            words = text.say(text.CREDIT_ASK)
        elif view.balance.credit_cents:
            words = text.say(text.CREDIT_SAFE, credit=written(view.balance.credit_cents, view.locale.money))
        else:
            return
        surface = self._letters.text(words, 21, WHITE)
        put_centred(plate, surface, self._context.scale, self._middle, self._down(378))

    def _button(self, plate: pygame.Surface) -> None:
        scale = self._context.scale
        put_centred(plate, self._sprites.sprite("button_wide"), scale, *centre(self._call))
        label = self._letters.text(text.say(text.CALL_ATTENDANT), 24)
        put_centred(plate, label, scale, *centre(self._call))

    def _large_win(self, stage: Stage, won: str) -> None:
        letters, middle = self._letters, self._middle
        stage.draw_centred(letters.number(won, "digits_gold", 1.4), middle, self._down(230))
        call = letters.fitted(text.say(text.HANDPAY_CALL), 30, 620, WHITE, TITLE)
        stage.draw_centred(call, middle, self._down(282))
        stage.draw_centred(letters.fitted(text.say(text.LARGE_WIN_TEXT), 18, 660, PEARL), middle, self._down(318))
        stage.draw_centred(letters.fitted(text.say(text.LARGE_WIN_KEY), 17, 660, PEARL), middle, self._down(346))

    def _hand_pay(self, stage: Stage, payout: Payout, money: Money) -> None:
        """Draw the amount that an attendant pays or has paid, with the whole cash-out of which it is a part."""
        letters, middle = self._letters, self._middle
        paid = payout.paid_cents == payout.amount_cents
        figure = letters.number(written(payout.amount_cents, money), "digits_gold", 1.4)
        stage.draw_centred(figure, middle, self._down(222))
        call = letters.fitted(text.say(text.HANDPAY_DONE if paid else text.HANDPAY_CALL), 30, 620, WHITE, TITLE)
        stage.draw_centred(call, middle, self._down(280))
        lines = [] if paid else [(text.say(text.HANDPAY_WAIT), PEARL)]
        if payout.coins_cents:
            lines.append((text.cash_out(payout), WHITE))
        if payout.held_cents:
            lines.append((text.say(text.HELD, amount=text.amount(payout.held_cents)), GOLD))
        if not paid:
            lines.append((text.say(text.HANDPAY_KEY), PEARL))
        self._lines(stage, lines, 314)

    def _ticket(self, stage: Stage, payout: Payout, money: Money) -> None:
        """Draw the amount of a ticket that is being printed or lies in the tray, with the cash-out it is part of."""
        letters, middle = self._letters, self._middle
        printed = payout.paid_cents == payout.amount_cents
        figure = letters.number(written(payout.amount_cents, money), "digits_gold", 1.4)
        stage.draw_centred(figure, middle, self._down(222))
        words = text.TICKET_TAKE if printed else text.TICKET_PRINTING
        stage.draw_centred(
            letters.fitted(text.say(words), 26, 620, GOLD if printed else WHITE), middle, self._down(288)
        )
        self._lines(stage, [(text.cash_out(payout), WHITE)] if payout.coins_cents else [], 326)

    def _coins(self, stage: Stage, payout: Payout, money: Money, residue_cents: int) -> None:
        """Draw the hopper's progress, and what prevents it from continuing."""
        letters, middle = self._letters, self._middle
        figure = letters.number(written(payout.paid_cents, money), "digits_gold", 1.4)
        stage.draw_centred(figure, middle, self._down(228))
        bar = self._layout.in_dialog(PROGRESS)
        stage.draw_centred(self._trough, *centre(bar))
        width, height = self._gold.get_size()
        share = width * payout.paid_cents // max(1, payout.amount_cents)
        stage.draw(self._gold, bar[0], bar[1], pygame.Rect(0, 0, share, height))
        paid = written(payout.paid_cents, money)
        words = text.say(text.COLLECT_PAID, paid=paid, amount=written(payout.amount_cents, money))
        stage.draw_centred(letters.text(words, 24, WHITE), middle, self._down(336))
        if payout.hopper:
            self._lines(stage, [(words, PEARL) for words in text.hopper_away(payout)], 368)
            return
        lines = [(text.say(text.HELD, amount=text.amount(payout.held_cents)), GOLD)] if payout.held_cents else []
        if payout.paid_cents == payout.amount_cents:
            lines.append((text.say(text.COLLECT_TAKE), GOLD))
            if residue_cents:
                lines.append((text.say(text.RESIDUE, amount=text.amount(residue_cents)), PEARL))
        self._lines(stage, lines, 372)

    def _lines(self, stage: Stage, lines: Sequence[tuple[str, Colour]], top: float) -> None:
        """Draw lines below one another, the first at `top` units below the dialog's upper edge."""
        for row, (words, colour) in enumerate(lines):
            line = self._letters.fitted(words, _LINE, 660, colour)
            stage.draw_centred(line, self._middle, self._down(top + row * _LINE_STEP))


def _gold_bar(width: int, height: int) -> pygame.Surface:
    """Return a golden bar of that size in pixels with round ends, lit from above."""
    bar = clear((width, height))
    for row in range(height):
        over = 1 - abs(2 * row / height - 0.7)
        colour = (255, round(150 + 80 * over), round(40 + 110 * over * over))
        # Rows of a round end are shortened along the circle.
        away = abs(row + 0.5 - height / 2)
        inset = round(height / 2 - math.sqrt(max(0.0, (height / 2) ** 2 - away * away)))
        pygame.draw.line(bar, colour, (inset, row), (width - 1 - inset, row))
    return bar


def _stops_play_first(notice: Notice) -> bool:
    return not notice.stops_play
