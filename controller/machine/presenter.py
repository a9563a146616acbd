"""What the cabinet shows: lamps, tower light, money devices and the display's view, derived from the state."""

from controller.machine.ports import Front, Screen
from controller.machine.tower import tower_of
from controller.machine.view import Parts, live_controls, view_of


class Presenter:
    """Shows the state on `screen` and `front`."""

    def __init__(self, parts: Parts, screen: Screen, front: Front) -> None:
        self._parts = parts
        self._screen = screen
        self._front = front
        parts.states.present = self.present

    def present(self, publish: bool) -> None:  # noqa: FBT001 - a callback's only argument
        """Set the live controls, lamps, tower light and money devices; `publish` the view too."""
        parts, states, row = self._parts, self._parts.states, self._parts.states.row
        states.controls = live_controls(parts, row)
        self._front.lamps({name: pattern for name, pattern in row.lamps.items() if name in states.controls})
        self._front.tower(tower_of(parts))
        notes = frozenset(parts.settings.config.limits.notes_cents) if states.takes_notes else frozenset[int]()
        self._front.take_money(coins=states.takes_coins, notes_cents=notes)
        if publish:
            self._screen.publish(view_of(parts), turn=states.turn)
