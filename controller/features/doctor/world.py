"""The computer as the doctor sees it: a root folder, and functions for what is not a file. All of it is injected."""

import grp
import os
import pwd
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from drivers.clock import Clock, LoopClock
from drivers.expander.i2c import HEADER_BUS, KernelBus
from drivers.network_port import NetworkPort
from drivers.pins.line_info import ChipInfo, read_chip
from drivers.port import Port
from drivers.probe import LineSettings, OpenPort
from drivers.serial_port import SerialPort
from drivers.usb_printer_port import UsbPrinterPort

_PATIENCE_S: Final = 10.0
USB_PRINTERS: Final = "/dev/usb/lp"


class Room(NamedTuple):
    """A file system: its device number, and its bytes."""

    number: int
    total: int
    free: int


@dataclass(frozen=True)
class World:
    """The computer; `root` is the folder with `proc`, `sys`, `dev`, `boot`, `etc` and `run`.

    `run` returns a program's output, or None if it is missing or fails. `i2c_answers` and `chip` raise `OSError`. This
    program has the rights of `user` and `groups`.
    """

    root: Path
    user: str
    groups: frozenset[str]
    chip: Callable[[Path], ChipInfo]
    i2c_answers: Callable[[int], bool]
    open_port: OpenPort
    room: Callable[[Path], Room]
    run: Callable[[tuple[str, ...]], str | None]
    clock: Clock

    @property
    def is_root(self) -> bool:
        """Whether this user can read everything."""
        return self.user == "root"

    def path(self, absolute: str | Path) -> Path:
        """Return the real path of a path of that computer."""
        return self.root / str(absolute).removeprefix("/")

    def may_exist(self, absolute: str | Path) -> bool:
        """Whether the path exists, or may exist in a folder that this user cannot read."""
        return may_exist(self.path(absolute))

    def text(self, absolute: str | Path) -> str | None:
        """Return the text of a file without its padding, or None if it cannot be read."""
        try:
            return self.path(absolute).read_text("utf-8", "replace").strip("\0\n ")
        except OSError:
            return None

    def listed(self, folder: str, pattern: str = "*") -> list[Path]:
        """Return the entries of a folder by name, as paths of that computer; none if the folder does not exist."""
        found = sorted(self.path(folder).glob(pattern))
        return [Path("/") / path.relative_to(self.root) for path in found]


def may_exist(path: Path) -> bool:
    """Whether `path` exists or may exist: a file in another user's folder may be invisible."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def real_world() -> World:
    """Return this computer."""
    bus: list[KernelBus] = []

    def i2c_answers(address: int) -> bool:
        if not bus:
            bus.append(KernelBus(HEADER_BUS))
        return bus[0].answers(address)

    return World(
        root=Path("/"),
        user=pwd.getpwuid(os.geteuid()).pw_name,
        groups=frozenset(_group(number) for number in (*os.getgroups(), os.getegid())),
        chip=read_chip,
        i2c_answers=i2c_answers,
        open_port=_port,
        room=_room,
        run=_run,
        clock=LoopClock(),
    )


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _port(settings: LineSettings) -> Port:
    if not settings.baud:
        return NetworkPort(settings.path)
    if settings.path.startswith(USB_PRINTERS):
        return UsbPrinterPort(settings.path)
    return SerialPort(settings.path, baud=settings.baud, parity=settings.parity, stop_bits=settings.stop_bits)


def _room(path: Path) -> Room:
    usage = shutil.disk_usage(path)
    return Room(path.stat().st_dev, usage.total, usage.free)


def _run(command: tuple[str, ...]) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - programs of the system, with our own arguments
            command, check=False, capture_output=True, text=True, errors="replace", timeout=_PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
