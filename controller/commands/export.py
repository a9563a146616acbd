"""`cabinet export`: the journal's books as files that other programs read."""

import csv
import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from sqlite_utils import Database

from controller.journal import schema
from controller.journal.errors import JournalError
from controller.journal.store import translated

TABLES = ("ledger", "meters", "rounds", "segments", "events", "faults", "open_items", "notes", "payouts", "hard_meters")


@click.command()
@click.argument("journal", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--format", "kind", type=click.Choice(["csv", "json"]), default="csv", show_default=True)
def export(journal: Path, folder: Path, kind: str) -> None:
    """Write the books in JOURNAL into FOLDER, one file a table; the journal is only read.

    Amounts are in cents. `head.json` names the last ledger row and its hash, which vouches for all before it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as connection:
            if not schema.applied(connection):
                raise click.ClickException(f"{journal} holds no journal")
            connection.execute("BEGIN")  # one snapshot for all tables
            books = Database(connection, execute_plugins=False)
            for table in TABLES:
                path = folder / f"{table}.{kind}"
                (_write_csv if kind == "csv" else _write_json)(path, books, table)
                click.echo(path)
            _write_head(folder / "head.json", books)
    except sqlite3.Error as error:
        raise _plain(translated(error, journal)) from error


def _plain(error: JournalError) -> click.ClickException:
    return click.ClickException(str(error))


def _rows(books: Database, table: str) -> Iterable[dict[str, Any]]:
    """Yield a table's rows in the order of its key, hashes as hexadecimal text."""
    for row in books[table].rows_where(order_by=", ".join(books.table(table).pks)):
        yield {name: value.hex() if isinstance(value, bytes) else value for name, value in row.items()}


def _write_csv(path: Path, books: Database, table: str) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [column.name for column in books[table].columns])
        writer.writeheader()
        writer.writerows(_rows(books, table))


def _write_json(path: Path, books: Database, table: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, row in enumerate(_rows(books, table)):
            file.write("\n" if number == 0 else ",\n")
            json.dump(row, file)
        file.write("\n]\n")


def _write_head(path: Path, books: Database) -> None:
    head = next(
        books.query("SELECT seq, hash, credit_after AS credit_cents FROM ledger ORDER BY seq DESC LIMIT 1"), None
    )
    cabinet = next(books.query("SELECT cabinet_id, simulated FROM cabinet"))
    chained = {} if head is None else {**head, "hash": head["hash"].hex()}
    path.write_text(json.dumps({**cabinet, **chained}, indent=2) + "\n", encoding="utf-8")
