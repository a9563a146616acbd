"""Determines why the supervisor started: for the first time, after a power cut, a stop in order, or a crash.

The kinds are distinguished by the kernel's boot id, which changes with every start of the computer, and by the record
that a supervisor leaves when it is stopped in order.
"""

from enum import StrEnum
from pathlib import Path

import msgspec

from controller.faults import POWER_RESET, PROGRAM_CRASH
from controller.journal.diagnostics import Outcome, watchdog_diagnostic
from controller.journal.event_catalogue import Event
from controller.journal.faults import raise_fault
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.periods import meter
from controller.journal.transaction import Transaction

KERNEL = Path("/proc/sys/kernel/random/boot_id")
"""The file with the kernel's id of this start of the computer."""


class Start(StrEnum):
    """The kind of a start, in the event log's words."""

    FIRST = "started for the first time"
    POWER = "started after the power was off"
    STOPPED = "started after it was stopped in order"
    CRASHED = "started after it had failed: the power was on all the time"
    ROOM = "went on once the disk of the books had room again"
    TESTED = "started by the service manager after the watchdog's test"

    @property
    def power_was_on(self) -> bool:
        """Whether the computer kept running, so that everything the program wrote is still there."""
        return self in {Start.CRASHED, Start.ROOM, Start.TESTED}


_OUTCOMES = {
    Start.TESTED: Outcome.ACTED,
    Start.STOPPED: Outcome.STOPPED,
}
"""The outcome of a running watchdog test, by the kind of start."""


class _Newest(msgspec.Struct, frozen=True):
    """The newest start: its boot id, and whether the supervisor was stopped in order."""

    boot: str = ""
    ended: bool = False


_NEWEST = Stored(SETTINGS, "newest_start", _Newest)


def boot_id(path: Path = KERNEL) -> str:
    """Return the id of this start of the computer, or an empty string if `path` cannot be read."""
    try:
        return path.read_text("ascii").strip()
    except OSError:
        return ""


def record_start(tx: Transaction, boot: str, *, crash_locks: bool, was_full: bool = False) -> Start:
    """Log and count a start; from the second one on the screen shows it until the next play (P14).

    `was_full` means that this same program continues after its disk was full. With `crash_locks`, a start after a crash
    stops play until the attendant has cleared it (D6); then the interrupted game continues as after a power cut.
    """
    start = Start.ROOM if was_full else _start(tx, boot)
    watchdog_diagnostic.settle(tx, _OUTCOMES.get(start, Outcome.POWER))
    tx.event(Event.POWER_UP, meters={"power_ups": 1}, how=start)
    _NEWEST.write(tx, _Newest(boot))
    if start is not Start.FIRST:
        raise_fault(tx, POWER_RESET, "", event=Event.RESTARTED, how=start)
    if start is Start.CRASHED and crash_locks:
        raise_fault(tx, PROGRAM_CRASH, "", event=Event.CRASHED, how=start)
    return start


def record_stop(tx: Transaction) -> None:
    """Log that the supervisor is stopped in order, so that the next start does not count as a crash."""
    tx.event(Event.STOPPED)
    _NEWEST.write(tx, _Newest(_newest_boot(tx), ended=True))


def _newest_boot(tx: Transaction) -> str:
    """Return the boot id of the newest supervisor start, or an empty string if it is unknown."""
    return (_NEWEST.read(tx) or _Newest()).boot


def _start(tx: Transaction, boot: str) -> Start:
    newest = _NEWEST.read(tx) or _Newest()
    if not meter(tx, "power_ups"):
        return Start.FIRST
    if newest.ended:
        return Start.STOPPED
    if not boot or boot != newest.boot:
        return Start.POWER
    return Start.TESTED if watchdog_diagnostic.running(tx) is not None else Start.CRASHED
