"""A row of the service menu: its words, and how they are painted into its box."""

import re

import pygame

from ui import text
from ui.layout import Box
from ui.lettering import GOLD, GREY, WHITE, Colour
from ui.protocol.messages import ServiceRow
from ui.protocol.values import Money, written
from ui.scenes.service_brush import BAD, EDGE, FACE, FOCUS, Brush

OF_EACH = " \u00d7 "
"""The separator between a number of notes, coins or games and their value."""
USUAL, SMALL, DETAIL = 22, 19, 18
"""Letter sizes of a row: in one line, if one line is too narrow, and of its detail."""
COLUMN = 150
"""The width of a column on a wide monitor."""
_LINE = 11
"""The distance of each of two lines from the middle of a row."""
_MEASURE = re.compile(r"\d+\.\d+(?= (?:%|ms|s)(?: |$))")
"""A measured figure, written with the decimal sign of money; versions and addresses are not matched."""
_ON = "\u203a"
_TONES: dict[str, Colour] = {"plain": GOLD, "heading": GOLD, "good": (92, 226, 138), "bad": BAD}


def figures_of(row: ServiceRow, money: Money) -> str:
    """Return the value, count and amount of a row, in the reader's language and the cabinet's money format."""
    amount = "" if row.cents is None else written(row.cents, money)
    count = "" if row.count is None else text.whole(row.count)
    value = _MEASURE.sub(lambda found: text.decimal(found[0]), text.translate(row.value))
    return "   ".join(filter(None, (value, OF_EACH.join(filter(None, (count, amount))))))


def cells_of(row: ServiceRow, money: Money) -> list[str]:
    """Return the columns of a row: amounts, and words in the reader's language."""
    return [text.translate(cell) if isinstance(cell, str) else written(cell, money) for cell in row.columns]


def label_of(row: ServiceRow) -> str:
    """Return the label of a row with its code, in the reader's language; a place at its start is capitalised."""
    label = text.outcome(row.label, row.figures, row.place) if row.figures else text.translate(row.label, row.place)
    if row.code:
        return f"{row.code}   {label}"
    return label[:1].upper() + label[1:] if row.place else label


def paint_row(plate: pygame.Surface, row: ServiceRow, box: Box, money: Money, brush: Brush, *, focused: bool) -> None:
    """Paint a row: its label at the left, its figures at the right, on two lines if one is too narrow."""
    zoom, middle = brush.zoom, box[1] + box[3] / 2
    brush.face(plate, box, FOCUS if focused else FACE, edge=EDGE if focused else None)
    if row.leads:
        end = box[0] + box[2] - 20 * zoom
        brush.right(plate, _ON, 30, EDGE, (end, middle - 2), room=30 * zoom)
    right = box[0] + box[2] - (52 if row.leads or row.columns else 22) * zoom
    label, words, left = label_of(row), figures_of(row, money), box[0] + 22 * zoom
    tone = _TONES.get(row.tone, GOLD)
    if row.columns:
        _paint_columns(plate, row, (left, box[1], right - left, box[3]), (cells_of(row, money), tone), brush)
        return
    colour = EDGE if row.tone == "heading" else BAD if row.tone == "bad" and not words else WHITE
    said = text.day(row.detail)
    for size in (USUAL, SMALL):
        wide = brush.width(label, size), brush.width(words, size)
        rest = right - left - sum(wide) - 28 * zoom * bool(words)
        detail = brush.width(said, DETAIL) + 16 * zoom if said else 0
        if rest >= detail:
            brush.right(plate, words, size, tone, (right, middle), room=right - left)
            end = left + brush.left(plate, label, size, colour, (left, middle), room=right - left)
            if said:
                brush.left(plate, said, DETAIL, GREY, (end + 16 * zoom, middle + 1), room=rest)
            return
    upper, lower, room = middle - _LINE * zoom, middle + _LINE * zoom, right - left
    if said:
        taken = brush.right(plate, words, SMALL, tone, (right, upper), room=room)
        brush.left(plate, label, SMALL, colour, (left, upper), room=room - taken - 28 * zoom * bool(words))
        brush.left(plate, said, DETAIL, GREY, (left, lower), room=room)
    else:
        below = room - brush.right(plate, words, SMALL, tone, (right, lower), room=room) - 28 * zoom * bool(words)
        first, *others = brush.lines(label, SMALL, room)
        brush.left(plate, first, SMALL, colour, (left, upper), room=room)
        if others:
            brush.left(plate, " ".join(others), SMALL, colour, (left, lower), room=below)


def _paint_columns(
    plate: pygame.Surface, row: ServiceRow, inside: Box, coloured: tuple[list[str], Colour], brush: Brush
) -> None:
    """Paint the label and the cells of a row, each in its column, with the label above them if it is too long."""
    (left, top, width, height), (cells, tone), zoom = inside, coloured, brush.zoom
    middle, label = top + height / 2, label_of(row)
    heading = row.tone == "heading"
    wide = COLUMN * zoom
    one_line = brush.width(label, USUAL) <= width - wide * len(cells) - 16 * zoom
    at, size = ((middle, middle), USUAL) if one_line else ((middle - _LINE * zoom, middle + _LINE * zoom), SMALL)
    room = width - wide * len(cells) - 16 * zoom if one_line else width
    brush.left(plate, label, size, EDGE if heading else WHITE, (left, at[0]), room=room)
    for place, words in enumerate(reversed(cells)):
        end = left + width - place * wide
        brush.right(plate, words, size, EDGE if heading else tone, (end, at[1]), room=wide - 16 * zoom)
