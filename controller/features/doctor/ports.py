"""Finds the serial ports by their USB socket, the programs that have them open, and the devices on the others."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.configuration.pins import HEADER_UART_PINS, HEADER_UARTS
from controller.configuration.ports import ports_of
from controller.features.doctor.board import is_pi
from controller.features.doctor.pins import header_pins
from controller.features.doctor.processes import holder, supervisor
from controller.features.doctor.world import USB_PRINTERS, World, may_exist
from controller.journal import held_payouts
from controller.journal.errors import UNREADABLE
from controller.journal.money import note_in_hand
from controller.journal.store import read_only
from controller.journal.transaction import InPlay, Transaction
from drivers.cctalk.bill_session import CATEGORY as BILLS
from drivers.cctalk.scan import possible_addresses
from drivers.errors import PortError
from drivers.escpos.probe import printer_answers
from drivers.probe import Device, Heard, who_answers
from drivers.wiring import SCAN, Address

BY_PATH: Final = "/dev/serial/by-path"
DIRECT: Final = ("ttyAMA*", "ttyUSB*", "ttyACM*", "ttySC*", "ttyS[0-9]*")
"""The board's own ports, and adapters without a name from udev."""
JOURNAL: Final = Path("/var/lib/cabinet/journal.sqlite")
_NO_UART: Final = "0"


class PortFound(msgspec.Struct, frozen=True, kw_only=True):
    """A serial port or a printer's address, with its user, why it was not probed, or the devices that answered."""

    path: str
    device: str
    user: str = ""
    unasked: str = ""
    error: str = ""
    heard: Heard = Heard()

    @property
    def was_asked(self) -> bool:
        """Whether it is known which devices answer."""
        return not (self.user or self.unasked or self.error)


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """A device that cabinet.toml names: its table, its port, and the device that must answer there.

    A device that is `scanned` for may have any address, and must be the only one of its kind.
    """

    key: str
    port: str
    protocol: str
    kinds: frozenset[str]
    address: int | None = None
    scanned: bool = False
    serial: int = 0

    def is_it(self, device: Device) -> bool:
        """Whether a device that answered has this protocol and kind, whatever its address and serial number."""
        return device.protocol == self.protocol and device.kind.casefold() in self.kinds


KINDS: Final[Mapping[str, frozenset[str]]] = {
    "coin_acceptor": frozenset({"coin acceptor", "coin changer"}),
    "hopper": frozenset({"payout", "hopper"}),
    "bill_validator": frozenset({"bill validator", "bill acceptor"}),
    "ticket_printer": frozenset({"ticket printer"}),
}
"""The kinds that devices report, by their table in cabinet.toml."""


def wanted_devices(config: Config) -> list[Wanted]:
    """Return the money devices and the printer that cabinet.toml names."""
    found = []
    if (coins := config.coin_acceptor) is not None:
        found.append(_wanted("coin_acceptor", coins.port, coins.protocol, address=coins.address, serial=coins.serial))
    notes, hopper, printer = config.bill_validator, config.hopper, config.ticket_printer
    if hopper is not None:
        # A recycler pays from its validator and answers as one; a changer pays from its tubes.
        recycles = notes is not None and hopper.protocol == "ssp" and notes.port == hopper.port
        pays = "bill_validator" if recycles else "coin_acceptor" if hopper.protocol == "mdb" else "hopper"
        kinds = KINDS[pays]
        one = _wanted("hopper", hopper.port, hopper.protocol, address=hopper.address, serial=hopper.serial)
        found.append(msgspec.structs.replace(one, kinds=kinds))
    if notes is not None:
        found.append(_wanted("bill_validator", notes.port, notes.protocol, address=notes.address, serial=notes.serial))
    if printer is not None:
        found.append(_wanted("ticket_printer", printer.port, printer.protocol))
    return found


def _wanted(key: str, port: str, protocol: str, *, address: Address = 0, serial: int = 0) -> Wanted:
    """Return the device that must answer; only ccTalk has configured addresses, and not all have serial numbers."""
    return Wanted(
        key=key,
        port=port,
        protocol=protocol,
        kinds=KINDS[key],
        address=address if protocol == "cctalk" and address != SCAN else None,
        scanned=protocol == "cctalk" and address == SCAN,
        serial=serial if protocol in {"cctalk", "ssp", "mdb"} else 0,
    )


