"""Tables of a cabinet that belongs to a venue: its membership, contribution meters, claims and outboxes."""

from controller.features.venue.tickets_schema import VENUE_TICKETS

VENUE = """
CREATE TABLE venue (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    cabinet INTEGER NOT NULL,
    epoch INTEGER NOT NULL CHECK (epoch > 0),
    site TEXT NOT NULL DEFAULT '',
    since_epoch INTEGER NOT NULL CHECK (since_epoch BETWEEN 1 AND epoch),
    joined INTEGER NOT NULL CHECK (joined IN (0, 1)),
    events INTEGER NOT NULL DEFAULT 0 CHECK (events >= 0),
    readings INTEGER NOT NULL DEFAULT 0 CHECK (readings >= 0),
    trouble TEXT NOT NULL DEFAULT '' CHECK (trouble IN ('', 'fenced', 'behind', 'beside')),
    accepted_by TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TRIGGER venue_epochs_rise BEFORE UPDATE OF epoch ON venue WHEN NEW.epoch < OLD.epoch
BEGIN SELECT RAISE(ABORT, 'an epoch never falls'); END;
CREATE TRIGGER venue_no_delete BEFORE DELETE ON venue
BEGIN SELECT RAISE(ABORT, 'a cabinet remembers its venue'); END;

CREATE TABLE venue_pools (
    pool INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    coin_value_cents INTEGER NOT NULL CHECK (coin_value_cents > 0),
    rate_per_mille INTEGER NOT NULL CHECK (rate_per_mille >= 0),
    UNIQUE (game, coin_value_cents)
) STRICT;

CREATE TABLE venue_meters (
    epoch INTEGER NOT NULL,
    pool INTEGER NOT NULL,
    seq INTEGER NOT NULL CHECK (seq >= 0),
    cum INTEGER NOT NULL CHECK (cum >= 0),
    debt INTEGER NOT NULL DEFAULT 0 CHECK (debt >= 0),
    PRIMARY KEY (epoch, pool)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER venue_meters_only_rise BEFORE UPDATE OF seq, cum ON venue_meters
WHEN NEW.cum < OLD.cum OR NEW.seq < OLD.seq
BEGIN SELECT RAISE(ABORT, 'a meter never falls'); END;
CREATE TRIGGER venue_meters_no_delete BEFORE DELETE ON venue_meters
BEGIN SELECT RAISE(ABORT, 'a meter is never removed'); END;

CREATE TABLE venue_shares (
    round_id INTEGER PRIMARY KEY REFERENCES rounds (id),
    epoch INTEGER NOT NULL,
    pool INTEGER NOT NULL,
    millicents INTEGER NOT NULL CHECK (millicents >= 0),
    reversed INTEGER NOT NULL DEFAULT 0 CHECK (reversed IN (0, 1))
) STRICT;

CREATE TABLE venue_claims (
    epoch INTEGER NOT NULL,
    round_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    pool INTEGER NOT NULL,
    unit_cents INTEGER NOT NULL CHECK (unit_cents > 0),
    state TEXT NOT NULL CHECK (state IN ('asked', 'answered', 'held', 'refused', 'done')),
    asked_ms INTEGER NOT NULL,
    award INTEGER CHECK (award > 0),
    hit INTEGER,
    seed INTEGER,
    coins INTEGER CHECK (coins >= 0),
    item INTEGER REFERENCES open_items (id),
    CHECK ((award IS NULL) = (state = 'asked')),
    PRIMARY KEY (epoch, round_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX venue_claims_open ON venue_claims (round_id) WHERE state <> 'done';
CREATE TRIGGER venue_claims_answered_once BEFORE UPDATE OF award, hit, seed ON venue_claims WHEN OLD.award IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a claim is answered once'); END;
CREATE TRIGGER venue_claims_no_delete BEFORE DELETE ON venue_claims
BEGIN SELECT RAISE(ABORT, 'claims are kept'); END;

CREATE TABLE venue_events (
    epoch INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    ledger_seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    code TEXT NOT NULL,
    body TEXT NOT NULL,
    sent INTEGER NOT NULL DEFAULT 0 CHECK (sent IN (0, 1)),
    PRIMARY KEY (epoch, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX venue_events_unsent ON venue_events (epoch, seq) WHERE sent = 0;
CREATE TRIGGER events_to_venue AFTER INSERT ON events WHEN EXISTS (SELECT 1 FROM venue WHERE joined = 1)
BEGIN
    UPDATE venue SET events = events + 1;
    INSERT INTO venue_events (epoch, seq, ledger_seq, at_ms, code, body)
        SELECT venue.epoch, venue.events, NEW.seq, ledger.at_ms, NEW.code, ledger.data
        FROM venue, ledger WHERE ledger.seq = NEW.seq;
END;

CREATE TABLE venue_readings (
    epoch INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('hour', 'day', 'collection')),
    meters TEXT NOT NULL,
    sent INTEGER NOT NULL DEFAULT 0 CHECK (sent IN (0, 1)),
    PRIMARY KEY (epoch, seq)
) STRICT, WITHOUT ROWID;
"""
"""The venue's tables.

`venue`: the cabinet's number at the venue, its epoch, and whether it plays for the venue's pools. `events` and
`readings` are the newest numbers assigned in the epoch; none is reused. `site` is the venue's identity, and
`since_epoch` the cabinet's first epoch there under its current number; earlier epochs belong to another venue.

`venue_pools`: the pools of the current venue. The pool numbers in meters, shares and claims are those of the venue of
their epoch.

`venue_meters.debt`: shares of voided rounds that later contributions pay first, in 1/1000 cent.

`venue_claims`: `award`, `hit` and `seed` are the venue's answer; `coins` is what the round was paid, NULL until then.

`venue_events` keeps a copy of each row, because the ledger row may be archived before it is sent.
"""

ALL = VENUE + VENUE_TICKETS
"""All tables of the venue's link."""
