import asyncio
import os
from pathlib import Path

import pytest

from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.pty_line import PtyLine
from tests.rigs.ticket_printer import ANSWERS, COMMANDS, printer_rig

BLANK_IMAGE = b"\x1dv0\x00\x48\x00\x00\x01" + bytes(72 * 256)


async def test_bytes_come_at_the_line_s_speed() -> None:
    """10 bits a byte: at 9600 baud a question of three bytes behind 957 others is answered after a second."""
    rig = await printer_rig(baud=9600)
    await rig.send(b"\x1b@" * 478, b"\n", COMMANDS["status_printer"])
    await rig.wait(0.97)
    assert await rig.heard() == b""
    await rig.wait(0.05)
    assert await rig.heard() == ANSWERS["dle_eot_1_ready"]


async def test_xoff_before_the_buffer_is_full_and_xon_when_there_is_room() -> None:
    """XOFF with 16 bytes left, XON with 26; a host that sends on loses what has no room, and only that."""
    rig = await printer_rig(handshake="xon_xoff", baud=115_200)
    assert await rig.heard() == ANSWERS["xon"]
    rig.printer.set_fault("cover_open", on=True)
    await rig.send(b"x" * (4096 - 17))
    await rig.wait(1)
    assert await rig.heard() == b""
    await rig.send(b"x")
    await rig.wait(1)
    assert (await rig.heard(), rig.printer.lost_bytes) == (ANSWERS["xoff"], 0)
    await rig.send(b"x" * 20)
    await rig.wait(1)
    assert rig.printer.lost_bytes == 4
    await rig.send(COMMANDS["status_offline"])
    await rig.wait(1)
    # real-time commands are heard with a full buffer too
    assert (await rig.heard(), rig.printer.lost_bytes) == (ANSWERS["dle_eot_2_cover_open"], 7)
    rig.printer.set_fault("cover_open", on=False)
    await rig.wait(10)
    assert await rig.heard() == ANSWERS["xon"]


async def test_a_handshake_line_loses_nothing() -> None:
    """An image of 18 KB goes through a buffer of 4 KB while the cover is open for a minute."""
    rig = await printer_rig(baud=115_200)
    rig.printer.set_fault("cover_open", on=True)
    await rig.send(BLANK_IMAGE, COMMANDS["process_id"])
    await rig.wait(60)
    assert await rig.heard() == b""
    rig.printer.set_fault("cover_open", on=False)
    await rig.wait(10)
    assert (await rig.heard(), rig.printer.lost_bytes) == (ANSWERS["process_id"], 0)


@pytest.mark.parametrize("busy_offline", [False, True])
async def test_busy_while_offline_is_a_switch(busy_offline: bool) -> None:  # noqa: FBT001 - a case
    """With the DIP switch that says so, an offline printer hears nothing through its handshake line."""
    rig = await printer_rig(busy_offline=busy_offline)
    rig.printer.set_fault("cover_open", on=True)
    assert await rig.ask(COMMANDS["status_printer"]) == (b"" if busy_offline else ANSWERS["dle_eot_1_offline"])
    rig.printer.set_fault("cover_open", on=False)
    assert await rig.heard() == (ANSWERS["dle_eot_1_ready"] if busy_offline else b"")


def test_a_busy_printer_holds_a_pty(tmp_path: Path) -> None:
    """A host that writes to a pty waits for the printer as on a handshake line: the kernel's buffer fills."""

    async def main() -> None:
        printer = SimulatedPrinter(dropped=lambda _piece: None, build=Build(start_s=0.0))
        line = PtyLine(printer, tmp_path / "tty")
        printer.set_fault("cover_open", on=True)
        printer.power(on=True)
        host = os.open(line.link_path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            written = 0
            for _attempt in range(200):
                await asyncio.sleep(0.01)
                try:
                    written += os.write(host, bytes(1024))
                except BlockingIOError:
                    break
            else:
                raise AssertionError(f"{written} bytes were taken by a printer that is offline")
            # its own buffer, a piece on its way, and what a kernel keeps for a terminal
            assert written < 4096 + 4096 + 64 * 1024
            await asyncio.sleep(0.1)
            assert printer.lost_bytes == 0
        finally:
            os.close(host)
            printer.power(on=False)
            line.unplug()

    asyncio.run(main())
