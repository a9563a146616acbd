"""A port on a network printer: one TCP connection to a numeric address."""

import asyncio
import errno
import os
import socket
import struct
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address
from typing import ClassVar, Final, NoReturn

from drivers.errors import PortError
from drivers.file_port import FilePort

CONNECT_S: Final = 3.0
RAW_PORT: Final = 9100
"""The TCP port for raw printing."""
_MOST: Final = 65_535
_AT_ONCE: Final = struct.pack("ii", 1, 0)
_SET_UP: Final = "check the network cable, and run `sudo /opt/cabinet/system/setup`: the supervisor may reach this then"


def network_address(text: str) -> tuple[IPv4Address | IPv6Address, int]:
    """Parse address and TCP port of `192.168.1.50:9100` or `[fd00::50]:9100`.

    Raise `ValueError` for anything else, including host names: a DNS lookup has no time limit.
    """
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal() and 0 < int(port) <= _MOST):
        raise ValueError(f"has no TCP port from 1 to {_MOST}: printers have {RAW_PORT}")
    bracketed = host.startswith("[") and host.endswith("]")
    address = IPv6Address(host[1:-1]) if bracketed else IPv4Address(host)
    mapped = isinstance(address, IPv6Address) and (address.ipv4_mapped is not None or address.is_link_local)
    if mapped or address.is_multicast or address.is_unspecified or address.is_reserved or "%" in host:
        raise ValueError(f"{address} is no address of one printer")
    return address, int(port)


class NetworkPort(FilePort):
    """A TCP connection, a `drivers.port.Port` whose path is a `network_address`.

    On close the kernel discards unsent data and resets the connection: otherwise the data would reach the printer when
    nobody waits for its answer.
    """

    mends: ClassVar[Mapping[int, str]] = {
        errno.ECONNREFUSED: "switch raw printing (port 9100) on at the printer, and let nobody else print there",
        errno.ENETUNREACH: _SET_UP,
        errno.EAFNOSUPPORT: _SET_UP,
        errno.EPERM: _SET_UP,
    }
    usual_mend: ClassVar[str] = "check the printer's supply, address and network cable"

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._connecting = False

    async def open(self) -> None:
        """Connect within `CONNECT_S`; raise `PortError` with the address and advice."""
        self._require_closed()
        try:
            host, number = network_address(self.path)
        except ValueError as error:
            raise PortError(f"{self.path}: {error}; correct the port in cabinet.toml") from error
        try:
            fd = await self._connected(str(host), number)
        except TimeoutError as error:
            raise self._failed("cannot be reached", errno.ETIMEDOUT, f"no answer in {CONNECT_S} s") from error
        except OSError as error:
            raise self._failed("cannot be reached", error.errno, os.strerror(error.errno or 0)) from error
        self._opened(fd)

    async def _connected(self, host: str, number: int) -> int:
        """Return the descriptor of a new connection; raise `OSError`."""
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as line:
            line.settimeout(0)
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
            self._connecting = True
            async with asyncio.timeout(CONNECT_S):
                await asyncio.get_running_loop().sock_connect(line, (host, number))
            if not self._connecting:
                raise OSError(errno.ECANCELED, "closed meanwhile")
            return line.detach()

    def close(self) -> None:
        """Close the port; may be called twice, and while it is being opened."""
        self._connecting = False
        super().close()

    def _nothing_read(self) -> NoReturn:
        self.close()
        raise self._failed("is gone", errno.ENOTCONN, "the printer has ended the connection")
