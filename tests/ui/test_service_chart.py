"""The charts of the service menu: their axes, and bars as long as their figures (M.6)."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.rehearsal import Rehearsal, neptune_view
from ui.layout import SHAPES
from ui.protocol.messages import ServicePage, ServiceRow
from ui.scenes.service_chart import FOCUSED, PARTS, axis_end


@given(st.integers(0, 10**12))
def test_an_axis_holds_its_bars_and_parts_into_whole_figures(most: int) -> None:
    """It ends at most two and a half times beyond them."""
    end = axis_end(most)
    assert max(most, 1) <= end <= max(4, most * 5 // 2)
    assert end % PARTS == 0


def lit(rehearsal: Rehearsal) -> int:
    """How many pixels of the focused bar's colour are in its row's middle."""
    canvas = rehearsal.picture()
    width, height = canvas.get_size()
    return max(sum(canvas.get_at((x, y))[:3] == FOCUSED for x in range(0, width, 2)) for y in range(60, height, 3))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_bar_is_as_long_as_its_figure(shape: str) -> None:
    """Twice the figure, twice the bar."""
    rehearsal = Rehearsal(shape=shape)
    long = []
    for figure in (4_000, 8_000):
        rows = (ServiceRow(label="0", count=figure), ServiceRow(label="> 100", count=8_000))
        page = ServicePage(code="M.6.5", title="Games by day", who="attendant", rows=rows, chart=True)
        rehearsal.view(neptune_view(state="service_menu", service=page))
        long.append(lit(rehearsal))
    assert long[1] == pytest.approx(2 * long[0], abs=3)


def test_an_empty_chart_says_so() -> None:
    """Before anything was counted there are words and no bars."""
    rehearsal = Rehearsal()
    page = ServicePage(
        code="M.6.1",
        title="Games by day",
        who="attendant",
        rows=(ServiceRow(label="Nothing was counted yet"),),
        chart=True,
    )
    rehearsal.view(neptune_view(state="service_menu", service=page))
    words = rehearsal.pixels()
    rehearsal.view(neptune_view(state="service_menu", service=msgspec.structs.replace(page, rows=())))
    assert rehearsal.pixels() != words
