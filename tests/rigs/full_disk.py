"""A whole virtual cabinet whose disk becomes full at any step of its books, and gets its room back."""

import asyncio
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from controller.configuration.tickets import Tickets
from controller.journal.errors import JournalStorageError
from controller.monitors.storage import DiskSpaceAgain
from tests.rigs.power_cuts import Power
from tests.rigs.ticket_cabinet import TicketCabinet

RESTING = ("attract", "lobby", "idle", "handpay")
FULL_S = 6.0
"""How long the disk is full: the devices go on meanwhile."""
DEVICES_S = 10.0
"""Within this all devices are there after a start."""


class Room(Power):
    """Counts the steps as `Power` does; at the one chosen there is no room, and none until it comes back."""

    def __init__(self, disk: Path) -> None:
        super().__init__()
        self._disk = disk

    def cut(self) -> JournalStorageError:
        """Return what the books say of it."""
        return JournalStorageError("there is no room", self._disk)


class FullDiskCabinet(TicketCabinet):
    """A cabinet with a printer, whose disk becomes full at a chosen step; it `pays_tickets`, or coins."""

    def __init__(self, folder: Path, *, pays_tickets: bool) -> None:
        super().__init__(folder, "id003", Room(folder / "journal.sqlite"))
        if not pays_tickets:
            self.config = replace(self.config, tickets=Tickets(), ticket_printer=None)

    async def goes_on(self) -> bool:
        """Let some seconds pass; where the disk became full meanwhile, give it room and let the cabinet go on.

        Return whether it did.
        """
        await asyncio.sleep(FULL_S)
        was_full = self.power.is_off
        if was_full:
            left = await self.ended()
            assert isinstance(left, BaseExceptionGroup)
            assert left.subgroup(DiskSpaceAgain) is not None
            assert left.split(DiskSpaceAgain)[1] is None
        self.power.comes_back()
        if was_full:
            await self.start(was_full=True)
            await self.until(lambda: self.state in RESTING)
            await asyncio.sleep(DEVICES_S)
        return was_full

    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return what the books answer."""
        assert self.supervisor is not None
        return await self.supervisor.journal.do(lambda tx: tx.execute(query).fetchall())
