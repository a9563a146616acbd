"""What a start, its first picture and a frame cost a Pi 4, estimated from counted instructions (docs/benchmarks.md)."""

import pytest

from tests.bench.instructions import AIMS_S, estimated
from tests.rigs.needing import needs_tools

pytestmark = [
    pytest.mark.proof,
    pytest.mark.timeout(3_600),
    needs_tools("valgrind", "gcc"),
]


@pytest.mark.parametrize("what", AIMS_S)
def test_a_pi_4_is_fast_enough_by_the_estimate(what: str) -> None:
    """Issue 16: playable in 1.5 s, a picture in 2 s, and full HD at 60 frames in under half of a core."""
    instructions, seconds = estimated(what)
    assert seconds <= AIMS_S[what], f"{what}: {instructions / 1e6:.1f} million instructions"
