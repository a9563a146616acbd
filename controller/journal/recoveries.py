"""Rounds that a power cut interrupted, and how the next start recovered each of them (P1, P3, P14)."""

from enum import StrEnum
from typing import NamedTuple

from controller.journal.event_catalogue import Event
from controller.journal.periods import meter
from controller.journal.rounds import RecordedRound
from controller.journal.transaction import Transaction

CODE = "round_recovered"


class Recovery(StrEnum):
    """How an interrupted round was recovered."""

    RESUMED = "resumed"
    SHOWN_AGAIN = "shown again"
    VOIDED = "voided"
    NOT_SHOWN = "not shown again"


class RecoveredRound(NamedTuple):
    """An interrupted round: its step, the power-up that found it, how it was recovered, and how it ended."""

    seq: int
    at_ms: int
    round: int
    step: int
    power_up: int
    how: str
    game: str
    state: str


def record_recovery(tx: Transaction, recorded: RecordedRound, how: Recovery) -> None:
    """Record the recovery of an interrupted round as an event."""
    power_up, step = meter(tx, "power_ups"), len(recorded.segments)
    tx.event(
        Event.ROUND_RECOVERED,
        round=recorded.id,
        game=recorded.wager.game,
        step=step,
        power_up=power_up,
        how=str(how),
    )


def recovered_rounds(tx: Transaction, before: int, most: int) -> list[RecoveredRound]:
    """Return at most `most` interrupted rounds whose event is below the ledger row `before`, newest first."""
    rows = tx.execute(
        "SELECT ledger.seq, ledger.at_ms, rounds.id, data ->> '$.step', data ->> '$.power_up', data ->> '$.how',"
        " rounds.game, rounds.state FROM events JOIN ledger USING (seq) JOIN rounds ON rounds.id = data ->> '$.round'"
        " WHERE events.code = ? AND events.seq < ? ORDER BY events.seq DESC LIMIT ?",
        (CODE, before, most),
    )
    return [RecoveredRound(*row) for row in rows]


def interrupted_rounds(tx: Transaction, oldest: int) -> frozenset[int]:
    """Return the numbers of the interrupted rounds from round `oldest` on."""
    rows = tx.execute(
        "SELECT data ->> '$.round' FROM events JOIN ledger USING (seq) WHERE events.code = ? AND events.seq >"
        " (SELECT seq FROM ledger WHERE kind = 'stake' AND round_id = ?)",
        (CODE, oldest),
    )
    return frozenset(number for (number,) in rows if number is not None)
