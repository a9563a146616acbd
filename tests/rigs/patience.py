"""How long tests wait for real processes; they claim nothing of how long those take."""

import time
from collections.abc import Callable

PATIENCE_S = 600.0
"""Longer than anything takes where forty programs want two cores; what is awaited longer never comes."""
_LOOK_S = 0.02


def until(holds: Callable[[], bool]) -> None:
    """Wait until that is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(_LOOK_S)
