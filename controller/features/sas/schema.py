"""The tables of the host ports: queued exceptions, transfer history and tickets."""

from controller.journal.ticket_numbers_schema import same, stored

HOST_PORT = """
CREATE TABLE host_exceptions (
    number INTEGER PRIMARY KEY,
    port TEXT NOT NULL,
    code INTEGER NOT NULL CHECK (code BETWEEN 1 AND 255),
    data TEXT NOT NULL,
    priority INTEGER NOT NULL CHECK (priority IN (0, 1)),
    at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE host_transfers (
    id INTEGER PRIMARY KEY,
    port TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position BETWEEN 1 AND 127),
    transaction_id TEXT NOT NULL CHECK (length(transaction_id) BETWEEN 1 AND 20),
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 255),
    status INTEGER NOT NULL CHECK (status IN (0, 1)),
    cents INTEGER NOT NULL CHECK (cents > 0),
    asked_cents INTEGER NOT NULL CHECK (asked_cents >= cents),
    flags INTEGER NOT NULL CHECK (flags BETWEEN 0 AND 255),
    expiration TEXT NOT NULL,
    pool TEXT NOT NULL,
    total_cents INTEGER NOT NULL CHECK (total_cents >= cents),
    at_ms INTEGER NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX host_transfers_position ON host_transfers (port, position);
CREATE UNIQUE INDEX host_transfers_one_open ON host_transfers (port) WHERE NOT closed;
CREATE TRIGGER host_transfers_stay BEFORE UPDATE OF
    id, port, position, transaction_id, kind, status, cents, asked_cents, flags, expiration, pool, total_cents, at_ms
    ON host_transfers
BEGIN SELECT RAISE(ABORT, 'a transfer that was done is not changed'); END;
"""
"""Queued exceptions and the transfer history; `data`, `expiration` and `pool` are hexadecimal.

A transfer is `closed` once its host has read the result. `total_cents` is the meter of its direction after it.
"""

HOST_TICKETS = f"""
CREATE TABLE host_records (
    id INTEGER PRIMARY KEY,
    port TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position BETWEEN 1 AND 31),
    ticket INTEGER NOT NULL,
    number TEXT NOT NULL {stored("number")},
    cents INTEGER NOT NULL CHECK (cents > 0),
    at_ms INTEGER NOT NULL,
    expires_ms INTEGER,
    read INTEGER NOT NULL DEFAULT 0 CHECK (read IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX host_records_position ON host_records (port, position);
CREATE TRIGGER host_records_stay BEFORE UPDATE OF id, port, position, ticket, cents, at_ms, expires_ms ON host_records
BEGIN SELECT RAISE(ABORT, 'the record of a ticket is not changed'); END;
CREATE TRIGGER host_records_keep_their_number BEFORE UPDATE OF number ON host_records
    WHEN NOT {same("number")}
BEGIN SELECT RAISE(ABORT, 'the record of a ticket is not changed'); END;
CREATE TRIGGER host_records_are_read BEFORE DELETE ON host_records WHEN NOT OLD.read
BEGIN SELECT RAISE(ABORT, 'a record is kept until its host has read it'); END;

CREATE TABLE host_redemptions (
    id INTEGER PRIMARY KEY,
    port TEXT NOT NULL UNIQUE,
    number TEXT NOT NULL {stored("number")},
    state TEXT NOT NULL CHECK (state IN ('escrow', 'stacking', 'ended')),
    cents INTEGER NOT NULL DEFAULT 0 CHECK (cents >= 0),
    status INTEGER CHECK (status BETWEEN 0 AND 255),
    note INTEGER,
    item INTEGER REFERENCES open_items (id),
    at_ms INTEGER NOT NULL,
    closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)),
    CHECK ((state = 'ended') = (status IS NOT NULL)),
    CHECK ((state = 'stacking') <= (cents > 0 AND note IS NOT NULL)),
    CHECK (closed <= (state = 'ended'))
) STRICT;
CREATE TRIGGER host_redemptions_end_once BEFORE UPDATE OF state, cents, status, note ON host_redemptions
    WHEN OLD.state = 'ended'
BEGIN SELECT RAISE(ABORT, 'what became of a ticket is not changed'); END;
CREATE TRIGGER host_redemptions_stay BEFORE UPDATE OF number ON host_redemptions
    WHEN NOT {same("number")}
BEGIN SELECT RAISE(ABORT, 'what became of a ticket is not changed'); END;
CREATE TRIGGER host_redemptions_are_read BEFORE DELETE ON host_redemptions WHEN NOT OLD.closed
BEGIN SELECT RAISE(ABORT, 'what became of a ticket is kept until its host has read it'); END;
"""
"""Ticket records and the newest redemption of each host.

`host_records` are the printed tickets that a host has validated; `read` is set once the host has the record.
`host_redemptions` holds the newest ticket inserted for each host: `escrow` until the host decides, `stacking` from the
order to stack (`note` is the row of the bill validator's note, `item` the open item of a ticket that is missing),
`ended` with the protocol's status, and `closed` once the host has read the result.
"""

HOSTS = HOST_PORT + HOST_TICKETS
"""All tables of the host ports."""
