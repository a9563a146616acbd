"""What the tower light shows: the conditions of `[tower]` that hold now."""

from controller.configuration.tower import shown
from controller.faults import DOOR_CLOSED, DOOR_OPEN, LARGE_WIN, Stops, explain
from controller.machine.states import State
from controller.machine.view import Parts
from drivers.pins.tower_light import LightPattern


def conditions(parts: Parts) -> frozenset[str]:
    """Return the conditions of `Tower` that hold now."""
    codes = {fault.code for fault in parts.conditions.faults}
    stopping = {code for code in codes if Stops.PLAY in explain(code).stops}
    holding = {
        "locked": parts.journal.lock is not None,
        "door": any(parts.conditions.doors.values()) or DOOR_OPEN in codes,
        "fault": bool(stopping - {DOOR_OPEN, LARGE_WIN}),
        "jackpot": parts.play.jackpot_won or LARGE_WIN in codes,
        "hand_pay": parts.states.state is State.HANDPAY,
        "out_of_service": parts.conditions.out_of_service,
        "service_call": parts.conditions.service_called,
        "opened": DOOR_CLOSED in codes,
        "booting": parts.states.state is State.BOOTING,
    }
    return frozenset(condition for condition, holds in holding.items() if holds)


def tower_of(parts: Parts) -> dict[str, LightPattern]:
    """Return what the tower light shows now."""
    games = parts.settings.config.games
    coin_value_cents = parts.play.session.bet.coin_value_cents or games.default_coin_value_cents
    return shown(parts.settings.config.tower, conditions(parts), coin_value_cents)
