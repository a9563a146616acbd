"""A locked cabinet's meters: readable with a key, each marked good or suspect, nothing written."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import pytest

from controller.journal.actor import KEYS, Role
from controller.journal.errors import CorruptJournalError, JournalStorageError
from controller.journal.money import coins_taken
from controller.journal.readings import read_meters
from controller.journal.transaction import Transaction
from controller.safe_mode import serve_locked_screen
from controller.service import tree
from controller.service.locked import IDLE_S, ON_THE_REELS, UNREADABLE, read_page
from controller.service.page import Line
from controller.settings.settings import change
from controller.system.notify import Notifier
from drivers.clock import LoopClock
from drivers.pins.header import PinHeader
from tests.bench.core_cabinet import PlainDisplay
from tests.rigs.books import opened
from tests.rigs.console import run
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand
from tests.rigs.spoiled_books import full
from tests.rigs.virtual_cabinet import PRESS_S, VirtualCabinet
from ui.protocol.messages import View
from ui.protocol.values import written

pytestmark = pytest.mark.requirement("C5")


def journal(folder: Path, harm: Callable[[sqlite3.Connection], object]) -> Path:
    """A journal with five coins of 2.00 in it, harmed behind the books' back."""
    with opened(folder) as store:
        store.transact(lambda tx: coins_taken(tx, 1, 1, (200,) * 5, 0))
    path = folder / "journal.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        harm(connection)
    return path


def test_unharmed_books_are_good(tmp_path: Path) -> None:
    """Both copies of every figure agree, and nothing is wrong."""
    readings = read_meters(journal(tmp_path, lambda _: None))
    assert readings.troubles == ()
    assert readings.meters["coins_in"] == (1000, 1000, 1000, False)
    assert readings.meters["credit"].shown == 1000
    assert not any(reading.suspect for reading in readings.meters.values())


def test_a_meter_that_its_rows_contradict_is_suspect_and_no_other(tmp_path: Path) -> None:
    """The figures of meter and ledger are both shown, and the equation."""
    readings = read_meters(journal(tmp_path, lambda books: books.execute("UPDATE meters SET value = 9000")))
    assert readings.meters["coins_in"] == (9000, 9000, 1000, True)
    assert not readings.meters["credit"].suspect
    assert readings.troubles == ("the credit meter shows 1000 cents, the other meters make it 9000",)


def test_after_a_broken_row_nothing_is_trusted(tmp_path: Path) -> None:
    """A chain that breaks proves no figure behind the break; the figures are still shown."""

    def forge(books: sqlite3.Connection) -> None:
        books.execute("DROP TRIGGER ledger_no_update")
        books.execute("UPDATE ledger SET credit_after = 100000 WHERE seq = 3")

    readings = read_meters(journal(tmp_path, forge))
    assert readings.meters["coins_in"] == (1000, 1000, 400, True)
    assert all(reading.suspect for reading in readings.meters.values())
    assert readings.troubles == ("ledger row 3 says credit 100000, the rows before it make it otherwise",)


def test_a_copy_that_is_gone_costs_the_other_nothing(tmp_path: Path) -> None:
    """Without the meters' table the ledger's figures are shown, and the reverse."""
    readings = read_meters(journal(tmp_path, lambda books: books.execute("DROP TABLE meters")))
    assert readings.meters["coins_in"] == (None, None, 1000, True)
    other = tmp_path / "other"
    other.mkdir()
    readings = read_meters(journal(other, lambda books: books.execute("ALTER TABLE ledger RENAME TO gone")))
    assert readings.meters["coins_in"] == (1000, 1000, None, True)


@pytest.mark.parametrize("content", [None, b"", b"no journal at all" * 500])
def test_what_is_no_journal_has_no_meters(tmp_path: Path, content: bytes | None) -> None:
    """Missing, empty or nonsense: said so, and nothing is made in its place."""
    path = tmp_path / "journal.sqlite"
    if content is not None:
        path.write_bytes(content)
    readings = read_meters(path)
    assert readings.meters == {}
    assert readings.troubles
    assert (path.read_bytes() if path.exists() else None) == content


