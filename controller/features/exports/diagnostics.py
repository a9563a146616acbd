"""U.11: a signed zip for support: configuration, summary of the journal, events, logs, versions; no PIN."""

import json
import os
import shutil
import sqlite3
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import msgspec

from common.error_words import error_reason
from controller.configuration.cabinet_toml import Config
from controller.configuration.fields import HIDDEN, SECRET
from controller.files.bounded import ForeignFileError, opened
from controller.journal import reports
from controller.keys.identity import Identity
from controller.media.snapshots import manifest_of, snapshot, write_onto
from controller.system.versions import mathematics, versions

KIND = "diagnostics"
BUNDLE = "diagnostics.zip"
LOG_BYTES = 1_000_000
"""The bytes of each log's end that are included."""
UNITS = ("cabinet.service", "cabinet-display.service")
_JOURNAL_LINES = "5000"
_PATIENCE_S = 20.0


def diagnostics(journal: Path, parent: Path, identity: Identity, config: Config, now_ms: int) -> Path:
    """Write the bundle into a new signed folder in `parent` and return the folder.

    Raises `JournalError`, `StickError` and `IdentityError`.
    """
    with snapshot(journal) as connection:
        manifest = manifest_of(connection, KIND, config.cabinet.name, now_ms)
        return write_onto(parent, manifest, identity, made={BUNDLE: lambda path: _zipped(path, connection, config)})


def configuration(config: Config) -> dict[str, Any]:
    """Return the configuration without its secrets (`SECRET`): the hopper's PIN and eSSP keys."""
    tables: dict[str, Any] = msgspec.to_builtins(config)
    for secret in SECRET:
        name, _, key = secret.partition(".")
        if tables.get(name) and tables[name].get(key):
            tables[name][key] = HIDDEN
    return tables


def _zipped(path: Path, connection: sqlite3.Connection, config: Config) -> None:
    games = [maths._asdict() for maths in mathematics()]
    with path.open("xb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("configuration.json", _json(configuration(config)))
        bundle.writestr("versions.json", _json({"versions": versions(), "games": games}))
        bundle.writestr("books.json", _json(reports.summary(connection)))
        bundle.writestr("events.json", _json(reports.newest_events(connection)))
        for log in sorted(Path(config.cabinet.run_dir).glob("*.log")):
            bundle.writestr(f"logs/{log.name}", _end(log))
        for unit in UNITS:
            if text := _system_journal(unit):
                bundle.writestr(f"logs/{unit}.log", text)


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=lambda other: other.hex())


def _end(log: Path) -> bytes:
    try:
        with opened(log) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_BYTES))
            return file.read(LOG_BYTES)
    except (OSError, ForeignFileError) as error:
        return f"{log} cannot be read: {error_reason(error)}\n".encode()


def _system_journal(unit: str) -> str:
    """Return the service manager's log of a unit, empty if there is none."""
    command = shutil.which("journalctl")
    if command is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603 - our own units
            [command, "--no-pager", "-n", _JOURNAL_LINES, "-u", unit],
            check=False,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
