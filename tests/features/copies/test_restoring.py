"""Backups of the books, and their restore: proved, this cabinet's own, and never a way back (U.6)."""

import asyncio
import errno
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.books.audit import audit
from controller.books.opening import opened_books
from controller.books.rotation import finish, no_step, sealed_files
from controller.cli import main
from controller.features.copies import restoring
from controller.features.copies.backups import JOURNAL, backup, backups
from controller.features.copies.page import meter_units
from controller.hardware import hopper_books
from controller.journal import hoppers, lost_tickets, money, stored_money
from controller.journal.actor import Role
from controller.journal.diagnostics import coin_diagnostic
from controller.journal.errors import RefusedError
from controller.journal.faults import active_faults
from controller.journal.hard_meters import hard_meters
from controller.journal.money import coin_counter, coins_taken
from controller.journal.periods import lifetime
from controller.journal.refills import refill_hopper
from controller.journal.store import read_only
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.media.signed_folder import verify_folder
from controller.media.sticks import sticks
from controller.system.host import Departure
from drivers.capabilities import CoinReport, CoinWay, StockCount
from drivers.ssp.stock import LIFETIME_SPAN
from tests.rigs.books import CUT, give_pulses
from tests.rigs.cleared_books import UNITS, opened, paid_by_hand, played
from tests.rigs.cleared_books import cleared as clear_books
from tests.rigs.machine import Rig
from tests.rigs.other_computers import visited
from tests.rigs.paths import ROOT, SAMPLE
from tests.rigs.people import NAME, PIN, set_up_person
from tests.rigs.restored_books import copied, decided, lost, with_tickets
from tests.rigs.service_menu import Hand, cleared, technician, technician_back

pytestmark = pytest.mark.sampled(2)

RESTORE = "Restore {place}"


async def pulsed(rig: Rig) -> None:
    """Give the hard meters all that they are owed."""
    units = meter_units(rig.service.machine)
    while await rig.journal.do(lambda tx: give_pulses(tx, units)):
        pass


async def backed_up(rig: Rig, hand: Hand, folder: Path) -> Path:
    """Have notes played for and paid, and back the books up onto the stick; the technician is in the menu again."""
    await hand.turn(Role.TECHNICIAN, on=False)
    await rig.door(is_open=False)
    await rig.game(2000)
    await rig.press("spin")
    await rig.until("idle")
    await rig.press("collect", 1.0)
    await rig.until("handpay")
    await rig.turn_key("attendant")
    await rig.until_true(lambda: rig.credit == 0 and rig.shown != "handpay")
    await pulsed(rig)
    stick = folder / "sticks" / "BLUE"
    stick.mkdir(parents=True)
    await technician_back(rig, hand)
    await hand.go("U.6")
    await hand.enter("Back up onto the stick")
    assert await hand.result() == "It is written and proved; the stick may be pulled out"
    await out(rig)
    return backups(stick)[0]


async def out(rig: Rig) -> None:
    """Leave a page for the whole menu."""
    for _ in range(2):
        await rig.press("collect")


async def restore(rig: Rig, hand: Hand) -> None:
    """Order a restore before the open logic door, confirmed twice."""
    await rig.door(is_open=True, name="logic")
    await hand.go("U.6")
    await hand.enter(RESTORE)
    for _ in range(2):
        assert hand.page.question == "Replace the books of this machine by this backup?"
        await rig.press("lines")
        await rig.press("spin")


async def test_a_backup_is_restored_into_a_cleared_cabinet(tmp_path: Path) -> None:
    """U.6: meters, rounds and PIN are back as they were, the books say so, and they are proved from their first row.

    What other computers have added to the backup and to the stick changes nothing.
    """
    async with technician(tmp_path) as (rig, hand):
        copy = await backed_up(rig, hand, tmp_path)
        visited(copy)
        visited(copy.parent)
        assert audit(copy / JOURNAL, lambda *_: None).failures == []
        before = await rig.rows("SELECT name, value FROM meters WHERE name IN ('stakes', 'hand_pay', 'notes_in')")
        await cleared(rig, hand)
        assert await rig.meter("stakes") == 0
        await restore(rig, hand)
        await rig.until_true(lambda: rig.host.departures == [Departure.RESTART])
        await rig.kill()
        assert finish(rig.path)
        await rig.start(until="tilted")  # the door was open when the backup was made
        after = await rig.rows("SELECT name, value FROM meters WHERE name IN ('stakes', 'hand_pay', 'notes_in')")
        assert after == before
        (text,) = await rig.events("restored")
        assert text.endswith("was restored by the technician")
        assert len(sealed_files(rig.path)) == 2
        for path in (rig.path, *sealed_files(rig.path)):
            assert audit(path, lambda *_: None).failures == []


