"""Credit transfers with a host: the credit and the history change in one transaction (sas.md, section 1)."""

from typing import Final

import msgspec

from controller.features.sas.events import HostEvent
from controller.journal import demo_mode
from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction

IN, OUT = "host_in", "host_out"
"""The meters of all credit transferred in and out by hosts; also the ledger kinds of these rows."""
COUNTS: Final = {IN: "host_ins", OUT: "host_outs"}
"""The meters that count the transfers."""
POSITIONS: Final = 127
"""The most transfers in a history."""


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    """A completed transfer.

    `kind` is the protocol's code. `status` is 0 if all of `asked_cents` was moved, else 1. `total_cents` is the meter
    of its direction after it. A transfer is `closed` once the host has read it.
    """

    position: int
    transaction_id: str
    kind: int
    status: int
    cents: int
    asked_cents: int
    flags: int
    expiration: str
    pool: str
    total_cents: int
    at_ms: int
    closed: bool = False


_COLUMNS = ", ".join(Transfer.__struct_fields__)


def newest(tx: Transaction, port: str) -> Transfer | None:
    """Return the newest transfer with the host at `port`, None before the first."""
    return _found(tx, "port = ? ORDER BY id DESC LIMIT 1", (port,))


def at_position(tx: Transaction, port: str, position: int) -> Transfer | None:
    """Return the transfer at this position of the history, or None."""
    return _found(tx, "port = ? AND position = ?", (port, position))


def is_known(tx: Transaction, port: str, transaction_id: str) -> bool:
    """Whether the history of the host at `port` has a transfer with this id."""
    sql = "SELECT 1 FROM host_transfers WHERE port = ? AND transaction_id = ?"
    return tx.execute(sql, (port, transaction_id)).fetchone() is not None


def _found(tx: Transaction, which: str, parameters: tuple[str | int, ...]) -> Transfer | None:
    row = tx.execute(f"SELECT {_COLUMNS} FROM host_transfers WHERE {which}", parameters).fetchone()  # noqa: S608 - literals
    if row is None:
        return None
    return msgspec.convert(dict(zip(Transfer.__struct_fields__, row, strict=True)), Transfer, strict=False)


def close(tx: Transaction, port: str) -> None:
    """Record that the host has read the result of its newest transfer; another transfer may begin."""
    tx.execute("UPDATE host_transfers SET closed = 1 WHERE port = ? AND NOT closed", (port,))


def move(tx: Transaction, port: str, done: Transfer, *, into: bool) -> Transfer:
    """Move the credit of a transfer and record it in the history; return it with its position and total.

    Raise `RefusedError` while a round or payout is open, in demo mode, for more than the credit, for an id that is in
    the history, and while the previous transfer is not closed.
    """
    tx.refuse_in_play()
    if demo_mode.is_on(tx):
        raise RefusedError("No money is moved in demo mode")
    before = newest(tx, port)
    if before is not None and not before.closed:
        raise RefusedError("The transfer before is not closed")
    if is_known(tx, port, done.transaction_id):
        raise RefusedError("That transfer was done")
    tx.audit()
    name = IN if into else OUT
    tx.post(
        name,
        credit=done.cents if into else -done.cents,
        meters={name: done.cents, COUNTS[name]: 1},
        data={"port": port, "transaction": done.transaction_id},
    )
    (total,) = tx.execute("SELECT value FROM meters WHERE name = ?", (name,)).fetchone()
    tx.event(
        HostEvent.HOST_TRANSFER_IN if into else HostEvent.HOST_TRANSFER_OUT,
        place=port,
        amount_cents=done.cents,
        transaction=done.transaction_id,
    )
    position = 1 if before is None else before.position % POSITIONS + 1
    made = msgspec.structs.replace(done, position=position, total_cents=total, at_ms=tx.at_ms)
    tx.execute("DELETE FROM host_transfers WHERE port = ? AND position = ?", (port, position))
    values = msgspec.structs.asdict(made)
    marks = ", ".join("?" * (len(values) + 1))
    tx.execute(
        f"INSERT INTO host_transfers (port, {_COLUMNS}) VALUES ({marks})",  # noqa: S608 - columns and marks
        (port, *values.values()),
    )
    return made
