"""Caches scenes: the machine's own, and the newest few of the open game.

Scenes hold a game's pictures and are painted as large as the monitor, so this cache determines the display's memory use
(docs/display.md, "Memory"). Nothing that a scene refers to refers back to it, so a dropped scene is freed at once.
"""

from collections import OrderedDict
from collections.abc import Callable

from ui.draw_context import DrawContext, Scenery

KEPT_SCENES = 2
"""The number of cached scenes of a game; each has painted backgrounds as large as the monitor."""

MACHINE = ""
"""The world of scenes that belong to no game."""


class SceneCache:
    """Scenes by world and name, built when first shown; a game's scenes are dropped when another game is opened."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._own: dict[str, Scenery] = {}
        self._games: OrderedDict[tuple[str, str], Scenery] = OrderedDict()

    def __repr__(self) -> str:
        game = self._context.opened or "no game"
        return f"<SceneCache {len(self._own)} scenes of the machine, {len(self._games)} of {game}>"

    def open(self, world: str) -> None:
        """Open a game, or none with `MACHINE`, and drop the scenes and pictures of all others."""
        if world != self._context.opened:
            for key in [key for key in self._games if key[0] != world]:
                del self._games[key]
            self._context.open(world)

    def scene(self, world: str, name: str, build: Callable[[], Scenery]) -> Scenery:
        """Return a scene of the game with this world, or of the machine (`MACHINE`)."""
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
        """Drop a scene of the machine."""
        self._own.pop(name, None)

    def clear(self) -> None:
        """Drop all scenes, because their texts are outdated."""
        self._own.clear()
        self._games.clear()
