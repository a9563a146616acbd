"""The rules for ports: device files need stable names, and only devices whose protocol has addresses share one."""

import os
import re
from collections.abc import Iterator

import msgspec

from controller.configuration.fields import Fields, Misfit, Problem, is_port, shown

_BY_PATH = "/dev/cabinet/usb1 or one in /dev/serial/by-path"
_DEVICES = "/dev/"
_OF_WINDOWS = re.compile(r"COM\d+", re.IGNORECASE)
_NUMBERED = re.compile(r"/dev/(tty(USB|ACM)|hidraw)\d+")


def plain(path: str) -> str:
    """Return a path as it is usually written: one / between names, without `.` and `..`; links are not followed."""
    return re.sub("^//", "/", os.path.normpath(path))


def ports_of(config: msgspec.Struct) -> dict[str, str]:
    """Return the ports that a configuration names, by their tables; the venue's is a number of TCP."""
    tables = msgspec.to_builtins(config).items()
    return {
        name: table["port"] for name, table in tables if isinstance(table, dict) and isinstance(table.get("port"), str)
    }


def speaks(device: str, protocol: str, fields: Fields) -> bool:
    """Whether the device is configured with this protocol."""
    return bool(fields.get(f"{device}.protocol") == protocol)


def is_recycler(fields: Fields) -> bool:
    """Whether the hopper is the recycler of an SSP validator: both speak SSP, and on one port."""
    ports = {plain(fields.get(f"{device}.port") or device) for device in ("hopper", "bill_validator")}
    return len(ports) == 1 and all(speaks(name, "ssp", fields) for name in ("hopper", "bill_validator"))


def device_files(fields: Fields) -> Iterator[tuple[str, str]]:
    """Yield each key that names a serial port or printer of this machine, with its path."""
    for key, path in fields.items():
        on_network = key == "ticket_printer.port" and fields.get("ticket_printer.link") == "network"
        if is_port(key) and path and not on_network:
            yield key, path


def shared_ports(fields: Fields) -> Iterator[Problem]:
    """Report devices that cannot share a serial port."""
    first: dict[str, str] = {}
    for key, value in fields.items():
        if not is_port(key) or not value:
            continue
        path, device = plain(value), key.rpartition(".")[0]
        other = first.setdefault(path, device)
        if other == device:
            continue
        if {other, device} == {"hopper", "bill_validator"} and is_recycler(fields):
            continue
        if all(speaks(name, "mdb", fields) for name in (other, device)):
            continue
        lonely = [name for name in (other, device) if not speaks(name, "cctalk", fields)]
        if lonely:
            mend = (
                f"only ccTalk devices share one, or MDB devices, and {lonely[0]} is no such one; give each device its "
                "own port"
            )
            yield Problem(key, f"is {path}, which {other}.port has already; {mend}", Misfit.VALUE)


def is_device_file(path: str, fields: Fields) -> bool:
    """Whether a device can be at this path: below /dev, those of a simulated cabinet anywhere."""
    return plain(path).startswith("/" if fields.get("pins.factory") == "simulated" else _DEVICES)


def port_names(fields: Fields) -> Iterator[Problem]:
    """Report ports that are not device files, and names that another adapter may get after the next start.

    The lines of simulated devices may be anywhere.
    """
    for key, path in device_files(fields):
        name = plain(path)
        if not is_device_file(path, fields) or _OF_WINDOWS.fullmatch(os.path.basename(name)):  # noqa: PTH119 - a name, no file
            yield Problem(key, f"is {shown(path)}; give a device file, such as {_BY_PATH}", Misfit.VALUE)
        elif _NUMBERED.fullmatch(name):
            mend = f"its number changes with the order of the adapters; name its socket, such as {_BY_PATH}"
            yield Problem(key, f"is {path}: {mend}", Misfit.VALUE)
