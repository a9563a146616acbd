"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    events="events:CopyEvent",
    commands={
        "rebuild": Command("rebuild_command:rebuild_books", "Make lost books anew from their second copy."),
        "restore": Command("restore_command:restore", "Restore a backup in place of lost or cleared books."),
    },
    pages=("page",),
    lines={"U.6": "backup_page:backup_lines"},
)
