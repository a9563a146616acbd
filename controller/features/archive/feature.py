"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    events="events:ArchiveEvent",
    faults="faults:FAULTS",
    lines={"U.6.archives": "page:archive_lines"},
    finish_closed_books="archiving:finish",
    archiving="archiving:archiving_of",
    part="fitting:archive_watch",
)
