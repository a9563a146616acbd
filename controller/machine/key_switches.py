"""The attendant's and the technician's key: what a turn answers, and when it opens the service menu."""

from typing import TYPE_CHECKING

from controller.machine.standing import clear_by_key, may_clear
from controller.machine.states import State
from controller.machine.surroundings import Input
from controller.service.leaf import Who

if TYPE_CHECKING:
    from controller.machine.machine import Machine


class KeySwitches:
    """The key switches of one machine.

    Only the way from off to on is a turn: a key that is found on at the start confirms and clears nothing.
    """

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._turned: dict[str, bool] = {}

    def is_turned(self, name: str) -> bool:
        """Whether that key is turned now."""
        return self._turned.get(name, False)

    def take(self, name: str, *, turned: bool) -> None:
        """Take the position of the attendant's or technician's key."""
        machine = self._machine
        was_off = self._turned.get(name) is False
        self._turned[name] = turned
        if machine.service.testing and name != Who.TECHNICIAN:
            return  # in a test it is an input like any other
        if machine.locked_menu is not None:
            if was_off or not turned:
                machine.locked_menu.key(Who(name), turned=turned)
            return
        if machine.probation.on_trial:
            return  # nothing that is done now could be undone with the program
        if turned and was_off and name == Who.ATTENDANT and self._answers():
            return
        if was_off or not turned:
            machine.service.key(Who(name), turned=turned)

    def _answers(self) -> bool:
        """Take one turn of the attendant's key as one answer; return whether it was one, and no wish for the menu.

        A payout that waits for this very turn comes first, then what may be cleared as it stands now. While the hopper
        pays a turn is no answer to anything that may still come.
        """
        machine = self._machine
        if machine.overlay is None and (machine.payout_waits or machine.state is State.HANDPAY):
            machine.take(Input("key", Who.ATTENDANT, turn=machine.turn))
            return True
        seen = frozenset((fault.code, fault.place) for fault in machine.faults if may_clear(fault, Who.ATTENDANT))
        if seen:
            machine.chore(lambda tx: clear_by_key(tx, Who.ATTENDANT, seen))
        return bool(seen) or machine.state in (State.HANDPAY, State.COLLECTING)
