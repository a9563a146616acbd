"""The tickets of a venue in memory, written from docs/venue-protocol.md."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from controller.features.venue.calls import ContradictionError, PoolNotOpenError, TicketAnswer

Key = tuple[int, int, int]
"""A claim: cabinet, epoch, claim."""


@dataclass
class Ticket:
    """One ticket; `holder` is the claim that holds or has redeemed it."""

    cents: int
    state: str = "open"
    holder: Key | None = None
    cabinet: int | None = None
    expires_ms: int | None = None


class ModelTickets:
    """What the venue has of tickets; `now_ms` is its clock."""

    def __init__(self) -> None:
        self.tickets: dict[str, Ticket] = {}
        self.claims: dict[Key, TicketAnswer | str] = {}
        self.asked: dict[Key, str] = {}
        """The ticket of each claim."""
        self.trouble: list[tuple[str, str]] = []
        self.recovering = False
        self.now_ms = 0

    def worth(self, number: str) -> str:
        """Return `open`, or why the ticket is worth nothing."""
        ticket = self.tickets.get(number)
        if ticket is None:
            return "unknown"
        if ticket.state in ("redeemed", "paid"):
            return "redeemed"
        if ticket.state == "open" and ticket.expires_ms is not None and ticket.expires_ms <= self.now_ms:
            return "expired"
        return ticket.state

    def claim(self, me: int, epoch: int, claim: int, number: str) -> TicketAnswer:
        """Answer a claim once."""
        if self.recovering:
            raise PoolNotOpenError("tickets are not paid while the venue recovers")
        key = me, epoch, claim
        known = self.claims.get(key)
        if isinstance(known, TicketAnswer):
            return known
        if known is not None:
            return TicketAnswer("ended", None)
        self.asked[key] = number
        worth = self.worth(number)
        if worth != "open":
            self.claims[key] = TicketAnswer(worth, None)
            return TicketAnswer(worth, None)
        ticket = self.tickets[number]
        ticket.state, ticket.holder = "held", key
        answer = self.claims[key] = TicketAnswer("held", ticket.cents)
        return answer

    def take(self, me: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take facts: claims before the ticket's own row."""
        for row in sorted(rows, key=lambda row: (row["number"], row["kind"], row.get("claim", 0))):
            if row["kind"] == "claim":
                self._ended((me, row["epoch"], row["claim"]), row["number"], row["cents"], row["state"])
            elif row["kind"] == "issue":
                ticket = self.tickets.setdefault(row["number"], Ticket(row["cents"]))
                if ticket.cents != row["cents"]:
                    self.trouble.append(("clash", row["number"]))
                elif ticket.cabinet is None:
                    ticket.cabinet, ticket.expires_ms = me, row["expires_ms"]
            else:
                raise ContradictionError(f"{row} is no ticket and no claim")

    def _ended(self, key: Key, number: str, cents: int | None, state: str) -> None:
        if cents is None and state != "released":
            raise ContradictionError("a claim has cents")
        if self._end_of(key) is None:
            self.claims[key] = TicketAnswer("held", cents) if state == "held" else state
            self.asked[key] = number
        if state != "redeemed" and self._end_of(key) != (None if state == "held" else state):
            return  # it has ended otherwise; money that was credited is heard all the same
        ticket = self.tickets.get(number)
        if ticket is None:
            if state != "released":
                self.tickets[number] = Ticket(cents or 0, state, key)
            return
        mine = ticket.holder == key
        if ticket.state not in ("open", "held"):
            if state == "redeemed" and not mine:
                self.trouble.append(("twice", number))
        elif state in ("redeemed", "void"):
            ticket.state, ticket.holder = state, key
        elif (state == "held" and ticket.state == "open") or (state == "released" and mine):
            ticket.holder = next((live for live in self.asked if self._is_live(live, number)), None)
            ticket.state = "open" if ticket.holder is None else "held"

    def _end_of(self, key: Key) -> str | None:
        """Return how a claim has ended, None where it has not or is not known."""
        known = self.claims.get(key)
        return known if isinstance(known, str) else None

    def _is_live(self, key: Key, number: str) -> bool:
        """Whether a ticket was granted to a claim that has not ended."""
        answer = self.claims[key]
        return self.asked[key] == number and isinstance(answer, TicketAnswer) and answer.answer == "held"

    def pay(self, number: str) -> str:
        """Pay a ticket at the cashier's desk; return `paid`, or why not."""
        if self.recovering:
            return "recovering"
        worth = self.worth(number)
        if worth == "open":
            self.tickets[number].state = "paid"
            return "paid"
        return worth

    def enter_paid(self, number: str, cents: int) -> None:
        """Enter, after a restore, that the desk has paid a ticket since the backup."""
        ticket = self.tickets.setdefault(number, Ticket(cents))
        if ticket.state not in ("open", "held", "paid"):
            raise ContradictionError(f"ticket {number} is {ticket.state}")
        ticket.state, ticket.holder = "paid", None

    def enter(self, number: str, cents: int) -> None:
        """Enter a ticket that nobody's books have, as two people do."""
        assert number not in self.tickets
        self.tickets[number] = Ticket(cents)
