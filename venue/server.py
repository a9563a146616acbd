"""The venue's PostgreSQL server: superuser connections, PostgreSQL's programs, settings and access rules."""

import os
import pwd
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from venue.errors import MissingProgramError, NoServerError, VenueError

LOCAL = "host=/var/run/postgresql user=postgres dbname=postgres"
"""Connection string of the superuser on Debian's PostgreSQL."""

SUPERUSER = "postgres"
OLDEST_MAJOR = 15
PAGE_USER = "cabinet-venue"
"""The system user that runs the page; only this user may log in as venue_page."""


class Place(NamedTuple):
    """Where a venue is: the superuser's connection string, the database, the key folder and the art folder."""

    dsn: str
    database: str
    folder: Path
    baked: Path = Path(sys.prefix).with_name("baked")
    """Folder of the games' prepared art; the Debian package installs it next to its Python environment."""


BEGIN, END = "# cabinet venue: begin", "# cabinet venue: end"

SETTINGS = {
    # Limits how long a client may hold a connection without logging in.
    "authentication_timeout": "10s",
    "jit": "off",
    "listen_addresses": "*",
    "max_connections": "300",
    # An abandoned prepared transaction keeps its locks, and has no session that could be terminated.
    "max_prepared_transactions": "0",
    "password_encryption": "scram-sha-256",
    "ssl": "on",
    "ssl_min_protocol_version": "TLSv1.2",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}


@contextmanager
def acting_as_superuser() -> Iterator[None]:
    """Run the block as the system user `postgres` if this is root; peer authentication requires that user."""
    if os.geteuid() != 0:
        yield
        return
    try:
        entry = pwd.getpwnam(SUPERUSER)
    except KeyError as error:
        raise NoServerError(LOCAL, f"there is no user {SUPERUSER}") from error
    os.seteuid(entry.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def connected(dsn: str, database: str = SUPERUSER) -> Iterator[psycopg.Connection]:
    """Yield the superuser's autocommit connection to a database.

    Raises `NoServerError` if no server answers, `VenueError` if the database does not exist or the server is older
    than `OLDEST_MAJOR`.
    """
    try:
        with acting_as_superuser():
            connection = psycopg.connect(make_conninfo(dsn, dbname=database), autocommit=True)
    except psycopg.OperationalError as error:
        if f'database "{database}" does not exist' in str(error):
            raise VenueError(f"there is no database {database}: run `cabinet venue init`") from error
        raise NoServerError(dsn, str(error)) from error
    with connection:
        if major(connection) < OLDEST_MAJOR:
            raise VenueError(f"PostgreSQL {major(connection)} is too old: the venue needs {OLDEST_MAJOR} or later")
        yield connection


@contextmanager
def opened(dsn: str, database: str) -> Iterator[psycopg.Connection]:
    """Yield a connection like `connected`; begins a recovery if the server was promoted or set back.

    Raises `VenueError` if the database holds no venue.
    """
    with connected(dsn, database) as connection:
        if not holds_venue(connection):
            raise VenueError(f"the database {database} holds no venue: say --database, or run `cabinet venue init`")
        connection.execute("SELECT venue.notice_move()")
        yield connection


def holds_venue(connection: psycopg.Connection) -> bool:
    """Whether the connected database holds a venue."""
    return connection.execute("SELECT to_regclass('venue.site')").fetchone() != (None,)


def major(connection: psycopg.Connection) -> int:
    """Return the server's major version."""
    return connection.info.server_version // 10000


def has_database(connection: psycopg.Connection, name: str) -> bool:
    """Whether the server has this database."""
    return connection.execute("SELECT FROM pg_database WHERE datname = %s", (name,)).fetchone() is not None


def create_database(connection: psycopg.Connection, name: str) -> None:
    """Create an empty UTF-8 database."""
    connection.execute(
        sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'").format(sql.Identifier(name))
    )


def run_program(
    connection: psycopg.Connection,
    program: str,
    arguments: Sequence[str],
    *,
    output: IO[bytes] | None = None,
    feed: IO[bytes] | None = None,
) -> None:
    """Run `pg_dump` or `pg_restore` of the server's major version; raises `VenueError` with its standard error."""
    version = major(connection)
    path = Path(f"/usr/lib/postgresql/{version}/bin/{program}")
    found = str(path) if path.exists() else shutil.which(program)
    if found is None:
        raise MissingProgramError(program, version)
    uid = pwd.getpwnam(SUPERUSER).pw_uid if os.geteuid() == 0 else None
    done = subprocess.run(  # noqa: S603 - a PostgreSQL program, found by its own name
        [found, *arguments],
        stdin=subprocess.DEVNULL if feed is None else feed,
        stdout=output,
        stderr=subprocess.PIPE,
        cwd="/",
        user=uid,
        check=False,
    )
    if done.returncode:
        raise VenueError(f"{program} failed: {done.stderr.decode(errors='replace').strip()}")


def configure(connection: psycopg.Connection, database: str, certificate: Path, key: Path) -> None:
    """Turn TLS on with this certificate, listen on the network, and restrict where each role may log in.

    The key is given to the server's own user. Settings that need a restart stay pending (`pending_restart`).
    """
    data = Path(_setting(connection, "data_directory"))
    owner = data.stat()
    if os.geteuid() == 0:
        os.chown(key, owner.st_uid, owner.st_gid)
    for name, value in (SETTINGS | {"ssl_cert_file": str(certificate), "ssl_key_file": str(key)}).items():
        connection.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
    _put_block(
        Path(_setting(connection, "hba_file")),
        [
            f"local    {database}  venue_page         peer map=cabinet_venue",
            f"hostssl  {database}  +cabinets,+enrolment  all  scram-sha-256",
            f"host     {database}  all         all    reject",
            "host     all  +cabinets,+enrolment,venue_page  all  reject",
            "local    all  +cabinets,+enrolment             reject",
        ],
    )
    _put_block(Path(_setting(connection, "ident_file")), [f"cabinet_venue  {PAGE_USER}  venue_page"])
    connection.execute("SELECT pg_reload_conf()")


def pending_restart(connection: psycopg.Connection) -> list[str]:
    """Return the settings that take effect after a restart of the server."""
    files = connection.execute(
        "SELECT s.name FROM pg_settings s JOIN pg_file_settings f USING (name)"
        " WHERE s.context = 'postmaster' AND f.error = 'setting could not be applied' ORDER BY 1"
    ).fetchall()
    marked = connection.execute("SELECT name FROM pg_settings WHERE pending_restart ORDER BY 1").fetchall()
    return sorted({name for (name,) in (*files, *marked)})


def _setting(connection: psycopg.Connection, name: str) -> str:
    row = connection.execute("SELECT current_setting(%s)", (name,)).fetchone()
    return "" if row is None else str(row[0])


def _put_block(path: Path, lines: Sequence[str]) -> None:
    """Write these lines at the top of the file, because the first match decides; replace those of an earlier run."""
    text = path.read_text(encoding="utf-8")
    rest = re.sub(rf"{re.escape(BEGIN)}\n.*?{re.escape(END)}\n", "", text, flags=re.DOTALL)
    held = path.stat()
    part = path.with_name(path.name + ".part")
    part.write_text("\n".join([BEGIN, *lines, END]) + "\n" + rest, encoding="utf-8")
    part.chmod(held.st_mode & 0o777)
    os.chown(part, held.st_uid, held.st_gid)
    part.replace(path)
