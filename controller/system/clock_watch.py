"""The watch over the clock on the wall: money never depends on it, and every jump of it is an event (L6).

It is held against the clock that only ever runs on, and at a start against the newest row of the ledger.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from controller.journal.ledger import newest_ms
from controller.journal.transaction import Transaction
from drivers.clock import Clock

LOOK_S = 10.0
JUMP_MS = 1_000
"""A clock that is corrected gently, by 0.05 % at the most, moves by 5 ms from look to look."""

CLOCK_SET, CLOCK_NOT_SET, JUMPED = "clock_set", "clock_not_set", "clock_jumped"
"""The events of the clock: set from the menu, refused by the system, and moved by something else."""


def utc_text(at_ms: int) -> str:
    """Return a moment as the event log tells it, which must not depend on a time zone."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def look_at_start(tx: Transaction) -> None:
    """Record a clock that stands before the newest row of the ledger: it went back while nobody could see it."""
    newest = newest_ms(tx)
    if tx.at_ms < newest:
        text = f"at the start the clock says {utc_text(tx.at_ms)}, the books have been at {utc_text(newest)}"
        tx.event(JUMPED, text, data={"from_ms": newest, "to_ms": tx.at_ms})


class ClockWatch:
    """Looks at the clock now and then: `lead_ms` tells by how much it is ahead, `record` has an act recorded soon."""

    def __init__(
        self, lead_ms: Callable[[], int], clock: Clock, record: Callable[[Callable[[Transaction], object]], None]
    ) -> None:
        self._lead = lead_ms
        self._clock = clock
        self._record = record
        self._lead_ms: int | None = None

    def settle(self) -> None:
        """Take the clock as it stands: its change has been told already."""
        self._lead_ms = self._lead()

    def look(self) -> None:
        """Record a jump since the last look."""
        before, now = self._lead_ms, self._lead()
        self._lead_ms = now
        by_ms = 0 if before is None else now - before
        if abs(by_ms) < JUMP_MS:
            return

        def jumped(tx: Transaction) -> None:
            text = f"the clock jumped by {by_ms} ms, from {utc_text(tx.at_ms - by_ms)} to {utc_text(tx.at_ms)}"
            tx.event(JUMPED, text, data={"from_ms": tx.at_ms - by_ms, "to_ms": tx.at_ms})

        self._record(jumped)

    async def run(self) -> None:
        """Look until cancelled."""
        self.settle()
        while True:
            await self._clock.sleep(LOOK_S)
            self.look()
