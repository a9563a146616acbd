"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    events="events:TicketEvent",
    tables={"tickets": "configuration:Tickets"},
    rules="configuration:problems",
    part="fitting:TicketPart",
    pages=("lost_page",),
    lines={"A.2": "slips_page:hand_pays", "U.3": "slips_page:collections", "M.2": "slips_page:meters"},
)
