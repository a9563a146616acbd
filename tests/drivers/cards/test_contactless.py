"""A PC/SC reader behind its port: one card's number, and every way in which there is none."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from drivers.cards.contactless import GET_UID, ContactlessReader
from drivers.cards.listener import is_card_number
from drivers.cards.terminal import Slot
from drivers.clock import LoopClock
from drivers.errors import DriverError, NoReplyError, PortError, SettingsError
from tests.rigs.card_box import CardBox
from tests.rigs.card_service import SimulatedService
from tests.rigs.vectors import vectors

NAME = "ACS ACR122U PICC Interface 00 00"
UID = bytes.fromhex("04A1B2C3D4E5F6")
ANSWERS = [row for row in vectors("cards.tsv") if row[0] == "answer"]


@asynccontextmanager
async def reading(
    *readers: str, device: str = "ACR122"
) -> AsyncIterator[tuple[SimulatedService, CardBox, asyncio.Task[None]]]:
    """A service with readers and the driver running."""
    service, box = SimulatedService(*readers), CardBox()
    driver = ContactlessReader(service, device, LoopClock(), box)
    task = asyncio.create_task(driver.run())
    await asyncio.sleep(0.1)
    try:
        yield service, box, task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, DriverError):
            await task
        driver.stop()


def test_the_command_is_the_specifications() -> None:
    """GET DATA for the UID, as part 3 writes it."""
    ((_, _, hex_, _),) = [row for row in vectors("cards.tsv") if row[0] == "apdu"]
    assert bytes.fromhex(hex_) == GET_UID


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: row[1])
async def test_an_answer_is_a_number_or_none(row: list[str]) -> None:
    """Numbers of cards that draw a new one each time, and refusals, are none."""
    async with reading(NAME) as (service, box, _task):
        service.answers[GET_UID] = bytes.fromhex(row[1])
        service.lay(NAME, UID)
        await asyncio.sleep(0.1)
        assert box.seen == [row[2]]
        assert not row[2] or is_card_number(row[2])


async def test_a_card_is_read_once_each_time_it_is_laid_on() -> None:
    """Lying there it is not read again, nor where it lay there before the driver began."""
    async with reading(NAME) as (service, box, _task):
        for count in (1, 2):
            service.lay(NAME, UID)
            await asyncio.sleep(5)
            assert box.seen == [UID.hex().upper()] * count
            service.take(NAME)
            await asyncio.sleep(0.1)
        service.lay(NAME, UID)
        await asyncio.sleep(0.1)
        again = CardBox()
        driver = ContactlessReader(service, "", LoopClock(), again)
        task = asyncio.create_task(driver.run())
        await asyncio.sleep(5)
        assert again.seen == []
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_two_cards_at_once_are_none() -> None:
    """A reader that sees several answers to none, or shows them in two slots."""
    second = "ACS ACR122U PICC Interface 00 01"
    async with reading(NAME, second) as (service, box, _task):
        service.lay(NAME, UID, Slot.MUTE)
        await asyncio.sleep(0.1)
        assert box.seen == [""]
        service.take(NAME)
        service.lay(NAME, UID)
        service.lay(second, UID[::-1])
        await asyncio.sleep(0.1)
        assert box.seen == ["", ""]
        service.drawn_away = True
        service.take(second)
        service.take(NAME)
        service.lay(NAME, UID)
        await asyncio.sleep(0.1)
        assert box.seen == ["", "", ""]


async def test_a_pulled_reader_is_lost() -> None:
    """The error names what was looked for and what is there."""
    async with reading(NAME) as (service, _box, task):
        service.pull(NAME)
        service.plug("Other Reader 01 00")
        with pytest.raises(NoReplyError, match=r"'ACR122' .*Other Reader 01 00.*plug it in"):
            await task


async def test_without_the_service_nothing_is_read() -> None:
    """Absent at the start, or ended in between: the error names pcscd."""
    async with reading(NAME) as (service, _box, task):
        service.stop()
        with pytest.raises(PortError, match="pcscd"):
            await task
        with pytest.raises(PortError, match="pcscd"):
            await ContactlessReader(service, "", LoopClock(), CardBox()).run()


async def test_of_two_readers_one_is_to_be_named() -> None:
    """Two of that name are refused with the key to set."""
    async with reading(NAME, "Other Reader 01 00", device="") as (_service, _box, task):
        with pytest.raises(SettingsError, match=r"several readers .*cards\.device"):
            await task
