"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    events="events:ExportEvent",
    commands={
        "export": Command("command:export", "Write the journal's books as signed CSV and JSON."),
        "merge-exports": Command(
            "merge_command:merge_exports",
            "Prove many cabinets' exports, and merge them into one CSV.",
        ),
        "verify-export": Command("command:verify_export", "Prove that files are what a cabinet signed."),
    },
    pages=("page",),
)
