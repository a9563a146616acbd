"""The host ports' part in transactions of the core."""

from controller.features.sas.rows import host_rows, unsettled
from controller.journal.parts import JournalPart
from controller.journal.transaction import Transaction


def _forget_numbers(tx: Transaction) -> None:
    """Discard what hosts have not read about tickets: numbers that cannot be decrypted cannot be reported."""
    tx.execute("UPDATE host_records SET read = 1")
    tx.execute("DELETE FROM host_records")
    tx.execute("UPDATE host_redemptions SET state = 'ended', status = 0 WHERE state <> 'ended'")
    tx.execute("UPDATE host_redemptions SET closed = 1")
    tx.execute("DELETE FROM host_redemptions")


JOURNAL = JournalPart(
    unsettled=unsettled,
    carried=host_rows,
    ticket_numbers=(("host_records", "number"), ("host_redemptions", "number")),
    forget_numbers=_forget_numbers,
)
