from pathlib import Path

import pygame
import pytest

from tests.ui.golden import FOLDER, FULL_HD, GERMAN_SCREENS, GOLDEN, MAIN_SCREENS, key, recorded, rehearsed

pytestmark = pytest.mark.sampled(2)

# Nine in ten of the pictures are proofs; those of the main screens, wide, are looked at in each run.
_FAST = {(name, "wide", "en") for name in MAIN_SCREENS} | {(name, "wide", "de") for name in GERMAN_SCREENS}
_SCREENS = [one if one in _FAST else pytest.param(*one, marks=pytest.mark.proof) for one in GOLDEN]


@pytest.mark.parametrize(("name", "monitor", "language"), _SCREENS)
def test_a_screen_looks_as_recorded(name: str, monitor: str, language: str, tmp_path: Path) -> None:
    """Issue 4: not a pixel has changed unseen; what was drawn instead lies beside the message."""
    rehearsal = rehearsed(name, monitor, language)
    pixels = rehearsal.pixels()
    got = tmp_path / f"{name}.png"
    pygame.image.save(rehearsal.screen.canvas, str(got))
    hint = f"look at {got}; if it is right, record it with `python -m tests.ui.golden {name}`"
    assert pixels == recorded()[key(name, monitor, language)], hint


def test_each_golden_picture_has_its_thumbnail_and_none_is_left_over() -> None:
    """Whoever looks through the folder sees what is recorded, no more and no less."""
    shown = {key(*one) for one in GOLDEN if one[1] != FULL_HD}
    assert {path.stem for path in FOLDER.iterdir() if path.suffix != ".json"} == shown
    assert set(recorded()) == {key(*one) for one in GOLDEN}
