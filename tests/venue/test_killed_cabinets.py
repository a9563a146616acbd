"""Cabinets with real books are killed again and again, and so is the server: in the end both sides have the same."""

import itertools
import random
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.rigs.killed_cabinets import MONEY_CENTS, Swarm
from tests.rigs.postgres import PostgresServer
from tests.rigs.venue_tally import differences

CRASHING = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "on"}
"""A server whose processes are killed, and whose machine is not: what is committed is with the kernel."""
CUT_ALL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'cab%'"
CUT_ONE = f"{CUT_ALL} ORDER BY random() LIMIT 1"


class Chaos:
    """What happens to the server while cabinets play, and how often: `happened` counts.

    It is stopped at once and killed in turn; one of its processes is ended, and every tenth time all of cabinets.
    """

    def __init__(self, server: PostgresServer, down_every_s: float, cut_every_s: float, most_downs: int) -> None:
        self.happened = dict.fromkeys(("stops", "server kills", "cuts"), 0)
        self._server = server
        self._chance = random.Random(7)
        self._every_s = down_every_s, cut_every_s
        self._most_downs = most_downs
        self._downs = itertools.cycle((("stops", lambda: server.stop("immediate")), ("server kills", server.kill)))
        self._due = [time.monotonic() + every for every in self._every_s]

    @property
    def is_enough(self) -> bool:
        """Whether each has happened, as far as it may."""
        return self._count() >= min(self._most_downs, 2) and self.happened["cuts"] > 0

    def _count(self) -> int:
        return self.happened["stops"] + self.happened["server kills"]

    def step(self) -> None:
        """Do what is due."""
        now = time.monotonic()
        if now >= self._due[0] and self._count() < self._most_downs:
            name, down = next(self._downs)
            down()
            time.sleep(self._chance.uniform(0.2, 2))
            self._server.start()
            self.happened[name] += 1
            self._due[0] = time.monotonic() + self._every_s[0]
        elif now >= self._due[1]:
            with psycopg.connect(self._server.dsn(), autocommit=True) as admin:
                admin.execute(CUT_ALL if self.happened["cuts"] % 10 == 9 else CUT_ONE)
            self.happened["cuts"] += 1
            self._due[1] = time.monotonic() + self._every_s[1]


def chaotic(
    folder: Path,
    cabinets: int,
    rounds: int,
    every_s: tuple[float, float, float],
    *,
    stall_s: float,
    most: tuple[int, int] = (sys.maxsize, sys.maxsize),
    spoil: Callable[[Path], None] = lambda _folder: None,
) -> tuple[list[str], dict[str, int]]:
    """Play so many rounds in chaos, drain, spoil the first cabinet's books; return all differences, and what happened.

    A cabinet is killed, the server stopped, and one of its processes ended `every_s`; the first two happen at `most`
    so often, since on a machine that is too slow for the rest of a cabinet's life nothing would ever be played.
    Fails after `stall_s` in which nobody has played a round.
    """
    with closing(PostgresServer(CRASHING)) as server:
        server.start()
        database = server.new_database()
        with closing(Swarm(database, folder, cabinets, rounds, every_s[0], most_kills=most[0])) as swarm:
            chaos = Chaos(server, *every_s[1:], most[1])
            swarm.start()
            played, end = 0, time.monotonic() + stall_s
            while not (swarm.has_played and swarm.kills and swarm.lost_answers and chaos.is_enough):
                if swarm.rounds > played:
                    played, end = swarm.rounds, time.monotonic() + stall_s
                assert time.monotonic() < end, f"{played} rounds, {swarm.kills} kills, {chaos.happened}"
                assert swarm.failures == []
                chaos.step()
                time.sleep(0.2)
            swarm.drain()
            happened = {
                "rounds": swarm.rounds,
                "cabinet kills": swarm.kills,
                **chaos.happened,
                "lost answers": swarm.lost_answers,
            }
            spoil(swarm.folders[0])
            with database.connect() as venue:
                (claims,) = venue.execute("SELECT count(*) FROM venue.claim").fetchone() or (0,)
                return differences(swarm.folders, venue, money_cents=MONEY_CENTS), {**happened, "claims": claims}


@pytest.mark.processes
def test_three_cabinets(tmp_path: Path) -> None:
    """Some sixty rounds, kills of each kind: meters, ledger rows, claims and money are the same on both sides."""
    found, happened = chaotic(tmp_path, 3, 60, (0.5, 1.2, 0.6), stall_s=120, most=(6, 2))
    assert found == []
    assert all(count for name, count in happened.items() if name != "claims"), happened


@pytest.mark.processes
def test_the_tally_is_not_blind(tmp_path: Path) -> None:
    """A meter that is higher in the books, a share that is missing, an award that nobody gave, another epoch: found."""
    found, _ = chaotic(tmp_path, 1, 60, (2.0, 4.0, 1.5), stall_s=120, most=(3, 1), spoil=_spoil)
    assert {words.split(": ")[1] for words in found} >= {
        "meters",
        "shares of the rounds and meters",
        "rounds and shares",
        "claims",
        "awards and credits",
        "epochs",
    }


def _spoil(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as books, books:
        books.execute("UPDATE venue_meters SET cum = cum + 5")
        books.execute("UPDATE venue SET epoch = 2")
        books.execute("DELETE FROM venue_shares WHERE round_id = 1")
        books.execute(
            "INSERT INTO venue_claims (epoch, round_id, number, pool, unit_cents, state, asked_ms, award, hit, seed)"
            " SELECT epoch, 1, 9, pool, 20, 'answered', 0, 1000, 1, 1000 FROM venue_meters"
        )


@pytest.mark.proof
@pytest.mark.timeout(6 * 3600)
def test_sixteen_cabinets_and_100_000_rounds(tmp_path: Path) -> None:
    """The same of 16 cabinets, of which one is killed every 0.35 s, for at least 100,000 rounds."""
    found, happened = chaotic(tmp_path, 16, 100_000, (0.35, 20.0, 3.0), stall_s=900)
    sys.stdout.write(f"{happened}\n")
    assert found == []
    assert happened["rounds"] >= 100_000
