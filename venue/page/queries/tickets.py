"""Tickets: what each is worth, which are open, what the days add up to; and acts on them. Amounts are cents."""

from datetime import date

from venue.page.queries.rows import Row, row, rows, value

SHOWN = 4
"""How many digits of a number are read in lists, from its end."""
_TICKET = """
    SELECT t.*, venue.worth_of(t) AS worth, c.label, h.label AS holder_label,
           h.distrusted OR c.distrusted AS of_distrusted, k.at AS held_at,
           p.payment, p.slips, p.by AS paid_by, p.at AS paid_at
    FROM venue.ticket t LEFT JOIN venue.cabinet c USING (cabinet) LEFT JOIN venue.cabinet h ON h.cabinet = t.holder
    LEFT JOIN venue.ticket_claim k ON (k.cabinet, k.epoch, k.claim) = (t.holder, t.holder_epoch, t.holder_claim)
    LEFT JOIN venue.ticket_payment p ON p.number = t.number
"""


def look_up(number: str, by: str, *, presented: bool) -> str:
    """Return what a number is worth: `open`, or why nothing; `wait` after too many unknown ones.

    One that is `presented` and worth nothing is kept as a try, and may alarm; an unknown number always.
    """
    return str(value("SELECT venue.look_up_ticket(%s, %s, %s)", [number, presented, by]))


def one(number: str) -> Row | None:
    """Return a ticket with its cabinets and its payment."""
    return row(_TICKET + " WHERE t.number = %s", [number])


def listed(serial: int) -> Row | None:
    """Return the ticket that a list has under that serial number."""
    return row(_TICKET + " WHERE t.serial = %s", [serial])


def still_open(text: str, cabinet: int | None, limit: int, offset: int) -> list[Row]:
    """Return tickets that nobody has redeemed, the newest first, of a cabinet and with these last digits.

    More than four would let a number be found digit by digit.
    """
    return rows(
        _TICKET + " WHERE t.state IN ('open', 'held') AND (%(cabinet)s::int IS NULL OR t.cabinet = %(cabinet)s)"
        " AND (%(text)s = '' OR right(t.number, length(%(text)s)) = %(text)s)"
        " ORDER BY t.known_at DESC LIMIT %(limit)s OFFSET %(offset)s",
        {"text": text[-SHOWN:], "cabinet": cabinet, "limit": limit, "offset": offset},
    )


def liability() -> Row:
    """Return what all open tickets are worth, how many they are, and what of it has expired."""
    found = row(
        "SELECT count(*) AS tickets, coalesce(sum(cents), 0)::bigint AS cents,"
        " coalesce(sum(cents) FILTER (WHERE expires_at <= now()), 0)::bigint AS expired"
        " FROM venue.ticket WHERE state IN ('open', 'held')"
    )
    return found or {"tickets": 0, "cents": 0, "expired": 0}


def days(since: date, until: date) -> list[Row]:
    """Return what each day's tickets add up to; open before, printed, redeemed, paid, void, open after, expired."""
    return rows("SELECT * FROM venue.ticket_days(%s, %s)", [since, until])


def proposals() -> list[Row]:
    """Return what waits for a second person."""
    return rows(
        "SELECT p.*, t.serial FROM venue.ticket_proposal p LEFT JOIN venue.ticket t USING (number)"
        " WHERE p.state = 'proposed' ORDER BY proposal"
    )


def proposal_of(number: str) -> Row | None:
    """Return what waits for a second person about a ticket."""
    return row("SELECT * FROM venue.ticket_proposal WHERE number = %s AND state = 'proposed'", [number])


def trouble() -> list[Row]:
    """Return the newest tickets that a person must look into: paid once more, one number on two, or held in bad hands.

    What a cabinet that is not trusted says comes last; what it held, until two people have decided about it.
    """
    return rows(
        "SELECT r.*, c.label, t.serial FROM venue.ticket_trouble r JOIN venue.cabinet c USING (cabinet)"
        " LEFT JOIN venue.ticket t USING (number)"
        " WHERE r.kind <> 'distrusted' OR t.state = 'held' OR (t.state, t.cabinet) = ('void', r.cabinet)"
        " ORDER BY c.distrusted, r.trouble DESC LIMIT 60"
    )


def recovering() -> bool:
    """Whether the venue recovers, and no ticket is paid."""
    return bool(value("SELECT venue.tickets_recover()"))


def pay(number: str, cents: int, key: str, by: str) -> tuple[str, int | None]:
    """Pay a ticket in cash; return `paid` and the payment's number, or why it was not paid."""
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
    """Count a slip of a payment; return how many there are now."""
    return int(value("SELECT venue.count_ticket_slip(%s, %s)", [payment, by]))


def propose(act: str, number: str, cents: int | None, why: str, by: str) -> None:
    """Propose an act that takes two people; raises `DatabaseError` where it does not fit the ticket."""
    value("SELECT venue.propose_ticket_act(%s, %s, %s, %s, %s)", [act, number, cents, why, by])


def decide(proposal: int, by: str, *, approve: bool) -> None:
    """Approve or reject a proposed act; raises `DatabaseError` for the proposer's own approval."""
    value("SELECT venue.decide_ticket_act(%s, %s, %s)", [proposal, approve, by])


def enter_paid(number: str, cents: int, why: str, by: str) -> None:
    """Enter a ticket that was paid since the backup; raises `DatabaseError` where the venue does not recover."""
    value("SELECT venue.enter_paid_ticket(%s, %s, %s, %s)", [number, cents, why, by])
