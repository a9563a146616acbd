"""Measures the latency of a commit, which every coin and every round waits for, on the journal itself."""

from collections.abc import Awaitable, Callable

from controller.journal.key_value import DEVICE_STATE
from controller.journal.transaction import Transaction

_PROBE = "commit_latency"


async def commit_latencies(
    do: Callable[[Callable[[Transaction], None]], Awaitable[None]], count: int, now: Callable[[], float]
) -> list[float]:
    """Return how many seconds each of `count` commits took until it was durable.

    `do` runs one transaction; the row that these write is removed at the end. Raises what `do` raises.
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
