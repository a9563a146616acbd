"""A USB printer's device file as a port, on a pty that stands for it."""

import asyncio
import os
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.hardware.wires import printer_port
from drivers.errors import PortError
from drivers.serial_port import SerialPort
from drivers.usb_printer_port import UsbPrinterPort
from drivers.wiring import TicketPrinter


@pytest.fixture
def printer() -> Iterator[tuple[int, str]]:
    """The printer's end, and the path of the device file."""
    far, near = os.openpty()
    tty.setraw(near)
    try:
        yield far, os.ttyname(near)
    finally:
        os.close(near)
        os.close(far)


def test_bytes_go_both_ways(printer: tuple[int, str]) -> None:
    """What is written arrives, and what is answered is read."""
    far, path = printer

    async def exchange() -> None:
        port = UsbPrinterPort(path)
        await port.open()
        await port.write(b"\x10\x04\x01")
        assert os.read(far, 10) == b"\x10\x04\x01"
        os.write(far, b"\x12")
        assert await port.read(30) == b"\x12"
        port.close()
        port.close()

    asyncio.run(exchange())


def test_a_printer_that_says_nothing_is_waited_for(printer: tuple[int, str]) -> None:
    """Until the time is over, and no longer."""
    _far, path = printer

    async def wait() -> None:
        port = UsbPrinterPort(path)
        await port.open()
        assert await port.read(0.01) == b""
        assert await port.read(0) == b""
        port.close()

    asyncio.run(wait())


class EmptyPackets(UsbPrinterPort):
    """A device file that is always readable, and at first holds nothing: what empty packets look like."""

    async def open(self) -> None:
        self.empty = 3
        self._opened(os.open(self.path, os.O_RDONLY))

    async def _ready(self, fd: int, timeout: float, *, writing: bool) -> bool:  # noqa: ARG002, ASYNC109
        self.empty -= 1
        if self.empty == 0:
            Path(self.path).write_bytes(b"\x12")  # noqa: ASYNC240 - one byte
        return True


def test_empty_packets_are_no_answer_and_no_end(tmp_path: Path) -> None:
    """Some printers send them while they have nothing to say: the line is not lost."""

    async def wait() -> None:
        file = tmp_path / "lp0"
        file.touch()
        port = EmptyPackets(str(file))
        await port.open()
        assert await port.read(30) == b"\x12"
        assert port.empty == 0
        port.close()

    asyncio.run(wait())


def test_a_printer_that_is_gone_is_an_error_with_its_mend(tmp_path: Path) -> None:
    """The path is named, and the port can be opened again later."""

    async def fail() -> None:
        port = UsbPrinterPort(str(tmp_path / "lp0"))
        with pytest.raises(PortError, match=r"lp0 cannot be opened \(No such file or directory\): plug the"):
            await port.open()
        with pytest.raises(PortError, match="the port is closed"):
            await port.read(0)

    asyncio.run(fail())


def test_the_link_decides_which_port() -> None:
    """A USB printer's file has no line settings; a serial port has a rate."""
    assert isinstance(printer_port(TicketPrinter(port="/dev/usb/lp0", link="usb")), UsbPrinterPort)
    assert isinstance(printer_port(TicketPrinter(port="/dev/ttyS0")), SerialPort)
