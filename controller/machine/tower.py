"""What the tower light shows: the conditions of `[tower]` that hold now."""

from typing import TYPE_CHECKING

from controller.configuration.tower import shown
from controller.faults import DOOR_CLOSED, DOOR_OPEN, LARGE_WIN, Stops, explain
from controller.machine.states import State
from drivers.tower_light import LightPattern

if TYPE_CHECKING:
    from controller.machine.machine import Machine


def conditions(machine: "Machine") -> frozenset[str]:
    """Return the conditions of `Tower` that hold now."""
    codes = {fault.code for fault in machine.faults}
    stopping = {code for code in codes if Stops.PLAY in explain(code).stops}
    holding = {
        "locked": machine.lock is not None,
        "door": any(machine.doors.values()) or DOOR_OPEN in codes,
        "fault": bool(stopping - {DOOR_OPEN, LARGE_WIN}),
        "jackpot": machine.jackpot_won or LARGE_WIN in codes,
        "hand_pay": machine.state is State.HANDPAY,
        "out_of_service": machine.out_of_service,
        "service_call": machine.service_called,
        "opened": DOOR_CLOSED in codes,
        "booting": machine.state is State.BOOTING,
    }
    return frozenset(condition for condition, holds in holding.items() if holds)


def tower_of(machine: "Machine") -> dict[str, LightPattern]:
    """Return what the tower light shows now."""
    games = machine.config.games
    coin_value_cents = machine.session.coin_value_cents or games.default_coin_value_cents
    return shown(machine.config.tower, conditions(machine), coin_value_cents)
