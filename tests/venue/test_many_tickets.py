"""Tickets that many cabinets and the cashiers ask for at the same moment: each is paid once, to one of them."""

import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import NOON_MS, VenueCabinet
from tests.venue.conftest import Enrol

CENTS = 1250
CASHIERS = 4


def number_of(ticket: int) -> str:
    return f"00{ticket:016d}"


def printed(cabinet: VenueCabinet, tickets: int) -> None:
    """Hand over so many printed tickets."""
    for first in range(1, tickets + 1, 500):
        rows = [
            {
                "kind": "issue",
                "number": number_of(ticket),
                "cents": CENTS,
                "epoch": cabinet.epoch,
                "ticket": ticket,
                "issued_ms": NOON_MS,
                "expires_ms": None,
            }
            for ticket in range(first, min(first + 500, tickets + 1))
        ]
        cabinet.call("tickets", cabinet.session, Jsonb(rows))


def taken(cabinet: VenueCabinet, tickets: list[int]) -> list[int]:
    """Put every ticket into a cabinet, and redeem what it is granted; return these."""
    won = []
    for claim, ticket in enumerate(tickets, 1):
        (answer,) = cabinet.call("ticket_claim", cabinet.session, cabinet.epoch, claim, number_of(ticket))
        if answer.cents is not None:  # without its worth it is held by another cabinet
            assert answer == ("held", CENTS)
            row = {"kind": "claim", "number": number_of(ticket), "cents": CENTS, "epoch": cabinet.epoch, "claim": claim}
            for _ in range(2):
                cabinet.call("tickets", cabinet.session, Jsonb([row | {"state": "redeemed"}]))
            won.append(ticket)
        else:
            assert answer.answer in ("held", "redeemed")
    return won


def paid(
    database: VenueDatabase, cashier: int, tickets: list[int], form: Callable[[int], str]
) -> list[tuple[int, int]]:
    """Hand every ticket in at the desk; return each that was paid with its payment."""
    found = []
    with closing(database.connect("venue_page")) as page:
        for ticket in tickets:
            row = page.execute(
                "SELECT answer, payment FROM venue.pay_ticket(%s, %s, %s, %s)",
                (number_of(ticket), CENTS, form(ticket), f"cashier {cashier}"),
            ).fetchone()
            assert row is not None
            if row[0] == "paid":
                found.append((ticket, int(row[1])))
    return found


@pytest.mark.parametrize(
    ("cabinets", "tickets"),
    [(6, 1), (6, 20), pytest.param(200, 1, marks=pytest.mark.proof), pytest.param(200, 300, marks=pytest.mark.proof)],
)
def test_each_ticket_is_paid_once(venue_database: VenueDatabase, cabinets: int, tickets: int) -> None:
    """Every cabinet and every cashier has a copy of every paper; each form is sent by two browsers at once."""
    lines = [
        VenueCabinet(venue_database.dsn(venue_database.add_cabinet(me)), identity=f"{me:064x}")
        for me in range(1, cabinets + 1)
    ]
    for line in lines:
        line.hello()
    printed(lines[0], tickets)
    start = threading.Barrier(cabinets + 2 * CASHIERS)
    draws = random.Random(tickets)
    orders = [draws.sample(range(1, tickets + 1), tickets) for _ in range(cabinets + CASHIERS)]

    def play(me: int) -> list[int]:
        start.wait(120)
        return taken(lines[me], orders[me])

    def cash(at: int) -> list[tuple[int, int]]:
        start.wait(120)
        cashier = at // 2
        return paid(venue_database, cashier, orders[cabinets + cashier], lambda ticket: f"form {cashier} {ticket}")

    with ThreadPoolExecutor(cabinets + 2 * CASHIERS) as pool:
        playing = [pool.submit(play, me) for me in range(cabinets)]
        cashing = [pool.submit(cash, at) for at in range(2 * CASHIERS)]
        won = [ticket for each in playing for ticket in each.result()]
        payments = {payment for each in cashing for payment in each.result()}
    for line in lines:
        line.connection.close()
    assert Counter(won) + Counter(ticket for ticket, _ in payments) == Counter(range(1, tickets + 1))
    states = Counter(str(state) for (state,) in venue_database.ask("SELECT state FROM venue.ticket"))
    assert states == Counter({"redeemed": len(won), "paid": len(payments)}) - Counter()
    assert venue_database.ask("SELECT count(*) FROM venue.ticket_payment") == [(len(payments),)]
    assert venue_database.ask("SELECT count(*) FROM venue.ticket_trouble") == [(0,)]


@pytest.mark.parametrize("act", ["reopen", "void"])
def test_what_two_people_do_to_a_held_ticket_is_about_that_holder(
    venue_database: VenueDatabase, enrol: Enrol, act: str
) -> None:
    """Proposed while one cabinet held it, approved when another one has it in escrow: refused."""
    first, second = enrol(2)
    printed(first, 1)
    row = {"kind": "claim", "number": number_of(1), "cents": CENTS, "epoch": first.epoch, "claim": 1}
    assert first.call("ticket_claim", first.session, first.epoch, 1, number_of(1)) == [("held", CENTS)]
    with venue_database.connect("venue_page") as page:
        propose = "SELECT venue.propose_ticket_act(%s, %s, NULL, 'its holder is gone', 'anna')"
        proposed = page.execute(propose, (act, number_of(1))).fetchone()
        first.call("tickets", first.session, Jsonb([row | {"state": "released"}]))
        assert second.call("ticket_claim", second.session, second.epoch, 1, number_of(1)) == [("held", CENTS)]
        decide = "SELECT venue.decide_ticket_act(%s, true, 'bea')"
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="since: reject this"):
            page.execute(decide, proposed)
    assert venue_database.ask("SELECT state, holder FROM venue.ticket") == [("held", 2)]
