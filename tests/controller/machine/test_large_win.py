"""What the end of a round may stop: a large win until the attendant has seen it, and money in that cannot be."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from controller.books.audit import audit
from controller.configuration.cabinet_toml import Config
from controller.machine.states import State
from controller.rounds.draws import DrawSource, seeded_source
from drivers.capabilities import CoinReport
from gamekit.double_up import COLLECT, RED
from gamekit.play import Draw
from tests.games.bewitched_table import MOONS
from tests.games.table import Script
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.seeds import CHESTS, FREE_SPINS, LOSING, WIN_CENTS, WINNING
from tests.rigs.spoiled_books import spoil
from tests.rigs.virtual_cabinet import only

RED_CARD = 0


def limited(folder: Path, game: str = "neptune", **limits: int) -> Config:
    """The sample cabinet with that game alone, and these limits."""
    config = only(folder, game)
    return msgspec.structs.replace(config, limits=msgspec.structs.replace(config.limits, **limits))


def doubling(*values: int) -> DrawSource:
    """Draws of one round after the other: `values`, then zeros."""
    script = Script([*values, *[0] * 50])

    def draws(_round: int, _segment: int) -> Draw:
        return script

    return draws


async def to_the_end(rig: Rig) -> None:
    """Play the round to its end: open any chest, start any free spins, gamble nothing."""
    await rig.press("spin")
    for _ in range(400):
        await asyncio.sleep(0.5)
        if rig.machine.states.state is State.OFFER:
            await rig.press("spin")
        if rig.machine.states.state is State.IDLE:
            return
    raise AssertionError(f"still {rig.shown}")


@pytest.mark.requirement("B10")
async def test_a_large_win_locks_up_until_the_attendant_has_seen_it(tmp_path: Path) -> None:
    """After its show: no play, no money, no COLLECT, the tower calls; the key gives back the game as it was."""
    config = limited(tmp_path, large_win_cents=WIN_CENTS)
    async with Rig(tmp_path, config=config, draws=seeded_source(WINNING), hopper=PlainHopper()) as rig:
        await rig.game(2000)
        calm = rig.front.light
        await rig.press("spin")
        await rig.until("round")
        await rig.until("large_win")
        view = rig.screen.view
        credit = rig.credit
        assert (view.past.large_win_cents, view.balance.credit_cents, rig.notices()) == (
            WIN_CENTS,
            credit,
            {"large_win"},
        )
        assert rig.front.light != calm
        assert (rig.front.coins, rig.front.notes, dict(rig.front.lit)) == (False, frozenset(), {"service": "on"})
        for control in ("spin", "collect", "max_bet", "home"):
            await rig.press(control)
        await rig.turn_key("technician")
        assert (rig.shown, rig.credit, await rig.meter("games")) == ("large_win", credit, 1)
        await rig.turn_key("attendant")
        view = rig.screen.view
        assert (rig.shown, view.round.win_cents, view.past.large_win_cents, rig.credit) == (
            "idle",
            WIN_CENTS,
            0,
            credit,
        )
        assert (rig.front.coins, rig.front.light) == (True, calm)
        assert (await rig.meter("wins"), await rig.meter("hand_pay")) == (WIN_CENTS, 0)
        assert await rig.events("large_win") == [f"Large win of {WIN_CENTS} cents in round 1"]
        await rig.press("spin")
        assert rig.shown == "round"


@pytest.mark.parametrize("limit", [0, WIN_CENTS + 1])
async def test_a_lesser_win_does_not_lock_up(tmp_path: Path, limit: int) -> None:
    """One cent below the limit, and any win where the limit is 0, play goes on."""
    config = limited(tmp_path, large_win_cents=limit)
    async with Rig(tmp_path, config=config, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        await to_the_end(rig)
        assert (rig.shown, await rig.meter("wins")) == ("idle", WIN_CENTS)


@pytest.mark.requirement("B10")
@pytest.mark.parametrize("seed", [CHESTS, FREE_SPINS])
async def test_a_feature_counts_with_the_game_that_won_it(tmp_path: Path, seed: int) -> None:
    """The whole round's total is what is large, though none of its segments won as much."""
    async with Rig(tmp_path, draws=seeded_source(seed)) as rig:
        await rig.game(2000)
        await to_the_end(rig)
        total = await rig.meter("wins")
        parts = [int(str(win)) for (win,) in await rig.rows("SELECT win_cents FROM segments")]
        assert max(parts) < total == sum(parts)
    folder = tmp_path / "again"
    folder.mkdir()
    config = limited(folder, large_win_cents=total)
    async with Rig(folder, config=config, draws=seeded_source(seed)) as rig:
        await rig.game(2000)
        await to_the_end(rig)
        assert (rig.shown, rig.screen.view.past.large_win_cents) == ("large_win", total)


