"""Replays a round as it was shown, from its draws, for the player's history and the attendant's recall."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from controller.journal.rounds import RecordedRound
from controller.rounds.engine import remembered, replayed, stake_of
from gamekit.catalogue import load
from gamekit.play import Game, Offer, Scene, Stake
from gamekit.ways_scene import windows_of


class Part(NamedTuple):
    """One segment to show: the scene before and after it, its steps, and the round's win before and after it.

    `offer` is what the play then waits for, or None at its end; `at_risk_cents` of `after_cents` are at risk in it.
    `segment` counts the round's segments from 0.
    """

    scene: Scene
    steps: tuple[msgspec.Raw, ...]
    final_scene: Scene
    offer: Offer | None
    before_cents: int
    after_cents: int
    at_risk_cents: int
    segment: int


def parts(recorded: RecordedRound) -> Sequence[Part]:
    """Replay a round as far as it was committed.

    Raises `ReplayMismatchError` if it shows anything different, and `UnknownGameError` if this program lacks its game.
    """
    game = load(recorded.wager.game)
    shown = [
        Part(
            played.scene,
            played.steps,
            played.final_scene,
            played.offer,
            played.before_cents,
            played.total_cents,
            played.at_risk_cents,
            segment,
        )
        for segment, played in enumerate(replayed(game, recorded))
    ]
    if game.seated is None or not shown:
        return shown
    seated = game.seated(game.idle, remembered(game, recorded.memory_before))
    return [shown[0]._replace(scene=seated), *shown[1:]]


def stills(recorded: RecordedRound) -> Sequence[Part]:
    """Replay a round like `parts`, with each window of a cascade as a separate part whose last scene has its wins."""
    game, stake = load(recorded.wager.game), stake_of(recorded.wager)
    return [still for part in parts(recorded) for still in _windows(game, stake, part)]


def _windows(game: Game, stake: Stake, part: Part) -> Iterator[Part]:
    steps = [msgspec.json.decode(step, type=game.step_type) for step in part.steps]
    scene, begins, cents = part.scene, 0, part.before_cents
    for seen in windows_of(game, part.scene, stake, steps):
        ends = begins + len(seen.steps)
        now = part._replace(scene=scene, steps=part.steps[begins:ends], before_cents=cents)
        if ends == len(steps):
            yield now
        else:
            yield now._replace(final_scene=seen.scene, offer=None, after_cents=cents + seen.cents, at_risk_cents=0)
        scene, begins, cents = seen.scene, ends, cents + seen.cents
