"""A cabinet's tile on the floor view: its status in words, and whether it needs a person."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext

from venue.page import words
from venue.page.statuses import Fault, Status

LOST_S = 15
"""Seconds without a heartbeat after which a cabinet is shown as away; it sends one every three seconds."""

MOST_REASONS = 8
"""Maximum number of reasons on a tile; the cabinet's own page lists all."""

_ATTEND = frozenset({"handpay", "tilted", "locked", "large_win"})
_ORDER = {"stop": 0, "away": 1, "look": 2, "good": 3}


class Tile(NamedTuple):
    """Content of a tile; `tone` is stop, away, look or good, `why` lists the reasons for attention."""

    cabinet: int
    label: str
    tone: str
    why: tuple[str, ...]
    state: str
    game: str
    credit_cents: int | None
    doors: tuple[str, ...]
    faults: tuple[str, ...]
    at: datetime | None
    software: str
    proved_at: datetime | None
    whole: bool | None

    @property
    def tone_word(self) -> str:
        """The tone as text, for people who do not see colours."""
        return {
            "stop": gettext("Needs a person"),
            "away": gettext("Away"),
            "look": gettext("Look at it"),
            "good": gettext("Fine"),
        }[self.tone]

    @property
    def rank(self) -> tuple[int, int]:
        """Sort key: cabinets that need a person first, then by number."""
        return _ORDER[self.tone], self.cabinet


def _fault(fault: Fault) -> str:
    name = str(words.event(fault.code))
    return f"{name} ({words.place(fault.place)})" if fault.place else name


def _software(status: Status) -> str:
    """Return the software's version, and its state unless that is `running`."""
    states = [one for one in (status.software.state, status.trial) if one and one != "running"]
    return ", ".join([status.software.version, *(str(words.state(one)) for one in states)]).strip(", ")


def tile(row: Mapping[str, Any]) -> Tile:
    """Build the tile for a row of `queries.floor`."""
    status: Status = row["status"]
    alarms = [one for one in row["alarms"] or () if one["code"] != "jackpot" or not one["seen"]]
    alarms = [one for one in alarms if one["code"] != "locked" or not status.lock]
    stops, looks = _reasons(status, alarms)
    if status.lock:
        stops.insert(0, f"{words.state('locked')}: {status.lock}")
    away = row["age_s"] is None or row["age_s"] > LOST_S
    if away:
        tone, why = "away", [gettext("No link") if row["at"] else gettext("Never seen"), *stops]
    elif stops:
        tone, why = "stop", stops
    else:
        tone, why = ("look", looks) if looks else ("good", [])
    return Tile(
        cabinet=row["cabinet"],
        label=row["label"],
        tone=tone,
        why=tuple(dict.fromkeys(why))[:MOST_REASONS],
        state=str(words.state(status.state)),
        game=words.game(status.game),
        credit_cents=status.credit_cents,
        doors=tuple(words.place(door) for door in status.doors),
        faults=tuple(_fault(one) for one in status.faults),
        at=row["at"],
        software=_software(status),
        proved_at=status.books.proved_at,
        whole=status.books.whole,
    )


def _reasons(status: Status, alarms: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Return two lists of reasons: those that need a person at once, and those to look at."""
    state = "" if status.lock else status.state
    stops = [str(words.state(state))] if state in _ATTEND else []
    if status.books.whole is False:
        stops.append(str(words.alarm("books_differ")))
    stops += [gettext("Open: %(door)s") % {"door": words.place(door)} for door in status.doors]
    stops += [_fault(one) for one in status.faults if one.stops_play]
    stops += [str(words.alarm(one["code"])) for one in alarms if one["severity"] == "critical" and not one["seen"]]
    looks = [_fault(one) for one in status.faults if not one.stops_play]
    looks += [
        str(words.alarm(one["code"]))
        for one in alarms
        if one["severity"] != "critical" or one["seen"]
        if one["code"] not in ("link_lost", "fault")
    ]
    if state in ("out_of_service", "service_menu"):
        looks.insert(0, str(words.state(state)))
    return stops, looks
