"""A demo that opens before all is baked: its first game is waited for, the others join the lobby as they come."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from controller.demo.processes import GivenUpError, Process, end, spawn, tail

FIRST_WHOLE = "first game whole"
"""What `python -m ui.bake --first GAME` prints when the game and what all need are baked."""
_LOOK_S = 0.05


class Baking:
    """The bake beside a demo; `with` ends it, which leaves nothing half, and the next one goes on with the rest."""

    def __init__(self, baked: Path, game: str, log: Path) -> None:
        command = [sys.executable, "-m", "ui.bake", "--out", str(baked), "--scale", "1", "--first", game]
        self._log = log
        self._from = log.stat().st_size if log.exists() else 0
        self._process: Process = spawn(command, log, shown=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        end(self._process)

    def wait(self, stopped: Callable[[], bool]) -> bool:
        """Wait until the first game is whole; return False where the demo is stopped before.

        Raises `GivenUpError` where the bake ends without it.
        """
        while not self._is_first_whole():
            if stopped():
                return False
            if self._process.poll() is not None and not self._is_first_whole():
                raise GivenUpError(f"the bake ended before the first game was whole; {tail(self._log)}")
            time.sleep(_LOOK_S)
        return True

    def _is_first_whole(self) -> bool:
        with self._log.open("rb") as file:
            file.seek(self._from)
            return FIRST_WHOLE.encode() in file.read()
