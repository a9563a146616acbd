"""Rounds that a power cut interrupted, and what became of each at the start after it (P1, P3, P14)."""

from enum import StrEnum
from typing import NamedTuple

from controller.journal.periods import meter
from controller.journal.rounds import RecordedRound
from controller.journal.transaction import Transaction

CODE = "round_recovered"


class Recovery(StrEnum):
    """What became of an interrupted round."""

    RESUMED = "resumed"
    SHOWN_AGAIN = "shown again"
    VOIDED = "voided"
    NOT_SHOWN = "not shown again"


class RecoveredRound(NamedTuple):
    """A round that was interrupted: at which step, found at which power-up, what became of it and how it ended."""

    seq: int
    at_ms: int
    round: int
    step: int
    power_up: int
    how: str
    game: str
    state: str


def record_recovery(tx: Transaction, recorded: RecordedRound, how: Recovery) -> None:
    """Record as an event what becomes of the round that this start has found interrupted."""
    power_up, step = meter(tx, "power_ups"), len(recorded.segments)
    tx.event(
        CODE,
        f"round {recorded.id} of {recorded.wager.game}: {how} at step {step}, power-up {power_up}",
        data={"round": recorded.id, "step": step, "power_up": power_up, "how": str(how)},
    )


def recovered_rounds(tx: Transaction, before: int, most: int) -> list[RecoveredRound]:
    """Return the rounds that were interrupted, newest first, `most` at the most below a ledger row."""
    rows = tx.execute(
        "SELECT ledger.seq, ledger.at_ms, rounds.id, data ->> '$.step', data ->> '$.power_up', data ->> '$.how',"
        " rounds.game, rounds.state FROM events JOIN ledger USING (seq) JOIN rounds ON rounds.id = data ->> '$.round'"
        " WHERE events.code = ? AND events.seq < ? ORDER BY events.seq DESC LIMIT ?",
        (CODE, before, most),
    )
    return [RecoveredRound(*row) for row in rows]


def interrupted_rounds(tx: Transaction, oldest: int) -> frozenset[int]:
    """Return the rounds from the number `oldest` on that were interrupted: found at a start, so after their stake."""
    rows = tx.execute(
        "SELECT data ->> '$.round' FROM events JOIN ledger USING (seq) WHERE events.code = ? AND events.seq >"
        " (SELECT seq FROM ledger WHERE kind = 'stake' AND round_id = ?)",
        (CODE, oldest),
    )
    return frozenset(number for (number,) in rows if number is not None)
