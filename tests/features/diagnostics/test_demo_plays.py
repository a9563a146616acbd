"""Rounds that nobody staked: they go through features, keep a memory of their own, and each replays (T.19)."""

from collections.abc import Generator

import pytest
from msgspec.structs import replace

from controller.features.diagnostics.plays import DemoPlays, PlayError
from gamekit.beats import ReelsLanded
from gamekit.catalogue import load, names
from gamekit.play import Answer, Draw, Memory, Stake, Step


@pytest.mark.parametrize("name", names())
def test_every_game_plays_on_and_on(name: str) -> None:
    """Two hundred rounds with their features end in a scene of the game, and win now and then."""
    plays = DemoPlays(load(name), 19)
    scenes = [plays.play() for _ in range(200)]
    assert {type(scene) for scene in scenes} == {load(name).scene_type}
    assert plays.rounds == 200
    assert plays.coins > 0


def test_a_play_that_does_not_replay_is_found() -> None:
    """A game whose steps hang on more than its draws is a fault of its own."""
    spins = iter(range(1000))

    def fickle(_stake: Stake, draw: Draw, _memory: Memory) -> Generator[Step, Answer | None, Memory]:
        draw(3)
        yield ReelsLanded((next(spins),))
        return None

    with pytest.raises(PlayError, match="round 1 of neptune replays otherwise"):
        DemoPlays(replace(load("neptune"), play=fickle), 19).play()
