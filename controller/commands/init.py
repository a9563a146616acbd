"""`cabinet init FILE`: makes the journal of a new cabinet, once and on purpose."""

from pathlib import Path

import click

from controller.commands import configured
from controller.journal.errors import JournalError
from controller.journal.store import Store
from drivers.clock import LoopClock


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
def init(file: Path) -> None:
    """Make the empty journal that FILE names. An existing one is never touched.

    `cabinet run` does not do this by itself: a journal that is suddenly missing must stop the cabinet, not start the
    books at zero.
    """
    path = Path(configured(file).cabinet.journal)
    if path.exists():
        raise click.ClickException(f"{path} exists already; a journal is never made anew over an old one")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        Store(path, LoopClock().wall_ms, create=True).close()
    except JournalError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{path} is ready")
