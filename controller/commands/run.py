"""`cabinet run FILE`: the production supervisor."""

import os
import sys
from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
def run(file: Path) -> None:
    """Run the cabinet in FILE until SIGTERM. Simulated pins are refused: they are for the demo."""
    # the supervisor reads and checks FILE itself; a process of its own has none of the command line's memory
    os.execv(sys.executable, [sys.executable, "-m", "controller.supervisor", str(file)])  # noqa: S606 - no shell wanted
