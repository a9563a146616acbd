"""The trial of a new program: what its supervisor says of itself, and whether the updater takes that for well.

On trial the supervisor does all that it does at any start (the books are proved, drivers look for their devices, the
display connects) and plays nothing. It must be well for as long as its watchdog takes to be missed, and longer.
"""

from pathlib import Path
from typing import NamedTuple

from controller.update.host_services import Fare, Surroundings
from controller.update.orders import OrderError, Report, Why, read

WELL_S = 30.0
"""How long without a break a program must be well; the watchdog of cabinet.service bites after 20 s."""
PATIENCE_S = 300.0
"""By then it must have been."""
LOOK_S = 1.0
STALE_S = 5.0
"""A report that is older says nothing."""


class Verdict(NamedTuple):
    """Why a program is not kept, nothing where it is; and the log's words."""

    why: Why
    detail: str


def judged(around: Surroundings, report: Path, version: str) -> Verdict:
    """Watch the program `version` that was just started until it has proved itself, or is found wanting."""
    began, since, lacks, locked = around.now(), None, "it said nothing", False
    while (now := around.now()) - began <= PATIENCE_S:
        supervisor, display = around.fares()
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
        around.sleep(LOOK_S)
    return Verdict(Why.UNWELL, f"not well within {PATIENCE_S:g} s: {lacks or 'not for long enough'}")


def _lacks(supervisor: Fare, path: Path, version: str, now: float) -> tuple[str, bool]:
    """Return what a program lacks now, in words, nothing where it is well; and whether that will stay so."""
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
