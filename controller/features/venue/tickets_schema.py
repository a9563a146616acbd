"""The tables of tickets validated by a venue: which of this cabinet's it may have, and claims of inserted ones."""

from controller.journal.ticket_numbers_schema import same, stored

VENUE_TICKETS = f"""
CREATE TABLE venue_tickets (
    ticket INTEGER PRIMARY KEY REFERENCES tickets (id),
    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'offered', 'known')),
    site TEXT,
    epoch INTEGER,
    CHECK ((state = 'new') = (site IS NULL) AND (state = 'new') = (epoch IS NULL))
) STRICT;
CREATE INDEX venue_tickets_unknown ON venue_tickets (ticket) WHERE state <> 'known';
CREATE TRIGGER venue_tickets_stay BEFORE UPDATE ON venue_tickets
    WHEN OLD.site IS NOT NULL AND (NEW.ticket, NEW.site, NEW.epoch) IS NOT (OLD.ticket, OLD.site, OLD.epoch)
BEGIN SELECT RAISE(ABORT, 'a ticket stays with its venue'); END;
CREATE TRIGGER venue_tickets_are_kept BEFORE DELETE ON venue_tickets WHEN OLD.state <> 'new'
BEGIN SELECT RAISE(ABORT, 'what a venue was handed is kept'); END;

CREATE TABLE venue_ticket_claims (
    epoch INTEGER NOT NULL,
    claim INTEGER NOT NULL CHECK (claim > 0),
    number TEXT NOT NULL {stored("number")},
    state TEXT NOT NULL CHECK (state IN ('asked', 'held', 'redeemed', 'released', 'void')),
    cents INTEGER CHECK (cents > 0),
    alone INTEGER NOT NULL DEFAULT 0 CHECK (alone IN (0, 1)),
    at_ms INTEGER NOT NULL,
    item INTEGER REFERENCES open_items (id),
    sent INTEGER NOT NULL DEFAULT 0 CHECK (sent IN (0, 1)),
    CHECK ((state IN ('asked', 'released')) OR cents IS NOT NULL),
    PRIMARY KEY (epoch, claim)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX venue_ticket_claims_live ON venue_ticket_claims (number) WHERE state IN ('asked', 'held');
CREATE INDEX venue_ticket_claims_open ON venue_ticket_claims (epoch, claim)
    WHERE (sent = 0 OR state IN ('asked', 'held'));
CREATE TRIGGER venue_ticket_claims_end_once BEFORE UPDATE OF state, cents, alone ON venue_ticket_claims
    WHEN OLD.state NOT IN ('asked', 'held')
BEGIN SELECT RAISE(ABORT, 'a ticket that came in ends once'); END;
CREATE TRIGGER venue_ticket_claims_stay BEFORE UPDATE OF number ON venue_ticket_claims
    WHEN NOT {same("number")}
BEGIN SELECT RAISE(ABORT, 'a claim is about one ticket'); END;
CREATE TRIGGER venue_ticket_claims_no_delete BEFORE DELETE ON venue_ticket_claims
BEGIN SELECT RAISE(ABORT, 'what was asked of the venue is kept'); END;
"""
"""Tickets validated by a venue, and the claims of inserted tickets.

`venue_tickets`: a ticket of this cabinet is `offered` before it is handed to the venue `site`, which may pay it from
then on, and `known` once the venue has acknowledged it.

`venue_ticket_claims`: `asked` before the request, `held` from the order to stack, then its result. `alone` is set if it
was accepted without the venue. `sent`: the venue has the current state. `item` is the open item of a ticket that is
missing.
"""
