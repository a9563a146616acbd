"""What the feature adds to the cabinet."""

from controller.feature import Command, Feature

FEATURE = Feature(
    events="events:HostEvent",
    faults="faults:FAULTS",
    commands={
        "meters": Command("meters_command:meters", "The list of all soft meters, as it is handed over."),
    },
    tables={"host_port": "configuration:HostPort", "host_port_2": "configuration:HostPort"},
    rules="configuration:problems",
    schema="schema:HOSTS",
    journal="books:JOURNAL",
    rows_kept_by_restore="rows:keep_hosts",
    pages=("page",),
    part="fitting:host_lines",
)
