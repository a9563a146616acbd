"""Bewitched's witch on the machine: chosen on entering, changed in the paytable, unknown to the play (rule page, 2)."""

from pathlib import Path

import pytest

from controller.rounds.draws import seeded_source
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import only


async def enter(rig: Rig) -> None:
    """Put money in, which opens the only game."""
    await rig.note(2000)
    await rig.until("witch")


@pytest.mark.parametrize("controls", [("bet", "spin"), ("lines", "spin"), ("witch:1",)])
async def test_the_player_picks_a_witch_on_entering(tmp_path: Path, controls: tuple[str, ...]) -> None:
    """By the panel or by touch; the pick is kept over a power cut and offered first the next time."""
    async with Rig(tmp_path, config=only(tmp_path, "bewitched", "neptune")) as rig:
        await rig.note(2000)
        await rig.until("lobby")
        await rig.press("game:bewitched")
        assert (rig.shown, rig.screen.view.focus, rig.screen.view.game) == ("witch", "witch:0", "bewitched")
        assert {"witch:0", "witch:1", "home"} <= rig.machine.states.controls
        for control in controls:
            await rig.press(control)
        assert (rig.shown, rig.screen.view.terms.witch) == ("idle", 1)
        await rig.restart(until="idle")
        assert rig.screen.view.terms.witch == 1
        await rig.press("home")
        await rig.press("spin")
        assert (rig.shown, rig.screen.view.focus) == ("witch", "witch:1")


async def test_a_cut_before_the_pick_asks_again(tmp_path: Path) -> None:
    """Nobody plays Bewitched without having picked."""
    async with Rig(tmp_path, config=only(tmp_path, "bewitched")) as rig:
        await enter(rig)
        await rig.restart(until="witch")
        await rig.press("witch:0")
        assert rig.shown == "idle"


@pytest.mark.parametrize("leave", ["collect", "home"])
async def test_the_pick_can_be_left_for_the_lobby(tmp_path: Path, leave: str) -> None:
    """Nothing is staked or paid out by leaving."""
    async with Rig(tmp_path, config=only(tmp_path, "bewitched")) as rig:
        await enter(rig)
        await rig.press(leave)
        assert (rig.shown, rig.credit) == ("lobby", 2000)


async def test_the_witch_is_changed_in_the_paytable(tmp_path: Path) -> None:
    """By touch, or with MAX BET, which is dead in the paytables of the other games."""
    async with Rig(tmp_path, config=only(tmp_path, "bewitched", "neptune")) as rig:
        await rig.note(2000)
        await rig.until("lobby")
        await rig.press("game:bewitched")
        await rig.press("spin")
        await rig.press("info")
        assert rig.front.lit["max_bet"] == "on"
        await rig.press("max_bet")
        assert (rig.shown, rig.screen.view.terms.witch, rig.screen.view.focus) == ("paytable", 1, "page:0")
        await rig.press("witch:0")
        assert (rig.shown, rig.screen.view.terms.witch) == ("paytable", 0)
        await rig.press("paytable_close")
        await rig.press("home")
        await rig.press("game:neptune")
        await rig.press("info")
        assert not {"max_bet", "witch:0", "witch:1"} & rig.machine.states.controls


async def test_the_pick_changes_no_draw(tmp_path: Path) -> None:
    """With the same draws both witches play the same rounds, to the same beats."""

    async def played(witch: int) -> list[tuple[object, ...]]:
        folder = tmp_path / str(witch)
        folder.mkdir()
        async with Rig(folder, config=only(folder, "bewitched"), draws=seeded_source(5)) as rig:
            await rig.note(5000)
            await rig.until("witch")
            await rig.press(f"witch:{witch}")
            for _ in range(12):
                await rig.press("spin")
                for _ in range(200):
                    await rig.press({"offer": "spin", "gamble_offer": "collect"}.get(rig.shown, ""), 0.5)
                    if rig.shown == "idle":
                        break
            return await rig.rows(
                "SELECT draws, answer, win_cents, steps_sha256 FROM segments ORDER BY round_id, number"
            )

    first = await played(0)
    assert first == await played(1)
    assert len(first) >= 12