async def test_a_key_opens_the_meters_of_a_cabinet_that_has_locked_itself(tmp_path: Path) -> None:
    """A disk that fails in play: the figures can be read, no money is taken, no row is written."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        rows = await rig.rows("SELECT max(seq) FROM ledger")
        with pytest.raises(JournalStorageError):
            await rig.machine.journal.do(full)
        assert rig.shown == "locked"
        rig.machine.keys.take(Role.TECHNICIAN, turned=True)
        await rig.until("service_menu")
        page = rig.screen.view.pages.service
        assert page is not None
        codes = ["M.1", "M.2", "M.3", "M.5", "M.6", "H.1", "H.2", "H.3", "H.4", "H.5", "H.6", "H.8"]
        assert sorted(row.code for row in page.rows if row.leads) == sorted(codes)
        assert (rig.front.coins, rig.front.notes) == (False, frozenset())
        await rig.press("spin")
        page = rig.screen.view.pages.service
        assert page is not None
        shown = {row.label: (row.cents, row.value) for row in page.rows}
        assert shown["Notes in"] == (2000, "good")
        await rig.press("collect")
        await rig.press("bet")
        await rig.press("service:row:1")
        page = rig.screen.view.pages.service
        assert page is not None
        assert page.code == "M.2"
        await asyncio.sleep(IDLE_S + 1)
        assert rig.shown == "locked"
        rig.machine.keys.take(Role.TECHNICIAN, turned=False)
        rig.machine.keys.take(Role.TECHNICIAN, turned=True)
        await rig.until("service_menu")
        rig.machine.keys.take(Role.TECHNICIAN, turned=False)
        assert (rig.shown, rig.screen.view.pages.service) == ("locked", None)
        with closing(sqlite3.connect(f"file:{rig.path}?mode=ro", uri=True)) as books:
            assert books.execute("SELECT max(seq) FROM ledger").fetchall() == rows


@pytest.mark.requirement("L1")
@pytest.mark.parametrize("who", KEYS)
async def test_a_dispute_is_settled_while_the_machine_is_locked(tmp_path: Path, who: Role) -> None:
    """Every page of the books opens with either key, down to a round's draws; nothing is written."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("idle")
        ((stake, win),) = await rig.rows("SELECT stake_cents, win_cents FROM rounds")
        rows = await rig.rows("SELECT max(seq) FROM ledger")
        with pytest.raises(JournalStorageError):
            await rig.machine.journal.do(full)
        hand = Hand(rig)
        await hand.turn(who)
        for code in [row.code for row in hand.page.rows if row.leads]:
            await hand.enter(code)
            await rig.until_true(lambda code=code: hand.page.code == code)  # type: ignore[misc]
            assert not any(row.label == UNREADABLE for row in hand.page.rows), code
            await rig.press("collect")
        await hand.enter("H.1")
        await rig.until_true(lambda: hand.page.code == "H.1")
        await hand.enter("H.1.1")
        await rig.until_true(lambda: hand.page.code == "H.1.1")
        shown = {row.label: row for row in hand.page.rows}
        assert (shown["Stake"].cents, shown["Round"].cents) == (stake, win)
        assert "Draw" in shown
        assert ON_THE_REELS in shown
        assert not any(row.leads for row in hand.page.rows)
        await hand.turn(who, on=False)
        assert rig.shown == "locked"
        with closing(sqlite3.connect(f"file:{rig.path}?mode=ro", uri=True)) as books:
            assert books.execute("SELECT max(seq) FROM ledger").fetchall() == rows


def test_pages_of_damaged_books_say_so_and_nothing_breaks(tmp_path: Path) -> None:
    """A table that is gone, or nonsense in one, costs its own page: it says what is wrong."""
    pages = [page for page in tree.pages().values() if page.books is not None]
    path = journal(tmp_path, lambda books: books.executescript("DROP TABLE events; DROP TABLE payouts;"))
    for page in pages:
        assert page.books is not None
        lines = read_page(path, page.books)
        assert (lines[0].label == UNREADABLE) is (page.code in ("H.2", "H.4", "H.6")), page.code
        assert len(lines) > 1 or lines[0].label != UNREADABLE
    assert read_page(tmp_path / "none.sqlite", lambda _tx: [])[0].label == UNREADABLE
    nonsense = read_page(path, lambda tx: [Line(str(int("nonsense") + tx.credit_cents))])
    assert nonsense[0].label == UNREADABLE


