"""The supervisor's part in an update: it requests one and waits, or it is the new program on trial.

On trial it plays nothing, accepts and pays no money, gives no meter pulse and opens no menu, whatever is pressed, and
reports its state every second. When the updater has decided, the program restarts, this time to play.
"""

import asyncio
import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import msgspec

from controller.faults import (
    DOOR_OPEN,
    LARGE_WIN,
    NO_BET,
    NO_PIN,
    SETTING_UNFIT,
    SOFTWARE_KEY,
    ActiveFault,
    Stops,
    stopped_by,
)
from controller.features.update.events import UpdateEvent
from controller.features.update.orders import Act, End, Folders, OrderError, Outcome, Report, Wish, read, write
from controller.journal.event_catalogue import EventKind
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.transaction import Transaction
from controller.machine.conditions import Conditions
from controller.machine.journal_port import JournalPort
from controller.machine.program import ASKED, ON_TRIAL
from controller.machine.state_machine import StateMachine
from controller.system.host import Departure, Host
from drivers.clock import Clock

HELD = "software_trial"
"""The fault that stops play during an update or a trial."""
EXPLAINED = frozenset({HELD, DOOR_OPEN, NO_PIN, SETTING_UNFIT, NO_BET, SOFTWARE_KEY, LARGE_WIN})
"""Faults that stop play but do not count against a program: they need a person at the cabinet or in its menu."""
_ENDED = {
    Act.INSTALL: {
        End.DONE: UpdateEvent.UPDATE_DONE,
        End.UNDONE: UpdateEvent.UPDATE_UNDONE,
        End.REFUSED: UpdateEvent.UPDATE_REFUSED,
        End.KEPT: UpdateEvent.UPDATE_KEPT,
    },
    Act.BACK: {
        End.DONE: UpdateEvent.ROLL_BACK_DONE,
        End.UNDONE: UpdateEvent.ROLL_BACK_UNDONE,
        End.REFUSED: UpdateEvent.ROLL_BACK_REFUSED,
        End.KEPT: UpdateEvent.ROLL_BACK_KEPT,
    },
}
_LOST = {Act.INSTALL: UpdateEvent.UPDATE_LOST, Act.BACK: UpdateEvent.ROLL_BACK_LOST}
_RECORDED = "update_told"
LOOK_S = 1.0
LONGEST_MS = 60 * 60 * 1000
"""An updater that has not answered after this time, which exceeds its unit's own limit, will not answer."""


class Request(msgspec.Struct, frozen=True):
    """A requested update: the boot of the computer, the time, and what already stopped play then."""

    id: str
    act: Act
    boot: str
    at_ms: int
    known_stops: tuple[tuple[str, str], ...] = msgspec.field(default=(), name="stood")


_REQUEST = Stored(SETTINGS, "update_asked", Request)


