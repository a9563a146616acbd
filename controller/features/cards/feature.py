"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    tables={"cards": "configuration:Cards"},
    rules="configuration:problems",
    schema="schema:CARDS",
    explained="journal:EXPLAINED",
)
