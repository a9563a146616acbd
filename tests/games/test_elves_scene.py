"""Mystery Elves' scene: what a display that starts in mid-round finds on the screen."""

from functools import reduce

import msgspec
import pytest

from gamekit.double_up import RED, DoubleUp
from gamekit.play import Beat, Offer, Scene, Step
from games.mystery_elves import GAME, MysteryElvesScene
from games.mystery_elves.bonuses import Bonus, BonusTurned, HoldAndWinPaid, MultiplyingOpened, MysteryOpened
from games.mystery_elves.pays import AWARDS, MINI, MULTIPLIERS, MULTIPLYING, MYSTERY
from tests.games.elves_table import BOUGHT, LANDS, MISSES, SIX, STAKE, bonuses, carry, cells_of, play_round, ticket
from tests.games.table import Luck, play_out

LOSING = bonuses(0, 0, 0, 0, 0)
RESPINS = [*[MISSES] * 8, LANDS, *carry(3), *[MISSES] * 24]
ENDING = [ticket(AWARDS, MINI), ticket(MULTIPLIERS, 3), 0, 0]


def fold(steps: list[Step], scene: Scene = GAME.idle) -> MysteryElvesScene:
    result = reduce(lambda known, step: GAME.advance(known, STAKE, step), steps, scene)
    assert isinstance(result, MysteryElvesScene)
    return result


def feature() -> list[Step]:
    """Return a round with a Mystery, a Multiplying and a symbol that lands in the first respin."""
    return play_round(SIX, carry(MYSTERY, MULTIPLYING, 1, 1, 1, 1), RESPINS, ENDING)


def until_offer(steps: list[Step], number: int) -> list[Step]:
    """Return the steps up to and with offer `number`, from 0."""
    places = [place for place, step in enumerate(steps) if isinstance(step, Offer)]
    return steps[: places[number] + 1]


def test_bonus_symbols_stand_with_what_they_carry() -> None:
    """Where Hold and Win starts, the window holds six symbols and three respins are left."""
    scene = fold(until_offer(feature(), 0))
    carried = zip(cells_of(SIX), (MYSTERY, MULTIPLYING, 1, 1, 1, 1), strict=True)
    assert scene.bonuses == tuple(Bonus(cell, carries) for cell, carries in carried)
    assert (scene.mode, scene.stops, scene.respins_left, scene.round_win) == ("hold", SIX, 3, 0)


def test_a_respin_adds_its_symbols() -> None:
    """After the first respin there are seven, the newest respin is known, and three are left again."""
    scene = fold(until_offer(feature(), 1))
    assert scene.bonuses[6:] == (Bonus((4, 2), 3),)
    assert scene.respin is not None
    assert (len(scene.respin.cells), scene.respin.stops[-1], scene.respins_left) == (9, LANDS, 3)


def test_the_end_shows_what_everything_became() -> None:
    """After the feature awards, multiplier, turned values and the pay stay until the next reels land."""
    steps = feature()
    scene = fold(steps)
    first, second = cells_of(SIX)[:2]
    assert scene.mysteries == (MysteryOpened(first, "mini", MINI),)
    assert scene.multiplying == MultiplyingOpened(second, 3)
    assert scene.turned == (BonusTurned(first, 1), BonusTurned(second, 1))
    bets = 3 * (7 + MINI) + 2
    assert scene.hold_and_win == HoldAndWinPaid(bets, full=False, coins=10 * bets)
    assert (scene.mode, scene.respins_left, scene.round_win) == ("base", 0, 10 * bets)
    assert fold(play_round(LOSING), scene) == MysteryElvesScene(stops=LOSING)


def test_the_card_table_opens_and_closes() -> None:
    """While a win may be gambled the table says what is at risk; after a wrong guess it is closed."""
    steps = play_round(SIX, carry(*[1] * 6), [MISSES] * 27, [1, 0], choose=lambda offer: RED if offer.pick else 0)
    offered = next(place for place, step in enumerate(steps) if isinstance(step, DoubleUp))
    table = fold(steps[: offered + 1]).double_up
    assert table is not None
    assert (table.open, table.at_risk_cents) == (True, 60)
    closed = fold(steps).double_up
    assert closed is not None
    assert (closed.open, closed.at_risk_cents, closed.won) == (False, 0, False)


def test_the_scene_counts_every_coin() -> None:
    """Over many rounds the scene's win is the sum of the beats, and it survives the wire at every step."""
    decoder = msgspec.json.Decoder(MysteryElvesScene)
    scene: Scene = GAME.idle
    longest = 0
    for seed in range(150):
        luck = Luck(seed)
        total = 0
        for step in play_out(BOUGHT, luck.draw, luck.choose, GAME):
            scene = GAME.advance(scene, BOUGHT, step)
            total += step.coins if isinstance(step, Beat) else 0
            packet = msgspec.json.encode(scene)
            longest = max(longest, len(packet))
            assert scene == decoder.decode(packet)
        assert isinstance(scene, MysteryElvesScene)
        assert scene.round_win == total
    assert longest < 8192


def test_a_foreign_scene_or_step_is_refused() -> None:
    """Mystery Elves draws nothing from another game's scene, nor from a step that is none of its own."""
    with pytest.raises(TypeError, match="MysteryElvesScene"):
        GAME.advance(Scene(), STAKE, HoldAndWinPaid(1, full=False))
    with pytest.raises(TypeError, match="no step of MysteryElvesScene"):
        GAME.advance(GAME.idle, STAKE, Beat())
