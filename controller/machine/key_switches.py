"""The attendant's and technician's keys: what a turn answers, when it opens the service menu, and keys left on."""

from collections.abc import Sequence

from controller.faults import KEY_TURNED, ActiveFault
from controller.journal.actor import Actor, Role, acting
from controller.journal.event_catalogue import Event
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
"""What happens once the person who turned the key is identified, while something waits for the key."""


class KeySwitches:
    """The key switches of one machine.

    Only the transition from off to on is a turn: a key that is on at the start confirms and clears nothing. A key that
    is on and opens no menu stops everything until it is turned back. Otherwise the buttons pressed next by the person
    who left the menu would stake and pay out the player's credit. Only a payout that the turn has answered continues.
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
        self._answered: State | None = None
        """The state of the payout that the attendant's key has answered, while the key stays on."""
        conditions.keys_on = self._left_on

    def is_turned(self, name: str) -> bool:
        """Whether this key is turned now."""
        return self._conditions.keys.get(name, False)

    def waiting_call(self) -> AttendantCall | None:
        """Return what waits for the attendant's key now, or None."""
        return waiting_call(self._states.state, self._conditions, self._play)

    def take(self, name: str, *, turned: bool) -> None:
        """Process the position of the attendant's or technician's key."""
        key, before = Role(name), self._conditions.keys.get(name)
        if turned and before is None:
            self._journal.post(lambda tx: tx.event(Event.KEY_ON_AT_START, place=name))
        self._conditions.keys[name] = turned
        if not turned and key is Role.ATTENDANT:
            self._answered = None
        opens = self._take(key, turned=turned, was_off=before is False)
        self._look(opens=opens)

    def _look(self, *, opens: bool = False) -> None:
        """Update the machine after a change of the active faults; a menu that opens shows itself."""
        if opens:
            self._states.stop_before_menu()
        elif self._conditions.found() != self._conditions.active:
            self._states.new_turn()
        else:
            self._states.refresh(while_showing=True)

    def _take(self, key: Role, *, turned: bool, was_off: bool) -> bool:
        """Pass a key's position to its recipient; return whether it opens the menu.

        A turn of the attendant's key answers what waits for it and then does not open the menu. If that key needs a
        PIN, the answer waits for the PIN. A turn that nothing waits for is ignored during a payout.
        """
        conditions, call = self._conditions, None
        if conditions.service.testing and key is not conditions.service.opened_by:
            return False  # during a test a key is an input like any other
        if conditions.locked_menu is not None:
            if was_off or not turned:
                conditions.locked_menu.key(key, turned=turned)
            return False
        if conditions.on_trial:
            return False  # the action could not be undone together with the program
        if turned and was_off and key is Role.ATTENDANT:
            call = self.waiting_call()
            if call is None and self._states.state in (State.HANDPAY, State.COLLECTING):
                return False
            if call is not None and self._settings.key_alone(key):
                self.answer(call, Actor(key))
                return False
        if was_off or not turned:
            conditions.service.key(key, turned=turned, call=call)
        return turned and was_off

    def _left_on(self) -> Sequence[ActiveFault]:
        """Return the keys that are on while no menu is open, except one that has answered the payout in progress.

        A locked cabinet reports none, because it neither plays nor pays.
        """
        conditions = self._conditions
        if conditions.menu_open or conditions.lock is not None:
            return ()
        serves = Role.ATTENDANT if self._answered is self._states.state else None
        return [ActiveFault(KEY_TURNED, name) for name, turned in conditions.keys.items() if turned and name != serves]

    def answer(self, call: AttendantCall, actor: Actor) -> None:
        """Give the answer that a turn of the attendant's key means, unless its payout no longer waits."""
        if call.state is not None:
            if still_waits(self._states.state, self._play, call):
                self._answered = call.state
                self._look()
                self._states.take(Input("key", Role.ATTENDANT, turn=self._states.turn, by=actor))
            return
        with acting(actor):
            self._journal.post(lambda tx: clear_by_key(tx, Role.ATTENDANT, call.seen))


def waiting_call(state: State, conditions: Conditions, play: GameState) -> AttendantCall | None:
    """Return what waits for the attendant's key now: a payout first, then the faults that may be cleared."""
    if conditions.overlay is None and state is State.HANDPAY:
        return AttendantCall(HAND_PAY, _figures(play), State.HANDPAY)
    if conditions.overlay is None and play.payout_waits:
        return AttendantCall(HOPPER, state=State.COLLECTING)
    seen = frozenset((fault.code, fault.place) for fault in conditions.faults if may_clear(fault, Role.ATTENDANT))
    return AttendantCall(LOCK_UP, seen=seen) if seen else None


def still_waits(state: State, play: GameState, call: AttendantCall) -> bool:
    """Return whether the payout still waits with the amount that was shown, because entering a PIN takes time."""
    return state is call.state and (call.state is not State.HANDPAY or _figures(play) == call.figures)


def _figures(play: GameState) -> dict[str, str | int]:
    return {} if play.payout is None else {"amount_cents": play.payout.amount_cents}
