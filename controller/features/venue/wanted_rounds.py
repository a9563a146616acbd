"""Sends the records of rounds that the venue's page requests: all that a replay needs."""

from collections.abc import Mapping
from typing import Any

from controller.features.venue.handing_over import Books
from controller.features.venue.reports import Reports
from controller.journal.errors import RefusedError
from controller.journal.rounds import RecordedRound, recorded_round
from controller.journal.transaction import Transaction
from drivers.clock import Clock

EVERY_S = 15.0
OPEN = "open"


class WantedRounds:
    """Sends the requested records; `send` is a side job of the link."""

    def __init__(self, books: Books, venue: Reports, clock: Clock) -> None:
        self._books = books
        self._venue = venue
        self._clock = clock
        self._next_s = 0.0

    def __repr__(self) -> str:
        return f"<WantedRounds next {self._next_s}>"

    async def send(self, session: int) -> None:
        """Send the requested records, every `EVERY_S`."""
        if self._clock.now() < self._next_s:
            return
        self._next_s = self._clock.now() + EVERY_S
        for number in await self._venue.wanted(session):
            found = await self._books.commit(lambda tx: _recorded(tx, number))  # noqa: B023 - awaited in this pass
            if found.result is None or found.result.state != OPEN:  # an open round is sent once it is over
                await self._venue.round(session, number, found.map(record_of))


def _recorded(tx: Transaction, number: int) -> RecordedRound | None:
    try:
        return recorded_round(tx, number)
    except RefusedError:
        return None


def record_of(recorded: RecordedRound | None) -> Mapping[str, Any] | None:
    """Return a round's record for the venue (docs/venue-protocol.md), None for none; hashes are hexadecimal."""
    if recorded is None:
        return None
    wager = recorded.wager
    return {
        "round": recorded.id,
        "game": wager.game,
        "maths_version": wager.maths_version,
        "maths_hash": wager.maths_hash,
        "bet": {
            "lines": wager.bet.lines,
            "coins_per_line": wager.bet.coins_per_line,
            "coin_value_cents": wager.bet.coin_value_cents,
        },
        "price": wager.price,
        "gamble_cap_cents": wager.gamble_cap_cents,
        "companion": recorded.companion,
        "state": recorded.state,
        "win_cents": recorded.win_cents,
        "credit_before_cents": recorded.credit_before_cents,
        "memory_before": recorded.memory_before,
        "memory_after": recorded.memory_after,
        "segments": [
            {
                "answer": segment.answer,
                "draws": [list(draw) for draw in segment.draws],
                "win_cents": segment.win_cents,
                "sha256": segment.steps_sha256.hex(),
            }
            for segment in recorded.segments
        ],
    }
