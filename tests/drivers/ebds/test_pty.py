"""Seven bits and their parity over a real pty, which has none."""

import asyncio
from pathlib import Path

from drivers.clock import LoopClock
from drivers.ebds.link import EbdsLink
from drivers.ebds.protocol import State, Status, status
from drivers.serial_port import SerialPort
from drivers.simulated.pty_line import PtyLine
from tests.rigs.ebds_script import ScriptedEbds


def test_a_pty_carries_seven_bits_at_the_first_and_at_the_second_open(tmp_path: Path) -> None:
    """Parity that the port itself checks could be opened once only (protocols.md, 0)."""

    async def scene() -> list[Status | None]:
        device = ScriptedEbds(lambda _: None, lambda _: None)
        line = PtyLine(device, tmp_path / "bill")
        device.power(on=True)
        heard = []
        try:
            for _ in range(2):
                port = SerialPort(str(tmp_path / "bill"))
                link = EbdsLink(port, LoopClock(), 0.0, even_parity=True)
                await link.open()
                heard.append(status(await link.poll(bytes((0, 0x1C, 0x10)))))
                port.close()
        finally:
            line.unplug()
        return heard

    assert [said.state for said in asyncio.run(scene()) if said is not None] == [State.IDLING] * 2
