"""Coin acceptor, hopper and ccTalk bill validator on one wire, with their drivers and books, for tests."""

import asyncio
import contextlib
from itertools import pairwise
from typing import Any

from drivers.cctalk.protocol import HOST, Header
from drivers.cctalk.wire import Wire
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.cctalk.party_line import PartyLine
from drivers.simulated.line import LineDevice
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.bill_rig import DeviceRig
from tests.rigs.cash_desk import Desk, Incident
from tests.rigs.coin_slot import Slot

COIN, HOPPER, BILLS = 2, 3, 40


class TappedLine(MemoryLine):
    """A device's line in its own rig, whose port is its driver's share of the common one."""

    def __init__(self, device: LineDevice, wire: Wire) -> None:
        super().__init__(device)
        self.port = wire.tap()  # type: ignore[assignment]  # a port all the same


class Listener:
    """A device on the wire that only hears: when the host asks whom for what."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, int, int]] = []

    def connect(self, line: Any) -> None:
        """Say nothing."""

    def receive(self, data: bytes) -> None:
        """Note a question of the host."""
        if len(data) > 4 and data[2] == HOST:
            self.asked.append((asyncio.get_running_loop().time(), data[0], data[3]))

    def power(self, *, on: bool) -> None:
        """Know no difference."""

    def polls(self, since: float = 0.0) -> list[float]:
        """When the coin acceptor was polled."""
        return [at for at, whom, what in self.asked if whom == COIN and what == Header.READ_CREDIT and at >= since]

    def longest_gap(self, since: float = 0.0) -> float:
        """The longest time between two polls of the coin acceptor."""
        polls = self.polls(since)
        return max(after - before for before, after in pairwise(polls))


class Party:
    """Three devices, one wire, three drivers that are restarted whenever they fall."""

    def __init__(self, *, echo: bool = False) -> None:
        self.slot = Slot()
        self.desk = Desk()
        self.bills: DeviceRig[SimulatedCctalkBills] = DeviceRig(
            "cctalk", lambda returned, stacked: SimulatedCctalkBills(returned=returned, stacked=stacked)
        )
        self.incident = Incident()
        self.ear = Listener()
        devices = (self.slot.device, self.desk.device, self.bills.device)
        self.line = MemoryLine(PartyLine([self.ear, *devices], echo=echo), self.incident, path="party")
        self.wire = Wire(self.line.port)
        self.slot.line = TappedLine(Quiet(), self.wire)
        self.desk.line = TappedLine(Quiet(), self.wire)
        self.bills.port = self.wire.tap()  # type: ignore[assignment]  # one that does not die
        self.slot.driver = self.slot.new_driver()
        self.desk.hopper = self.desk.new_driver()
        self._serving: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Power on, and drivers that have had time to start."""
        self.line.device.power(on=True)
        self._serving = [asyncio.create_task(self.slot.serve()), asyncio.create_task(self.desk.serve())]
        self.bills.run()
        await asyncio.sleep(8.0)

    async def end(self) -> None:
        """End the drivers in order."""
        await self.bills.kill()
        for task in self._serving:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


class Quiet:
    """Nothing at the end of a line."""

    def connect(self, line: Any) -> None:
        """Never answer."""

    def receive(self, data: bytes) -> None:
        """Hear nothing."""

    def power(self, *, on: bool) -> None:
        """Know no difference."""
