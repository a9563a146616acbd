"""`cabinet display FILE`: the display process of the cabinet that FILE describes."""

import os
import sys
from pathlib import Path

import click

from controller.commands import configured


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
def display(file: Path) -> None:
    """Show the cabinet that FILE describes on this machine's screen."""
    cabinet = configured(file)
    shown = cabinet.display
    arguments = ["--socket", str(cabinet.cabinet.display_socket), "--baked", shown.baked]
    arguments += ["--shape", shown.shape, "--scale", shown.scale.removesuffix("x")]
    os.execv(sys.executable, [sys.executable, "-m", "ui", *arguments])  # noqa: S606 - no shell wanted
