"""`cabinet check-config FILE`."""

from pathlib import Path

import click

from controller.commands import configured
from controller.configuration.cabinet_toml import ConfigurationError
from controller.configuration.exposed import exposed_pin
from controller.play.worlds import problems_with_worlds
from controller.settings.unfit_settings import unfit_settings


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def check_config(file: Path) -> None:
    """Check FILE, a cabinet.toml: print OK, or every problem with its key and mend (exit code 1).

    Run it on the cabinet itself: it looks whether the art of each game on offer is there, and whether what was set in
    the service menu still fits. Warns where the file has the hopper's PIN and others than the supervisor may read it.
    """
    config = configured(file)
    if trouble := exposed_pin(file, config):
        click.echo(f"Warning: {trouble}", err=True)
    problems = (*problems_with_worlds(config), *unfit_settings(config))
    if problems:
        raise click.ClickException(str(ConfigurationError(file, problems)))
    click.echo("OK")
