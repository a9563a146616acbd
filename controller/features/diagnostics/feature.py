"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    events="events:DiagnosticEvent",
    pages=("section",),
    lines={"U.14.5": "panel:panel_lines"},
    part="fitting:DeviceTests",
)
