"""Conditions that interrupt the game: faults, open doors, the lock, the service menu, inhibits."""

from collections.abc import Callable, Sequence

from controller.errors import LockingError
from controller.faults import DOOR_OPEN, EVERYTHING, LARGE_WIN, ActiveFault, Stops, stopped_by
from controller.journal.doors import door_closed, door_opened
from controller.journal.faults import RecordedFault
from controller.journal.open_items import OpenItem
from controller.machine.journal_port import JournalPort
from controller.machine.ports import LockedMenu, Menu, OperatorMenu
from controller.machine.snapshot import Snapshot
from controller.machine.states import State


class Conditions:
    """The conditions of one cabinet; `update` computes what they stop, once for each change.

    `service` is the operator's menu; `locked_menu` replaces it once the cabinet is locked.
    """

    service: OperatorMenu
    make_locked_menu: Callable[[LockingError], LockedMenu]

    def __init__(self, journal: JournalPort) -> None:
        self.faults: list[RecordedFault] = []
        self.doors: dict[str, bool] = {}
        self.keys: dict[str, bool] = {}
        """Which keys are on, by name; a key whose switch has not reported yet is missing."""
        self.heard_alarms: frozenset[ActiveFault] = frozenset()
        """The alarms that somebody with a key has responded to: they stay silent until they end."""
        self.open_items: Sequence[OpenItem] = ()
        """The open items, which wait for a person's decision."""
        self.held_cents = 0
        """The cents of payouts that are held until it is known whether they left the hopper."""
        self.out_of_service = False
        self.demo_mode = False
        """Whether the credit is free and no money counts (U.9), until the next full clear."""
        self.service_called = False
        self.silenced = False
        """Whether a host has switched the sound off."""
        self.menu_open = False
        """Whether the service menu covers the game; set by the menu."""
        self.on_trial = False
        """Whether this program is on trial after an update: it does not play and gives no pulses."""
        self.power_was_on = False
        """Whether the computer kept running between the last supervisor and this one."""
        self.locked_menu: LockedMenu | None = None
        self.active: list[ActiveFault] = []
        """The active faults, in order: keys that are on, doors that are open by their switches, those of the sources (a
        proof or an update in progress stops play like a fault), and those of the journal."""
        self.keys_on: Callable[[], Sequence[ActiveFault]] = tuple
        """Returns the keys that are on and open no menu, which the person at the machine can turn back at once."""
        self._stopping: frozenset[str] = frozenset()
        self._stops = Stops.NOTHING
        self._journal = journal
        self._sources: list[Callable[[], Sequence[ActiveFault]]] = []
        self._on_door_closed: list[Callable[[str], None]] = []
        self._on_change: list[Callable[[], None]] = []
        self._seen: tuple[State | None, tuple[ActiveFault, ...]] | None = None

    def connect(self, service: OperatorMenu, make_locked_menu: Callable[[LockingError], LockedMenu]) -> None:
        """Use this service menu, and one made by `make_locked_menu` once the cabinet is locked."""
        self.service, self.make_locked_menu = service, make_locked_menu

    def register(self, source: Callable[[], Sequence[ActiveFault]]) -> None:
        """Call `source` at each update for further active faults."""
        self._sources.append(source)

    def on_door_closed(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the name of each door that was open and closes."""
        self._on_door_closed.append(listener)

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each update that changes the faults, doors, lock or state of service."""
        self._on_change.append(listener)

    def take(self, snapshot: Snapshot) -> None:
        """Apply the journal's state."""
        self.faults, self.open_items = snapshot.faults, snapshot.open_items
        self.held_cents, self.demo_mode = snapshot.held_cents, snapshot.demo_mode
        self.out_of_service = snapshot.out_of_service
        self.update()

    def set_door(self, name: str, *, is_open: bool) -> bool:
        """Store and record a door's state; return whether it is new."""
        was_open = self.doors.get(name)
        if was_open == is_open:
            return False
        self.doors[name] = is_open
        self.service.look()
        self._journal.post(lambda tx: door_opened(tx, name) if is_open else door_closed(tx, name))
        for listener in self._on_door_closed if was_open else ():
            listener(name)
        return True

    def update(self) -> None:
        """Compute the active faults and what they stop."""
        self.active = self.found()
        self.heard_alarms = frozenset(self.active if any(self.keys.values()) else self.heard_alarms & {*self.active})
        self._stopping = frozenset(fault.code for fault in self.active if EVERYTHING in stopped_by([fault]))
        self._stops = stopped_by(self.active)
        if self._on_change and self._seen != (seen := (self.overlay, tuple(self.active))):
            self._seen = seen
            for listener in self._on_change:
                listener()

    def found(self) -> list[ActiveFault]:
        """Return the faults that are active now, as the next `update` would find them."""
        opened = [ActiveFault(DOOR_OPEN, name) for name, is_open in self.doors.items() if is_open]
        reported = [fault for source in self._sources for fault in source()]
        recorded = [ActiveFault(fault.code, fault.place) for fault in self.faults]
        still = [fault for fault in recorded if fault.code != DOOR_OPEN or fault.place not in self.doors]
        return [*self.keys_on(), *opened, *reported, *still]

    @property
    def lock(self) -> LockingError | None:
        """The reason why the cabinet is locked for good, or None."""
        return self._journal.lock

    @property
    def menu(self) -> Menu:
        """The menu that a key opens now; in a locked cabinet it only shows the meters."""
        return self.service if self.locked_menu is None else self.locked_menu

    @property
    def overlay(self) -> State | None:
        """The state that covers the game's state now, or None."""
        if self.lock is not None:
            return State.SERVICE_MENU if self.menu.is_open else State.LOCKED
        if self.menu_open:
            return State.SERVICE_MENU
        if not self._stopping:
            return State.OUT_OF_SERVICE if self.out_of_service else None
        return State.LARGE_WIN if self._stopping == {LARGE_WIN} else State.TILTED

    @property
    def stopped(self) -> Stops:
        """What must not be done now, whatever the state would allow."""
        return self._stops if self.overlay is None else EVERYTHING

    def cover_with_menu(self, *, is_open: bool) -> None:
        """Record that the service menu covers the game, or no longer does."""
        self.menu_open = is_open

    def begin_trial(self) -> None:
        """Hold pulses and keys for the rest of this run, because the program is on trial."""
        self.on_trial = True

    @property
    def meters_held(self) -> bool:
        """Whether the hard meters get no pulses: in demo mode, in the open service menu (M11), and on trial."""
        return self.menu_open or self.demo_mode or self.on_trial
