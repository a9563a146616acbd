"""What a picture of Mona Lisa Jewels says of its jewel spins and its jackpot."""

from games.mona_lisa_jewels import MonaLisaScene
from games.mona_lisa_jewels.display import words
from games.mona_lisa_jewels.pays import COINS_PER_LINE, LINES
from ui import text
from ui.picture import Picture
from ui.protocol.messages import View
from ui.protocol.values import Bet, written


def scene_of(picture: Picture) -> MonaLisaScene:
    """Return the game's own scene; raises TypeError for another game's picture."""
    if not isinstance(picture.scene, MonaLisaScene):
        raise TypeError(f"Mona Lisa Jewels is drawn from its own scene, not from a {type(picture.scene).__name__}")
    return picture.scene


def jewel_spin(scene: MonaLisaScene) -> int:
    """Return the number of the jewel spin that is played or has been played, from 1; 0 before the first."""
    return scene.jewels_total - scene.jewels_left


def plays_for_jackpot(bet: Bet | None) -> bool:
    """Return whether five jackpot symbols would win the pool at `bet` (rule page 3.4)."""
    return bet is not None and (bet.lines, bet.coins_per_line) == (len(LINES), COINS_PER_LINE[-1])


def jackpot_note(bet: Bet | None) -> tuple[str, str]:
    """Return the two lines that say whether `bet` plays for the jackpot, and if not, which does."""
    first, second = words.PLAYED if plays_for_jackpot(bet) else words.NOT_PLAYED
    return text.say(first), text.say(second, lines=len(LINES), coins=COINS_PER_LINE[-1])


def amount(coins: int, view: View) -> str:
    """Return `coins` as money at the view's coin value."""
    return written(coins * (1 if view.reels_bet is None else view.reels_bet.coin_value_cents), view.locale.money)