@pytest.mark.requirement("B10")
async def test_a_gamble_counts_with_the_game_that_was_gambled_on(tmp_path: Path) -> None:
    """A win doubled to the limit locks up at the round's end, not as long as it is at risk."""
    async with Rig(tmp_path, config=limited(tmp_path, "bewitched"), draws=doubling(*MOONS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("gamble_offer")
        total = 2 * rig.screen.view.round.at_risk_cents
    folder = tmp_path / "again"
    folder.mkdir()
    config = limited(folder, "bewitched", large_win_cents=total)
    async with Rig(folder, config=config, draws=doubling(*MOONS, RED_CARD)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("gamble_offer")
        await rig.press("max_bet")
        for answer in (RED, COLLECT):
            await rig.until("gamble")
            await rig.press(f"choice:{answer}", 0.5)
        await rig.until("large_win")
        assert (rig.screen.view.past.large_win_cents, await rig.meter("wins")) == (total, total)


@pytest.mark.requirement("P5")
async def test_a_large_win_is_locked_up_over_every_power_cut_and_booked_once(tmp_path: Path) -> None:
    """Cut within its show it locks up after it is shown again; cut in the lock-up it stays; cleared it is over."""
    config = limited(tmp_path, large_win_cents=WIN_CENTS)
    async with Rig(tmp_path, config=config, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.3)
        assert await rig.rows("SELECT state, win_cents FROM rounds") == [("settled", WIN_CENTS)]
        for _ in range(2):
            await rig.restart(until="round")
        await rig.until("large_win")
        for _ in range(2):
            await rig.restart(until="large_win")
            await rig.until_true(lambda: rig.screen.view.past.large_win_cents == WIN_CENTS)
            assert not rig.front.coins
        await rig.turn_key("attendant")
        assert rig.shown == "idle"
        await rig.restart(until="idle")
        assert rig.notices() == set()
        assert (await rig.meter("wins"), len(await rig.events("large_win"))) == (WIN_CENTS, 1)
    assert audit(rig.path, lambda _what, _done, _total: None).failures == []


@pytest.mark.requirement("B10")
async def test_a_large_win_that_cannot_be_shown_again_locks_up_all_the_same(tmp_path: Path) -> None:
    """What was booked in full and then does not replay loses its sight, not the attendant's (invariant 4)."""
    config = limited(tmp_path, large_win_cents=WIN_CENTS)
    async with Rig(tmp_path, config=config, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.3)
        await spoil(rig, "DROP TRIGGER segments_no_update", "UPDATE segments SET steps_sha256 = zeroblob(32)")
        await rig.start(until="large_win")
        await rig.turn_key("attendant")
        assert (rig.shown, await rig.meter("wins")) == ("idle", WIN_CENTS)
        await rig.restart(until="idle")


async def test_a_large_win_ends_autospin(tmp_path: Path) -> None:
    """No further round begins by itself behind the lock-up."""
    config = limited(tmp_path, large_win_cents=WIN_CENTS)
    async with Rig(tmp_path, config=config, draws=seeded_source(WINNING)) as rig:
        await rig.game(2000)
        await rig.press("auto")
        await rig.press("auto:start")
        await rig.until("large_win")
        await asyncio.sleep(20.0)
        assert await rig.meter("games") == 1
        await rig.turn_key("attendant")
        await asyncio.sleep(20.0)
        assert (rig.shown, rig.screen.view.message) == ("idle", "autospin_interrupted")
        assert await rig.meter("games") == 1


@pytest.mark.requirement("M8")
@pytest.mark.parametrize("kind", ["coins", "notes"])
async def test_money_in_that_cannot_be_stops_the_machine(tmp_path: Path, kind: str) -> None:
    """As much as the limit since the last round is a fault at the next one's end, cleared once and for all."""
    config = limited(tmp_path, coins_jump_cents=1000, notes_jump_cents=1000)
    async with Rig(tmp_path, config=config, draws=seeded_source(LOSING)) as rig:
        counter = 0

        async def insert(cents: int) -> None:
            nonlocal counter
            if kind == "notes":
                assert await rig.note(cents)
            else:
                counter += 1
                await rig.listener.coins(CoinReport(serial=7, counter=counter, values_cents=(cents,)))

        await insert(500)
        await rig.until("idle")
        await to_the_end(rig)
        assert rig.shown == "idle"
        await insert(500)
        await rig.restart(until="idle")
        await insert(500)
        assert rig.shown == "idle"
        await to_the_end(rig)
        assert [(fault.code, fault.place) for fault in rig.machine.conditions.faults] == [("meter_jump", kind)]
        await rig.restart(until="tilted")
        await rig.turn_key("attendant")
        await to_the_end(rig)
        assert (rig.shown, rig.notices()) == ("idle", set())
