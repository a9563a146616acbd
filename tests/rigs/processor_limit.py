"""`--processor-limit SECONDS`: ends a test that has used so much processor time, and names it.

Wall time says on a busy machine how busy it is: at a load of 40 on two cores a test has a twentieth of a core. So what
never ends is found by what it uses itself, whatever runs beside it; what waits for ever uses nothing, and is left to
pytest-timeout's `--timeout`, an hour, in which a test has three minutes of processor time even there.
"""

import signal
from collections.abc import Iterator
from types import FrameType

import pytest


class ProcessorLimit:
    """A plugin that fails the test which this process has spent more than `limit_s` seconds of processor time on."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """Count what the test uses; a test that catches its end is ended again, each time sooner."""
        before = signal.signal(signal.SIGPROF, self._end)
        signal.setitimer(signal.ITIMER_PROF, self._limit_s, self._limit_s / 10)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    def _end(self, _signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"it has used {self._limit_s:g} s of processor time (--processor-limit)")
