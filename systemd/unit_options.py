#!/usr/bin/python3 -I
"""What a cabinet's configuration asks of its unit: `unit_options.py CABINET_TOML` prints a drop-in for cabinet.service.

The unit as it is shipped may write in /var/lib/cabinet alone and reaches no network. Books or a second copy elsewhere,
and an interface that the technician may switch, open just that. `setup` writes the drop-in; it is empty for most.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

USUAL = Path("/var/lib/cabinet")

NETWORK = """\
PrivateNetwork=no
PrivateUsers=no
RestrictAddressFamilies=AF_INET AF_INET6
CapabilityBoundingSet=CAP_NET_ADMIN
AmbientCapabilities=CAP_NET_ADMIN
"""
"""To switch an interface a program must see it and hold this one capability. No packet goes out all the same."""


def options(tables: dict[str, Any]) -> str:
    """Return the drop-in's text for the configuration in `tables`, empty where the shipped unit does."""
    cabinet = tables.get("cabinet", {})
    books = Path(cabinet.get("journal", USUAL / "journal.sqlite")).parent
    copy = Path(cabinet.get("second_copy", "") or USUAL / "none").parent
    unit = "" if books == USUAL else f"[Unit]\nRequiresMountsFor={books}\n"
    service = "".join(f"ReadWritePaths=-{folder}\n" for folder in dict.fromkeys((books, copy)) if folder != USUAL)
    if tables.get("network", {}).get("interface", ""):
        service += NETWORK
    return unit + (f"[Service]\n{service}" if service else "")


def main(arguments: list[str]) -> int:
    """Print the drop-in; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: unit_options.py CABINET_TOML\n")
        return 2
    try:
        tables = tomllib.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{arguments[0]}: {error}\n")
        return 1
    sys.stdout.write(options(tables))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