async def find_ports(world: World, config: Config | None) -> list[PortFound]:
    """Return every serial port and a printer's address with the devices that answer; all are probed in parallel.

    Ports that are open elsewhere, the kernel's consoles and the lines of hosts, which poll by themselves, are not
    probed. Nor is the header's UART if its pins are used by the cabinet, because a probe would pulse the attached
    outputs.
    """
    printer = config.ticket_printer if config is not None else None
    network = printer.port if printer is not None and printer.link == "network" else ""
    wanted = wanted_devices(config) if config is not None else []
    devices = {"ticket_printer", *(one.key for one in wanted)}
    hosts = [port for table, port in ports_of(config).items() if table not in devices] if config is not None else []
    validators = not money_may_move(world.path(config.cabinet.journal if config is not None else JOURNAL))
    left_alone = dict.fromkeys(hosts, "the line of a host, which asks by itself")
    if is_pi(world) and {*HEADER_UART_PINS} & {*header_pins(config)}:
        left_alone |= dict.fromkeys(HEADER_UARTS, "its pins 14 and 15 are the cabinet's, and would be pulsed")
    asking = [
        _asked(
            world,
            path,
            first=_first(world, path, wanted),
            left_alone=left_alone,
            validators=validators,
            keys=_keys(world, path, config),
        )
        for path in _ports(world, (*(one.port for one in wanted), *hosts))
    ]
    return list(await asyncio.gather(*asking, *([_printer_asked(world, network)] if network else [])))


async def _printer_asked(world: World, address: str) -> PortFound:
    """Probe a printer's address, unless a supervisor is running: most printers accept one connection at a time."""
    found = PortFound(path=address, device=address)
    if (user := supervisor(world)) is not None:
        return msgspec.structs.replace(found, user=user)
    try:
        heard = await printer_answers(address, world.open_port, world.clock)
    except PortError as error:
        return msgspec.structs.replace(found, error=str(error))
    return msgspec.structs.replace(found, heard=heard)


def same_port(world: World, one: str, other: str) -> bool:
    """Whether two names refer to the same device file."""
    return world.path(one).resolve() == world.path(other).resolve()


def money_may_move(journal: Path) -> bool:
    """Whether a note or payout is in progress by the books, or the books exist or may exist but cannot be read.

    Its device may hold an answer that is a credit or the end of the payout, and forgets it at the next question.
    """
    if not may_exist(journal):
        return False
    try:
        with read_only(journal) as books:
            tx = Transaction(books, 0)
            return note_in_hand(tx) is not None or InPlay.PAYOUT in tx.in_play() or bool(held_payouts.pending(tx))
    except UNREADABLE:
        return True


def _ports(world: World, configured: Sequence[str]) -> Iterator[Path]:
    """Yield a name for each port: by its socket, else its device file; then configured ports with other names."""
    direct = [path for pattern in DIRECT for path in world.listed("/dev", pattern) if _has_uart(world, path.name)]
    printers = world.listed("/dev/usb", f"{Path(USB_PRINTERS).name}*")
    others = [Path(path) for path in configured if world.may_exist(path)]
    seen = set[Path]()
    # udev gives some adapters two names, one for USB 2 and one for either version.
    for path in (*world.listed(BY_PATH), *direct, *printers, *others):
        real = world.path(path).resolve()
        if real not in seen:
            seen.add(real)
            yield path


def _has_uart(world: World, name: str) -> bool:
    """Whether there is hardware behind a port; a PC has names for 32, most of them without any."""
    return (
        not name.startswith("ttyS")
        or name.startswith("ttySC")
        or world.text(f"/sys/class/tty/{name}/type") not in {None, _NO_UART}
    )


def _first(world: World, path: Path, wanted: Sequence[Wanted]) -> str | None:
    return next((one.protocol for one in wanted if same_port(world, one.port, str(path))), None)


def _keys(world: World, path: Path, config: Config | None) -> dict[int, str]:
    """Return the encryption key of the validator that cabinet.toml names on that port, by each possible address."""
    notes = None if config is None else config.bill_validator
    if notes is None or not notes.cctalk_key or not same_port(world, notes.port, str(path)):
        return {}
    return dict.fromkeys(possible_addresses(notes.address, BILLS), notes.cctalk_key)


async def _asked(
    world: World,
    path: Path,
    *,
    first: str | None,
    left_alone: Mapping[str, str],
    validators: bool,
    keys: Mapping[int, str],
) -> PortFound:
    device = world.path(path).resolve()
    found = PortFound(path=str(path), device=f"/dev/{device.name}")
    if (user := holder(world, path)) is not None:
        return msgspec.structs.replace(found, user=user)
    if device.name in {line.split()[0] for line in (world.text("/proc/consoles") or "").splitlines() if line.split()}:
        return msgspec.structs.replace(found, unasked="the kernel's console")
    for name, reason in left_alone.items():
        if same_port(world, name, str(path)):
            return msgspec.structs.replace(found, unasked=reason)
    try:
        heard = await who_answers(
            str(path), world.open_port, world.clock, first=first, validators=validators, keys=keys
        )
    except PortError as error:
        return msgspec.structs.replace(found, error=str(error))
    if not validators and not heard.devices:
        reason = "a note or payout may be on its way: its device is asked by the cabinet only, or money could be lost"
        return msgspec.structs.replace(found, unasked=reason)
    return msgspec.structs.replace(found, heard=heard)
