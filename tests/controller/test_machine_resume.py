"""A round that had ended in the books but not on the screen is shown again, from its start and once (P1, P3)."""

from pathlib import Path

from tests.controller.machine_rig import Rig
from tests.virtual_time import run_virtual


def test_a_cut_within_the_last_show_shows_it_again(tmp_path: Path) -> None:
    """The reels that turned when the power went turn again, to the same end; nothing is staked or won anew."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.note(2000)
            await rig.until("idle")
            await rig.press("spin", 0.3)
            assert rig.shown == "round"
            shown, credit = rig.screen.shows, rig.credit
            await rig.restart(until="recovering")
            assert rig.screen.view.resumed
            await rig.until("round")
            assert shown == rig.screen.shows
            await rig.until("idle")
            assert credit == rig.credit == rig.screen.view.credit_cents

    run_virtual(play())


def test_a_round_that_was_seen_to_its_end_is_not_shown_again(tmp_path: Path) -> None:
    """After a cut in the idle game the reels stand as they stood, and nothing moves."""

    async def play() -> None:
        async with Rig(tmp_path) as rig:
            await rig.note(2000)
            await rig.until("idle")
            await rig.press("spin")
            await rig.until("round")
            await rig.until("idle")
            scene = rig.screen.view.scene
            await rig.restart(until="idle")
            assert rig.screen.shows == []
            assert bytes(scene) == bytes(rig.screen.view.scene)

    run_virtual(play())
