"""How a display that went deaf is ended; whoever started it starts another."""

import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path

_log = logging.getLogger(__name__)

REQUEST = "end-display"
"""The file in the run directory that asks the service manager to end the display (cabinet-display-end.path)."""


def end_display(pid: int, run_dir: Path, kill: Callable[[int, int], None] = os.kill) -> None:
    """End the display process `pid`: by a signal where it is ours, else by asking the service manager for it.

    In production supervisor and display have users of their own, and neither may kill the other's processes.
    """
    try:
        kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        _log.info("the deaf display %d had ended already", pid)
    except PermissionError:
        (run_dir / REQUEST).touch()
