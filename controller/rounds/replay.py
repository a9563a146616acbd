"""Replays a round as it was shown, from its draws, for the player's history and the attendant's recall."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from controller.journal.rounds import RecordedRound
from controller.rounds.engine import remembered, replayed
from games.catalogue import load
from games.play import Offer, Scene


class Part(NamedTuple):
    """One segment to show: the scene before and after it, its steps, and the round's win before and after it.

    `offer` is what the play then waited for, None at its end; `at_risk_cents` of `after_cents` was at risk in it.
    """

    scene: Scene
    steps: tuple[msgspec.Raw, ...]
    final_scene: Scene
    offer: Offer | None
    before_cents: int
    after_cents: int
    at_risk_cents: int


def parts(recorded: RecordedRound) -> Sequence[Part]:
    """Replay a round, as far as it was committed.

    Raises `ReplayMismatchError` where it would show anything else than before, and `UnknownGameError` where this
    program lacks its game.
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
        )
        for played in replayed(game, recorded)
    ]
    if game.seated is None or not shown:
        return shown
    seated = game.seated(game.idle, remembered(game, recorded.memory_before))
    return [shown[0]._replace(scene=seated), *shown[1:]]
