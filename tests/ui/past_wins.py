"""Scenes of real rounds that ended with a win."""

from collections.abc import Iterator

from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round, stake_of, wager_on
from gamekit import catalogue
from gamekit.play import Scene
from ui.protocol.values import Bet
from ui.theme import load

AT_REST = tuple(name for name in catalogue.names() if load(name).lines)
"""The games whose reels rest with what they have won: where symbols fall until nothing wins, they do not."""
LOW, HIGH = 1, 100
"""Coin values in cents: amounts at the one never look like amounts at the other."""


def bet_of(name: str, coin_value_cents: int) -> Bet:
    """Return a bet on all lines."""
    game = catalogue.load(name)
    return Bet(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0], coin_value_cents=coin_value_cents)


def won_scenes(name: str) -> Iterator[Scene]:
    """Yield scenes in which a round of the real game has ended with a line win."""
    game = catalogue.load(name)
    wager = wager_on(game, bet_of(name, LOW))
    for number in range(400):
        draw = seeded_source(7)(number, 0)
        played = Round(game, stake_of(wager), "null")
        played.advance(None, draw)
        while played.offer is not None:
            played.advance(played.offer.choices[0], draw)
        if load(name).picture(played.final_scene).line_wins:
            yield played.final_scene
