"""Copies rows from an archived journal into its successor.

Everything that is owed, all figures and all settings are copied whole. Of the past, the newest part is retained, so
that the recall, the event log and every page show the same as before: the newest rows of each ledger kind, the newest
rounds with all their rows, and what other tables refer to. The successor's chain begins at the archive's last row,
which both have. Older retained rows keep their numbers and hashes and are verified in the archive.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from controller.journal import digests
from controller.journal.archives import NOTED, PAID
from controller.journal.errors import CorruptJournalError
from controller.journal.explained import explained_by_features
from controller.journal.ledger import RARE
from controller.journal.people import EXPLAINED
from controller.journal.recoveries import CODE as RECOVERED
from controller.journal.schema import PAGE_BYTES
from controller.journal.totals_schema import fold_rounds, fold_rows


class Retention(NamedTuple):
    """How much of the past stays in the journal.

    `rounds` is for the recall (L1 requires ten), `events` for the event log, and `of_each` for each ledger kind, event
    code, notes and payouts: as many as a page of the menu shows. Rows with money are searched in at most `stretch`
    ledger rows, because a cabinet may count coins for years without a round.
    """

    rounds: int = 1_000
    events: int = 10_000
    of_each: int = 200
    stretch: int = 50_000


RETENTION = Retention()

GIVEN_BACK_MS: Final = 366 * 86_400_000
"""How long redeemed tickets stay, in ms: they are sent again to a restored venue, whose backups reach back one year."""

WHOLE = frozenset(
    {
        "_sqlite_migrations",
        "archives",
        "bet_totals_folded",
        "cabinet",
        "card_attempts",
        "cards",
        "day_totals_folded",
        "device_state",
        "faults",
        "hard_meters",
        "host_exceptions",
        "host_records",
        "host_redemptions",
        "host_transfers",
        "memories",
        "meters",
        "newest_events",
        "open_items",
        "periods",
        "people",
        "pools",
        "setting_changes",
        "settings",
        "totals_until",
        "venue",
        "venue_claims",
        "venue_events",
        "venue_meters",
        "venue_pools",
        "venue_readings",
        "win_sizes_folded",
    }
)
"""The tables that are copied whole, as is every table that is not named here."""

PARTLY: Mapping[str, str] = {
    "ledger": "seq IN retained_rows",
    "anchors": "seq = (SELECT max(seq) FROM retained_rows)",
    "anchor_signatures": "seq = (SELECT max(seq) FROM retained_rows)",
    "events": "seq IN retained_rows",
    "rounds": "id IN retained_rounds",
    "segments": "round_id IN retained_rounds",
    "contributions": "round_id IN retained_rounds",
    "claims": "round_id IN retained_rounds",
    "venue_shares": "round_id IN retained_rounds",
    "notes": "id IN (SELECT id FROM old.notes ORDER BY id DESC LIMIT :of_each) OR state IN ('stacking', 'credited')"
    " OR id IN (SELECT note FROM old.host_redemptions WHERE state = 'stacking')",
    "payouts": "id IN (SELECT id FROM old.payouts ORDER BY id DESC LIMIT :of_each) OR state IN ('open', 'undecided')",
    "tickets": "id IN (SELECT id FROM old.tickets ORDER BY id DESC LIMIT :of_each)"
    " OR state IN ('printing', 'printed', 'held')"
    " OR id IN (SELECT ticket FROM old.venue_tickets WHERE state <> 'known')",
    "venue_tickets": "state <> 'known' OR ticket IN (SELECT id FROM old.tickets ORDER BY id DESC LIMIT :of_each)"
    " OR ticket IN (SELECT id FROM old.tickets WHERE state IN ('printing', 'printed', 'held'))",
    "venue_ticket_claims": "(sent = 0 OR state IN ('asked', 'held')) OR (epoch, claim) IN"  # noqa: S608 - a constant
    " (SELECT epoch, claim FROM old.venue_ticket_claims ORDER BY epoch DESC, claim DESC LIMIT :of_each)"
    " OR (state IN ('redeemed', 'void') AND at_ms >= (SELECT max(at_ms) FROM old.venue_ticket_claims)"
    f" - {GIVEN_BACK_MS})",
}
"""The tables that are copied in part, with the condition for it."""

SEALS = "ledger_sealed"
"""The trigger that refuses rows after a seal; it would also refuse the successor's first row."""

