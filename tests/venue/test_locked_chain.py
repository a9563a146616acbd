"""Books that were altered on the card, in real processes: the cabinet locks, and its venue alarms and says why."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from controller.features.venue.postgres import Credentials
from tests.rigs.books import put_back, whole
from tests.rigs.linked_processes import configure, running
from tests.rigs.patience import until
from tests.rigs.real_cabinet import RealCabinet
from tests.rigs.venue_machine import VenueMachine

pytestmark = pytest.mark.processes

NO_KEY = "0" * 64
"""The identity of a demo's cabinet."""
STATUS = "SELECT status ->> 'state', status #>> '{books,whole}' FROM venue.status"
ALARMS = (
    "SELECT code, severity, detail ->> 'reason' FROM venue.alarm"
    " WHERE over_at IS NULL AND code IN ('books_differ', 'locked')"
)


def test_an_altered_journal_alarms_at_the_venue(tmp_path: Path) -> None:
    """The supervisor that finds it begins no session; the venue hears all the same, until the books are back."""
    with VenueMachine() as venue, RealCabinet(tmp_path / "cab", seed=5) as cabinet:
        configure(cabinet.run, venue.server.port)
        venue.init()
        venue.restart()
        link = tmp_path / "link"
        enrolled(venue, link)

        def ask(sql: str) -> list[tuple[object, ...]]:
            with venue.admin() as admin:
                admin.execute("SELECT venue.watch()")
                return admin.execute(sql).fetchall()

        with running(cabinet, link):
            until(lambda: ask(STATUS) == [("attract", "true")])
        kept = whole(cabinet.run.journal)
        altered(cabinet.run.journal)
        with running(cabinet, link):
            until(lambda: ask(STATUS) == [("locked", "false")])
            ((code, severity, reason),) = ask(ALARMS)
            assert (code, severity) == ("books_differ", "critical")
            assert reason
        put_back(kept)
        with running(cabinet, link):
            until(lambda: ask(STATUS) == [("attract", "true")])
            assert ask(ALARMS) == []


def enrolled(venue: VenueMachine, folder: Path) -> None:
    """Enrol the cabinet, and keep its credentials where its link's process looks for them."""
    role, password = venue.enrol(NO_KEY)
    authority = (venue.keys / "authority.pem").read_text()
    folder.mkdir()
    (folder / "authority.pem").write_text(authority)
    (folder / "credentials.json").write_bytes(msgspec.json.encode(Credentials(1, role, password, authority)))


def altered(journal: Path) -> None:
    """Change a row of the ledger behind the program's back."""
    with closing(sqlite3.connect(journal)) as connection, connection:
        connection.execute("DROP TRIGGER ledger_no_update")
        connection.execute("UPDATE ledger SET meters = '{' WHERE seq = 2")
