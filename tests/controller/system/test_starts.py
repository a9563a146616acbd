"""A start is distinguished from a crash by the kernel's boot id, and a crash can be made to lock the cabinet."""

from pathlib import Path

import msgspec
import pytest

from controller.system.starts import Start, boot_id, record_stop
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import configuration


def cabinet_rig(folder: Path, *, crash_locks: bool) -> Rig:
    """A rig that locks after a crash, or does not."""
    config = configuration(folder)
    site = msgspec.structs.replace(config.cabinet, crash_locks=crash_locks)
    rig = Rig(folder, config=msgspec.structs.replace(config, cabinet=site))
    rig.boot = "one"
    return rig


@pytest.mark.requirement("P14", "L6")
@pytest.mark.parametrize("crash_locks", [False, True])
async def test_every_start_is_logged_as_what_it_was(tmp_path: Path, *, crash_locks: bool) -> None:
    """First, after a power cut, stopped in order, after a crash, and unknown."""
    async with cabinet_rig(tmp_path, crash_locks=crash_locks) as rig:
        rig.boot = "two"
        await rig.restart(until="attract")
        assert rig.notices() == set()
        await rig.journal.do(record_stop)
        await rig.restart(until="attract")
        assert rig.notices() == set()
        await rig.restart(until="tilted" if crash_locks else "attract")
        assert rig.passing_notices() == {"power_reset"}
        rig.boot = ""
        await rig.restart(until="tilted" if crash_locks else "attract")
        await rig.restart(until="tilted" if crash_locks else "attract")
        starts = (Start.FIRST, Start.POWER, Start.STOPPED, Start.CRASHED, Start.POWER, Start.POWER)
        assert await rig.events("power_up") == [f"The program {start}" for start in starts]


@pytest.mark.requirement("D6", "P1")
async def test_a_crash_locks_until_the_attendant_has_cleared_it(tmp_path: Path) -> None:
    """The game that it interrupted goes on exactly there afterwards."""
    async with cabinet_rig(tmp_path, crash_locks=True) as rig:
        await rig.game(500)
        await rig.press("spin", 0.3)
        assert rig.shown == "round"
        await rig.restart(until="tilted")
        assert rig.notices() == {"program_crash"}
        assert not rig.front.coins
        await rig.turn_key("technician")
        assert rig.shown == "tilted"
        await rig.turn_key("attendant")
        await rig.until("round")
        await rig.until("idle")
        assert (await rig.meter("games"), rig.notices()) == (1, set())


def test_the_kernel_names_its_boot() -> None:
    """The same name as long as this computer is up."""
    assert boot_id() == boot_id() != ""
