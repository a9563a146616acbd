from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.neptune.strips import REELS
from ui.reels import BOUNCE_S, BRAKE_S, FIRST_STOP_S, HURRY_STAGGER_S, SUSPENSE_S, Spin

CALM = (False,) * 5
STOPS = st.tuples(*(st.integers(0, length - 1) for length in REELS.lengths))


@given(start=STOPS, end=STOPS, waits=st.tuples(*[st.booleans()] * 5), turbo=st.booleans())
def test_every_reel_comes_to_rest_on_its_stop(
    start: tuple[int, ...], end: tuple[int, ...], waits: tuple[bool, ...], *, turbo: bool
) -> None:
    """Whatever the reels do on the way, they end exactly on the stops drawn, sharp, and stay there."""
    spin = Spin(start, end, 10.0, waits, turbo=turbo)
    assert [spin.position(reel, 10.0) for reel in range(5)] == [(float(stop), False) for stop in start]
    for after in (0.0, 5.0):
        assert [spin.position(reel, spin.ends_at + after) for reel in range(5)] == [
            (float(stop), False) for stop in end
        ]


@given(end=STOPS, hurried_after=st.floats(0.0, 3.0), waits=st.tuples(*[st.booleans()] * 5))
def test_stop_ends_the_spin_at_once_on_the_same_stops(
    end: tuple[int, ...], hurried_after: float, waits: tuple[bool, ...]
) -> None:
    """STOP changes when the reels stop, never where: all within half a second, from left to right."""
    spin = Spin((0,) * 5, end, 0.0, waits)
    spin.hurry(hurried_after)
    assert spin.ends_at <= max(hurried_after, 0.26) + BRAKE_S + 4 * HURRY_STAGGER_S + BOUNCE_S + 1e-9
    assert spin.stop_at == sorted(spin.stop_at)
    assert [spin.position(reel, spin.ends_at)[0] for reel in range(5)] == [float(stop) for stop in end]


def test_a_reel_that_is_waited_for_slows_down_before_it_stops() -> None:
    """Its symbols can be read as they come, it never turns back, and it ends on its stop."""
    spin = Spin((0,) * 5, (7,) * 5, 0.0, (*CALM[:3], True, False))
    times = [spin.stop_at[3] - 1.4 + step / 60 for step in range(int(1.4 * 60))]
    places, speeds = [spin.position(3, now) for now in times], []
    for (before, _), (after, blurred) in pairwise(places):
        speeds.append((before - after) * 60)
        assert blurred is (speeds[-1] > 13) or abs(speeds[-1] - 13) < 0.5
    assert max(speeds) - min(speeds[-6:]) > 10
    assert all(later <= sooner + 1e-6 for sooner, later in pairwise(speeds))
    assert min(speeds) > 0


def test_stop_never_makes_a_reel_turn_longer() -> None:
    """A reel that would have stopped sooner than STOP could stop it keeps its time."""
    spin = Spin((0,) * 5, (1,) * 5, 0.0, CALM)
    before = list(spin.stop_at)
    spin.hurry(FIRST_STOP_S - 0.01)
    assert all(after <= due for after, due in zip(spin.stop_at, before, strict=True))


def test_the_motion_has_no_jump_once_it_brakes() -> None:
    """From full speed to rest the position changes by less than half a cell a frame: no jerk is seen."""
    spin = Spin((0,) * 5, (7,) * 5, 0.0, CALM)
    times = [spin.stop_at[2] - 0.4 + step / 60 for step in range(60)]
    places = [spin.position(2, now)[0] for now in times]
    assert max(abs(later - sooner) for sooner, later in pairwise(places)) < 0.5
    assert min(places) < 7, "the reel runs past its stop and swings back"


def test_reels_stop_from_left_to_right_and_wait_in_suspense() -> None:
    """A reel in suspense stops a good second later than it otherwise would, and is known to be waited for."""
    calm, tense = Spin((0,) * 5, (0,) * 5, 0.0, CALM), Spin((0,) * 5, (0,) * 5, 0.0, (*CALM[:3], True, False))
    assert calm.stop_at == sorted(calm.stop_at)
    assert tense.stop_at[3] - tense.stop_at[2] == pytest.approx(SUSPENSE_S)
    assert tense.waiting_reel((tense.stop_at[2] + tense.stop_at[3]) / 2) == 3
    assert calm.waiting_reel((calm.stop_at[2] + calm.stop_at[3]) / 2) is None
