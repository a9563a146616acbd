"""Opens a demo before all games are baked: it waits for the first game, and the others join the lobby later."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from controller.features.demo.processes import GivenUpError, Process, end, last_line, spawn, tail

FIRST_WHOLE = "first game whole"
"""The output of `python -m ui.bake --first GAME` once that game and the shared files are baked."""
EXPECTED = "Pictures and sounds of the first game are baked, once: about a minute"
_LOOK_S = 0.05
_SAID_AFTER_S = 2.0
"""Seconds within which a bake with nothing to do has ended."""
_SAID_EVERY_S = 10.0


class Baking:
    """The bake that runs beside a demo; `with` ends it without partial files, and the next bake does the rest."""

    def __init__(self, baked: Path, game: str, log: Path) -> None:
        command = [sys.executable, "-m", "ui.bake", "--out", str(baked), "--scale", "1", "--first", game]
        self._log = log
        self._from = log.stat().st_size if log.exists() else 0
        self._process: Process = spawn(command, log, shown=True)
        self._is_failure_said = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        end(self._process)

    def wait(self, stopped: Callable[[], bool], say: Callable[[str], None]) -> bool:
        """Wait until the first game is baked; return False if the demo is stopped before.

        `say` gets a message that this takes a while, and every ten seconds the elapsed time. Raises `GivenUpError` if
        the bake ends without that game.
        """
        began_s = time.monotonic()
        due_s, words = began_s + _SAID_AFTER_S, EXPECTED
        while not self._is_first_whole():
            if (now_s := time.monotonic()) >= due_s:
                say(words)
                due_s = now_s + _SAID_EVERY_S
                words = f"  {due_s - began_s:.0f} s"
            if stopped():
                return False
            if self._process.poll() is not None and not self._is_first_whole():
                raise GivenUpError(f"the bake ended before the first game was whole; {tail(self._log)}")
            time.sleep(_LOOK_S)
        return True

    def look(self, say: Callable[[str], None]) -> None:
        """Report once that no more games will join, if the bake failed after its first game."""
        if not self._is_failure_said and (code := self._process.poll()):
            self._is_failure_said = True
            words = "the games that are not in the lobby yet do not join"
            say(f"The bake ended with {code}: {words}. {last_line(self._log)}")

    def _is_first_whole(self) -> bool:
        with self._log.open("rb") as file:
            file.seek(self._from)
            return FIRST_WHOLE.encode() in file.read()
