"""The question whether to play the lowest bet if the credit is too low for the chosen one, over the darkened game."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import put_centred
from ui.layout import centre
from ui.lettering import GOLD, PEARL, TITLE, WHITE
from ui.protocol.values import written
from ui.scenes.panel import Key, Panel


class LowestBet(Panel):
    """The price of the bet, the credit, and the lowest bet as an alternative; neither answer stakes anything."""

    def shown(self, director: Director) -> tuple[object, ...]:
        """Return the amounts."""
        view = director.view
        return (view.bet, view.balance.credit_cents, view.terms.lowest_bet_cents)

    def keys(self, director: Director) -> Sequence[Key]:
        """Return yes and no."""
        view = director.view
        lowest = text.say(text.SET_LOWEST, amount=written(view.terms.lowest_bet_cents, view.locale.money))
        return (
            Key("lowest_bet:no", self.pages.question.no, "button_wide_blue", text.say(text.KEEP_BET)),
            Key("lowest_bet:yes", self.pages.question.yes, "button_wide", lowest),
        )

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the question."""
        letters, view, scale, places = self.letters, director.view, self.context.scale, self.pages.question
        panel = self.context.shared.sprite(places.panel)
        put_centred(plate, panel, scale, *centre(self.pages.placed(places.box)))
        if places.crest:
            self.put_crest(plate, places.crest)
        self.put_words(
            plate, letters.fitted(text.say(text.NOT_ENOUGH), places.heading, 640, GOLD, TITLE), *places.title
        )
        self.put_words(plate, self.sprites.sprite("notice_coin"), *places.picture)
        left, right, *heights = places.amounts
        lines = [
            (text.BET, written(view.bet.cents, view.locale.money) if view.bet is not None else ""),
            (text.CREDIT, written(view.balance.credit_cents, view.locale.money)),
        ]
        for (words, amount), y in zip(lines, heights, strict=True):
            self.put_left(plate, letters.text(text.say(words), places.size, PEARL), left, y)
            self.put_right(plate, letters.number(amount, "digits_white"), right, y)
        ask = letters.paragraph(text.say(text.LOWEST_BET_ASK), places.size, 640, WHITE, centred=True)
        self.put_words(plate, ask, *places.words)
        self.put_words(plate, letters.fitted(text.say(text.LOWEST_BET_HINT), 16, 620, PEARL), *places.hint)
