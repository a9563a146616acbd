"""A game's screen laid over the service menu: recall and the combination test show it, and nothing of the machine's."""

import msgspec

from games.play import Offer, Scene
from ui.messages import Bet, Paid, PastRound, View


def covered(
    view: View,
    *,
    what: PastRound,
    bet: Bet,
    scene: Scene,
    offer: Offer | None = None,
    win_cents: int = 0,
    at_risk_cents: int = 0,
) -> View:
    """Return `view` with this scene on the reels of `what`'s game; of its controls only the menu's own live."""
    return msgspec.structs.replace(
        view,
        controls=tuple(name for name in view.controls if name.startswith("service:")),
        replay=what,
        game=what.game,
        bet=bet,
        scene=_raw(scene),
        offer=_raw(offer),
        win_cents=win_cents,
        at_risk_cents=at_risk_cents,
        focus="",
        message="" if offer is None else "recall_choice",
        notices=(),
        payout=None,
        paid=Paid(),
        resumed=False,
        jackpot_cents=0,
        autospin_left=0,
        autospin_of=0,
    )


def _raw(value: Scene | Offer | None) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
