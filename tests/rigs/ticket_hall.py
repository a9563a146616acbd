"""Cabinets of one venue that print tickets and take each other's, and the cashier's desk that pays them."""

import copy
import shutil
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Protocol

import psycopg
from msgspec.structs import replace

from controller.configuration.tickets import Tickets, tickets_of
from controller.features.venue.calls import Venue
from controller.features.venue.keeper import VenueKeeper
from controller.features.venue.membership import accept
from controller.machine.view import MachineParts
from drivers.clock import LoopClock
from tests.rigs.linked_rig import venue_of
from tests.rigs.machine import PlainPrinter, Rig
from tests.rigs.model_venue import Cabinet, Wire
from tests.rigs.postgres import VenueDatabase
from tests.rigs.threaded_venue import ThreadedVenue, line_to
from tests.rigs.venue_snapshot import Snapshot
from tests.rigs.virtual_cabinet import only

Fate = Callable[[str], str]


class House(Protocol):
    """The venue's server and its cashier's desk; its clock began at `wall_ms`."""

    wall_ms: int

    def line(self, me: int, folder: Path, fate: Fate) -> Venue:
        """Return a cabinet's connection."""

    def pay(self, number: str, cents: int, key: str) -> str:
        """Pay a ticket in cash; return `paid`, or why not."""

    def back_up(self) -> object:
        """Return a copy of the venue."""

    def restore(self, backup: Any) -> None:
        """Go on with a copy; it recovers."""

    def enter_paid(self, number: str, cents: int) -> None:
        """Enter a ticket that the desk has paid since the copy."""

    def enter(self, number: str, cents: int) -> None:
        """Enter, by two people, a ticket that is in nobody's books."""

    def open(self) -> bool:
        """End the recovery once every cabinet has reported; return whether they have."""

    def trouble(self) -> list[tuple[str, str]]:
        """Return what a person must look into: its kind and the ticket."""


class ModelHouse:
    """A venue in memory."""

    wall_ms = 0

    def __init__(self, cabinets: int) -> None:
        self.venue = venue_of()
        self.venue.cabinets = {me: Cabinet() for me in range(1, cabinets + 1)}
        self._keys: dict[str, str] = {}

    def line(self, me: int, folder: Path, fate: Fate) -> Venue:
        del folder
        return Wire(self.venue, me, fate)

    def pay(self, number: str, cents: int, key: str) -> str:
        del cents
        if self._keys.get(key) == number:
            return "paid"
        answer = self.venue.ticket_books.pay(number)
        if answer == "paid":
            self._keys[key] = number
        return answer

    def back_up(self) -> object:
        return self.venue.back_up(), copy.copy(self._keys)

    def restore(self, backup: Any) -> None:
        self.venue.restore(backup[0])
        self._keys = copy.copy(backup[1])

    def enter_paid(self, number: str, cents: int) -> None:
        self.venue.ticket_books.enter_paid(number, cents)

    def enter(self, number: str, cents: int) -> None:
        self.venue.ticket_books.enter(number, cents)

    def open(self) -> bool:
        if not all(cabinet.reported for cabinet in self.venue.cabinets.values()):
            return False
        self.venue.open()
        return True

    def trouble(self) -> list[tuple[str, str]]:
        return self.venue.ticket_books.trouble


class RealHouse:
    """A venue in PostgreSQL."""

    def __init__(self, database: VenueDatabase, cabinets: int, empty: Snapshot | None = None) -> None:
        self.wall_ms = int(time.time() * 1000)
        self.database = database
        self.admin = database.connect()
        if empty is not None:
            empty.restore(self.admin)
        self.page = database.connect("venue_page")
        if empty is None:
            for me in range(1, cabinets + 1):
                database.add_cabinet(me)
        self._lines: list[ThreadedVenue] = []

    def close(self) -> None:
        """End every connection."""
        for line in self._lines:
            line.stop()
        self.page.close()
        self.admin.close()

    def line(self, me: int, folder: Path, fate: Fate) -> Venue:
        line = line_to(self.database, me, folder)
        line.fate = fate
        self._lines.append(line)
        return line  # type: ignore[return-value] - it has every call, by name

    def pay(self, number: str, cents: int, key: str) -> str:
        row = self.page.execute(
            "SELECT answer FROM venue.pay_ticket(%s, %s, %s, 'anna')", (number, cents, key)
        ).fetchone()
        assert row is not None
        return str(row[0])

    def back_up(self) -> object:
        return Snapshot.of(self.admin)

    def restore(self, backup: Any) -> None:
        backup.restore(self.admin)
        self.page.execute("SELECT venue.begin_recovery('restored', 'anna')")

    def enter_paid(self, number: str, cents: int) -> None:
        if (
            self.admin.execute("SELECT FROM venue.ticket WHERE number = %s AND state = 'paid'", (number,)).fetchone()
            is None
        ):
            self.page.execute("SELECT venue.enter_paid_ticket(%s, %s, 'the paper is here', 'anna')", (number, cents))

    def enter(self, number: str, cents: int) -> None:
        with self.page.transaction():
            proposed = self.page.execute(
                "SELECT venue.propose_ticket_act('enter', %s, %s, 'the paper is here', 'anna')", (number, cents)
            ).fetchone()
            assert proposed is not None
            self.page.execute("SELECT venue.decide_ticket_act(%s, true, 'bea')", proposed)

    def open(self) -> bool:
        if self.admin.execute("SELECT FROM venue.not_reported").fetchone() is not None:
            return False
        self.page.execute("SELECT venue.open_pools(true, 'anna')")
        return True

    def trouble(self) -> list[tuple[str, str]]:
        rows = self.admin.execute("SELECT kind, number FROM venue.ticket_trouble ORDER BY trouble").fetchall()
        return [(str(kind), str(number)) for kind, number in rows]


