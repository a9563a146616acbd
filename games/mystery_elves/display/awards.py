"""The plaques of MINI, MINOR, MAJOR and GRAND, with what they award at the bet."""

import pygame

from games.mystery_elves.display import words
from games.mystery_elves.display.orbs import money_of
from games.mystery_elves.pays import AWARD_NAMES
from ui import text
from ui.draw_context import DrawContext, put, put_centred
from ui.layout import Point
from ui.lettering import TITLE, WHITE
from ui.protocol.messages import View
from ui.theme import Theme

LARGE = (200, 92)
SMALL = (128, 60)

FALLING = {name: bets for bets, name in sorted(AWARD_NAMES.items(), reverse=True)}
"""The awards' worth in whole bets, by name, the highest first."""


def paint_large(plate: pygame.Surface, context: DrawContext, theme: Theme, view: View, *, name: str, at: Point) -> None:
    """Paint the large plaque called `name`, its upper left corner `at` the canvas, as large as the reels are."""
    put(plate, context.on_reels(theme).sprite(f"plaque_{name}"), context.scale, *at)
    zoom, letters = context.layout.reels_zoom, context.letters
    amount = letters.fitted(
        money_of(FALLING[name], view), round(27 * zoom), round((LARGE[0] - 26) * zoom), WHITE, TITLE
    )
    put_centred(plate, amount, context.scale, at[0] + LARGE[0] * zoom / 2, at[1] + 62 * zoom)


def paint_small(plate: pygame.Surface, context: DrawContext, theme: Theme, view: View, *, name: str, at: Point) -> None:
    """Paint the small plaque called `name`, its upper left corner `at` the canvas."""
    put(plate, context.world(theme).sprite(f"award_{name}"), context.scale, *at)
    middle = at[0] + SMALL[0] / 2
    put_centred(plate, context.letters.text(text.say(words.AWARDS[name]), 16, WHITE), context.scale, middle, at[1] + 20)
    amount = context.letters.fitted(money_of(FALLING[name], view), 20, SMALL[0] - 18, WHITE)
    put_centred(plate, amount, context.scale, middle, at[1] + 40)
