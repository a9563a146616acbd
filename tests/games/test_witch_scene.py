"""Witch Feature's scene: what a display that starts in mid-round finds on the screen."""

from functools import reduce

import msgspec
import pytest

from gamekit.beats import LineWin
from gamekit.play import Beat, Scene, Step
from games.witch_feature import GAME, WitchScene
from games.witch_feature.pays import LINE_PAYS, POTIONS, WILD
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import WitchMemory
from games.witch_feature.steps import FeatureBegins, FeatureEnded, PotionCollected, Respun
from games.witch_feature.strips import FREE_REELS, PAID_WINDOWS
from tests.games.table import Luck, Script
from tests.games.witch_table import (
    FREE_NOTHING,
    FULL_RESPIN,
    NO_FEATURE,
    RESPIN_NOTHING,
    STAKE,
    TRIGGER,
    B,
    G,
    R,
    losing,
    play_round,
)

RED_LANDS = losing(PAID_REELS, {1: R})


def fold(steps: list[Step], scene: Scene = GAME.idle) -> WitchScene:
    result = reduce(lambda known, step: GAME.advance(known, STAKE, step), steps, scene)
    assert isinstance(result, WitchScene)
    return result


def until(steps: list[Step], kind: type[Step], number: int = 0) -> list[Step]:
    """Return the steps up to and with the step number `number` of some kind."""
    places = [place for place, step in enumerate(steps) if isinstance(step, kind)]
    return steps[: places[number] + 1]


def test_a_potion_stands_in_the_window_until_it_is_collected() -> None:
    """The reels land with the potion; once collected the symbols above have fallen and the bet carries it."""
    steps = play_round(Script(RED_LANDS), WitchMemory((B,), 1)).steps
    landed = fold(steps[:2])
    assert PAID_WINDOWS.window(RED_LANDS) == landed.window
    assert (R in landed.window[1], landed.carried, landed.unlocked) == (True, (B,), 1)
    after = fold(until(steps, PotionCollected))
    assert PAID_REELS.window(RED_LANDS) == after.window
    assert (after.carried, len(after.landed)) == ((B, R), 1)
    assert not any(symbol in POTIONS for column in after.window for symbol in column)


def test_the_combination_its_feature_and_the_unlocked_card_are_shown() -> None:
    """In the midst of High Symbols: three potions used, the second card unlocked, a respin full of wilds."""
    steps = play_round(Script([*RED_LANDS, *FULL_RESPIN]), WitchMemory((B, G))).steps
    begun = fold(until(steps, FeatureBegins))
    assert (begun.combination, begun.features, begun.unlocked) == ((B, G, R), ("high_symbols",), 1)
    respun = fold(until(steps, Respun))
    assert respun.window == ((WILD,) * 4,) * 5
    ended = fold(steps)
    assert (ended.features, ended.feature_win, ended.round_win) == ((), 10_000, 10_000)
    assert (ended.carried, ended.unlocked, len(ended.line_wins)) == ((), 1, 50)


def test_marks_stand_over_the_reels() -> None:
    """Random Wilds are in the window, their places beside it; each respin clears the wins of the one before."""
    steps = play_round(Script([*losing(PAID_REELS, {1: B}), 0, 0, 0, 0, *RESPIN_NOTHING]), WitchMemory((B, R), 3)).steps
    scene = fold(until(steps, Respun))
    assert (scene.marks, scene.mark_symbol) == (((0, 0), (0, 1), (0, 2)), WILD)
    assert scene.window[0][:3] == (WILD,) * 3
    assert scene.line_wins == ()
    assert scene.features == ("random_wilds",)
    assert fold(until(steps, FeatureEnded)).features == ()


def test_free_spins_count_and_show_their_own_reels() -> None:
    """In a free spin the window shows free reels, the multiplier is shown, and its wins count as free spins' wins."""
    free = [*FREE_NOTHING, NO_FEATURE]
    steps = play_round(Script([*TRIGGER, *FREE_NOTHING, 999, 99, 0, 0, *FULL_RESPIN, *free * 9])).steps
    scene = fold(until(steps, FeatureBegins))
    assert FREE_REELS.window(FREE_NOTHING) == scene.window
    assert (scene.mode, scene.features, scene.multiplier) == ("free", ("mega_wild", "multiplier"), 10)
    win = 50 * LINE_PAYS[WILD][5] * 10
    ended = fold(steps)
    assert (ended.mode, ended.free_spins_played, ended.free_spin_win, ended.round_win) == ("base", 10, win, win)
    again = fold(play_round(Script(RED_LANDS)).steps, ended)
    assert (again.round_win, again.free_spins_total, again.marks, again.feature_win) == (0, 0, (), 0)


def test_the_scene_counts_every_coin() -> None:
    """Over many rounds the scene's win is the sum of the beats, its potions the memory's, and it survives the wire."""
    luck = Luck(7)
    decoder = msgspec.json.Decoder(WitchScene)
    scene: Scene = GAME.idle
    memory = WitchMemory((B, G))
    longest = 0
    for _ in range(500):
        steps, memory = play_round(luck.draw, memory)
        for step in steps:
            scene = GAME.advance(scene, STAKE, step)
            packet = msgspec.json.encode(scene)
            longest = max(longest, len(packet))
        assert scene == decoder.decode(packet)
        assert isinstance(scene, WitchScene)
        assert sum(step.coins for step in steps if isinstance(step, Beat)) == scene.round_win
        assert (memory.carried, memory.unlocked) == (scene.carried, scene.unlocked)
    assert longest < 16_384


def test_a_foreign_scene_or_step_is_refused() -> None:
    """Witch Feature draws nothing from another game's scene or step."""
    with pytest.raises(TypeError, match="WitchScene"):
        GAME.advance(Scene(), STAKE, LineWin(1, "witch", 3))
    with pytest.raises(TypeError, match="no step of WitchScene"):
        GAME.advance(GAME.idle, STAKE, Beat())
