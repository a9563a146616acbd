"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    commands={
        "demo": Command("command:demo", "The whole cabinet with simulated hardware."),
    },
)
