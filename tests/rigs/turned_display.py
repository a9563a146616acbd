"""A display in this process that takes turns when a test says so, and the supervisor's end of its line."""

import socket

from tests.ui.rehearsal import BAKED
from ui.director import Director
from ui.display import Display
from ui.draw_context import DrawContext
from ui.heat import Heat
from ui.protocol.messages import Snapshot, ToDisplay, ToSupervisor, Unfit, View
from ui.scene_manager import SceneManager
from ui.screen import Screen
from ui.sound import Sound
from ui.stage import Stage
from ui.theme import Theme, load

# Isn't there: a display that still loads when its test is over looks into no folder that goes with the test.
NO_SOUNDS = BAKED / "silent"


class Line:
    """The supervisor's end: what it sends, and what the display has answered."""

    def __init__(self) -> None:
        self.coming: list[ToDisplay] = []
        self.said: list[ToSupervisor] = []
        self.lost, self.up, self.retry_at = False, True, 0.0
        self.sock: socket.socket | None = None
        self.drops = 0

    def poll(self, _now: float) -> list[ToDisplay]:
        """Return what has come."""
        coming, self.coming = self.coming, []
        return coming

    def send(self, message: ToSupervisor, _now: float) -> None:
        """Keep an answer."""
        self.said.append(message)

    def drop(self, _now: float, _reason: str) -> None:
        """Count connections that were given up."""
        self.drops += 1

    def close(self) -> None:
        """Nothing to hang up."""


class TurnedDisplay:
    """A display with a theme loader of the test's own."""

    def __init__(self, theme_of: dict[str, Theme | Exception], screen: Screen | None = None) -> None:
        def theme(name: str) -> Theme:
            found = theme_of.get(name) or load(name)
            if isinstance(found, Exception):
                raise found
            return found

        self.line, self.now, self._turn = Line(), 100.0, 0
        self.screen = screen or Screen(1)
        context, self.director = DrawContext(BAKED, 1), Director(theme)
        self.display = Display(
            screen=self.screen,
            link=self.line,  # type: ignore[arg-type]  # what the display calls of it
            touch=None,
            context=context,
            director=self.director,
            scene_manager=SceneManager(Stage(self.screen.canvas, 1), self.director, context),
            sound=Sound(NO_SOUNDS),
            heat=Heat(lambda: None),
        )

    def view(self, view: View) -> None:
        """The supervisor sends a view; the display takes some turns."""
        self._turn += 1
        self.line.coming.append(Snapshot(self._turn, view))
        for _ in range(5):
            self.turn()

    def turn(self) -> None:
        """Let the display take a turn."""
        self.now += 0.1
        self.display.turn(self.now)

    def unfit(self) -> list[str]:
        """Return the games that the display has named, in order."""
        return [one.game for one in self.line.said if isinstance(one, Unfit)]
