"""Columns and a table against edits of the books: digests of all tables, also in the chain, and signed anchors."""

DIGESTS = """
ALTER TABLE cabinet ADD COLUMN digests BLOB NOT NULL DEFAULT x'';
ALTER TABLE cabinet ADD COLUMN commits INTEGER NOT NULL DEFAULT 0 CHECK (commits >= 0);
ALTER TABLE ledger ADD COLUMN state BLOB CHECK (state IS NULL OR length(state) = 16);
CREATE INDEX open_items_open ON open_items (id) WHERE resolution IS NULL;

CREATE TABLE anchor_signatures (
    seq INTEGER PRIMARY KEY REFERENCES anchors (seq),
    public_key BLOB NOT NULL CHECK (length(public_key) = 32),
    signature BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT;
"""
"""`cabinet.digests`: the digest of every table (`controller.journal.digests`). `cabinet.commits`: how many transactions
have changed them. `ledger.state`: their hash before the row's transaction, NULL in rows of an older program.
`anchor_signatures`: by the cabinet's key."""
