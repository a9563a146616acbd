"""Invented past readings of a retired cabinet, so that the demo's charts are not empty."""

import random
import secrets
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from gamekit.catalogue import names
from venue.codes import LOGIN_DIGITS, make_code
from venue.page.expectations import known

LABEL = "Old bar"
DAYS = 40
ROUNDS_A_DAY = 900
SIGMAS = 3.29
"""Standard deviations between the expectation and the edge of the band."""
BET_CENTS = 75

_NO_METERS = dict.fromkeys(("stakes", "wins", "coins_in", "notes_in", "hopper_out", "hand_pay", "drop"), 0)
_NO_PLAY = {"rounds": 0, "stakes": 0, "wins": 0}


def report_past(admin: psycopg.Connection, by: str, now: datetime) -> None:
    """Enrol a cabinet, report its readings over the protocol (docs/venue-protocol.md), and retire it."""
    identity = secrets.token_hex(32)
    code = make_code(admin, by).replace(" ", "")
    become = sql.SQL("SET SESSION AUTHORIZATION {}")
    admin.execute(become.format(sql.Identifier(f"enrol_{code[:LOGIN_DIGITS]}")))
    enrol = "SELECT cabinet, role FROM venue.enrol(%s, %s, '')"
    number, role = admin.execute(enrol, (identity, LABEL)).fetchone() or (0, "")
    admin.execute(become.format(sql.Identifier(role)))
    hello = "SELECT session FROM venue.hello(0, '{}', 0, %s, %s)"
    (session,) = admin.execute(hello, (identity, Jsonb({"name": LABEL}))).fetchone() or (0,)
    past = readings(now, random.Random(1))  # noqa: S311 - invented readings, deliberately reproducible
    admin.execute("RESET SESSION AUTHORIZATION")
    admin.execute("UPDATE venue.cabinet SET enrolled_at = %s WHERE cabinet = %s", (now - timedelta(days=DAYS), number))
    admin.execute(become.format(sql.Identifier(role)))
    admin.execute("SELECT venue.meters(%s, %s)", (session, Jsonb(past)))
    admin.execute("RESET SESSION AUTHORIZATION")
    admin.execute("SELECT venue.retire(%s, %s, %s)", (number, "its weeks were reported", by))


def readings(now: datetime, whim: random.Random) -> list[dict[str, Any]]:
    """Return one reading per day before `now`, with a weekly collection; returns vary by each game's sigma."""
    # Noon falls on the same day in the venue's time zone, with or without daylight saving time.
    first = now.replace(hour=12) - timedelta(days=DAYS)
    lifetime: Counter[str] = Counter()
    games = {name: Counter[str]() for name in names()}
    rows = [_row(1, first, "hour", lifetime, games)]
    for day in range(1, DAYS):
        for name, expected in known().items():
            rounds = whim.randrange(ROUNDS_A_DAY // 2, ROUNDS_A_DAY)
            returned = max(0.3, whim.gauss(expected.most, expected.usual[-1].above / SIGMAS / rounds**0.5))
            stakes = rounds * BET_CENTS
            games[name].update(rounds=rounds, stakes=stakes, wins=int(stakes * returned))
            lifetime.update(games=rounds, stakes=stakes, wins=int(stakes * returned))
        lifetime.update(coins_in=20_000, notes_in=60_000, hopper_out=55_000, drop=80_000)
        kind = "collection" if day % 7 == 0 else "day"
        rows.append(_row(day + 1, first + timedelta(days=day), kind, lifetime, games))
    return rows


def _row(seq: int, at: datetime, kind: str, lifetime: Counter[str], games: dict[str, Counter[str]]) -> dict[str, Any]:
    return {
        "seq": seq,
        "kind": kind,
        "cab_at_ms": int(at.timestamp() * 1000),
        "meters": _NO_METERS | dict(lifetime),
        "games": {name: _NO_PLAY | dict(counted) for name, counted in games.items()},
    }
