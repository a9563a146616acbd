"""What makes an edit of the books show: digests of all tables, in the chain too, and anchors that are signed."""

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
"""`cabinet.digests`: the digest of every table, see `controller.journal.digests`, and `commits` how many transactions
have moved them. `ledger.state`: the hash of these
before the row's transaction; rows of an older program have none. `anchor_signatures`: by the cabinet's key."""
