#!/usr/bin/python3 -I
"""The part of cabinet.toml that the display may read: `display_settings.py CABINET_TOML TARGET` writes it.

The display's user cannot read cabinet.toml, which may hold the hopper's PIN. TARGET has its tables [display] and, of
[cabinet] and [games], the run directory, the language and the folder of a studio's games. Run by
cabinet-display-settings.service as root before each start of the display; it imports nothing of the cabinet's.
"""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 20
EXPOSED = {
    "cabinet": ("run_dir", "language"),
    "display": ("baked", "shape", "scale", "brightness_percent", "compose"),
    "games": ("folder",),
}


def read(source: Path) -> str:
    """Return the text of the file; raise `ValueError` for one that is too large."""
    with source.open("rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"holds more than {MOST_BYTES} bytes")
    return text.decode("utf-8-sig")


def extract(tables: dict[str, Any]) -> str:
    """Return the part of the configuration that the display reads, as TOML."""
    lines: list[str] = []
    for name, keys in EXPOSED.items():
        table = tables.get(name, {})
        lines.append(f"[{name}]")
        lines += [f"{key} = {_written(table[key])}" for key in keys if key in table]
    return "\n".join([*lines, ""])


def _written(value: object) -> str:
    """Return a text or a number as TOML: JSON's, but for DEL, which TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def main(arguments: list[str]) -> int:
    """Write the file; return the exit code."""
    if len(arguments) != 2:  # noqa: PLR2004 - the two that the usage names
        sys.stderr.write("usage: display_settings.py CABINET_TOML TARGET\n")
        return 2
    source, target = map(Path, arguments)
    try:
        exposed = extract(tomllib.loads(read(source)))
        fresh = target.with_name(f"{target.name}.new")
        fresh.write_text(exposed, encoding="utf-8")
        fresh.chmod(0o644)
        fresh.replace(target)
    except (OSError, ValueError, RecursionError) as error:
        sys.stderr.write(f"{source}: {error}\n")
        return 1
    except (AttributeError, TypeError):
        sys.stderr.write(f"{source}: holds a value of a kind that it cannot have: `cabinet check-config` names it\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
