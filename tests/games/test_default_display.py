"""What a game shows before its first spin, and so after a full clear."""

import pytest

from controller.configuration.cabinet_toml import Games
from controller.rounds.engine import Round, stake_of, wager_on
from controller.session import betting
from gamekit.catalogue import load, names

pytestmark = pytest.mark.requirement("C9")


@pytest.mark.requirement("C9")
@pytest.mark.parametrize("name", names())
def test_the_default_display_is_no_winning_combination(name: str) -> None:
    """A spin that lands on the very stops of the idle scene wins nothing on any line and begins no feature."""
    game = load(name)
    stops = iter(game.idle.stops)  # type: ignore[attr-defined]  # every game's scene has its reels' stops
    drawn: list[int] = []

    def draw(bound: int) -> int:
        drawn.append(next(stops, bound - 1))
        return drawn[-1]

    wager = wager_on(game, betting.first_bet(game, Games()))
    played = Round(game, stake_of(wager), "null")
    segment = played.advance(None, draw)
    assert tuple(drawn[: len(game.idle.stops)]) == tuple(game.idle.stops)  # type: ignore[attr-defined]
    assert played.scene.stops == game.idle.stops  # type: ignore[attr-defined]
    assert segment.win_cents == 0
    assert played.offer is None
