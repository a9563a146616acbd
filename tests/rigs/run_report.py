"""What a run of the tests says beside pytest: that workers collect, and which tests were skipped and why."""

import threading
import time
from collections import Counter
from collections.abc import Sequence

import pytest

LOOK_S = 20.0
"""How often a run says that its workers still collect."""


class RunReport:
    """A plugin of the process that distributes the tests; `out` is its terminal, `look_s` how often it speaks."""

    def __init__(self, out: pytest.TerminalReporter, look_s: float = LOOK_S) -> None:
        self._out = out
        self._look_s = look_s
        self._workers = 0
        self._ready = 0
        self._collected = threading.Event()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: Sequence[object]) -> None:
        """Say that the workers begin, and again and again until all have collected."""
        self._workers = len(specs)
        self._out.write_line(
            f"{self._workers} workers import and collect the tests: a minute on two cores, longer on a busy machine"
        )
        threading.Thread(target=self._wait, args=(time.monotonic(),), daemon=True).start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Say how many tests there are once the last worker knows them."""
        self._ready += 1
        if self._ready == self._workers:
            self._collected.set()
            self._out.write_line(f"{len(ids):,} tests collected")

    def pytest_sessionfinish(self) -> None:
        """End the waiting of a run that ends before its tests were collected."""
        self._collected.set()

    def _wait(self, began_s: float) -> None:
        while not self._collected.wait(self._look_s):
            waited_s = time.monotonic() - began_s
            self._out.write_line(f"collecting for {waited_s:.0f} s, {self._ready} of {self._workers} workers are ready")

    def pytest_terminal_summary(self) -> None:
        """List what was skipped: how many tests, where, why, and how to have them run (tests/rigs/needing.py)."""
        skipped = Counter(
            (report.nodeid.partition("::")[0], str(report.longrepr[2]).removeprefix("Skipped: "))
            for report in self._out.getreports("skipped")
            if isinstance(report.longrepr, tuple)
        )
        if skipped:
            self._out.section(f"{sum(skipped.values())} tests were skipped: where, why, and how to have them run")
            for (place, why), count in sorted(skipped.items()):
                self._out.write_line(f"{count:4} {place}: {why}")
