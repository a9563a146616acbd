"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    tables={"host_port": "configuration:HostPort", "host_port_2": "configuration:HostPort"},
    rules="configuration:problems",
    pages=("page",),
    part="fitting:host_lines",
)
