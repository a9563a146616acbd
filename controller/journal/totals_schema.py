# ruff: noqa: S608 - names of columns, tables and kinds, all literals of this module
"""Totals by bet, win size and day, maintained by triggers, so that the menu need not read every round (M5, M.6).

At intervals, a fold adds the newest rounds and ledger rows to the totals, so that a round writes less; views add the
rounds and rows since the last fold.
"""

WIN_SIZES = (0, 1, 2, 5, 10, 20, 50, 100)
"""A win's size is the first of these multiples of the stake that it does not exceed, or `BEYOND` above the last."""
BEYOND = 1_000_000

_DAY_KINDS = "{}kind IN ('stake', 'win', 'void', 'coin', 'note')"


def _size_of(row: str) -> str:
    """Return the SQL expression for the size of a round's win, with `row` (`NEW.`) before each column."""
    cases = " ".join(f"WHEN {row}win_cents <= {most} * {row}stake_cents THEN {most}" for most in WIN_SIZES)
    return f"CASE {cases} ELSE {BEYOND} END"


def _day_of(row: str, rounds: str) -> str:
    """Return the query for what a ledger row adds to its day by the cabinet's clock; void rounds subtract.

    The row's meters contain the same amounts, but a trigger may not call `json_extract` (`trusted_schema`).
    """
    delta, kind = f"{row}credit_delta", f"{row}kind"
    of_round = f"FROM {rounds} WHERE id = {row}round_id AND {kind} = 'void'"
    return (
        f"SELECT date({row}at_ms / 1000, 'unixepoch', 'localtime') AS day,"
        f" ({kind} = 'stake') - ({kind} = 'void') AS games,"
        f" iif({kind} = 'stake', -{delta}, -coalesce((SELECT stake_cents {of_round}), 0)) AS stakes,"
        f" iif({kind} = 'win', {delta}, -coalesce((SELECT win_cents {of_round}), 0)) AS wins,"
        f" iif({kind} = 'coin', {delta}, 0) AS coins, iif({kind} = 'note', {delta}, 0) AS notes"
    )


ROUNDS_A_FOLD, ROWS_A_FOLD = 64, 128
"""The number of rounds and of ledger rows that one fold adds to the totals."""

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
        f"SELECT {_size_of('')} AS size, count(*) AS games FROM {rounds}"
        f" WHERE state = 'settled' AND id > {until} GROUP BY 1"
    )


def _days(rounds: str, ledger: str, until: str) -> str:
    return (
        "SELECT day, sum(games) AS games, sum(stakes) AS stakes_cents, sum(wins) AS wins_cents,"
        f" sum(coins) AS coins_cents, sum(notes) AS notes_cents FROM ({_day_of('row.', rounds)} FROM {ledger} AS row"
        f" WHERE row.seq > {until} AND {_DAY_KINDS.format('row.')}) WHERE true GROUP BY day"
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


TOTALS = f"""
CREATE TABLE bet_totals_folded (
    game TEXT NOT NULL,
    maths_version INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    coins_per_line INTEGER NOT NULL,
    coin_value_cents INTEGER NOT NULL,
    price INTEGER NOT NULL,
    games INTEGER NOT NULL,
    stakes_cents INTEGER NOT NULL,
    wins_cents INTEGER NOT NULL,
    PRIMARY KEY (game, maths_version, lines, coins_per_line, coin_value_cents, price)
) STRICT, WITHOUT ROWID;
CREATE TABLE win_sizes_folded (
    size INTEGER PRIMARY KEY,
    games INTEGER NOT NULL
) STRICT;
CREATE TABLE day_totals_folded (
    day TEXT PRIMARY KEY,
    games INTEGER NOT NULL DEFAULT 0,
    stakes_cents INTEGER NOT NULL DEFAULT 0,
    wins_cents INTEGER NOT NULL DEFAULT 0,
    coins_cents INTEGER NOT NULL DEFAULT 0,
    notes_cents INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE totals_until (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    round_id INTEGER NOT NULL,
    seq INTEGER NOT NULL
) STRICT;
INSERT INTO totals_until VALUES (1, 0, 0);

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
"""`totals_until`: the newest ended round and the newest ledger row that the folded totals include."""
