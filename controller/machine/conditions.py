"""What lies over the game and stops it: faults, open doors, the lock, the service menu, inhibits."""

from collections.abc import Callable, Sequence

from controller.errors import LockingError
from controller.faults import DOOR_OPEN, EVERYTHING, LARGE_WIN, Stops, stopped_by
from controller.journal.doors import door_closed, door_opened
from controller.journal.faults import RecordedFault
from controller.journal.open_items import OpenItem
from controller.machine.journal_port import JournalPort
from controller.machine.ports import LockedMenu, Menu, OperatorMenu
from controller.machine.snapshot import Snapshot
from controller.machine.states import State

Place = tuple[str, str]
"""A fault's code and its place."""


class Conditions:
    """The conditions of one cabinet. `update` computes what they stop, once for each change.

    `service` is the operator's menu; `locked_menu` takes its place once the cabinet is locked.
    """

    service: OperatorMenu
    make_locked_menu: Callable[[LockingError], LockedMenu]

    def __init__(self, journal: JournalPort) -> None:
        self.faults: list[RecordedFault] = []
        self.doors: dict[str, bool] = {}
        self.keys: dict[str, bool] = {}
        """Which keys are on, by name; one whose switch has not reported yet is missing."""
        self.heard_alarms: frozenset[Place] = frozenset()
        """The alarms that somebody with a key has come for: they are silent until they are over."""
        self.open_items: Sequence[OpenItem] = ()
        """The sums of money that wait for a person's decision."""
        self.held_cents = 0
        """Cents held from payouts until it is known where they are."""
        self.out_of_service = False
        self.demo_mode = False
        """Whether the credit is free and no money counts (U.9), until the next full clear."""
        self.service_called = False
        self.silenced = False
        """Whether a host has switched the sound off."""
        self.menu_open = False
        """Whether the service menu lies over the game; the menu sets it."""
        self.on_trial = False
        """Whether this program is on trial after an update: it plays nothing, and gives no pulse."""
        self.power_was_on = False
        """Whether the computer ran on between the last supervisor and this one."""
        self.locked_menu: LockedMenu | None = None
        self.active: list[Place] = []
        """The active faults: keys that are on, open doors by their switches, then the sources' (a proof or an update
        under way stops play like a fault), then the journal's."""
        self.keys_on: Callable[[], Sequence[Place]] = tuple
        """Returns the keys that are on and open no menu: what the person at the machine can end at once."""
        self._stopping: frozenset[str] = frozenset()
        self._stops = Stops.NOTHING
        self._journal = journal
        self._sources: list[Callable[[], Sequence[Place]]] = []
        self._on_door_closed: list[Callable[[str], None]] = []
        self._on_change: list[Callable[[], None]] = []
        self._seen: tuple[State | None, tuple[Place, ...]] | None = None

    def connect(self, service: OperatorMenu, make_locked_menu: Callable[[LockingError], LockedMenu]) -> None:
        """Use this menu, and one made by `make_locked_menu` once the cabinet is locked."""
        self.service, self.make_locked_menu = service, make_locked_menu

    def register(self, source: Callable[[], Sequence[Place]]) -> None:
        """Have `source` asked at each update for more that is active."""
        self._sources.append(source)

    def on_door_closed(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the name of each door that was open and is closed."""
        self._on_door_closed.append(listener)

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each update that finds another fault, door, lock or state of service than before."""
        self._on_change.append(listener)

    def take(self, snapshot: Snapshot) -> None:
        """Take over what the journal holds."""
        self.faults, self.open_items = snapshot.faults, snapshot.open_items
        self.held_cents, self.demo_mode = snapshot.held_cents, snapshot.demo_mode
        self.out_of_service = snapshot.out_of_service
        self.update()

    def set_door(self, name: str, *, is_open: bool) -> bool:
        """Take a door's state and have it recorded; return whether it is new."""
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
        """Compute what is active, and what that stops."""
        self.active = self.found()
        self.heard_alarms = frozenset(self.active if any(self.keys.values()) else self.heard_alarms & {*self.active})
        self._stopping = frozenset(fault[0] for fault in self.active if EVERYTHING in stopped_by([fault]))
        self._stops = stopped_by(self.active)
        if self._on_change and self._seen != (seen := (self.overlay, tuple(self.active))):
            self._seen = seen
            for listener in self._on_change:
                listener()

    def found(self) -> list[Place]:
        """Return what is active now, as the next `update` would find it."""
        opened = [(DOOR_OPEN, name) for name, is_open in self.doors.items() if is_open]
        reported = [place for source in self._sources for place in source()]
        recorded = [(fault.code, fault.place) for fault in self.faults]
        still = [it for it in recorded if it[0] != DOOR_OPEN or it[1] not in self.doors]
        return [*self.keys_on(), *opened, *reported, *still]

    @property
    def lock(self) -> LockingError | None:
        """Why the cabinet is locked for good, None while it is not."""
        return self._journal.lock

    @property
    def menu(self) -> Menu:
        """The menu that a key opens now: of a locked cabinet only the meters can be read."""
        return self.service if self.locked_menu is None else self.locked_menu

    @property
    def overlay(self) -> State | None:
        """The state that lies over the game's now."""
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
        """Lay the open service menu over the game, or take it away."""
        self.menu_open = is_open

    def begin_trial(self) -> None:
        """Hold pulses and keys for the rest of this run: the program is on trial."""
        self.on_trial = True

    @property
    def meters_held(self) -> bool:
        """Whether the hard meters get no pulse: in demo mode, while the service menu is open (M11), and on trial."""
        return self.menu_open or self.demo_mode or self.on_trial