async def test_books_in_use_are_not_restored_over(tmp_path: Path) -> None:
    """Only a cleared cabinet takes a backup, and only one that has counted nothing since."""
    async with technician(tmp_path) as (rig, hand):
        await backed_up(rig, hand, tmp_path)
        await restore(rig, hand)
        assert await hand.result() == "Only a cleared machine takes a backup: clear it first (U.8)"
        await out(rig)
        await cleared(rig, hand)
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.door(is_open=False)
        await rig.game(500)
        await technician_back(rig, hand)
        await restore(rig, hand)
        assert await hand.result() == "Money was counted since the full clear: a backup would undo it"
        assert (rig.credit, rig.host.departures) == (500, [])


async def test_an_older_backup_rolls_nothing_back(tmp_path: Path) -> None:
    """What was counted between the backup and the clear would be lost: refused, and nothing has changed."""
    async with technician(tmp_path) as (rig, hand):
        await backed_up(rig, hand, tmp_path)
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.door(is_open=False)
        await rig.game(500)
        await rig.press("collect", 1.0)
        await rig.until("handpay")
        await rig.turn_key("attendant")
        await rig.until_true(lambda: rig.credit == 0 and rig.shown != "handpay")
        await pulsed(rig)
        await technician_back(rig, hand)
        await cleared(rig, hand)
        await restore(rig, hand)
        assert await hand.result() == "This backup is older than what the machine has counted since"
        assert not rig.path.with_name("journal.sqlite.new").exists()
        assert rig.host.departures == []


async def test_a_backup_that_was_changed_or_is_anothers_is_refused(tmp_path: Path) -> None:
    """Identity and signature are proved before anything is touched."""
    async with technician(tmp_path) as (rig, hand):
        copy = await backed_up(rig, hand, tmp_path)
        await cleared(rig, hand)
        with (copy / JOURNAL).open("ab") as file:
            file.write(b"more")
        await restore(rig, hand)
        words = "This is not a whole backup of this machine: {place} is missing or was changed, copy it again"
        assert await hand.result() == words
        await out(rig)
        foreign = identity.make_identity(tmp_path / "foreign.key")
        shutil.rmtree(copy)
        await asyncio.to_thread(backup, rig.path, copy.parent, foreign, "", 0)
        await restore(rig, hand)
        assert await hand.result() == "This is not a whole backup of this machine: copy it again, or take another one"


async def test_kept_books_that_are_damaged_are_reported(tmp_path: Path) -> None:
    """Whether the backup is the newest cannot be proved then: it is refused, and nothing crashes."""
    async with technician(tmp_path) as (rig, hand):
        await backed_up(rig, hand, tmp_path)
        await cleared(rig, hand)
        (sealed,) = sealed_files(rig.path)
        sealed.chmod(0o644)
        sealed.write_bytes(b"rotten" * 1000)
        await restore(rig, hand)
        assert await hand.result() == "The books cannot be read"
        assert (rig.machine.journal.lock, rig.host.departures) == (None, [])


class Pulled(type(Path())):  # type: ignore[misc]  # pathlib's own class for this system
    """A stick that is mounted, and was pulled out."""

    def __fspath__(self) -> str:
        """Fail as a device that is gone does."""
        raise OSError(errno.EIO, str(self))


