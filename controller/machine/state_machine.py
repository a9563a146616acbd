"""The state of the machine, its turns, and the inputs that the flows wait for.

The flows (`controller.play`) lead from state to state. Presses, keys, doors and acknowledgements arrive through an
inbox on the event loop. A press that was meant for an earlier turn is dropped.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TypeVar

from controller.errors import LockingError
from controller.faults import Stops
from controller.journal.actor import BY
from controller.journal.event_catalogue import Event
from controller.machine.conditions import Conditions
from controller.machine.game_state import GameState
from controller.machine.journal_port import JournalPort
from controller.machine.ports import Input
from controller.machine.posts import CHOICE_EVERY_S, CHOICES_AT_ONCE
from controller.machine.settings_store import SettingsStore
from controller.machine.snapshot import Snapshot, choose
from controller.machine.states import BETWEEN_GAMES, TABLE, Row, State
from controller.session.autospin import Stop
from controller.session.session import toggle_muted
from controller.system.watchdog import PLAYER, TaskMonitor
from drivers.clock import Clock
from drivers.waiting import run_unless
from gamekit.play import Offer

T = TypeVar("T")


MOST_PRESSES = 16
"""The limit of waiting presses, because a player does not press further ahead. A flow is busy for minutes while the
hopper pays."""


class Inbox:
    """The queue of one machine's inputs, in order.

    A `wake` that is already waiting is not repeated, and presses beyond `MOST_PRESSES` are dropped. Acknowledgements
    come once per show, and keys only as fast as a hand turns them.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._inputs: asyncio.Queue[Input] = asyncio.Queue()
        self._waiting = {"wake": 0, "press": 0}

    def __repr__(self) -> str:
        return f"<Inbox {self._inputs.qsize()} waiting, {self.dropped} dropped>"

    @property
    def empty(self) -> bool:
        """Whether no input waits."""
        return self._inputs.empty()

    def put(self, got: Input) -> None:
        """Add an input, unless the limit of its kind is reached."""
        most = {"wake": 1, "press": MOST_PRESSES}.get(got.kind)
        if most is not None:
            if self._waiting[got.kind] >= most:
                self.dropped += got.kind == "press"
                return
            self._waiting[got.kind] += 1
        self._inputs.put_nowait(got)

    async def get(self) -> Input:
        """Wait for the oldest input and return it."""
        got = await self._inputs.get()
        if got.kind in self._waiting:
            self._waiting[got.kind] -= 1
        return got


