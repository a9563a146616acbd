"""Every short history of one ticket, of which a restored venue has an earlier part and hears the facts in any order."""

import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import psycopg
from psycopg.types.json import Jsonb

from tests.rigs.model_tickets import ModelTickets
from tests.rigs.postgres import VenueDatabase

NUMBER, CENTS = "001234567890123456", 500
PRINTED_MS, EPOCH = 1_790_000_000_000, 1
CABINETS = (1, 2)
ENDS = ("redeemed", "void", "held", "released", "paid")
"""How the last of a history's steps ends: `paid` is the cashier's desk."""


class Step(NamedTuple):
    """A claim of a cabinet and its end, or the desk's payment where `cabinet` is 0."""

    cabinet: int
    claim: int
    end: str


@dataclass(frozen=True)
class History:
    """One ticket of cabinet 1, claimed by one after the other; each but the last gave it back."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return ", ".join(f"{step.cabinet}:{step.end}" for step in self.steps) or "printed"

    @property
    def state(self) -> str:
        """What the ticket is in truth."""
        end = self.steps[-1].end if self.steps else "released"
        return "open" if end == "released" else end

    @property
    def moments(self) -> int:
        """How many acts a venue sees of it: the print, and two for each claim."""
        return 1 + 2 * len(self.steps)

    def facts(self) -> list[dict[str, Any] | str]:
        """What is handed over again after a restore: by the cabinets, and by whoever enters the desk's papers."""
        facts: list[dict[str, Any] | str] = [issue()]
        facts += ["paid" if step.end == "paid" else fact(step) for step in self.steps]
        return facts


def histories(most: int) -> Iterator[History]:
    """Return all of at most so many steps."""
    for count in range(most + 1):
        for cabinets in itertools.product(CABINETS, repeat=count):
            for end in ENDS if count else ("released",):
                ends = [*["released"] * (count - 1), end]
                yield History(tuple(_steps(cabinets, ends)))


def _steps(cabinets: Sequence[int], ends: Sequence[str]) -> Iterator[Step]:
    asked = dict.fromkeys(CABINETS, 0)
    for cabinet, end in zip(cabinets, ends, strict=False):
        asked[cabinet] += 1
        yield Step(0 if end == "paid" else cabinet, asked[cabinet], end)


def issue() -> dict[str, Any]:
    """The fact that the ticket was printed."""
    row = {"kind": "issue", "number": NUMBER, "cents": CENTS, "epoch": EPOCH, "ticket": 1, "cabinet": 1}
    return row | {"issued_ms": PRINTED_MS, "expires_ms": None}


def fact(step: Step) -> dict[str, Any]:
    """The fact of a claim's end."""
    row = {"kind": "claim", "number": NUMBER, "cents": CENTS, "epoch": EPOCH, "claim": step.claim, "state": step.end}
    return row | {"cabinet": step.cabinet}


class Desk(Protocol):
    """A venue with no ticket; `begin` brings that state back."""

    def begin(self) -> None:
        """Begin anew."""

    def claim(self, cabinet: int, claim: int) -> None:
        """Grant the ticket to a claim."""

    def pay(self) -> None:
        """Pay the ticket in cash."""

    def lose(self) -> None:
        """The venue goes on from here as one that was restored."""

    def enter_paid(self) -> None:
        """Enter that the desk has paid the ticket since."""

    def take(self, row: dict[str, Any]) -> None:
        """Take a cabinet's fact."""

    def found(self) -> tuple[str, int]:
        """Return the ticket's state, and how many troubles there are."""


def orders(desk: Desk, history: History, times: Sequence[int] = (1, 2)) -> Iterator[tuple[str, tuple[str, int]]]:
    """Return, for each backup and each order of the facts, so many times each, what it was and what the venue has."""
    for had in range(history.moments + 1):
        for order in itertools.permutations(history.facts()):
            for repeats in times:
                desk.begin()
                _play(desk, history, had)
                desk.lose()
                for row in order * repeats:
                    if row == "paid":
                        desk.enter_paid()
                    elif isinstance(row, dict):
                        desk.take(row)
                yield f"{history}; backup after {had}; {order}", desk.found()


def _play(desk: Desk, history: History, most: int) -> None:
    """Let the first `most` acts of a history happen."""
    acts: list[Callable[[], object]] = [lambda: desk.take(issue())]
    for step in history.steps:
        if step.end == "paid":
            acts += [desk.pay, lambda: None]
        else:
            acts += [lambda step=step: desk.claim(step.cabinet, step.claim), lambda step=step: desk.take(fact(step))]  # type: ignore[misc]
    for act in acts[:most]:
        act()


