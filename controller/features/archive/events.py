"""The events of archives."""

from controller.journal.event_catalogue import EventKind


class ArchiveEvent(EventKind):
    """What archives log."""

    BOOKS_ARCHIVED = "books_archived", "Archived: {name} ({megabytes} MB) holds all rows to {row}"
