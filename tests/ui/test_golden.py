from pathlib import Path

import pygame
import pytest

from tests.ui.golden import MAIN_SCREENS, recorded, rehearsed


@pytest.mark.parametrize("name", MAIN_SCREENS)
def test_the_main_screens_look_as_recorded(name: str, tmp_path: Path) -> None:
    """Not a pixel has changed unseen; what was drawn instead lies beside the message."""
    rehearsal = rehearsed(name)
    pixels = rehearsal.pixels()
    got = tmp_path / f"{name}.png"
    pygame.image.save(rehearsal.screen.canvas, str(got))
    hint = f"look at {got}; if it is right, record it with `python -m tests.ui.golden`"
    assert pixels == recorded()[name], hint
