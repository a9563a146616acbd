"""Queries and actions for tickets: their state, open tickets, daily totals, payments. Amounts are cents."""

from datetime import date

from venue.page.queries.rows import Row, row, rows, value

SHOWN = 4
"""Number of final digits of a ticket's number that lists show and search."""
_TICKET = """
    SELECT t.*, venue.worth_of(t) AS worth, c.label, h.label AS holder_label,
           h.distrusted OR c.distrusted AS of_distrusted, k.at AS held_at,
           p.payment, p.slips, p.by AS paid_by, p.at AS paid_at
    FROM venue.ticket t LEFT JOIN venue.cabinet c USING (cabinet) LEFT JOIN venue.cabinet h ON h.cabinet = t.holder
    LEFT JOIN venue.ticket_claim k ON (k.cabinet, k.epoch, k.claim) = (t.holder, t.holder_epoch, t.holder_claim)
    LEFT JOIN venue.ticket_payment p ON p.number = t.number
"""


def look_up(number: str, by: str, *, presented: bool) -> str:
    """Return `open` for a payable ticket, else the reason why not; `wait` after too many unknown numbers.

    The database records an attempt, which may raise an alarm, for every unknown number, and for a redeemed or expired
    ticket that is `presented`.
    """
    return str(value("SELECT venue.look_up_ticket(%s, %s, %s)", [number, presented, by]))


def one(number: str) -> Row | None:
    """Return a ticket by number, with its cabinets and its payment; None if it is unknown."""
    return row(_TICKET + " WHERE t.number = %s", [number])


def listed(serial: int) -> Row | None:
    """Return a ticket by the serial number that lists use; None if it is unknown."""
    return row(_TICKET + " WHERE t.serial = %s", [serial])


def still_open(text: str, cabinet: int | None, limit: int, offset: int) -> list[Row]:
    """Return unredeemed tickets, newest first, filtered by cabinet and by the last digits of the number.

    Only `SHOWN` digits are compared, so that a whole number cannot be found digit by digit.
    """
    return rows(
        _TICKET + " WHERE t.state IN ('open', 'held') AND (%(cabinet)s::int IS NULL OR t.cabinet = %(cabinet)s)"
        " AND (%(text)s = '' OR right(t.number, length(%(text)s)) = %(text)s)"
        " ORDER BY t.known_at DESC LIMIT %(limit)s OFFSET %(offset)s",
        {"text": text[-SHOWN:], "cabinet": cabinet, "limit": limit, "offset": offset},
    )


def liability() -> Row:
    """Return the number and total of all open tickets, and the total of the expired ones among them."""
    found = row(
        "SELECT count(*) AS tickets, coalesce(sum(cents), 0)::bigint AS cents,"
        " coalesce(sum(cents) FILTER (WHERE expires_at <= now()), 0)::bigint AS expired"
        " FROM venue.ticket WHERE state IN ('open', 'held')"
    )
    return found or {"tickets": 0, "cents": 0, "expired": 0}


def days(since: date, until: date) -> list[Row]:
    """Return each day's ticket totals: open before, printed, redeemed, paid, void, open after, expired."""
    return rows("SELECT * FROM venue.ticket_days(%s, %s)", [since, until])


def proposals() -> list[Row]:
    """Return the proposals that wait for a second person."""
    return rows(
        "SELECT p.*, t.serial FROM venue.ticket_proposal p LEFT JOIN venue.ticket t USING (number)"
        " WHERE p.state = 'proposed' ORDER BY proposal"
    )


def proposal_of(number: str) -> Row | None:
    """Return the proposal for a ticket that waits for a second person; None if there is none."""
    return row("SELECT * FROM venue.ticket_proposal WHERE number = %s AND state = 'proposed'", [number])


def trouble() -> list[Row]:
    """Return tickets to investigate: paid twice, two tickets with one number, or held by a distrusted cabinet.

    Reports from distrusted cabinets come last. A ticket that a distrusted cabinet held is listed until two people have
    decided about it.
    """
    return rows(
        "SELECT r.*, c.label, t.serial FROM venue.ticket_trouble r JOIN venue.cabinet c USING (cabinet)"
        " LEFT JOIN venue.ticket t USING (number)"
        " WHERE r.kind <> 'distrusted' OR t.state = 'held' OR (t.state, t.cabinet) = ('void', r.cabinet)"
        " ORDER BY c.distrusted, r.trouble DESC LIMIT 60"
    )


def recovering() -> bool:
    """Whether the venue is recovering, so that no ticket may be paid."""
    return bool(value("SELECT venue.tickets_recover()"))


def pay(number: str, cents: int, key: str, by: str) -> tuple[str, int | None]:
    """Pay a ticket in cash; return `paid` and the payment's number, or the reason of a refusal.

    A repeated `key` returns the same payment.
    """
    found = row("SELECT * FROM venue.pay_ticket(%s, %s, %s, %s)", [number, cents, key, by]) or {}
    return str(found["answer"]), found["payment"]


def payment(number: int) -> Row | None:
    """Return a payment with its ticket."""
    return row(
        "SELECT p.*, t.serial, t.cabinet, t.issued_at, c.label"
        " FROM venue.ticket_payment p JOIN venue.ticket t USING (number) LEFT JOIN venue.cabinet c USING (cabinet)"
        " WHERE p.payment = %s",
        [number],
    )


def count_slip(payment: int, by: str) -> int:
    """Record that a payment's slip was printed; return how many times it was printed in total."""
    return int(value("SELECT venue.count_ticket_slip(%s, %s)", [payment, by]))


def propose(act: str, number: str, cents: int | None, why: str, by: str) -> None:
    """Propose an action that needs two people; raises `DatabaseError` if the ticket's state forbids it."""
    value("SELECT venue.propose_ticket_act(%s, %s, %s, %s, %s)", [act, number, cents, why, by])


def decide(proposal: int, by: str, *, approve: bool) -> None:
    """Approve or reject a proposed action; raises `DatabaseError` if the proposer approves it."""
    value("SELECT venue.decide_ticket_act(%s, %s, %s)", [proposal, approve, by])


def enter_paid(number: str, cents: int, why: str, by: str) -> None:
    """Enter a ticket that was paid after the backup; raises `DatabaseError` unless the venue is recovering."""
    value("SELECT venue.enter_paid_ticket(%s, %s, %s, %s)", [number, cents, why, by])
