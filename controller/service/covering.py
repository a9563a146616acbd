"""Shows a game's screen over the service menu, for recall and the combination test."""

import msgspec

from controller.machine.past_round import with_past_round
from gamekit.play import Offer, Scene
from ui.protocol.messages import View
from ui.protocol.values import Bet, PastRound


def covered(
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
    """Return `view` with this scene on the reels of `past`'s game; only the menu's controls are live."""
    shown = with_past_round(
        view,
        past=past,
        bet=bet,
        scene=scene,
        offer=offer,
        win_cents=win_cents,
        at_risk_cents=at_risk_cents,
        companion=companion,
    )
    return msgspec.structs.replace(
        shown,
        controls=tuple(name for name in view.controls if name.startswith("service:")),
        focus="",
        message="" if offer is None else "recall_choice",
        balance=msgspec.structs.replace(shown.balance, payout=None),
    )
