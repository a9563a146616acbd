"""The menu: touch-only functions of the idle game, made available to the panel's buttons."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.lettering import WHITE
from ui.protocol.messages import View
from ui.protocol.values import written
from ui.scenes.history import outcome_of
from ui.scenes.panel import Key, Panel

_ICONS = {
    "paytable": "button_info",
    "coin_value": "button_coins",
    "total_bet": "button_coins",
    "buy": "button_buy",
    "turbo": "button_turbo",
    "sound": "button_sound_on",
    "settings": "button_settings",
    "history": "button_history",
    "session": "button_info",
    "home": "button_back",
}
_WORDS = {
    "paytable": text.PAYTABLE,
    "coin_value": text.COIN_VALUE,
    "total_bet": text.BET,
    "buy": text.BUY_FEATURE,
    "turbo": text.TURBO,
    "sound": text.SOUND,
    "settings": text.VOLUMES,
    "history": text.HISTORY,
    "session": text.SESSION,
    "home": text.OTHER_GAMES,
}


class Menu(Panel):
    """The items listed in the view, with their values."""

    def shown(self, director: Director) -> tuple[object, ...]:
        """Return the items and their values."""
        view = director.view
        return (
            view.pages.menu,
            view.bet,
            view.terms.buy_cents,
            view.output.turbo,
            view.output.muted,
            view.past.last_round,
        )

    def keys(self, director: Director) -> Sequence[Key]:
        """Return a key for each item, and the key that leads back."""
        view, pages = director.view, self.pages
        icons = _ICONS | ({"sound": "button_sound_off"} if view.output.muted else {})
        items = [
            Key(
                item,
                pages.menu.box(place),
                pages.menu_key,
                text.say(_WORDS[item]) if item in _WORDS else item,
                pages.menu_size,
                _setting_of(item, view),
                inset=pages.menu_inset,
                icon=(icons[item], pages.menu_icon) if item in icons else None,
            )
            for place, item in enumerate(view.pages.menu[: pages.menu.places])
        ]
        return [*items, Key("menu_close", pages.close, "button_wide", text.say(text.CLOSE), 21)]

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the panel, the last payout and the buttons' functions."""
        view, pages = director.view, self.pages
        self.put_panel(plate, text.MENU)
        last = view.past.last_round
        if last is not None:
            outcome = outcome_of(last, view.locale.money, dated=False)
            words = text.say(text.LAST_ROUND, when=text.moment(last.when), outcome=outcome)
            self.put_words(plate, self.letters.fitted(words, 22, pages.room, WHITE), *pages.last_round)
        self.put_hint(plate, text.say(text.MENU_HINT))


def _setting_of(item: str, view: View) -> str:
    """Return the value of a menu item, if it has one."""
    match item:
        case "turbo":
            return text.say(text.ON if view.output.turbo else text.OFF)
        case "sound":
            return text.say(text.OFF if view.output.muted else text.ON)
        case "coin_value" if view.bet is not None:
            return written(view.bet.coin_value_cents, view.locale.money)
        case "total_bet" if view.bet is not None:
            return written(view.bet.cents, view.locale.money)
        case "buy":
            return written(view.terms.buy_cents, view.locale.money)
        case _:
            return ""
