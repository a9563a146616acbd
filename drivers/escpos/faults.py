"""Report a printer's status as faults, at their start and end."""

from typing import Final

from drivers.capabilities import TICKET_PRINTER, DeviceLog
from drivers.clock import Clock
from drivers.escpos.protocol import Status

FAULTS: Final = ("paper_out", "paper_low", "cover_open", "cutter_jam", "paper_jam", "head_hot", "printer_failure")
"""The codes of the faults that a status can show."""
BELIEVED: Final = 2
"""This many statuses in a row must agree before one is accepted."""
OFFLINE_S: Final = 10.0
"""A printer that is offline for this long without a reason has failed; it needs some time after its cover is shut."""


class FaultReports:
    """Reports changes of the printer's faults; the first status also clears faults of an earlier run."""

    def __init__(self, clock: Clock, listener: DeviceLog) -> None:
        self._clock = clock
        self._listener = listener
        self._reported: frozenset[str] | None = None
        self._last: frozenset[str] | None = None
        self._agreeing = 0
        self._newest: Status | None = None
        self._idle_at: float | None = None

    @property
    def clean(self) -> bool:
        """Whether the newest status is clean and no reported fault except `paper_low` is present."""
        return self._newest is not None and self._newest.clean and not (self._reported or frozenset()) - {"paper_low"}

    def codes(self, status: Status) -> list[str]:
        """Return the faults that a status shows."""
        shown = (
            status.paper_out,
            status.paper_low,
            status.cover_open,
            status.cutter_jam,
            status.paper_jam,
            status.head_hot,
            status.failed or self._offline_too_long(status),
        )
        return [code for code, present in zip(FAULTS, shown, strict=True) if present]

    async def take(self, status: Status) -> None:
        """Process a new status and report changes."""
        if status.online or status.fed_by_hand or status.ruinous or status.head_hot:
            self._idle_at = None
        elif self._idle_at is None:
            self._idle_at = self._clock.now()
        self._newest = status
        now = frozenset(self.codes(status))
        self._agreeing = self._agreeing + 1 if now == self._last else 1
        self._last = now
        if self._agreeing >= BELIEVED and now != self._reported:
            await self._report(now, status)

    async def _report(self, now: frozenset[str], status: Status) -> None:
        before = frozenset(FAULTS) if self._reported is None else self._reported
        for code in sorted(before - now):
            await self._listener.device_fault(TICKET_PRINTER, code, present=False)
        for code in sorted(now - (self._reported or frozenset())):
            await self._listener.device_fault(TICKET_PRINTER, code, present=True, detail=self._detail(code, status))
        self._reported = now

    def _offline_too_long(self, status: Status) -> bool:
        return not status.online and self._idle_at is not None and self._clock.now() - self._idle_at >= OFFLINE_S

    def _detail(self, code: str, status: Status) -> str:
        if code != "printer_failure":
            return ""
        if status.error & 0x20:
            return "it reports an error that only its mains switch clears"
        return "it reports an error without a name" if status.failed else "it is offline and does not say why"
