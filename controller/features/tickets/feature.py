"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    tables={"tickets": "configuration:Tickets"},
    rules="configuration:problems",
    pages=("lost_page",),
)
