"""The keys of an entry of the service menu: a number pad, letters, or choices, by touch or with four keys."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ui import text
from ui.layout import Box
from ui.protocol.messages import PAD, ServicePage
from ui.protocol.values import Money, written
from ui.scenes.service_rows import figures_of

ABOVE = 132
"""The height of title, limits and field above the keys."""
_DIGITS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 0)
_ACROSS = 9
_AMOUNT = re.compile(r"(\d+)\.(\d\d)")
_UNTIL = " \u2013 "
"""The separator between the lowest and the highest figure."""


class Key(NamedTuple):
    """One key of an entry: its control, its words, its box, and whether the cursor is on it."""

    control: str
    words: str
    box: Box
    chosen: bool


def title(page: ServicePage, money: Money) -> str:
    """Return the entry's title with the characters so far; for a PIN, with its owner."""
    words = text.translate(page.entry)
    if page.gate and page.person:
        return f"{words}: {page.person}"
    if page.entry_kind == "card":
        return words
    now = figures_of(page.rows[page.focus], money) if page.focus < len(page.rows) else ""
    return f"{words}: {now}" if now else words


def limits(page: ServicePage, money: Money) -> str:
    """Return the limits of the entry's figure, or an empty string if there are none."""
    if page.limits is None:
        return ""
    low, high = page.limits
    if page.entry_kind == "cents":
        return f"{written(low, money)}{_UNTIL}{written(high, money)}"
    return f"{low}{_UNTIL}{high} {page.unit}".rstrip()


def typed(page: ServicePage, money: Money) -> str:
    """Return what has been typed so far; an amount starts at zero."""
    if page.entry_kind == "cents":
        return written(int(page.typed or 0), money)
    if page.entry_kind == "number" and page.typed:
        return f"{page.typed} {page.unit}".rstrip()
    return choice(page.typed) if page.entry_kind == "choice" else page.typed


def keys(page: ServicePage, panel: Box, canvas_width: float, zoom: float) -> Iterator[Key]:
    """Yield the keys of the entry on `page`, in the panel below its title and field."""
    if page.entry_kind == "choice":
        return _choices(page, panel, zoom)
    if page.entry_kind == "card":
        return _back_alone(panel, zoom)
    return _pad(page, panel, zoom) if is_figure(page) else _letters(page, panel, canvas_width, zoom)


def is_figure(page: ServicePage) -> bool:
    """Whether the entry is typed on the pad."""
    return page.entry_kind in ("digits", "cents", "number")


def buttons(page: ServicePage) -> Iterator[tuple[str, str]]:
    """Yield the current control and words of each button of the pad."""
    for place, words in enumerate(text.SERVICE_PAD):
        yield f"pad:{place}", text.say(words, chosen=_after(page, place))


def _after(page: ServicePage, place: int) -> str:
    """Return what a button of the pad types next: three digits, or one of the three selected."""
    if page.group < 0:
        return "  ".join(PAD[place]) if place < len(PAD) - 1 else text.say(text.SERVICE_REST)
    chosen = PAD[page.group]
    key = chosen[place] if place < len(chosen) else ""
    back = text.SERVICE_RUB if page.typed else text.SERVICE_LEAVE
    words = {"": text.SERVICE_OTHERS, "done": text.SERVICE_DONE, "back": back}
    return text.say(words[key]) if key in words else key


def _pad(page: ServicePage, panel: Box, zoom: float) -> Iterator[Key]:
    """Yield the keys of the number pad: three per row, zero between BACK and DONE below.

    The three that a button has selected have an edge.
    """
    left, top, width, height = panel
    above = ABOVE * zoom
    across, down = (width - 80 * zoom) / 3, min((height - above) / 4, 96 * zoom)
    for digit in _DIGITS:
        column, row = (1, 3) if digit == 0 else ((digit - 1) % 3, (digit - 1) // 3)
        x, y = left + 40 * zoom + column * across + 4, top + above + row * down + 4
        chosen = page.group >= 0 and str(digit) in PAD[page.group]
        yield Key(f"service:digit:{digit}", str(digit), (x, y, across - 8, down - 8), chosen)
    last = page.group == len(PAD) - 1
    back = text.SERVICE_RUB if page.typed else text.SERVICE_LEAVE
    for control, words, column in (("back", back, 0), ("done", text.SERVICE_DONE, 2)):
        box = (left + 40 * zoom + column * across + 4, top + above + 3 * down + 4, across - 8, down - 8)
        yield Key(f"service:{control}", text.say(words), box, last)


def _back_alone(panel: Box, zoom: float) -> Iterator[Key]:
    """Yield the key of an entry that waits for a card; nothing is typed there."""
    left, top, width, _ = panel
    across = (width - 80 * zoom) / 3
    box = (left + (width - across) / 2, top + ABOVE * zoom, across, 96 * zoom)
    yield Key("service:back", text.say(text.SERVICE_LEAVE), box, chosen=True)


def _letters(page: ServicePage, panel: Box, canvas_width: float, zoom: float) -> Iterator[Key]:
    """Yield the letters and signs in rows across the monitor, followed by DONE if there is one."""
    _, top, _, height = panel
    above, edge = ABOVE * zoom, 40 * zoom
    keys = (*page.options, "") if page.may_be_done else page.options
    rows = max(1, -(-len(keys) // _ACROSS))
    across, down = (canvas_width - 2 * edge) / _ACROSS, min((height - above) / rows, 80 * zoom)
    for place, letter in enumerate(keys):
        box = (
            edge + place % _ACROSS * across + 3,
            top + above + place // _ACROSS * down + 3,
            across - 6,
            down - 6,
        )
        if place == len(page.options):
            done = (*box[:2], min(3, _ACROSS - place % _ACROSS) * across - 6, box[3])
            yield Key("service:done", text.say(text.SERVICE_DONE), done, page.digit == place)
        else:
            words = text.say(text.SERVICE_SPACE) if letter == " " else letter
            yield Key(f"service:letter:{place}", words, box, page.digit == place)


def _choices(page: ServicePage, panel: Box, zoom: float) -> Iterator[Key]:
    """Yield the choices, one under the other."""
    left, top, width, height = panel
    above = 56 * zoom
    down = min((height - above) / max(1, len(page.options)), 64 * zoom)
    for place, words in enumerate(page.options):
        box = (left, top + above + place * down + 3, width, down - 6)
        yield Key(f"service:choice:{place}", choice(words), box, page.digit == place)


def choice(words: str) -> str:
    """Return a choice in the reader's language; plain figures with two decimals are an amount."""
    amount = _AMOUNT.fullmatch(words)
    return text.translate(words) if amount is None else text.amount(int(amount[1]) * 100 + int(amount[2]))
