"""Measures the latency of a commit on the journal itself; every coin and every round waits for a commit."""

from collections.abc import Awaitable, Callable

from controller.journal.key_value import DEVICE_STATE
from controller.journal.transaction import Transaction

_PROBE = "commit_latency"


async def commit_latencies(
    do: Callable[[Callable[[Transaction], None]], Awaitable[None]], count: int, now: Callable[[], float]
) -> list[float]:
    """Return, for each of `count` commits, the seconds until it was durable.

    `do` runs one transaction. The row that these write is removed at the end. Exceptions of `do` are raised.
    """
    taken = []
    try:
        for number in range(count):
            began = now()
            await do(lambda tx, number=number: DEVICE_STATE.store(tx, _PROBE, str(number)))  # type: ignore[misc]  # a default binds it
            taken.append(now() - began)
    finally:
        await do(lambda tx: DEVICE_STATE.remove(tx, _PROBE))
    return taken
