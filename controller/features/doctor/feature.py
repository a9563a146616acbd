"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    events="events:GuideEvent",
    commands={
        "doctor": Command("command:doctor", "What is really there, each with its mend."),
    },
    pages=("guide.steps",),
    extend_menu="set_up:add_guide",
    part="set_up:search",
)
