"""The events of copies of the books."""

from controller.journal.event_catalogue import EventKind


class CopyEvent(EventKind):
    """What copies of the books log."""

    TICKETS_OF_BACKUP = (
        "open_item",
        "Tickets of {cents} are printed in the restored backup: {tickets}; what became of them since is unknown",
    )
    BACKUP = "backup", "Backed up by the {who} to the stick {stick}: {name}"
