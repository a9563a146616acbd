"""What an acceptor has kept since it was read is credit, or in an open item whose bounds contain it.

Over coins, doors, crashes, locks, full disks, and the power of the device and of the computer, in any order.
"""

import random
from pathlib import Path

import pytest

from tests.rigs.coin_histories import SLOTS, History

ACTS = 10
HISTORIES = [
    *range(8),
    *(pytest.param(seed, marks=pytest.mark.proof) for seed in range(8, 200)),
]


@pytest.mark.parametrize("seed", HISTORIES)
@pytest.mark.parametrize("kind", SLOTS)
async def test_every_coin_is_credit_or_within_an_item(kind: str, seed: int, tmp_path: Path) -> None:
    """And where neither power nor program failed there is no item."""
    slot = SLOTS[kind](tmp_path)
    history = History(slot, random.Random(seed))
    items = await history.run(ACTS)
    missing = slot.taken_cents() - slot.cabinet.credit
    bounds = [item.amount_cents for item in items]
    assert missing >= sum(item.least_cents for item in items), history.told
    assert None in bounds or missing <= sum(cents or 0 for cents in bounds), history.told
    if not history.power_failed and (kind == "cctalk" or not history.died):
        assert items == [], history.told
    await slot.cabinet.kill()
