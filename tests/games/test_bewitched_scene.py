"""Bewitched's scene: what a display that starts in mid-round finds on the screen."""

from functools import reduce

import msgspec
import pytest

from gamekit.beats import LineWin, PicksEnded
from gamekit.double_up import BLACK, COLLECT, RED, CardTable
from gamekit.play import Beat, Claim, Offer, Scene, Stake, Step
from games.bewitched import GAME, BewitchedScene
from games.bewitched.pays import BATTLE_SPINS, LINE_PAYS, WITCHES_PAYS
from games.bewitched.potions import JACKPOT, MONEY
from games.bewitched.steps import Battle, PotionBrewed
from tests.games.bewitched_table import MOONS, NOTHING, WON, first_choice, jackpot, money, play_round, specials
from tests.games.table import Luck, play_out

STAKE = Stake(lines=1, coins_per_line=2)
THREE_MOONS = LINE_PAYS["moon"][3] * 2
SHORTEST = BATTLE_SPINS[2]


def fold(steps: list[Step], scene: Scene = GAME.idle) -> BewitchedScene:
    result = reduce(lambda known, step: GAME.advance(known, STAKE, step), steps, scene)
    assert isinstance(result, BewitchedScene)
    return result


def until_offer(steps: list[Step], number: int) -> list[Step]:
    """Return the steps up to and with offer `number`, from 0."""
    places = [place for place, step in enumerate(steps) if isinstance(step, Offer)]
    return steps[: places[number] + 1]


def test_a_line_win_stands_with_its_reels() -> None:
    """A win is shown with its coins, and the card table is open for it; the next round's reels clear all."""
    steps = play_round(MOONS, STAKE)
    scene = fold(until_offer(steps, 0))
    assert scene == BewitchedScene(
        stops=MOONS,
        line_wins=(LineWin(1, "moon", 3, coins=THREE_MOONS),),
        round_win=THREE_MOONS,
        double_up=CardTable(choices=(COLLECT, RED, BLACK), round=1, rounds=5, at_risk_cents=THREE_MOONS),
    )
    assert fold(play_round(NOTHING, STAKE), fold(steps)) == BewitchedScene(stops=NOTHING)


def test_the_card_stands_with_its_guess() -> None:
    """After a guess the newest card, how it went and what is now at risk are on the table."""
    left = [RED, BLACK]
    table = fold(play_round([*MOONS, 0, 0], STAKE, lambda _offer: left.pop(0))).double_up
    assert table == CardTable(open=False, round=2, rounds=5, cards=("heart", "heart"), won=False)


def test_vials_stand_until_the_potion_is_brewed() -> None:
    """Between two picks the scene says which vials are taken and how many are left; then what they became."""
    chosen = iter([8, 0, 4])
    steps = play_round([*specials(merlins=3), money(40, 2)], STAKE, lambda _offer: next(chosen))
    scene = fold(until_offer(steps, 2))
    assert (scene.vials_shown, scene.vials, scene.vials_left, scene.potion) == (9, (8, 0), 1, None)
    after = fold(steps)
    assert (after.vials_shown, after.vials, after.vials_left) == (0, (), 0)
    assert (after.potion, after.round_win) == (PotionBrewed(MONEY, 40, coins=80), 80)


def test_the_jackpot_stands_with_its_coins() -> None:
    """What the pool paid stays on the screen with the potion that brought it."""
    steps = play_round([*specials(merlins=3), jackpot(2)], STAKE)
    before, after = fold(until_offer(steps, 3)), fold(steps)
    assert (before.potion, before.jackpot) == (PotionBrewed(JACKPOT, 0), 0)
    assert (after.potion, after.jackpot, after.round_win) == (PotionBrewed(JACKPOT, 0), 2000, 2000)


def test_free_spins_count_down_and_a_battle_stands_with_its_reels() -> None:
    """The battle that won stays until the next reels; the spins left, played and won are counted."""
    steps = play_round([*specials(witches=2), WON, *MOONS, *NOTHING * (SHORTEST - 1)], STAKE)
    before = fold(until_offer(steps, 0))
    assert before.battle == Battle(won=True, spins=SHORTEST)
    assert before.scatter_win is not None
    assert (before.mode, before.free_spins_left, before.free_spins_total, before.free_spin_win) == (
        "free",
        SHORTEST,
        SHORTEST,
        0,
    )
    first = fold(until_offer(steps, 1))
    assert (first.battle, first.scatter_win) == (None, None)
    assert (first.free_spins_left, first.free_spins_played, first.free_spin_win) == (SHORTEST - 1, 1, 2 * THREE_MOONS)
    ended = fold(steps)
    assert (ended.mode, ended.free_spins_left, ended.free_spin_win) == ("base", 0, 2 * THREE_MOONS)
    assert ended.round_win == WITCHES_PAYS[2] * 2 + 2 * THREE_MOONS


def test_the_paid_spins_money_is_no_free_spin_win() -> None:
    """Where battle and Merlin come together, the money belongs to the paid spin, though free spins have been won."""
    values = [*specials(merlins=3, witches=2), WON, money(15, 2), *NOTHING * SHORTEST]
    scene = fold(play_round(values, STAKE))
    assert (scene.free_spin_win, scene.round_win) == (0, WITCHES_PAYS[2] * 2 + 30)


def test_the_scene_counts_every_coin_and_survives_the_wire() -> None:
    """Over many rounds the scene's win is the sum of the beats; steps and scenes are decoded to what was sent."""
    luck = Luck(7)
    scenes = msgspec.json.Decoder(BewitchedScene)
    decoder = msgspec.json.Decoder(GAME.step_type)
    scene: Scene = GAME.idle
    kinds: set[type] = set()
    longest = 0

    def choose(offer: Offer) -> int:
        return first_choice(offer) if isinstance(offer, Claim) else luck.choose(offer)

    rounds = [play_out(stake, luck.draw, choose, GAME) for stake in GAME.stakes() * 8]
    rounds.append(play_round([*specials(merlins=3), jackpot(2)], STAKE))
    for steps in rounds:
        for step in steps:
            scene = GAME.advance(scene, STAKE, step)
            kinds.add(type(step))
            packet = msgspec.json.encode(scene)
            longest = max(longest, len(packet))
            assert scenes.decode(packet) == scene
            packet = msgspec.json.encode(step)
            assert msgspec.json.encode(decoder.decode(packet)) == packet
        assert isinstance(scene, BewitchedScene)
        assert scene.round_win == sum(step.coins for step in steps if isinstance(step, Beat))
    assert len(kinds) == 18
    assert longest < 4096


def test_a_foreign_scene_or_step_is_refused() -> None:
    """Bewitched draws nothing from another game's scene or step."""
    with pytest.raises(TypeError, match="BewitchedScene"):
        GAME.advance(Scene(), STAKE, Battle(won=False, spins=0))
    with pytest.raises(TypeError, match="no step of Bewitched"):
        GAME.advance(GAME.idle, STAKE, PicksEnded(0))
