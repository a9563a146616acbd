"""Ends a display that does not respond; the process that started it starts another."""

import logging
import os
import signal
from collections.abc import Callable
from pathlib import Path

from controller.configuration.named_files import END_DISPLAY

_log = logging.getLogger(__name__)


def end_display(pid: int, run_dir: Path, kill: Callable[[int, int], None] = os.kill) -> None:
    """End the display process `pid`: by a signal if it is ours, otherwise through the service manager.

    In production supervisor and display run as different users, and neither may kill the other's processes.
    """
    try:
        kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        _log.info("the deaf display %d had ended already", pid)
    except PermissionError:
        (run_dir / END_DISPLAY).touch()  # cabinet-display-end.path
