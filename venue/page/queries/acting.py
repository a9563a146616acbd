"""Actions on the venue: each calls a function of the database schema that checks it and records who did it."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import psycopg
from django.db import DatabaseError, connection

from venue.codes import make_code
from venue.page.queries.rows import value


def reason(error: DatabaseError | psycopg.Error) -> str:
    """Return why the schema refused an action; only messages raised by the schema's functions are shown."""
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    diagnostic = getattr(cause, "diag", None)
    raised = getattr(diagnostic, "source_function", "") == "exec_stmt_raise"
    return str(diagnostic.message_primary) if diagnostic is not None and raised else "the database refused it"


def propose_adjustment(pool: int, millicents: int, why: str, by: str) -> int:
    """Propose to add `millicents` to a pool; return the proposal's number."""
    return int(value("SELECT venue.propose_adjustment(%s, %s, %s, %s)", [pool, millicents, why, by]))


def decide_adjustment(adjustment: int, by: str, *, approve: bool) -> None:
    """Approve or reject an adjustment; raises `DatabaseError` if the proposer approves it."""
    value("SELECT venue.decide_adjustment(%s, %s, %s)", [adjustment, approve, by])


def propose_removal(pool: int, cabinet: int, why: str, by: str) -> None:
    """Propose to remove a cabinet from a pool.

    Raises `DatabaseError` if the cabinet has contributed nothing, is removed, or its removal is already proposed.
    """
    value("SELECT venue.propose_removal(%s, %s, %s, %s)", [pool, cabinet, why, by])


def decide_removal(removal: int, by: str, *, approve: bool) -> None:
    """Approve or reject a removal; raises `DatabaseError` if the proposer approves it."""
    value("SELECT venue.decide_removal(%s, %s, %s)", [removal, approve, by])


def add_pool(game: str, coin: int, seed: int, rate_per_mille: int, by: str) -> int:
    """Create a pool with its seed in 1/1000 cent; return its number."""
    return int(value("SELECT venue.add_pool(%s, %s, %s, %s, %s)", [game, coin, seed, rate_per_mille, by]))


def propose_terms(pool: int, seed: int, rate_per_mille: int, by: str) -> None:
    """Propose seed (1/1000 cent) and rate from the next hit on; raises `DatabaseError` if a proposal is pending."""
    value("SELECT venue.propose_terms(%s, %s, %s, %s)", [pool, seed, rate_per_mille, by])


def decide_terms(proposal: int, by: str, *, approve: bool) -> None:
    """Approve or reject proposed terms; raises `DatabaseError` if the proposer approves them."""
    value("SELECT venue.decide_terms(%s, %s, %s)", [proposal, approve, by])


def close_pool(pool: int, why: str, by: str, *, closed: bool) -> None:
    """Close or open a pool; refused while pools are recovering."""
    value("SELECT venue.close_pool(%s, %s, %s, %s)", [pool, closed, why, by])


def acknowledge(alarm: int, by: str, remark: str) -> None:
    """Acknowledge an alarm; raises `DatabaseError` if somebody else has acknowledged it."""
    value("SELECT venue.acknowledge(%s, %s, %s)", [alarm, remark, by])


def change_rule(code: str, fields: Mapping[str, Any], by: str) -> None:
    """Change one alarm rule and record the change."""
    value(
        "UPDATE venue.alarm_rule SET enabled = %(enabled)s, severity = %(severity)s, figure = %(figure)s,"
        " hours_from = %(hours_from)s, hours_to = %(hours_to)s,"
        " escalate_after = make_interval(mins => %(escalate_min)s::int) WHERE code = %(code)s RETURNING code",
        {**fields, "code": code},
    )
    detail = {name: None if field is None else str(field) for name, field in fields.items()}
    value(
        "SELECT venue.note(%s, %s, NULL, %s::jsonb)", [by, "alarm rule changed", json.dumps({"code": code, **detail})]
    )


def count_collection(collection: int, coins_cents: int, notes_cents: int, by: str, remark: str) -> None:
    """Record the counted cash of a collection; raises `DatabaseError` in a closed month."""
    value("SELECT venue.count_cash(%s, %s, %s, %s, %s)", [collection, coins_cents, notes_cents, remark, by])


def close_month(month: date, by: str) -> None:
    """Close a month permanently; raises `DatabaseError` if it is not over, is closed, or an earlier one is open."""
    value("SELECT venue.close_month(%s, %s)", [month, by])


def new_code(replaces: int | None, by: str) -> str:
    """Create a one-time code for a new cabinet, or for the successor of `replaces`; return the code.

    Raises `NoAuthorityError` before the venue is set up, `psycopg.Error` if the cabinet `replaces` does not exist.
    """
    connection.ensure_connection()
    return make_code(connection.connection, by, replaces)


def retire(cabinet: int, why: str, by: str) -> None:
    """Take a cabinet out of service: close its login, keep its figures."""
    value("SELECT venue.retire(%s, %s, %s)", [cabinet, why, by])


def close_login(cabinet: int, why: str, by: str) -> None:
    """Close a cabinet's login and end its sessions at once; the cabinet stays in service."""
    value("SELECT venue.close_login(%s, %s, %s)", [cabinet, why, by])


def open_login(cabinet: int, by: str) -> None:
    """Open a closed login again with its old password."""
    value("SELECT venue.open_login(%s, %s)", [cabinet, by])


def propose_distrust(cabinet: int, why: str, by: str) -> None:
    """Propose to retire a distrusted cabinet; its login is closed at once."""
    value("SELECT venue.propose_distrust(%s, %s, %s)", [cabinet, why, by])


def decide_distrust(proposal: int, by: str, *, approve: bool) -> None:
    """Approve or reject the retirement of a distrusted cabinet; raises `DatabaseError` if the proposer approves it.

    A rejection opens the cabinet's login again.
    """
    value("SELECT venue.decide_distrust(%s, %s, %s)", [proposal, approve, by])


def rename(cabinet: int, label: str, by: str) -> None:
    """Rename a cabinet."""
    value("SELECT venue.rename_cabinet(%s, %s, %s)", [cabinet, label, by])


def want_round(cabinet: int, number: int, by: str) -> None:
    """Request the record of a round from a cabinet; a connected cabinet answers within seconds."""
    value("SELECT venue.want_round(%s, %s, %s)", [cabinet, number, by])


def new_offer(kind: str, name: str, by: str) -> int:
    """Create a draft of an offer; return its number."""
    return int(value("SELECT venue.new_offer(%s, %s, %s)", [kind, name, by]))


def add_part(offer: int, content: bytes) -> None:
    """Append at most 4 MiB to a draft."""
    value("SELECT venue.add_part(%s, %s)", [offer, content])


def start_offer(offer: int, sha256: bytes, cabinets: Sequence[int], at_once: int, by: str) -> None:
    """Offer a draft to the first of `cabinets` alone, then to `at_once` of the others at a time."""
    value("SELECT venue.start_offer(%s, %s, %s, %s, %s)", [offer, sha256, list(cabinets), at_once, by])


def stop_offer(offer: int, by: str) -> None:
    """Stop an offer: no further cabinet gets it."""
    value("SELECT venue.stop_offer(%s, %s)", [offer, by])
