"""The soak's proof of the books: what is new is proved, each time, and what is wrong is found."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.errors import CorruptJournalError
from tests.proofs import power_scenarios
from tests.soak.proof import Prover


@pytest.fixture
def played(tmp_path: Path) -> power_scenarios.Cabinet:
    """Books with money and six rounds in them."""
    cabinet = power_scenarios.Cabinet(tmp_path)
    power_scenarios.prepared(cabinet)
    power_scenarios.spin(cabinet, lambda _store: None)
    return cabinet


def credit_of(journal: Path) -> int:
    """The credit in the file."""
    with closing(sqlite3.connect(journal)) as connection:
        (cents,) = connection.execute("SELECT credit_cents FROM cabinet").fetchone()
    return int(cents)


def test_each_round_is_replayed_once(played: power_scenarios.Cabinet) -> None:
    """The second proof goes on where the first one ended; the whole audit sees them all."""
    prover = Prover(played.journal)
    assert prover.prove() == credit_of(played.journal)
    assert prover.replayed == 6
    power_scenarios.spin(played, lambda _store: None)
    assert prover.prove() == credit_of(played.journal)
    assert (prover.replayed, prover.prove_whole()) == (12, 12)


@pytest.mark.parametrize(
    "act",
    [
        "UPDATE meters SET value = value + 1 WHERE name = 'coins_in'",
        "UPDATE cabinet SET credit_cents = credit_cents + 1",
        "UPDATE hard_meters SET owed = owed + 1 WHERE name = 'coin_in'",
    ],
)
def test_a_cent_that_was_moved_is_found(played: power_scenarios.Cabinet, act: str) -> None:
    """A meter, the credit, what a hard meter is owed: each is held against what explains it."""
    with closing(sqlite3.connect(played.journal, isolation_level=None)) as connection:
        connection.execute(act)
    with pytest.raises((CorruptJournalError, AssertionError)):
        Prover(played.journal).prove()
