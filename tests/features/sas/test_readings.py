"""A host that was written from the frames alone reads a cabinet in memory; plain SQL says what it must read."""

import asyncio
from pathlib import Path

from tests.rigs import sas_readings
from tests.rigs.hosted import HostsRig
from tests.rigs.power_cuts import Power
from tests.rigs.sas_host import SasHost


async def test_every_figure_is_the_journals_own(tmp_path: Path) -> None:
    """After notes, play, an opened door and a cash-out; then every order, and everything that must be silence."""
    rig = HostsRig(tmp_path, Power())
    await rig.start()
    host = SasHost(rig.joined.link, now=asyncio.get_running_loop().time)
    await rig.game(2500)
    for _ in range(3):
        await rig.press("spin")
        await rig.until("idle")
    await rig.door(is_open=True)
    await rig.door(is_open=False)
    await rig.press("spin")
    await rig.until("idle")
    await rig.press("collect")
    await rig.until("handpay")
    waiting = await host.read_single(0x1B)
    assert (waiting["cents"], waiting["unused"]) == (rig.credit, bytes(10))
    assert await host.ask(0x94) == {"code": 0x00}
    await rig.until_true(lambda: rig.credit == 0 and rig.shown != "handpay")
    assert await rig.note(2000)
    await host.collect()
    assert await sas_readings.check_meters(host, rig.rows) > 70
    await sas_readings.check_last_note(host, rig.rows)
    await sas_readings.check_games(host, rig.rows, ["neptune"])
    await sas_readings.check_identity(host)
    await sas_readings.check_orders(host)
    await sas_readings.check_silence(host)
    assert (host.tally.fallen, host.wakes) == ([], [])
    await rig.kill()
