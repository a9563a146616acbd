"""The table of people with access (`controller.journal.people`)."""

PEOPLE = """
CREATE TABLE people (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 20),
    role TEXT NOT NULL CHECK (role IN ('attendant', 'technician')),
    barred INTEGER NOT NULL DEFAULT 0 CHECK (barred IN (0, 1)),
    pin TEXT CHECK (length(pin) = 64),
    change_pin INTEGER NOT NULL DEFAULT 0 CHECK (change_pin IN (0, 1)),
    failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    barred_until INTEGER NOT NULL DEFAULT 0,
    CHECK (barred = 0 OR pin IS NULL)
) STRICT;
CREATE UNIQUE INDEX people_name ON people (name COLLATE NOCASE);
CREATE TRIGGER people_no_delete BEFORE DELETE ON people
BEGIN SELECT RAISE(ABORT, 'people are kept: the ledger names them'); END;
"""
