"""The machine's states and the one table that says what lives in each.

`booting → recovering → attract → lobby → game (idle · round · offer) → collecting → handpay`; `tilted`,
`out_of_service` and `locked` lie over them and give way to exactly what was before.
"""

from enum import StrEnum

import msgspec

from drivers.lamps import LampPattern
from drivers.tower_light import LightPattern


class State(StrEnum):
    """What the machine is doing; the display knows the same words."""

    BOOTING = "booting"
    RECOVERING = "recovering"
    ATTRACT = "attract"
    LOBBY = "lobby"
    IDLE = "idle"
    PAYTABLE = "paytable"
    AUTOSPIN = "autospin"
    ROUND = "round"
    OFFER = "offer"
    COLLECTING = "collecting"
    HANDPAY = "handpay"
    TILTED = "tilted"
    OUT_OF_SERVICE = "out_of_service"
    LOCKED = "locked"


OVERLAYS = (State.LOCKED, State.TILTED, State.OUT_OF_SERVICE)
"""States that lie over the others, the strongest first."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One state's line of the table.

    `lamps` are the panel's live buttons with their lamp pattern; `touch` the controls that only the screen has
    (`game:`, `chest:` and `auto:` stand for all that begin so); `money` whether coins and notes are taken; `tower` the
    pattern of each tower-light tier.
    """

    lamps: dict[str, LampPattern] = {}
    touch: tuple[str, ...] = ()
    money: bool = False
    top: LightPattern = "off"
    bottom: LightPattern = "on"


TABLE: dict[State, Row] = {
    State.BOOTING: Row(bottom="off"),
    State.RECOVERING: Row(),
    State.ATTRACT: Row(
        lamps={"spin": "blink", "info": "on", "service": "on"},
        touch=("screen", "sound"),
        money=True,
    ),
    State.LOBBY: Row(
        lamps={"spin": "blink", "collect": "on", "service": "on"},
        touch=("game:", "sound", "home"),
        money=True,
    ),
    State.IDLE: Row(
        lamps={
            "spin": "blink",
            "max_bet": "on",
            "bet": "on",
            "lines": "on",
            "auto": "on",
            "info": "on",
            "collect": "on",
            "service": "on",
        },
        touch=("coin_value", "sound", "home"),
        money=True,
    ),
    State.PAYTABLE: Row(
        lamps={"info": "blink", "lines": "on", "bet": "on", "service": "on"},
        touch=("paytable_close", "sound"),
        money=True,
    ),
    State.AUTOSPIN: Row(
        lamps={
            "spin": "blink",
            "max_bet": "on",
            "bet": "on",
            "lines": "on",
            "auto": "on",
            "info": "on",
            "collect": "on",
            "service": "on",
        },
        touch=("auto:", "sound"),
        money=True,
    ),
    State.ROUND: Row(lamps={"spin": "on", "auto": "blink", "service": "on"}, touch=("sound",), money=True),
    State.OFFER: Row(
        lamps={"spin": "blink", "lines": "on", "bet": "on", "auto": "blink", "service": "on"},
        touch=("chest:", "sound"),
        money=True,
    ),
    State.COLLECTING: Row(lamps={"service": "on"}),
    State.HANDPAY: Row(lamps={"collect": "on", "service": "on"}, top="slow", bottom="slow"),
    State.TILTED: Row(lamps={"service": "on"}, top="fast"),
    State.OUT_OF_SERVICE: Row(top="slow", bottom="off"),
    State.LOCKED: Row(top="fast", bottom="off"),
}

SERVICE_CALLED: LightPattern = "on"
"""The top tier while the player calls the attendant and nothing more urgent shows there (D12)."""
