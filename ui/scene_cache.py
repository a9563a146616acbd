"""The scenes that are kept: the machine's own, and the newest few of the game that is open.

Scenes hold a game's pictures and are painted as large as the monitor, so this decides what the display's memory holds
(docs/display.md, "Memory"). A scene refers to nothing that refers to it: what is let go here is freed at once.
"""

from collections import OrderedDict
from collections.abc import Callable

from ui.draw_context import DrawContext, Scenery

KEPT_SCENES = 2
"""How many scenes of a game are kept; each has painted grounds as large as the monitor."""

MACHINE = ""
"""The world of the scenes that no game has."""


class SceneCache:
    """Scenes by their world and name, built when first shown. Those of a game go when another game is opened."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._own: dict[str, Scenery] = {}
        self._games: OrderedDict[tuple[str, str], Scenery] = OrderedDict()

    def __repr__(self) -> str:
        game = self._context.opened or "no game"
        return f"<SceneCache {len(self._own)} scenes of the machine, {len(self._games)} of {game}>"

    def open(self, world: str) -> None:
        """A game is on the stage, or with `MACHINE` none: scenes and pictures of every other one are let go."""
        if world != self._context.opened:
            for key in [key for key in self._games if key[0] != world]:
                del self._games[key]
            self._context.open(world)

    def scene(self, world: str, name: str, build: Callable[[], Scenery]) -> Scenery:
        """Return a scene of the game whose world it is, or of the machine (`MACHINE`)."""
        if world == MACHINE:
            if name not in self._own:
                self._own[name] = self._context.budget.charge(build)
            return self._own[name]
        key = (world, name)
        if key not in self._games:
            self._games[key] = self._context.budget.charge(build)
            while len(self._games) > KEPT_SCENES:
                self._games.popitem(last=False)
        self._games.move_to_end(key)
        return self._games[key]

    def drop(self, name: str) -> None:
        """Let a scene of the machine go."""
        self._own.pop(name, None)

    def clear(self) -> None:
        """Let all scenes go: what they say is no longer true."""
        self._own.clear()
        self._games.clear()
