"""A snapshot of the journal in a signed folder: its manifest, and tables as CSV and as JSON.

Amounts are in cents, times in milliseconds since 1970 by the cabinet's clock.
"""

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from controller.journal import ledger, reports, schema
from controller.journal.errors import UNREADABLE, CorruptJournalError, translated
from controller.journal.event_words import add_english
from controller.journal.generations import generation_of
from controller.journal.reads import cabinet_row
from controller.journal.store import read_only
from controller.keys.identity import Identity
from controller.media.signed_folder import Manifest, NotSignedError, Writer, write_folder
from controller.media.sticks import DIFFERS, StickError, stick_errors

_BATCH = 500
FORMATS = ("csv", "json")


@contextmanager
def snapshot(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the journal at `path` read-only in one snapshot, undisturbed by a running cabinet, and verify it.

    Raises `JournalError`.
    """
    try:
        with read_only(path) as connection:
            add_english(connection)
            connection.execute("BEGIN")
            if not schema.applied(connection):
                raise CorruptJournalError(f"{path} holds no journal")
            ledger.prove_from_anchor(connection)
            yield connection
    except UNREADABLE as error:
        raise translated(error, path) from error


def manifest_of(connection: sqlite3.Connection, kind: str, name: str, now_ms: int) -> Manifest:
    """Return the manifest of an export of this snapshot, without its files and key."""
    cabinet = cabinet_row(connection)
    seq, head, _ = ledger.head(connection)
    return Manifest(
        kind=kind,
        cabinet_id=cabinet.cabinet_id,
        name=name,
        simulated=cabinet.simulated,
        generation=generation_of(connection),
        public_key="",
        made=datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        program=version("cabinet"),
        seq=seq,
        head=head.hex(),
        credit_cents=cabinet.credit_cents,
    )


def folder_name(manifest: Manifest) -> str:
    """Return the name of a signed folder: kind, cabinet and time."""
    moment = manifest.made.translate(str.maketrans("", "", "-:"))
    return f"cabinet-{manifest.kind}-{manifest.cabinet_id[:8]}-{moment}"


def write_onto(
    stick: Path,
    manifest: Manifest,
    identity: Identity,
    contents: Mapping[str, Writer] | None = None,
    *,
    made: Mapping[str, Callable[[Path], None]] | None = None,
) -> Path:
    """Write a folder named by its manifest, as `write_folder` does; raise `StickError` for errors of the medium."""
    with stick_errors():
        try:
            return write_folder(stick, folder_name(manifest), manifest, contents or {}, identity, made=made)
        except NotSignedError as error:
            raise StickError(DIFFERS) from error


def files_of(
    connection: sqlite3.Connection, formats: tuple[str, ...] = FORMATS, *, tables: bool = False
) -> dict[str, Writer]:
    """Return the files of an export by name; with `tables` also the journal's whole tables."""
    writers = {"csv": _as_csv, "json": _as_json}
    return {
        f"{name}.{kind}": partial(writers[kind], connection, sql)
        for name, sql in reports.queries(connection, tables=tables).items()
        for kind in formats
    }


def _texts(row: Iterable[Any]) -> list[Any]:
    return [value.hex() if isinstance(value, bytes) else value for value in row]


def _as_csv(connection: sqlite3.Connection, sql: str, file: IO[bytes]) -> None:
    names, rows = reports.answered(connection, sql)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(names)
    for number, row in enumerate(rows):
        writer.writerow(_texts(row))
        if number % _BATCH == 0:
            _pour(text, file)
    _pour(text, file)


def _pour(text: io.StringIO, file: IO[bytes]) -> None:
    file.write(text.getvalue().encode("utf-8"))
    text.seek(0)
    text.truncate()


def _as_json(connection: sqlite3.Connection, sql: str, file: IO[bytes]) -> None:
    names, rows = reports.answered(connection, sql)
    file.write(b"[")
    for number, row in enumerate(rows):
        line = json.dumps(dict(zip(names, _texts(row), strict=True)), ensure_ascii=False)
        file.write((("\n" if number == 0 else ",\n") + line).encode("utf-8"))
    file.write(b"\n]\n")
