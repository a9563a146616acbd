"""The page against a real PostgreSQL: a database for each test, clients that are logged in, and what they see."""

import itertools
from html.parser import HTMLParser
from typing import Any

import psycopg
from django.core.management import call_command
from django.db import connections
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice
from psycopg import sql

from tests.rigs.postgres import PostgresServer, VenueDatabase
from venue.page.models import Account
from venue.page.roles import SECOND_FACTOR_FROM, Role

PASSWORD = "correct horse battery staple"  # noqa: S105 - a test's
_names = itertools.count(1)


class PageTemplate:
    """A database with the venue's schema and the page's own tables, which each test's database is copied from."""

    def __init__(self, server: PostgresServer, made: VenueDatabase | None = None) -> None:
        self.server = server
        self._template = made or server.new_database()
        if made is None:
            use(self._template)
            call_command("migrate", verbosity=0)
        connections["default"].close()

    def copy(self) -> VenueDatabase:
        """Return a fresh database, and have Django use it."""
        name = f"page_{next(_names)}"
        with psycopg.connect(self.server.dsn(), autocommit=True) as admin:
            admin.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
                    sql.Identifier(name), sql.Identifier(self._template.name)
                )
            )
        database = VenueDatabase(self.server, name)
        use(database)
        return database


def use(database: VenueDatabase) -> None:
    """Have Django connect to `database` as the page's role."""
    connection = connections["default"]
    connection.close()
    parts = psycopg.conninfo.conninfo_to_dict(database.dsn("venue_page"))
    connection.settings_dict.update(
        NAME=parts["dbname"], USER=parts["user"], HOST=parts["host"], PORT=str(parts["port"])
    )


def account(name: str, role: Role) -> Account:
    """Return a new account with `PASSWORD`; with a confirmed second factor from the role that needs one."""
    made = Account.objects.add(name, PASSWORD, role)
    if role >= SECOND_FACTOR_FROM:
        TOTPDevice.objects.create(user=made, name="authenticator", confirmed=True)
    return made


def token(user: Account) -> str:
    """Return the code that the account's authenticator shows now."""
    device = TOTPDevice.objects.get(user=user)
    return f"{totp(device.bin_key, device.step, device.t0, device.digits, device.drift):06d}"


def logged_in(role: Role, name: str = "", *, csrf: bool = False) -> Client:
    """Return a browser in which an account of `role` is logged in, with its second factor."""
    user = account(name or f"{role.name.lower()}_{next(_names)}", role)
    client = Client(enforce_csrf_checks=csrf)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    device = TOTPDevice.objects.filter(user=user).first()
    if device is not None:
        session = client.session
        session["otp_device_id"] = device.persistent_id
        session.save()
    return client


def acts(database: VenueDatabase) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the record of acts: who, what, with which details."""
    with database.connect() as connection:
        rows = connection.execute("SELECT by, act, detail FROM venue.audit ORDER BY entry").fetchall()
    return [(by, act, detail) for by, act, detail in rows]


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def text_of(content: bytes) -> str:
    """Return the words of a page, without its markup."""
    parser = _Text()
    parser.feed(content.decode())
    return " ".join(" ".join(parser.parts).split())
