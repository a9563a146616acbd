"""Draws the schematics of docs/wiring.md: `make schematics`, or `python -m tests.schematics [FOLDER]`."""

import argparse
from pathlib import Path

from tests.schematics.sheets import FOLDER, SHEETS

parser = argparse.ArgumentParser(prog="python -m tests.schematics", description=__doc__)
parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help=f"default: {FOLDER}")
folder: Path = parser.parse_args().folder
folder.mkdir(parents=True, exist_ok=True)
for name, draw in SHEETS.items():
    (folder / name).write_bytes(draw().get_imagedata("svg"))
