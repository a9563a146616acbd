"""Copies of a venue's database in memory, which are put back in milliseconds: a restore without a server of its own."""

from typing import NamedTuple, Self

import psycopg
from psycopg import sql

_TABLES = """
    SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'venue' AND c.relkind = 'r' ORDER BY c.relname
"""
_SEQUENCES = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'venue' ORDER BY 1"


class Snapshot(NamedTuple):
    """The rows of every table of the schema, and where its sequences are."""

    tables: dict[str, bytes]
    sequences: dict[str, int | None]

    @classmethod
    def of(cls, admin: psycopg.Connection) -> Self:
        """Copy the database as its administrator."""
        tables = {}
        with admin.transaction():
            for (name,) in admin.execute(_TABLES).fetchall():
                statement = sql.SQL("COPY {} TO STDOUT").format(sql.Identifier("venue", name))
                with admin.cursor().copy(statement) as copy:
                    content = b"".join(bytes(part) for part in copy)
                if content:
                    tables[str(name)] = content
            return cls(tables, dict(admin.execute(_SEQUENCES).fetchall()))

    def restore(self, admin: psycopg.Connection) -> None:
        """Put the copy back, without triggers; what was made since is gone."""
        with admin.transaction():
            admin.execute("SET LOCAL session_replication_role = replica")
            for (name,) in admin.execute(_TABLES).fetchall():
                table = sql.Identifier("venue", name)
                admin.execute(sql.SQL("DELETE FROM {}").format(table))
                if name in self.tables:
                    with admin.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
                        copy.write(self.tables[name])
            there = {str(name) for name, _ in admin.execute(_SEQUENCES).fetchall()}
            for name in sorted(there - self.sequences.keys()):
                admin.execute(sql.SQL("DROP SEQUENCE {}").format(sql.Identifier("venue", name)))
            for name, last in self.sequences.items():
                if name not in there:  # a counter of a cabinet that an older copy did not have
                    sequence = sql.Identifier("venue", name)
                    admin.execute(sql.SQL("CREATE SEQUENCE {} MINVALUE 0 START 0").format(sequence))
                    admin.execute(sql.SQL("ALTER SEQUENCE {} OWNER TO venue_owner").format(sequence))
                admin.execute(
                    "SELECT setval(%s::text::regclass, %s, %s)", (f"venue.{name}", last or 1, last is not None)
                )
