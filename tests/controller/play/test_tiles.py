"""What the screen shows of each game before it is played: jackpots, bets, potions (rule pages)."""

from pathlib import Path

import msgspec
import pytest

from controller.journal.pools import JournalPools, PoolKey
from controller.play.tiles import POOLS_S
from gamekit.catalogue import load
from gamekit.play import Draw
from games.bewitched.pays import POOL
from games.mona_lisa_jewels.play import at_highest_bet
from games.witch_feature import WitchScene
from games.witch_feature.play import PAID_REELS
from tests.games import witch_table
from tests.games.table import Script
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import only
from ui.protocol.view_parts import Jackpot

SEEDS = {
    "bewitched": Jackpot(cents=20_000, coin_value_cents=10),
    "mona_lisa_jewels": Jackpot(cents=500_000, coin_value_cents=10, lines=25, coins_per_line=10),
}
"""At the usual coin value, 0.10: 2,000 coins at any bet, and 50,000 at the highest."""

BLUE_AND_RED = tuple(sorted((witch_table.B, witch_table.R)))
RED_AND_BLUE = witch_table.losing(PAID_REELS, {1: witch_table.R, 3: witch_table.B})


async def grow(rig: Rig, key: PoolKey, cents: int) -> None:
    """Let another bet raise a pool."""
    await rig.journal.do(
        lambda tx: (
            tx.execute(
                "INSERT INTO pools (game, coin_value_cents, growth_millicents) VALUES (?, ?, ?)", (*key, cents * 1000)
            ).rowcount
        )
    )


async def test_attract_and_lobby_show_jackpots_and_bets(tmp_path: Path) -> None:
    """The pool of each game at the coin value that would be played, and the lowest and highest bet of each game."""
    names = ("neptune", "bewitched", "mona_lisa_jewels", "mystery_elves", "witch_feature")
    async with Rig(tmp_path, config=only(tmp_path, *names)) as rig:
        await rig.until_true(lambda: rig.screen.view.lobby.jackpots != {})
        assert (rig.shown, rig.screen.view.lobby.jackpots) == ("attract", SEEDS)
        assert rig.screen.view.lobby.bet_ranges == {
            "neptune": (1, 7500),
            "bewitched": (1, 15_000),
            "mona_lisa_jewels": (1, 25_000),
            "mystery_elves": (10, 8000),
            "witch_feature": (50, 8000),
        }
        assert rig.screen.view.terms.jackpot_cents == 0


@pytest.mark.parametrize("name", ["bewitched", "mona_lisa_jewels"])
async def test_the_lobby_s_jackpot_is_the_one_that_is_played_for(tmp_path: Path, name: str) -> None:
    """What a tile promises is what the counter shows once the game is open: the highest pool may be another's."""

    async def open_from_lobby(rig: Rig) -> None:
        promised = rig.screen.view.lobby.jackpots[name]
        await rig.press(f"game:{name}")
        await rig.press("spin" if rig.shown == "witch" else "")
        view = rig.screen.view
        assert view.bet is not None
        assert (view.terms.jackpot_cents, view.bet.coin_value_cents) == (promised.cents, promised.coin_value_cents)

    async with Rig(tmp_path, config=only(tmp_path, name, "neptune")) as rig:
        for value, cents in ((1, 9_000_000), (10, 31), (50, 57)):
            await grow(rig, PoolKey(name, value), cents)
        await rig.machine.clock.sleep(POOLS_S + 0.5)
        assert rig.screen.view.lobby.jackpots[name].cents == SEEDS[name].cents + 31
        assert await rig.note(5000)
        await rig.until("lobby")
        await open_from_lobby(rig)
        for _ in range(2):
            await rig.press("coin_value")
        await rig.press("home")
        assert rig.screen.view.lobby.jackpots[name].cents == SEEDS[name].cents * 5 + 57
        await open_from_lobby(rig)
        await rig.press("home")
        await rig.press("game:neptune")
        await rig.press("home")
        assert rig.screen.view.lobby.jackpots[name] == msgspec.structs.replace(
            SEEDS[name], cents=SEEDS[name].cents + 31
        )
        await open_from_lobby(rig)


@pytest.mark.parametrize("name", ["bewitched", "mona_lisa_jewels"])
def test_the_bet_that_is_named_is_the_one_that_wins_the_pool(name: str) -> None:
    """Mona Lisa Jewels' pool is claimed at the highest bet alone, Bewitched's at every bet."""
    game = load(name)
    stakes = game.stakes()
    playing = [stake for stake in stakes if name == "bewitched" or at_highest_bet(stake)]
    named = SEEDS[name]
    assert game.pool_at_highest_bet == (playing != stakes)
    assert not named.lines or [(named.lines, named.coins_per_line)] == [(s.lines, s.coins_per_line) for s in playing]


