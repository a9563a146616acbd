"""`cabinet faults`: the list of fault codes to be posted inside the cabinet."""

import click

from controller.commands.fault_list import fault_list


@click.command()
def faults() -> None:
    """Write the list of all fault codes as Markdown: message, who clears it, what stops."""
    click.echo(fault_list(), nl=False)
