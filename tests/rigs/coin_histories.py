"""Whole cabinets that take coins, and what can happen to them in any order: coins, doors, deaths, power.

`taken_cents` is what lies in a cabinet by the device's own far end: no figure of the books is asked.
"""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from controller.errors import LockingError
from controller.journal.errors import JournalStorageError
from controller.journal.open_items import OpenItem, open_items
from controller.monitors.storage import DiskSpaceAgain
from tests.rigs.money_cabinets import MdbCabinet, PulseCabinet
from tests.rigs.virtual_cabinet import VirtualCabinet

COINS: Final = (50, 100, 200)
BUFFERED: Final = 4
"""A ccTalk acceptor holds five events: more would be lost with no power failing."""
WARM_S: Final = 8.0


class CoinDevice(Protocol):
    """The device of a slot, as a hand meets it."""

    def insert(self, value_cents: int) -> bool:
        """Put a coin in; return whether it was taken."""

    def power(self, *, on: bool) -> None:
        """Switch it on or off."""


class Slot(NamedTuple):
    """A cabinet and the device of its slot; `taken_cents` returns what has fallen into it.

    Where it keeps so many events alone that nobody reads, no more of them come: `buffered`.
    """

    cabinet: VirtualCabinet
    device: CoinDevice
    taken_cents: Callable[[], int]
    buffered: int = 0


def cctalk(folder: Path) -> Slot:
    """A cabinet with a ccTalk coin acceptor."""
    cabinet, fell = VirtualCabinet(folder), list[int]()
    cabinet.coins.accepted = fell.append
    return Slot(cabinet, cabinet.coins, lambda: sum(fell), BUFFERED)


def mdb(folder: Path) -> Slot:
    """A cabinet with an MDB coin changer."""
    cabinet = MdbCabinet(folder)
    at_first = cabinet.tubes_cents
    return Slot(cabinet, cabinet.changer, lambda: cabinet.tubes_cents + cabinet.coins_boxed_cents - at_first)


def pulses(folder: Path) -> Slot:
    """A cabinet whose coins come by pulses, with an `enable`."""
    cabinet = PulseCabinet(folder)
    return Slot(cabinet, cabinet.pulses["coin"], lambda: cabinet.boxed_cents)


SLOTS: Final = {"cctalk": cctalk, "mdb": mdb, "pulses": pulses}


class History:
    """Acts drawn by `chance` on one cabinet; `told` is what happened, for a failure's message.

    In half of the histories the computer never starts anew (`boots_anew`); in one of three more coins come than a
    device keeps (`overflowed`).
    """

    def __init__(self, slot: Slot, chance: random.Random) -> None:
        self.slot = slot
        self.told: list[str] = []
        self.power_failed = self.boots_anew = self.overflowed = False
        self.died = False
        self._chance = chance
        self._acts = [self.coins, self.coins, self.coins, self.wait, self.door, self.dies, self.device]
        if chance.random() < 0.5:
            self._acts += [self.mains, self.computer]
        self._may_overflow = chance.random() < 0.33
        self._unread = 0
        self._door_open = False

    async def run(self, acts: int) -> list[OpenItem]:
        """Let so many acts happen; return the open items once the cabinet has started and come to rest."""
        await self.slot.cabinet.start()
        await asyncio.sleep(WARM_S)
        for _ in range(acts):
            act = self._chance.choice(self._acts)
            self.told.append(act.__name__)
            await act()
        await self._begin()
        await asyncio.sleep(WARM_S)
        assert self.slot.cabinet.supervisor is not None
        items = await self.slot.cabinet.supervisor.journal.do(open_items)
        self.told.append(f"{self.slot.taken_cents()} taken, {self.slot.cabinet.credit} credited, {items}")
        return items

    async def coins(self) -> None:
        """A few coins, as fast as a hand puts them in."""
        for _ in range(self._chance.randint(1, 3)):
            if not self._reads and self.slot.buffered:
                if self._unread >= self.slot.buffered and not self._may_overflow:
                    return
                self._unread += 1
                self.overflowed |= self._unread > self.slot.buffered
            self.slot.device.insert(self._chance.choice(COINS))
            await asyncio.sleep(self._chance.choice((0.25, 0.6)))

    async def wait(self) -> None:
        """A while."""
        await asyncio.sleep(self._chance.choice((0.05, 0.5, 2.0, 4.0)))

    async def door(self) -> None:
        """A door is opened, by which coins are inhibited, or shut."""
        self._door_open = not self._door_open
        self.slot.cabinet.door("main", is_open=self._door_open)

    async def dies(self) -> None:
        """The program ends, in whichever way, or a dead one is started again."""
        cabinet = self.slot.cabinet
        if not self._reads:
            await self._begin()
            return
        way = self._chance.choice(("crash", "stop", "lock", "full"))
        self.told[-1] = way
        self.died = self.died or way != "stop"
        if way == "stop":
            await cabinet.stop()
            return
        if way == "crash":
            await cabinet.crash()
            return
        assert cabinet.supervisor is not None
        error = LockingError("it failed") if way == "lock" else JournalStorageError("no room", cabinet.folder)
        cabinet.supervisor.machine.journal.lock_up(error)
        await asyncio.sleep(self._chance.choice((0.0, 0.1, 2.0)))
        await self.coins()
        if way == "lock":
            await cabinet.crash()
            return
        left = await cabinet.ended()
        assert isinstance(left, BaseExceptionGroup)
        assert left.subgroup(DiskSpaceAgain) is not None
        await cabinet.start(was_full=True)
        await asyncio.sleep(WARM_S)
        self._unread = 0

    async def device(self) -> None:
        """The device's own supply fails for an instant."""
        self.power_failed = True
        self.slot.device.power(on=False)
        self.slot.device.power(on=True)

    async def mains(self) -> None:
        """The whole cabinet's power fails, with its program running or dead."""
        self.power_failed = self.died = self.boots_anew = True
        if self._reads:
            await self.slot.cabinet.crash()
        self.slot.cabinet.mains(on=False)
        await asyncio.sleep(0.5)
        self.slot.cabinet.mains(on=True)

    async def computer(self) -> None:
        """The computer's power alone fails: the device goes on taking what it took."""
        self.power_failed = self.died = self.boots_anew = True
        if self.slot.cabinet.running:
            await self.slot.cabinet.crash()
        self.slot.cabinet.boots_anew()

    @property
    def _reads(self) -> bool:
        cabinet = self.slot.cabinet
        return cabinet.running and cabinet.supervisor is not None and cabinet.supervisor.machine.journal.lock is None

    async def _begin(self) -> None:
        """Start the program, now and then after a start or two that do not come to their end."""
        if self.slot.cabinet.running:
            self.died = True
            await self.slot.cabinet.crash()
        for _ in range(self._chance.choice((0, 0, 1, 2))):
            self.died = True
            await self.slot.cabinet.start()
            await asyncio.sleep(self._chance.uniform(0.0, 3.0))
            await self.slot.cabinet.crash()
        await self.slot.cabinet.start()
        await asyncio.sleep(WARM_S)
        self._unread = 0
