"""Whether the machine is closed for players; the state survives a power cut."""

from controller.journal.event_catalogue import Event
from controller.journal.key_value import SETTINGS
from controller.journal.transaction import Transaction

_CLOSED = "out_of_service"


def is_out_of_service(tx: Transaction) -> bool:
    """Whether the machine has been closed for players."""
    return SETTINGS.get(tx, _CLOSED) == "true"


def set_out_of_service(tx: Transaction, *, closed: bool, who: str) -> None:
    """Close the machine for players, or open it again."""
    SETTINGS.store(tx, _CLOSED, "true" if closed else "false")
    tx.event(Event.CLOSED_FOR_PLAYERS if closed else Event.OPENED_FOR_PLAYERS, who=who)
