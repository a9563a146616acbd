"""One transaction of the journal: it appends to the ledger, raises meters and records events."""

import sqlite3
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from controller.journal import ledger
from controller.journal.actor import BY, ORIGIN
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import EventKind
from controller.journal.number_seal import PLAIN, NumberSeal
from controller.journal.reads import cabinet_row

T = TypeVar("T")


class InPlay(StrEnum):
    """The kinds of open play that block other changes."""

    ROUND = "round"
    PAYOUT = "payout"


_IN_PLAY = "SELECT 'round' FROM rounds WHERE state = 'open' UNION ALL SELECT 'payout' FROM payouts WHERE state = 'open'"
MUST_END = {
    InPlay.ROUND: "A round is in progress: it must end first",
    InPlay.PAYOUT: "A payout is in progress: it must end first",
}

HARD_METER_OF = {
    "stakes": "coin_in",
    "wins": "coin_out",
    "coins_in": "drop",
    "notes_in": "drop",
    "found_in": "drop",
    "notes_unstored": "drop",
    "hopper_emptied": "drop",
    "hand_pay": "hand_pay",
    "games": "games",
}
"""The hard meter that repeats each soft meter: amounts posted to it are owed as pulses (M2, M3, invariant 7)."""

SUBTRACTED_FROM = {"coins_to_hopper": "drop", "notes_stored": "drop"}
"""Soft meters that are subtracted from a hard meter: a coin in the hopper and a stored note are no drop. They are
posted in the same row as the amount that they reduce, so that the amount owed to a hard meter never falls."""


def hard_figures(soft: Mapping[str, int]) -> dict[str, int]:
    """Return the values of the hard meters that repeat these soft meters."""
    figures: dict[str, int] = {}
    for repeated, sign in ((HARD_METER_OF, 1), (SUBTRACTED_FROM, -1)):
        for name, hard in repeated.items():
            if name in soft:
                figures[hard] = figures.get(hard, 0) + sign * soft[name]
    return figures


class Transaction:
    """One open transaction of the writer, with its start time (`at_ms`, only for the record).

    Everything that moves credit or a meter goes through `post`, so that the ledger explains every value. Each row
    records who acts and from where, taken from the context that it is posted in (`controller.journal.actor`).
    """

    def __init__(self, connection: sqlite3.Connection, at_ms: int, numbers: NumberSeal = PLAIN) -> None:
        self.at_ms = at_ms
        self.numbers = numbers
        """Seals the ticket numbers that it stores, and opens stored ones."""
        self.must_be_durable = False
        """Whether it appended to the ledger or wrote something else that a power cut must not undo."""
        self.owes_pulses = False
        """Whether it raised the amount owed to a hard meter."""
        self.entries: list[ledger.Entry] = []
        """The content of the ledger rows that it appended."""
        self._connection = connection

    def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """Run one statement inside this transaction."""
        return self._connection.execute(sql, parameters)

    @property
    def credit_cents(self) -> int:
        """The credit meter."""
        return cabinet_row(self).credit_cents

    @property
    def is_simulated(self) -> bool:
        """Whether this is a demo's journal."""
        return cabinet_row(self).simulated

    @property
    def head(self) -> tuple[int, bytes]:
        """The number and hash of the newest ledger row."""
        return ledger.head(self._connection)[:2]

    def post(
        self,
        kind: str,
        *,
        credit: int = 0,
        meters: Mapping[str, int] | None = None,
        round_id: int | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> int:
        """Append a ledger row that moves the credit and raises the meters; return its sequence number."""
        entry = ledger.Entry(self.at_ms, kind, credit, dict(meters or {}), round_id, {**(data or {}), **self._from})
        seq = ledger.append(self._connection, entry)
        self.entries.append(entry)
        self.must_be_durable = True
        for hard, amount in hard_figures(entry.meters).items():
            self.execute(
                "INSERT INTO hard_meters (name, owed) VALUES (?, ?)"
                " ON CONFLICT (name) DO UPDATE SET owed = owed + excluded.owed",
                (hard, amount),
            )
            self.owes_pulses = True
        return seq

    @property
    def _from(self) -> dict[str, Any]:
        origin, by = ORIGIN.get(), BY.get()
        where = {"where": origin} if origin else {}
        return where if by is None else {**where, "by": by.stamp}

    def event(
        self,
        event: EventKind,
        /,
        *,
        place: str = "",
        meters: Mapping[str, int] | None = None,
        **figures: Any,
    ) -> int:
        """Record a significant event in the ledger; return its sequence number.

        `figures` fill the event's template; the ledger row also stores any further ones.
        """
        return self.log(event.code, event.key, place=place, meters=meters, data=figures)

    def log(
        self,
        code: str,
        text: str,
        *,
        place: str = "",
        meters: Mapping[str, int] | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> int:
        """Record an event without a template, such as a fault with its detail; use `event` for everything else."""
        seq = self.post("event", meters=meters, data={**(data or {}), "code": code, "place": place, "text": text})
        self.execute("INSERT INTO events (seq, code, place, text) VALUES (?, ?, ?, ?)", (seq, code, place, text))
        return seq

    def anchor(self) -> None:
        """Write an anchor at the newest row, from which a proof can start."""
        ledger.anchor(self._connection)

    def in_play(self) -> frozenset[InPlay]:
        """Return the kinds of play that are open."""
        return frozenset(InPlay(kind) for (kind,) in self.execute(_IN_PLAY))

    def refuse_in_play(self, *kinds: InPlay) -> None:
        """Raise `RefusedError` while a round or a payout is open, or only while one of `kinds` is."""
        in_play = self.in_play()
        for kind in kinds or InPlay:
            if kind in in_play:
                raise RefusedError(MUST_END[kind])

    def audit(self) -> int:
        """Prove the self-audit equation (M7) and return the credit in cents; raise `CorruptJournalError`."""
        return ledger.self_audit(self._connection)

    def prove(self) -> None:
        """Prove the chain since its last anchor and the self-audit equation; raise `CorruptJournalError`."""
        ledger.prove_from_anchor(self._connection)
