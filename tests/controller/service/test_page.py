"""Pages of the service menu fit into a packet, whatever is on them."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from controller.service.page import MOST_LINES, NOT_SHOWN, Line, bounded, rows
from ui.protocol.messages import MAX_PACKET

WORDS = st.builds(lambda letters, times: letters * times, st.text(max_size=3), st.integers(0, 200))
LINES = st.builds(
    Line,
    label=WORDS,
    value=WORDS,
    place=WORDS,
    detail=WORDS,
    columns=st.lists(WORDS | st.integers(0, 1 << 53), max_size=6).map(tuple),
    figures=st.dictionaries(st.sampled_from("abc"), WORDS, max_size=3),
    whole=st.booleans(),
)
PAGES = st.builds(lambda lines, times: lines * times, st.lists(LINES, max_size=8), st.integers(0, 60))


@given(PAGES)
def test_every_line_is_shown_or_counted(lines: list[Line]) -> None:
    """The rows leave room for the rest of the packet, and those that are left out are counted by the last."""
    shown = rows(bounded(lines))
    assert len(msgspec.json.encode(shown)) < MAX_PACKET * 7 // 8
    assert len(shown) <= MOST_LINES
    if shown and shown[-1].label == NOT_SHOWN:
        assert len(shown) - 1 + (shown[-1].count or 0) == len(lines)
    else:
        assert len(shown) == len(lines)


def test_a_short_page_is_shown_as_it_is() -> None:
    """Nothing of an everyday page is cut."""
    lines = [Line("{place}", "1.50", place="Neptune", columns=("games", 150))] * MOST_LINES
    assert bounded(lines) == tuple(lines)
    assert rows(lines) == tuple(line.row for line in lines)
    assert rows(lines)[0].columns == ("games", 150)


def test_a_line_too_many_is_counted() -> None:
    """A list that is longer than a page ends with how many of its lines are missing."""
    shown = bounded([Line("x")] * (MOST_LINES + 1))
    assert (len(shown), shown[-1]) == (MOST_LINES, Line(NOT_SHOWN, count=2))
