from pathlib import Path

import pygame
import pytest

from tests.ui.golden import GOLDEN, key, recorded, rehearsed

# The other shapes' pictures are proofs: they are 164 of the 260.
_SCREENS = [one if one[1] == "wide" else pytest.param(*one, marks=pytest.mark.proof) for one in GOLDEN]


@pytest.mark.parametrize(("name", "shape", "language"), _SCREENS)
def test_the_main_screens_look_as_recorded(name: str, shape: str, language: str, tmp_path: Path) -> None:
    """Not a pixel has changed unseen; what was drawn instead lies beside the message."""
    rehearsal = rehearsed(name, shape, language)
    pixels = rehearsal.pixels()
    got = tmp_path / f"{name}.png"
    pygame.image.save(rehearsal.screen.canvas, str(got))
    hint = f"look at {got}; if it is right, record it with `python -m tests.ui.golden {name}`"
    assert pixels == recorded()[key(name, shape, language)], hint
