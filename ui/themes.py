"""The games' themes, each loaded in a thread, because importing a game's modules takes longer than a frame."""

import threading

from ui.frame_budget import FrameBudget
from ui.theme import Theme, load


class Themes:
    """Themes by their games' names; `budget` limits how long a frame waits for one."""

    def __init__(self, budget: FrameBudget) -> None:
        self._budget = budget
        self._loading: dict[str, _Loading] = {}

    def fetch(self, name: str) -> threading.Thread:
        """Start loading the theme of the game called `name`; return the thread that loads it."""
        if name not in self._loading:
            self._loading[name] = _Loading(name)
        return self._loading[name]

    def theme(self, name: str) -> Theme:
        """Return a theme; raise `StillComingError` if a frame cannot wait for it, `ImportError` if there is none."""
        self._budget.wait(self.fetch(name))
        return self._loading[name].theme()


class _Loading(threading.Thread):
    def __init__(self, name: str) -> None:
        super().__init__(name=f"load {name}", daemon=True)
        self._game = name
        self._theme: Theme | None = None
        self._error: ImportError | None = None
        self.start()

    def run(self) -> None:
        """Import the game and its theme."""
        try:
            self._theme = load(self._game)
        except ImportError as error:
            self._error = error

    def theme(self) -> Theme:
        """Return the loaded theme."""
        if self._theme is None:
            raise self._error or ImportError(f"the theme of {self._game} was not loaded")
        return self._theme
