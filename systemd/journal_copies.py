#!/usr/bin/python3 -I
"""Copies of the journal around an upgrade; imports nothing of ours, so that every version of the program can use it.

`journal_copies.py where CABINET_TOML` prints the journal's path.
`journal_copies.py keep JOURNAL LABEL` copies it to `upgrades/LABEL.sqlite` beside it.
`journal_copies.py restore JOURNAL [--accept-loss] --known MIGRATION...` puts the newest copy that knows no other
migration in its place, where the journal itself knows one, and only if no money has moved since.

Run it while no supervisor runs. Exit codes: 0 done, 1 refused (the reason on standard error), 2 wrong usage.
"""

import argparse
import fcntl
import os
import sqlite3
import sys
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import copyfile

FOLDER = "upgrades"
KEPT = 3
MOST_BYTES = 1 << 20
"""What a configuration may take, as `cabinet check-config` has it."""
USUAL = "/var/lib/cabinet/journal.sqlite"


class RefusedError(Exception):
    """Nothing was changed; the message says why and what to do."""


def where(configuration: Path) -> Path:
    """Return where the journal of the cabinet in `configuration` lies."""
    try:
        with configuration.open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise RefusedError(f"{configuration} holds more than {MOST_BYTES} bytes; mend it first")
        tables = tomllib.loads(text.decode("utf-8-sig"))
    except FileNotFoundError:
        return Path(USUAL)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"{configuration}: {error}; mend it first") from error
    try:
        return Path(tables.get("cabinet", {}).get("journal", USUAL))
    except (AttributeError, TypeError) as error:
        raise RefusedError(
            f"{configuration} holds a value of a wrong kind: mend it first, `cabinet check-config` names it"
        ) from error


@contextmanager
def held(journal: Path) -> Iterator[None]:
    """Keep every supervisor from the journal meanwhile."""
    with Path(f"{journal}.lock").open("a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RefusedError(f"{journal} is in use: stop cabinet.service first") from error
        yield


def become_owner(journal: Path) -> None:
    """Go on as the journal's owner where root started this: what SQLite makes beside it must not be root's."""
    owner = journal.stat()
    if os.geteuid() == 0 and owner.st_uid != 0:
        os.setgroups([])
        os.setgid(owner.st_gid)
        os.setuid(owner.st_uid)


def synced(path: Path) -> None:
    """Have what was written under `path` reach the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def rows(journal: Path, query: str, *values: object) -> list[tuple[object, ...]]:
    """Return what `query` finds in `journal`."""
    try:
        with closing(sqlite3.connect(journal)) as connection:
            return connection.execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise RefusedError(f"{journal} cannot be read ({error}): docs/recover.md") from error


def migrations(journal: Path) -> list[str]:
    """Return the names of the migrations that made `journal` what it is."""
    return [str(name) for (name,) in rows(journal, "SELECT name FROM _sqlite_migrations ORDER BY rowid")]


def keep(journal: Path, label: str) -> str:
    """Copy `journal` to `upgrades/LABEL.sqlite` beside it, drop all but the newest copies, and say what was done.

    Raises `RefusedError` while a round is open (S5), while a supervisor runs, or where the copy is not whole.
    """
    if not journal.exists():
        return f"{journal} does not exist yet: nothing to copy"
    become_owner(journal)
    with held(journal):
        if rows(journal, "SELECT 1 FROM rounds WHERE state = 'open'"):
            raise RefusedError("a game is still open: start cabinet.service, let it end, then upgrade")
        folder = journal.parent / FOLDER
        folder.mkdir(mode=0o750, exist_ok=True)
        fresh, kept = folder / f"{label}.new", folder / f"{label}.sqlite"
        fresh.unlink(missing_ok=True)
        with closing(sqlite3.connect(journal)) as source, closing(sqlite3.connect(fresh)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode=delete")
        if rows(fresh, "PRAGMA quick_check(1)") != [("ok",)]:
            raise RefusedError(f"the copy of {journal} is damaged: free space on its disk, then try again")
        synced(fresh)
        fresh.replace(kept)
        synced(folder)
    for old in newest_first(folder)[KEPT:]:
        old.unlink()
    return f"{journal} is copied to {kept}"


def newest_first(folder: Path) -> list[Path]:
    """Return the copies in `folder`."""
    return sorted(folder.glob("before-*.sqlite"), key=lambda copy: copy.stat().st_mtime_ns, reverse=True)


def restore(journal: Path, known: list[str], *, accept_loss: bool) -> str:
    """Make `journal` one that a program with the migrations `known` can read, and say what was done.

    Raises `RefusedError` where there is no such copy, and, unless `accept_loss` is given, while a round is open (S5) or
    where it would forget money.
    """
    if not journal.exists():
        return f"{journal} does not exist yet: nothing to put back"
    become_owner(journal)
    with held(journal):
        if rows(journal, "SELECT 1 FROM rounds WHERE state = 'open'") and not accept_loss:
            raise RefusedError(
                "a game is still open: start cabinet.service, let it end, then go back. Where it cannot end, say"
                " --accept-loss: the older program plays it on, or gives its stake back"
            )
        if set(migrations(journal)) <= set(known):
            return f"{journal} needs no change"
        copies = [copy for copy in newest_first(journal.parent / FOLDER) if set(migrations(copy)) <= set(known)]
        if not copies:
            raise RefusedError(f"there is no copy of {journal} that the older program can read")
        copy = copies[0]
        ((last, credit),) = rows(copy, "SELECT max(seq), (SELECT credit_cents FROM cabinet) FROM ledger")
        moved = rows(
            journal,
            "SELECT count(*), (SELECT credit_cents FROM cabinet) FROM ledger"
            " WHERE seq > ? AND (credit_delta <> 0 OR round_id IS NOT NULL)",
            last,
        )
        ((count, present_credit),) = moved
        if count and not accept_loss:
            raise RefusedError(
                f"{count} entries of money or games were made since {copy.name} (credit then {credit} cents, now"
                f" {present_credit}): the older program would not have them. Pay the credit out, write the meters"
                " down, and say --accept-loss"
            )
        newer = journal.parent / FOLDER / f"newer-{copy.name}"
        with closing(sqlite3.connect(journal)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        fresh = journal.with_name(f"{journal.name}.new")
        copyfile(copy, fresh)
        synced(fresh)
        copyfile(journal, newer)
        synced(newer)
        Path(f"{journal}.head").unlink(missing_ok=True)  # it names the newer journal's end; a start begins another
        synced(journal.parent)
        fresh.replace(journal)
        synced(journal.parent)
    return f"{journal} is again as in {copy}; the newer one is {newer}"


def main(arguments: list[str]) -> int:
    """Run a command; return the exit code."""
    parser = argparse.ArgumentParser(prog="journal_copies.py", description="Copies of the journal around an upgrade.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("where")
    command.add_argument("configuration", type=Path)
    command = commands.add_parser("keep")
    command.add_argument("journal", type=Path)
    command.add_argument("label")
    command = commands.add_parser("restore")
    command.add_argument("journal", type=Path)
    command.add_argument("--accept-loss", action="store_true")
    command.add_argument("--known", nargs="+", required=True)
    options = parser.parse_args(arguments)
    try:
        if options.command == "where":
            said = str(where(options.configuration))
        elif options.command == "keep":
            said = keep(options.journal, options.label)
        else:
            said = restore(options.journal, options.known, accept_loss=options.accept_loss)
    except (RefusedError, OSError, sqlite3.Error) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{said}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
