"""Everything that the cabinet shows: lamps, tower light, money devices and the display's view."""

from controller.configuration.tower import shown
from controller.faults import DOOR_CLOSED, DOOR_OPEN, LARGE_WIN, Stops, explain
from controller.machine.ports import Front, Screen
from controller.machine.states import State
from controller.machine.tickets import NO_TICKETS
from controller.machine.view import MachineParts, live_controls, view_of
from drivers.pins.tower_light import LightPattern


class Presenter:
    """Shows the state on `screen` and `front`."""

    def __init__(self, parts: MachineParts, screen: Screen, front: Front) -> None:
        self._parts = parts
        self._screen = screen
        self._front = front
        parts.states.present = self.present

    def present(self, publish: bool) -> None:  # noqa: FBT001 - a callback's only argument
        """Set the live controls, lamps, tower light and money devices, and with `publish` the view."""
        parts, states, row = self._parts, self._parts.states, self._parts.states.row
        states.controls = live_controls(parts, row)
        self._front.lamps({name: pattern for name, pattern in row.lamps.items() if name in states.controls})
        self._front.tower(tower_of(parts))
        notes = frozenset(parts.settings.config.limits.notes_cents) if states.takes_notes else frozenset[int]()
        self._front.take_money(coins=states.takes_coins, notes_cents=notes)
        if publish:
            self._screen.publish(view_of(parts), turn=states.turn)


def conditions(parts: MachineParts) -> frozenset[str]:
    """Return the conditions of `Tower` that hold now."""
    codes = {fault.code for fault in parts.conditions.faults}
    stopping = {code for code in codes if Stops.PLAY in explain(code).stops}
    holding = {
        "locked": parts.journal.lock is not None,
        "door": any(parts.conditions.doors.values()) or DOOR_OPEN in codes,
        "fault": bool(stopping - {DOOR_OPEN, LARGE_WIN}) or NO_TICKETS in dict(parts.conditions.active),
        "jackpot": parts.play.jackpot_won or LARGE_WIN in codes,
        "hand_pay": parts.states.state is State.HANDPAY,
        "out_of_service": parts.conditions.out_of_service,
        "service_call": parts.conditions.service_called,
        "opened": DOOR_CLOSED in codes,
        "booting": parts.states.state is State.BOOTING,
    }
    return frozenset(condition for condition, holds in holding.items() if holds)


def tower_of(parts: MachineParts) -> dict[str, LightPattern]:
    """Return what the tower light shows now."""
    games = parts.settings.config.games
    coin_value_cents = parts.play.session.bet.coin_value_cents or games.default_coin_value_cents
    return shown(parts.settings.config.tower, conditions(parts), coin_value_cents)
