"""From an upload in the venue's rows, through the link's process, to the updater itself or a technician's PIN."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import cast

import pytest

from controller.features.update.signing import SigningKey
from controller.features.venue.calls import Venue
from controller.features.venue.relay import serve
from controller.features.venue.relayed import SOCKET, Address, RelayedVenue
from controller.journal.schema import NAMES
from controller.journal.settings import stored_settings
from tests.rigs.offered_cabinet import OfferedCabinet
from tests.rigs.postgres import VenueDatabase
from tests.rigs.program_trees import NEW, OLD, WatchedMachine, bundled
from tests.rigs.service_menu import with_sticks
from tests.rigs.threaded_venue import ThreadedVenue
from tests.rigs.venue_store import ME

NEWER = "99.0"
SEEN = "SELECT state, detail FROM venue.offer_to"


def offer(database: VenueDatabase, kind: str, content: bytes) -> None:
    """Offer what an operator has uploaded, in parts as the page stores them."""
    with database.connect("venue_page") as page:
        page.execute("SELECT venue.new_offer(%s, %s, 'anna')", (kind, f"x.{kind}"))
        for at in range(0, len(content), 1000):
            page.execute("SELECT venue.add_part(1, %s)", (content[at : at + 1000],))
        page.execute("SELECT venue.start_offer(1, %s, %s, 1, 'anna')", (hashlib.sha256(content).digest(), [ME]))


@asynccontextmanager
async def cabinet(folder: Path, line: ThreadedVenue, machine: WatchedMachine) -> AsyncIterator[OfferedCabinet]:
    """A cabinet whose calls go through the process of the link, and whose updater is the machine's."""

    async def process() -> None:
        while True:
            with suppress(OSError):
                await serve(folder / SOCKET, folder, lambda _address, _folder: cast("Venue", line))
            await asyncio.sleep(1.0)

    relayed = RelayedVenue(folder / SOCKET, Address("venue.lan", 5432, "venue"))
    rig = OfferedCabinet(folder, config=with_sticks(folder).config)
    rig.join_by(relayed, machine.folders)
    tasks = [asyncio.create_task(relayed.listen()), asyncio.create_task(process())]
    await rig.begin()
    try:
        yield rig
    finally:
        await rig.kill()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def machine_in(folder: Path) -> WatchedMachine:
    """A machine whose updater looks into this cabinet's inbox."""
    machine = WatchedMachine(folder)
    machine.inbox = folder / "bundles"
    machine.journal = machine.knows[OLD] = machine.knows[NEW] = machine.knows[NEWER] = NAMES
    return machine


async def reported(rig: OfferedCabinet, line: ThreadedVenue, times: int) -> None:
    """Wait until the venue has heard so many results."""
    await rig.until_true(lambda: line.called.count("offer_result") >= times, 240)


def inbox(folder: Path) -> list[str]:
    """What lies in the updater's inbox."""
    return sorted(path.name for path in (folder / "bundles").glob("*"))


