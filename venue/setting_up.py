"""Set-up of a venue: database, schema, roles, authority, certificate, server settings and pools."""

import ipaddress
import os
import re
import socket
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg.types.json import Jsonb

from venue import server
from venue.authority import AuthorityFiles, hosts_of, make_authority, make_server_certificate
from venue.errors import VenueError
from venue.memory import bound_memory
from venue.page_files import make_page_files
from venue.pools import PoolTerms, add_missing
from venue.schema import migrate
from venue.server import Place

DATABASE = "venue"
FOLDER = Path("/etc/cabinet-venue")
"""Folder of the authority's and the server's keys."""

TIMEZONE, CURRENCY = "Europe/Berlin", "EUR"

OWN_DATABASES = frozenset({"postgres", "template0", "template1"})
_CURRENCY = re.compile(r"[A-Z]{3}")
_LABEL = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_LONGEST_HOST = 253
_OTHER_TABLES = (
    "SELECT FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
    " AND tablename <> 'venue_migration' LIMIT 1"
)


class Site(NamedTuple):
    """A venue's name, time zone and currency; with `renamed` an existing venue takes this name."""

    name: str
    timezone: str | None = None
    """Defaults to `TIMEZONE` for a new venue."""
    currency: str | None = None
    """Defaults to `CURRENCY` for a new venue."""
    renamed: bool = False


class SetUp(NamedTuple):
    """Result of `set_up`: applied migrations, added pools, the certificate's expiry, settings that need a restart."""

    migrations: list[str]
    pools: list[PoolTerms]
    expires: datetime
    restart_for: list[str]


def set_up(place: Place, site: Site, hosts: Sequence[str], coins: Sequence[int], by: str) -> SetUp:
    """Create a venue or update an existing one: keep its data, apply missing migrations, renew its certificate.

    `hosts` are the names and addresses by which cabinets reach the server. Raises `VenueError` and `SchemaError`.
    """
    with server.connected(place.dsn) as admin:
        _check_arguments(admin, place.database, site, hosts)
        if not server.has_database(admin, place.database):
            server.create_database(admin, place.database)
    with server.connected(place.dsn, place.database) as admin:
        if not server.holds_venue(admin) and admin.execute(_OTHER_TABLES).fetchone() is not None:
            raise VenueError(f"the database {place.database} is another program's: choose another name")
        if server.holds_venue(admin):
            _check_matches_existing(admin, place.database, site)
        applied = migrate(admin)
        admin.execute(
            "INSERT INTO venue.site (name, timezone, currency) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
            (site.name, site.timezone or TIMEZONE, site.currency or CURRENCY),
        )
        before = admin.execute("SELECT name FROM venue.site WHERE name <> %s FOR UPDATE", (site.name,)).fetchone()
        if before is not None:
            admin.execute("UPDATE venue.site SET name = %s", (site.name,))
            detail = Jsonb({"name": site.name, "before": before[0]})
            admin.execute("SELECT venue.note(%s, 'venue renamed', NULL, %s)", (by, detail))
        added = add_missing(admin, coins, by)
        expires, pending = secure(admin, place, site.name, hosts)
        admin.execute(
            "SELECT venue.note(%s, 'set up', NULL, jsonb_build_object('migrations', %s::text[]))", (by, applied)
        )
    return SetUp(applied, added, expires, pending)


def _check_arguments(admin: psycopg.Connection, database: str, site: Site, hosts: Sequence[str]) -> None:
    """Raise `VenueError` for one of PostgreSQL's own databases, or an invalid time zone, currency or host."""
    if database in OWN_DATABASES:
        raise VenueError(f"the database {database} is PostgreSQL's own: choose another name")
    zone, currency = site.timezone or TIMEZONE, site.currency or CURRENCY
    if admin.execute("SELECT FROM pg_timezone_names WHERE name = %s", (zone,)).fetchone() is None:
        raise VenueError(f"there is no time zone {zone}: Europe/Berlin is one")
    if not _CURRENCY.fullmatch(currency):
        raise VenueError(f"{currency} is no currency: its three letters are meant, as EUR")
    for host in hosts:
        if not _is_host(host):
            raise VenueError(f"{host!r} is neither a name nor an address of a machine")


def _check_matches_existing(admin: psycopg.Connection, database: str, site: Site) -> None:
    """Raise `VenueError` if the existing venue has another name, time zone or currency than `site` gives."""
    found = admin.execute("SELECT name, timezone, currency FROM venue.site").fetchone()
    if found is None:
        return
    name, zone, currency = found
    if site.name != name and not site.renamed:
        raise VenueError(
            f"the venue in {database} is called {name!r}: say that name, or --rename to call it {site.name!r}"
        )
    if site.timezone not in {None, zone}:
        raise VenueError(f"this venue's days are those of {zone}, which does not change: leave {site.timezone} out")
    if site.currency not in {None, currency}:
        raise VenueError(f"this venue's money is {currency}, which does not change: leave {site.currency} out")


def _is_host(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return len(host) <= _LONGEST_HOST and all(_LABEL.fullmatch(label) for label in host.split("."))
    return True


def secure(admin: psycopg.Connection, place: Place, venue: str, hosts: Sequence[str]) -> tuple[datetime, list[str]]:
    """Create authority and certificate and configure the server; return the expiry and what needs a restart."""
    files, now = AuthorityFiles(place.folder), datetime.now(UTC)
    authority = make_authority(files, venue, now)
    expires = make_server_certificate(files, hosts, now)
    admin.execute("UPDATE venue.site SET authority = %s", (authority,))
    make_page_files(files, place, admin, hosts, now)
    server.configure(admin, place.database, files.server_certificate, files.server_key)
    pending = server.pending_restart(admin)
    # Memory limits are set only on this machine's own server.
    own = place.dsn == server.LOCAL and os.geteuid() == 0
    return expires, [*pending, "its memory"] if own and bound_memory() else pending


def secure_again(place: Place, hosts: Sequence[str]) -> list[str]:
    """Renew the server's certificate and settings for a restored venue; return what needs a restart."""
    with server.opened(place.dsn, place.database) as admin:
        (name,) = admin.execute("SELECT name FROM venue.site").fetchone() or ("",)
        _, pending = secure(admin, place, name, hosts)
        return pending


def certificate_hosts(given: Sequence[str], *folders: Path) -> list[str]:
    """Return the host names and addresses for the server's certificate.

    They are those `given`, else those of the certificate in the first of `folders` that has one, since cabinets and
    browsers know the server by these names, else the names of this machine.
    """
    before = (hosts_of(AuthorityFiles(folder).server_certificate) for folder in folders)
    return list(given) or next((hosts for hosts in before if hosts), own_names())


def own_names() -> list[str]:
    """Return the names by which this machine is likely to be reached: host name and fully qualified name."""
    return sorted({socket.gethostname(), socket.getfqdn()})
