"""The attendant's and the technician's key: what a turn answers, and when it opens the service menu."""

from typing import TYPE_CHECKING

from controller.journal.actor import Actor, Role
from controller.journal.fault_states import clear_by_key
from controller.journal.origin import acting
from controller.machine.attendant_calls import AttendantCall, still_waits, waiting_call
from controller.machine.ports import Input
from controller.machine.states import State

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
        machine, key = self._machine, Role(name)
        was_off = self._turned.get(name) is False
        self._turned[name] = turned
        if machine.service.testing and key is not machine.service.opened_by:
            return  # in a test it is an input like any other
        if machine.locked_menu is not None:
            if was_off or not turned:
                machine.locked_menu.key(key, turned=turned)
            return
        if machine.update_trial.on_trial:
            return  # nothing that is done now could be undone with the program
        if turned and was_off and key is Role.ATTENDANT and self._answers():
            return
        if was_off or not turned:
            machine.service.key(key, turned=turned)

    def _answers(self) -> bool:
        """Take one turn of the attendant's key as one answer; return whether it was one, and no wish for the menu.

        Where that key needs a PIN, the answer waits for it. While the hopper pays a turn is no answer to anything that
        may still come.
        """
        machine, call = self._machine, waiting_call(self._machine)
        if call is None:
            return machine.state in (State.HANDPAY, State.COLLECTING)
        if machine.key_alone(Role.ATTENDANT):
            self.answer(call, Actor(Role.ATTENDANT))
        else:
            machine.service.key(Role.ATTENDANT, turned=True, call=call)
        return True

    def answer(self, call: AttendantCall, actor: Actor) -> None:
        """Give the answer that a turn of the attendant's key means; none where its payout waits no more."""
        machine = self._machine
        if call.state is not None:
            if still_waits(machine, call):
                machine.take(Input("key", Role.ATTENDANT, turn=machine.turn, by=actor))
            return
        with acting(actor):
            machine.post(lambda tx: clear_by_key(tx, Role.ATTENDANT, call.seen))