class ModelDesk:
    """A venue in memory."""

    def begin(self) -> None:
        """Begin anew."""
        self.books = ModelTickets()

    def claim(self, cabinet: int, claim: int) -> None:
        """Grant the ticket to a claim."""
        assert self.books.claim(cabinet, EPOCH, claim, NUMBER).answer == "held"

    def pay(self) -> None:
        """Pay the ticket in cash."""
        assert self.books.pay(NUMBER) == "paid"

    def lose(self) -> None:
        """Recover."""
        self.books = copy.deepcopy(self.books)
        self.books.recovering = True

    def enter_paid(self) -> None:
        """Enter the payment."""
        self.books.enter_paid(NUMBER, CENTS)

    def take(self, row: dict[str, Any]) -> None:
        """Take a fact."""
        self.books.take(row["cabinet"], [row])

    def found(self) -> tuple[str, int]:
        """Return what it has."""
        return self.books.tickets[NUMBER].state, len(self.books.trouble)


class RealDesk:
    """A venue in PostgreSQL: one connection speaks for all of its cabinets, in one round trip, and rolls back.

    Each time the ticket and its claims have other numbers: rows that were rolled back would slow down every search.
    """

    def __init__(self, database: VenueDatabase) -> None:
        self._admin = psycopg.ClientCursor(psycopg.connect(database.dsn(), autocommit=True))
        self._times = 0
        self._script: list[str] = []
        self._sessions: dict[int, int] = {}
        for cabinet in CABINETS:
            database.add_cabinet(cabinet)
            self._as(cabinet, "SELECT session FROM venue.hello(0, '{}', 0, %s, '{}')", f"{cabinet:064x}")
            self._sessions[cabinet] = int(self._run()[-2][0])

    def close(self) -> None:
        """End the connection."""
        self._admin.connection.close()

    def _run(self) -> list[tuple[Any, ...]]:
        """Run what was written, and return the first row of each statement."""
        self._admin.execute(";".join(self._script).encode())
        self._script = []
        rows: list[tuple[Any, ...]] = []
        more: bool | None = True
        while more:
            rows.append((self._admin.fetchone() or ()) if self._admin.description else ())
            more = self._admin.nextset()
        return rows

    def _do(self, statement: str, *parameters: object) -> None:
        self._script.append(self._admin.mogrify(statement.encode(), parameters))

    def _as(self, cabinet: int, statement: str, *parameters: object) -> None:
        self._do(f"SET SESSION AUTHORIZATION cab_{cabinet}")
        self._do(statement, *parameters)
        self._do("RESET SESSION AUTHORIZATION")

    @property
    def _number(self) -> str:
        return f"{self._times:018d}"

    def _claim(self, claim: int) -> int:
        return self._times * 10 + claim

    def begin(self) -> None:
        """Begin anew."""
        self._times += 1
        self._script = ["ROLLBACK", "BEGIN"]

    def claim(self, cabinet: int, claim: int) -> None:
        """Ask for the ticket."""
        call = "SELECT answer FROM venue.ticket_claim(%s, %s, %s, %s)"
        self._as(cabinet, call, self._sessions[cabinet], EPOCH, self._claim(claim), self._number)

    def pay(self) -> None:
        """Pay the ticket in cash."""
        self._do("SELECT answer FROM venue.pay_ticket(%s, %s, 'form-key', 'anna')", self._number, CENTS)

    def lose(self) -> None:
        """Recover."""
        self._do("SELECT venue.begin_recovery('restored', 'anna')")

    def enter_paid(self) -> None:
        """Enter the payment, unless it is there."""
        self._do(
            "SELECT venue.enter_paid_ticket(%s, %s, 'the paper', 'anna') WHERE NOT EXISTS"
            " (SELECT FROM venue.ticket WHERE number = %s AND state = 'paid')",
            self._number,
            CENTS,
            self._number,
        )

    def take(self, row: dict[str, Any]) -> None:
        """Take a fact."""
        cabinet, named = row["cabinet"], row | {"number": self._number}
        if "claim" in row:
            named["claim"] = self._claim(row["claim"])
        self._as(cabinet, "SELECT venue.tickets(%s, %s)::text", self._sessions[cabinet], Jsonb([named]))

    def found(self) -> tuple[str, int]:
        """Return what it has."""
        self._do(
            "SELECT (SELECT state FROM venue.ticket WHERE number = %s), (SELECT count(*) FROM venue.ticket_trouble)",
            self._number,
        )
        state, troubles = self._run()[-1]
        return str(state), int(troubles)
