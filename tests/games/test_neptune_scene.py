"""Neptune's scene: what a display that starts in mid-round finds on the screen."""

from functools import reduce

import msgspec
import pytest

from gamekit.beats import LineWin, PicksEnded
from gamekit.play import Beat, Offer, Scene, Stake, Step
from games.neptune import GAME, NeptuneScene
from games.neptune.pays import TREASURE
from games.neptune.scene import Chest
from tests.games.table import NOTHING, Luck, Script, mermaids, middle_row, play_out

STAKE = Stake(lines=1, coins_per_line=2)
TREASURE_STOPS = middle_row(TREASURE, TREASURE, TREASURE, "king", "queen")
CLAM_STOPS = middle_row("clam", "clam", "clam", "king", "queen")


def fold(steps: list[Step], scene: Scene = GAME.idle) -> NeptuneScene:
    result = reduce(lambda known, step: GAME.advance(known, STAKE, step), steps, scene)
    assert isinstance(result, NeptuneScene)
    return result


def until_offer(steps: list[Step], number: int) -> list[Step]:
    """Return the steps up to and with offer `number`, from 0."""
    places = [place for place, step in enumerate(steps) if isinstance(step, Offer)]
    return steps[: places[number] + 1]


def test_a_line_win_stands_with_its_reels() -> None:
    """After a win the scene holds the stops, the win and its coins; the next round's reels clear them."""
    steps = play_out(STAKE, Script(CLAM_STOPS))
    scene = fold(steps)
    assert NeptuneScene(stops=CLAM_STOPS, line_wins=(LineWin(1, "clam", 3, coins=40),), round_win=40) == scene
    assert NeptuneScene(stops=NOTHING) == fold(play_out(STAKE, Script(NOTHING)), scene)


def test_chests_stand_open_where_they_were_opened() -> None:
    """Between two picks the scene says which chests are open, with what, and how many may still be opened."""
    chosen = iter([4, 0, 1])
    steps = play_out(STAKE, Script([*TREASURE_STOPS, 0, 0, 0]), lambda _offer: next(chosen))
    scene = fold(until_offer(steps, 2))
    assert (Chest(4, 20), Chest(0, 20)) == scene.chests
    assert (
        scene.picks_left,
        scene.chests_shown,
        scene.treasure_win,
        scene.round_win,
    ) == (1, 8, 40, 40)
    ended = fold(steps)
    assert (ended.chests, ended.chests_shown, ended.treasure_win) == ((), 0, 60)


def test_free_spins_count_down_and_up() -> None:
    """In free spins the scene counts those left, played and won, and what they paid, chests included."""
    draws = [*mermaids(3), *CLAM_STOPS, *TREASURE_STOPS, 0, 0, 0, *mermaids(3), *NOTHING * 17]
    steps = play_out(STAKE, Script(draws))
    before = fold(until_offer(steps, 0))
    assert (
        before.mode,
        before.free_spins_left,
        before.free_spins_played,
        before.free_spins_total,
        before.round_win,
        before.free_spin_win,
    ) == ("free", 10, 0, 10, 8, 0)
    # Two presses, three picks, one press more: the third free spin is over and has won ten again.
    third = fold(until_offer(steps, 6))
    assert (third.free_spins_left, third.free_spins_played, third.free_spins_total) == (17, 3, 20)
    assert third.free_spin_win == 120 + 60 + 8
    assert third.scatter_win is not None
    assert (third.scatter_win.count, third.scatter_win.coins) == (3, 8)
    ended = fold(steps)
    assert (
        ended.mode,
        ended.free_spins_left,
        ended.free_spins_played,
        ended.free_spin_win,
        ended.round_win,
    ) == ("base", 0, 20, 188, 196)
    assert NeptuneScene(stops=NOTHING) == fold(play_out(STAKE, Script(NOTHING)), ended)


def test_the_scene_counts_every_coin() -> None:
    """Over many rounds the scene's win is the sum of the beats, and it survives the wire at every step."""
    draw = Luck(7).draw
    decoder = msgspec.json.Decoder(NeptuneScene)
    scene: Scene = GAME.idle
    longest = 0
    for stake in GAME.stakes() * 4:
        total = 0
        for step in play_out(stake, draw):
            scene = GAME.advance(scene, stake, step)
            total += step.coins if isinstance(step, Beat) else 0
            packet = msgspec.json.encode(scene)
            longest = max(longest, len(packet))
            assert scene == decoder.decode(packet)
        assert isinstance(scene, NeptuneScene)
        assert total == scene.round_win
    assert longest < 4096


def test_a_foreign_scene_or_step_is_refused() -> None:
    """Neptune draws nothing from another game's scene or step."""
    with pytest.raises(TypeError, match="NeptuneScene"):
        GAME.advance(Scene(), STAKE, PicksEnded(0))
    with pytest.raises(TypeError, match="no step of Neptune"):
        GAME.advance(GAME.idle, STAKE, Beat())
