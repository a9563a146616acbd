"""M.8: each own pool with value, reset value, increment, limit, hits and wins, as a hand works them out."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.journal import rounds
from controller.journal.actor import Role
from controller.journal.pools import JournalPools, PoolKey
from controller.journal.transaction import Transaction
from games.bewitched.pays import POOL
from tests.rigs.books import segment, wager
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand
from tests.rigs.virtual_cabinet import only

pytestmark = pytest.mark.requirement("J1")

FIVE, TEN = PoolKey("bewitched", 5), PoolKey("bewitched", 10)


def rig(folder: Path) -> Rig:
    """Bewitched at coins of 0.05 and 0.10."""
    config = only(folder, "bewitched")
    return Rig(folder, config=replace(config, games=replace(config.games, coin_values_cents=(5, 10))))


def played(tx: Transaction) -> None:
    """At 0.10: bets of 15.00 and 10.00, a hit, a bet of 0.15, and a hit in a round that is void afterwards."""
    pools, numbers = JournalPools(tx), [rounds.begin(tx, wager(1), "null", segment(1, ends=True)) for _ in range(4)]
    for number, bet_cents in zip(numbers, (1_500, 1_000, 15, 0), strict=True):
        pools.contribute(TEN, POOL, number, bet_cents)
    assert pools.claim(TEN, POOL, numbers[1], 1) == 2_001
    assert pools.claim(TEN, POOL, numbers[3], 1) == 2_000
    pools.void(TEN, numbers[3])
    pools.void(TEN, numbers[3])


async def test_each_level_has_what_a_hand_works_out(tmp_path: Path) -> None:
    """2,000 coins are 200.00 at 0.10; 0.5 % of 25.00 is 0.125 on top, of which a hit takes one coin and 0.025 stay.

    0.5 % of 0.15 more is 0.02575. The hit of the void round is taken back as if it had never been.
    """
    async with rig(tmp_path) as cabinet:
        await cabinet.journal.do(lambda tx: tx.post("coin", credit=10_000, meters={"coins_in": 10_000}))
        await cabinet.journal.do(played)
        hand = Hand(cabinet)
        await hand.turn(Role.ATTENDANT)
        await hand.go("M.8")
        rows = [(row.label, row.value, row.count, row.cents) for row in hand.page.rows]
        terms = [("Increment, of each bet", "0.50 %", None, None)]
        unlimited = [("Limit", "none", None, None), ("Overflow beyond the limit", "none", None, None)]
        assert rows == [
            ("Bewitched", "coin value", None, 5),
            ("Value", "", None, 10_000),
            ("Paid if it is won now, in whole coins", "", None, 10_000),
            ("Reset value", "", None, 10_000),
            *terms,
            *unlimited,
            ("Hits", "", 0, None),
            ("Won by hits", "", None, 0),
            ("Bewitched", "coin value", None, 10),
            ("Value", "", None, 20_002),
            ("Paid if it is won now, in whole coins", "", None, 20_000),
            ("Reset value", "", None, 20_000),
            *terms,
            *unlimited,
            ("Hits", "", 1, None),
            ("Won by hits", "", None, 20_010),
        ]
        assert await cabinet.journal.do(lambda tx: JournalPools(tx).value(TEN, POOL)) == 20_002_575
        assert len(await cabinet.events("jackpot")) == 3


async def test_what_a_game_off_offer_has_collected_is_shown(tmp_path: Path) -> None:
    """It is players' money, and comes back with the game."""
    async with Rig(tmp_path, config=only(tmp_path, "neptune")) as cabinet:
        await cabinet.journal.do(lambda tx: tx.post("coin", credit=10_000, meters={"coins_in": 10_000}))
        await cabinet.journal.do(played)
        hand = Hand(cabinet)
        await hand.turn(Role.ATTENDANT)
        await hand.go("M.8")
        rows = [(row.label, row.cents) for row in hand.page.rows]
        assert [cents for label, cents in rows if label in ("Bewitched", "Value")] == [10, 20_002]
