"""`cabinet restore`: replaces a lost or cleared journal by a backup, with the cabinet stopped (U.6)."""

from contextlib import closing
from pathlib import Path

import click

from controller.books.opening import finish
from controller.commands.configured import configured
from controller.commands.technician import let_in, let_in_without_books
from controller.configuration.tickets import tickets_of
from controller.errors import LockingError
from controller.features.copies import restoring
from controller.features.copies.page import units_of
from controller.journal.actor import Role, acting
from controller.journal.store import Store
from controller.keys import identity
from drivers.clock import LoopClock


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("backup", type=click.Path(exists=True, file_okay=False, path_type=Path))
def restore(file: Path, backup: Path) -> None:
    """Replace the journal that FILE names by BACKUP, if the journal is lost or was cleared.

    BACKUP is a folder written by U.6 of the service menu. One that is older than the cabinet's own records is refused.
    """
    config = configured(file)
    site = config.cabinet
    path, wall_ms, archives = Path(site.journal), LoopClock().wall_ms, config.storage.archive_folder
    try:
        own = identity.read_identity(site.key_file)
        if own is None:
            raise click.ClickException(f"{site.key_file} does not exist: restore the cabinet's key first")
        manifest = restoring.proven_backup(backup, own.public_key)
        click.confirm(f"Restore the backup of {manifest.made}, ledger row {manifest.seq}?", abort=True, err=True)
        click.confirm("What the cabinet has counted since is not in it. Restore it all the same?", abort=True, err=True)
        if path.exists():
            with closing(Store(path, wall_ms, simulated=manifest.simulated)) as store:
                by = let_in(store, config)
                store.transact(restoring.refuse_unless_cleared)
                prepared = restoring.prepare(path, backup, own, Role.TECHNICIAN, wall_ms, archives=archives, by=by)
                with acting(by):
                    store.transact(lambda tx: restoring.decide(tx, prepared))
            finish(path, wall_ms)
        else:
            by = let_in_without_books(path)
            restoring.restore_lost(
                path,
                backup,
                own,
                Role.TECHNICIAN,
                wall_ms,
                units=units_of(config),
                archives=archives,
                own_tickets=tickets_of(config).own,
                by=by,
            )
    except LockingError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{path} is restored from the backup of {manifest.made}")
