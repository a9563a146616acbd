"""The devices step: the state of the fitted devices, a search on all ports, and the choice of found devices.

A choice is a setting that overrides `cabinet.toml`, which the supervisor may not write; drivers read it at the next
start.
"""

from collections.abc import Callable, Sequence
from typing import Final

from controller.configuration.cabinet_toml import Config
from controller.faults import explain, place_in_words
from controller.features.doctor.expected import table_of
from controller.features.doctor.ports import KINDS, PortFound
from controller.features.doctor.set_up import DeviceSearch
from controller.features.doctor.world import USB_PRINTERS
from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction
from controller.service.page import Entry, Job, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.service.setting_lines import LATER, SAME
from controller.settings import settings
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import Value, change, value_at
from drivers.probe import Device
from drivers.validator_protocols import has_parity
from drivers.wiring import SCAN, BillValidator, CoinAcceptor, Hopper

CODE: Final = "U.14.3.1"
READY, NOT_FITTED, LATER_ON = "ready", "not fitted", "from the next start"
SEARCH, FOUND = "Look for devices on every port", "Devices found"
NO_SEARCH = "Without real ports nothing is looked for"
USE_ALL, USE_ALL_QUESTION = "Use all that fit", "Use these devices from the next start?"
USE_QUESTION = "Use this device from the next start?"
ASKS = "asks for its coins' value"
CHOSEN, IN_USE, UNUSABLE = "chosen", "in use", "cannot be used here"
NOBODY, ECHO, NOISE, BUSY = "nobody answers", "the line returns what is sent", "speaks no known protocol", "not asked"
COIN = Entry("value", "Value of the hopper's coins", "cents", limits=(1, 100_000))
ADDRESSES: Final = {
    "coin_acceptor": CoinAcceptor(port="").address,
    "bill_validator": BillValidator(port="").address,
    "hopper": Hopper(port="", coin_value_cents=1).address,
}
_SHORT: Final = 34

Values = dict[str, Value]


def device_lines(machine: ServicedMachine) -> Sequence[Line]:
    """Return a line for each kind of device with its state, and the search."""
    lines = [_state(key, machine) for key in KINDS]
    if machine.of(DeviceSearch).run is None:
        return [*lines, Line(NO_SEARCH)]
    return [*lines, Line(SEARCH, leads=Job(_look))]


def needs_start(machine: ServicedMachine) -> bool:
    """Whether devices or the currency were changed since the start; drivers read them only at the next start."""
    return machine.started_with is not None and _read_once(machine.started_with) != _read_once(machine.settings.fitted)


def _read_once(config: Config) -> list[Value]:
    keys = (f"{table}.{name}" for table, names in settings.CHOSEN.items() for name in names)
    return [value_at(config, key) for key in (*keys, "cabinet.money.currency")]


def _state(key: str, machine: ServicedMachine) -> Line:
    place, fitted = place_in_words(key), machine.settings.fitted
    port = value_at(fitted, f"{key}.port")
    if not isinstance(port, str):
        return Line("{place}", NOT_FITTED, place=place)
    if machine.started_with is None or value_at(machine.started_with, f"{key}.port") != port:
        return Line("{place}", LATER_ON, place=place, detail=_short(port))
    present = [fault.code for fault in machine.conditions.faults if fault.place == key and fault.present]
    if present:
        return Line(explain(present[0]).text, tone="bad", place=place, detail=_short(port))
    return Line("{place}", READY, tone="good", place=place, detail=_short(port))


def _short(port: str) -> str:
    """Return the end of a port's name, by which the sockets differ."""
    return port if len(port) <= _SHORT else f"\u2026{port[1 - _SHORT :]}"


async def _look(machine: ServicedMachine, _submission: Submission) -> Page:
    search = machine.of(DeviceSearch).run
    if search is None:
        raise RefusedError(NO_SEARCH)
    ports = await search()
    return Page(CODE, FOUND, lambda _tx, machine: _found_lines(ports, machine), technician=True, door=True)


