"""The power-cut campaign: SIGKILL within the n-th system call that writes or syncs, while somebody plays.

`make proofs` runs it; each campaign is a cabinet of its own that lives through all its kills.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from controller.journal.schema import MIGRATIONS
from controller.journal.store import Store
from tests.rigs.real_cabinet import RealCabinet

pytestmark = pytest.mark.proof

# The calls that the journal's writer thread makes (strace -f -y shows them): how often to kill in each, and
# how far apart; every n-th beyond the start-up lies in play.
WRITES = [("pwrite64", range(first, 720, 6)) for first in (1, 3, 5)]
SYNCS = [("fdatasync", range(first, 210, 3)) for first in (1, 2, 3)]


@pytest.mark.parametrize(("call", "numbers"), [*WRITES, *SYNCS])
def test_a_kill_in_any_write_or_sync_loses_nothing(
    tmp_path: Path, call: str, numbers: range, record_property: Callable[[str, object], None]
) -> None:
    """After each kill the books are proved, and at the end every cent that the devices saw is accounted for."""
    with RealCabinet(tmp_path, seed=numbers.start) as cabinet:
        make_journal(cabinet)
        for number in numbers:
            cabinet.life(call, number)
            cabinet.prove()
        proof = cabinet.settle()
        record_property(
            "proof", f"{call}: {cabinet.kills} kills, {proof.rounds} rounds, {proof.ledger_rows} ledger rows"
        )
        assert proof.rounds > 0


@pytest.mark.parametrize("call", ["ftruncate", "unlink"])
def test_a_kill_while_the_file_is_opened_or_closed_loses_nothing(tmp_path: Path, call: str) -> None:
    """The calls that only the beginning and the clean end make are cut too."""
    with RealCabinet(tmp_path, seed=4) as cabinet:
        make_journal(cabinet)
        for number in (1, 2):
            cabinet.life(call, number, stop=True)
            cabinet.prove()
        cabinet.settle()


@pytest.mark.parametrize("call", ["pwrite64", "fdatasync", "ftruncate", "unlink"])
def test_a_kill_while_the_journal_is_made_leaves_one_that_can_be_made(
    tmp_path: Path, call: str, record_property: Callable[[str, object], None]
) -> None:
    """However far the making of a new journal came, the next start makes it whole."""
    for number in range(1, 400):
        path = tmp_path / f"{number}.sqlite"
        kill = f"{call}:signal=SIGKILL:when={number}"
        strace = ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={kill}"]
        make = [sys.executable, "-m", "controller.journal.migrations", str(path), "simulated"]
        ended = subprocess.run([*strace, *make], check=False, input=msgspec.json.encode(MIGRATIONS)).returncode
        store = Store(path, lambda: 0, simulated=True, create=True)
        store.transact(lambda tx: tx.post("coin", credit=100, meters={"coins_in": 100}))
        store.close()
        if ended == 0:
            record_property("proof", f"{call}: {number - 1} kills while a journal was made")
            assert number > 1
            return
        assert ended in (-9, 137)
    pytest.fail("the making of a journal never ended")


def make_journal(cabinet: RealCabinet) -> None:
    """Make the journal in peace: its making has a proof of its own."""
    Store(cabinet.run.journal, lambda: 0, simulated=True, create=True).close()
