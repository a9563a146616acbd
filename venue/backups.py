"""Backup and restore of a venue: its database, the cabinets' logins, and the certificate authority.

Cabinets have newer data than a restored venue. The pools stay `recovering` until the cabinets have returned what the
venue lost.
"""

import hashlib
import json
import os
import re
import shutil
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from common.error_words import error_reason
from venue import server
from venue.authority import AuthorityFiles
from venue.errors import VenueError
from venue.schema import make_roles, migrate
from venue.server import Place

DUMP, LOGINS, SUMS = "venue.dump", "logins.json", "SHA256SUMS"
MONTHS_KEPT = 12
_CHUNK = 1 << 20
_NAME = re.compile(r"venue-\d{8}T\d{6}Z(\.part)?")
_RENAME = sql.SQL("ALTER DATABASE {} RENAME TO {}")
_LET_IN = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true")
_KEEP_OUT = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false")
_MONTH_LETTERS = len("venue-202611")


class Backup(NamedTuple):
    """A backup's folder, and the size of its dump in bytes."""

    folder: Path
    size: int


class Restored(NamedTuple):
    """The time of the backup, its number of cabinets, and the new name of the database it replaced, if any."""

    made_at: datetime
    cabinets: int
    put_aside: str | None


def back_up(place: Place, target: Path) -> Backup:
    """Write a backup into a new folder in `target`; the folder gets its final name after everything is synced.

    Raises `VenueError` if the authority that cabinets trust is not in the place's folder.
    """
    name = f"venue-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    folder, part = target / name, target / f"{name}.part"
    with server.opened(place.dsn, place.database) as admin:
        files = AuthorityFiles(place.folder)
        (authority,) = admin.execute("SELECT authority FROM venue.site").fetchone() or ("",)
        if authority and not (files.key.exists() and _text(files.certificate) == authority):
            raise VenueError(f"{place.folder} has not the authority that this venue's cabinets trust: say --folder")
        target.mkdir(parents=True, exist_ok=True)
        part.mkdir(mode=0o700)
        try:
            sums = _write(admin, place, part)
            part.rename(folder)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        _sync(target)
        size = (folder / DUMP).stat().st_size
        admin.execute(
            "INSERT INTO venue.backup (path, size, sha256) VALUES (%s, %s, decode(%s, 'hex'))",
            (str(folder), size, sums[DUMP]),
        )
    return Backup(folder, size)


def _write(admin: psycopg.Connection, place: Place, part: Path) -> dict[str, str]:
    """Write and sync dump, logins and authority into a folder; return the SHA-256 of each file.

    The backup includes the server's certificate, for the host names in it, but not the server's key.
    """
    with _created(part / DUMP).open("wb") as dump:
        server.run_program(admin, "pg_dump", ["--format=custom", *_reach(place)], output=dump)
    logins = admin.execute(
        "SELECT a.rolname, a.rolpassword FROM pg_authid a JOIN venue.cabinet k ON k.role = a.rolname"
        " WHERE NOT k.retired AND a.rolpassword IS NOT NULL ORDER BY k.cabinet"
    ).fetchall()
    _created(part / LOGINS).write_text(json.dumps(dict(logins), indent=1), encoding="utf-8")
    files = AuthorityFiles(place.folder)
    for path in (files.certificate, files.key, files.server_certificate):
        if path.exists():
            _created(part / path.name).write_bytes(path.read_bytes())
    sums = {path.name: _sha256(path) for path in sorted(part.iterdir())}
    lines = "".join(f"{digest}  {file}\n" for file, digest in sums.items())
    _created(part / SUMS).write_text(lines, encoding="utf-8")
    _sync(part)
    return sums


def remove_old(target: Path, keep: int) -> list[Path]:
    """Remove backups in `target` except the newest `keep` and the newest of each of 12 months; return those removed.

    Leftovers of interrupted backups are removed too. Folders with other names are left alone.
    """
    named = sorted(path for path in target.iterdir() if path.is_dir() and _NAME.fullmatch(path.name))
    whole = [path for path in named if path.suffix != ".part"]
    newest_of_month = {path.name[:_MONTH_LETTERS]: path for path in whole}
    kept = {*whole[-keep:], *list(newest_of_month.values())[-MONTHS_KEPT:]}
    gone = [path for path in named if path not in kept and (path.suffix != ".part" or path.name < whole[-1].name)]
    for path in gone:
        shutil.rmtree(path)
    return gone


def restore(place: Place, folder: Path, by: str, *, put_aside: bool) -> Restored:
    """Restore a backup and set its pools to `recovering`; `put_aside` renames an existing database.

    The restored database gets the venue's name after its recovery has begun; a failure before that changes nothing.
    Raises `VenueError` for an incomplete backup, for an existing database without `put_aside`, and if this machine
    has a different authority.
    """
    verify(folder)
    logins, files = _logins(folder), AuthorityFiles(place.folder)
    if _text(files.certificate) not in {"", _text(folder / files.certificate.name)}:
        raise VenueError(
            f"{files.certificate} is another authority than the backup's, which cabinets trust: move it and"
            f" {files.key.name} away first"
        )
    now = datetime.now(UTC)
    fresh = place._replace(database=f"{place.database}_restoring")
    with server.connected(place.dsn) as admin:
        is_there = server.has_database(admin, place.database)
        if is_there and not put_aside:
            raise VenueError(f"there is a database {place.database} already: say --put-aside to rename it first")
        _drop(admin, fresh.database)
        server.create_database(admin, fresh.database)
        try:
            made_at, cabinets = _read_back(fresh, folder, logins, by)
            aside = _free_name(admin, f"{place.database}_{now:%Y%m%d%H%M%S}") if is_there else None
            _exchange(admin, place.database, fresh.database, aside)
        except BaseException:
            _drop(admin, fresh.database)
            raise
    _restore_authority(files, folder)
    return Restored(made_at or now, cabinets, aside)


