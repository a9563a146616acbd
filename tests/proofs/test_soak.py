"""Nothing grows over an hour of attract and autospin (issue 4): Python's memory, the process's, objects, surfaces."""

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pygame
import pytest

from tests.proofs.soak_cabinet import Held, SoakCabinet
from tests.rigs.displayed_cabinet import Presented
from tests.ui.rehearsal import GAMES

pytestmark = pytest.mark.proof

VISITS = 4
"""How often each game is played: twenty visits of three minutes are the hour."""

MOST = {"traced": 512 * 1024, "resident": 12 * 2**20, "objects": 2_000, "surfaces": 40, "pixels": 8 * 2**20}
"""What may be more at the end of the hour than after its half: less than a byte a frame, a surface every ten rounds."""


@pytest.fixture
def traced() -> Iterator[None]:
    """Trace what Python allocates."""
    tracemalloc.start()
    yield
    tracemalloc.stop()


class Leaking(Presented):
    """A screen that keeps a small surface for each frame it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[pygame.Surface] = []

    def present(self, brightness_percent: int = 100) -> None:
        """Keep one more."""
        super().present(brightness_percent)
        self.kept.append(pygame.Surface((8, 8)))


async def play(cabinet: SoakCabinet, visits: int, games: Sequence[str] = GAMES) -> list[Held]:
    """Visit each of `games` in turn, so often; return what is held after each turn of all."""
    looks = []
    async with cabinet:
        for _ in range(visits):
            for game in games:
                await cabinet.visit(game)
            looks.append(await cabinet.held())
    return looks


def grown(before: Held, after: Held) -> dict[str, int]:
    """Return by how much each figure has grown that has grown by more than it may."""
    differences = {name: getattr(after, name) - getattr(before, name) for name in MOST}
    return {name: more for name, more in differences.items() if more > MOST[name]}


@pytest.mark.usefixtures("traced")
async def test_nothing_grows_over_an_hour_of_attract_and_autospin(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """An hour of the cabinet's time, all games in turn; its second half allocates nothing that stays."""
    looks = await play(SoakCabinet(tmp_path), VISITS)
    half, whole = looks[VISITS // 2 - 1], looks[-1]
    figures = ", ".join(f"{name} {getattr(whole, name) - getattr(half, name):+,}" for name in MOST)
    record_property("proof", f"soak: {whole.rounds} rounds, {whole.frames:,} frames; second half {figures}; {whole}")
    assert whole.rounds > 400
    assert whole.frames > 50_000
    assert grown(half, whole) == {}, looks


@pytest.mark.usefixtures("traced")
async def test_a_leak_of_a_small_surface_a_frame_would_be_seen(tmp_path: Path) -> None:
    """The same look at a display that leaks finds it within one visit."""
    first, second = await play(SoakCabinet(tmp_path, Leaking()), 2, ["neptune"])
    assert "surfaces" in grown(first, second)
