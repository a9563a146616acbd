"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    commands={
        "software": Command("command:software", "Prove what is installed; sign and bundle a release."),
    },
    pages=("page",),
)
