"""`cabinet meters`: every soft meter, what it counts and when it is updated."""

import click

from controller.features.sas.meter_list import meter_list


@click.command()
def meters() -> None:
    """Write the list of all soft meters as Markdown: what each counts, its unit, when it is updated, where it is."""
    click.echo(meter_list(), nl=False)
