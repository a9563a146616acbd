"""A million random bytes at the driver of each validator while it waits for notes: no money, and then it takes one."""

from collections.abc import Callable

import pytest

from tests.rigs.bill_rig import NOTE, check_accounted
from tests.rigs.noise import Noise
from tests.rigs.validator_rigs import LANGUAGES

pytestmark = pytest.mark.proof

BYTES = 1_000_000


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