@pytest.mark.requirement("J2")
async def test_the_counter_shows_the_pool_of_the_chosen_coin_value(tmp_path: Path) -> None:
    """Each coin value has its own pool; what it grows by shows within three seconds, without a press."""
    async with Rig(tmp_path, config=only(tmp_path, "bewitched")) as rig:
        await rig.game(2000)
        await rig.until_true(lambda: rig.screen.view.terms.jackpot_cents == POOL.seed_coins * 10)
        await rig.press("coin_value")
        assert rig.screen.view.terms.jackpot_cents == POOL.seed_coins * 20
        await grow(rig, PoolKey("bewitched", 20), 77)
        await rig.machine.clock.sleep(POOLS_S + 0.5)
        assert rig.screen.view.terms.jackpot_cents == POOL.seed_coins * 20 + 77
        grown = Jackpot(cents=POOL.seed_coins * 20 + 77, coin_value_cents=20)
        assert rig.screen.view.lobby.jackpots == {"bewitched": grown}


async def test_a_past_round_shows_no_pool_of_today(tmp_path: Path) -> None:
    """What it was played for has changed since: the counter is back with the player's own game."""
    async with Rig(tmp_path, config=only(tmp_path, "bewitched")) as rig:
        await rig.game(2000)
        await rig.until_true(lambda: rig.screen.view.terms.jackpot_cents > 0)
        await rig.press("spin")
        while rig.shown != "idle":
            await rig.press({"offer": "spin", "gamble_offer": "collect"}.get(rig.shown, ""), 0.5)
        counter = rig.screen.view.terms.jackpot_cents
        await rig.press("history")
        await rig.press("history:1")
        await rig.until("replay")
        assert rig.screen.view.terms.jackpot_cents == 0
        await rig.press("history:close")
        await rig.press("history:close")
        assert (rig.shown, rig.screen.view.terms.jackpot_cents) == ("idle", counter)


async def test_the_counter_is_read_every_three_seconds_and_no_sooner(tmp_path: Path) -> None:
    """However many pictures are drawn meanwhile."""
    async with Rig(tmp_path, config=only(tmp_path, "bewitched")) as rig:
        await rig.game(2000)
        await rig.machine.clock.sleep(POOLS_S)
        shown = rig.screen.view.terms.jackpot_cents
        await grow(rig, PoolKey("bewitched", 10), 5)
        seen = []
        for _ in range(12):
            await rig.press("sound", 0.25)
            seen.append(rig.screen.view.terms.jackpot_cents)
        assert set(seen) == {shown, shown + 5}
        assert seen == sorted(seen)


async def test_a_claim_takes_the_pool_and_not_the_counter(tmp_path: Path) -> None:
    """What the counter last showed changes no pool."""
    async with Rig(tmp_path, config=only(tmp_path, "bewitched")) as rig:
        await rig.game(2000)
        await rig.machine.clock.sleep(POOLS_S)
        key = PoolKey("bewitched", 10)
        await grow(rig, key, 1)
        value = await rig.journal.do(lambda tx: JournalPools(tx).value(key, POOL))
        assert value == 1000 * (rig.screen.view.terms.jackpot_cents + 1)


def witch(folder: Path) -> Rig:
    """A cabinet with Witch Feature alone, whose first round collects a red and a blue potion."""
    script = Script([*RED_AND_BLUE, *[0] * 50])

    def draws(_round: int, _segment: int) -> Draw:
        return script

    return Rig(folder, draws=draws, config=only(folder, "witch_feature"))


def carried(rig: Rig) -> tuple[str, ...]:
    """The potions that the screen shows."""
    return msgspec.json.decode(rig.screen.view.round.scene, type=WitchScene).carried


async def test_potions_are_seen_before_the_stake(tmp_path: Path) -> None:
    """Each bet shows its own potions, on entering, after a step of the bet and after a restart."""
    async with witch(tmp_path) as rig:
        await rig.game(2000)
        assert carried(rig) == ()
        await rig.press("spin")
        await rig.until("round")
        await rig.until("idle")
        assert carried(rig) == BLUE_AND_RED
        await rig.press("bet")
        assert carried(rig) == ()
        await rig.restart(until="idle")
        assert carried(rig) == ()
        await rig.press("lines")
        assert carried(rig) == BLUE_AND_RED
        await rig.press("home")
        await rig.press("spin")
        assert (rig.shown, carried(rig)) == ("idle", BLUE_AND_RED)
        await rig.restart(until="idle")
        assert carried(rig) == BLUE_AND_RED
