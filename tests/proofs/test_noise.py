"""A million random bytes at the driver of each validator and of the ccTalk hopper: no money, and then it works."""

import asyncio
from collections.abc import Callable

import pytest

from drivers.capabilities import PayoutEnd
from drivers.simulated.cctalk.hopper import SimulatedHopper
from tests.rigs.bill_rig import NOTE, check_accounted
from tests.rigs.cash_desk import CashDesk, served
from tests.rigs.cctalk_books import PayoutBooks
from tests.rigs.noise import Noise
from tests.rigs.validator_rigs import LANGUAGES

pytestmark = pytest.mark.proof

BYTES = 1_000_000
ORDER = 5


@pytest.mark.parametrize("name", LANGUAGES)
async def test_a_million_random_bytes_are_no_note(name: str, record_property: Callable[[str, object], None]) -> None:
    """In the place of each answer, from the poll on: nothing is credited, and nothing is an open item."""
    noise = Noise()
    rig = LANGUAGES[name](noise)
    await rig.start()
    await noise.flood(BYTES)
    assert (rig.books.credit_cents, rig.books.open_items, rig.books.redeemed) == (0, [], [])
    await rig.settle(90)
    rig.device.insert(NOTE)
    await rig.settle(60)
    await rig.end()
    check_accounted(rig)
    assert rig.books.credit_cents == NOTE
    record_property("proof", f"{name}: {noise.said} random bytes at its driver, then one note")


async def test_a_million_random_bytes_pay_no_coin(record_property: Callable[[str, object], None]) -> None:
    """In the place of each answer of a ccTalk hopper: nothing is paid or booked, then a payout is paid."""
    noise = Noise()
    desk = CashDesk(SimulatedHopper(stock=500), PayoutBooks(), incident=noise)

    async def scene() -> None:
        await asyncio.sleep(10)
        await noise.flood(BYTES)
        assert (desk.tray, desk.books.paid, desk.books.strays) == ([], 0, 0)
        await asyncio.sleep(60)
        assert await desk.attempts(ORDER) is PayoutEnd.DONE

    await served(desk, scene())
    assert (len(desk.tray), desk.books.paid, desk.books.strays) == (ORDER, ORDER, 0)
    record_property("proof", f"cctalk hopper: {noise.said} random bytes at its driver, then {ORDER} coins")
