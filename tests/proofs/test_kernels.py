"""A million rounds of each game, bet and memory state by the kernel and by production: equal to the last draw."""

import pytest

from gamekit.chunks import Run
from gamekit.kernel_check import differences
from gamekit.kernels.finding import kernel_of
from gamekit.maths import load_maths
from gamekit.play import Stake
from tests.rigs.game_folders import having_kernels

pytestmark = pytest.mark.proof
ROUNDS = 1_000_000


def _runs() -> list[tuple[str, Stake, str]]:
    """Return the lowest and highest bet of each game, the bought one, and every state at the highest."""
    runs = []
    for name in having_kernels():
        maths = load_maths(name)
        runs += [(name, stake, maths.states[0]) for stake in dict.fromkeys((maths.stakes[0], maths.stakes[-1]))]
        runs += [(name, maths.stakes[-1], state) for state in maths.states[1:]]
    return runs


@pytest.mark.parametrize(("name", "stake", "state"), _runs(), ids=str)
def test_a_million_rounds_are_equal(name: str, stake: Stake, state: str) -> None:
    """Every figure of the tally, and the state of the generator, chunk by chunk."""
    assert list(differences(Run.of(name, stake, 5, state), kernel_of(name), ROUNDS)) == []
