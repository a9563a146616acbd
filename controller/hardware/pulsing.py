"""Gives the hard meters the pulses that the journal owes them, in batches; all meters are pulsed together.

Each meter gets one pulse at a time.
"""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from controller.journal import hard_meters
from controller.journal.diagnostics import meter_diagnostic
from controller.journal.hard_meters import MOST_IN_BATCH, Batch, Noted
from controller.journal.transaction import Transaction
from controller.machine.conditions import Conditions
from controller.machine.journal_port import JournalPort
from controller.system.watchdog import METERS as METERS_TASK
from controller.system.watchdog import TaskMonitor
from drivers.clock import Clock
from drivers.errors import DriverError, NotPulsedError
from drivers.pins.hard_meter import HardMeter
from drivers.wiring import METERS

_LOOK_S = 0.25
RIDE_S = 5.0
"""How long the end of a batch waits to be booked with another transaction before it gets its own."""
PLAY_S = 1.5
"""The same wait if more is owed and a transaction began the batch: during play the next transaction comes soon."""


class _Begun(NamedTuple):
    """A batch to be given, and whether a transaction that owed pulses began it."""

    batch: Batch
    rode: bool


class _Ended(NamedTuple):
    """A batch that was given, the pulses of each meter, and the time; it may not be booked yet."""

    batch: Batch
    given: dict[str, int]
    at_s: float
    rode: bool


class Pulsing:
    """The hard meters' task; `unit_cents` is the value of one pulse, except on the games meter, where it is one game.

    A transaction that owes pulses begins their batch itself and ends the previous one, so that the meters need few
    transactions of their own. During `Conditions.meters_held` no pulse is begun: pulses stay owed, and those in flight
    are finished (M11).
    """

    def __init__(
        self,
        journal: JournalPort,
        conditions: Conditions,
        clock: Clock,
        task_monitor: TaskMonitor,
        *,
        meters: Mapping[str, HardMeter],
        unit_cents: int,
        most: int = MOST_IN_BATCH,
    ) -> None:
        self._journal = journal
        self._conditions = conditions
        self._clock = clock
        self._task_monitor = task_monitor
        self._meters = meters
        self._units = {name: 1 if name == "games" else unit_cents for name in METERS}
        self._most = most
        self._ended: _Ended | None = None
        self._ready: tuple[str, ...] | None = None
        """The meters that a transaction may begin a batch for, or None while a batch is being given or the meters are
        held."""
        self._resting = False
        self._rested = asyncio.Event()
        self._rested.set()

    async def run(self) -> None:
        """Settle the pulses that a power cut interrupted, then give owed pulses until cancelled."""
        self._rested.clear()
        try:
            await self._journal.do(self._settle)
            self._journal.journal.rider = self._ride
            while True:
                await self._turn()
        finally:
            self._ready = self._journal.journal.rider = None
            self._rested.set()

    async def rest(self) -> None:
        """Begin no further pulse, and return once the outcome of each pulse in flight is booked."""
        self._resting = True
        await self._rested.wait()

    @property
    def _held(self) -> bool:
        return self._resting or self._conditions.meters_held

    def _settle(self, tx: Transaction) -> None:
        noted = self._journal.journal.pulses_noted
        hard_meters.settle_cut_pulses(tx, self._units, noted, power_was_on=self._conditions.power_was_on)
        meter_diagnostic.settle_cut(tx)

    def _ride(self, tx: Transaction) -> None:
        """End the previous batch and begin a new one within a transaction that owes pulses."""
        if self._ready is not None:
            self._exchange(tx, self._ready)

    def _exchange(self, tx: Transaction, ready: tuple[str, ...]) -> Batch | None:
        begun, ended = hard_meters.in_flight(tx), self._ended
        if begun is not None and ended is not None and begun.number == ended.batch.number:
            hard_meters.end_batch(tx, self._units, begun, ended.given)
        return hard_meters.begin_batch(tx, self._units, ready, self._most)

    async def _turn(self) -> None:
        """Give the batch in flight, or begin one if pulses are owed; otherwise wait a little."""
        resting = self._resting
        ready = () if self._held else tuple(name for name, meter in self._meters.items() if meter.ready)
        self._ready = None if self._held else ready
        ended, waited_s = self._ended, float("inf")
        if ended is not None and not self._held:
            waited_s = self._clock.now() - ended.at_s
        begun = await self._journal.do(lambda tx: self._next(tx, ready, waited_s))
        if begun is not None:
            self._ready = None
            await self._give(begun)
            return
        if resting:
            self._rested.set()
        with self._task_monitor.waiting(METERS_TASK):
            await self._clock.sleep(_LOOK_S)

    def _next(self, tx: Transaction, ready: tuple[str, ...], waited_s: float) -> _Begun | None:
        """Return the batch to give now; the end of the previous batch waits for another transaction if it can."""
        batch, ended = hard_meters.in_flight(tx), self._ended
        if batch is not None and (ended is None or batch.number != ended.batch.number):
            return _Begun(batch, rode=True)
        if batch is not None and ended is not None:
            rest = {name: ended.given.get(name, 0) * self._units[name] for name in batch.pulses}
            due = hard_meters.due(tx, self._units, ready, rest)
            if waited_s < (RIDE_S if not due else PLAY_S if ended.rode else 0.0):
                return None
        begun = self._exchange(tx, ready)
        return None if begun is None else _Begun(begun, rode=False)

    async def _give(self, it: _Begun) -> None:
        """Give a batch; write a note before each pulse and after the last one."""
        batch = it.batch
        given: dict[str, int] = {}
        left = dict(batch.pulses)
        while left and not self._held:
            with self._task_monitor.waiting(METERS_TASK):
                pass  # each pulse counts as a tick: a note of 100.00 takes longer than the patience
            begun = {name: given.get(name, 0) + (name in left) for name in batch.pulses}
            await self._journal.journal.note_pulses(Noted(batch.number, begun, given))
            for name in await self._pulsed(sorted(left)):
                given[name] = given.get(name, 0) + 1
                left[name] -= 1
            left = {name: count for name, count in left.items() if count and begun[name] == given.get(name, 0)}
        await self._journal.journal.note_pulses(Noted(batch.number, given, given))
        self._ended = _Ended(batch, given, self._clock.now(), it.rode)

    async def _pulsed(self, names: list[str]) -> list[str]:
        """Pulse each of these meters; return those that count as given, which are all except those without current."""
        ended = await asyncio.gather(*(self._meters[name].pulse() for name in names), return_exceptions=True)
        given = []
        for name, failure in zip(names, ended, strict=True):
            if isinstance(failure, NotPulsedError):
                continue
            if isinstance(failure, DriverError):
                reason = str(failure)
                await self._journal.do(lambda tx: hard_meters.doubt_pulse(tx, name, reason))  # noqa: B023 - awaited here
            elif failure is not None:
                raise failure
            given.append(name)
        return given
