"""`cabinet check-config FILE`."""

from pathlib import Path

import click

from controller.commands import configured
from controller.configuration import ConfigurationError
from controller.worlds import problems_with_worlds


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def check_config(file: Path) -> None:
    """Check FILE, a cabinet.toml: print OK, or every problem with its key and mend (exit code 1).

    Run it on the cabinet itself: it looks whether the art of each game on offer is there.
    """
    problems = problems_with_worlds(configured(file))
    if problems:
        raise click.ClickException(str(ConfigurationError(file, problems)))
    click.echo("OK")
