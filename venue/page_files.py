"""The files that the page needs to start: its configuration, its session secret and its certificate."""

import contextlib
import json
import os
import pwd
import secrets
import sys
import tomllib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from venue.authority import AuthorityFiles, make_page_certificate
from venue.server import PAGE_USER, Place

CONFIGURATION, SECRET = "page.toml", "page.secret"
SECRET_BYTES = 48


def make_page_files(
    files: AuthorityFiles, place: Place, admin: psycopg.Connection, hosts: Sequence[str], now: datetime
) -> None:
    """Renew the page's certificate; write its configuration and secret if they do not exist.

    If the games' art is installed, a configuration without `display` gets one. Key and secret are given to the page's
    user, if the system has that user.
    """
    make_page_certificate(files, hosts, now)
    secret, configuration = place.folder / SECRET, place.folder / CONFIGURATION
    if not secret.exists():
        secret.touch(mode=0o600)
        secret.write_text(secrets.token_urlsafe(SECRET_BYTES) + "\n", encoding="ascii")
    if not configuration.exists():
        name, timezone, currency = (
            admin.execute("SELECT name, timezone, currency FROM venue.site").fetchone() or ("",) * 3
        )
        reached = {key: str(value) for key, value in conninfo_to_dict(place.dsn).items() if key in {"host", "port"}}
        values = {
            "database": make_conninfo(**reached, dbname=place.database, user="venue_page"),
            "secret_file": str(secret),
            "hosts": list(hosts),
            "name": name,
            "timezone": timezone,
            "currency": currency,
        }
        # A JSON string or list of strings is also valid TOML.
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
        configuration.write_text("\n".join(["[page]", *lines, ""]), encoding="utf-8")
    with_display(configuration, place.baked)
    _hand_over(files.page_key, secret)


def with_display(configuration: Path, baked: Path) -> None:
    """Add a `display` command that uses the art in `baked`, if the art exists and the configuration has none."""
    content = configuration.read_text(encoding="utf-8-sig")
    if not (baked / "ui").is_dir() or "display" in tomllib.loads(content).get("page", {}):
        return
    command = [sys.executable, "-P", "-m", "ui.redraw", "--baked", str(baked.resolve())]
    # [page] is the file's only table, so a key appended to the file belongs to it.
    configuration.write_text(f"{content.rstrip()}\ndisplay = {json.dumps(command)}\n", encoding="utf-8")


def _hand_over(*paths: Path) -> None:
    with contextlib.suppress(KeyError):  # without that user the page's package is not installed here
        if os.geteuid() == 0:
            entry = pwd.getpwnam(PAGE_USER)
            for path in paths:
                os.chown(path, entry.pw_uid, entry.pw_gid)
