"""`cabinet run FILE`: the production supervisor."""

import os
import sys
from pathlib import Path

import click

from controller.commands import configured
from controller.configuration.exposed import exposed_pin
from controller.settings.unfit_settings import unfit_settings


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
def run(file: Path) -> None:
    """Run the cabinet in FILE until SIGTERM. Simulated pins are refused: they are for the demo."""
    config = configured(file)
    if config.simulated:
        raise click.ClickException(
            f"{file}: pins.factory: is simulated, which only `cabinet demo` may use; set it to lgpio"
        )
    if trouble := exposed_pin(file, config):
        click.echo(f"Warning: {trouble}", err=True)
    for problem in unfit_settings(config):
        click.echo(f"{file}: {problem.key}: {problem.text}", err=True)
    # replacing the process frees the command line's memory in a supervisor that runs for months
    os.execv(sys.executable, [sys.executable, "-m", "controller.supervisor", str(file)])  # noqa: S606 - no shell wanted
