"""Columns of `payouts` for held money, and for the payout that a hand-pay completes."""

HELD = """
ALTER TABLE payouts ADD COLUMN serial INTEGER;
ALTER TABLE payouts ADD COLUMN follows INTEGER;
ALTER TABLE payouts ADD COLUMN held_cents INTEGER NOT NULL DEFAULT 0 CHECK (held_cents >= 0);
ALTER TABLE payouts ADD COLUMN item INTEGER REFERENCES open_items (id);
ALTER TABLE payouts ADD COLUMN turnover_cents INTEGER;
CREATE INDEX payouts_held ON payouts (item) WHERE item IS NOT NULL;
CREATE INDEX payouts_that_count ON payouts (id) WHERE state IN ('open', 'undecided');

UPDATE payouts SET serial = (SELECT CAST(state AS INTEGER) FROM device_state WHERE device = 'hopper.paying')
WHERE state = 'open' AND event_counter IS NOT NULL;
DELETE FROM device_state WHERE device = 'hopper.paying';
"""
"""`serial`: the hopper of the newest dispense; of a held payout, the hopper whose counter can settle it, else NULL.
`follows`: the hopper's payout that a hand-pay completes. `held_cents`: what is held of the payout now, for open item
`item`, which is NULL once the payout is settled. `turnover_cents`: all money in and all stakes when it was held."""
