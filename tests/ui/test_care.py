"""The time of a session: drawn in seconds, advancing by itself between two messages of the supervisor."""

from collections.abc import Callable

import pygame
import pytest

from tests.ui.programme_pages import PANEL
from tests.ui.rehearsal import Rehearsal, neptune_view
from ui import text
from ui.protocol.messages import CarePage, View
from ui.protocol.values import SessionFigures
from ui.scene_manager import STATUS_HEIGHT, STATUS_WIDTHS

KEYS = ("session:close",)
CORNER = pygame.Rect(0, 0, round(STATUS_WIDTHS[1]), round(STATUS_HEIGHT))


def game(figures: SessionFigures) -> View:
    """Return the view of a game with the session's time and net in the corner."""
    return neptune_view(session=figures)


def page(figures: SessionFigures) -> View:
    """Return the view of the session's page."""
    care = CarePage(figures=figures, keys=KEYS)
    return neptune_view(state="session", controls=(*PANEL, *KEYS), focus=KEYS[0], care=care)


@pytest.mark.parametrize(("seen", "where"), [(game, CORNER), (page, pygame.Rect(0, 0, 1280, 720))])
def test_the_time_of_a_session_advances_each_second(seen: Callable[[SessionFigures], View], where: pygame.Rect) -> None:
    """The supervisor sends nothing meanwhile: a frame is due at the next whole second, and draws it."""
    rehearsal = Rehearsal()

    def drawn() -> bytes:
        return pygame.image.tobytes(rehearsal.picture().subsurface(where), "RGB")

    rehearsal.view(seen(SessionFigures(began_s=rehearsal.now - 3_598.25)))
    before, due = drawn(), rehearsal.now + 0.75
    assert rehearsal.scene_manager.due(rehearsal.now) <= due + 1e-6
    rehearsal.now = due - 0.01
    assert drawn() == before
    rehearsal.now = due
    assert drawn() != before
    rehearsal.now = due + 1
    later = drawn()
    rehearsal.view(seen(SessionFigures(began_s=rehearsal.now - 3_600)))
    assert later == drawn()


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0:00:00"), (59, "0:00:59"), (3_599, "0:59:59"), (36_061, "10:01:01")]
)
def test_a_length_of_time_is_hours_minutes_and_seconds(seconds: int, words: str) -> None:
    """Minutes and seconds have two figures; hours are not cut at a day."""
    assert text.elapsed(seconds) == words
