"""Demo mode (U.9): a journal that counts no money. It begins right after a full clear and ends with another one."""

from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.generations import ORIGIN
from controller.journal.ledger import first_of_kind
from controller.journal.transaction import Transaction

KIND = "demo_mode"
"""The kind of the ledger row that begins demo mode."""

GIVEN, TAKEN = "demo_in", "demo_out"
"""The meters of free credits given, and of free credits taken back by COLLECT or at the end."""


def is_on(tx: Transaction) -> bool:
    """Whether these books are in demo mode."""
    return first_of_kind(tx, KIND) is not None


def begin(tx: Transaction, who: str) -> None:
    """Begin demo mode; raise `RefusedError` unless the journal has had no money and no round since a full clear."""
    if is_on(tx):
        raise RefusedError("Demo mode is on already")
    if first_of_kind(tx, ORIGIN) is None:
        raise RefusedError("Demo mode begins only right after a full clear (U.8)")
    if (
        tx.execute("SELECT 1 FROM ledger WHERE credit_delta <> 0").fetchone()
        or tx.execute("SELECT 1 FROM notes UNION SELECT 1 FROM open_items UNION SELECT 1 FROM rounds").fetchone()
    ):
        raise RefusedError("Money was counted since the full clear: clear again first (U.8)")
    tx.post(KIND, data={"who": who})
    tx.event(Event.DEMO_BEGUN, who=who)


def goes_on(tx: Transaction, who: str) -> None:
    """Begin demo mode in a journal that was rebuilt from one in demo mode, so that its free credits stay free."""
    tx.post(KIND, data={"who": who})
    tx.event(Event.DEMO_GOES_ON)


def give(tx: Transaction, cents: int) -> None:
    """Add free credits; raise `RefusedError` outside demo mode."""
    if not is_on(tx):
        raise RefusedError("Free credits are given in demo mode alone")
    tx.post("demo_credit", credit=cents, meters={GIVEN: cents})


def take_back(tx: Transaction) -> None:
    """Take all free credits back without payment; raise `RefusedError` outside demo mode."""
    if not is_on(tx):
        raise RefusedError("Free credits are given in demo mode alone")
    if credit := tx.credit_cents:
        tx.post("demo_credit", credit=-credit, meters={TAKEN: credit})
