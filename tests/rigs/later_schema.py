"""An invented later schema: what a release after this one might add to the journal, tried by the runner's tests."""

from controller.journal.schema import MIGRATIONS, Migration

LATER = (
    *MIGRATIONS,
    Migration(
        "m900_remarks",
        """
        CREATE TABLE remarks (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
        CREATE TRIGGER remarks_no_delete BEFORE DELETE ON remarks
        BEGIN SELECT RAISE(ABORT, 'remarks are kept'); END;
        ALTER TABLE faults ADD COLUMN remark INTEGER REFERENCES remarks (id);
        """,
    ),
    Migration(
        "m901_memories_by_bet",
        """
        CREATE TABLE memories_by_bet (
            game TEXT NOT NULL, bet TEXT NOT NULL, memory TEXT NOT NULL, PRIMARY KEY (bet, game)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO memories_by_bet SELECT * FROM memories;
        DROP TABLE memories;
        ALTER TABLE memories_by_bet RENAME TO memories;
        INSERT INTO remarks (text) SELECT 'credit ' || credit_cents FROM cabinet;
        """,
    ),
)
"""The schema of this program, then a table with its trigger and a column, then one rebuilt with its rows."""
