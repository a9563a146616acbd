"""Gives the hard meters the pulses that the journal owes them: one at a time each, all meters together."""

import asyncio
from collections.abc import Mapping

from controller.computer.vigil import METERS as METERS_TASK
from controller.journal import hard_meters
from controller.journal.meter_tests import settle_cut_test_pulse
from controller.journal.transaction import Transaction
from controller.machine.machine import Machine
from drivers.errors import DriverError, NotPulsedError
from drivers.hard_meter import HardMeter
from drivers.wiring import METERS

_LOOK_S = 0.25


class Pulsing:
    """The hard meters' task. `unit_cents` is what one pulse means; on the games meter it is one game.

    While `machine.meters_held` no meter is given anything: pulses stay owed, those in flight are finished (M11).
    """

    def __init__(self, machine: Machine, meters: Mapping[str, HardMeter], unit_cents: int) -> None:
        self._machine = machine
        self._meters = meters
        self._units = {name: 1 if name == "games" else unit_cents for name in METERS}
        self._resting = False
        self._rested = asyncio.Event()
        self._rested.set()

    async def run(self) -> None:
        """Settle the pulses that a power cut interrupted, then give what is owed until cancelled."""
        self._rested.clear()
        try:
            await self._machine.do(self._settle)
            while True:
                await self._give()
        finally:
            self._rested.set()

    async def rest(self) -> None:
        """Begin no further pulse, and return once the books know how each one in flight has ended."""
        self._resting = True
        await self._rested.wait()

    def _settle(self, tx: Transaction) -> None:
        hard_meters.settle_cut_pulses(tx, self._units)
        settle_cut_test_pulse(tx)

    async def _give(self) -> None:
        machine, resting = self._machine, self._resting
        held = resting or machine.meters_held
        ready = [] if held else [name for name, meter in self._meters.items() if meter.ready]
        due = sorted(await machine.do(lambda tx: hard_meters.next_pulses(tx, self._units, ready)))
        if not due:
            if resting:
                self._rested.set()
            with machine.vigil.waiting(METERS_TASK):
                await machine.clock.sleep(_LOOK_S)
            return
        with machine.vigil.waiting(METERS_TASK):
            pass  # each round of pulses is a tick: what a note of 100.00 is owed takes longer than the patience
        given = await asyncio.gather(*(self._meters[name].pulse() for name in due), return_exceptions=True)
        owed: list[str] = []
        doubtful: dict[str, str] = {}
        for name, failure in zip(due, given, strict=True):
            if isinstance(failure, NotPulsedError):
                owed.append(name)
            elif isinstance(failure, DriverError):
                doubtful[name] = str(failure)
            elif failure is not None:
                raise failure
        if owed:
            await machine.do(lambda tx: hard_meters.take_back_pulses(tx, owed))
        if doubtful:
            await machine.do(lambda tx: hard_meters.settle_doubtful_pulses(tx, self._units, doubtful))
