"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    events="events:VenueEvent",
    faults="faults:FAULTS",
    commands={
        "venue": Command("command:venue", "Set up and look after a venue of many cabinets."),
    },
    tables={"venue": "configuration:VenueAddress"},
    schema="schema:ALL",
    journal="books:JOURNAL",
    part="fitting:venue_part",
    locked_part="fitting:locked_venue",
    pages=("page",),
    lines={"C.8": "proposals:proposal_lines"},
)