async def test_suspect_meters_are_marked(tmp_path: Path) -> None:
    """A self-audit that failed: the meter that its rows contradict is marked, with the ledger's figure below it."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)

        def forge(tx: Transaction) -> None:
            tx.execute("UPDATE meters SET value = 9000 WHERE name = 'notes_in'")

        await rig.journal.do(forge)
        await rig.press("spin")
        assert rig.shown == "locked"
        rig.machine.keys.take(Role.ATTENDANT, turned=True)
        await rig.until("service_menu")
        await rig.press("spin")
        page = rig.screen.view.pages.service
        assert page is not None
        at = next(number for number, row in enumerate(page.rows) if row.label == "Notes in")
        shown = [(row.label, row.cents, row.value, row.tone) for row in page.rows[at : at + 2]]
        assert shown == [("Notes in", 9000, "suspect", "bad"), ("By the ledger", 2000, "suspect", "bad")]
        assert [row.value for row in page.rows if row.label == "Coin in (stakes)"] in ([], ["good"])


@asynccontextmanager
async def locked_from_the_start(cabinet: VirtualCabinet) -> AsyncIterator[PlainDisplay]:
    """Serve the screen of a cabinet whose books cannot be opened; the display that shows it."""
    cabinet.factory.reset()
    error = CorruptJournalError("journal.sqlite is damaged: restore it")
    serving = serve_locked_screen(
        cabinet.config,
        error,
        Notifier(),
        LoopClock(),
        lambda path, _parity, _stop_bits: cabinet.lines[path].port,
        header=lambda: PinHeader(lambda: cabinet.factory),
    )
    display = PlainDisplay(cabinet.config.cabinet.display_socket, 0.0)
    tasks = [asyncio.create_task(serving), asyncio.create_task(display.run())]
    try:
        await display.until(lambda view: view.state == "locked")
        yield display
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def test_a_cabinet_that_is_locked_from_the_start_shows_its_meters_too(tmp_path: Path) -> None:
    """The key switch and the panel's buttons are read, no output is opened; the console reads the same pages."""
    cabinet = VirtualCabinet(tmp_path)
    await cabinet.start()
    await asyncio.sleep(8.0)
    await cabinet.insert_note(500)
    await cabinet.kill()
    async with locked_from_the_start(cabinet) as display:
        console = cabinet.config.cabinet.console_socket
        shown = await asyncio.to_thread(lambda: run(console, "M.1"))
        assert shown.exit_code == 5
        assert "journal.sqlite is damaged" in shown.output
        await asyncio.sleep(1.0)
        key = cabinet.factory.pin(cabinet.config.pins.keys["technician"].pin)
        key.drive_low()
        await display.until(lambda view: view.state == "service_menu")
        await cabinet.tap("spin")
        view = await display.until(lambda view: view.pages.service is not None and view.pages.service.code == "M.1")
        assert view.pages.service is not None
        assert {row.label: row.cents for row in view.pages.service.rows}["Notes in"] == 500
        shown = await asyncio.to_thread(lambda: run(console, "M.2"))
        assert (shown.exit_code, "LOCKED" in shown.output) == (0, True)
        key.drive_high()
        await asyncio.sleep(PRESS_S)
        await display.until(lambda view: view.state == "locked")


@pytest.mark.parametrize(
    ("are_lost", "language", "amount", "dates"),
    [(False, "de", "1.234,50 €", "dd.mm.yyyy"), (True, "en", "1,234.50 €", "yyyy-mm-dd")],
)
async def test_a_cabinet_that_is_locked_from_the_start_keeps_its_language(
    tmp_path: Path, language: str, amount: str, dates: str, *, are_lost: bool
) -> None:
    """That of the books, chosen at the set-up, as far as they can be read; else the file's."""
    cabinet = VirtualCabinet(tmp_path)
    supervisor = await cabinet.start()
    await supervisor.journal.do(lambda tx: change(tx, cabinet.config, {"cabinet.language": "de"}, "technician"))
    await cabinet.kill()
    if are_lost:
        await asyncio.to_thread(Path(cabinet.config.cabinet.journal).write_bytes, b"no books")
    async with locked_from_the_start(cabinet) as display:
        locale = (await display.until(lambda view: view.state == "locked")).locale
        assert (locale.language, written(123_450, locale.money), locale.dates) == (language, amount, dates)


def ringing(view: View) -> set[str]:
    """The places whose alarms sound."""
    return {notice.place for notice in view.notices if notice.alarm and not notice.silenced}


def open_doors(view: View) -> set[str]:
    """The places of the doors that the screen says are open."""
    return {notice.place for notice in view.notices if notice.code == "door_open"}


@pytest.mark.requirement("D2")
async def test_a_door_of_a_cabinet_that_is_locked_from_the_start_sounds_its_alarm(tmp_path: Path) -> None:
    """Until it is shut or a key is turned, as on any other cabinet; the reason of the lock stays first."""
    cabinet = VirtualCabinet(tmp_path)
    cabinet.door("cash_box", is_open=True)
    async with locked_from_the_start(cabinet) as display:
        view = await display.until(lambda view: ringing(view) == {"cash-box door"})
        assert "journal.sqlite is damaged" in view.notices[0].text
        cabinet.door("cash_box", is_open=False)
        await display.until(lambda view: not open_doors(view))
        cabinet.door("main", is_open=True)
        await display.until(lambda view: ringing(view) == {"main door"})
        key = cabinet.factory.pin(cabinet.config.pins.keys["technician"].pin)
        key.drive_low()
        await display.until(lambda view: view.state == "service_menu" and open_doors(view) > ringing(view) == set())
        key.drive_high()
        view = await display.until(lambda view: view.state == "locked")
        assert (open_doors(view), ringing(view)) == ({"main door"}, set())
        cabinet.door("logic", is_open=True)
        view = await display.until(lambda view: ringing(view) == {"logic door"})
        assert open_doors(view) == {"main door", "logic door"}
