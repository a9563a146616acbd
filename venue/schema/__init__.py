"""The schema of a venue's database: versions, each a folder of SQL files, applied once, in order, all or none."""

import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from operator import attrgetter
from typing import NamedTuple

import psycopg

LOCK = 0x76656E7565
"""Advisory lock by which two runs take turns."""


class SchemaError(RuntimeError):
    """The database's schema is newer than this program, or was made by files that were changed since."""


class Version(NamedTuple):
    """A version of the schema: its name, and its SQL files in the order in which they are executed."""

    name: str
    files: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """The SHA-256 of its files in hex, as recorded when it was applied."""
        return hashlib.sha256("".join(self.files).encode()).hexdigest()


def versions() -> list[Version]:
    """Return the versions of this program, in order: the numbered folders beside this file."""
    folders = sorted(
        (entry for entry in resources.files(__name__).iterdir() if entry.name[:4].isdigit()), key=attrgetter("name")
    )
    return [
        Version(
            folder.name,
            tuple(file.read_text(encoding="utf-8") for file in sorted(folder.iterdir(), key=attrgetter("name"))),
        )
        for folder in folders
    ]


def migrate(connection: psycopg.Connection, known: Sequence[Version] | None = None) -> list[str]:
    """Bring the connected database to the newest version of `known`; return the names of those that were applied.

    Without `known` they are this program's. The connection is a superuser's, and outside a transaction. Raises
    `SchemaError` for a newer or a changed schema.
    """
    by_name = {version.name: version for version in (versions() if known is None else known)}
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        make_roles(connection)
        connection.execute(
            "CREATE TABLE IF NOT EXISTS public.venue_migration (name text PRIMARY KEY, sha256 text NOT NULL,"
            " at timestamptz NOT NULL DEFAULT clock_timestamp())"
        )
        applied: dict[str, str] = dict(connection.execute("SELECT name, sha256 FROM public.venue_migration").fetchall())
        _check(applied, by_name)
        missing = sorted(by_name.keys() - applied.keys())
        for name in missing:
            for file in by_name[name].files:
                connection.execute(file)
                connection.execute("RESET ROLE")
            connection.execute(
                "INSERT INTO public.venue_migration (name, sha256) VALUES (%s, %s)", (name, by_name[name].sha256)
            )
    return missing


def make_roles(connection: psycopg.Connection) -> None:
    """Make the roles that the schema's rights name, and let them connect to this database; nothing is made twice."""
    connection.execute(resources.files(__name__).joinpath("roles.sql").read_text(encoding="utf-8"))


def _check(applied: dict[str, str], known: Mapping[str, Version]) -> None:
    newer = sorted(applied.keys() - known.keys())
    if newer:
        raise SchemaError(f"the database has {', '.join(newer)}: it belongs to a newer program; install that one")
    changed = [name for name, sha256 in sorted(applied.items()) if known[name].sha256 != sha256]
    if changed:
        raise SchemaError(f"{', '.join(changed)} is not what was applied to the database: install a released program")
