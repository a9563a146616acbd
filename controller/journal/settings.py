"""Settings changed in the service menu, which override `cabinet.toml` (requirements.md C1, C11).

A setting is a dotted key of `cabinet.toml` with its value as JSON; `controller.settings.settings` defines the meaning.
Every change is recorded permanently.
"""

from typing import Any

import msgspec

from controller.journal.event_catalogue import Event
from controller.journal.key_value import SETTINGS
from controller.journal.transaction import Transaction

FILE = "cabinet.toml"
"""The author of a change that was made in the file."""
_PREFIX = f"{FILE}:"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a setting: time, old and new value (as JSON), and the role; `by` is the person's name."""

    seq: int
    at_ms: int
    key: str
    old: str
    new: str
    who: str
    by: str = ""


def stored_settings(tx: Transaction) -> dict[str, str]:
    """Return every setting that overrides `cabinet.toml`, as JSON by key."""
    return {name.removeprefix(_PREFIX): value for name, value in SETTINGS.under(tx, _PREFIX).items()}


def record_change(tx: Transaction, key: str, old: str, new: str, who: str, *, forget: bool = False) -> int:
    """Store `new` under `key`, or with `forget` remove the setting; return the number of the event.

    `old` and `new` are the values in force before and after, from the journal or from `cabinet.toml`.
    """
    if forget:
        SETTINGS.remove(tx, f"{_PREFIX}{key}")
    else:
        SETTINGS.store(tx, f"{_PREFIX}{key}", new)
    return record_change_event(tx, key, old, new, who, forgotten=forget)


def record_change_event(tx: Transaction, key: str, old: str, new: str, who: str, *, forgotten: bool = False) -> int:
    """Record permanently that a setting changed from `old` to `new`; return the event's number."""
    by_file = who == FILE
    change: dict[str, Any] = {"key": key, "old": old, "new": new, "who": who, "forgotten": forgotten}
    if key.endswith("_cents") and old.isdecimal() and new.isdecimal():
        amounts: dict[str, Any] = {"name": key.removesuffix("_cents"), "old_cents": int(old), "new_cents": int(new)}
        seq = tx.event(Event.FILE_AMOUNT_CHANGED if by_file else Event.AMOUNT_CHANGED, **change, **amounts)
    else:
        seq = tx.event(Event.FILE_SETTING_CHANGED if by_file else Event.SETTING_CHANGED, **change)
    tx.execute(
        "INSERT INTO setting_changes (seq, key, old, new, who) VALUES (?, ?, ?, ?, ?)", (seq, key, old, new, who)
    )
    return seq


def changes(tx: Transaction, most: int) -> list[Change]:
    """Return at most `most` changes, newest first."""
    rows = tx.execute(
        "SELECT seq, at_ms, key, old, new, who, coalesce(data ->> '$.by.name', '') AS by FROM setting_changes"
        " JOIN ledger USING (seq) ORDER BY seq DESC LIMIT ?",
        (most,),
    )
    names = [column[0] for column in rows.description]
    return [Change(**dict(zip(names, row, strict=True))) for row in rows]
