"""Migrations of a venue's database schema: each version is a folder of SQL files.

Missing versions are applied in order, in one transaction; each is applied once.
"""

import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from operator import attrgetter
from typing import NamedTuple

import psycopg

LOCK = 0x76656E7565
"""Advisory lock that serialises concurrent migrations."""


class SchemaError(RuntimeError):
    """The database's schema is newer than this program, or a migration changed after it was applied."""


class Version(NamedTuple):
    """A version of the schema: its name, and the text of its SQL files in execution order."""

    name: str
    files: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """SHA-256 of the concatenated files in hex, as recorded when the version is applied."""
        return hashlib.sha256("".join(self.files).encode()).hexdigest()


def versions() -> list[Version]:
    """Return the versions of this program in order, from the numbered folders beside this file."""
    folders = sorted(
        (entry for entry in resources.files(__name__).iterdir() if entry.name[:4].isdigit()), key=attrgetter("name")
    )
    return [
        Version(
            folder.name,
            tuple(
                file.read_text(encoding="utf-8")
                for file in sorted(folder.iterdir(), key=attrgetter("name"))
                if file.name.endswith(".sql") and not file.name.startswith(".")
            ),
        )
        for folder in folders
    ]


def migrate(connection: psycopg.Connection, known: Sequence[Version] | None = None) -> list[str]:
    """Migrate the connected database to the newest version of `known`; return the names of the applied versions.

    `known` defaults to this program's versions. The connection must be a superuser's and outside a transaction. On a
    server that was promoted or set back a recovery begins first, as the books are not written before. Raises
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
        if applied:
            connection.execute("SELECT venue.notice_move()")
        for name in missing:
            for file in by_name[name].files:
                connection.execute(file)
                connection.execute("RESET ROLE")
            connection.execute(
                "INSERT INTO public.venue_migration (name, sha256) VALUES (%s, %s)", (name, by_name[name].sha256)
            )
    return missing


def make_roles(connection: psycopg.Connection) -> None:
    """Create missing roles that the schema grants rights to, and let them connect to this database."""
    connection.execute(resources.files(__name__).joinpath("roles.sql").read_text(encoding="utf-8"))


def _check(applied: dict[str, str], known: Mapping[str, Version]) -> None:
    newer = sorted(applied.keys() - known.keys())
    if newer:
        raise SchemaError(f"the database has {', '.join(newer)}: it belongs to a newer program; install that one")
    changed = [name for name, sha256 in sorted(applied.items()) if known[name].sha256 != sha256]
    if changed:
        raise SchemaError(f"{', '.join(changed)} is not what was applied to the database: install a released program")
