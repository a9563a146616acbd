"""A past round on its game's own screen, for the replay, the attendant's recall and the combination test.

The screen shows only that round (its bet, money and companion) and nothing of the machine's own play.
"""

import msgspec

from gamekit.catalogue import load
from gamekit.play import Offer, Scene
from ui.protocol.messages import View, raw
from ui.protocol.values import Bet, Paid, PastRound


def with_past_round(
    view: View,
    *,
    past: PastRound,
    bet: Bet,
    scene: Scene,
    offer: Offer | None = None,
    win_cents: int = 0,
    at_risk_cents: int = 0,
    companion: int | None = None,
) -> View:
    """Return `view` with this scene of `past` on its game's reels, without today's pool.

    The credit stays the player's. `companion` is the one recorded with the round, or None in games without companions.
    """
    game = load(past.game)
    return msgspec.structs.replace(
        view,
        replay=past,
        game=past.game,
        bet=bet,
        played_bet=bet,
        bets_cents=() if game.total_bets is None else (bet.cents,),
        buy_cents=game.buy_price * bet.cents,
        scene=raw(scene),
        offer=raw(offer),
        win_cents=win_cents,
        at_risk_cents=at_risk_cents,
        witch=view.witch if companion is None else companion,
        notices=(),
        paid=Paid(),
        resumed=False,
        jackpot_cents=0,
        autospin_left=0,
        autospin_of=0,
    )
