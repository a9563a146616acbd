"""The games that this display cannot show: found by their checks, or by an error in their own code."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from traceback import walk_tb

from msgspec import Raw, structs

from common.error_words import error_words
from gamekit import catalogue
from ui.checking import faults
from ui.draw_context import DrawContext
from ui.protocol.messages import View

MOST_LETTERS = 400
_NOTHING = Raw(b"null")
LEFT_OUT = "game_unfit"
"""The message of a view whose game cannot be shown."""


def passes_through(game: str, error: Exception) -> bool:
    """Whether code in the folder of the game called `game` was running when `error` was raised."""
    if game not in catalogue.found():
        return False
    folder = catalogue.folder_of(game)
    return any(Path(frame.f_code.co_filename).is_relative_to(folder) for frame, _ in walk_tb(error.__traceback__))


class UnfitGames:
    """The games known to be unfit; `look_at` may be called in a thread."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._reasons: dict[str, str] = {}
        self._due: list[str] = []
        self._lock = threading.Lock()
        self._looked_at: set[tuple[str, str]] = set()

    def __contains__(self, game: str) -> bool:
        return game in self._reasons

    def new(self) -> Iterator[tuple[str, str]]:
        """Yield each game that was found unfit since the last call, with the reason."""
        with self._lock:
            due, self._due = self._due, []
        for game in due:
            yield game, self._reasons[game]

    def look_at(self, game: str, language: str) -> None:
        """Check a game for this display's shape, scale and language, unless that was already done."""
        if (game, language) in self._looked_at:
            return
        self._looked_at.add((game, language))
        found = self._faults(game, language)
        if found:
            self._take(game, found)

    def blame(self, view: View, error: Exception) -> bool:
        """Attribute an error in drawing `view` to a game; return False if no game can be the cause.

        It is attributed to the game on the screen or, on a screen of all games, to those that fail their check.
        """
        reason = f"{type(error).__name__}: {error_words(error)}"
        if view.game and view.game not in self:
            self._take(view.game, reason)
            return True
        found = {
            game: faults
            for game in view.lobby.games
            if game not in self and (faults := self._faults(game, view.locale.language))
        }
        for game, faults in found.items():
            self._take(game, faults)
        return bool(found)

    def without(self, view: View) -> View:
        """Return `view` without the games that cannot be shown; one that is being played is removed with its scene."""
        if not self._reasons:
            return view
        games = tuple(game for game in view.lobby.games if game not in self)
        view = structs.replace(view, lobby=structs.replace(view.lobby, games=games))
        if view.game not in self:
            return view
        left = structs.replace(view.round, scene=_NOTHING, offer=_NOTHING)
        return structs.replace(view, game="", round=left, message=LEFT_OUT)

    def _faults(self, game: str, language: str) -> str:
        context = self._context
        found = faults(game, context.baked, shape=context.layout.shape, scale=context.scale, language=language)
        return "" if not found else str(found[0])

    def _take(self, game: str, reason: str) -> None:
        sys.stderr.write(f"display: {game} cannot be shown: {reason}\n")
        with self._lock:
            self._reasons[game] = reason[:MOST_LETTERS]
            self._due.append(game)
