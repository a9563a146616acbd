"""No game takes the display down: whatever its theme, scenes or art end in, the rest is shown, the game is named."""

import msgspec
import pytest

from gamekit import catalogue
from tests.rigs.turned_display import TurnedDisplay
from tests.rigs.views import changed
from tests.ui.rehearsal import game_view
from ui.acts import Act
from ui.picture import Picture
from ui.theme import load


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
def test_a_theme_that_raises_is_left_out_and_the_display_goes_on(part: str) -> None:
    """The game is named once with the reason, the screen shows something, and another game is shown as ever."""
    cabinet = TurnedDisplay({"neptune": Broken(part)})  # type: ignore[dict-item]  # a theme but for one part
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
def test_a_theme_that_cannot_be_loaded_is_left_out(error: Exception) -> None:
    """The connection stays: another game's view is shown at once."""
    cabinet = TurnedDisplay({"neptune": error})
    cabinet.view(game_view("neptune"))
    cabinet.view(game_view("bewitched"))
    assert cabinet.unfit() == ["neptune"]
    assert cabinet.line.drops == 0
    assert cabinet.director.theme is load("bewitched")


def test_a_scene_that_raises_is_left_out_in_the_middle_of_a_game() -> None:
    """And is not tried again with the next view."""
    cabinet = TurnedDisplay({"neptune": BrokenLater("")})  # type: ignore[dict-item]  # a theme but for one part
    cabinet.view(game_view("neptune"))
    cabinet.view(game_view("neptune", state="round"))
    assert cabinet.unfit() == ["neptune"]
    assert "neptune" not in cabinet.director.view.lobby.games


def test_a_file_that_a_game_opens_and_does_not_find_is_its_own_fault() -> None:
    """And no failure of the display's socket or monitor, which the display could not go on with."""

    class Reading(Broken):
        def __getattr__(self, name: str) -> object:
            if name == self._part:
                exec(compile("open('/no/such/file')", str(catalogue.folder_of("neptune") / "theme.py"), "exec"), {})  # noqa: S102 - as code of the game's own
            return super().__getattr__(name)

    cabinet = TurnedDisplay({"neptune": Reading("backing")})  # type: ignore[dict-item]  # a theme but for one part
    cabinet.view(game_view("neptune"))
    assert cabinet.unfit() == ["neptune"]
    assert cabinet.director.view.message == "game_unfit"


def test_what_the_system_refuses_the_display_itself_is_no_game_s_fault() -> None:
    """It ends the display, whose unit starts it again."""

    class Lost(Broken):
        def __getattr__(self, name: str) -> object:
            if name == self._part:
                raise OSError("the monitor is gone")
            return super().__getattr__(name)

    cabinet = TurnedDisplay({"neptune": Lost("backing")})  # type: ignore[dict-item]  # a theme but for one part
    with pytest.raises(OSError, match="the monitor is gone"):
        cabinet.view(game_view("neptune"))
    assert cabinet.unfit() == []


def test_a_game_that_only_the_supervisor_has_is_left_out() -> None:
    """Its folder was taken away while the supervisor ran: a display that starts then finds no such game."""
    cabinet = TurnedDisplay({})
    lobby = game_view("neptune", state="lobby", game="", scene=msgspec.Raw(b"null"))
    cabinet.view(changed(lobby, games=("nowhere", *lobby.lobby.games)))
    assert cabinet.unfit() == ["nowhere"]
    assert cabinet.director.view.lobby.games == lobby.lobby.games
    cabinet.view(game_view("neptune"))
    assert cabinet.director.theme is load("neptune")
    assert cabinet.line.drops == 0
