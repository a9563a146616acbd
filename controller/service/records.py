"""H: what has happened: rounds, events, notes and coins, payouts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from controller.journal.transaction import Transaction
from controller.service.attendant import moment
from controller.service.leaf import Leaf, Line
from controller.service.past_rounds import NAMES

if TYPE_CHECKING:
    from controller.machine import Machine

MOST = 200
"""How many entries a page holds; the export holds all."""


def _events(tx: Transaction, _machine: "Machine") -> Sequence[Line]:
    rows = tx.execute(
        "SELECT events.code, events.text, place, at_ms FROM events JOIN ledger USING (seq) ORDER BY seq DESC LIMIT ?",
        (MOST,),
    ).fetchall()
    return [Line(f"{code}: {text} {place}".strip(), moment(at_ms)) for code, text, place, at_ms in rows]


def _money_in(tx: Transaction, _machine: "Machine") -> Sequence[Line]:
    rows = tx.execute(
        "SELECT kind, credit_delta, at_ms FROM ledger WHERE kind IN ('coin', 'note') ORDER BY seq DESC LIMIT ?", (MOST,)
    ).fetchall()
    return [Line(NAMES[kind], moment(at_ms), cents=cents) for kind, cents, at_ms in rows] or (
        Line("No money came yet"),
    )


def _payouts(tx: Transaction, _machine: "Machine") -> Sequence[Line]:
    rows = tx.execute(
        "SELECT kind, paid_cents, state, started_ms FROM payouts ORDER BY id DESC LIMIT ?", (MOST,)
    ).fetchall()
    return [Line(NAMES[kind], f"{state}   {moment(at_ms)}", cents=cents) for kind, cents, state, at_ms in rows] or (
        Line("Nothing was paid yet"),
    )


LEAVES = (
    Leaf("H.2", "Events", _events),
    Leaf("H.3", "Notes and coins", _money_in),
    Leaf("H.4", "Payouts", _payouts),
)
