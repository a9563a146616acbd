"""`cabinet init FILE`: creates the journal of a new cabinet."""

from contextlib import closing
from pathlib import Path

import click

from controller.commands.configured import configured
from controller.commands.technician import bound_anew
from controller.errors import LockingError
from controller.journal.store import Store
from drivers.clock import LoopClock


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
def init(file: Path) -> None:
    """Create the journal that FILE names, and the cabinet's key pair if it has none. Neither is ever replaced.

    `cabinet run` does not do this by itself: if a journal is suddenly missing the cabinet must stop, not start at zero.
    """
    site = configured(file).cabinet
    path = Path(site.journal)
    if path.exists():
        raise click.ClickException(f"{path} exists already; a journal is never made anew over an old one")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(Store(path, LoopClock().wall_ms, create=True)) as store:
            own = bound_anew(store, site.key_file, reason="cabinet init")
    except LockingError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{path} is ready, bound to the key {own.fingerprint}")
