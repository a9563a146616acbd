"""The tables of staff cards (`controller.features.cards.journal`)."""

CARDS = """
CREATE TABLE cards (
    id INTEGER PRIMARY KEY,
    person INTEGER NOT NULL REFERENCES people (id),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 20),
    seal TEXT NOT NULL UNIQUE CHECK (length(seal) = 64),
    key TEXT NOT NULL CHECK (length(key) = 16),
    blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX cards_name ON cards (name COLLATE NOCASE);
CREATE TABLE card_attempts (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    barred_until INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO card_attempts (id) VALUES (1);
CREATE TRIGGER card_attempts_no_delete BEFORE DELETE ON card_attempts
BEGIN SELECT RAISE(ABORT, 'wrong cards stay counted'); END;
"""
"""The staff cards and the count of wrong ones.

`seal` is the keyed digest of a card's number, `key` the name of the key it was made with. `card_attempts` counts wrong
cards in a row for the reader, because their owner is unknown.
"""
