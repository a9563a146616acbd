"""`cabinet service` on a supervisor in a process of its own: no key, a key, and a restart in order from the menu."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from controller.system.host import EXIT_RESTART
from tests.rigs.hall import Hall
from tests.rigs.patience import PATIENCE_S
from tests.rigs.people import NAME, PIN


def console(hall: Hall, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """What `cabinet service` says to that."""
    command = [sys.executable, "-m", "controller", "service", "--config", str(hall.run.configuration), *arguments]
    return subprocess.run(command, input=typed, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


@pytest.mark.processes
def test_a_technician_reads_a_page_and_starts_the_program_again(tmp_path: Path) -> None:
    """Without supervisor 3, without key 5, with it the page; U.10 ends the supervisor in order with its own code."""
    hall = Hall(tmp_path)
    with hall.devices():
        assert console(hall, "M.1").returncode == 3
        with hall.supervisor() as supervisor:
            assert console(hall, "M.1").returncode == 5
            hall.hand.do("key technician on")
            hall.sees(lambda front: front.lamps["collect"] and not front.lamps["service"])
            answer = console(hall, "M.1", "--json", typed=f"{NAME}\n{PIN}\n{PIN}\n")
            assert answer.returncode == 0, answer.stderr
            assert json.loads(answer.stdout)["code"] == "M.1"
            answer = console(hall, typed="U.10\n1\ny\ny\n")
            assert supervisor.wait(PATIENCE_S) == EXIT_RESTART, answer.stdout
            assert answer.returncode in (0, 7)
    ended = hall.books.rows("SELECT code FROM events ORDER BY seq DESC LIMIT 40")
    codes = [str(code) for (code,) in ended]
    assert codes.index("stopped") < codes.index("departure")
    assert "person_added" in codes
    assert not Path(hall.run.path, "console.sock").exists()
