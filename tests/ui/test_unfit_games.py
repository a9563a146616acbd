"""No game takes the display down: whatever its theme, scenes or art end in, the rest is shown, the game is named."""

import socket
from pathlib import Path

import pytest

from tests.ui.rehearsal import BAKED, game_view
from ui.acts import Act
from ui.director import Director
from ui.display import Display
from ui.draw_context import DrawContext
from ui.heat import Heat
from ui.messages import Snapshot, ToDisplay, ToSupervisor, Unfit, View
from ui.picture import Picture
from ui.scene_manager import SceneManager
from ui.screen import Screen
from ui.sound import Sound
from ui.stage import Stage
from ui.theme import Theme, load


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


class Cabinet:
    """A display with a theme loader of the test's own."""

    def __init__(self, theme_of: dict[str, Theme | Exception], sounds: Path) -> None:
        def theme(name: str) -> Theme:
            found = theme_of.get(name) or load(name)
            if isinstance(found, Exception):
                raise found
            return found

        self.line, self.now, self._turn = Line(), 100.0, 0
        self.screen = Screen(1)
        context, self.director = DrawContext(BAKED, 1), Director(theme)
        self.display = Display(
            screen=self.screen,
            link=self.line,  # type: ignore[arg-type]  # what the display calls of it
            touch=None,
            context=context,
            director=self.director,
            scene_manager=SceneManager(Stage(self.screen.canvas, 1), self.director, context),
            sound=Sound(sounds),
            heat=Heat(lambda: None),
        )

    def view(self, view: View) -> None:
        """The supervisor sends a view; the display takes some turns."""
        self._turn += 1
        self.line.coming.append(Snapshot(self._turn, view))
        for _ in range(5):
            self.now += 0.1
            self.display.turn(self.now)

    def unfit(self) -> list[str]:
        """Return the games that the display has named, in order."""
        return [one.game for one in self.line.said if isinstance(one, Unfit)]


class Broken:
    """Neptune's theme, one part of which raises."""

    def __init__(self, part: str) -> None:
        self._part = part

    def __getattr__(self, name: str) -> object:
        if name == self._part:
            raise ZeroDivisionError(f"{name} is broken")
        return getattr(load("neptune"), name)


class BrokenLater(Broken):
    """Raises once reels are shown, not before."""

    def scene_of(self, picture: Picture, act: Act | None, offer: object) -> str:
        """Raise."""
        del picture, act, offer
        raise RuntimeError("no scene")


@pytest.mark.parametrize("part", ["picture", "strips", "backing", "headline", "lines", "overlay"])
def test_a_theme_that_raises_is_left_out_and_the_display_goes_on(tmp_path: Path, part: str) -> None:
    """The game is named once with the reason, the screen shows something, and another game is shown as ever."""
    cabinet = Cabinet({"neptune": Broken(part)}, tmp_path)  # type: ignore[dict-item]  # a theme but for one part
    for _ in range(3):
        cabinet.view(game_view("neptune"))
    assert cabinet.unfit() == ["neptune"]
    assert cabinet.director.theme is None
    assert cabinet.director.view.message == "game_unfit"
    cabinet.view(game_view("bewitched"))
    assert cabinet.director.theme is load("bewitched")
    assert cabinet.unfit() == ["neptune"]
    assert cabinet.line.drops == 0


@pytest.mark.parametrize("error", [ImportError("no module"), SyntaxError("bad"), KeyError("x"), RecursionError()])
def test_a_theme_that_cannot_be_loaded_is_left_out(tmp_path: Path, error: Exception) -> None:
    """The connection stays: another game's view is shown at once."""
    cabinet = Cabinet({"neptune": error}, tmp_path)
    cabinet.view(game_view("neptune"))
    cabinet.view(game_view("bewitched"))
    assert cabinet.unfit() == ["neptune"]
    assert cabinet.line.drops == 0
    assert cabinet.director.theme is load("bewitched")


def test_a_scene_that_raises_is_left_out_in_the_middle_of_a_game(tmp_path: Path) -> None:
    """And is not tried again with the next view."""
    cabinet = Cabinet({"neptune": BrokenLater("")}, tmp_path)  # type: ignore[dict-item]  # a theme but for one part
    cabinet.view(game_view("neptune"))
    cabinet.view(game_view("neptune", state="round"))
    assert cabinet.unfit() == ["neptune"]
    assert "neptune" not in cabinet.director.view.games
