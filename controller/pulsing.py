"""Gives the hard meters the pulses that the journal owes them: one at a time each, all meters together."""

import asyncio
from collections.abc import Mapping

from controller.journal import hard_meters
from controller.machine import Machine
from drivers.errors import DriverError
from drivers.hard_meter import HardMeter
from drivers.wiring import METERS

_LOOK_S = 0.25


class Pulsing:
    """The hard meters' task. `unit_cents` is what one pulse means; on the games meter it is one game."""

    def __init__(self, machine: Machine, meters: Mapping[str, HardMeter], unit_cents: int) -> None:
        self._machine = machine
        self._meters = meters
        self._units = {name: 1 if name == "games" else unit_cents for name in METERS}

    async def run(self) -> None:
        """Settle the pulses that a power cut interrupted, then give what is owed until cancelled."""
        await self._machine.do(lambda tx: hard_meters.settle_cut_pulses(tx, self._units))
        while True:
            await self._give()

    async def _give(self) -> None:
        machine = self._machine
        ready = [name for name, meter in self._meters.items() if meter.ready]
        due = await machine.do(lambda tx: hard_meters.next_pulses(tx, self._units, ready))
        if not due:
            await machine.clock.sleep(_LOOK_S)
            return
        given = await asyncio.gather(*(self._meters[name].pulse() for name in sorted(due)), return_exceptions=True)
        failures = [failure for failure in given if failure is not None]
        for failure in failures:
            if not isinstance(failure, DriverError):
                raise failure
        if failures:
            await machine.do(lambda tx: hard_meters.settle_cut_pulses(tx, self._units))
