import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from controller.features.demo.processes import (
    PAUSES_S,
    STEADY_S,
    GivenUpError,
    ReadySocket,
    SupervisedProcess,
    end,
    spawn,
    tail,
)
from controller.system.notify import Notifier
from tests.rigs.fake_process import FakeProcess, FakeReadiness


class Kept:
    """A process that is kept running, made of fakes."""

    def __init__(self, folder: Path) -> None:
        self.processes: list[FakeProcess] = []
        self.readiness = FakeReadiness()
        self.reported: list[str] = []
        self.variables: Mapping[str, str] = {}
        self.log = folder / "display.log"
        self.process = SupervisedProcess(
            "display",
            ["display"],
            self.log,
            spawn=self._spawn,
            readiness=self.readiness,
            report=self.reported.append,
        )

    def _spawn(self, command: Sequence[str], log: Path, variables: Mapping[str, str]) -> FakeProcess:
        del command, log
        self.variables = variables
        self.processes.append(FakeProcess())
        return self.processes[-1]

    def look(self, now: float, *, ready: bool = False, code: int | None = None) -> None:
        """Look, after the process has reported that it is `ready` or ended with `code`."""
        self.readiness.reported = ready
        if code is not None:
            self.processes[-1].code = code
        self.process.look(now)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_a_process_that_dies_is_started_again_at_once(kept: Kept) -> None:
    """After a good life the restart does not wait, so that a killed display is back within half a second."""
    kept.look(1.0)
    assert kept.process.running
    kept.look(2.0, ready=True)
    kept.look(2.0 + STEADY_S, code=-signal.SIGKILL)
    assert len(kept.processes) == 2
    assert kept.process.running


def test_each_end_is_reported_with_the_last_line(kept: Kept) -> None:
    """Whoever watches a demo sees why something is started again, without looking for its log."""
    kept.look(1.0)
    kept.log.write_text("starting\njournal is held by another supervisor: stop it first\n\n", "utf-8")
    kept.look(2.0, code=1)
    words = "journal is held by another supervisor: stop it first"
    assert kept.reported == [f"display ended with 1 and is started again: {words}"]


def test_a_process_that_dies_early_waits_longer_each_time_and_is_given_up(kept: Kept) -> None:
    """A process that cannot run is retried with growing pauses, then reported with the end of its log."""
    kept.log.write_text("first\nno such art\n", encoding="utf-8")
    now = 10.0
    for pause in PAUSES_S[1:]:
        kept.look(now)
        kept.look(now + 0.01, code=1)
        assert not kept.process.running
        kept.look(now + pause)
        assert not kept.process.running
        now += 0.02 + pause
    kept.look(now)
    with pytest.raises(GivenUpError, match=r"display ended 5 times, last with 1; the end of .*\n.*\n +no such art$"):
        kept.look(now, code=1)
    assert len(kept.processes) == len(PAUSES_S)


@pytest.mark.parametrize("ready_at", [None, 90.0])
def test_who_dies_before_it_is_ready_or_soon_after_has_died_early(kept: Kept, ready_at: float | None) -> None:
    """However long it lived until then: on a busy machine a start that fails takes minutes, and is given up too."""
    now = 0.0
    for number in range(1, len(PAUSES_S)):
        kept.look(now)
        if ready_at is not None:
            kept.look(now + ready_at, ready=True)
        kept.look(now + 91.0, code=1)
        now += 91.0 + PAUSES_S[number]
    kept.look(now)
    with pytest.raises(GivenUpError, match="display ended 5 times"):
        kept.look(now + 91.0, code=1)


def test_a_long_life_begins_a_new_count(kept: Kept) -> None:
    """Deaths that are far apart never add up to giving up."""
    now = 0.0
    kept.look(now)
    for _ in range(3 * len(PAUSES_S)):
        kept.look(now, ready=True)
        now += STEADY_S
        kept.look(now, code=1)
    assert len(kept.processes) == 3 * len(PAUSES_S) + 1


def test_what_was_reported_before_a_start_says_nothing_of_it(kept: Kept) -> None:
    """The last word of a process that has ended is not its successor's."""
    kept.look(0.0)
    for number in range(1, len(PAUSES_S)):
        kept.look(100.0 * number, ready=True, code=1)
        kept.look(100.0 * number + PAUSES_S[-1])
    with pytest.raises(GivenUpError, match="display ended 5 times"):
        kept.look(1000.0, code=1)


def test_readiness_is_heard_as_systemd_hears_it() -> None:
    """A process finds the socket in NOTIFY_SOCKET; other words do not make it ready, and it is heard once."""
    readiness = ReadySocket()
    notifier = Notifier(readiness.address)
    assert notifier.status("starting")
    assert not readiness.is_reported()
    assert notifier.ready()
    assert [readiness.is_reported(), readiness.is_reported()] == [True, False]
    readiness.close()
    assert not notifier.ready()


def test_a_process_is_told_where_to_report(kept: Kept) -> None:
    """In its environment."""
    kept.look(0.0)
    assert kept.variables == {"NOTIFY_SOCKET": kept.readiness.address}


def test_a_killed_process_stays_down_until_it_is_due(kept: Kept) -> None:
    """A crash button or a mains switch keeps it dead for as long as it says."""
    process = kept.process
    process.look(1.0)
    process.kill()
    assert kept.processes[0].signals == ["kill"]
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
        "import sys\nfrom pathlib import Path\nfrom controller.features.demo.processes import spawn\n"
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
