"""The disk of the venue's server is full: linked games stop, claims wait, and nothing is lost once there is room."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from controller.features.venue.postgres import PostgresVenue
from controller.features.venue.relayed import Address
from tests.rigs.linked_cabinet import LinkedCabinet
from tests.rigs.pool_contract import KEY
from tests.rigs.postgres import PostgresServer, VenueDatabase
from tests.rigs.small_disk import SmallDisk
from tests.rigs.threaded_venue import ThreadedVenue
from tests.rigs.venue_tally import differences

MONEY_CENTS = 10_000_000
NO_ROOM = "No space left on device"
CRASHING = {"fsync": "off", "synchronous_commit": "on"}
"""A server that may fall, on a machine that does not."""


@asynccontextmanager
async def linked_cabinet(database: VenueDatabase, folder: Path) -> AsyncIterator[LinkedCabinet]:
    """A cabinet that plays for the database's pool, on its card in `folder`/1."""
    database.add_pool(1, KEY.game, KEY.coin_value_cents)
    role = database.add_cabinet(1)
    address = Address(str(database.server.folder), database.server.port, database.name)
    line = ThreadedVenue(PostgresVenue(address, folder, {"user": role}))
    (folder / "1").mkdir()
    cabinet = LinkedCabinet(folder / "1", line)
    await cabinet.start()
    try:
        await cabinet.until(lambda: cabinet.may_play)
        yield cabinet
    finally:
        await cabinet.kill()
        line.stop()


async def play_until_closed(cabinet: LinkedCabinet, others: Callable[[], None] = lambda: None) -> str:
    """Win jackpot after jackpot until the linked game takes no more rounds; return what the link was told."""
    for _ in range(500):
        cabinet.bet(1_200, jackpot=True)
        others()
        await cabinet.until(lambda: cabinet.go_on() or not cabinet.may_play)
        if not cabinet.may_play:
            return cabinet.link.state.error
    raise AssertionError("the disk is not full")


async def go_on_with_room(cabinet: LinkedCabinet, database: VenueDatabase) -> None:
    """Once there is room, the round that waited is paid, others are played, and both sides have the same."""
    await cabinet.finish()
    await cabinet.until(lambda: cabinet.may_play)
    cabinet.bet(300, jackpot=True)
    await cabinet.finish()
    await cabinet.until(cabinet.is_drained)
    with database.connect() as venue:
        assert differences([cabinet.path.parent], venue, money_cents=MONEY_CENTS) == []


@pytest.mark.proof
async def test_no_room_for_rows(tmp_path: Path) -> None:
    """The server runs on and refuses: a claim waits with its round, also over a restart of the cabinet."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(closing(PostgresServer(CRASHING)))
        server.start()
        database = server.new_database()
        disk = stack.enter_context(SmallDisk(server.folder / "small", 64))
        rows = disk.folder / "rows"
        rows.mkdir()
        shutil.chown(rows, "postgres", "postgres")
        with psycopg.connect(server.dsn(), autocommit=True) as admin:
            admin.execute(sql.SQL("CREATE TABLESPACE small LOCATION {}").format(sql.Literal(str(rows))))
            admin.execute(sql.SQL("ALTER DATABASE {} SET TABLESPACE small").format(sql.Identifier(database.name)))
        cabinet = await stack.enter_async_context(linked_cabinet(database, tmp_path))
        disk.fill()
        assert NO_ROOM in await play_until_closed(cabinet)
        assert cabinet.link.closed(KEY) == "venue_unreached"
        paid = cabinet.paid_cents
        await cabinet.restart()
        for _ in range(120):
            assert not cabinet.go_on()
            assert not cabinet.may_play
            await asyncio.sleep(1)
        assert cabinet.paid_cents == paid
        disk.free()
        await go_on_with_room(cabinet, database)


@pytest.mark.proof
async def test_no_room_for_the_log(tmp_path: Path) -> None:
    """The server falls, and stays down until there is room: what it had answered is there, the rest comes then."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(closing(PostgresServer(CRASHING)))
        disk = stack.enter_context(SmallDisk(server.folder / "small", 256))
        disk.take(server.data / "pg_wal")
        server.start()
        database = server.new_database()
        cabinet = await stack.enter_async_context(linked_cabinet(database, tmp_path))
        disk.fill()

        def turn_the_log() -> None:
            """Go on in the log's next file, as if others had written too; the server may have fallen."""
            with suppress(psycopg.OperationalError), psycopg.connect(server.dsn(), autocommit=True) as admin:
                admin.execute("SELECT pg_switch_wal()")

        await play_until_closed(cabinet, turn_the_log)
        assert cabinet.link.closed(KEY) == "venue_unreached"
        assert NO_ROOM in server.log.read_text(encoding="utf-8")
        disk.free()
        server.start()
        await go_on_with_room(cabinet, database)
