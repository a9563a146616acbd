"""The books of a cabinet that is down, proved as far as they are new: chain, equation, meters, replay, hard meters.

What was proved at one cut is not proved again at the next, so that a day of cuts takes minutes; the whole audit
(`cabinet audit`) follows now and then, and at the end.
"""

from collections import Counter
from pathlib import Path

from controller.books.audit import audit
from controller.journal import ledger, rounds
from controller.journal.store import read_only
from controller.journal.transaction import Transaction, hard_figures
from controller.rounds.engine import replay
from gamekit.catalogue import load


class Prover:
    """Proves the journal at `path` from where it proved it last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = self.replayed = 0
        self.whole_audits = 0
        self.meters: dict[str, int] = {}
        self.played: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.bought: Counter[str] = Counter()
        """The rounds that have ended, by game: all, those that asked the player something, those that were bought."""
        self._chain = ledger.from_genesis()
        self._settled = 0
        """The last round before the first that was still open: those up to it need no second look."""

    def prove(self) -> int:
        """Prove what is new and return the credit; raise `JournalError`, `ReplayMismatchError` or `AssertionError`."""
        with read_only(self.path) as connection:
            connection.execute("BEGIN")
            self._chain.follow(connection)
            ledger.agree(connection, self._chain)
            ledger.self_audit(connection)
            self.meters = ledger.meters(connection)
            tx = Transaction(connection, 0)
            self._replay(tx)
            soft = hard_figures(self.meters)
            for name, owed, given in tx.execute("SELECT name, owed, given_units FROM hard_meters").fetchall():
                assert owed + given == soft.get(name, 0), f"hard meter {name}: {owed} + {given}, not {soft.get(name)}"
            self.rows = self._chain.seq
        return self._chain.credit

    def _replay(self, tx: Transaction) -> None:
        sql = "SELECT id FROM rounds WHERE id > ? ORDER BY id"
        open_since = None
        for (number,) in tx.execute(sql, (self._settled,)).fetchall():
            recorded = rounds.recorded_round(tx, number)
            assert recorded.state != "void", f"round {number} was voided"
            played = replay(load(recorded.wager.game), recorded)
            assert played.ended == (recorded.state == "settled"), f"round {number} is {recorded.state}"
            assert sum(one.win_cents for one in recorded.segments) == recorded.win_cents
            self.replayed += 1
            if recorded.state == "open":
                open_since = number
                break
            self._settled = number
            self._count(recorded)
        assert open_since is None or tx.execute("SELECT max(id) FROM rounds").fetchone() == (open_since,)

    def _count(self, ended: rounds.RecordedRound) -> None:
        game = ended.wager.game
        self.played[game] += 1
        self.asked[game] += len(ended.segments) > 1
        self.bought[game] += ended.wager.price > 1

    def prove_whole(self) -> int:
        """Have everything audited from the first row, every round; return the number of rounds."""
        proof = audit(self.path, lambda _what, _done, _total: None)
        assert proof.failures == [], proof.failures
        self.whole_audits += 1
        return proof.rounds
