"""The journal's tables as SQL: the schema of a new journal, and the migrations that later versions add to it."""

import sqlite3
from typing import NamedTuple

from controller import feature
from controller.journal.archives_schema import ARCHIVES
from controller.journal.ledger import RARE
from controller.journal.people_schema import PEOPLE
from controller.journal.ticket_numbers_schema import stored
from controller.journal.tickets_schema import TICKETS
from controller.journal.totals_schema import TOTALS

SET = "cabinet"

PAGE_BYTES = 1024
"""It is small because a transaction writes every page that it touches, most of them for a few bytes."""

SEALED, RESTORED = "sealed", "restored"
"""The ledger's kinds of the row that ends a journal and of the row that resumes a copy of it."""

_BOOKS = f"""
CREATE TABLE cabinet (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    cabinet_id TEXT NOT NULL,
    simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
    credit_cents INTEGER NOT NULL CHECK (credit_cents >= 0),
    powered_minutes INTEGER NOT NULL DEFAULT 0 CHECK (powered_minutes >= 0),
    digests BLOB NOT NULL DEFAULT x'',
    commits INTEGER NOT NULL DEFAULT 0 CHECK (commits >= 0)
) STRICT;
CREATE TRIGGER cabinet_identity BEFORE UPDATE OF cabinet_id, simulated ON cabinet
BEGIN SELECT RAISE(ABORT, 'a journal keeps its identity for ever'); END;
CREATE TRIGGER cabinet_no_delete BEFORE DELETE ON cabinet
BEGIN SELECT RAISE(ABORT, 'a journal keeps its identity for ever'); END;

CREATE TABLE ledger (
    seq INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    credit_delta INTEGER NOT NULL,
    credit_after INTEGER NOT NULL CHECK (credit_after >= 0),
    meters TEXT NOT NULL,
    round_id INTEGER,
    data TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    state BLOB NOT NULL CHECK (length(state) = 16)
) STRICT;
CREATE INDEX ledger_kind ON ledger (kind, seq) WHERE {RARE};
CREATE INDEX ledger_stake ON ledger (round_id) WHERE kind = 'stake';
CREATE TRIGGER ledger_gapless BEFORE INSERT ON ledger
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM ledger)
BEGIN SELECT RAISE(ABORT, 'ledger rows follow each other without a gap'); END;
CREATE TRIGGER ledger_sealed BEFORE INSERT ON ledger
WHEN NEW.kind <> '{RESTORED}' AND (SELECT kind FROM ledger ORDER BY seq DESC LIMIT 1) = '{SEALED}'
BEGIN SELECT RAISE(ABORT, 'these books are sealed'); END;

CREATE TABLE anchors (
    seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    credit_cents INTEGER NOT NULL,
    meters TEXT NOT NULL
) STRICT;
CREATE TABLE anchor_signatures (
    seq INTEGER PRIMARY KEY REFERENCES anchors (seq),
    public_key BLOB NOT NULL CHECK (length(public_key) = 32),
    signature BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT;

CREATE TABLE meters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL CHECK (value >= 0),
    collected INTEGER NOT NULL DEFAULT 0 CHECK (collected <= value)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER meters_only_rise BEFORE UPDATE OF value ON meters WHEN NEW.value < OLD.value
BEGIN SELECT RAISE(ABORT, 'a meter never falls'); END;
CREATE TRIGGER meters_keep_their_name BEFORE UPDATE OF name ON meters WHEN NEW.name <> OLD.name
BEGIN SELECT RAISE(ABORT, 'a meter keeps its name'); END;
CREATE TRIGGER meters_no_delete BEFORE DELETE ON meters
BEGIN SELECT RAISE(ABORT, 'a meter is never removed'); END;

CREATE TABLE rounds (
    id INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    maths_version INTEGER NOT NULL,
    maths_hash TEXT NOT NULL,
    lines INTEGER NOT NULL CHECK (lines > 0),
    coins_per_line INTEGER NOT NULL CHECK (coins_per_line > 0),
    coin_value_cents INTEGER NOT NULL CHECK (coin_value_cents > 0),
    price INTEGER NOT NULL CHECK (price > 0),
    stake_cents INTEGER NOT NULL CHECK (stake_cents = lines * coins_per_line * coin_value_cents * price),
    state TEXT NOT NULL CHECK (state IN ('open', 'settled', 'void')),
    win_cents INTEGER NOT NULL DEFAULT 0 CHECK (win_cents >= 0),
    credit_before_cents INTEGER NOT NULL,
    credit_after_cents INTEGER,
    memory_before TEXT NOT NULL,
    memory_after TEXT,
    started_ms INTEGER NOT NULL,
    ended_ms INTEGER,
    waited_minutes INTEGER NOT NULL DEFAULT 0,
    void_reason TEXT
) STRICT;
CREATE UNIQUE INDEX one_open_round ON rounds (state) WHERE state = 'open';
CREATE TRIGGER rounds_end_once BEFORE UPDATE ON rounds WHEN OLD.state <> 'open'
BEGIN SELECT RAISE(ABORT, 'a round ends once'); END;
CREATE TRIGGER rounds_no_delete BEFORE DELETE ON rounds
BEGIN SELECT RAISE(ABORT, 'rounds are kept'); END;

CREATE TABLE segments (
    round_id INTEGER NOT NULL REFERENCES rounds (id),
    number INTEGER NOT NULL CHECK (number >= 0),
    answer INTEGER,
    draws TEXT NOT NULL,
    win_cents INTEGER NOT NULL CHECK (win_cents >= 0),
    running_win_cents INTEGER NOT NULL,
    steps_sha256 BLOB NOT NULL CHECK (length(steps_sha256) = 32),
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (round_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE memories (
    game TEXT NOT NULL,
    bet TEXT NOT NULL,
    memory TEXT NOT NULL,
    PRIMARY KEY (game, bet)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    code TEXT NOT NULL,
    place TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX events_code ON events (code);

CREATE TABLE faults (
    code TEXT NOT NULL,
    place TEXT NOT NULL,
    detail TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    present INTEGER NOT NULL CHECK (present IN (0, 1)),
    PRIMARY KEY (code, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE open_items (
    id INTEGER PRIMARY KEY,
    opened_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    amount_cents INTEGER,
    text TEXT NOT NULL,
    resolution TEXT,
    resolved_ms INTEGER,
    least_cents INTEGER NOT NULL DEFAULT 0 CHECK (least_cents >= 0)
) STRICT;
CREATE INDEX open_items_open ON open_items (id) WHERE resolution IS NULL;
CREATE TRIGGER open_items_no_delete BEFORE DELETE ON open_items
BEGIN SELECT RAISE(ABORT, 'open items are kept'); END;

CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    value_cents INTEGER NOT NULL CHECK (value_cents > 0),
    state TEXT NOT NULL CHECK (state IN ('stacking', 'credited', 'acknowledged', 'returned', 'unknown')),
    at_ms INTEGER NOT NULL,
    ticket TEXT {stored("ticket")}
) STRICT;
CREATE UNIQUE INDEX one_note_in_hand ON notes ((1)) WHERE state IN ('stacking', 'credited');

CREATE TABLE payouts (
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
CREATE UNIQUE INDEX one_open_payout ON payouts (state) WHERE state = 'open';
CREATE INDEX payouts_held ON payouts (item) WHERE item IS NOT NULL;
CREATE INDEX payouts_that_count ON payouts (id) WHERE state IN ('open', 'undecided');

CREATE TABLE pools (
    game TEXT NOT NULL,
    coin_value_cents INTEGER NOT NULL,
    growth_millicents INTEGER NOT NULL CHECK (growth_millicents >= 0),
    PRIMARY KEY (game, coin_value_cents)
) STRICT, WITHOUT ROWID;

CREATE TABLE contributions (
    round_id INTEGER PRIMARY KEY REFERENCES rounds (id),
    millicents INTEGER NOT NULL CHECK (millicents >= 0),
    reversed INTEGER NOT NULL DEFAULT 0 CHECK (reversed IN (0, 1))
) STRICT;
CREATE TABLE claims (
    round_id INTEGER NOT NULL REFERENCES rounds (id),
    number INTEGER NOT NULL,
    coins INTEGER NOT NULL CHECK (coins > 0),
    taken_millicents INTEGER NOT NULL CHECK (taken_millicents >= 0),
    reversed INTEGER NOT NULL DEFAULT 0 CHECK (reversed IN (0, 1)),
    PRIMARY KEY (round_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE setting_changes (
    seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    key TEXT NOT NULL,
    old TEXT NOT NULL,
    new TEXT NOT NULL,
    who TEXT NOT NULL
) STRICT;

CREATE TABLE periods (
    id INTEGER PRIMARY KEY,
    closed_ms INTEGER NOT NULL,
    seq INTEGER NOT NULL REFERENCES ledger (seq),
    who TEXT NOT NULL,
    meters TEXT NOT NULL
) STRICT;

CREATE TABLE hard_meters (
    name TEXT PRIMARY KEY,
    owed INTEGER NOT NULL DEFAULT 0 CHECK (owed >= 0),
    given INTEGER NOT NULL DEFAULT 0 CHECK (given >= 0),
    given_units INTEGER NOT NULL DEFAULT 0 CHECK (given_units >= 0),
    in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
    doubtful INTEGER NOT NULL DEFAULT 0 CHECK (doubtful >= 0),
    batch INTEGER NOT NULL DEFAULT 0 CHECK (batch >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_state (device TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""  # noqa: S608 - literals of this module and of its imports
"""`cabinet.digests`: the digest of every table (`controller.journal.digests`). `cabinet.commits`: the number of
transactions that changed the tables. `ledger.state`: the hash of the digests before the row's transaction.
`anchor_signatures`: by the cabinet's key. `open_items.least_cents`: the minimum value of an item; `amount_cents` is the
maximum, NULL for unknown. `notes.ticket` is the number of a ticket, NULL for a note.

