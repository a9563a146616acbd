"""Reports a cabinet that cannot use its books to its venue: that it is locked, and why."""

import logging
from asyncio import TaskGroup
from contextlib import suppress
from pathlib import Path

from controller.errors import LockingError
from controller.features.venue.calls import FencedError, Venue, VenueError
from controller.features.venue.configuration import VenueAddress
from controller.features.venue.relayed import SOCKET, Address, RelayedVenue
from controller.fitting import LockedCabinet
from controller.journal.errors import CorruptJournalError
from controller.keys.identity import IdentityError
from drivers.clock import Clock

LONGEST_REASON = 500
"""The most characters of a reason (docs/venue-protocol.md)."""
REPORT_S = 3.0
"""The interval of the report in seconds, the same as that of the beats."""
REFUSED_S = 30.0
"""The pause in seconds after the venue refused the report: another card represents this cabinet, or none is allowed."""

_log = logging.getLogger(__name__)


def reason_of(error: LockingError) -> str:
    """Return why a cabinet is locked, in the form that the venue accepts."""
    return str(error).replace("\0", "")[:LONGEST_REASON]


def are_amiss(error: LockingError) -> bool:
    """Return whether the books are damaged or another cabinet's; other locks say nothing about the books."""
    return isinstance(error, (CorruptJournalError, IdentityError))


async def report_lock(venue: Venue, clock: Clock, error: LockingError, session: int = 0) -> None:
    """Report the lock until cancelled; `session` is the cabinet's newest, 0 if it had none since its start."""
    while True:
        pause = REPORT_S
        try:
            await venue.locked(session, False if are_amiss(error) else None, reason_of(error))
        except FencedError as refused:
            _log.warning("venue: %s", refused)
            pause = REFUSED_S
        except VenueError:
            pass
        await clock.sleep(pause)


async def report_from_safe_mode(address: VenueAddress, cabinet: LockedCabinet) -> None:
    """Report the lock from a proved program until cancelled; an error leaves the reason on the screen."""
    try:
        if cabinet.is_proved is not None and not await cabinet.is_proved():
            _log.warning("the program is not as it was signed: the venue is not informed of the lock")
            return
        await _report(address, Path(cabinet.config.cabinet.run_dir), cabinet.clock, cabinet.error)
    except Exception:  # noqa: BLE001 - as the docstring says
        _log.exception("the lock cannot be reported to the venue")


async def _report(address: VenueAddress, run_dir: Path, clock: Clock, error: LockingError) -> None:
    """Serve the socket of the link's process and report the lock until cancelled."""
    venue = RelayedVenue(run_dir / SOCKET, Address(address.host, address.port, address.name))
    async with TaskGroup() as tasks:
        tasks.create_task(_listen(venue, clock))
        tasks.create_task(report_lock(venue, clock, error))


async def _listen(venue: RelayedVenue, clock: Clock) -> None:
    while True:
        with suppress(OSError):
            await venue.listen()
        await clock.sleep(REPORT_S)
