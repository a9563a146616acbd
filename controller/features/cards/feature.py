"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    tables={"cards": "configuration:Cards"},
    rules="configuration:problems",
    schema="schema:CARDS",
    settle="card_file:settle_cards",
    explained="journal:EXPLAINED",
)
