"""The lines: marked bytes are undone, and a port that cannot carry the wake-up bit is refused with the mend."""

import os
import tty

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.errors import PortError
from drivers.sas.line import NineBitLine, TimedLine, Unmarking
from drivers.sas.reader import WAKE
from drivers.serial_port import SerialPort


def marked(symbols: list[int]) -> bytes:
    """Return what a UART with PARMRK hands over for these symbols."""
    out = bytearray()
    for symbol in symbols:
        out += b"\xff\x00" if symbol & WAKE else b"\xff" * (symbol == 0xFF)
        out.append(symbol & 0xFF)
    return bytes(out)


@given(st.lists(st.integers(0, 0x1FF), max_size=60), st.integers(1, 7))
def test_marked_bytes_are_undone_in_any_pieces(symbols: list[int], size: int) -> None:
    """Every byte comes out once, those with the wake-up bit marked, wherever the kernel cuts."""
    unmarking, raw = Unmarking(), marked(symbols)
    assert [one for at in range(0, len(raw), size) for one in unmarking.feed(raw[at : at + size])] == symbols


async def test_a_pty_cannot_carry_the_wake_up_bit() -> None:
    """The error names the port and both ways out, also on the second opening; the timed line works there."""
    near, far = os.openpty()
    try:
        tty.setraw(far)
        path = os.ttyname(far)
        for _ in range(2):
            with pytest.raises(PortError, match=f'{path} cannot carry .*PL011.*"timed"'):
                await NineBitLine(SerialPort(path, baud=19_200)).open()
        timed = TimedLine(SerialPort(path, baud=19_200))
        await timed.open()
        os.write(near, b"\x81")
        assert list(await timed.read(1.0)) == [0x81]
        timed.close()
    finally:
        os.close(near)
        os.close(far)