def empty_of(database: VenueDatabase, cabinets: int) -> Snapshot:
    """Enrol so many cabinets in a fresh database, and return its copy."""
    for me in range(1, cabinets + 1):
        database.add_cabinet(me)
    with database.connect() as admin:
        return Snapshot.of(admin)


class TicketRig(Rig):
    """A cabinet whose tickets the venue validates; `away` cuts its line, `fates` are those of the next ticket calls.

    The line is cut too with the first call `cut_from`. A technician accepts books that the venue contradicts. From the
    next start on the cabinet's own list validates where `validated` is false.
    """

    def __init__(self, folder: Path, house: House, me: int, **rules: object) -> None:
        folder.mkdir(exist_ok=True)
        wanted = {"pays": "all", "takes": True, "least_cents": 150, "validated_by": "venue", **rules}
        config = replace(only(folder, "neptune"), tickets=Tickets(**wanted))  # type: ignore[arg-type]
        self.paper = PlainPrinter()
        super().__init__(folder, config=config, printer=self.paper)
        self.me = me
        self.folder = folder
        self.wall_ms = house.wall_ms
        self.away = False
        self.fates: list[str] = []
        self.cut_from = ""
        self.validated = True
        self.line = house.line(me, folder, self._fate)
        self.keeper: VenueKeeper | None = None
        self.keeper_of = self._keeper

    def _fate(self, call: str) -> str:
        if self.away or call == self.cut_from:
            self.away = True
            return "cut"
        return self.fates.pop(0) if call in ("tickets", "ticket_claim") and self.fates else "ok"

    def _keeper(self, parts: MachineParts) -> VenueKeeper:
        self.keeper = VenueKeeper(
            parts,
            self.line,
            LoopClock(),
            site=self.config.cabinet,
            identity=lambda: f"{self.me:02x}" * 32,
            jitter=lambda: 0.5,
            tickets=self.machine.tickets if self.validated else None,
        )
        return self.keeper

    def fit(self) -> Sequence[Coroutine[object, object, None]]:
        self.service.machine.venue = self.keeper
        return (self._accept(),)

    async def _accept(self) -> None:
        while True:
            await self.machine.clock.sleep(5.0)
            if self.contradicted:
                assert self.keeper is not None
                await self.journal.do(lambda tx: accept(tx, "technician", tickets_of(self.config)))
                self.keeper.link.try_now()

    async def keep_card(self, copy: Path) -> None:
        """Copy the cabinet's card while it is off."""
        await self.kill()
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder, copy, ignore=shutil.ignore_patterns("*.lock"))
        await self.start(until=None)

    async def put_back(self, card: Path) -> None:
        """Start the cabinet on an older copy of its card."""
        await self.kill()
        shutil.rmtree(self.folder)
        shutil.copytree(card, self.folder)
        await self.start(until=None)

    @property
    def linked(self) -> bool:
        """Whether the venue has answered a moment ago."""
        return self.keeper is not None and self.keeper.tickets is not None and self.keeper.tickets.linked

    @property
    def contradicted(self) -> bool:
        """Whether the cabinet stands still as the venue has seen other books than its own."""
        return self.keeper is not None and self.keeper.link.state.trouble.of_the_books

    async def until_linked(self) -> None:
        """Let time pass until the venue answers, and has all that this cabinet has for it."""
        self.away, self.cut_from = False, ""
        await self.until_true(lambda: self.linked, 120.0)
        for _ in range(200):
            (unsent,) = (
                await self.rows(
                    "SELECT (SELECT count(*) FROM venue_tickets WHERE state <> 'known')"
                    " + (SELECT count(*) FROM venue_ticket_claims WHERE sent = 0 AND state NOT IN ('asked', 'held'))"
                )
            )[0]
            if not unsent:
                return
            await self.until_true(lambda: self.linked, 120.0)
            await self.machine.clock.sleep(0.5)
        raise AssertionError("the venue does not get what this cabinet has for it")

    async def printed(self, cents: int) -> str:
        """Put notes in and have them paid on a ticket; return its number."""
        while self.credit < cents:
            assert await self.note(500)
        before = len(self.paper.tray)
        await self.press("collect")
        await self.until_true(lambda: len(self.paper.tray) > before and self.credit == 0)
        await self.until_true(lambda: self.shown in ("attract", "lobby", "idle"))
        return self.paper.tray[-1].barcode

    def refusals(self) -> list[str]:
        """Why tickets were refused at this moment, as the screen says it."""
        return [self.machine.play.ticket_refused] if self.machine.play.ticket_refused else []


def desk_key() -> str:
    """Return the key of a fresh form at the cashier's desk."""
    return uuid.uuid4().hex


def errors_of(connection: psycopg.Connection, statement: str, *parameters: object) -> str:
    """Return the SQLSTATE that a statement is refused with, empty where it is done."""
    try:
        connection.execute(statement.encode(), parameters)
    except psycopg.Error as error:
        return error.sqlstate or "?"
    return ""
