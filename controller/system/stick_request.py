"""USB sticks are mounted only while the service menu is open: the service manager is asked for it by a file.

cabinet-sticks.path waits for the file in the run directory; cabinet-sticks.service mounts what there is below /media
for as long as the file stands, and unmounts it afterwards. The supervisor itself may mount nothing.
"""

import logging
from collections.abc import Callable
from pathlib import Path

from drivers.clock import Clock

_log = logging.getLogger(__name__)

REQUEST = "sticks-wanted"
_LOOK_S = 0.5


async def ask_for_sticks(wanted: Callable[[], bool], run_dir: Path, clock: Clock) -> None:
    """Keep the request standing while `wanted()`, until cancelled; it never outlives this.

    A run directory that takes none is told once in the log: there are no sticks as long as that lasts.
    """
    request = run_dir / REQUEST
    request.unlink(missing_ok=True)
    told = False
    try:
        while True:
            try:
                if wanted():
                    request.touch()
                else:
                    request.unlink(missing_ok=True)
                told = False
            except OSError as error:
                if not told:
                    _log.warning("no USB stick can be asked for: %s", error)
                told = True
            await clock.sleep(_LOOK_S)
    finally:
        request.unlink(missing_ok=True)
