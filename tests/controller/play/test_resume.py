"""A round that had ended in the books but not on the screen is shown again, from its start and once."""

from pathlib import Path

import pytest

from controller.rounds.draws import seeded_source
from controller.rounds.randomness import RandomnessError
from gamekit.play import Draw
from tests.rigs.configurations import narrower
from tests.rigs.machine import Rig
from tests.rigs.seeds import CHESTS
from tests.rigs.virtual_cabinet import only

pytestmark = pytest.mark.requirement("P1", "P3")


async def test_a_cut_within_the_last_show_shows_it_again(tmp_path: Path) -> None:
    """The reels that turned when the power went turn again, to the same end; nothing is staked or won anew."""
    async with Rig(tmp_path) as rig:
        await rig.note(2000)
        await rig.until("idle")
        await rig.press("spin", 0.3)
        assert rig.shown == "round"
        shown, credit = rig.screen.shows, rig.credit
        await rig.restart(until="recovering")
        assert rig.screen.view.round.resumed
        await rig.until("round")
        assert shown == rig.screen.shows
        await rig.until("idle")
        assert credit == rig.credit == rig.screen.view.balance.credit_cents


@pytest.mark.requirement("P2")
async def test_a_round_that_was_seen_to_its_end_is_not_shown_again(tmp_path: Path) -> None:
    """After a cut in the idle game the reels show the stops of before, and nothing moves."""
    async with Rig(tmp_path) as rig:
        await rig.note(2000)
        await rig.until("idle")
        await rig.press("spin")
        await rig.until("round")
        await rig.until("idle")
        scene = rig.screen.view.round.scene
        await rig.restart(until="idle")
        assert rig.screen.shows == []
        assert bytes(scene) == bytes(rig.screen.view.round.scene)


@pytest.mark.requirement("R1")
async def test_a_broken_generator_locks_before_anything_is_staked(tmp_path: Path) -> None:
    """Where the health tests fail no round begins, the stake stays, and only a restart leads out."""

    def broken(_round: int, _segment: int) -> Draw:
        def draw(_bound: int, /) -> int:
            raise RandomnessError("byte 7 came 6 times in a row: the generator is stuck")

        return draw

    async with Rig(tmp_path, draws=broken) as rig:
        await rig.note(2000)
        await rig.until("idle")
        await rig.press("spin")
        await rig.until("locked")
        assert rig.screen.view.notices[0].code == "randomness"
        assert (rig.credit, rig.front.coins, rig.screen.shows) == (2000, False, [])


async def test_a_resumed_bet_that_is_no_longer_offered_is_played_out_and_forgotten(tmp_path: Path) -> None:
    """A round begun before the configuration changed goes on at its bet, and no other is staked at that bet."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        rig.config = narrower(rig.config)
        await rig.restart(until="offer")
        assert rig.machine.play.bet.coin_value_cents == 10
        while rig.shown == "offer":
            await rig.press("spin", 1.5)
        await rig.until_true(lambda: rig.shown == "idle" and rig.machine.play.bet.coin_value_cents == 20)
        assert await rig.rows("SELECT coin_value_cents, state FROM rounds") == [(10, "settled")]


async def test_a_resumed_game_that_is_no_longer_offered_is_left_at_its_end(tmp_path: Path) -> None:
    """A round of a game taken out of the configuration goes on to its end; then the games that are left are shown."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        rig.config = only(tmp_path, "mystery_elves")
        await rig.restart(until="offer")
        while rig.shown == "offer":
            await rig.press("spin", 1.5)
        await rig.until_true(lambda: rig.screen.view.game == "mystery_elves")
        assert (rig.shown, await rig.meter("games")) == ("idle", 1)
