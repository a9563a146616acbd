"""The serial ports by the socket they sit in, who has them open, and who answers on the others."""

import asyncio
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.doctor.processes import holder
from controller.doctor.world import USB_PRINTERS, World
from controller.journal.money import note_in_hand
from controller.journal.store import read_only
from drivers.errors import PortError
from drivers.probe import Device, Heard, Protocol, who_answers

BY_PATH: Final = "/dev/serial/by-path"
DIRECT: Final = ("ttyAMA*", "ttyUSB*", "ttyACM*", "ttyS*")
"""The board's own ports, and adapters that udev has given no name."""
JOURNAL: Final = Path("/var/lib/cabinet/journal.sqlite")
_NO_UART: Final = "0"


class PortFound(msgspec.Struct, frozen=True, kw_only=True):
    """A serial port: its name, and one of these: who has it open, why it was not asked, who answers."""

    path: str
    device: str
    user: str = ""
    unasked: str = ""
    error: str = ""
    heard: Heard = Heard()

    @property
    def was_asked(self) -> bool:
        """Whether it is known who answers."""
        return not (self.user or self.unasked or self.error)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A device that cabinet.toml names: its table, its port, and what must answer there."""

    key: str
    port: str
    protocol: Protocol
    kinds: frozenset[str]
    address: int | None = None
    serial: int = 0

    def is_it(self, device: Device) -> bool:
        """Whether a device that answered is of that protocol and kind, whatever its address and serial number."""
        return device.protocol == self.protocol and device.kind.casefold() in self.kinds


KINDS: Final[Mapping[str, frozenset[str]]] = {
    "coin_acceptor": frozenset({"coin acceptor"}),
    "hopper": frozenset({"payout"}),
    "bill_validator": frozenset({"bill validator", "bill acceptor"}),
    "ticket_printer": frozenset({"ticket printer"}),
}
"""What devices call themselves, by their table in cabinet.toml."""


def wanted_devices(config: Config) -> list[Wanted]:
    """Return the money devices and the printer that cabinet.toml names."""
    found = []
    for key, fitted in (("coin_acceptor", config.coin_acceptor), ("hopper", config.hopper)):
        if fitted is not None:
            found.append(
                Wanted(
                    key=key,
                    port=fitted.port,
                    protocol="cctalk",
                    kinds=KINDS[key],
                    address=fitted.address,
                    serial=fitted.serial,
                )
            )
    if (notes := config.bill_validator) is not None:
        address = notes.address if notes.protocol == "cctalk" else None
        serial = notes.serial if notes.protocol in {"cctalk", "ssp"} else 0
        found.append(
            Wanted(
                key="bill_validator",
                port=notes.port,
                protocol=notes.protocol,
                kinds=KINDS["bill_validator"],
                address=address,
                serial=serial,
            )
        )
    if (printer := config.ticket_printer) is not None:
        found.append(
            Wanted(key="ticket_printer", port=printer.port, protocol=printer.protocol, kinds=KINDS["ticket_printer"])
        )
    return found


async def find_ports(world: World, config: Config | None) -> list[PortFound]:
    """Return every serial port with who answers on it; all are asked at the same time.

    Those that are open elsewhere, the kernel's consoles and the lines of hosts, which ask themselves, are not asked.
    """
    wanted = wanted_devices(config) if config is not None else []
    hosts = [one.port for one in (config.host_port, config.host_port_2) if one is not None] if config else []
    validators = not note_may_be_in_hand(world.path(config.cabinet.journal if config is not None else JOURNAL))
    asking = [
        _asked(
            world,
            path,
            first=_first(world, path, wanted),
            hosts=hosts,
            validators=validators,
            keys=_keys(world, path, config),
        )
        for path in _ports(world)
    ]
    return list(await asyncio.gather(*asking))


def same_port(world: World, one: str, other: str) -> bool:
    """Whether two names are those of one device file."""
    return world.path(one).resolve() == world.path(other).resolve()


def note_may_be_in_hand(journal: Path) -> bool:
    """Whether the books say that a note is on its way, or cannot be read although they exist.

    Its validator may hold an answer that is its credit, and forgets it when it is asked something else.
    """
    if not journal.exists():
        return False
    try:
        with read_only(journal) as books:
            return note_in_hand(books) is not None
    except sqlite3.Error:
        return True


def _ports(world: World) -> Iterator[Path]:
    """Yield a name for each port: by its socket, else its device file."""
    named = world.listed(BY_PATH)
    seen = set[Path]()
    for path in named:
        real = world.path(path).resolve()
        # udev makes two names for some adapters, of USB 2 and of either.
        if real not in seen:
            seen.add(real)
            yield path
    for pattern in DIRECT:
        for path in world.listed("/dev", pattern):
            if world.path(path).resolve() not in seen and _has_uart(world, path.name):
                yield path
    yield from world.listed("/dev/usb", f"{Path(USB_PRINTERS).name}*")


def _has_uart(world: World, name: str) -> bool:
    """Whether there is anything behind a port: a PC has names for 32, most of them without."""
    return not name.startswith("ttyS") or world.text(f"/sys/class/tty/{name}/type") not in {None, _NO_UART}


def _first(world: World, path: Path, wanted: Sequence[Wanted]) -> Protocol | None:
    return next((one.protocol for one in wanted if same_port(world, one.port, str(path))), None)


def _keys(world: World, path: Path, config: Config | None) -> dict[int, str]:
    """Return the key of the validator that cabinet.toml names on that port, by its address."""
    notes = None if config is None else config.bill_validator
    if notes is None or not notes.cctalk_key or not same_port(world, notes.port, str(path)):
        return {}
    return {notes.address: notes.cctalk_key}


async def _asked(
    world: World,
    path: Path,
    *,
    first: Protocol | None,
    hosts: Sequence[str],
    validators: bool,
    keys: Mapping[int, str],
) -> PortFound:
    device = world.path(path).resolve()
    found = PortFound(path=str(path), device=f"/dev/{device.name}")
    if (user := holder(world, path)) is not None:
        return msgspec.structs.replace(found, user=user)
    if any(same_port(world, host, str(path)) for host in hosts):
        return msgspec.structs.replace(found, unasked="the line of a host, which asks by itself")
    if device.name in {line.split()[0] for line in (world.text("/proc/consoles") or "").splitlines() if line.split()}:
        return msgspec.structs.replace(found, unasked="the kernel's console")
    try:
        heard = await who_answers(
            str(path), world.open_port, world.clock, first=first, validators=validators, keys=keys
        )
    except PortError as error:
        return msgspec.structs.replace(found, error=str(error))
    if not validators and not heard.devices:
        reason = "a note may be in hand: a bill validator is asked by the cabinet only, or its credit could be lost"
        return msgspec.structs.replace(found, unasked=reason)
    return msgspec.structs.replace(found, heard=heard)