_ROUND_MONEY = "(credit_delta <> 0 OR round_id IS NOT NULL)"


class Successor:
    """A new journal at `path` with everything that is copied from `old`, open for further rows.

    A context manager: what its body writes is committed together with what was copied. It has no seal yet.
    """

    def __init__(self, old: Path, path: Path, retained: Retention = RETENTION) -> None:
        self._old = old
        self._retention = retained
        self.connection = sqlite3.connect(f"file:{path}", uri=True, isolation_level=None)
        self.left_payouts_cents = self.left_notes_cents = 0

    def __enter__(self) -> Self:
        try:
            self._take()
        except BaseException:
            self.connection.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with closing(self.connection) as connection:
            if kind is None:
                connection.execute(self._schema[SEALS])
                digests.begin(connection)
                connection.execute("COMMIT")
                _prove(connection)

    def _take(self) -> None:
        run = self.connection.execute
        run(f"PRAGMA page_size={PAGE_BYTES}")
        run("PRAGMA synchronous=OFF")  # it is flushed when it is complete
        run("ATTACH ? AS old", (f"file:{self._old}?mode=ro",))
        run("BEGIN IMMEDIATE")
        self._schema = dict(
            run("SELECT name, sql FROM old.sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%'").fetchall()
        )
        tables = [
            name
            for (name,) in run(
                "SELECT name FROM old.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
            )
        ]
        _choose(self.connection, self._retention)
        for table in tables:
            run(self._schema[table])
            where = f" WHERE {PARTLY[table]}" if table in PARTLY else ""
            copy = f"INSERT INTO main.{table} SELECT * FROM old.{table}{where}"  # noqa: S608 - names of the schema
            run(copy, {"of_each": self._retention.of_each} if ":of_each" in where else {})
        for statement in (fold_rounds("old.") + fold_rows("old.")).split(";"):  # the rows they sum up may be left out
            run(statement)
        for name, sql in self._schema.items():
            if name not in tables and name != SEALS:  # triggers last, so that none counts a row twice
                run(sql)
        self.left_payouts_cents, self.left_notes_cents = _left(self.connection)


def _choose(connection: sqlite3.Connection, retained: Retention) -> None:
    """Fill `retained_rounds` and `retained_rows` with the numbers of what is copied."""
    run = connection.execute
    run("CREATE TEMP TABLE retained_rounds (id INTEGER PRIMARY KEY)")
    run("CREATE TEMP TABLE retained_rows (seq INTEGER PRIMARY KEY)")
    run("INSERT INTO retained_rounds SELECT id FROM old.rounds ORDER BY id DESC LIMIT ?", (retained.rounds,))
    run("INSERT OR IGNORE INTO retained_rounds SELECT id FROM old.rounds WHERE state = 'open'")
    newest = "INSERT OR IGNORE INTO retained_rows SELECT seq FROM old.ledger WHERE"
    for (kind,) in _each(connection, "ledger", "kind", RARE):
        most = retained.events if kind == "event" else retained.of_each
        run(f"{newest} kind = ? AND {RARE} ORDER BY seq DESC LIMIT ?", (kind, most))
    run(f"{newest} kind = 'stake' ORDER BY round_id DESC LIMIT ?", (retained.of_each,))
    run(f"{newest} +kind = 'win' ORDER BY seq DESC LIMIT ?", (retained.of_each,))
    for (code,) in _each(connection, "events", "code"):
        run(
            "INSERT OR IGNORE INTO retained_rows SELECT seq FROM old.events WHERE code = ? ORDER BY seq DESC LIMIT ?",
            (code, retained.of_each),
        )
    for table in ("periods", "setting_changes", "archives"):
        run(f"INSERT OR IGNORE INTO retained_rows SELECT seq FROM old.{table}")  # noqa: S608 - our own tables
    run("INSERT OR IGNORE INTO retained_rows SELECT seq + 1 FROM old.archives")  # the event of each archive
    for own in (EXPLAINED, *explained_by_features()):
        if run("SELECT 1 FROM old.sqlite_schema WHERE name = ?", (own.table,)).fetchone():
            run(f"INSERT OR IGNORE INTO retained_rows SELECT max(seq) FROM ({own.events('old')}) GROUP BY explained")  # noqa: S608 - our own
    (last,) = run("SELECT max(seq) FROM old.ledger").fetchone()
    _keep_money(connection, max(_before_oldest(connection, retained.rounds), last - retained.stretch), last)
    recovered = "SELECT data ->> '$.round' FROM old.events JOIN old.ledger USING (seq) WHERE code = ?"
    for (number,) in run(f"{recovered} ORDER BY seq DESC LIMIT ?", (RECOVERED, retained.of_each)).fetchall():
        _keep_round(connection, int(number), last)