def _found_lines(ports: Sequence[PortFound], machine: ServicedMachine) -> Sequence[Line]:
    """Return a row to use all matching devices, one for each found device, and one for each port without a device."""
    chosen = _first_of_each(ports, machine.settings.fitted)
    lines = []
    if chosen:
        do = _takes(chosen, machine.settings.file_config)
        lines.append(Line(USE_ALL, tone="good", leads=MenuTransaction(do, question=USE_ALL_QUESTION, confirmations=1)))
    for port in ports:
        lines.extend(_device_line(device, port, machine) for device in port.heard.devices)
        if not port.heard.devices:
            lines.append(Line("{place}", _silence(port), place=_short(port.path)))
    return lines or [Line(NOBODY)]


def _silence(port: PortFound) -> str:
    if port.user:
        return IN_USE
    if not port.was_asked:
        return BUSY
    return ECHO if port.heard.echo else NOISE if port.heard.noise else NOBODY


def _first_of_each(ports: Sequence[PortFound], config: Config) -> Values:
    """Return the settings for the first usable device found of each kind, without those that are already configured."""
    values: Values = {}
    kinds = set[str]()
    for port in ports:
        for device in port.heard.devices:
            table = table_of(device)
            found = settings_of(device, port.path, config)
            if found and table not in kinds and not _needs_coin(table, config):
                kinds.add(table)
                values |= found
    return {key: value for key, value in values.items() if value_at(config, key) != value}


def _device_line(device: Device, port: PortFound, machine: ServicedMachine) -> Line:
    config = machine.settings.fitted
    place, detail = f"{device.kind}, {device.protocol}", f"{device.name}  \u00b7  {_short(port.path)}"
    values = settings_of(device, port.path, config)
    if not values:
        return Line("{place}", UNUSABLE, place=place, detail=detail, tone="bad")
    if all(value_at(config, key) == value for key, value in values.items()):
        return Line("{place}", CHOSEN, place=place, detail=detail, tone="good")
    asks = _needs_coin(table_of(device), config)
    action = MenuTransaction(
        _takes(values, machine.settings.file_config), (COIN,) if asks else (), question=USE_QUESTION, confirmations=1
    )
    return Line("{place}", ASKS if asks else "", place=place, detail=detail, leads=action)


def _needs_coin(table: str, config: Config) -> bool:
    """Whether the value of the hopper's coins is not configured yet."""
    return table == "hopper" and config.hopper is None


def settings_of(device: Device, port: str, config: Config) -> Values:
    """Return the settings that put a found device into use, empty if the cabinet has no driver for it."""
    table = table_of(device)
    if not table:
        return {}
    values: Values = {"port": port}
    if table in {"bill_validator", "hopper", "coin_acceptor"}:
        values["protocol"] = device.protocol
    if has_parity(device.protocol):
        values["parity"] = device.parity
    if device.protocol == "cctalk":
        values["address"] = device.address
    elif value_at(config, f"{table}.address") == SCAN:
        # Only ccTalk devices are scanned for; the others have no address.
        values["address"] = ADDRESSES[table]
    if table == "ticket_printer":
        values |= _printer_link(device, port)
    elif value_at(config, f"{table}.serial"):
        # A person who chooses another device wants that one, not the one with the configured serial number.
        values["serial"] = device.serial or 0
    return {f"{table}.{name}": value for name, value in values.items()}


def _printer_link(device: Device, port: str) -> Values:
    if not device.baud:
        return {"link": "network"}
    return {"link": "usb"} if port.startswith(USB_PRINTERS) else {"link": "serial", "baud": device.baud}


def _takes(values: Values, file_config: Config) -> Callable[[Transaction, Submission], str]:
    def do(tx: Transaction, submission: Submission) -> str:
        coin = submission.typed.get(COIN.name)
        wanted: Values = values if coin is None else values | {"hopper.coin_value_cents": int(coin)}
        changed = change(tx, file_config, wanted, submission.who)
        look_at_set_up(tx, file_config)
        return LATER if changed else SAME

    return do
