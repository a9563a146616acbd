"""The options that the bench's two commands share."""

from pathlib import Path
from typing import Final

import click

BAKED: Final = click.option(
    "--baked",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("build/baked"),
    show_default=True,
    help="Where baked pictures are kept.",
)
