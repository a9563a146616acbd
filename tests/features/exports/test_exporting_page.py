"""M.7 in the service menu: sticks that are there while the page is open, signed exports, and the QR code."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.features.exports.summary import modules, read_summary
from controller.journal.actor import Role
from controller.keys import identity
from controller.keys.identity import Identity
from controller.media.signed_folder import verify_folder
from controller.service.backups import COPY_WRITTEN, NO_COPY, PAGES
from tests.rigs.console import apart, run, serving
from tests.rigs.logged_events import words_of
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand, with_sticks
from tests.rigs.virtual_cabinet import VirtualCabinet
from ui.protocol.messages import Snapshot, encode


@asynccontextmanager
async def keyed(folder: Path) -> AsyncIterator[tuple[Rig, Hand, Identity]]:
    """A rig with a key, and somebody before it who has turned the attendant's key."""
    own = identity.make_identity(folder / "journal.sqlite.key")
    async with with_sticks(folder) as rig:
        assert rig.machine.settings.config.cabinet.key_file == own.path
        await rig.journal.do(lambda tx: identity.bind(tx, own, "test", "test"))
        await rig.game(2000)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        yield rig, hand, own


async def test_an_export_is_written_on_the_stick_that_is_there(tmp_path: Path) -> None:
    """M.7: the page sees a stick that is put in, the export is proved, an event names it, and no meter moves."""
    async with keyed(tmp_path) as (rig, hand, own):
        await hand.go("M.7")
        assert "No USB stick is there: put one in" in [row.label for row in hand.page.rows]
        (tmp_path / "sticks" / "BLUE").mkdir(parents=True)
        await rig.press("collect")
        await hand.enter("M.7")
        before = await rig.rows("SELECT * FROM meters")
        await hand.enter("Export to the stick")
        assert await hand.result() == "It is written and proved; the stick may be pulled out"
        (made,) = (tmp_path / "sticks" / "BLUE").iterdir()
        assert verify_folder(made, own.public_key).credit_cents == 2000
        assert await rig.events("export") == [f"Exported for the attendant to the stick BLUE: {made.name}"]
        assert await rig.rows("SELECT * FROM meters") == before


async def test_a_stick_that_fails_is_reported_and_nothing_is_lost(tmp_path: Path) -> None:
    """Pulled out between look and press: the page says so, and the cabinet goes on."""
    async with keyed(tmp_path) as (rig, hand, _own):
        stick = tmp_path / "sticks" / "BLUE"
        stick.mkdir(parents=True)
        await hand.go("M.7")
        while not hand.page.rows[hand.page.focus].label.startswith("Export"):
            await rig.press("bet")
        stick.rmdir()
        await rig.press("spin")
        assert await hand.result() == "The stick was pulled out or has failed"
        assert await rig.events("export") == []
        await hand.turn(Role.ATTENDANT, on=False)
        assert rig.shown == "idle"


async def test_the_meters_are_shown_as_a_qr_code(tmp_path: Path) -> None:
    """M.7.1: the code is that of the signed text, which the page has whole for the console; it fits into a packet."""
    async with keyed(tmp_path) as (rig, hand, own):
        await hand.go("M.7")
        await hand.enter("Show as a QR code")
        await rig.until_true(lambda: hand.page.code == "M.7.1")
        text = hand.page.rows[1].value
        assert read_summary(text, own.public_key).meters["notes_in"] == (2000, 2000)
        assert hand.page.modules == modules(text)
        assert encode(Snapshot(turn=1, view=rig.screen.view))
        await rig.press("collect")
        assert (hand.page.code, hand.page.modules) == ("M.7", ())


async def test_the_text_of_the_qr_code_is_whole_on_the_console(tmp_path: Path) -> None:
    """Where there is no camera the line is copied: it is unbroken, as `cabinet verify-export --text` proves it."""
    async with keyed(tmp_path) as (rig, hand, own), serving(rig, tmp_path) as path:
        await hand.go("M.7")
        await hand.enter("Show as a QR code")
        await rig.until_true(lambda: hand.page.code == "M.7.1")
        result = await apart(lambda: run(path, "M.7.1"))
        (text,) = (line for line in result.output.splitlines() if "CAB1" in line)
        assert read_summary(text, own.public_key).meters["notes_in"] == (2000, 2000)


@pytest.mark.parametrize("way", ["Export to the stick", "Show as a QR code"])
async def test_a_cabinet_without_its_key_signs_nothing(tmp_path: Path, way: str) -> None:
    """It says so, and is not locked."""
    async with keyed(tmp_path) as (_rig, hand, own):
        (tmp_path / "sticks" / "BLUE").mkdir(parents=True)
        await hand.go("M.7")
        own.path.unlink()
        await hand.enter(way)
        assert await hand.result() == "This machine has no key: it signs nothing"
        assert list((tmp_path / "sticks" / "BLUE").iterdir()) == []


@pytest.mark.parametrize(("copy", "words"), [(False, NO_COPY), (True, COPY_WRITTEN)])
async def test_the_page_of_backups_says_how_the_second_copy_is(tmp_path: Path, words: str, *, copy: bool) -> None:
    """U.6, and without one each start records that the books are in one place alone."""
    cabinet = VirtualCabinet(tmp_path)
    if copy:
        site = cabinet.config.cabinet
        cabinet.config = replace(cabinet.config, cabinet=replace(site, second_copy=str(tmp_path / "copy")))
    (read,) = (page.read for page in PAGES if page.code == "U.6")
    for starts in (1, 2):
        supervisor = await cabinet.start()
        await cabinet.until(lambda: cabinet.state == "attract")
        machine = supervisor.service.machine
        lines = await supervisor.journal.do(lambda tx: read(tx, machine))  # noqa: B023
        assert lines[-1].value == words
        told = await supervisor.journal.do(lambda tx: words_of(tx.execute, "second_copy"))
        assert sum("have no second copy" in words for words in told) == (0 if copy else starts)
        await cabinet.kill()