`payouts.serial`: the hopper of the newest dispense; for a held payout, the hopper whose counter can settle it, or NULL.
`follows`: the hopper payout that a hand-pay completes. `held_cents`: the amount of the payout that is held, for open
item `item`, which is NULL once the payout is settled. `turnover_cents`: all money in and all stakes when it was held.
`hard_meters.in_flight`: the number of announced pulses of batch number `batch`.
"""

_APPEND_ONLY = """
CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END;
CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END;
"""
APPEND_ONLY_TABLES = ("ledger", "anchors", "anchor_signatures", "segments", "events", "setting_changes", "periods")


class Migration(NamedTuple):
    """A migration to a newer schema: its name, which the file records, and its statements."""

    name: str
    script: str


MIGRATIONS = (
    Migration(
        "m001_schema",
        "".join(
            (
                _BOOKS,
                *(_APPEND_ONLY.format(table=table) for table in APPEND_ONLY_TABLES),
                TOTALS,
                PEOPLE,
                TICKETS,
                ARCHIVES,
                *feature.imported(lambda one: one.schema),
            )
        ),
    ),
)
"""The schema of a new journal, followed by all later migrations in order. A released migration never changes."""

NAMES = tuple(name for name, _ in MIGRATIONS)
"""The names of the migrations; a file that records another name was written by a newer program."""


def applied(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the migrations recorded in the open file, in order; an empty file has none."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = '_sqlite_migrations'").fetchone() is None:
        return ()
    rows = connection.execute("SELECT name FROM _sqlite_migrations WHERE migration_set = ? ORDER BY id", (SET,))
    return tuple(name for (name,) in rows)
