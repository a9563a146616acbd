"""`cabinet rebuild FILE`: rebuilds a lost or damaged journal from its second copy."""

from contextlib import closing
from functools import partial
from pathlib import Path

import click

from controller.books.opening import opened_books
from controller.commands.configured import configured
from controller.configuration.tickets import VENUE, tickets_of
from controller.errors import LockingError
from controller.features.copies.rebuilding import copy_to_rebuild_from, rebuild
from controller.journal.errors import CorruptJournalError
from controller.keys import identity
from drivers.clock import LoopClock


@click.command(name="rebuild")
@click.argument("file", type=click.Path(path_type=Path), default="/etc/cabinet/cabinet.toml")
@click.option("--reason", required=True, help="Why, for the first row of the new journal.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def rebuild_books(file: Path, reason: str, *, yes: bool) -> None:
    """Rebuild a lost, damaged or older journal from its second copy, with the cabinet stopped.

    Credit, meters and pools are those of the last acknowledged transaction; an open round is void. The damaged journal
    is kept beside the new one. A journal that can be opened is never replaced.
    """
    config = configured(file)
    site = config.cabinet
    path, clock = Path(site.journal), LoopClock()
    if site.second_copy_file is None:
        raise click.ClickException(f"{file}: cabinet.second_copy is empty: this cabinet keeps no second copy")
    open_books = partial(
        opened_books,
        path,
        site.key_file,
        clock.wall_ms,
        simulated=config.simulated,
        second_copy=site.second_copy_file,
    )
    try:
        open_books().close()
    except CorruptJournalError as error:
        click.echo(f"The books cannot be used: {error}")
    except LockingError as error:
        raise click.ClickException(str(error)) from error
    else:
        raise click.ClickException(f"{path} is whole and agrees with its second copy: there is nothing to rebuild")
    try:
        own = identity.read_identity(site.key_file)
        if own is None:
            raise click.ClickException(f"{site.key_file} is missing: restore the cabinet's key first")
        kept = copy_to_rebuild_from(site.second_copy_file, own)
        click.echo(f"The second copy ends at row {kept.seq} with a credit of {kept.credit_cents} cents.")
        if kept.open_stake_cents:
            click.echo(f"A round of {kept.open_stake_cents} cents was open: it will be void.")
        if not yes:
            click.confirm("Make the books anew from it?", abort=True)
            click.confirm("The history, the settings, the PINs and the list of tickets are lost. Go on?", abort=True)
        aside = rebuild(
            path, kept, own, reason, wall_ms=clock.wall_ms, own_tickets=tickets_of(config).validated_by != VENUE
        )
        with closing(open_books()) as store:
            credit = store.credit_cents
    except LockingError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{path} is rebuilt, with a credit of {credit} cents.")
    if aside is not None:
        click.echo(f"The old one is kept as {aside}.")
