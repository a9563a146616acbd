"""A question over the darkened game: whether to play the lowest bet where the credit does not do for the chosen one."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.layout import Box, centre
from ui.lettering import GOLD, PEARL, TITLE, WHITE
from ui.money import written
from ui.scenes.panel import Key, Panel
from ui.scenes.props import put_centred

YES: Box = (660, 444, 280, 72)
NO: Box = (340, 444, 280, 72)


class LowestBet(Panel):
    """What the bet costs, what there is, and the lowest bet instead; nothing is staked by either answer."""

    def shown(self, director: Director) -> tuple[object, ...]:
        """Return the amounts."""
        view = director.view
        return (view.bet, view.credit_cents, view.lowest_bet_cents)

    def keys(self, director: Director) -> Sequence[Key]:
        """Return yes and no."""
        view = director.view
        lowest = text.say(text.PLAY_LOWEST, amount=written(view.lowest_bet_cents, view.money))
        return (
            Key("lowest_bet:no", NO, "button_wide_blue", text.say(text.KEEP_BET)),
            Key("lowest_bet:yes", YES, "button_wide", lowest),
        )

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the question."""
        letters, view, scale = self.props.letters, director.view, self.props.scale
        put_centred(plate, self.props.shared.sprite("panel_dialog"), scale, *centre(self.layout.dialog))
        self.put_words(plate, letters.fitted(text.say(text.NOT_ENOUGH), 40, 640, GOLD, TITLE), 640, 188)
        put_centred(plate, self.props.shared.sprite("notice_coin"), scale, *self.layout.at(400, 290))
        lines = [
            (text.BET, written(view.bet.cents, view.money) if view.bet is not None else ""),
            (text.CREDIT, written(view.credit_cents, view.money)),
        ]
        for row, (words, amount) in enumerate(lines):
            self.put_left(plate, letters.text(text.say(words), 22, PEARL), 490, 262 + 54 * row)
            self.put_right(plate, letters.number(amount, "digits_white"), 920, 262 + 54 * row)
        ask = letters.paragraph(text.say(text.LOWEST_BET_ASK), 22, 640, WHITE, centred=True)
        self.put_words(plate, ask, 640, 394)
        self.put_words(plate, letters.fitted(text.say(text.LOWEST_BET_HINT), 16, 620, PEARL), 640, 532)