def _each(connection: sqlite3.Connection, table: str, column: str, of: str = "true") -> list[tuple[str]]:
    """Return every value of an indexed column within the rows `of` the index, with one index lookup for each."""
    return connection.execute(
        f"WITH RECURSIVE each (it) AS (SELECT min({column}) FROM old.{table} WHERE {of} UNION ALL"  # noqa: S608 - our own names
        f" SELECT (SELECT min({column}) FROM old.{table} WHERE {column} > it AND {of}) FROM each WHERE it IS NOT NULL)"
        " SELECT it FROM each WHERE it IS NOT NULL"
    ).fetchall()


def _before_oldest(connection: sqlite3.Connection, rounds: int) -> int:
    """Return the row of the stake before the oldest retained round, 0 for none; all money after it is retained."""
    row = connection.execute("SELECT id FROM old.rounds ORDER BY id DESC LIMIT 1 OFFSET ?", (rounds,)).fetchone()
    return 0 if row is None else _staked(connection, row[0])


def _staked(connection: sqlite3.Connection, number: int) -> int:
    row = connection.execute("SELECT seq FROM old.ledger WHERE kind = 'stake' AND round_id = ?", (number,)).fetchone()
    return 0 if row is None else int(row[0])


def _keep_money(connection: sqlite3.Connection, first: int, last: int) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO retained_rows SELECT seq FROM old.ledger"  # noqa: S608 - a literal of this module
        f" WHERE seq BETWEEN ? AND ? AND {_ROUND_MONEY}",
        (first, last),
    )


def _keep_round(connection: sqlite3.Connection, number: int, last: int) -> None:
    """Retain an older round that a page shows, with the money since the previous round."""
    added = connection.execute(
        "INSERT OR IGNORE INTO retained_rounds SELECT id FROM old.rounds WHERE id = ?", (number,)
    ).rowcount
    if added > 0:
        began, ended = _staked(connection, number), _staked(connection, number + 1)
        first = 0 if number == 1 else _staked(connection, number - 1) or began
        _keep_money(connection, first, ended or last)


def _left(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return the sums of the payouts and notes that only the archives contain."""
    before = connection.execute(
        "SELECT left_payouts_cents, left_notes_cents FROM main.archives ORDER BY seq DESC LIMIT 1"
    ).fetchone() or (0, 0)
    behind = [
        connection.execute(f"SELECT {PAID.format('old')} - {PAID.format('main')}").fetchone()[0],
        connection.execute(f"SELECT {NOTED.format('old')} - {NOTED.format('main')}").fetchone()[0],
    ]
    return before[0] + behind[0], before[1] + behind[1]


def _prove(connection: sqlite3.Connection) -> None:
    broken = connection.execute("PRAGMA main.foreign_key_check").fetchone()
    if broken is not None:
        raise CorruptJournalError(f"what was to follow the archived journal lacks rows that its {broken[0]} refer to")