def test_a_stick_that_is_gone_or_has_strange_names_only_offers_less(tmp_path: Path) -> None:
    """U.6 is read anew with every press: what lies on a stick must not end the supervisor."""
    for name in ("cabinet-backup-1", "cabinet-backup-\udcff", "cabinet-backup-\x1b[2J", f"cabinet-backup-{'9' * 100}"):
        (tmp_path / "STICK" / name).mkdir(parents=True)
        (tmp_path / "STICK" / name / "manifest.json").touch()
    (tmp_path / "\udcff").mkdir()
    (tmp_path / "A\nB").mkdir()
    assert sticks([str(tmp_path)], simulated=True) == [tmp_path / "STICK"]
    assert backups(tmp_path / "STICK") == [tmp_path / "STICK" / "cabinet-backup-1"]
    assert backups(Pulled(tmp_path / "STICK")) == []


def test_a_lost_journal_is_restored(tmp_path: Path) -> None:
    """U.6: where there is nothing to lose, the backup takes its place, and its books say so."""
    path, copy, own = lost(tmp_path)
    restoring.restore_lost(path, copy, own, "technician", lambda: 0, units=UNITS)
    assert audit(path, lambda *_: None).failures == []
    store = opened_books(path, own.path, lambda: 0, simulated=True)
    assert store.transact(lambda tx: tx.execute("SELECT count(*) FROM events WHERE code = 'restored'").fetchone()) == (
        1,
    )
    store.close()
    with pytest.raises(RefusedError, match="are not lost"):
        restoring.restore_lost(path, copy, own, "technician", lambda: 0, units=UNITS)


