"""Games join the lobby as they are baked: pictures and sounds whole, wherever the player is."""

import asyncio
from pathlib import Path

import msgspec

from controller.play.worlds import admit_baked, is_whole
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import only


async def test_a_game_joins_when_its_world_is_whole(tmp_path: Path) -> None:
    """Not with its pictures alone; the turn that the player plays in goes on."""
    baked = tmp_path / "baked"
    config = only(tmp_path, "neptune", "witch_feature", "bewitched")
    config = msgspec.structs.replace(config, display=msgspec.structs.replace(config.display, baked=str(baked)))
    async with Rig(tmp_path, config=config) as rig:
        machine = rig.machine
        machine.settings.await_games(["bewitched"])
        await rig.note(2000)
        await rig.until("lobby")
        assert rig.screen.view.lobby.games == ("neptune", "witch_feature")
        assert "game:bewitched" not in rig.screen.view.controls
        joining = asyncio.create_task(admit_baked(machine, machine.clock))
        art = baked / "bewitched" / "1" / "manifest.json"
        sounds = baked / "sounds" / "bewitched" / "manifest.json"
        for manifest in (art, sounds):
            assert not is_whole(config, "bewitched")
            manifest.parent.mkdir(parents=True)
            manifest.touch()
            if manifest is art:
                await asyncio.sleep(5.0)
                assert rig.screen.view.lobby.games == ("neptune", "witch_feature")
        await rig.until_true(lambda: rig.screen.view.lobby.games == ("neptune", "witch_feature", "bewitched"))
        assert "game:bewitched" in rig.screen.view.controls
        await joining
        await rig.press("game:bewitched")
        await rig.until_true(lambda: rig.screen.view.game == "bewitched")
