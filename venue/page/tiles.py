"""A cabinet's tile on the floor: what its status means to a person who walks past, and whether one is needed."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext

from venue.page import words

LOST_S = 15
"""Seconds without a beat after which a cabinet is away; it beats every three."""

_ATTEND = frozenset({"handpay", "tilted", "locked", "large_win"})
_ORDER = {"stop": 0, "away": 1, "look": 2, "good": 3}


class Tile(NamedTuple):
    """What a tile shows; `tone` is one of stop, away, look and good, `why` what needs a person."""

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
        """The tone in a word, for who does not see colours."""
        return {
            "stop": gettext("Needs a person"),
            "away": gettext("Away"),
            "look": gettext("Look at it"),
            "good": gettext("Fine"),
        }[self.tone]

    @property
    def rank(self) -> tuple[int, int]:
        """Where the tile is sorted: what needs a person first, then by number."""
        return _ORDER[self.tone], self.cabinet


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _fault(one: object) -> str:
    fault = _mapping(one)
    name = str(words.event(fault.get("code", "")))
    return f"{name} ({words.place(fault['place'])})" if fault.get("place") else name


def _moment(ms: object) -> datetime | None:
    try:
        return datetime.fromtimestamp(ms / 1000, UTC) if isinstance(ms, int) else None
    except (OverflowError, ValueError, OSError):
        return None  # a cabinet's clock may say anything


def _software(software: Mapping[str, Any], trial: object) -> str:
    """Return the version, and its state where that is not simply running."""
    states = [one for one in (software.get("state"), trial) if one and one != "running"]
    return ", ".join([str(software.get("version") or ""), *(str(words.state(one)) for one in states)]).strip(", ")


def tile(row: Mapping[str, Any]) -> Tile:
    """Return the tile of a row of `queries.floor`; whatever a status holds, it is shown or left out."""
    status = _mapping(row["status"])
    faults = [_mapping(one) for one in status.get("faults", ()) or () if isinstance(one, dict)]
    doors = _names(status.get("doors"))
    books = _mapping(status.get("books"))
    software = _mapping(status.get("software"))
    lock = str(status.get("lock") or "")
    alarms = [one for one in row["alarms"] or () if one["code"] != "jackpot" or not one["seen"]]
    alarms = [one for one in alarms if one["code"] != "locked" or not lock]
    stops, looks = _reasons("" if lock else str(status.get("state", "")), doors, faults, books, alarms)
    if lock:
        stops.insert(0, f"{words.state('locked')}: {lock}")
    away = row["age_s"] is None or row["age_s"] > LOST_S
    if away:
        tone, why = "away", [gettext("No link") if row["at"] else gettext("Never seen"), *stops]
    elif stops:
        tone, why = "stop", stops
    else:
        tone, why = ("look", looks) if looks else ("good", [])
    credit = status.get("credit_cents")
    return Tile(
        cabinet=row["cabinet"],
        label=row["label"],
        tone=tone,
        why=tuple(dict.fromkeys(why)),
        state=str(words.state(status.get("state", ""))),
        game=words.game(status.get("game")),
        credit_cents=credit if isinstance(credit, int) else None,
        doors=tuple(words.place(door) for door in doors),
        faults=tuple(_fault(one) for one in faults),
        at=row["at"],
        software=_software(software, status.get("trial")),
        proved_at=_moment(books.get("proved_at_ms")),
        whole=books.get("whole") if isinstance(books.get("whole"), bool) else None,
    )


def _reasons(
    state: str,
    doors: Sequence[str],
    faults: Sequence[Mapping[str, Any]],
    books: Mapping[str, Any],
    alarms: Sequence[Mapping[str, Any]],
) -> tuple[list[str], list[str]]:
    """Return what needs a person now, and what to look at."""
    stops = [str(words.state(state))] if state in _ATTEND else []
    if books.get("whole") is False:
        stops.append(str(words.alarm("books_differ")))
    stops += [gettext("Open: %(door)s") % {"door": words.place(door)} for door in doors]
    stops += [_fault(one) for one in faults if one.get("stops_play")]
    stops += [str(words.alarm(one["code"])) for one in alarms if one["severity"] == "critical" and not one["seen"]]
    looks = [_fault(one) for one in faults if not one.get("stops_play")]
    looks += [
        str(words.alarm(one["code"]))
        for one in alarms
        if one["severity"] != "critical" or one["seen"]
        if one["code"] not in ("link_lost", "fault")
    ]
    if state in ("out_of_service", "service_menu"):
        looks.insert(0, str(words.state(state)))
    return stops, looks
