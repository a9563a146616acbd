"""`cabinet check-config FILE`."""

from pathlib import Path

import click

from controller.commands.configured import configured
from controller.configuration.advice import advice
from controller.configuration.cabinet_toml import ConfigurationError
from controller.configuration.exposed import exposed_pin
from controller.configuration.pulse import unpromised
from controller.play.worlds import problems_with_games
from controller.settings.unfit_settings import unfit_settings


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--quick", is_flag=True, help="Do not draw the games' screens, which takes seconds a game.")
def check_config(file: Path, *, quick: bool) -> None:
    """Check FILE, a cabinet.toml: print OK, or every problem with its key and remedy (exit code 1).

    Run it on the cabinet itself: it also checks each game on offer, as `cabinet check-game` does, for this cabinet's
    monitor and language, and the settings made in the service menu. It warns if others than the supervisor can read a
    file with the hopper's PIN, and of what no program can promise of pulse acceptors.
    """
    config = configured(file)
    if trouble := exposed_pin(file, config):
        click.echo(f"Warning: {trouble}", err=True)
    for warning in advice(config):
        click.echo(f"Warning: {file}: {warning.key}: {warning.text}", err=True)
    for sentence in unpromised(config.pins):
        click.echo(f"Warning: {sentence}", err=True)
    problems = (*problems_with_games(config, draw=not quick), *unfit_settings(config))
    if problems:
        raise click.ClickException(str(ConfigurationError(file, problems)))
    click.echo("OK")
