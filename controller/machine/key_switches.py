"""The attendant's and the technician's key: what a turn answers, and when it opens the service menu."""

from controller.journal.actor import Actor, Role, acting
from controller.journal.faults import clear_by_key, may_clear
from controller.machine.conditions import Conditions
from controller.machine.game_state import GameState
from controller.machine.journal_port import JournalPort
from controller.machine.ports import AttendantCall, Input
from controller.machine.settings_store import SettingsStore
from controller.machine.state_machine import StateMachine
from controller.machine.states import State

HAND_PAY, HOPPER, LOCK_UP = (
    "Then {amount_cents} count as paid by hand",
    "Then the payment of the hopper ends",
    "Then the lock-up is cleared",
)
"""What happens once the person who turned the key is known, while something waits for it."""


class KeySwitches:
    """The key switches of one machine.

    Only the way from off to on is a turn: a key that is found on at the start confirms and clears nothing.
    """

    def __init__(
        self,
        journal: JournalPort,
        settings: SettingsStore,
        conditions: Conditions,
        play: GameState,
        states: StateMachine,
    ) -> None:
        self._journal = journal
        self._settings = settings
        self._conditions = conditions
        self._play = play
        self._states = states
        self._turned: dict[str, bool] = {}

    def is_turned(self, name: str) -> bool:
        """Whether that key is turned now."""
        return self._turned.get(name, False)

    def waiting_call(self) -> AttendantCall | None:
        """Return what waits for the attendant's key now."""
        return waiting_call(self._states.state, self._conditions, self._play)

    def take(self, name: str, *, turned: bool) -> None:
        """Take the position of the attendant's or technician's key."""
        conditions, key = self._conditions, Role(name)
        was_off = self._turned.get(name) is False
        self._turned[name] = turned
        if conditions.service.testing and key is not conditions.service.opened_by:
            return  # in a test it is an input like any other
        if conditions.locked_menu is not None:
            if was_off or not turned:
                conditions.locked_menu.key(key, turned=turned)
            return
        if conditions.on_trial:
            return  # nothing that is done now could be undone with the program
        if turned and was_off and key is Role.ATTENDANT and self._answers():
            return
        if was_off or not turned:
            conditions.service.key(key, turned=turned)

    def _answers(self) -> bool:
        """Take one turn of the attendant's key as one answer; return whether it was one, and no wish for the menu.

        Where that key needs a PIN, the answer waits for it. While the hopper pays a turn is no answer to anything that
        may still come.
        """
        call = self.waiting_call()
        if call is None:
            return self._states.state in (State.HANDPAY, State.COLLECTING)
        if self._settings.key_alone(Role.ATTENDANT):
            self.answer(call, Actor(Role.ATTENDANT))
        else:
            self._conditions.service.key(Role.ATTENDANT, turned=True, call=call)
        return True

    def answer(self, call: AttendantCall, actor: Actor) -> None:
        """Give the answer that a turn of the attendant's key means; none where its payout waits no more."""
        if call.state is not None:
            if still_waits(self._states.state, self._play, call):
                self._states.take(Input("key", Role.ATTENDANT, turn=self._states.turn, by=actor))
            return
        with acting(actor):
            self._journal.post(lambda tx: clear_by_key(tx, Role.ATTENDANT, call.seen))


def waiting_call(state: State, conditions: Conditions, play: GameState) -> AttendantCall | None:
    """Return what waits for the attendant's key now: a payout comes first, then the faults that may be cleared."""
    if conditions.overlay is None and state is State.HANDPAY:
        return AttendantCall(HAND_PAY, _figures(play), State.HANDPAY)
    if conditions.overlay is None and play.payout_waits:
        return AttendantCall(HOPPER, state=State.COLLECTING)
    seen = frozenset((fault.code, fault.place) for fault in conditions.faults if may_clear(fault, Role.ATTENDANT))
    return AttendantCall(LOCK_UP, seen=seen) if seen else None


def still_waits(state: State, play: GameState, call: AttendantCall) -> bool:
    """Return whether that payout still waits, with the amount that was shown: a PIN takes its time to type."""
    return state is call.state and (call.state is not State.HANDPAY or _figures(play) == call.figures)


def _figures(play: GameState) -> dict[str, str | int]:
    return {} if play.payout is None else {"amount_cents": play.payout.amount_cents}
