from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from drivers.pins.debounce import Debouncer

HOLD = 0.008


def settled(edges: list[tuple[bool, float]], until: float) -> list[tuple[bool, float]]:
    """What a debouncer that starts high reports of these edges, looked at on time or late."""
    contact = Debouncer(level=True, hold=HOLD)
    changes = [contact.edge(level=level, at=at) for level, at in edges]
    changes.append(contact.settle(until))
    return [(change.level, change.at) for change in changes if change is not None]


def toggles(gaps: list[float]) -> list[tuple[bool, float]]:
    """Alternating edges, low first, with these gaps before each."""
    edges = []
    at, level = 0.0, True
    for gap in gaps:
        at, level = at + gap, not level
        edges.append((level, at))
    return edges


@given(st.integers(0, 20), st.lists(st.floats(0.0, HOLD * 0.99), min_size=41, max_size=41))
def test_bouncing_press_settles_once(bounces: int, gaps: list[float]) -> None:
    """However a contact bounces, a press is one change, stamped with its very first edge."""
    edges = toggles(gaps[: 2 * bounces + 1])
    assert settled(edges, edges[-1][1] + HOLD) == [(False, edges[0][1])]


@given(st.integers(1, 20), st.lists(st.floats(0.0, HOLD * 0.99), min_size=41, max_size=41))
def test_noise_that_comes_back_is_nothing(bounces: int, gaps: list[float]) -> None:
    """A contact that is never stable at low has not been pressed."""
    edges = toggles(gaps[: 2 * bounces])
    assert settled(edges, edges[-1][1] + 1.0) == []


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60))
def test_changes_are_the_long_levels(gaps_ms: list[int]) -> None:
    """Exactly the levels that were stable for the hold time count, each once, whoever looks when."""
    edges = toggles([gap / 1024 for gap in gaps_ms])  # binary fractions add up exactly
    hold = 8 / 1024
    contact = Debouncer(level=True, hold=hold)
    reported = [contact.edge(level=level, at=at) for level, at in edges]
    reported.append(contact.settle(edges[-1][1] + hold))
    stood_still = [edges[-1][0]]
    for (level, at), (_next_level, next_at) in reversed(list(pairwise(edges))):
        if next_at - at >= hold:
            stood_still.insert(0, level)
    expected = [level for before, level in pairwise([True, *stood_still]) if before != level]
    assert [change.level for change in reported if change is not None] == expected


def test_press_shorter_than_a_late_look_is_kept() -> None:
    """A press of 50 ms whose edges are looked at only afterwards is still found, and so is its release."""
    assert settled([(False, 1.0), (True, 1.05)], until=2.0) == [(False, 1.0), (True, 1.05)]


def test_lost_edge_starts_the_hold_time_again() -> None:
    """The same level twice means that an edge between was lost, so the contact was not stable."""
    contact = Debouncer(level=True, hold=HOLD)
    contact.edge(level=False, at=1.0)
    contact.edge(level=False, at=1.005)
    assert contact.due == 1.005 + HOLD
