#!/usr/bin/python3 -I
"""What a cabinet's configuration asks of its units: `unit_options.py CABINET_TOML [UNIT]` prints a drop-in for one.

`unit_options.py CABINET_TOML --more` prints the units that run for this configuration alone, a line each: the link to
a venue where there is `[venue]`.

cabinet.service as it is shipped may write in /var/lib/cabinet alone, reaches no network, opens no input device. Books
or a second copy elsewhere, an interface that the technician may switch, a card reader that is a keyboard, and a ticket
printer on the network, open just that. Any other UNIT is one of the updater's, which copies books that lie elsewhere.
`setup` writes the drop-ins; they are empty for most.
"""

import sys
import tomllib
from ipaddress import ip_address
from pathlib import Path
from typing import Any

USUAL = Path("/var/lib/cabinet")
MOST_BYTES = 1 << 20

NETWORK = """\
PrivateNetwork=no
PrivateUsers=no
RestrictAddressFamilies=AF_INET AF_INET6
CapabilityBoundingSet=CAP_NET_ADMIN
AmbientCapabilities=CAP_NET_ADMIN
"""
"""To switch an interface a program must see it and hold this one capability. No packet goes out all the same."""


WEDGE = "DeviceAllow=char-input r\n"
"""A reader of staff cards that is a keyboard: the only one whose cabinet may open input devices at all."""

PRINTER = """\
PrivateNetwork=no
RestrictAddressFamilies={family}
IPAddressAllow={address}
"""
"""A ticket printer on the network: packets to and from its address; IPAddressDeny=any stays for all others."""

SUPERVISOR = "cabinet.service"
VENUE_LINK = "cabinet-venue-link.service"
MORE = "--more"


def options(tables: dict[str, Any], unit_name: str) -> str:
    """Return a unit's drop-in for the configuration in `tables`, empty where the shipped unit does."""
    cabinet = tables.get("cabinet", {})
    books = Path(cabinet.get("journal", USUAL / "journal.sqlite")).parent
    copy = Path(cabinet.get("second_copy", "") or USUAL / "none").parent
    unit = "" if books == USUAL else f"[Unit]\nRequiresMountsFor={books}\n"
    folders = dict.fromkeys((books, copy) if unit_name == SUPERVISOR else (books,))
    service = "".join(f"ReadWritePaths=-{folder}\n" for folder in folders if folder != USUAL)
    if unit_name == SUPERVISOR and tables.get("network", {}).get("interface", ""):
        service += NETWORK
    if unit_name == SUPERVISOR and tables.get("cards", {}).get("reader") == "wedge":
        service += WEDGE
    if unit_name == SUPERVISOR:
        service += printer(tables.get("ticket_printer", {}))
    return unit + (f"[Service]\n{service}" if service else "")


def printer(table: dict[str, Any]) -> str:
    """Return what a ticket printer needs of the network, empty where it is not there, or its address is none."""
    if table.get("link") != "network":
        return ""
    try:
        address = ip_address(str(table.get("port", "")).rpartition(":")[0].strip("[]"))
    except ValueError:
        return ""
    return PRINTER.format(address=address, family="AF_INET" if address.version == 4 else "AF_INET6")  # noqa: PLR2004


def more_units(tables: dict[str, Any]) -> list[str]:
    """Return the units that run for the configuration in `tables` and not for every cabinet."""
    return [VENUE_LINK] if isinstance(tables.get("venue"), dict) else []


def tables_in(configuration: Path) -> dict[str, Any]:
    """Return what a configuration holds; raise `OSError`, `ValueError` and `RecursionError`."""
    with configuration.open("rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"holds more than {MOST_BYTES} bytes")
    return tomllib.loads(text.decode("utf-8-sig"))


def main(arguments: list[str]) -> int:
    """Print the drop-in; return the exit code."""
    if len(arguments) not in (1, 2):
        sys.stderr.write("usage: unit_options.py CABINET_TOML [UNIT|--more]\n")
        return 2
    try:
        tables = tables_in(Path(arguments[0]))
        if arguments[1:] == [MORE]:
            said = "".join(f"{unit}\n" for unit in more_units(tables))
        else:
            said = options(tables, arguments[1] if arguments[1:] else SUPERVISOR)
    except (OSError, ValueError, RecursionError) as error:
        sys.stderr.write(f"{arguments[0]}: {error}\n")
        return 1
    except (AttributeError, TypeError):
        sys.stderr.write(
            f"{arguments[0]}: holds a value of a kind that it cannot have: `cabinet check-config` names it\n"
        )
        return 1
    sys.stdout.write(said)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
