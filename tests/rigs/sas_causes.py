"""What a host must have been told of a cabinet's life, counted from the journal's own rows.

The causes of exceptions are those of docs/host-port.md; of faults and doors, those of docs/faults.md.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from controller.faults import known_faults, sas_exception

NOTES = {500: 0x48, 1000: 0x49, 2000: 0x4A, 5000: 0x4B, 10000: 0x4C}
"""Exceptions of notes by their value in cents (section 6)."""

GAME_STARTED, GAME_ENDED, ANY_NOTE, POWER_ON, DONE = 0x7E, 0x7F, 0x4F, 0x17, 0x69
_SAID = {
    ("service_menu", "menu_opened", "attendant"): 0x82,
    ("service_menu", "menu_closed", "attendant"): 0x83,
    ("service_menu", "menu_opened", "technician"): 0x84,
    ("service_menu", "menu_closed", "technician"): 0x85,
    ("service_call", "attendant_called", None): 0x71,
    ("service_call", "call_ended", None): 0x72,
    ("out_of_service", "closed_for_players", None): 0x86,
    ("collection", "collection", None): 0x7B,
}
"""Events by code, words and person."""

_ENDS = {"stacker_open": 0x1C}
"""Faults whose end has an exception, by docs/faults.md."""

_COUNTED_ELSEWHERE = {"power_reset", "program_crash"}
"""A start is an event of its own, whatever its notice says."""

ENDED = "SELECT count(*) FROM rounds WHERE state <> 'open'"

Rows = Callable[[str], Sequence[tuple[Any, ...]]]


class Causes:
    """Counts the causes of exceptions from the row on that it has read last."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self._row = 0
        self._rounds = 0

    @property
    def sql(self) -> str:
        """The query for what is new."""
        names = ("code", "place", "text", "by.role", "fault")
        figures = ", ".join(("seq", "kind", *(f"data ->> '$.{name}'" for name in names), "meters"))
        return f"SELECT {figures} FROM ledger WHERE seq > {self._row} ORDER BY seq"  # noqa: S608 - our own words

    def read(self, rows: Rows) -> None:
        """Read what is new; `rows` asks a query of the journal."""
        for seq, kind, code, place, text, role, fault, meters in rows(self.sql):
            self._row = seq
            if kind == "event":
                self._event(code, place, text, role)
                if code == "fault_cleared" and fault in _ENDS:
                    self.counts[_ENDS[fault]] += 1
            elif kind == "note":
                self._note(meters)
            elif kind == "stake":
                self.counts[GAME_STARTED] += 1
        ((ended,),) = rows(ENDED)
        self.counts[GAME_ENDED] += ended - self._rounds
        self._rounds = ended

    def _event(self, code: str, place: str, text: str, role: str | None) -> None:
        if code == "power_up":
            self.counts[POWER_ON] += 1
        elif code in known_faults() and code not in _COUNTED_ELSEWHERE:
            exception = sas_exception(code, place)
            if exception is not None:
                self.counts[exception] += 1
        else:
            exception = _SAID.get((code, text, role), _SAID.get((code, text, None)))
            if exception is not None:
                self.counts[exception] += 1

    def _note(self, meters: str) -> None:
        cents = next(int(name.removeprefix("note_")) for name in _names(meters) if name.startswith("note_"))
        self.counts[NOTES.get(cents, ANY_NOTE)] += 1


def _names(meters: str) -> Sequence[str]:
    return sorted(part.split('"')[1] for part in meters.split(",") if '"' in part)