@contextmanager
def full_disk(most_bytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond `most_bytes`: the kernel refuses the write as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_restore_onto_a_full_card_names_the_card(tmp_path: Path) -> None:
    """The stick is only read: the disk with the books fails, no copy is left, and it can be redone."""
    path, copy, own = lost(tmp_path)
    half = (copy / JOURNAL).stat().st_size // 2
    with (
        full_disk(half),
        pytest.raises(RefusedError, match="The disk with the books"),
    ):
        restoring.restore_lost(path, copy, own, "technician", lambda: 0, units=UNITS)
    assert not path.exists()
    assert not list(tmp_path.glob("journal.sqlite.new*"))
    restoring.restore_lost(path, copy, own, "technician", lambda: 0, units=UNITS)


def test_the_command_restores_a_lost_journal(tmp_path: Path) -> None:
    """`cabinet restore` asks twice and for the PIN that the cabinet has, and does nothing on NO or a wrong one."""
    path, copy, _ = lost(tmp_path)
    config = tmp_path / "cabinet.toml"
    sample = SAMPLE
    config.write_text(sample.read_text().replace("/var/lib/cabinet/journal.sqlite", str(path)))
    for answers, code in (("n\n", 1), ("y\nn\n", 1), ("y\ny\n111111\n", 1), (f"y\ny\n{PIN}\n", 0)):
        done = CliRunner().invoke(main, ["restore", str(config), str(copy)], input=answers)
        assert (done.exit_code, path.exists()) == (code, code == 0), done.output
    assert verify_folder(copy).kind == "backup"


def test_the_command_leaves_tickets_that_were_printed_since_to_a_person(tmp_path: Path) -> None:
    """A cabinet that validates its own tickets may have printed some after the backup: an open item says so."""
    path, copy, own = lost(tmp_path)
    config = tmp_path / "cabinet.toml"
    config.write_text(with_tickets(SAMPLE.read_text().replace("/var/lib/cabinet/journal.sqlite", str(path))))
    done = CliRunner().invoke(main, ["restore", str(config), str(copy)], input=f"y\ny\n{PIN}\n")
    assert done.exit_code == 0, done.output
    with closing(opened_books(path, own.path, lambda: 0, simulated=True)) as store:
        item = store.transact(lost_tickets.item)
    assert item is not None
    assert (item.least_cents, item.amount_cents) == (0, None)


def test_the_command_restores_over_a_cleared_cabinet_and_says_who_did(tmp_path: Path) -> None:
    """Every row of it names the technician: the old books' last, and those that the restored books begin with."""
    copy = backed_up_and_cleared(tmp_path)
    with closing(opened(tmp_path)) as store:
        set_up_person(store)
        path, (before,) = store.path, store.transact(lambda tx: tx.execute("SELECT max(seq) FROM ledger").fetchone())
    with read_only(copy / JOURNAL) as connection:
        (backed_up,) = connection.execute("SELECT max(seq) FROM ledger").fetchone()
    config = tmp_path / "cabinet.toml"
    sample = SAMPLE
    config.write_text(sample.read_text().replace("/var/lib/cabinet/journal.sqlite", str(path)))
    done = CliRunner().invoke(main, ["restore", str(config), str(copy)], input=f"y\ny\n{PIN}\n")
    assert done.exit_code == 0, done.output
    sealed = max(sealed_files(path))
    for books, last, kinds in ((sealed, before, {"event", "sealed"}), (path, backed_up, {"event", "restored"})):
        with read_only(books) as connection:
            rows = connection.execute(
                "SELECT kind, data ->> '$.by.name', data ->> '$.code' FROM ledger WHERE seq > ?", (last,)
            ).fetchall()
        acts = [(kind, name) for kind, name, code in rows if code != "pin_granted"]
        assert acts
        assert {name for _, name in acts} == {NAME}, rows
        assert {kind for kind, *_ in rows} <= kinds | {"restored_from"}, rows


RESTORING = """
import sys
from pathlib import Path
from controller.books.rotation import finish
from tests.rigs.books import cut_at
from tests.rigs.restored_books import decided
step = cut_at(int(sys.argv[3]))
folder = Path(sys.argv[1])
decided(folder, Path(sys.argv[2]), step)
finish(folder / "journal.sqlite", step)
"""
BEFORE_SEAL, ALL = 4, 9
"""So many steps lie before the seal, and in all."""


def backed_up_and_cleared(folder: Path) -> Path:
    """Books that were backed up and then cleared; return the backup."""
    played(folder).close()
    backup_folder = copied(folder)
    clear_books(folder)
    opened(folder).close()
    return backup_folder


@pytest.mark.requirement("M11", "M12")
def test_what_devices_counted_after_a_backup_counts_no_second_time(tmp_path: Path) -> None:
    """Pulses that were given since are not owed again, and coins that a test took since are no credit."""
    with closing(played(tmp_path)) as store:
        store.transact(lambda tx: coins_taken(tx, 1, 3, (100,), 0))
        store.transact(paid_by_hand)
        store.transact(lambda tx: hoppers.counted(tx, 815, 7, 100))
    copy = copied(tmp_path)
    with closing(opened(tmp_path)) as store:
        assert (
            dict(store.transact(lambda tx: tx.execute("SELECT name, owed FROM hard_meters").fetchall()))["drop"] == 100
        )
        for _ in range(12):
            store.transact(lambda tx: give_pulses(tx, UNITS))
        given = store.transact(hard_meters)
        store.transact(lambda tx: tx.log("door_open", "opened", meters={"door_main": 2}))
        report = CoinReport(serial=1, counter=5, values_cents=(100, 200), ways=(CoinWay.CASH_BOX,) * 2)
        store.transact(lambda tx: coin_diagnostic.coins_tested(tx, report, "T.8"))
    clear_books(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(lambda tx: hoppers.moved_on(tx, 815, 2))
        store.transact(lambda tx: tx.log("door_open", "opened", meters={"door_main": 1}))
    decided(tmp_path, copy, no_step)
    with closing(opened(tmp_path)) as store:
        assert store.transact(lambda tx: coin_counter(tx, 1)) == 5
        assert store.transact(lambda tx: hoppers.known(tx, 815)) == 9
        assert store.transact(hard_meters) == given
        assert store.transact(lifetime)["door_main"] == 3  # no meter falls
    failures = audit(tmp_path / "journal.sqlite", lambda *_: None).failures
    assert [failure for failure in failures if "meter" in failure] == []


def test_a_stored_note_that_was_counted_after_a_backup_is_in_the_store_once(tmp_path: Path) -> None:
    """The newest count of the store replaces the backup's: the note that it still waited for is not boxed as well."""

    def take(tx: Transaction) -> None:
        money.note_stacking(tx, 1000)
        money.note_stacked(tx, 1000, recycles=True)
        money.note_acknowledged(tx)
        paid_by_hand(tx)

    def holds(cents: int) -> StockCount:
        return StockCount(serial=77, lifetime=-cents // 500 % LIFETIME_SPAN, pieces={500: cents // 500})

    def count(tx: Transaction) -> None:
        hopper_books.stock_counted(tx, holds(1000), 500, recycles=True)

    with closing(played(tmp_path)) as store:
        store.transact(lambda tx: hopper_books.stock_counted(tx, holds(0), 500, recycles=True))
        store.transact(take)
    copy = copied(tmp_path)
    with closing(opened(tmp_path)) as store:
        store.transact(count)
        while store.transact(lambda tx: give_pulses(tx, {**UNITS, "hand_pay": 10, "coin_out": 10})):
            pass
    clear_books(tmp_path)
    decided(tmp_path, copy, no_step)
    with closing(opened(tmp_path)) as store:
        store.transact(count)
        assert store.transact(stored_money.passed_cents) == 0
        assert "notes_unstored" not in store.transact(lifetime)


@pytest.mark.parametrize("when", ["before the clear", "after the clear"])
def test_a_refill_that_a_backup_lacks_is_not_undone(tmp_path: Path, when: str) -> None:
    """U.2 is metered for ever: a backup that would take it back is refused."""

    def refill() -> None:
        with closing(opened(tmp_path)) as store:
            store.transact(lambda tx: refill_hopper(tx, 50, 100, "technician"))

    played(tmp_path).close()
    copy = copied(tmp_path)
    if when == "before the clear":
        refill()
    clear_books(tmp_path)
    if when == "after the clear":
        refill()
    with pytest.raises(RefusedError, match=r"undo it|older than"):
        decided(tmp_path, copy, no_step)


@pytest.mark.parametrize("cut", range(1, ALL + 1))
def test_a_power_cut_leaves_a_restore_done_or_not_done(tmp_path: Path, cut: int) -> None:
    """At each step the process dies at once; what starts next has the cleared books or the restored ones, whole."""
    copy = backed_up_and_cleared(tmp_path)
    command = [sys.executable, "-c", RESTORING, tmp_path, copy, str(cut)]
    died = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert died.returncode == CUT, died.stderr
    with closing(opened(tmp_path)) as store:
        stakes = store.transact(lifetime).get("stakes", 0)
    assert stakes == (0 if cut <= BEFORE_SEAL else 100), died.stdout
    assert not finish(tmp_path / "journal.sqlite")


def test_the_second_copy_follows_clear_and_restore(tmp_path: Path) -> None:
    """Each journal of a cabinet is later than the one before, so the copy is begun anew and nothing locks."""
    copy = backed_up_and_cleared(tmp_path)
    second = tmp_path / "other" / "copy"
    second.parent.mkdir()

    def start() -> dict[str, int]:
        path, own = tmp_path / "journal.sqlite", tmp_path / "journal.sqlite.key"
        with closing(opened_books(path, own, lambda: 0, simulated=True, second_copy=second)) as store:
            return store.transact(lifetime)

    start()
    decided(tmp_path, copy, no_step)
    assert start()["stakes"] == 100
    clear_books(tmp_path)
    assert start() == {}


def test_restored_books_remember_a_copy_that_is_newer_than_their_backup(tmp_path: Path) -> None:
    """The backup was made before there was a copy; where that is away at the first start it is missed, not begun."""
    backup = backed_up_and_cleared(tmp_path)
    second = tmp_path / "medium" / "copy"
    second.parent.mkdir()

    def start() -> set[str]:
        path, own = tmp_path / "journal.sqlite", tmp_path / "journal.sqlite.key"
        with closing(opened_books(path, own, lambda: 0, simulated=True, second_copy=second)) as store:
            return {fault.code for fault in store.transact(active_faults)}

    assert start() == set()
    decided(tmp_path, backup, no_step)
    second.parent.rename(tmp_path / "pulled")
    second.parent.mkdir()
    assert start() == {"copy_missing"}
    assert not second.exists()
