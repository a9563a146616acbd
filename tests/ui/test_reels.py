from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from games.neptune.pays import LINES, MERMAID, TREASURE
from games.neptune.strips import REELS
from ui.reels import BOUNCE_S, BRAKE_S, FIRST_STOP_S, HURRY_STAGGER_S, SUSPENSE_S, Spin, suspense

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
    assert tense.stop_at[3] - tense.stop_at[2] == SUSPENSE_S
    assert tense.waiting_reel((tense.stop_at[2] + tense.stop_at[3]) / 2) == 3
    assert calm.waiting_reel((calm.stop_at[2] + calm.stop_at[3]) / 2) is None


def window(*marks: tuple[int, int, str]) -> list[list[str]]:
    """Return a window of nothing but tens, with the symbols of `marks` (reel, row, symbol)."""
    columns = [["ten"] * 3 for _ in range(5)]
    for reel, row, symbol in marks:
        columns[reel][row] = symbol
    return columns


def test_two_mermaids_make_the_following_reels_wait() -> None:
    """Two scatters in view: each reel to their right may bring the third."""
    shown = window((0, 1, MERMAID), (2, 0, MERMAID))
    assert suspense(shown, MERMAID, TREASURE, LINES) == (False, False, False, True, True)


def test_a_possible_treasure_makes_the_third_reel_wait() -> None:
    """Treasures on reels 1 and 2 of a played line: reel 3 decides; without that line nobody waits."""
    shown = window((0, 1, TREASURE), (1, 1, TREASURE))
    assert suspense(shown, MERMAID, TREASURE, LINES) == (False, False, True, False, False)
    assert suspense(shown, MERMAID, TREASURE, LINES[1:3]) == CALM


def test_a_single_scatter_makes_nobody_wait() -> None:
    """Nothing is promised that can't be: one Mermaid is no reason to wait."""
    assert suspense(window((0, 0, MERMAID)), MERMAID, TREASURE, LINES) == CALM
