"""What the games' features ask of the machine: pools that answer, players who are gone."""

from pathlib import Path

import pytest

from controller.journal.pools import JournalPools, PoolKey, whole_coins
from controller.journal.transaction import Transaction
from controller.play.answering import ABSENT_MINUTES
from controller.rounds.draws import seeded_source
from gamekit.beats import Begin
from games.bewitched.pays import POOL
from tests.games.mona_lisa_table import BEHIND, NOTHING, palettes, trigger
from tests.games.table import Script
from tests.rigs.bewitched import MERLINS_JACKPOT, bewitched
from tests.rigs.machine import Rig
from tests.rigs.rounds import to_the_end
from tests.rigs.seeds import CHESTS, FREE_SPINS
from tests.rigs.virtual_cabinet import only

LINES, COINS, VALUE = 15, 1, 10
KEY = PoolKey("bewitched", VALUE)


async def pool_millicents(rig: Rig) -> int:
    """What the pool is worth."""
    return await rig.journal.do(lambda tx: JournalPools(tx).value(KEY, POOL))


@pytest.mark.requirement("J5")
async def test_a_jackpot_pays_the_whole_coins_of_its_pool_once(tmp_path: Path) -> None:
    """The bet feeds the pool, the claim takes its whole coins, and the rest stays above the new seed."""
    async with bewitched(tmp_path, *MERLINS_JACKPOT) as rig:
        await rig.game(2000)
        stake = rig.machine.play.bet.cents
        value = POOL.seed_coins * VALUE * 1000 + stake * POOL.growth_per_mille
        coins = whole_coins(value, VALUE)
        await rig.press("spin")
        await to_the_end(rig)
        paid = rig.credit - 2000 + stake
        assert paid >= coins * VALUE
        claims = await rig.journal.do(lambda tx: tx.execute("SELECT coins FROM claims").fetchall())
        assert claims == [(coins,)]
        rest = value - coins * VALUE * 1000
        assert await pool_millicents(rig) == POOL.seed_coins * VALUE * 1000 + rest


async def test_a_jackpot_cut_at_any_moment_is_paid_once(tmp_path: Path) -> None:
    """However often the power goes while the jackpot is won, the pool pays once and the books balance."""
    async with bewitched(tmp_path, *MERLINS_JACKPOT) as rig:
        await rig.game(2000)
        await rig.press("spin")
        for _ in range(12):
            await rig.restart()
            await rig.until_true(lambda: rig.shown in ("offer", "round", "gamble_offer"))
            if rig.shown == "gamble_offer":
                break
            await rig.press("spin", 0.7)
        await to_the_end(rig)
        claims = await rig.journal.do(lambda tx: tx.execute("SELECT count(*) FROM claims").fetchall())
        assert claims == [(1,)]
        await rig.journal.do(lambda tx: tx.audit())


async def test_each_feature_of_a_round_waits_for_its_own_press(tmp_path: Path) -> None:
    """Jewel spins wait for a press, and the free spins they win for another; the spins after the first for none."""
    script = Script([trigger("queen"), *BEHIND, *palettes(3)[1:], *BEHIND, *NOTHING * 10])

    game = only(tmp_path, "mona_lisa_jewels")
    async with Rig(tmp_path, draws=lambda _round, _segment: script, config=game) as rig:
        await rig.game(2000)
        await rig.press("spin")
        for left in (2, 10):
            await rig.until("offer", 60.0)
            await rig.machine.clock.sleep(600.0)
            assert rig.shown == "offer"
            assert rig.machine.play.offer == Begin(left)
            await rig.press("spin")
        await rig.until("idle", 120.0)
        assert script.spent


async def test_a_round_without_its_player_finishes_by_itself(tmp_path: Path) -> None:
    """After 120 powered-on hours the free spins play on, and their wins are the credit's; not an hour before."""
    async with Rig(tmp_path, draws=seeded_source(FREE_SPINS)) as rig:
        await rig.note(2000)
        await rig.until("idle")
        await rig.press("spin")
        await rig.until("offer")
        (waited,) = await rig.journal.do(lambda tx: tx.execute("SELECT waited_minutes FROM rounds").fetchone())
        assert waited == 0
        await rig.journal.do(
            lambda tx: tx.execute("UPDATE rounds SET waited_minutes = ?", (ABSENT_MINUTES - 3,)).rowcount
        )
        await rig.restart(until="offer")
        await rig.machine.clock.sleep(150.0)
        assert rig.shown == "offer"
        await rig.until("round", 60.0)
        await rig.until("idle", 120.0)
        assert rig.credit > 2000 - rig.machine.play.bet.cents


async def test_picks_of_a_player_who_is_gone_are_drawn(tmp_path: Path) -> None:
    """The chests of an abandoned round are opened by a fair draw, all of them without further waiting."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.note(2000)
        await rig.until("idle")
        await rig.press("spin")
        await rig.until("offer")
        await rig.journal.do(
            lambda tx: tx.execute("UPDATE rounds SET waited_minutes = ?", (ABSENT_MINUTES - 1,)).rowcount
        )
        await rig.until("idle", 240.0)
        answers = await rig.journal.do(
            lambda tx: tx.execute("SELECT answer FROM segments WHERE answer IS NOT NULL ORDER BY number").fetchall()
        )
        assert len({answer for (answer,) in answers}) == len(answers) >= 3


async def test_a_cut_while_a_round_finishes_by_itself_waits_no_second_time(tmp_path: Path) -> None:
    """The 120 hours without the player are over for the whole round: after a power cut it goes on within a minute."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.note(2000)
        await rig.until("idle")
        await rig.press("spin")
        await rig.until("offer")
        await rig.journal.do(
            lambda tx: tx.execute("UPDATE rounds SET waited_minutes = ?", (ABSENT_MINUTES - 1,)).rowcount
        )
        await rig.until("round", 61.0)
        assert await rig.rows("SELECT count(*) FROM segments") == [(2,)]
        await rig.restart(until="offer")
        await rig.until("idle", 90.0)


async def test_nothing_is_staked_for_a_pool_that_is_not_playable(tmp_path: Path) -> None:
    """A pool whose row says less than nothing locks the cabinet before a stake is taken for it."""

    def spoil(tx: Transaction) -> None:
        tx.execute("PRAGMA ignore_check_constraints = ON")
        tx.execute("INSERT INTO pools (game, coin_value_cents, growth_millicents) VALUES (?, ?, -1)", KEY)
        tx.execute("PRAGMA ignore_check_constraints = OFF")

    async with bewitched(tmp_path, *MERLINS_JACKPOT) as rig:
        await rig.game(2000)
        await rig.journal.do(spoil)
        await rig.press("spin")
        await rig.until("locked")
        assert (rig.credit, await rig.meter("games"), rig.screen.shows) == (2000, 0, [])
