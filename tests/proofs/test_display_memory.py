"""An hour in front of the display, all games over and over: what the process holds stays below its bounds, and flat."""

from collections.abc import Callable

import pytest

from tests.bench.display_memory import HOUR_S, MOST_MIB, played
from tests.ui.rehearsal import GAMES

pytestmark = pytest.mark.proof

GROWN_MIB = 12.0
"""What a game may hold more at its last visit than at one of its first two: the allocator's and the font library's."""


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("monitor", MOST_MIB)
def test_the_display_holds_no_more_than_its_game_needs(
    monitor: str, record_property: Callable[[str, object], None]
) -> None:
    """The most that was resident at any moment, in a process of its own; and each game as much as an hour before."""
    looks = played(monitor, HOUR_S)
    visits = {game: [look.resident_mib for look in looks if look.game == game] for game in GAMES}
    figures = ", ".join(f"{game} {min(held):.0f} to {max(held):.0f}" for game, held in visits.items())
    record_property("proof", f"display, {monitor}: {looks[-1].most_mib:.0f} MiB at the most; {figures}")
    assert looks[-1].seconds >= HOUR_S
    assert looks[-1].most_mib <= MOST_MIB[monitor], looks
    grown = {game: held[-1] - max(held[:2]) for game, held in visits.items()}
    assert max(grown.values()) <= GROWN_MIB, grown
