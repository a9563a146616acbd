"""A printer's TCP connection as a port, by the kernel's loopback."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.hardware.wires import printer_port
from drivers.errors import PortError
from drivers.network_port import NetworkPort, network_address
from drivers.wiring import TicketPrinter
from tests.rigs.network_line import free_address
from tests.rigs.paths import ROOT

CHUNK = 1 << 16


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """A printer's socket that listens."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listening:
        yield listening


def port_to(server: socket.socket) -> NetworkPort:
    return NetworkPort(f"127.0.0.1:{server.getsockname()[1]}")


def test_bytes_go_both_ways(server: socket.socket) -> None:
    """What is written arrives, what is answered is read, and nothing is waited for longer than was asked."""

    async def exchange() -> None:
        port = port_to(server)
        await port.open()
        far, _ = server.accept()
        with far:
            await port.write(b"\x10\x04\x01")
            assert far.recv(10) == b"\x10\x04\x01"
            assert await port.read(0.01) == b""
            far.sendall(b"\x12")
            assert await port.read(30) == b"\x12"
            port.close()
            port.close()

    asyncio.run(exchange())


@pytest.mark.parametrize(
    ("text", "address"),
    [("192.168.1.50:9100", "192.168.1.50"), ("10.0.0.7:1", "10.0.0.7"), ("[fd00::50]:9100", "fd00::50")],
)
def test_an_address_is_read_as_the_unit_reads_it(tmp_path: Path, text: str, address: str) -> None:
    """What the port connects to is what the unit's drop-in allows, and in its family alone."""
    assert str(network_address(text)[0]) == address
    file = tmp_path / "cabinet.toml"
    file.write_text(f"[ticket_printer]\nlink = 'network'\nport = '{text}'\n", encoding="utf-8")
    printed = subprocess.check_output([sys.executable, "-I", ROOT / "systemd" / "unit_options.py", file], text=True)
    family = "AF_INET6" if ":" in address else "AF_INET"
    opened = ["PrivateNetwork=no", f"RestrictAddressFamilies={family}", f"IPAddressAllow={address}"]
    assert printed.splitlines() == ["[Service]", *opened]


@pytest.mark.parametrize(
    "text",
    [
        "printer:9100",
        "192.168.1.50",
        "192.168.1.50:0",
        "192.168.1.50:65536",
        "192.168.1.050:9100",
        "fd00::50:9100",
        "[fe80::1%eth0]:9100",
        "tcp://192.168.1.50:9100",
        "0.0.0.0:9100",
        "224.0.0.1:9100",
        "255.255.255.255:9100",
        "[::ffff:192.168.1.50]:9100",
        "[fe80::1]:9100",
        "/dev/usb/lp0",
        "",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    """A name too: looking one up would hold up everything else."""
    with pytest.raises(ValueError, match=r"TCP port|octets|Octet|zeros|one printer|Unexpected"):
        network_address(text)
    with pytest.raises(PortError, match=r"correct the port in cabinet\.toml"):
        asyncio.run(NetworkPort(text).open())


def test_a_refused_connection_says_what_to_do() -> None:
    """Nobody listens at that port of the printer."""
    kept, address = free_address()
    with kept, pytest.raises(PortError, match=r"cannot be reached \(.*refused\): switch raw printing"):
        asyncio.run(NetworkPort(address).open())


async def test_a_printer_that_does_not_answer_is_waited_for_three_seconds() -> None:
    """A queue that is full drops the question, as a printer without mains does; the loop goes on meanwhile."""
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server, socket.socket() as first:
        first.connect(server.getsockname())
        began = loop.time()
        with pytest.raises(PortError, match=r"no answer in 3\.0 s\): check the printer's supply"):
            await port_to(server).open()
        assert loop.time() - began == 3


async def test_a_port_that_is_closed_while_it_is_opened_stays_closed() -> None:
    """Its driver was stopped meanwhile: no connection is left behind."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server, socket.socket() as first:
        first.connect(server.getsockname())
        port = port_to(server)
        opening = asyncio.create_task(port.open())
        await asyncio.sleep(1)
        port.close()
        with pytest.raises(PortError, match="cannot be reached"):
            await opening
        with pytest.raises(PortError, match="the port is closed"):
            await port.read(0)


def test_a_connection_that_the_printer_ends_is_lost(server: socket.socket) -> None:
    """In order or by a reset; the port can be opened again."""

    async def lose() -> None:
        port = port_to(server)
        await port.open()
        server.accept()[0].close()
        with pytest.raises(PortError, match=r"is gone \(the printer has ended the connection\): check the printer's"):
            await port.read(30)
        await port.open()
        far, _ = server.accept()
        await port.write(b"not read")
        far.recv(1)
        far.close()  # with bytes unread: a reset
        with pytest.raises(PortError, match="failed while reading"):
            await port.read(30)
        await port.open()
        server.accept()[0].close()
        port.close()

    asyncio.run(lose())


def test_what_was_not_sent_is_thrown_away_at_the_end(server: socket.socket) -> None:
    """The other end hears a reset: half a ticket is not completed later, when it is void."""
    written = arrived = 0

    async def fill() -> None:
        nonlocal written
        port = port_to(server)
        await port.open()
        while True:
            await port.write(bytes(CHUNK))
            written += CHUNK

    def drain(far: socket.socket) -> None:
        nonlocal arrived
        while data := far.recv(CHUNK):
            arrived += len(data)

    with pytest.raises(PortError, match=r"took no bytes for 1\.0 s; check the printer's supply"):
        asyncio.run(fill())
    far, _ = server.accept()
    with far, pytest.raises(ConnectionResetError):
        drain(far)
    assert arrived < written


def test_the_link_network_is_a_connection() -> None:
    """`[ticket_printer] link` decides."""
    assert isinstance(printer_port(TicketPrinter(port="192.168.1.50:9100", link="network")), NetworkPort)
