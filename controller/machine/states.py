"""The machine's states, and the table that says what is live in each.

`booting → recovering → attract → lobby → game (idle · round · offer · gamble_offer · gamble, and its pages) →
collecting → handpay`;
`tilted`, `large_win`, `out_of_service` and `locked` cover these states and return to the covered one.
"""

from enum import StrEnum

import msgspec

from drivers.pins.lamps import LampPattern


class State(StrEnum):
    """What the machine is doing; the display uses the same words."""

    BOOTING = "booting"
    RECOVERING = "recovering"
    ATTRACT = "attract"
    LOBBY = "lobby"
    COMPANION = "witch"
    """Choosing a companion; the display reads the value."""
    IDLE = "idle"
    LOWEST_BET = "lowest_bet"
    CONFIRM = "confirm"
    PAYTABLE = "paytable"
    MENU = "menu"
    SETTINGS = "settings"
    HISTORY = "history"
    REPLAY = "replay"
    AUTOSPIN = "autospin"
    SESSION = "session"
    REALITY_CHECK = "reality_check"
    LOSS_LIMIT = "loss_limit"
    BREAK = "break"
    ROUND = "round"
    OFFER = "offer"
    GAMBLE_OFFER = "gamble_offer"
    GAMBLE = "gamble"
    COLLECTING = "collecting"
    HANDPAY = "handpay"
    TILTED = "tilted"
    LARGE_WIN = "large_win"
    OUT_OF_SERVICE = "out_of_service"
    LOCKED = "locked"
    SERVICE_MENU = "service_menu"


BETWEEN_GAMES = frozenset(
    {
        State.LOBBY,
        State.COMPANION,
        State.IDLE,
        State.LOWEST_BET,
        State.CONFIRM,
        State.PAYTABLE,
        State.MENU,
        State.SETTINGS,
        State.HISTORY,
        State.REPLAY,
        State.AUTOSPIN,
        State.SESSION,
        State.REALITY_CHECK,
        State.LOSS_LIMIT,
        State.BREAK,
    }
)
"""States in which a player is present and nothing is being played."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One state's row of the table.

    `lamps` are the panel's live buttons with their lamp pattern. `touch` lists the controls that only the screen has; a
    name that ends with a colon stands for all controls with that prefix. `money` says whether coins and notes are
    accepted. The tower light has its own table (`controller.configuration.tower`).
    """

    lamps: dict[str, LampPattern] = {}
    touch: tuple[str, ...] = ()
    money: bool = False


_ALL_BUTTONS: dict[str, LampPattern] = {
    "spin": "blink",
    "max_bet": "on",
    "bet": "on",
    "lines": "on",
    "auto": "on",
    "info": "on",
    "collect": "on",
    "service": "on",
}

TABLE: dict[State, Row] = {
    State.BOOTING: Row(),
    State.RECOVERING: Row(),
    State.ATTRACT: Row(
        lamps={"spin": "blink", "info": "on", "service": "on"},
        touch=("screen", "sound"),
        money=True,
    ),
    State.LOBBY: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "info": "on", "collect": "on", "service": "on"},
        touch=("game:", "cursor:", "sound", "home"),
        money=True,
    ),
    State.COMPANION: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "collect": "on", "service": "on"},
        touch=("witch:", "sound", "home"),
        money=True,
    ),
    State.IDLE: Row(
        lamps=_ALL_BUTTONS,
        touch=("coin_value", "buy", "menu", "history", "settings", "turbo", "session", "sound", "home"),
        money=True,
    ),
    State.LOWEST_BET: Row(
        lamps={"spin": "blink", "collect": "on", "service": "on"},
        touch=("lowest_bet:yes", "lowest_bet:no", "sound"),
        money=True,
    ),
    State.CONFIRM: Row(
        lamps={"spin": "blink", "collect": "on", "service": "on"},
        touch=("buy:yes", "buy:no", "sound"),
        money=True,
    ),
    State.PAYTABLE: Row(
        lamps={"info": "blink", "lines": "on", "bet": "on", "max_bet": "on", "collect": "on", "service": "on"},
        touch=("paytable_close", "menu", "witch:", "sound"),
        money=True,
    ),
    State.MENU: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "info": "blink", "collect": "on", "service": "on"},
        touch=("menu_close", "sound"),
        money=True,
    ),
    State.SETTINGS: Row(
        lamps=_ALL_BUTTONS,
        touch=("volume:", "settings:save", "settings:cancel", "sound"),
        money=True,
    ),
    State.HISTORY: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "info": "blink", "collect": "on", "service": "on"},
        touch=("history:", "history:close", "sound"),
        money=True,
    ),
    State.REPLAY: Row(
        lamps={"spin": "on", "info": "blink", "collect": "on", "service": "on"},
        touch=("history:close", "sound"),
        money=True,
    ),
    State.AUTOSPIN: Row(
        lamps=_ALL_BUTTONS,
        touch=("auto:", "sound"),
        money=True,
    ),
    State.SESSION: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "info": "blink", "collect": "on", "service": "on"},
        touch=("session:close", "sound"),
        money=True,
    ),
    State.REALITY_CHECK: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "collect": "on", "service": "on"},
        touch=("check:go_on", "sound"),
        money=True,
    ),
    State.LOSS_LIMIT: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "collect": "on", "service": "on"},
        touch=("limit:less", "limit:more", "limit:take", "sound"),
        money=True,
    ),
    State.BREAK: Row(lamps={"collect": "on", "service": "on"}, touch=("sound",)),
    State.ROUND: Row(lamps={"spin": "on", "auto": "blink", "service": "on"}, touch=("sound",), money=True),
    State.OFFER: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "auto": "blink", "service": "on"},
        touch=("choice:", "sound"),
        money=True,
    ),
    # The reels stay. MAX BET means GAMBLE, and every other control of the idle game collects the win first.
    State.GAMBLE_OFFER: Row(
        lamps={**_ALL_BUTTONS, "max_bet": "blink"},
        touch=("coin_value", "buy", "sound", "home"),
        money=True,
    ),
    State.GAMBLE: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "collect": "on", "service": "on"},
        touch=("choice:", "sound"),
        money=True,
    ),
    State.COLLECTING: Row(lamps={"service": "on"}),
    State.HANDPAY: Row(lamps={"collect": "on", "service": "on"}),
    State.TILTED: Row(lamps={"service": "on"}),
    State.LARGE_WIN: Row(lamps={"service": "on"}),
    State.OUT_OF_SERVICE: Row(),
    State.LOCKED: Row(),
    State.SERVICE_MENU: Row(
        lamps={"spin": "on", "lines": "on", "bet": "on", "collect": "on", "info": "on", "max_bet": "on", "auto": "on"},
        touch=("service:",),
    ),
}
