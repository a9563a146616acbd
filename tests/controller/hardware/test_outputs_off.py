"""However a supervisor ends, no output stays on, whatever else fails then."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.hardware.hardware import Hardware
from controller.hardware.wires import Wires
from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.port import Port
from drivers.serial_port import Parity, StopBits
from tests.rigs.machine import Rig
from tests.rigs.mock_header import MockHeader

pytestmark = pytest.mark.requirement("P6")


def no_port(_path: str, _parity: Parity, _stop_bits: StopBits) -> Port:
    """A cabinet without serial devices asks for no port."""
    raise AssertionError


async def test_a_lamp_that_burnt_out_keeps_no_other_output_on(tmp_path: Path) -> None:
    """The first driver's stop fails: tower and coils are off all the same, the header given back, the error raised."""
    async with Rig(tmp_path) as rig:
        config = replace(rig.config, coin_acceptor=None, bill_validator=None, hopper=None)
        header = MockHeader()
        hardware = Hardware(
            config,
            rig.machine.parts,
            rig.listener,
            keys=rig.machine.keys,
            clock=LoopClock(),
            wires=Wires(header, no_port),
        )
        meter = hardware.meters["drop"]
        hardware.lamps.set({"spin": "on"})
        hardware.tower.set({"top": "on"})
        pins = config.pins
        work = (hardware.lamps.run(), hardware.tower.run(), meter.run())
        tasks = [asyncio.ensure_future(driver) for driver in work]
        await asyncio.sleep(0)
        tasks.append(asyncio.ensure_future(meter.pulse()))
        await asyncio.sleep(0.02)
        lamp = int(pins.buttons["spin"].lamp)
        energised = {lamp, pins.tower["top"].pin, pins.meters["drop"].pin}
        assert {pin for pin in range(28) if header.is_high(pin)} == energised
        header.pin(lamp).broken = True
        with pytest.raises(PortError, match="lamps spin"):
            hardware.close()
        assert [pin for pin in range(28) if pin != lamp and header.is_high(pin)] == []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
