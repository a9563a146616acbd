"""The tables that have numbers of tickets, with room for sealed ones (`controller.journal.number_seal`)."""

from typing import Final

_STORED: Final = "CHECK (length({column}) BETWEEN 1 AND 80)"
_SAME: Final = "substr(NEW.{column}, -4) IS substr(OLD.{column}, -4)"
"""A number may be sealed, or sealed with another key: its last four digits stay."""


def _rebuilt(table: str, columns: str, tail: str = "STRICT") -> str:
    """Return the statements that give a table other constraints; its indexes and triggers go with the old one."""
    return f"""
CREATE TABLE {table}_with_numbers ({columns}) {tail};
INSERT INTO {table}_with_numbers SELECT * FROM {table};
DROP TABLE {table};
ALTER TABLE {table}_with_numbers RENAME TO {table};
"""  # noqa: S608 - literals of this module


TICKET_NUMBERS = (
    _rebuilt(
        "tickets",
        f"""
    id INTEGER PRIMARY KEY,
    number TEXT NOT NULL UNIQUE {_STORED.format(column="number")},
    cents INTEGER NOT NULL CHECK (cents > 0),
    state TEXT NOT NULL CHECK (state IN ('printing', 'printed', 'held', 'redeemed', 'void')),
    issued_ms INTEGER NOT NULL,
    expires_ms INTEGER,
    settled_ms INTEGER,
    item INTEGER REFERENCES open_items (id)
""",
    )
    + f"""
CREATE INDEX tickets_live ON tickets (id) WHERE state IN ('printing', 'printed', 'held');
CREATE UNIQUE INDEX one_ticket_printing ON tickets ((1)) WHERE state = 'printing';
CREATE TRIGGER tickets_keep_their_worth BEFORE UPDATE OF id, number, cents, issued_ms, expires_ms ON tickets
    WHEN (NEW.id, NEW.cents, NEW.issued_ms, NEW.expires_ms) IS NOT (OLD.id, OLD.cents, OLD.issued_ms, OLD.expires_ms)
    OR NOT {_SAME.format(column="number")}
BEGIN SELECT RAISE(ABORT, 'a ticket keeps its number and worth'); END;
CREATE TRIGGER tickets_end_once BEFORE UPDATE OF state ON tickets WHEN OLD.state IN ('redeemed', 'void')
BEGIN SELECT RAISE(ABORT, 'a ticket is redeemed or void for ever'); END;
CREATE TRIGGER tickets_no_delete BEFORE DELETE ON tickets
BEGIN SELECT RAISE(ABORT, 'tickets are kept'); END;
"""
    + _rebuilt(
        "notes",
        f"""
    id INTEGER PRIMARY KEY,
    value_cents INTEGER NOT NULL CHECK (value_cents > 0),
    state TEXT NOT NULL CHECK (state IN ('stacking', 'credited', 'acknowledged', 'returned', 'unknown')),
    at_ms INTEGER NOT NULL,
    ticket TEXT {_STORED.format(column="ticket")}
""",
    )
    + f"""
CREATE UNIQUE INDEX one_note_in_hand ON notes ((1)) WHERE state IN ('stacking', 'credited');
CREATE TRIGGER notes_stay_tickets BEFORE UPDATE OF ticket ON notes WHEN NOT {_SAME.format(column="ticket")}
BEGIN SELECT RAISE(ABORT, 'a note is no ticket, nor a ticket a note'); END;
"""
    + _rebuilt(
        "venue_ticket_claims",
        f"""
    epoch INTEGER NOT NULL,
    claim INTEGER NOT NULL CHECK (claim > 0),
    number TEXT NOT NULL {_STORED.format(column="number")},
    state TEXT NOT NULL CHECK (state IN ('asked', 'held', 'redeemed', 'released', 'void')),
    cents INTEGER CHECK (cents > 0),
    alone INTEGER NOT NULL DEFAULT 0 CHECK (alone IN (0, 1)),
    at_ms INTEGER NOT NULL,
    item INTEGER REFERENCES open_items (id),
    sent INTEGER NOT NULL DEFAULT 0 CHECK (sent IN (0, 1)),
    CHECK ((state IN ('asked', 'released')) OR cents IS NOT NULL),
    PRIMARY KEY (epoch, claim)
""",
        "STRICT, WITHOUT ROWID",
    )
    + f"""
CREATE UNIQUE INDEX venue_ticket_claims_live ON venue_ticket_claims (number) WHERE state IN ('asked', 'held');
CREATE INDEX venue_ticket_claims_open ON venue_ticket_claims (epoch, claim)
    WHERE (sent = 0 OR state IN ('asked', 'held'));
CREATE TRIGGER venue_ticket_claims_end_once BEFORE UPDATE OF state, cents, alone ON venue_ticket_claims
    WHEN OLD.state NOT IN ('asked', 'held')
BEGIN SELECT RAISE(ABORT, 'a ticket that came in ends once'); END;
CREATE TRIGGER venue_ticket_claims_stay BEFORE UPDATE OF number ON venue_ticket_claims
    WHEN NOT {_SAME.format(column="number")}
BEGIN SELECT RAISE(ABORT, 'a claim is about one ticket'); END;
CREATE TRIGGER venue_ticket_claims_no_delete BEFORE DELETE ON venue_ticket_claims
BEGIN SELECT RAISE(ABORT, 'what was asked of the venue is kept'); END;
"""
    + _rebuilt(
        "host_records",
        f"""
    id INTEGER PRIMARY KEY,
    port TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position BETWEEN 1 AND 31),
    ticket INTEGER NOT NULL,
    number TEXT NOT NULL {_STORED.format(column="number")},
    cents INTEGER NOT NULL CHECK (cents > 0),
    at_ms INTEGER NOT NULL,
    expires_ms INTEGER,
    read INTEGER NOT NULL DEFAULT 0 CHECK (read IN (0, 1))
""",
    )
    + f"""
CREATE UNIQUE INDEX host_records_position ON host_records (port, position);
CREATE TRIGGER host_records_stay BEFORE UPDATE OF id, port, position, ticket, cents, at_ms, expires_ms ON host_records
BEGIN SELECT RAISE(ABORT, 'the record of a ticket is not changed'); END;
CREATE TRIGGER host_records_keep_their_number BEFORE UPDATE OF number ON host_records
    WHEN NOT {_SAME.format(column="number")}
BEGIN SELECT RAISE(ABORT, 'the record of a ticket is not changed'); END;
CREATE TRIGGER host_records_are_read BEFORE DELETE ON host_records WHEN NOT OLD.read
BEGIN SELECT RAISE(ABORT, 'a record is kept until its host has read it'); END;
"""
    + _rebuilt(
        "host_redemptions",
        f"""
    id INTEGER PRIMARY KEY,
    port TEXT NOT NULL UNIQUE,
    number TEXT NOT NULL {_STORED.format(column="number")},
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
""",
    )
    + f"""
CREATE TRIGGER host_redemptions_end_once BEFORE UPDATE OF state, cents, status, note ON host_redemptions
    WHEN OLD.state = 'ended'
BEGIN SELECT RAISE(ABORT, 'what became of a ticket is not changed'); END;
CREATE TRIGGER host_redemptions_stay BEFORE UPDATE OF number ON host_redemptions
    WHEN NOT {_SAME.format(column="number")}
BEGIN SELECT RAISE(ABORT, 'what became of a ticket is not changed'); END;
CREATE TRIGGER host_redemptions_are_read BEFORE DELETE ON host_redemptions WHEN NOT OLD.closed
BEGIN SELECT RAISE(ABORT, 'what became of a ticket is kept until its host has read it'); END;
"""
)
"""Each table as it was, but for the constraint of its numbers."""
