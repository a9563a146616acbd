"""`cabinet identity`: a cabinet's key pair, and the key that its journal is bound to (requirements.md C12)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from controller.commands.configured import configured
from controller.commands.technician import bound_anew, let_in
from controller.configuration.cabinet_toml import Config
from controller.errors import LockingError
from controller.files.own_files import free_name, move
from controller.journal.store import Store
from controller.keys import identity as keys
from controller.keys.ticket_numbers import TicketNumbers
from drivers.clock import LoopClock

_FILE = click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
_REASON = click.option("--reason", required=True, help="Why, for the event in the books.")


@click.group()
def identity() -> None:
    """Show the key that the journal is bound to, or bind it to another key, with the cabinet stopped."""


@identity.command()
@_FILE
def show(file: Path) -> None:
    """Print this cabinet's key and the key that its journal is bound to."""
    with _books(file) as (config, store):
        own = keys.read_identity(config.cabinet.key_file)
        bound = store.transact(keys.bond)
        click.echo(f"key      {'none' if own is None else own.public_key.hex()}   {config.cabinet.key_file}")
        click.echo(f"journal  {'none' if bound is None else bound.public_key}   {store.path}")


@identity.command()
@_FILE
@_REASON
def adopt(file: Path, reason: str) -> None:
    """Bind the journal of another cabinet, or an unbound one, to the key of this one. It keeps its credit."""
    with _books(file) as (config, store):
        if keys.read_identity(config.cabinet.key_file) is None:
            raise click.ClickException("this cabinet has no key: `cabinet identity replace` makes one")
        by = let_in(store, config)
        own = bound_anew(store, config.cabinet.key_file, reason=reason, by=by)
        click.echo(f"{store.path} is bound to the key {own.fingerprint}")


@identity.command()
@_FILE
@_REASON
def replace(file: Path, reason: str) -> None:
    """Make a new key pair, if the old one is lost or no longer secret, and bind the journal to it.

    The old key file becomes `<file>.old`, or `<file>.old-2` where that is taken.
    """
    with _books(file) as (config, store):
        path = config.cabinet.key_file
        by = let_in(store, config)
        old = path.with_name(path.name + ".old")
        if path.exists():
            old = free_name(old)
            move(path, old)
        own = bound_anew(store, path, reason=reason, by=by, before=TicketNumbers(old))
        click.echo(f"{store.path} is bound to the key {own.fingerprint}")


@contextmanager
def _books(file: Path) -> Iterator[tuple[Config, Store]]:
    """Open the journal of a stopped cabinet, whatever key it is bound to."""
    config = configured(file)
    try:
        store = Store(Path(config.cabinet.journal), LoopClock().wall_ms, simulated=config.simulated)
        try:
            yield config, store
        finally:
            store.close()
    except LockingError as error:
        raise click.ClickException(str(error)) from error
