"""The command line."""

import click


@click.group()
def main() -> None:
    """Run, prove and look after a slot cabinet."""
