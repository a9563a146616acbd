# ruff: noqa: S608 - names of columns, tables and kinds, all literals of this module and of its imports
"""Tables that let a round write less: pulses in batches, totals folded at intervals, an index of rare rows."""

from controller.journal.ledger import RARE
from controller.journal.totals_schema import DAY_KINDS, day_of, size_of

ROUNDS_A_FOLD, ROWS_A_FOLD = 64, 128
"""How many rounds, and ledger rows, are added to the totals at once; views add the newer ones."""

_BETS = "game, maths_version, lines, coins_per_line, coin_value_cents, price"
_ADD_BETS = (
    " ON CONFLICT DO UPDATE SET games = games + excluded.games, stakes_cents = stakes_cents + excluded.stakes_cents,"
    " wins_cents = wins_cents + excluded.wins_cents"
)
_ADD_SIZES = " ON CONFLICT DO UPDATE SET games = games + excluded.games"
_ADD_DAYS = (
    f"{_ADD_BETS}, coins_cents = coins_cents + excluded.coins_cents, notes_cents = notes_cents + excluded.notes_cents"
)


def _bets(rounds: str, until: str) -> str:
    return (
        f"SELECT {_BETS}, count(*) AS games, sum(stake_cents) AS stakes_cents, sum(win_cents) AS wins_cents"
        f" FROM {rounds} WHERE state = 'settled' AND id > {until} GROUP BY {_BETS}"
    )


def _sizes(rounds: str, until: str) -> str:
    return (
        f"SELECT {size_of('')} AS size, count(*) AS games FROM {rounds}"
        f" WHERE state = 'settled' AND id > {until} GROUP BY 1"
    )


def _days(rounds: str, ledger: str, until: str) -> str:
    return (
        "SELECT day, sum(games) AS games, sum(stakes) AS stakes_cents, sum(wins) AS wins_cents,"
        f" sum(coins) AS coins_cents, sum(notes) AS notes_cents FROM ({day_of('row.', rounds)} FROM {ledger} AS row"
        f" WHERE row.seq > {until} AND {DAY_KINDS.format('row.')}) WHERE true GROUP BY day"
    )


def fold_rounds(place: str = "") -> str:
    """Return the statements that add the rounds since the last fold to the totals; `place` is the schema with a dot."""
    until = "(SELECT round_id FROM totals_until)"
    rounds = f"{place}rounds"
    return (
        f"INSERT INTO bet_totals_folded {_bets(rounds, until)}{_ADD_BETS};"
        f"INSERT INTO win_sizes_folded {_sizes(rounds, until)}{_ADD_SIZES};"
        f"UPDATE totals_until SET round_id = max(round_id, (SELECT coalesce(max(id), 0) FROM {rounds}"
        f" WHERE id > {_newest(rounds, 'id')} - 2 AND state <> 'open'));"
    )


def fold_rows(place: str = "") -> str:
    """Return the statements that add the ledger rows since the last fold to the totals of their days."""
    ledger = f"{place}ledger"
    return (
        f"INSERT INTO day_totals_folded {_days(f'{place}rounds', ledger, '(SELECT seq FROM totals_until)')}{_ADD_DAYS};"
        f"UPDATE totals_until SET seq = {_newest(ledger, 'seq')};"
    )


def _newest(table: str, number: str) -> str:
    return f"(SELECT coalesce(max({number}), 0) FROM {table})"


WRITES = f"""
CREATE TABLE hard_meters_in_batches (
    name TEXT PRIMARY KEY,
    owed INTEGER NOT NULL DEFAULT 0 CHECK (owed >= 0),
    given INTEGER NOT NULL DEFAULT 0 CHECK (given >= 0),
    given_units INTEGER NOT NULL DEFAULT 0 CHECK (given_units >= 0),
    in_flight INTEGER NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
    doubtful INTEGER NOT NULL DEFAULT 0 CHECK (doubtful >= 0),
    batch INTEGER NOT NULL DEFAULT 0 CHECK (batch >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO hard_meters_in_batches (name, owed, given, given_units, in_flight, doubtful)
    SELECT name, owed, given, given_units, in_flight, doubtful FROM hard_meters;
DROP TABLE hard_meters;
ALTER TABLE hard_meters_in_batches RENAME TO hard_meters;

DROP INDEX ledger_kind;
CREATE INDEX ledger_kind ON ledger (kind, seq) WHERE {RARE};

DROP TRIGGER rounds_counted;
DROP TRIGGER ledger_days;
ALTER TABLE bet_totals RENAME TO bet_totals_folded;
ALTER TABLE win_sizes RENAME TO win_sizes_folded;
ALTER TABLE day_totals RENAME TO day_totals_folded;
CREATE TABLE totals_until (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    round_id INTEGER NOT NULL,
    seq INTEGER NOT NULL
) STRICT;
INSERT INTO totals_until SELECT 1, coalesce(max(id), 0), {_newest("ledger", "seq")} FROM rounds WHERE state <> 'open';

CREATE TRIGGER rounds_counted AFTER UPDATE OF state ON rounds
WHEN NEW.state <> 'open' AND NEW.id % {ROUNDS_A_FOLD} = 0
BEGIN {fold_rounds()} END;
CREATE TRIGGER ledger_days AFTER INSERT ON ledger WHEN NEW.seq % {ROWS_A_FOLD} = 0
BEGIN {fold_rows()} END;

CREATE VIEW bet_totals AS SELECT {_BETS}, sum(games) AS games, sum(stakes_cents) AS stakes_cents,
    sum(wins_cents) AS wins_cents
    FROM (SELECT * FROM bet_totals_folded UNION ALL {_bets("rounds", "(SELECT round_id FROM totals_until)")})
    GROUP BY {_BETS};
CREATE VIEW win_sizes AS SELECT size, sum(games) AS games
    FROM (SELECT * FROM win_sizes_folded UNION ALL {_sizes("rounds", "(SELECT round_id FROM totals_until)")})
    GROUP BY size;
CREATE VIEW day_totals AS SELECT day, sum(games) AS games, sum(stakes_cents) AS stakes_cents,
    sum(wins_cents) AS wins_cents, sum(coins_cents) AS coins_cents, sum(notes_cents) AS notes_cents
    FROM (SELECT * FROM day_totals_folded UNION ALL {_days("rounds", "ledger", "(SELECT seq FROM totals_until)")})
    GROUP BY day;
"""
"""`hard_meters.in_flight`: how many pulses of batch number `batch` were announced.

`totals_until`: the newest ended round, and the newest ledger row, in the folded totals.
"""
