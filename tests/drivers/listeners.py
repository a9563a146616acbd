"""The bench of `test_order_of_writes`, which others use too."""

import inspect

from drivers import capabilities

LISTENERS = tuple(
    found
    for name, found in vars(capabilities).items()
    if inspect.isclass(found) and name.endswith(("Listener", "Books", "Log", "Faults"))
)
"""Whatever a driver may call, by the drivers' own module."""
