"""The trial of a new program: its supervisor's reports, and the updater's judgement.

On trial the supervisor starts as always (verifies the journal, finds its devices, connects the display) but plays
nothing. It must be ready for longer than its watchdog's interval.
"""

from pathlib import Path
from typing import NamedTuple

from controller.features.update.host_services import Fare, HostServices
from controller.features.update.orders import OrderError, Report, Why, read

WELL_S = 30.0
"""How long a program must be ready without interruption; the watchdog of cabinet.service acts after 20 s."""
PATIENCE_S = 300.0
"""The time limit of the trial."""
LOOK_S = 1.0
STALE_S = 5.0
"""The age from which a report is ignored."""


class Verdict(NamedTuple):
    """Why a program is not kept, empty if it is kept; and the words for the log."""

    why: Why
    detail: str


def judged(host: HostServices, report: Path, version: str) -> Verdict:
    """Watch the newly started program `version` until it has passed or failed its trial."""
    began, since, lacks, locked = host.now(), None, "it said nothing", False
    while (now := host.now()) - began <= PATIENCE_S:
        supervisor, display = host.fares()
        for name, fare in (("the supervisor", supervisor), ("the display", display)):
            if fare.restarts:
                return Verdict(Why.ENDED, f"{name} ended by itself and was started again")
        lacks, locked = _lacks(supervisor, report, version, now)
        if locked:
            return Verdict(Why.UNWELL, lacks)
        if lacks:
            since = None
        elif since is None:
            since = now
        elif now - since >= WELL_S:
            return Verdict(Why.NOTHING, "")
        host.sleep(LOOK_S)
    return Verdict(Why.UNWELL, f"not well within {PATIENCE_S:g} s: {lacks or 'not for long enough'}")


def _lacks(supervisor: Fare, path: Path, version: str, now: float) -> tuple[str, bool]:
    """Return what a program lacks now, empty if it is ready; and whether that is final."""
    if not supervisor.active:
        return "the supervisor is not ready", False
    try:
        report = read(path, Report)
    except OrderError as error:
        return str(error), False
    if report is None or report.pid != supervisor.pid or now - report.at_s > STALE_S:
        return "the supervisor does not say how it fares", False
    if report.version != version:
        return f"it says that it is {report.version}, not {version}", False
    return ", ".join(report.lacks), report.locked
