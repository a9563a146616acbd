"""A past round on its game's own screen, for the replay, the attendant's recall and the combination test.

The screen shows only that round (its bet, money and companion) and nothing of the machine's own play.
"""

from msgspec.structs import replace

from gamekit.catalogue import load
from gamekit.play import Offer, Scene
from ui.protocol.messages import View, raw
from ui.protocol.values import Bet, Paid, PastRound
from ui.protocol.view_parts import ShownRound


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
    return replace(
        view,
        game=past.game,
        bet=bet,
        notices=(),
        round=ShownRound(
            scene=raw(scene),
            offer=raw(offer),
            played_bet=bet,
            win_cents=win_cents,
            at_risk_cents=at_risk_cents,
            plain=view.round.plain,
        ),
        terms=replace(
            view.terms,
            bets_cents=() if game.total_bets is None else (bet.cents,),
            buy_cents=game.buy_price * bet.cents,
            jackpot_cents=0,
            witch=view.terms.witch if companion is None else companion,
        ),
        balance=replace(view.balance, paid=Paid()),
        past=replace(view.past, replay=past),
    )
