"""When the machine is started anew for its archive, how archives are proved, and how they leave the card (U.6)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.configuration.cabinet_toml import Storage
from controller.features.archive.archiving import Archiving, decide, finish
from controller.features.archive.fitting import archive_watch_of
from controller.features.archive.watch import LOOK_S, Verdict, proved
from controller.features.venue.pools import begin_epoch
from controller.files.durable import digest
from controller.journal import archives
from controller.journal.archives import Archive
from controller.keys import identity
from controller.keys.identity import Identity
from controller.machine.jackpots import VenueReport
from controller.media.signed_folder import verify_folder
from controller.monitors.storage import MEGABYTE, Room, StorageWatch
from controller.system.host import Departure
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand, with_sticks

BIG = 1_000_000_000
GONE = "gone"


async def sound(_archive: Archive, _file: Path) -> Verdict:
    """A proof that finds nothing."""
    return Verdict("", 2)


async def unsound(_archive: Archive, file: Path) -> Verdict:
    """A proof that finds something."""
    return Verdict(f"{file.name}: 1 proofs failed")


def at(limit_bytes: int) -> Archiving:
    """Archive from so many bytes on, however few rows there are."""
    return Archiving(limit_bytes, fewest_rows=0)


async def archived_anew(rig: Rig, *, until: str = "attract") -> None:
    """End the supervisor, archive, and start the next one."""
    await rig.journal.do(lambda tx: decide(tx, rig.path.parent / "archive", "so"))
    await rig.kill()
    assert finish(rig.path, lambda: 0)
    await rig.start(until=until)


async def state_of(rig: Rig) -> list[str]:
    """The state of each archive."""
    return [archive.state for archive in await rig.journal.do(archives.archives)]


async def test_the_supervisor_ends_for_an_archive_in_attract(tmp_path: Path) -> None:
    """Only a journal at its limit, only without credit, with the menu shut, and nothing lying over the screen."""
    async with Rig(tmp_path) as rig:
        size = rig.path.stat().st_size
        assert not await archive_watch_of(rig.machine, at(BIG)).look()
        watch = archive_watch_of(rig.machine, at(size))
        await rig.door(is_open=True)
        assert not await watch.look()
        await rig.turn_key("technician")
        rig.machine.keys.take("technician", turned=True)
        await rig.type_pin()
        assert not await watch.look()
        rig.machine.keys.take("technician", turned=False)
        await rig.door(is_open=False)
        await rig.until("attract")
        assert rig.host.departures == []
        assert not await archive_watch_of(rig.machine, Archiving(size)).look()  # so few rows are worth none
        assert await watch.look()
        assert rig.host.departures == [Departure.RESTART]


async def test_a_player_is_waited_for_until_twice_the_limit(tmp_path: Path) -> None:
    """Then the first moment between two games will do; a round is never cut in two, and an autospin is let end."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        size = rig.path.stat().st_size
        assert not await archive_watch_of(rig.machine, at(size)).look()
        late = archive_watch_of(rig.machine, at(size // 2))
        rig.screen.show_s = None
        await rig.press("spin")
        await rig.until("round")
        assert not await late.look()
        rig.screen.show_s = 0.1
        await rig.restart(until="idle")
        late = archive_watch_of(rig.machine, at(size // 2))
        assert await late.look()


async def test_what_a_start_could_not_archive_is_reported_and_waits_for_the_next(tmp_path: Path) -> None:
    """A fault says so and why; the supervisor does not end over and over."""
    async with Rig(tmp_path) as rig:
        archiving = at(1)
        archiving.failed = "/mnt/usb: Read-only file system"
        watching = asyncio.create_task(archive_watch_of(rig.machine, archiving).run())
        await asyncio.sleep(3 * LOOK_S)
        watching.cancel()
        assert rig.notices() == {"archive_failed"}
        assert await rig.events("archive_failed") == [archiving.failed]
        assert rig.host.departures == []


async def test_an_archive_is_proved_once(tmp_path: Path) -> None:
    """After the start that follows it; it is recorded, and the next start has nothing to prove."""
    async with Rig(tmp_path) as rig:
        await archived_anew(rig)
        for _ in range(2):
            watching = asyncio.create_task(archive_watch_of(rig.machine, at(BIG), sound).run())
            await asyncio.sleep(LOOK_S)
            watching.cancel()
        assert await state_of(rig) == ["proved"]
        proved = await rig.events("archive_proved")
        assert proved == ["The archive books-0001-0001.sqlite is proved whole; rounds of other mathematics: 2"]


async def test_an_archive_that_is_not_sound_is_a_fault_for_the_technician(tmp_path: Path) -> None:
    """Damaged or missing: play goes on, the fault stays until a technician has cleared it."""
    async with Rig(tmp_path) as rig:
        await archived_anew(rig)
        await archive_watch_of(rig.machine, at(1), unsound).run()
        assert await state_of(rig) == ["failed"]
        assert rig.notices() == {"archive_damaged"}
        await archived_anew(rig)
        (tmp_path / "archive" / "books-0001-0002.sqlite").unlink()
        await archive_watch_of(rig.machine, at(1), unsound).run()
        assert await state_of(rig) == ["failed", "failed"]
        assert (rig.shown, rig.host.departures) == ("attract", [Departure.RESTART] * 2)


async def test_a_proof_that_was_ended_is_begun_again(tmp_path: Path) -> None:
    """One that came to no end, since the machine was stopped or its memory ran out, says nothing of the archive."""

    async def ended(_archive: Archive, _file: Path) -> None:
        return None

    async with Rig(tmp_path) as rig:
        await archived_anew(rig)
        await archive_watch_of(rig.machine, at(1), ended).run()
        assert await state_of(rig) == ["unproved"]
        assert rig.notices() == set()
        await archive_watch_of(rig.machine, at(1), sound).run()
        assert await state_of(rig) == ["proved"]


async def test_an_archive_that_was_put_back_is_proved_after_all(tmp_path: Path) -> None:
    """At the next start; one that is still wrong is not reported again."""
    async with Rig(tmp_path) as rig:
        await archived_anew(rig)
        file, aside = tmp_path / "archive" / "books-0001-0001.sqlite", tmp_path / "aside"
        file.rename(aside)
        for _ in range(2):
            await archive_watch_of(rig.machine, at(1), sound).run()
        assert await state_of(rig) == ["failed"]
        assert len(await rig.events("archive_damaged")) == 1
        aside.rename(file)
        await archive_watch_of(rig.machine, at(1), sound).run()
        assert await state_of(rig) == ["proved"]


async def test_an_archive_whose_folder_cannot_be_looked_into_is_missing(tmp_path: Path) -> None:
    """A medium with errors is reported like one that is gone; the supervisor continues."""
    async with Rig(tmp_path) as rig:
        await archived_anew(rig)
        await rig.journal.do(lambda tx: tx.execute("UPDATE archives SET folder = ?", ("/" + "x" * 999,)).rowcount)
        (tmp_path / "archive" / "books-0001-0001.sqlite").unlink()
        await archive_watch_of(rig.machine, at(1), sound).run()
        assert rig.notices() == {"archive_damaged"}


def test_the_proof_of_a_process_that_is_killed_is_none(tmp_path: Path) -> None:
    """A signal that ends the process says nothing of the archive."""

    async def killed() -> Verdict | None:
        return await proved(archive, file, ("-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"))

    file = tmp_path / "archive"
    file.write_bytes(b"")
    archive = Archive(1, file.name, str(tmp_path), 0, digest(file), "", 0, 0, archives.UNPROVED_STATE)
    assert asyncio.run(killed()) is None


def test_the_proof_itself(tmp_path: Path) -> None:
    """A real archive is proved by a process of its own; one byte of it exchanged is found before that."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.game(1000)
            await rig.press("spin")
            await rig.until("idle")
            await archived_anew(rig, until="idle")
            (archive,) = await rig.journal.do(archives.archives)
        file = archive.found(rig.path)
        assert file is not None
        assert await proved(archive, file) == Verdict("")
        content = bytearray(file.read_bytes())
        content[-1] ^= 1
        file.chmod(0o644)
        file.write_bytes(content)
        assert "is not the file that was archived" in (await proved(archive, file)).failure
        assert (await proved(archive, tmp_path / GONE)).failure

    asyncio.run(play())


@asynccontextmanager
async def technician(folder: Path) -> AsyncIterator[tuple[Rig, Hand, Identity]]:
    """A rig with a key and one archive, a stick, and a technician in its menu."""
    own = identity.make_identity(folder / "journal.sqlite.key")
    (folder / "sticks" / "BLUE").mkdir(parents=True)
    async with with_sticks(folder) as rig:
        await rig.journal.do(lambda tx: identity.bind(tx, own, "test", "test"))
        await archived_anew(rig)
        hand = Hand(rig)
        await rig.door(is_open=True)
        await hand.technician()
        yield rig, hand, own


async def moved(rig: Rig, hand: Hand) -> str:
    """Move the archives to the stick, and return the lines of the page."""
    await hand.go("U.6")
    await hand.enter("Move the archives")
    assert hand.page.question == "Take the archives off the card, once they are proved on the stick?"
    await rig.press("lines")
    await rig.press("spin")
    return await hand.result()


async def test_proved_archives_are_moved_onto_a_stick(tmp_path: Path) -> None:
    """U.6: copied, signed, read back; then the person is recorded, and only then the card's file is gone."""
    async with technician(tmp_path) as (rig, hand, own):
        await hand.go("U.6")
        assert not [row for row in hand.page.rows if row.label.startswith("Move")]  # it is not proved yet
        await rig.press("collect")
        await rig.press("collect")
        (archive,) = await rig.journal.do(archives.archives)
        await rig.journal.do(lambda tx: archives.proved(tx, archive, 0))
        assert await moved(rig, hand) == "The archives are proved on the stick, and off the card"
        (made,) = (tmp_path / "sticks" / "BLUE").iterdir()
        manifest = verify_folder(made, own.public_key)
        assert (manifest.kind, manifest.seq) == ("archive", archive.seq)
        assert [file.sha256 for file in manifest.files] == [archive.sha256]
        assert list((tmp_path / "archive").iterdir()) == []
        assert await rig.events("archive_moved") == [
            f"The archive books-0001-0001.sqlite was moved to {made.name} on BLUE (technician)"
        ]
        assert await state_of(rig) == ["moved"]


class Desk:
    """A venue that has the ledger up to `row`."""

    row = 0

    def report(self) -> VenueReport:
        return VenueReport(None, None, "", (), row=self.row)

    def look_again(self) -> None:
        """Nothing is accepted here."""

    async def enrol(self, _code: str) -> int:
        """Be cabinet 1."""
        return 1


async def test_an_archive_stays_until_the_venue_has_its_rows(tmp_path: Path) -> None:
    """The link gets them from it: once it is on the stick the venue could get no row any more."""
    async with technician(tmp_path) as (rig, hand, _own):
        (archive,) = await rig.journal.do(archives.archives)
        await rig.journal.do(lambda tx: archives.proved(tx, archive, 0))
        await rig.journal.do(lambda tx: begin_epoch(tx, 1, 1, "site"))
        rig.service.machine.venue = desk = Desk()
        assert await moved(rig, hand) == "The venue lacks rows of the archives: wait until it has them (U.13)"
        desk.row = archive.seq
        await rig.press("collect")
        await rig.press("collect")
        assert await moved(rig, hand) == "The archives are proved on the stick, and off the card"


async def test_an_archive_that_was_changed_stays_on_the_card(tmp_path: Path) -> None:
    """What is not the file that the books name is not moved, and nothing is left on the stick."""
    async with technician(tmp_path) as (rig, hand, _own):
        (archive,) = await rig.journal.do(archives.archives)
        await rig.journal.do(lambda tx: archives.proved(tx, archive, 0))
        file = tmp_path / "archive" / archive.name
        file.chmod(0o644)
        with file.open("ab") as more:
            more.write(bytes(4096))
        assert await moved(rig, hand) == "The archive {name} is not as the books name it"
        assert (file.exists(), await state_of(rig)) == (True, ["proved"])
        assert list((tmp_path / "sticks" / "BLUE").iterdir()) == []


@pytest.mark.requirement("C6")
async def test_little_room_names_archives_that_can_be_moved(tmp_path: Path) -> None:
    """The fault's words in the event log say what a technician can do about it."""
    async with Rig(tmp_path) as rig:
        await archived_anew(rig)
        (archive,) = await rig.journal.do(archives.archives)
        big = archive._replace(seq=1, name="books-0001-0000.sqlite", size=70 * MEGABYTE)
        (tmp_path / "archive" / big.name).write_bytes(b"")
        await rig.journal.do(lambda tx: archives.add_archive(tx, big))
        await rig.journal.do(lambda tx: archives.proved(tx, big, 0))
        journal, clock = rig.machine.journal, rig.machine.clock
        watch = StorageWatch(journal, clock, Storage(), lambda: Room(100 * MEGABYTE, read_only=False))
        watch.look()
        await rig.until_true(lambda: "storage_low" in rig.notices())
        assert await rig.events("storage_low") == ["100 MB are free; 70 MB of archives can be moved onto a stick (U.6)"]