async def test_an_uploaded_bundle_is_installed_by_the_updater_once_the_cabinet_is_idle(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """Nothing is fetched while there is credit; then the updater proves it, swaps the trees, and the venue sees it."""
    machine = machine_in(tmp_path)
    async with cabinet(tmp_path, line, machine) as rig:
        assert await rig.note(500)
        offer(database, "bundle", bundled(NEWER, tmp_path / "made", migrations=NAMES).read_bytes())
        await rig.until_true(lambda: line.called.count("offers") > 2, 120)
        assert ("fetch" in line.called, database.ask(SEEN)) == (False, [("offered", "")])
        await rig.journal.do(lambda tx: tx.post("test", credit=-500, meters={"hand_pay": 500}))
        await rig.machine.journal.reload()
        await rig.until_true(rig.at.wanted.exists, 120)
        await reported(rig, line, 1)
        assert database.ask(SEEN) == [("taken", "")]
        await rig.kill()
        assert machine.whole()
        assert (machine.version, machine.running, machine.trials) == (NEWER, NEWER, [NEWER])
        await rig.begin(until="idle")
        await reported(rig, line, 2)
    assert database.ask("SELECT t.state, o.state FROM venue.offer_to t JOIN venue.offer o USING (offer)") == [
        ("installed", "done")
    ]
    assert database.ask("SELECT code FROM venue.alarm WHERE code = 'offer_failed'") == []


def one_bit(content: bytes) -> bytes:
    """One bit in the middle of its contents changed."""
    at = len(content) * 3 // 4
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize(
    ("spoil", "key"),
    [
        (one_bit, None),
        (lambda content: content[: len(content) // 2], None),
        (lambda content: content[:20], None),
        (lambda content: content, SigningKey.throwaway()),
    ],
    ids=["one bit", "half", "a few bytes", "another key"],
)
async def test_a_bundle_that_is_not_the_makers_does_no_harm(
    database: VenueDatabase,
    line: ThreadedVenue,
    tmp_path: Path,
    spoil: Callable[[bytes], bytes],
    key: SigningKey | None,
) -> None:
    """Uploaded so, its hash fits: the cabinet refuses it with an event, asks for nothing, and the venue alarms."""
    machine = machine_in(tmp_path)
    path = bundled(NEWER, tmp_path / "made", migrations=NAMES, **({} if key is None else {"key": key}))
    offer(database, "bundle", spoil(path.read_bytes()))
    async with cabinet(tmp_path, line, machine) as rig:
        await reported(rig, line, 1)
        assert (inbox(tmp_path), rig.at.wanted.exists()) == ([], False)
        (refused,) = [words for words in await rig.events("venue") if "efuse" in words]
        assert "not whole or not the maker's" in refused
        assert machine.version == OLD
        before = rig.credit
        assert await rig.note(500)
        assert rig.credit == before + 500
    ((state, detail),) = database.ask(SEEN)
    assert state == "refused"
    assert "not whole or not the maker's" in detail
    assert database.ask("SELECT state FROM venue.offer") == [("stopped",)]
    assert database.ask("SELECT cabinet FROM venue.alarm WHERE code = 'offer_failed'") == [(ME,)]


async def test_the_updater_trusts_no_inbox(database: VenueDatabase, line: ThreadedVenue, tmp_path: Path) -> None:
    """A bit that changes between the cabinet's proof and the updater's is found there, and the venue hears why."""
    machine = machine_in(tmp_path)
    offer(database, "bundle", bundled(NEWER, tmp_path / "made", migrations=NAMES).read_bytes())
    async with cabinet(tmp_path, line, machine) as rig:
        await rig.until_true(rig.at.wanted.exists, 120)
        (name,) = inbox(tmp_path)
        path = tmp_path / "bundles" / name
        path.write_bytes(one_bit(path.read_bytes()))
        assert not machine.whole()
        await reported(rig, line, 2)
        assert machine.version == OLD
    ((state, detail),) = database.ask(SEEN)
    assert (state, bool(detail)) == ("refused", True)


async def test_a_template_is_set_by_a_technicians_pin_alone(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """The venue sees it offered until then, and taken after it; the attendant's key opens no page of it."""
    offer(database, "settings", b"[sound]\npercent = 30\n")
    async with cabinet(tmp_path, line, machine_in(tmp_path)) as rig:
        await rig.until_true(lambda: "fetch" in line.called, 120)
        await asyncio.sleep(30)
        assert (await rig.journal.do(stored_settings), database.ask(SEEN)) == ({}, [("offered", "")])
        await rig.answer_template("Take these settings")
        await reported(rig, line, 1)
        assert await rig.journal.do(stored_settings) == {"sound.percent": "30"}
    assert [row[0] for row in database.ask(SEEN)] == ["installed"]
    assert database.ask("SELECT state FROM venue.offer") == [("done",)]
