"""The table of tickets printed by this cabinet, and a column of `notes` that marks a ticket."""

from controller.journal.ticket_numbers_schema import same, stored

TICKETS = f"""
CREATE TABLE tickets (
    id INTEGER PRIMARY KEY,
    number TEXT NOT NULL UNIQUE {stored("number")},
    cents INTEGER NOT NULL CHECK (cents > 0),
    state TEXT NOT NULL CHECK (state IN ('printing', 'printed', 'held', 'redeemed', 'void')),
    issued_ms INTEGER NOT NULL,
    expires_ms INTEGER,
    settled_ms INTEGER,
    item INTEGER REFERENCES open_items (id)
) STRICT;
CREATE INDEX tickets_live ON tickets (id) WHERE state IN ('printing', 'printed', 'held');
CREATE UNIQUE INDEX one_ticket_printing ON tickets ((1)) WHERE state = 'printing';
CREATE TRIGGER tickets_keep_their_worth BEFORE UPDATE OF id, number, cents, issued_ms, expires_ms ON tickets
    WHEN (NEW.id, NEW.cents, NEW.issued_ms, NEW.expires_ms) IS NOT (OLD.id, OLD.cents, OLD.issued_ms, OLD.expires_ms)
    OR NOT {same("number")}
BEGIN SELECT RAISE(ABORT, 'a ticket keeps its number and worth'); END;
CREATE TRIGGER tickets_end_once BEFORE UPDATE OF state ON tickets WHEN OLD.state IN ('redeemed', 'void')
BEGIN SELECT RAISE(ABORT, 'a ticket is redeemed or void for ever'); END;
CREATE TRIGGER tickets_no_delete BEFORE DELETE ON tickets
BEGIN SELECT RAISE(ABORT, 'tickets are kept'); END;

CREATE TRIGGER notes_stay_tickets BEFORE UPDATE OF ticket ON notes WHEN NOT {same("ticket")}
BEGIN SELECT RAISE(ABORT, 'a note is no ticket, nor a ticket a note'); END;
"""
"""Tickets printed by this cabinet.

A row exists before its ticket is printed. A ticket is `held` while it is in the validator, and as long as its open item
`item` is unresolved, because its whereabouts are then unknown.
"""
