"""The configuration that a command is given."""

from pathlib import Path

import click

from controller.configuration.cabinet_toml import Config, ConfigurationError, load


def configured(file: Path) -> Config:
    """Return the configuration in FILE; end the command with every problem and exit code 1 if it has any."""
    try:
        return load(file)
    except ConfigurationError as error:
        raise click.ClickException(str(error)) from error
