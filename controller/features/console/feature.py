"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    events="events:ConsoleEvent",
    commands={
        "service": Command("command:service", "The service menu of a running cabinet, on this console."),
    },
    part="fitting:console",
    locked_part="fitting:locked_console",
)
