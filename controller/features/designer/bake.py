"""`cabinet bake`: runs `ui.bake`, the only module that needs numpy and resvg."""

import os
import sys

import click

from controller.system.extras import missing


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def bake(arguments: tuple[str, ...]) -> None:
    """Rasterise the art and render the sounds; all ARGUMENTS are those of `python -m ui.bake`."""
    if words := missing("bake"):
        raise click.ClickException(words)
    os.execv(sys.executable, [sys.executable, "-m", "ui.bake", *arguments])  # noqa: S606 - no shell wanted
