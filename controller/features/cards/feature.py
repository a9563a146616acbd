"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    events="events:CardEvent",
    tables={"cards": "configuration:Cards"},
    rules="configuration:problems",
    schema="schema:CARDS",
    extend_menu="desk:add_cards",
    part="fitting:fit_reader",
    lines={"C.7.person": "page:card_lines"},
    check="reader_finding:card_reader",
    settle="card_file:settle_cards",
    rows_kept_by_restore="journal:keep_cards",
    explained="journal:EXPLAINED",
)
