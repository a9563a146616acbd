"""The real pyscard against the real pcscd with vsmartcard's virtual reader.

It runs where pcscd is up with the reader `Virtual PCD` and pyscard can be imported (Debian: pcscd, vsmartcard-vpcd,
python3-pyscard), and is skipped elsewhere.
"""

import asyncio
import sys
from collections.abc import Callable

import pytest

from drivers.cards.contactless import ContactlessReader
from drivers.cards.pcsc import PcscTerminal, load
from drivers.cards.terminal import Slot
from drivers.clock import LoopClock
from drivers.errors import DriverError, NoReplyError, SettingsError
from tests.rigs.card_box import CardBox
from tests.rigs.needing import skipped_where
from tests.rigs.picc_reader import VirtualIcc
from tests.rigs.vectors import vectors
from tests.rigs.virtual_card import VirtualCard

UID = bytes.fromhex("04A1B2C3D4E5F6")
READER = "Virtual PCD 00 00"
ANSWERS = [row for row in vectors("card_readers.tsv") if row[0] == "answer" and len(row[1]) >= len("9000")]


def _has_reader() -> bool:
    async def look() -> bool:
        terminal = PcscTerminal()
        try:
            await terminal.open()
            return any(seen.reader == READER for seen in await terminal.readers())
        except DriverError:
            return False
        finally:
            terminal.close()

    return asyncio.run(look())


needs_reader = skipped_where(
    not _has_reader(),
    "no pcscd with vsmartcard's virtual reader, or no pyscard",
    "apt-get install pcscd vsmartcard-vpcd swig gcc libpcsclite-dev, and pip install '.[cards]'",
)


async def _until(holds: Callable[[], bool], task: asyncio.Task[None]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            assert not task.done(), task
            await asyncio.sleep(0.02)


@needs_reader
def test_a_virtual_card_is_read() -> None:
    """Each time it is laid on, and once; the reader is found by a part of its name."""

    async def read() -> None:
        box = CardBox()
        driver = ContactlessReader(PcscTerminal(), READER, LoopClock(), box)
        task = asyncio.create_task(driver.run())
        await _until(lambda: driver.slots == {READER: Slot.EMPTY}, task)
        for count in (1, 2):
            async with VirtualCard(UID) as card:
                await _until(lambda count=count: len(box.seen) == count, task)  # type: ignore[misc]
                assert card.asked[-1] == bytes.fromhex("FFCA000000")
            await _until(lambda: driver.slots == {READER: Slot.EMPTY}, task)
        assert box.seen == [UID.hex().upper()] * 2
        task.cancel()
        await asyncio.wait({task})
        driver.stop()

    asyncio.run(read())


@needs_reader
def test_a_card_that_is_drawn_away_while_it_is_read_is_unread() -> None:
    """The driver says so and goes on: pcscd reports it as a command that was not carried out."""

    async def read() -> None:
        box = CardBox()
        driver = ContactlessReader(PcscTerminal(), READER, LoopClock(), box)
        task = asyncio.create_task(driver.run())
        await _until(lambda: driver.slots == {READER: Slot.EMPTY}, task)
        for card, seen in ((VirtualIcc(UID, flees=True), ""), (VirtualIcc(UID), UID.hex().upper())):
            count = len(box.seen) + 1
            async with card:
                await _until(lambda count=count: len(box.seen) == count, task)  # type: ignore[misc]
            await _until(lambda: driver.slots == {READER: Slot.EMPTY}, task)
            assert box.seen[-1] == seen
        task.cancel()
        await asyncio.wait({task})
        driver.stop()

    asyncio.run(read())


@needs_reader
@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: row[1])
def test_answers_through_pcscd(row: list[str]) -> None:
    """What a card answers reaches the driver whole."""

    async def read() -> None:
        box = CardBox()
        driver = ContactlessReader(PcscTerminal(), READER, LoopClock(), box)
        task = asyncio.create_task(driver.run())
        await _until(lambda: driver.slots == {READER: Slot.EMPTY}, task)
        async with VirtualIcc(UID, answer=bytes.fromhex(row[1])):
            await _until(lambda: bool(box.seen), task)
        assert box.seen == [row[2]]
        await _until(lambda: driver.slots == {READER: Slot.EMPTY}, task)
        task.cancel()
        await asyncio.wait({task})
        driver.stop()

    asyncio.run(read())


@needs_reader
def test_a_reader_that_is_not_there_is_named() -> None:
    """The error lists those that are."""

    async def read() -> None:
        driver = ContactlessReader(PcscTerminal(), "Nobody's", LoopClock(), CardBox())
        with pytest.raises(NoReplyError, match="Virtual PCD"):
            await driver.run()
        driver.stop()

    asyncio.run(read())


@skipped_where("smartcard" in sys.modules, "pyscard is installed here", "pip uninstall pyscard")
def test_without_pyscard_the_extra_is_named() -> None:
    """A configured reader without its library is a fault of the settings."""
    with pytest.raises(SettingsError, match="`cards`"):
        load()
