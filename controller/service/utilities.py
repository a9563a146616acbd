"""U: what moves the books on purpose: collection."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from controller.journal.periods import close_period, periods
from controller.journal.transaction import Transaction
from controller.service.attendant import moment
from controller.service.leaf import Act, Deed, Leaf, Line

if TYPE_CHECKING:
    from controller.machine import Machine

CLOSED = "The period is closed"
KEPT = 12
"""How many closed periods the page lists."""


def _collection(tx: Transaction, _machine: "Machine") -> Sequence[Line]:
    closed = periods(tx, KEPT)
    return (
        Line("Collect and close the period", leads=Act(_close, question="Close the period now?", asks=2)),
        *(
            Line(
                "Period {place}",
                moment(period.closed_ms),
                place=str(period.number),
                cents=period.meters.get("coins_in", 0) + period.meters.get("notes_in", 0),
            )
            for period in closed
        ),
    )


def _close(tx: Transaction, deed: Deed) -> str:
    close_period(tx, deed.who)
    return CLOSED


LEAVES = (Leaf("U.3", "Collection", _collection, technician=True),)
