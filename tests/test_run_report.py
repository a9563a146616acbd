"""A run of the tests is never silent while its workers collect, and says at its end what it skipped."""

import io
import time

import pytest

from tests.rigs.run_report import RunReport

PATIENCE_S = 60.0


@pytest.fixture
def said() -> io.StringIO:
    """What the run's terminal shows."""
    return io.StringIO()


@pytest.fixture
def terminal(pytestconfig: pytest.Config, said: io.StringIO) -> pytest.TerminalReporter:
    """The run's terminal."""
    return pytest.TerminalReporter(pytestconfig, file=said)


def test_workers_that_collect_are_mentioned_until_all_are_ready(
    terminal: pytest.TerminalReporter, said: io.StringIO
) -> None:
    """At once, again and again with the time that has passed, and at the end with the number of tests."""
    report = RunReport(terminal, look_s=0.01)
    report.pytest_xdist_setupnodes([object(), object()])
    assert said.getvalue().startswith("2 workers import and collect the tests")
    report.pytest_xdist_node_collection_finished(["one", "two"])
    ends_s = time.monotonic() + PATIENCE_S
    while "1 of 2 workers are ready" not in said.getvalue():
        assert time.monotonic() < ends_s
        time.sleep(0.01)
    assert "collected" not in said.getvalue()
    report.pytest_xdist_node_collection_finished(["one", "two"])
    assert "2 tests collected" in said.getvalue()


def test_skipped_tests_are_listed_with_their_reason(terminal: pytest.TerminalReporter, said: io.StringIO) -> None:
    """Those of one file with the same reason are one line with their number."""
    for name in ("one", "two"):
        skipped = ("tests/test_sums.py", 3, "Skipped: no PostgreSQL: apt-get install postgresql")
        where = f"tests/test_sums.py::{name}"
        terminal.stats.setdefault("skipped", []).append(
            pytest.TestReport(where, ("tests/test_sums.py", 3, name), {}, "skipped", skipped, "setup")
        )
    RunReport(terminal).pytest_terminal_summary()
    assert "2 tests were skipped" in said.getvalue()
    assert "   2 tests/test_sums.py: no PostgreSQL: apt-get install postgresql" in said.getvalue()
