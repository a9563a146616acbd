"""`cabinet venue`: sets up and looks after a venue's server (docs/venue.md), on the machine of its PostgreSQL."""

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import psycopg

from common.error_words import error_words
from venue import auditing, backups, overview, server, setting_up
from venue.codes import NoAuthorityError, make_code
from venue.errors import VenueError
from venue.schema import SchemaError

_DSN = click.option("--dsn", default=server.LOCAL, show_default=True, help="Where the superuser reaches PostgreSQL.")
_DATABASE = click.option("--database", default=setting_up.DATABASE, show_default=True)
_FOLDER = click.option(
    "--folder",
    type=click.Path(file_okay=False, resolve_path=True, path_type=Path),
    default=setting_up.FOLDER,
    show_default=True,
    help="Where the keys of authority and server lie.",
)


def _filled(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("it is empty")
    return value


@click.group()
def venue() -> None:
    """Set up and look after a venue: PostgreSQL for the linked jackpots and books of many cabinets. As root."""


@venue.command()
@click.option("--name", required=True, callback=_filled, help="What the venue is called.")
@click.option("--rename", is_flag=True, help="Give the venue that is there this name.")
@click.option(
    "--timezone", show_default=setting_up.TIMEZONE, help="The time zone in which its days begin; set once, for good."
)
@click.option("--currency", show_default=setting_up.CURRENCY, help="Set once, for good.")
@click.option(
    "--host",
    "hosts",
    multiple=True,
    help="A name or address by which cabinets reach it; more than one may be said. Kept where none is said.",
)
@click.option("--coin", "coins", multiple=True, type=click.IntRange(1), help="A coin value in cents that gets pools.")
@click.option(
    "--baked",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The art that the page draws rounds with (`cabinet bake`); the Debian package has its own.",
)
@_DSN
@_DATABASE
@_FOLDER
def init(
    *,
    name: str,
    rename: bool,
    timezone: str | None,
    currency: str | None,
    hosts: tuple[str, ...],
    coins: tuple[int, ...],
    baked: Path | None,
    **where: str,
) -> None:
    """Make the venue's database, certificate authority, server certificate, roles and pools. May be run again.

    A second run applies newer migrations, renews the server's certificate and adds pools; it replaces nothing else. A
    name that is not the venue's is refused without `--rename`.
    """
    with _errors():
        site = setting_up.Site(name, timezone, currency, rename)
        place = _place(**where)
        reached = setting_up.certificate_hosts(hosts, place.folder)
        if baked is not None:
            place = place._replace(baked=baked)
        done = setting_up.set_up(place, site, reached, coins, _person())
    click.echo(f"database {where['database']}: {len(done.migrations)} migrations applied")
    for terms in done.pools:
        click.echo(f"  pool of {terms.game} at {terms.coin} ct added")
    click.echo(f"server certificate for {', '.join(reached)} until {done.expires:%Y-%m-%d}")
    if done.restart_for:
        click.echo(f"now restart PostgreSQL ({', '.join(done.restart_for)}): systemctl restart postgresql")


@venue.command()
@click.option("--replaces", type=click.IntRange(1), help="The number of the cabinet whose card or machine is replaced.")
@_DSN
@_DATABASE
def enrol(replaces: int | None, dsn: str, database: str) -> None:
    """Print a one-time code, good for 15 minutes, that a technician types in the cabinet's service menu."""
    with _errors(), server.opened(dsn, database) as connection:
        click.echo(make_code(connection, _person(), replaces))


@venue.command()
@_DSN
@_DATABASE
@_FOLDER
def status(dsn: str, database: str, folder: Path) -> None:
    """Print pools, cabinets, alarms, the last backup and what is pending."""
    with _errors(), server.opened(dsn, database) as connection:
        for line in overview.lines(connection, folder):
            click.echo(line)


@venue.command()
@_DSN
@_DATABASE
def audit(dsn: str, database: str) -> None:
    """Recompute pools, hits, ledger chains and closed months from what is stored; exits with 1 where one differs."""
    with _errors(), server.opened(dsn, database) as connection:
        found = auditing.audit(connection)
        auditing.record(connection, found, _person())
    for line in found.checked:
        click.echo(f"  checked {line}")
    for line in found.failures:
        click.echo(f"  NOT PROVED: {line}")
    click.echo("  the books are proved" if not found.failures else f"  {len(found.failures)} proofs failed")
    sys.exit(1 if found.failures else 0)


@venue.command()
@_DSN
@_DATABASE
def tidy(dsn: str, database: str) -> None:
    """Make the partitions of coming months and drop those past their retention. Runs daily."""
    with _errors(), server.opened(dsn, database) as connection:
        (done,) = connection.execute("SELECT venue.tidy()").fetchone() or (0,)
    click.echo(f"{done} partitions made or dropped")


@venue.command()
@click.option("--reason", required=True, callback=_filled, help="Why, for the audit.")
@_DSN
@_DATABASE
def recover(reason: str, dsn: str, database: str) -> None:
    """Set the open pools to `recovering`, after the server was set back by other means than `restore`."""
    with _errors(), server.opened(dsn, database) as connection:
        connection.execute("SELECT venue.begin_recovery(%s, %s)", (reason, _person()))
        connection.execute(  # a cabinet learns that a report is due when it reconnects and sends its next hello
            "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN venue.cabinet k ON k.role = a.usename"
            " WHERE a.datname = current_database()"
        )
    click.echo("the pools are recovering: `cabinet venue status` names the cabinets that have not reported")


@venue.command(name="open")
@click.option(
    "--complete",
    is_flag=True,
    help="You confirm that `status` lists every linked cabinet of the floor, and that every jackpot which a cabinet"
    " without its books has paid was entered on the page.",
)
@_DSN
@_DATABASE
def open_pools(dsn: str, database: str, *, complete: bool) -> None:
    """Open recovering pools, once every cabinet has reported or was written off and the books balance."""
    with _errors(), server.opened(dsn, database) as connection:
        connection.execute("SELECT venue.open_pools(%s, %s)", (complete, _person()))
    click.echo("the pools are open")


@venue.command()
@click.argument("target", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--keep",
    type=click.IntRange(1),
    help="Then remove older backups in TARGET: all but this many, and the newest of each of the last 12 months.",
)
@_DSN
@_DATABASE
@_FOLDER
def backup(target: Path, keep: int | None, **where: str) -> None:
    """Write a backup into a new folder in TARGET: database, logins, and the authority's key. Keep it as a secret."""
    with _errors():
        made = backups.back_up(_place(**where), target)
        gone = [] if keep is None else backups.remove_old(target, keep)
    click.echo(f"{made.folder}: {made.size} bytes")
    for folder in gone:
        click.echo(f"removed {folder}")


@venue.command()
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--host",
    "hosts",
    multiple=True,
    help="A name or address by which cabinets reach this machine; without one those of the certificate before.",
)
@click.option("--put-aside", is_flag=True, help="Rename a database of this name that is there already.")
@_DSN
@_DATABASE
@_FOLDER
def restore(source: Path, hosts: tuple[str, ...], *, put_aside: bool, **where: str) -> None:
    """Restore the backup in SOURCE. Its pools are `recovering` until all cabinets have given back what it lacks."""
    with _errors():
        place = _place(**where)
        reached = setting_up.certificate_hosts(hosts, place.folder, source)
        done = backups.restore(place, source, _person(), put_aside=put_aside)
        pending = setting_up.secure_again(place, reached)
    click.echo(f"restored as of {done.made_at:%Y-%m-%d %H:%M}, with the logins of {done.cabinets} cabinets")
    click.echo(f"server certificate for {', '.join(reached)}: say --host where cabinets reach it otherwise")
    if done.put_aside is not None:
        click.echo(f"the database before is now {done.put_aside}")
    click.echo("the pools are recovering: `cabinet venue status` names the cabinets that have not reported")
    if pending:
        click.echo(f"now restart PostgreSQL ({', '.join(pending)}): systemctl restart postgresql")


@contextmanager
def _errors() -> Iterator[None]:
    """Turn expected errors into messages for the administrator, without a traceback."""
    try:
        yield
    except (VenueError, SchemaError, NoAuthorityError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(error_words(error)) from error
    except psycopg.Error as error:
        words = error.diag.message_primary or str(error).strip()
        raise click.ClickException(f"PostgreSQL: {words}") from error


def _place(*, dsn: str, database: str, folder: str | Path) -> server.Place:
    return server.Place(dsn, database, Path(folder))


def _person() -> str:
    return f"{getpass.getuser()} (console)"
