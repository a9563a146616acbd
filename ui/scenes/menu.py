"""The menu: all that the idle game else has for a finger alone, for the panel's buttons as well."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.layout import Box, centre
from ui.lettering import GOLD, PEARL, TITLE, WHITE
from ui.messages import View
from ui.money import written
from ui.scenes.panel import Key, Panel
from ui.scenes.props import put_centred

CLOSE: Box = (500, 640, 280, 72)
COLUMNS = (340, 744)
FIRST_ROW = 166
ROW_STEP = 92
ROWS = 4

_ICONS = {
    "paytable": "button_info",
    "coin_value": "button_coins",
    "buy": "button_buy",
    "turbo": "button_turbo",
    "sound": "button_sound_on",
    "settings": "button_settings",
    "history": "button_history",
    "home": "button_back",
}
_ICON = (-42, 34)
"""The middle of an item's icon, from the upper left corner of its key."""
_WORDS = {
    "paytable": text.PAYTABLE,
    "coin_value": text.COIN_VALUE,
    "buy": text.BUY_FEATURE,
    "turbo": text.TURBO,
    "sound": text.SOUND,
    "settings": text.VOLUMES,
    "history": text.HISTORY,
    "home": text.OTHER_GAMES,
}


class Menu(Panel):
    """The items that the view lists, with what they stand at."""

    def shown(self, director: Director) -> tuple[object, ...]:
        """Return the items and what they stand at."""
        view = director.view
        return (view.menu, view.bet, view.buy_cents, view.turbo, view.muted, view.last_round)

    def keys(self, director: Director) -> Sequence[Key]:
        """Return a key for each item, and the way back."""
        view = director.view
        items = [
            Key(
                item,
                (COLUMNS[place // ROWS], FIRST_ROW + place % ROWS * ROW_STEP, 280, 72),
                "button_wide_blue",
                text.say(_WORDS[item]) if item in _WORDS else item,
                note=_standing(item, view),
            )
            for place, item in enumerate(view.menu[: len(COLUMNS) * ROWS])
        ]
        return [*items, Key("menu_close", CLOSE, "button_wide", text.say(text.CLOSE), 21)]

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the panel, the last payout and what the buttons do."""
        letters, view = self.props.letters, director.view
        panel = self.props.shared.sprite(self.layout.settings_panel)
        put_centred(plate, panel, self.props.scale, *centre(self.layout.settings))
        self.put_words(plate, letters.text(text.say(text.MENU), 38, GOLD, TITLE), 640, 106)
        for place, item in enumerate(view.menu[: len(COLUMNS) * ROWS]):
            icon = "button_sound_off" if item == "sound" and view.muted else _ICONS.get(item)
            if icon is not None:
                left, top = COLUMNS[place // ROWS], FIRST_ROW + place % ROWS * ROW_STEP
                x, y = self.layout.at(left + _ICON[0], top + _ICON[1])
                put_centred(plate, self.props.shared.sprite(icon), self.props.scale, x, y)
        last = view.last_round
        if last is not None:
            amounts = {"bet": written(last.bet_cents, view.money), "won": written(last.win_cents, view.money)}
            words = text.say(text.LAST_ROUND, when=last.when, **amounts)
            self.put_words(plate, letters.fitted(words, 22, 1000, WHITE), 640, 564)
        self.put_words(plate, letters.fitted(text.say(text.MENU_HINT), 18, 1000, PEARL), 640, 604)


def _standing(item: str, view: View) -> str:
    """Return what an item of the menu stands at, if it stands at anything."""
    match item:
        case "turbo":
            return text.say(text.ON if view.turbo else text.OFF)
        case "sound":
            return text.say(text.OFF if view.muted else text.ON)
        case "coin_value" if view.bet is not None:
            return written(view.bet.coin_value_cents, view.money)
        case "buy":
            return written(view.buy_cents, view.money)
        case _:
            return ""
