"""The tables of tickets: those that this cabinet has printed, and which paper in the bill validator was a ticket."""

TICKETS = """
CREATE TABLE payouts_with_tickets (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('hopper', 'hand_pay', 'ticket')),
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
    paid_cents INTEGER NOT NULL DEFAULT 0 CHECK (paid_cents >= 0),
    coin_value_cents INTEGER,
    event_counter INTEGER,
    lifetime INTEGER,
    paid_before INTEGER NOT NULL DEFAULT 0,
    overpaid INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL CHECK (state IN ('open', 'done', 'short', 'undecided', 'cancelled')),
    started_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    serial INTEGER,
    follows INTEGER,
    held_cents INTEGER NOT NULL DEFAULT 0 CHECK (held_cents >= 0),
    item INTEGER REFERENCES open_items (id),
    turnover_cents INTEGER,
    CHECK (paid_cents <= amount_cents)
) STRICT;
INSERT INTO payouts_with_tickets SELECT * FROM payouts;
DROP TABLE payouts;
ALTER TABLE payouts_with_tickets RENAME TO payouts;
CREATE UNIQUE INDEX one_open_payout ON payouts (state) WHERE state = 'open';
CREATE INDEX payouts_held ON payouts (item) WHERE item IS NOT NULL;
CREATE INDEX payouts_that_count ON payouts (id) WHERE state IN ('open', 'undecided');

CREATE TABLE tickets (
    id INTEGER PRIMARY KEY,
    number TEXT NOT NULL UNIQUE CHECK (length(number) = 18 AND number NOT GLOB '*[^0-9]*'),
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
BEGIN SELECT RAISE(ABORT, 'a ticket keeps its number and worth'); END;
CREATE TRIGGER tickets_end_once BEFORE UPDATE OF state ON tickets WHEN OLD.state IN ('redeemed', 'void')
BEGIN SELECT RAISE(ABORT, 'a ticket is redeemed or void for ever'); END;
CREATE TRIGGER tickets_no_delete BEFORE DELETE ON tickets
BEGIN SELECT RAISE(ABORT, 'tickets are kept'); END;

ALTER TABLE notes ADD COLUMN ticket TEXT CHECK (length(ticket) BETWEEN 1 AND 24);
CREATE TRIGGER notes_stay_tickets BEFORE UPDATE OF ticket ON notes
BEGIN SELECT RAISE(ABORT, 'a note is no ticket, nor a ticket a note'); END;
"""
"""`payouts` is as before, with one more kind. `tickets` has a row before its ticket is printed. One is `held` while it
lies in the validator, and for as long as open item `item` is not resolved: nobody knows then whether it does.

`notes.ticket` is the number of a ticket, NULL for a note."""
