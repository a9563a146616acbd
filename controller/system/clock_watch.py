"""Watches the system clock: money never depends on it, and every jump is an event (L6).

It is compared with the monotonic clock, and at a start with the newest row of the ledger.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from controller.journal.event_catalogue import Event, EventKind
from controller.journal.ledger import newest_ms
from controller.journal.transaction import Transaction
from drivers.clock import Clock

LOOK_S = 10.0
JUMP_MS = 1_000
"""The smallest jump. A slewed clock, at most 0.05 % off, moves by 5 ms between two checks."""


def utc_text(at_ms: int) -> str:
    """Return a time as the event log shows it, independent of the time zone."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def look_at_start(tx: Transaction) -> None:
    """Record a clock that is before the newest row of the ledger: it was set back while the program was off."""
    newest = newest_ms(tx)
    if tx.at_ms < newest:
        _moved(tx, Event.CLOCK_WENT_BACK, newest)


def _moved(tx: Transaction, event: EventKind, from_ms: int) -> None:
    tx.event(event, before=utc_text(from_ms), after=utc_text(tx.at_ms), from_ms=from_ms, to_ms=tx.at_ms)


class ClockWatch:
    """Compares the clocks: `lead_ms` returns the lead of the system clock, `record` posts a transaction."""

    def __init__(
        self, lead_ms: Callable[[], int], clock: Clock, record: Callable[[Callable[[Transaction], object]], None]
    ) -> None:
        self._lead = lead_ms
        self._clock = clock
        self._record = record
        self._lead_ms: int | None = None

    def settle(self) -> None:
        """Accept the present clock, because its change has been recorded."""
        self._lead_ms = self._lead()

    def look(self) -> None:
        """Record a jump since the last check."""
        before, now = self._lead_ms, self._lead()
        self._lead_ms = now
        by_ms = 0 if before is None else now - before
        if abs(by_ms) < JUMP_MS:
            return

        self._record(lambda tx: _moved(tx, Event.CLOCK_JUMPED, tx.at_ms - by_ms))

    async def run(self) -> None:
        """Check until cancelled."""
        self.settle()
        while True:
            await self._clock.sleep(LOOK_S)
            self.look()
