"""What the feature adds to the cabinet."""

from controller.feature import Feature

FEATURE = Feature(
    pages=("page",),
    part="fitting:host_lines",
)
