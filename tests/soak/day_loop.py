"""The loop of a soak: virtual time, and what others do on threads done at once, on the loop's own.

On a machine that others use too, each hop to the journal's thread and back costs a turn of the scheduler, some
milliseconds, forty thousand times an hour of the cabinet's time; and without them the same seed lives the same day.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from tests.rigs.virtual_time import VirtualTimeLoop

T = TypeVar("T")


class AtOnce(Executor):
    """Does each job where it is handed in: nothing in the books' connection happens beside a transaction."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Do the job; its future has ended."""
        done: Future[T] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - it is the caller's
            done.set_exception(error)
        return done


class DayLoop(VirtualTimeLoop):
    """Virtual time in which a job for a thread is done where it is asked for, and answered at the next turn."""

    def run_in_executor(self, executor: Executor | None, func: Callable[..., T], *args: Any) -> "asyncio.Future[T]":
        """Do the job now; its caller goes on at the loop's next turn."""
        del executor
        future: asyncio.Future[T] = self.create_future()
        try:
            self.call_soon(_answer, future, func(*args))
        except Exception as error:  # noqa: BLE001 - it is the caller's
            self.call_soon(_fail, future, error)
        return future


def _answer(future: "asyncio.Future[T]", result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: "asyncio.Future[T]", error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def run_day(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` to its end on a fresh loop."""
    with asyncio.Runner(loop_factory=DayLoop) as runner:
        return runner.run(main)
