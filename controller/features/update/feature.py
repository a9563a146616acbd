"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    events="events:UpdateEvent",
    faults="faults:FAULTS",
    commands={
        "software": Command("command:software", "Prove what is installed; sign and bundle a release."),
    },
    pages=("page",),
    extend_menu="fitting:add_program",
    part="fitting:RunningProgram",
    proof="software_watch:proved_now",
    is_on_trial="orders:is_on_trial",
)
