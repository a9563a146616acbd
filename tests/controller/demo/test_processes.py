import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.demo.processes import PAUSES_S, STEADY_S, GivenUpError, SupervisedProcess, end, spawn, tail
from tests.rigs.fake_process import FakeProcess


class Spawner:
    """Remembers what was started."""

    def __init__(self) -> None:
        self.processes: list[FakeProcess] = []

    def __call__(self, command: Sequence[str], log: Path) -> FakeProcess:
        """Start a fake."""
        del command, log
        self.processes.append(FakeProcess())
        return self.processes[-1]


def supervised(tmp_path: Path, spawner: Spawner) -> SupervisedProcess:
    return SupervisedProcess("display", ["display"], tmp_path / "display.log", spawner)


def test_a_process_that_dies_is_started_again_at_once(tmp_path: Path) -> None:
    """After a good life the restart does not wait, so that a killed display is back within half a second."""
    spawner = Spawner()
    process = supervised(tmp_path, spawner)
    process.look(1.0)
    assert process.running
    spawner.processes[0].code = -signal.SIGKILL
    process.look(1.0 + STEADY_S)
    assert len(spawner.processes) == 2
    assert process.running


def test_a_process_that_dies_young_waits_longer_each_time_and_is_given_up(tmp_path: Path) -> None:
    """A process that cannot run is retried with growing pauses, then reported with the end of its log."""
    (tmp_path / "display.log").write_text("first\nno such art\n", encoding="utf-8")
    spawner = Spawner()
    process = supervised(tmp_path, spawner)
    now = 10.0
    for pause in PAUSES_S[1:]:
        process.look(now)
        spawner.processes[-1].code = 1
        process.look(now + 0.01)
        assert not process.running
        process.look(now + pause)
        assert not process.running
        now += 0.02 + pause
    process.look(now)
    spawner.processes[-1].code = 1
    with pytest.raises(GivenUpError, match=r"display ended 5 times, last with 1; the end of .*\n.*\n +no such art$"):
        process.look(now)
    assert len(spawner.processes) == len(PAUSES_S)


def test_a_long_life_begins_a_new_count(tmp_path: Path) -> None:
    """Deaths that are far apart never add up to giving up."""
    spawner = Spawner()
    process = supervised(tmp_path, spawner)
    now = 0.0
    for _ in range(3 * len(PAUSES_S)):
        process.look(now)
        now += STEADY_S
        spawner.processes[-1].code = 1
    process.look(now)
    assert len(spawner.processes) == 3 * len(PAUSES_S) + 1


def test_a_killed_process_stays_down_until_it_is_due(tmp_path: Path) -> None:
    """A crash button or a mains switch keeps it dead for as long as it says."""
    spawner = Spawner()
    process = supervised(tmp_path, spawner)
    process.look(1.0)
    process.kill()
    assert spawner.processes[0].signals == ["kill"]
    process.look(100.0)
    assert not process.running
    process.start_at(102.0)
    process.look(101.9)
    assert not process.running
    process.look(102.0)
    assert process.running


def test_an_end_is_asked_for_and_then_insisted_on() -> None:
    """SIGTERM first; SIGKILL for who does not listen; nothing for who has ended."""
    polite, stubborn, gone = FakeProcess(), FakeProcess(), FakeProcess()
    stubborn.terminate = lambda: stubborn.signals.append("terminate")  # type: ignore[method-assign]
    gone.code = 3
    assert [end(process) for process in (polite, stubborn, gone)] == [0, -signal.SIGKILL, 3]
    assert [process.signals for process in (polite, stubborn, gone)] == [["terminate"], ["terminate", "kill"], []]


def test_the_tail_of_a_log_that_was_never_written(tmp_path: Path) -> None:
    """An error message about a missing log says so, and does not fail itself."""
    assert tail(tmp_path / "display.log") == f"{tmp_path / 'display.log'} was never written"


@pytest.mark.processes
def test_no_process_outlives_its_launcher(tmp_path: Path) -> None:
    """When the launcher is killed with SIGKILL, what it started dies with it; its output is in the log."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom controller.demo.processes import spawn\n"
        "child = spawn([sys.executable, '-c', 'print(1, flush=True); import time; time.sleep(600)'],"
        " Path(sys.argv[1]))\n"
        "print(child.pid, flush=True)\nsys.stdin.read()\n"
    )
    log = tmp_path / "child.log"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(log)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as launcher:
        assert launcher.stdout is not None
        child = os.pidfd_open(int(launcher.stdout.readline()))
        launcher.kill()
    readable, _, _ = select.select([child], [], [], 10)
    os.close(child)
    assert readable, "the child outlived its launcher by ten seconds"


@pytest.mark.processes
def test_spawned_output_is_appended_to_the_log(tmp_path: Path) -> None:
    """Both streams of both lives are there to be read after the second death."""
    log = tmp_path / "log"
    for word in ("one", "two"):
        code = f"import sys; print('{word}', flush=True); print('{word}!', file=sys.stderr)"
        assert spawn([sys.executable, "-c", code], log).wait(10) == 0
    assert log.read_text(encoding="utf-8").split() == ["one", "one!", "two", "two!"]
