"""The schema of a venue's database: numbered SQL files, applied once each, in order, in one transaction."""

import hashlib
from importlib import resources
from typing import NamedTuple

import psycopg

LOCK = 0x76656E7565
"""Advisory lock that two runs of the migrations take turns by."""


class SchemaError(RuntimeError):
    """The database's schema is newer than this program, or was made by files that were changed since."""


class Migration(NamedTuple):
    """One SQL file: its name and its statements."""

    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """The file's SHA-256 in hex, as recorded when it was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """Return the numbered SQL files of this program, in order."""
    files = sorted(path.name for path in resources.files(__name__).iterdir() if path.name[:4].isdigit())
    return [Migration(name, _read(name)) for name in files]


def migrate(connection: psycopg.Connection) -> list[str]:
    """Bring the connected database to this program's schema; return the names of the files that were applied.

    The connection is a superuser's, and outside a transaction. Raises `SchemaError` for a newer or a changed schema.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        make_roles(connection)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS public.venue_migration (name text PRIMARY KEY, sha256 text NOT NULL,"
            " at timestamptz NOT NULL DEFAULT clock_timestamp())"
        )
        applied: dict[str, str] = dict(connection.execute("SELECT name, sha256 FROM public.venue_migration").fetchall())
        known = {migration.name: migration for migration in migrations()}
        _check(applied, known)
        for name in sorted(known.keys() - applied.keys()):
            connection.execute(known[name].sql)
            connection.execute("RESET ROLE")
            connection.execute(
                "INSERT INTO public.venue_migration (name, sha256) VALUES (%s, %s)", (name, known[name].sha256)
            )
    return sorted(known.keys() - applied.keys())


def make_roles(connection: psycopg.Connection) -> None:
    """Make the roles that the schema's rights name, and let them connect to this database; nothing is made twice."""
    connection.execute(_read("roles.sql"))


def _check(applied: dict[str, str], known: dict[str, Migration]) -> None:
    newer = sorted(applied.keys() - known.keys())
    if newer:
        raise SchemaError(f"the database has {', '.join(newer)}: it belongs to a newer program; install that one")
    changed = [name for name, sha256 in sorted(applied.items()) if known[name].sha256 != sha256]
    if changed:
        raise SchemaError(f"{', '.join(changed)} is not what was applied to the database: install a released program")


def _read(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