class StateMachine:
    """The state, and what the table in `controller.machine.states` allows in it under the present conditions."""

    def __init__(
        self,
        journal: JournalPort,
        settings: SettingsStore,
        conditions: Conditions,
        play: GameState,
        task_monitor: TaskMonitor,
        *,
        clock: Clock,
    ) -> None:
        self.state = State.BOOTING
        self.turn = 0
        self.controls: frozenset[str] = frozenset()
        """The live buttons and touch controls, as last computed by the presenter."""
        self.showing = False
        self.up = asyncio.Event()
        """Set once the machine has recovered interrupted work, or is locked."""
        self.present: Callable[[bool], None] = lambda _publish: None
        """Updates lamps, money devices and tower light to the state, and with True the screen too."""
        self._journal = journal
        self._settings = settings
        self._conditions = conditions
        self._play = play
        self._task_monitor = task_monitor
        self._clock = clock
        self._obstructed = asyncio.Event()
        self._inbox = Inbox()
        journal.on_lock, journal.on_snapshot = self._locked, self.apply_snapshot

    # inputs

    def press(self, control: str) -> None:
        """Process a press of a button or touch control, if that control is live now.

        Controls with the same meaning everywhere (attendant call, sound, autospin's STOP) take effect at once, whatever
        the flows are doing.
        """
        if control not in self.controls:
            return
        conditions, play = self._conditions, self._play
        if conditions.overlay is State.SERVICE_MENU:
            conditions.menu.press(control)
        elif control == "service":
            conditions.service_called = not conditions.service_called
            self._journal.remark(Event.ATTENDANT_CALLED if conditions.service_called else Event.CALL_ENDED)
            self.refresh(while_showing=True)
        elif control == "auto" and play.autospin is not None and play.spins_by_itself:
            play.autospin.stop()
            self.refresh(while_showing=True)
        elif control == "sound":
            if conditions.lock is None:
                self._journal.posts.count("sound", toggle_muted, at_once=CHOICES_AT_ONCE, every_s=CHOICE_EVERY_S)
        else:
            self._inbox.put(Input("press", control, turn=self.turn))

    def shown(self, number: int) -> None:
        """Process the display's acknowledgement that the shows up to `number` are over."""
        self._conditions.service.shown(number)
        self._inbox.put(Input("ack", number=number))

    def take(self, got: Input) -> None:
        """Pass an input to the flow that waits for it."""
        self._inbox.put(got)

    def door(self, name: str, *, is_open: bool) -> None:
        """Process a door's state: an open door stops play at once, a closed one lets it continue."""
        if self._conditions.set_door(name, is_open=is_open):
            self.new_turn()

    def money_came(self) -> None:
        """Show the new credit and wake a flow that may wait for it."""
        self.refresh()
        self._inbox.put(Input("wake"))

    def _locked(self, error: LockingError) -> None:
        self._conditions.locked_menu = self._conditions.make_locked_menu(error)
        self.up.set()
        self._conditions.service.look()
        self.new_turn()

    # the flows

    async def next_input(self, seconds: float | None = None) -> Input | None:
        """Return the next input, or None after `seconds`; presses and keys of an earlier turn are dropped.

        So are presses of controls that are no longer live: a second press may arrive before the first is handled.
        """
        try:
            # not wait_for, which in Python 3.11 swallows a cancellation that comes together with an input
            async with asyncio.timeout(seconds):
                while True:
                    with self._task_monitor.waiting(PLAYER):
                        got = await self._inbox.get()
                    dead = got.kind == "press" and got.what not in self.controls
                    if got.kind not in ("press", "key") or (got.turn == self.turn and not dead):
                        BY.set(got.by)
                        return got
        except TimeoutError:
            BY.set(None)
            return None

    async def clear_of_obstacles(self) -> None:
        """Return once nothing covers the state: no open door and no fault that stops play."""
        while self._conditions.overlay is not None:
            await self.next_input()

    async def unless_obstructed(self, work: Coroutine[object, object, T]) -> T | None:
        """Return the result of `work`, or cancel it and return None as soon as something covers the state.

        `work` has ended in order before this returns, even if this is cancelled itself.
        """
        return await run_unless(self._obstructed, work)

    async def choose(self, **changes: object) -> None:
        """Change the session durably."""
        self._play.session, self._play.care = await self._journal.do(lambda tx: choose(tx, **changes))
        self.new_turn()

    def enter(self, state: State, *, message: str = "", offer: Offer | None = None, focus: str = "") -> None:
        """Enter `state`: a new turn, in which presses meant for the old one are ignored."""
        self.state = state
        if state in BETWEEN_GAMES:
            self._settings.reconsider()
            if state is not State.LOBBY:
                self._leave_unoffered()
        self.up.set()
        self._play.message, self._play.offer, self._play.focus = message, offer, focus
        self.new_turn()

    def offer_again(self) -> None:
        """Show the offer after the configuration in force has changed."""
        self._leave_unoffered()
        self.new_turn()

    def _leave_unoffered(self) -> None:
        """Return to the attract screen if the game on the screen is no longer offered."""
        enabled = self._settings.config.games.enabled
        chosen = self.state is not State.LOBBY and self._play.session.game in {"", *enabled}
        if self.state in BETWEEN_GAMES and not chosen:
            self.state = State.ATTRACT
            self._play.forget_play()

    @property
    def is_idle(self) -> bool:
        """Whether the flows have handled every input."""
        return self._inbox.empty

    def move_focus(self, controls: Sequence[str], control: str) -> None:
        """Move the panel's cursor through `controls`, cyclically: BET forward, LINES back."""
        step = 1 if control == "bet" else -1
        at = controls.index(self._play.focus) + step if self._play.focus in controls else 0
        self.focus_on(controls[at % len(controls)])

    def focus_on(self, control: str) -> None:
        """Put the panel's cursor on `control`."""
        self._play.focus = control
        self.refresh()

    def set_showing(self, *, showing: bool) -> None:
        """Begin or end a show, which counts the figures up itself."""
        self.showing = showing

    def new_turn(self) -> None:
        """Invalidate pending presses and show the present state."""
        self.turn += 1
        self.showing = False
        self._inbox.put(Input("wake"))
        self.refresh()

    def refresh(self, *, while_showing: bool = False) -> None:
        """Update lamps, money devices, tower light and screen to the state.

        During a show, which counts its figures up, the screen is updated only at its end, unless `while_showing`.
        """
        self._update()
        self.present(while_showing or not self.showing)

    def stop_before_menu(self) -> None:
        """Apply what stops play before the menu that is about to open shows it."""
        self._update()
        self.present(False)  # noqa: FBT003 - a callback's only argument

    def _update(self) -> None:
        if not self._play.care.active:
            self._play.session_began_s = None
        elif self._play.session_began_s is None:
            self._play.session_began_s = self._clock.now()
        self._conditions.update()
        if self._conditions.overlay is None:
            self._obstructed.clear()
        else:
            self._obstructed.set()
            if self._play.autospin is not None:
                self._play.autospin.stop(Stop.INTERRUPTED)

    def apply_if_changed(self, snapshot: Snapshot) -> None:
        """Apply the journal's state if a fault, an open item or the held amount has changed."""
        conditions = self._conditions
        before = (conditions.faults, conditions.open_items, conditions.held_cents)
        if (snapshot.faults, snapshot.open_items, snapshot.held_cents) != before:
            self.apply_snapshot(snapshot)

    def apply_snapshot(self, snapshot: Snapshot) -> None:
        """Apply the journal's state and show the changes; a changed offer of games returns to the attract screen."""
        before, was_muted, games = self._conditions.overlay, self._play.session.muted, self._settings.config.games
        self._play.session, self._play.paid, self._play.care = snapshot.session, snapshot.paid, snapshot.care
        if self._care_is_due():
            self._inbox.put(Input("wake"))
        refusal = self._settings.take(snapshot.settings, snapshot.calibration)
        if refusal:
            network = self._settings.config.network
            event = Event.NETWORK_NOT_ON if network.enabled else Event.NETWORK_NOT_OFF
            self._journal.post(lambda tx: tx.event(event, interface=network.interface, reason=refusal))
        if self._settings.config.games != games and self.state in BETWEEN_GAMES:
            self.state = State.ATTRACT
            self._play.forget_play()
        self._conditions.take(snapshot)
        if self._conditions.overlay is before:
            self.refresh(while_showing=self._play.session.muted is not was_muted)
        else:
            self.new_turn()

    def _care_is_due(self) -> bool:
        """Whether the flow must show or end a page of the player's session now (`SessionPages.look`)."""
        care = self._play.care
        if self.state is State.BREAK:
            return not care.break_left
        return self.state is State.IDLE and care.page_due(self._settings.config.player)

    # what may be done now

    @property
    def row(self) -> Row:
        """The row of the table that applies now."""
        return TABLE[self._conditions.overlay or self.state]

    @property
    def takes_coins(self) -> bool:
        """Whether coins are accepted now (B3, B5)."""
        return self._takes_money and Stops.COINS not in self._conditions.stopped

    @property
    def takes_notes(self) -> bool:
        """Whether notes are accepted now (B3, B5, D7)."""
        limit_cents = self._settings.config.limits.notes_credit_cents
        too_much = limit_cents and self._journal.credit_cents >= limit_cents
        return self._takes_money and not too_much and Stops.NOTES not in self._conditions.stopped

    @property
    def pays_coins(self) -> bool:
        """Whether COLLECT may begin with the hopper; if not, the attendant pays by hand (B8)."""
        return Stops.PAYOUT not in self._conditions.stopped

    @property
    def _takes_money(self) -> bool:
        config, tender = self._settings.config, self._settings.tender
        other_money = tender not in {None, config.cabinet.money.tender}  # applies from the next start
        too_much = self._journal.credit_cents >= config.limits.credit_cents
        on_break = bool(self._play.care.break_left)
        return self.row.money and not (self._conditions.demo_mode or too_much or other_money or on_break)
