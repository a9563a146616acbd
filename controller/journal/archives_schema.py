"""The tables that replace the archived past in a journal: the archives, and the games played until an event."""

ARCHIVES = """
CREATE TABLE archives (
    seq INTEGER PRIMARY KEY REFERENCES ledger (seq),
    name TEXT NOT NULL UNIQUE,
    folder TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    carried_sha256 TEXT NOT NULL CHECK (length(carried_sha256) = 64),
    left_payouts_cents INTEGER NOT NULL CHECK (left_payouts_cents >= 0),
    left_notes_cents INTEGER NOT NULL CHECK (left_notes_cents >= 0),
    state TEXT NOT NULL CHECK (state IN ('unproved', 'proved', 'failed', 'moved'))
) STRICT;
CREATE TRIGGER archives_no_delete BEFORE DELETE ON archives
BEGIN SELECT RAISE(ABORT, 'archives are kept in mind'); END;
CREATE TRIGGER archives_stay BEFORE UPDATE OF
    seq, name, size, sha256, carried_sha256, left_payouts_cents, left_notes_cents ON archives
BEGIN SELECT RAISE(ABORT, 'archives are kept in mind'); END;

CREATE TABLE newest_events (
    code TEXT NOT NULL,
    place TEXT NOT NULL,
    seq INTEGER NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (code, place)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER events_newest AFTER INSERT ON events
BEGIN
    INSERT INTO newest_events
        VALUES (NEW.code, NEW.place, NEW.seq, coalesce((SELECT value FROM meters WHERE name = 'games'), 0))
        ON CONFLICT DO UPDATE SET seq = excluded.seq, games = excluded.games;
END;
"""
"""The archives and the newest events.

`archives`: each archive by its last ledger row, with the sums of the payouts and notes that only it and earlier ones
contain; `carried_sha256` covers the rows taken over for the recall. `newest_events`: the newest event of each code and
place, and the number of games played until then (M6).
"""
