"""`cabinet display FILE`: the display process of the cabinet that FILE describes."""

import os
import sys
from pathlib import Path

import click

from controller.configuration import ConfigurationError, load


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
def display(file: Path) -> None:
    """Show the cabinet that FILE describes on this machine's screen."""
    try:
        cabinet = load(file)
    except ConfigurationError as error:
        raise click.ClickException(str(error)) from error
    arguments = ["--socket", str(cabinet.cabinet.display_socket), "--baked", cabinet.display.baked]
    os.execv(sys.executable, [sys.executable, "-m", "ui", *arguments])  # noqa: S606 - no shell wanted
