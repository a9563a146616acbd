"""`cabinet init` and `cabinet audit` on journals, from the command line."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.journal import rounds
from controller.journal.store import Store
from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round, stake_of
from gamekit.catalogue import load
from tests.rigs.books import laid
from tests.rigs.paths import SAMPLE
from ui.protocol.values import Bet

GAME = load("neptune")


def cabinet(*arguments: object) -> Result:
    """Run `cabinet` with these arguments."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal with money and five rounds in it."""
    path = tmp_path / "journal.sqlite"
    store = Store(laid(path), lambda: 0, simulated=True)
    store.transact(lambda tx: tx.post("coin", credit=5000, meters={"coins_in": 5000}))
    wager = rounds.Wager(
        game=GAME.name,
        maths_version=GAME.maths_version,
        maths_hash=GAME.maths_hash,
        bet=Bet(lines=15, coins_per_line=1, coin_value_cents=10),
    )
    source = seeded_source(1)
    for number in range(5):
        played = Round(GAME, stake_of(wager), "null")
        segment = played.advance(None, source(number, 0))
        round_id = store.transact(lambda tx: rounds.begin(tx, wager, "null", segment))  # noqa: B023 - called within this pass
        while played.offer is not None:
            segment = played.advance(played.offer.choices[0], source(number, played.segments))
            store.transact(lambda tx: rounds.proceed(tx, round_id, segment))  # noqa: B023 - called within this pass
    store.close()
    return path


def tampered(journal: Path, sql: str) -> None:
    """Change a journal behind the program's back."""
    with closing(sqlite3.connect(journal)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(sql).rowcount > 0


def test_sound_books_are_proved(journal: Path) -> None:
    """An audit of a journal that nobody tampered with exits with 0 and has replayed every round."""
    done = cabinet("audit", journal, "--format", "json")
    proof = json.loads(done.stdout)
    assert (done.exit_code, proof["rounds"], proof["replayed"], proof["failures"]) == (0, 5, 5, [])
    assert "the books are proved" in cabinet("audit", journal).stdout


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE segments SET draws = '[[38,0],[40,0],[38,0],[41,0],[36,0]]' WHERE round_id = 2", "round 2"),
        ("UPDATE segments SET draws = '[[38,0]]' WHERE round_id = 3", "draws below"),
        ("UPDATE rounds SET win_cents = win_cents + 10 WHERE id = 4", "round 4 and its ledger rows disagree"),
        ("UPDATE rounds SET state = 'open' WHERE id = 5", "round 5 is open"),
        ("UPDATE ledger SET data = '{\"a\":1}' WHERE seq = 1", "row 1 does not match its hash"),
        ("UPDATE meters SET value = value + 1 WHERE name = 'games'", "meter games"),
        ("UPDATE hard_meters SET owed = owed + 1 WHERE name = 'coin_in'", "hard meter coin_in"),
        (
            (
                "INSERT INTO payouts (id, kind, amount_cents, paid_cents, state, started_ms, ended_ms)"
                " VALUES (9, 'hand_pay', 100, 100, 'done', 0, 0)"
            ),
            "payouts add up",
        ),
        ("INSERT INTO notes VALUES (9, 500, 'acknowledged', 0, NULL)", "credited notes and tickets add up"),
    ],
)
def test_an_audit_finds_what_was_changed(journal: Path, sql: str, words: str) -> None:
    """Whatever part of the books is changed, the audit names it and exits with 1."""
    tampered(journal, sql)
    done = cabinet("audit", journal)
    assert done.exit_code == 1
    assert words in done.stdout


def test_an_audit_of_something_else_says_so(tmp_path: Path) -> None:
    """A file that is no journal is refused in plain words with exit code 1."""
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir or Madam, " * 100)
    done = cabinet("audit", path)
    assert done.exit_code == 1
    assert "is damaged" in done.output


def test_a_new_cabinet_gets_its_journal_once(tmp_path: Path) -> None:
    """`cabinet init` makes a real cabinet's journal, and never a second one over it."""
    path = tmp_path / "books" / "journal.sqlite"
    config = tmp_path / "cabinet.toml"
    config.write_text(SAMPLE.read_text().replace("/var/lib/cabinet/journal.sqlite", str(path)))
    assert cabinet("init", config).exit_code == 0
    before = path.read_bytes()
    again = cabinet("init", config)
    assert (again.exit_code, "exists already" in again.output) == (1, True)
    assert path.read_bytes() == before
    Store(path, lambda: 0).close()


def test_a_cabinet_that_had_books_is_no_new_one(tmp_path: Path) -> None:
    """Its key is there and the journal is not, as with a disk that is not mounted: only --anew makes another."""
    path = tmp_path / "books" / "journal.sqlite"
    config = tmp_path / "cabinet.toml"
    text = SAMPLE.read_text().replace("/var/lib/cabinet/journal.sqlite", str(path))
    config.write_text(text.replace('\nkey = ""', f'\nkey = "{tmp_path / "cabinet.key"}"'))
    assert cabinet("init", config).exit_code == 0
    key = (tmp_path / "cabinet.key").read_bytes()
    path.rename(tmp_path / "unmounted")
    refused = cabinet("init", config)
    assert (refused.exit_code, "so it has had books" in refused.output, path.exists()) == (1, True, False)
    assert cabinet("init", config, "--anew").exit_code == 0
    assert (tmp_path / "cabinet.key").read_bytes() == key