class UpdateTrial:
    """The updates of one machine; without a call of `fit` it takes none, as in a demo or a source tree."""

    def __init__(
        self, journal: JournalPort, conditions: Conditions, states: StateMachine, clock: Clock, host: Host
    ) -> None:
        self.folders: Folders | None = None
        self.on_trial = False
        self.waits = False
        self._boot = ""
        self._journal = journal
        self._conditions = conditions
        self._states = states
        self._clock = clock
        self._host = host
        self._known_stops: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"<UpdateTrial {'on trial' if self.on_trial else 'waiting' if self.waits else 'none'}>"

    def fit(self, folders: Folders, boot: str) -> None:
        """Set the updater's folders, and the `boot` that identifies this start of the computer."""
        self._boot, self.on_trial = boot, folders.intent.exists()
        if self.on_trial:
            self._conditions.begin_trial()
        if self.on_trial or (folders.state.is_dir() and folders.release.is_file()):
            self.folders = folders

    @property
    def state(self) -> str:
        """`ON_TRIAL` for a program on trial, `ASKED` while the updater is at work, empty otherwise."""
        return ON_TRIAL if self.on_trial else ASKED if self.waits else ""

    def active(self) -> list[ActiveFault]:
        """The fault that stops play during an update, with its place."""
        return [ActiveFault(HELD, "")] if self.on_trial or self.waits else []

    def newest(self) -> Outcome | None:
        """Return the result of the newest update, None if there was none."""
        if self.folders is None:
            return None
        try:
            return read(self.folders.outcome, Outcome)
        except OrderError:
            return None

    def is_asked(self, tx: Transaction, wish: str) -> bool:
        """Whether the request with this id still waits for an answer."""
        request = _REQUEST.read(tx)
        return request is not None and request.id == wish

    def ask(self, tx: Transaction, wish: Wish, event: EventKind, **figures: Any) -> None:
        """Record the request as `event` and stop play until it is answered; call `send` once this is durable."""
        known = tuple(self._conditions.active)
        request = Request(id=wish.id, act=wish.act, boot=self._boot, at_ms=tx.at_ms, known_stops=known)
        _REQUEST.write(tx, request)
        tx.event(event, **figures)

    async def send(self, wish: Wish) -> None:
        """Send the request to the updater; raise `OSError`."""
        if self.folders is not None:
            await asyncio.to_thread(write, self.folders.wanted, wish)
            self.waits = True
            self._states.new_turn()

    async def run(self, fares: Callable[[], tuple[str, ...]]) -> None:
        """Report while on trial, or wait for the answer to a request, until cancelled.

        `fares` returns what is still lacking. On trial this ends with the trial, and the supervisor with it.
        """
        if self.folders is None:
            return
        if self.on_trial:
            await self._report(self.folders, fares)
            return
        await self._look(self.folders)
        while True:
            await self._clock.sleep(LOOK_S)
            if self.waits:
                await self._look(self.folders)

    async def _report(self, folders: Folders, fares: Callable[[], tuple[str, ...]]) -> None:
        request = await self._journal.do(_REQUEST.read)
        self._known_stops = () if request is None else request.known_stops
        while folders.intent.exists():
            report = Report(
                pid=os.getpid(),
                version=version("cabinet"),
                at_s=self._clock.now(),
                lacks=fares(),
                locked=self._journal.lock is not None,
            )
            write(folders.report, report)
            await self._clock.sleep(LOOK_S)
        self._host.leave(Departure.RESTART)

    async def _look(self, folders: Folders) -> None:
        """Record the updater's answer, if there is one; otherwise continue to wait."""
        try:
            outcome = read(folders.outcome, Outcome)
        except OrderError:
            outcome = None
        waits = await self._journal.do(lambda tx: self._answered(tx, outcome))
        if waits is not self.waits:
            self.waits = waits
            self._states.new_turn()

    def _answered(self, tx: Transaction, outcome: Outcome | None) -> bool:
        request = _REQUEST.read(tx)
        if outcome is not None and outcome.id != SETTINGS.get(tx, _RECORDED):
            SETTINGS.store(tx, _RECORDED, outcome.id)
            ended, reason = _ENDED[outcome.act][outcome.end], outcome.detail or outcome.why
            tx.event(ended, old=outcome.old, new=outcome.new, reason=reason)
            if request is not None and request.id == outcome.id:
                _REQUEST.remove(tx)
                return False
        if request is None:
            return False
        if request.boot == self._boot and 0 <= tx.at_ms - request.at_ms <= LONGEST_MS:
            return True
        _REQUEST.remove(tx)
        tx.event(_LOST[request.act])
        return False

    def lacking(self, *, display: bool, books: bool) -> tuple[str, ...]:
        """Return what prevents this machine from playing, in plain words.

        `display` is true if one is connected, `books` if the whole journal was verified.
        """
        if self._journal.lock is not None:
            return (f"it is locked: {self._journal.lock}",)
        found = [] if self._states.up.is_set() else ["it has not recovered yet"]
        found += [] if display else ["no display is connected"]
        found += [] if books else ["the books are not proved yet"]
        stopping = [fault for fault in self._conditions.active if Stops.PLAY in stopped_by([fault])]
        found += [f"{code} {place}".strip() for code, place in stopping if self._is_news(code, place)]
        return tuple(found)

    def _is_news(self, code: str, place: str) -> bool:
        return code not in EXPLAINED and (code, place) not in self._known_stops
