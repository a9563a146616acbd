"""A question of the service menu: the row it is about, with its figures, and the answers NO and YES."""

from collections.abc import Iterator

import pygame

from ui import text
from ui.layout import Box
from ui.lettering import GOLD, PEARL, WHITE
from ui.protocol.messages import ServicePage
from ui.protocol.values import Money
from ui.scenes import service_entry
from ui.scenes.service_brush import BAD, EDGE, Brush
from ui.scenes.service_rows import figures_of, label_of


def answers(page: ServicePage, panel: Box, zoom: float) -> Iterator[service_entry.Key]:
    """Yield NO, and YES below it, in the order in which up and down select them."""
    left, top, width, height = panel
    for place, (name, words) in enumerate((("no", text.SERVICE_NO), ("yes", text.SERVICE_YES))):
        box = (left, top + height / 2 + place * 96 * zoom, width, 84 * zoom)
        yield service_entry.Key(f"service:{name}", text.say(words), box, page.yes == bool(place))


def paint_question(
    plate: pygame.Surface, page: ServicePage, places: tuple[Box, Box], money: Money, brush: Brush
) -> None:
    """Paint the row that asks, the question, its typed input, and the answers.

    `places` are the panel of the answers and the box that sets the words' width. YES to a dangerous action (a row of a
    bad tone) is red.
    """
    panel, across = places
    (_, top, _, height), zoom = panel, brush.zoom
    row = page.rows[page.focus] if page.focus < len(page.rows) else None
    subject = "" if row is None else "   ".join(filter(None, (label_of(row), figures_of(row, money))))
    lines = ((subject, 24, PEARL, 0.06), (text.translate(page.question), 30, WHITE, 0.19))
    for words, size, colour, share in (*lines, (service_entry.typed(page, money), 30, GOLD, 0.34)):
        brush.wrapped(plate, words, size, colour, (across[0], top + share * height, across[2], 50 * zoom))
    dangerous = row is not None and row.tone == "bad"
    for key in answers(page, panel, zoom):
        red = dangerous and key.control == "service:yes"
        brush.key(plate, key.box, key.words, 30, chosen=key.chosen, edge=BAD if red else EDGE)
