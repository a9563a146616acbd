"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    events="events:CareEvent",
    lines={"C.8": "preset_lines:preset_lines"},
    sessions="care:CareKeeper",
    session_pages="pages:CarePages",
)
