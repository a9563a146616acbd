"""`cabinet init FILE`: creates the journal of a new cabinet."""

from contextlib import closing
from pathlib import Path

import click

from controller.books.copy_records import copy_in_words
from controller.commands.configured import configured
from controller.commands.technician import bound_anew
from controller.errors import LockingError
from controller.files.mounts import not_mounted
from controller.journal.store import Store
from drivers.clock import LoopClock


@click.command()
@click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
@click.option("--anew", is_flag=True, help="The cabinet has a key, and its books are lost for good.")
def init(file: Path, *, anew: bool) -> None:
    """Create the journal that FILE names, and the cabinet's key pair if it has none. Neither is ever replaced.

    `cabinet run` does not do this by itself: if a journal is suddenly missing the cabinet must stop, not start at zero.
    Nor does this command where the cabinet has had books: their disk may not be mounted, their second copy is there,
    or their key is (unless --anew).
    """
    site = configured(file).cabinet
    path = Path(site.journal)
    if path.exists():
        raise click.ClickException(f"{path} exists already; a journal is never made anew over an old one")
    if (point := not_mounted(path)) is not None:
        raise click.ClickException(f"nothing is mounted at {point}, where {path} belongs: mount its disk first")
    if copy := copy_in_words(site.second_copy_file):
        raise click.ClickException(f"this cabinet has had books: {copy}")
    if site.key_file.exists() and not anew:
        raise click.ClickException(
            f"this cabinet has a key, {site.key_file}, so it has had books: mount their disk or restore a backup; where"
            " they are lost for good, say --anew"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(Store(path, LoopClock().wall_ms, create=True)) as store:
            own = bound_anew(store, site.key_file, reason="cabinet init")
    except LockingError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{path} is ready, bound to the key {own.fingerprint}")
