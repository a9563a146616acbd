"""An event loop whose time jumps: hours of a cabinet's life pass in milliseconds, and nothing sleeps.

The clock moves only when no callback is ready, no file descriptor is readable and no executor job is
running; it then moves straight to the next timer.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar

_T = TypeVar("_T")

_PATIENCE_S = 2.0
"""How long bytes may be on their way through a pty of a busy machine; some were thrown away, and never come."""


class LoopExecutor(Executor):
    """An executor whose jobs take the loop's own time: the clock goes on while they are under way."""


class _JumpingSelector(selectors.DefaultSelector):
    loop: "VirtualTimeLoop"

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self.loop.foreign_jobs:
            return super().select(None)
        if self.loop.in_flight():
            if ready := super().select(_PATIENCE_S):
                return ready
            self.loop.nothing_came()
        elif ready := super().select(0):  # it came between the two looks
            return ready
        if timeout is None:
            raise RuntimeError("nothing is scheduled and nothing can wake this loop: the test would hang")
        self.loop.virtual_now += max(timeout, 0.0)
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """A selector loop that jumps from timer to timer.

    While `in_flight` says that bytes are on their way through a pty, the kernel gets real time to hand them over; where
    it does not, `nothing_came` is called.
    """

    def __init__(self) -> None:
        self.virtual_now = 1000.0
        self.in_flight: Callable[[], bool] = lambda: False
        self.nothing_came: Callable[[], None] = lambda: None
        self.foreign_jobs = 0
        selector = _JumpingSelector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        """Virtual seconds."""
        return self.virtual_now

    def run_in_executor(self, executor: Executor | None, func: Callable[..., Any], *args: Any) -> "asyncio.Future[Any]":
        """Run in a real thread while virtual time is stopped, or on the loop's own time."""
        if isinstance(executor, LoopExecutor):
            return asyncio.wrap_future(executor.submit(func, *args), loop=self)
        self.foreign_jobs += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._job_done)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 - asyncio's own
        """Wait for the default executor's thread; that too is a job outside of virtual time."""
        self.foreign_jobs += 1
        try:
            await super().shutdown_default_executor(*(() if timeout is None else (timeout,)))
        finally:
            self.foreign_jobs -= 1

    def _job_done(self, _future: "asyncio.Future[Any]") -> None:
        self.foreign_jobs -= 1


def run_virtual(main: Coroutine[Any, Any, _T]) -> _T:
    """Run `main` to its end on a fresh loop with virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
