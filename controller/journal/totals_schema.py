"""Totals by bet, by a win's size and by day, maintained by triggers (M5, M.6).

The menu reads them instead of every round. With them come indexes for a round's money and the events of a code.
"""

WIN_SIZES = (0, 1, 2, 5, 10, 20, 50, 100)
"""A win's size is the first of these multiples of its stake that it does not exceed; `BEYOND` above the last."""
BEYOND = 1_000_000

DAY_KINDS = "{}kind IN ('stake', 'win', 'void', 'coin', 'note')"


def size_of(row: str) -> str:
    """Return the SQL expression for the size of a round's win, with `row` (`NEW.`) before each column."""
    cases = " ".join(f"WHEN {row}win_cents <= {most} * {row}stake_cents THEN {most}" for most in WIN_SIZES)
    return f"CASE {cases} ELSE {BEYOND} END"


def day_of(row: str, rounds: str = "rounds") -> str:
    """Return the query for what one ledger row adds to its day by the cabinet's clock; void rounds subtract.

    Its meters say the same, but a trigger may not call `json_extract` (`trusted_schema`).
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


TOTALS = f"""
CREATE INDEX ledger_stake ON ledger (round_id) WHERE kind = 'stake';
CREATE INDEX events_code ON events (code);

CREATE TABLE bet_totals (
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
CREATE TABLE win_sizes (
    size INTEGER PRIMARY KEY,
    games INTEGER NOT NULL
) STRICT;
CREATE TABLE day_totals (
    day TEXT PRIMARY KEY,
    games INTEGER NOT NULL DEFAULT 0,
    stakes_cents INTEGER NOT NULL DEFAULT 0,
    wins_cents INTEGER NOT NULL DEFAULT 0,
    coins_cents INTEGER NOT NULL DEFAULT 0,
    notes_cents INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TRIGGER rounds_counted AFTER UPDATE OF state ON rounds WHEN NEW.state = 'settled'
BEGIN
    INSERT INTO bet_totals VALUES (
        NEW.game, NEW.maths_version, NEW.lines, NEW.coins_per_line, NEW.coin_value_cents, NEW.price,
        1, NEW.stake_cents, NEW.win_cents
    ) ON CONFLICT DO UPDATE SET games = games + 1, stakes_cents = stakes_cents + excluded.stakes_cents,
        wins_cents = wins_cents + excluded.wins_cents;
    INSERT INTO win_sizes VALUES ({size_of("NEW.")}, 1) ON CONFLICT DO UPDATE SET games = games + 1;
END;
CREATE TRIGGER ledger_days AFTER INSERT ON ledger WHEN {DAY_KINDS.format("NEW.")}
BEGIN
    INSERT INTO day_totals {day_of("NEW.")} ON CONFLICT DO UPDATE SET games = games + excluded.games,
        stakes_cents = stakes_cents + excluded.stakes_cents, wins_cents = wins_cents + excluded.wins_cents,
        coins_cents = coins_cents + excluded.coins_cents, notes_cents = notes_cents + excluded.notes_cents;
END;

INSERT INTO bet_totals
    SELECT game, maths_version, lines, coins_per_line, coin_value_cents, price, count(*), sum(stake_cents),
        sum(win_cents) FROM rounds WHERE state = 'settled' GROUP BY 1, 2, 3, 4, 5, 6;
INSERT INTO win_sizes SELECT {size_of("")}, count(*) FROM rounds WHERE state = 'settled' GROUP BY 1;
INSERT INTO day_totals
    SELECT day, sum(games), sum(stakes), sum(wins), sum(coins), sum(notes) FROM (
        {day_of("ledger.")} FROM ledger WHERE {DAY_KINDS.format("")}
    ) GROUP BY day;
"""  # noqa: S608 - names of columns and kinds, all literals of this module