def _free_name(admin: psycopg.Connection, name: str) -> str:
    """Return `name`, with a number appended if that database exists: two restores may run in the same second."""
    names = chain((name,), (f"{name}_{number}" for number in count(2)))
    return next(free for free in names if not server.has_database(admin, free))


def _read_back(place: Place, folder: Path, logins: dict[str, str], by: str) -> tuple[datetime | None, int]:
    """Load a backup into an empty database and begin the recovery; return its newest time and number of cabinets."""
    with server.connected(place.dsn, place.database) as admin:
        make_roles(admin)
        with (folder / DUMP).open("rb") as dump:
            server.run_program(
                admin, "pg_restore", ["--exit-on-error", "--single-transaction", *_reach(place)], feed=dump
            )
        migrate(admin)
        cabinets = _let_in(admin, logins)
        admin.execute("DELETE FROM venue.enrolment_code WHERE used_at IS NULL")
        (made_at,) = admin.execute(
            "SELECT max(at) FROM (SELECT at FROM venue.audit UNION SELECT at FROM venue.meter) x"
        ).fetchone() or (None,)
        admin.execute("SELECT venue.begin_recovery(%s, %s)", (f"restored from {folder.name}", by))
    return made_at, cabinets


def _exchange(admin: psycopg.Connection, database: str, fresh: str, aside: str | None) -> None:
    """Rename `database` to `aside` and `fresh` to `database` in one transaction; without `aside` only the latter.

    Connections to `database` are refused meanwhile, because cabinets reconnect within moments.
    """
    if aside is None:
        admin.execute(_RENAME.format(sql.Identifier(fresh), sql.Identifier(database)))
        return
    admin.execute(_KEEP_OUT.format(sql.Identifier(database)))
    try:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (database,))
        with admin.transaction():
            admin.execute(_RENAME.format(sql.Identifier(database), sql.Identifier(aside)))
            admin.execute(_RENAME.format(sql.Identifier(fresh), sql.Identifier(database)))
    except psycopg.Error:
        admin.execute(_LET_IN.format(sql.Identifier(database)))
        raise
    admin.execute(_LET_IN.format(sql.Identifier(aside)))


def _drop(admin: psycopg.Connection, database: str) -> None:
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database)))


def _logins(folder: Path) -> dict[str, str]:
    """Read the verifiers of the cabinets' passwords, by role; raises `VenueError` if the file cannot be read."""
    try:
        found = json.loads((folder / LOGINS).read_text(encoding="utf-8"))
        return {str(role): str(verifier) for role, verifier in found.items()}
    except (OSError, ValueError, AttributeError) as error:
        raise VenueError(f"{folder / LOGINS} cannot be read ({error_reason(error)}): take another backup") from error


def verify(folder: Path) -> None:
    """Compare every file of a backup with its recorded SHA-256; raises `VenueError` naming the first bad file."""
    sums = folder / SUMS
    if not sums.exists():
        raise VenueError(f"{folder} is no backup of a venue: it has no {SUMS}")
    for line in sums.read_text(encoding="utf-8").splitlines():
        digest, _, name = line.partition("  ")
        path = folder / Path(name).name
        if not path.exists() or _sha256(path) != digest:
            raise VenueError(f"{path} is missing or damaged: take another backup")


def _let_in(admin: psycopg.Connection, logins: dict[str, str]) -> int:
    """Restore the cabinets' password verifiers and close the logins that were closed; return how many were set."""
    known = {role for (role,) in admin.execute("SELECT role FROM venue.cabinet WHERE NOT retired")}
    with admin.transaction():
        for role in sorted(known & logins.keys()):
            admin.execute("SELECT venue.set_login(%s, %s)", (role, logins[role]))
        admin.execute(
            "SELECT venue.shut_login(k.role, true) FROM venue.closed_login o JOIN venue.cabinet k USING (cabinet)"
        )
    return len(known & logins.keys())


def _restore_authority(files: AuthorityFiles, folder: Path) -> None:
    """Copy the backup's authority to this machine; existing files are kept."""
    files.key.parent.mkdir(parents=True, exist_ok=True)
    for path in (files.certificate, files.key):
        saved = folder / path.name
        if saved.exists() and not path.exists():
            shutil.copyfile(saved, _created(path))


def _text(path: Path) -> str:
    return path.read_text(encoding="ascii") if path.exists() else ""


def _reach(place: Place) -> list[str]:
    """Return the connection options for `pg_dump` and `pg_restore`."""
    parts = conninfo_to_dict(place.dsn)
    options = {"host": "--host", "port": "--port", "user": "--username"}
    return [*(f"{options[key]}={parts[key]}" for key in options if parts.get(key)), f"--dbname={place.database}"]


def _created(path: Path) -> Path:
    """Create an empty file that only its owner may read and write; return its path."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _sync(folder: Path) -> None:
    """Sync a folder's files and the folder itself."""
    for path in (*(entry for entry in folder.iterdir() if entry.is_file()), folder):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
