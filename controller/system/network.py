"""The computer's network interfaces: their state, and the switch of the configured one.

A cabinet needs no network. `[network] interface` names the one that a technician may switch in the service menu.
"""

import fcntl
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from common.error_words import error_words
from controller.configuration.cabinet_toml import Network

LOOPBACK = "lo"
_GET_FLAGS, _SET_FLAGS, _GET_ADDRESS = 0x8913, 0x8914, 0x8915  # SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCGIFADDR: netdevice(7)
_UP = 0x1
_NAME_BYTES, _REQUEST_BYTES = 16, 40


class Interface(NamedTuple):
    """An interface: its name, the system's word for its state (`up`, `down`, `unknown`), and its addresses."""

    name: str
    state: str
    hardware_address: str
    address: str


class Interfaces:
    """The interfaces that the kernel lists under `folder`."""

    def __init__(self, folder: Path = Path("/sys/class/net")) -> None:
        self._folder = folder

    def listed(self) -> list[Interface]:
        """Return every interface but the loopback, by its name."""
        names = sorted(path.name for path in self._folder.iterdir()) if self._folder.is_dir() else []
        return [self._interface(name) for name in names if name != LOOPBACK]

    def _interface(self, name: str) -> Interface:
        words = []
        for file in ("operstate", "address"):
            try:
                words.append((self._folder / name / file).read_text("ascii").strip())
            except OSError:
                words.append("")
        return Interface(name, words[0] or "unknown", words[1], _address(name))

    def switch(self, name: str, *, up: bool) -> None:
        """Switch an interface on or off; raise `OSError` if it does not exist or the system does not allow it."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            answer = fcntl.ioctl(control, _GET_FLAGS, _request(name))
            (flags,) = struct.unpack_from("h", answer, _NAME_BYTES)
            wanted = flags | _UP if up else flags & ~_UP
            if wanted != flags:
                fcntl.ioctl(control, _SET_FLAGS, _request(name, struct.pack("h", wanted)))

    def obey(self, network: Network) -> str:
        """Switch the configured interface as configured; return the error, empty if there was none."""
        if not network.interface:
            return ""
        try:
            self.switch(network.interface, up=network.enabled)
        except OSError as error:
            return error_words(error)
        return ""


def _address(name: str) -> str:
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        answer = fcntl.ioctl(control, _GET_ADDRESS, _request(name))
        return socket.inet_ntoa(answer[_NAME_BYTES + 4 : _NAME_BYTES + 8])
    return ""


def _request(name: str, value: bytes = b"") -> bytes:
    """Return a `struct ifreq` for that interface."""
    return (name.encode()[: _NAME_BYTES - 1].ljust(_NAME_BYTES, b"\0") + value).ljust(_REQUEST_BYTES, b"\0")
