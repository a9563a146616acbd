"""The light that runs along a winning line: through each of its symbols, and no further."""

from collections.abc import Sequence
from weakref import ref

import pygame
import pytest

from tests.ui.programme import PROGRAMME
from tests.ui.rehearsal import BAKED, Rehearsal
from ui.draw_context import DrawContext
from ui.layout import SHAPES, centre
from ui.scenes.lines import KEPT_WINDOWS, Paylines
from ui.stage import Stage
from ui.theme import load


class Watched(Stage):
    """A stage that keeps where the middles of the newest frame's sprites lie."""

    drawn: Sequence[tuple[float, float]] = ()

    def draw_all_centred(self, sprites: Sequence[tuple[pygame.Surface, float, float]]) -> None:
        self.drawn = [(x, y) for _, x, y in sprites]
        super().draw_all_centred(sprites)


@pytest.mark.requirement("G8")
@pytest.mark.parametrize("shape", ["wide", "portrait"])
def test_a_line_s_light_runs_through_each_of_its_symbols(shape: str) -> None:
    """Over the middle of every winning cell, from left to right, never beyond the last; then again."""
    context, theme = DrawContext(BAKED, 1, SHAPES[shape]), load("neptune")
    lines, stage = Paylines(context, theme), Watched(context.plate(), 1)
    number, count = 4, 4
    rows = theme.lines[number - 1]
    middles = [centre(context.layout.cell_box(reel, rows[reel], 3)) for reel in range(count)]
    passed: list[int] = []
    for frame in range(1, 240):
        lines.run(stage, [(number, count)], frame / 60)
        assert all(x <= middles[-1][0] + 1 for x, _ in stage.drawn)
        near = [
            reel
            for reel, (x, y) in enumerate(middles)
            if any(abs(x - at_x) < 14 and abs(y - at_y) < 14 for at_x, at_y in stage.drawn[:1])
        ]
        passed += [reel for reel in near if passed[-1:] != [reel]]
    assert passed[: 2 * count] == [*range(count), *range(count)]


def test_nothing_runs_where_a_win_is_not_celebrated() -> None:
    """A plain loop is one picture for as long as a line is shown."""
    rehearsal = Rehearsal()
    rehearsal.context.calm = True  # nothing drifts beside the reels
    PROGRAMME["pages_clock"](rehearsal)
    first = rehearsal.pixels()
    rehearsal.wait(0.1)
    assert rehearsal.pixels() == first


def test_the_newest_drawn_lines_are_kept_and_no_more_than_fit() -> None:
    """However many lines have won, no more pixels are held than those of some windows; nothing unseen is held along."""
    context, theme = DrawContext(BAKED, 1, SHAPES["wide"]), load("witch_feature")
    lines = Paylines(context, theme)
    drawn = [ref(lines.overlay([number])[0]) for number in range(1, len(theme.lines) + 1)]
    kept = [picture for one in drawn if (picture := one()) is not None]
    _, _, width, height = context.layout.window(theme.game.rows)
    assert 4 < len(kept) < len(drawn)
    assert sum(picture.get_width() * picture.get_height() for picture in kept) <= KEPT_WINDOWS * width * height
    assert {picture.get_parent() for picture in kept} == {None}
    assert lines.overlay([len(theme.lines)])[0] is kept[-1]
