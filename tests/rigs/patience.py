"""How long tests wait for real processes; they claim nothing of how long those take."""

import time
from collections.abc import Callable

PATIENCE_S = 120.0
"""On a machine that others use too a supervisor may take half a minute to start."""
_LOOK_S = 0.02


def until(holds: Callable[[], bool]) -> None:
    """Wait until that is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(_LOOK_S)
