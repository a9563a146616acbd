"""The games' looks, each loaded in a thread: a game's modules take longer to import than a frame may last."""

import threading

from ui.ration import Ration
from ui.worlds.look import Look, load


class Looks:
    """Looks by their games' names; how long a look is waited for is the `ration`'s to say."""

    def __init__(self, ration: Ration) -> None:
        self._ration = ration
        self._loading: dict[str, _Loading] = {}

    def fetch(self, name: str) -> threading.Thread:
        """Begin to load the look of the game called `name`; return the thread that does so."""
        if name not in self._loading:
            self._loading[name] = _Loading(name)
        return self._loading[name]

    def look(self, name: str) -> Look:
        """Return a look; raises `StillComingError` where a frame can't wait for it, `ImportError` where none is."""
        self._ration.wait(self.fetch(name))
        return self._loading[name].look()


class _Loading(threading.Thread):
    def __init__(self, name: str) -> None:
        super().__init__(name=f"load {name}", daemon=True)
        self._game = name
        self._look: Look | None = None
        self._error: ImportError | None = None
        self.start()

    def run(self) -> None:
        """Import the game and its look."""
        try:
            self._look = load(self._game)
        except ImportError as error:
            self._error = error

    def look(self) -> Look:
        """Return what has been loaded."""
        if self._look is None:
            raise self._error or ImportError(f"the look of {self._game} was not loaded")
        return self._look
