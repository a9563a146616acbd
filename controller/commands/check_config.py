"""`cabinet check-config FILE`."""

from pathlib import Path

import click

from controller.commands import configured


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def check_config(file: Path) -> None:
    """Check FILE, a cabinet.toml: print OK, or every problem with its key and mend (exit code 1)."""
    configured(file)
    click.echo("OK")
