"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    schema="schema:ARCHIVES",
    finish="archiving:finish",
    archiving="archiving:archiving_of",
    part="fitting:archive_watch",
)
