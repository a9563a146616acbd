"""The echo on the screen: its amount rolls up, and the line under the reels says where it comes from."""

from ui import text
from ui.acts import Act
from ui.director import Director
from ui.picture import Picture
from ui.scenes.game_overlay import GameOverlay

PAID_AGAIN = "The line wins are paid again"
_LASTS_S, _ROLLS_S = 2.2, 1.2


class EchoAct(Act):
    """All line wins of the spin, `coins`, are paid again."""

    def __init__(self, after: Picture, coins: int) -> None:
        super().__init__(after, coins, _LASTS_S, _ROLLS_S)


class EchoOverlay(GameOverlay):
    """The words of the echo."""

    def words(self, _director: Director, _picture: Picture, act: Act | None, _now: float) -> str:
        """Return them while it is shown."""
        return text.say(PAID_AGAIN) if isinstance(act, EchoAct) else ""
