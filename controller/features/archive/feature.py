"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    schema="schema:ARCHIVES",
)
