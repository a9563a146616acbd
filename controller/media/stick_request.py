"""Request the mounting of USB sticks from the service manager by a file while the service menu is open, and watch them.

cabinet-sticks.path waits for the file in the run directory. cabinet-sticks.service mounts the sticks below /media while
the file exists, and then unmounts them. The supervisor itself may not mount.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from common.error_words import error_words
from controller.configuration.named_files import STICKS_WANTED
from drivers.clock import Clock

_log = logging.getLogger(__name__)

_LOOK_S = 0.5


async def ask_for_sticks(wanted: Callable[[], bool], run_dir: Path, clock: Clock) -> None:
    """Keep the request file in place while `wanted()`, until cancelled; it is always removed at the end.

    If the run directory cannot be written, that is logged once, and there are no sticks.
    """
    request = run_dir / STICKS_WANTED
    request.unlink(missing_ok=True)
    logged = False
    try:
        while True:
            try:
                if wanted():
                    request.touch()
                else:
                    request.unlink(missing_ok=True)
                logged = False
            except OSError as error:
                if not logged:
                    _log.warning("no USB stick can be asked for: %s", error_words(error))
                logged = True
            await clock.sleep(_LOOK_S)
    finally:
        request.unlink(missing_ok=True)


async def watch_sticks(
    wanted: Callable[[], bool], there: Callable[[], Sequence[Path]], on_change: Callable[[], None], clock: Clock
) -> None:
    """Call `on_change` whenever other sticks are `there` than before, while `wanted()`; until cancelled."""
    seen: tuple[Path, ...] = ()
    while True:
        is_wanted = wanted()
        found = tuple(there()) if is_wanted else ()
        if is_wanted and found != seen:
            on_change()
        seen = found
        await clock.sleep(_LOOK_S)
