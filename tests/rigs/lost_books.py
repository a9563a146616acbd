"""A machine that pays on tickets of its own, and loses its books: restored, rebuilt, or without their mark."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from controller.books.opening import opened_books
from controller.configuration.tickets import Tickets
from controller.features.copies import restoring
from controller.features.copies.backups import backup
from controller.features.copies.rebuilding import copy_to_rebuild_from, rebuild
from controller.journal import lost_tickets
from controller.journal.open_items import OpenItem
from controller.journal.store import Store
from controller.keys import identity
from tests.rigs.cleared_books import UNITS
from tests.rigs.machine import PlainHopper, PlainPrinter, Rig
from tests.rigs.virtual_cabinet import only

KEY, COPY = "journal.sqlite.key", "copy/second"
RULES = Tickets(pays="all", takes=True)


class LosingRig(Rig):
    """A machine that pays all on tickets of its own, on books with a key and a second copy."""

    def __init__(self, folder: Path, rules: Tickets = RULES, hopper: PlainHopper | None = None) -> None:
        (folder / "copy").mkdir()
        config = replace(only(folder, "neptune"), tickets=rules)
        super().__init__(folder, config=config, hopper=hopper, printer=PlainPrinter())
        self.folder = folder
        self.store = partial(_opened, folder)

    async def printed(self, cents: int = 500) -> str:
        """Put a note in and have it paid on a ticket; return its number."""
        assert self.printer is not None
        before = len(self.printer.tray)
        assert await self.note(cents)
        await self.press("collect")
        await self.until_true(lambda: len(self.printer.tray) > before and self.credit == 0)  # type: ignore[union-attr]
        await self.until_true(lambda: self.shown in ("attract", "lobby", "idle"))
        return self.printer.tray[-1].barcode

    @property
    def own(self) -> identity.Identity:
        """The cabinet's key."""
        found = identity.read_identity(self.folder / KEY)
        assert found is not None
        return found

    def backed_up(self) -> Path:
        """Back the books up while the cabinet runs."""
        return backup(self.path, self.folder, self.own, "", 0)

    async def lose(self) -> None:
        """End it, and lose the journal with all that SQLite has beside it."""
        await self.kill()
        for tail in ("", "-wal", "-shm", ".head"):
            self.path.with_name(self.path.name + tail).unlink(missing_ok=True)

    async def restored(self, copy: Path) -> None:
        """Lose the books, put a backup in their place, and start."""
        await self.lose()
        restoring.restore_lost(
            self.path, copy, self.own, "technician", lambda: 0, units=UNITS, own_tickets=self.config.tickets.own
        )
        (self.folder / COPY).unlink(missing_ok=True)
        await self.start(until=None)
        await self.up()

    async def copied_anew(self) -> None:
        """Turn the technician's key, which allows a new second copy where the one that the books had is missing."""
        await self.turn_key("technician")
        state = await self.journal.mend_second_copy()
        assert not state.missing
        if state.news is not None:
            await self.journal.do(state.news)

    async def rebuilt(self, copy: Path) -> None:
        """Lose the books, and make them again from the second copy; the backup is not used."""
        del copy
        await self.lose()
        record = copy_to_rebuild_from(self.folder / COPY, self.own)
        rebuild(self.path, record, self.own, "test", wall_ms=lambda: 0, own_tickets=True)
        await self.start(until=None)
        await self.up()

    async def without_mark(self, copy: Path) -> None:
        """Start without the file that names the newest row, after which rows may be missing."""
        del copy
        await self.kill()
        self.path.with_name(f"{self.path.name}.head").unlink()
        await self.start(until=None)
        await self.up()

    async def up(self) -> None:
        """Let time pass until notes are taken."""
        await self.until_true(lambda: self.shown in ("attract", "lobby", "idle"))

    async def refused(self, number: str) -> str:
        """Put a ticket in that comes back; return what the screen says."""
        assert not await self.ticket(number)
        (words,) = (
            notice.text for notice in self.screen.view.notices if notice.code == self.machine.play.ticket_refused
        )
        return words

    async def item(self) -> OpenItem:
        """The open item of the tickets."""
        found = await self.journal.do(lost_tickets.item)
        assert found is not None
        return found


def _opened(folder: Path, path: Path, wall_ms: Callable[[], int], *, simulated: bool) -> Store:
    return opened_books(path, folder / KEY, wall_ms, simulated=simulated, second_copy=folder / COPY)
