"""The status sent with a beat (docs/venue-protocol.md): what the cabinet knows about itself."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from controller.configuration.cabinet_toml import Site
from controller.faults import Stops, stopped_by
from controller.features.venue.lock_report import are_amiss, reason_of
from controller.machine.journal_port import JournalPort
from controller.machine.states import State
from controller.machine.view import MachineParts

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Watches:
    """Sources of further status figures; a figure that is unknown is left out."""

    books_proved_ms: Callable[[], int | None] = lambda: None
    """When the complete file of the books was last verified since the start, or None."""
    temperature_c: Callable[[], float | None] = lambda: None
    """The computer's temperature, or None without a sensor."""
    card_wear_percent: Callable[[], int | None] = lambda: None
    """The wear of the books' card in percent, or None if the card does not report it."""
    is_authentic: Callable[[], bool | None] = lambda: None
    """Whether the software matched its signature at the last verification, or None if there was none."""
    trial: Callable[[], str] = lambda: ""
    """The state of an update: `asked` or `on_trial`, empty if there is none."""


def status_of(machine: MachineParts, site: Site, watches: Watches, now_ms: int) -> Mapping[str, Any]:
    """Return the status; keys that do not apply are left out."""
    journal, conditions, play = machine.journal, machine.conditions, machine.play
    state = conditions.overlay or machine.states.state
    since = {(fault.code, fault.place): fault.since_ms for fault in conditions.faults}
    said = {
        "state": str(state),
        "game": play.session.game if state not in (State.ATTRACT, State.LOBBY, State.BOOTING) else "",
        "credit_cents": journal.credit_cents,
        "denomination_cents": play.session.bet.coin_value_cents,
        "currency": site.money.currency,
        "doors": sorted(name for name, is_open in conditions.doors.items() if is_open),
        "faults": [
            {
                "code": code,
                "place": place,
                "since_ms": since.get((code, place)),
                "stops_play": Stops.PLAY in stopped_by([(code, place)]),
            }
            for code, place in conditions.active
        ],
        "software": {"version": version("cabinet"), "state": _software(journal, watches)},
        "books": _books(journal, watches),
        "lock": "" if journal.lock is None else reason_of(journal.lock),
        "health": _health(journal, watches),
        "clock_ms": now_ms,
        "trial": watches.trial(),
    }
    return {name: figure for name, figure in said.items() if figure not in ("", 0, {}) or name == "credit_cents"}


def _software(journal: JournalPort, watches: Watches) -> str:
    if journal.lock is not None:
        return "locked"
    return "differs" if watches.is_authentic() is False else "running"


def _books(journal: JournalPort, watches: Watches) -> dict[str, int | bool]:
    """Return when the books were verified and whether they are whole; empty while neither is known."""
    if journal.lock is not None and are_amiss(journal.lock):
        return {"whole": False}
    proved_ms = watches.books_proved_ms()
    return {} if proved_ms is None else {"proved_at_ms": proved_ms, "whole": True}


def _health(journal: JournalPort, watches: Watches) -> dict[str, int]:
    room = os.statvfs(journal.path.parent)
    health = {"disk_free_mb": room.f_bavail * room.f_frsize // MEGABYTE}
    if journal.commits_s:
        health["commit_ms"] = round(1000 * max(journal.commits_s))
    warm = watches.temperature_c()
    if warm is not None:
        health["temperature_c"] = round(warm)
    worn = watches.card_wear_percent()
    if worn is not None:
        health["card_wear_percent"] = worn
    return health
