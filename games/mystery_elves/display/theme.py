"""Mystery Elves' look: its names for the player, its strips and pays, its rules in words, Hold and Win's scene."""

from collections.abc import Mapping, Sequence

from gamekit.double_up import CardTurned
from gamekit.play import Beat, Stake, Step
from gamekit.reels import Strip
from games.mystery_elves import GAME
from games.mystery_elves.bonuses import HoldAndWinPaid
from games.mystery_elves.display import words
from games.mystery_elves.display.acts import WIN_SIZES, act_of
from games.mystery_elves.display.buying import BuyQuestion
from games.mystery_elves.display.hold import HoldScene
from games.mystery_elves.display.overlay import ElvesOverlay
from games.mystery_elves.display.rules import EDITION, GAMBLING, RTP, awards, rules
from games.mystery_elves.display.state import holding
from games.mystery_elves.pays import BONUS, LEAST_BONUSES, LINE_PAYS, LINES, WILD
from games.mystery_elves.strips import REELS
from ui import text
from ui.acts import Act
from ui.anticipation import Trigger
from ui.draw_context import DrawContext, Scenery
from ui.picture import Drift, Dweller, Picture, WipeLook
from ui.scenes.game_overlay import GameOverlay
from ui.spin_theme import SpinTheme
from ui.theme import Explained, Theme

_NAMES = {
    WILD: "Stag",
    "gold_elf": "Elf queen",
    "red_elf": "Red elf",
    "green_elf": "Green elf",
    "mushroom": "Mushroom",
    "lantern": "Lantern",
    "ace": "A",
    "king": "K",
    "queen": "Q",
    "jack": "J",
    "ten": "10",
    BONUS: "Bonus",
}
_EXPLAINED: Mapping[type[Beat], Explained] = {
    HoldAndWinPaid: Explained("How Hold and Win is counted", "Hold and Win"),
    CardTurned: Explained(GAMBLING, GAMBLING),
}

HOLD_AND_WIN = "hold_and_win"
BUY = "buy"


class MysteryElvesTheme(SpinTheme):
    """Mystery Elves: what its scene shows, and Hold and Win."""

    game = GAME
    world = "mystery_elves"
    lines = LINES
    symbols = _NAMES
    edition = EDITION
    scatter = BONUS
    explains = _EXPLAINED
    win_sizes = WIN_SIZES
    wipe = WipeLook("down", ("snowflake", "snowflake_small", "snowflake"), 60)
    life = (
        Drift(("snowflake_small", "snowflake"), 7, (0, 235, 38, 360), 46),
        Drift(("snowflake_small",), 6, (106, 235, 34, 360), 38),
        Drift(("snowflake_small", "snowflake"), 9, (1098, 120, 44, 460), 42),
        Dweller("lamplight", (136, 144, 60, 60), loop_s=1.3),
        Dweller("lamplight", (1088, 144, 60, 60), loop_s=1.1),
        Dweller("eyes", (2, 400, 36, 40), loop_s=3, rests_s=4),
        Dweller("eyes", (104, 330, 34, 40), loop_s=3.4, rests_s=8),
    )
    portrait_life = (
        Drift(("snowflake_small", "snowflake"), 12, (0, 376, 1080, 100), 34),
        Dweller("sleigh", (0, 372, 1080, 104), 84, 1.2, 5),
        Drift(("snowflake_small", "snowflake"), 6, (0, 1322, 320, 96), 30),
        Drift(("snowflake_small", "snowflake"), 6, (760, 1322, 320, 96), 34),
        Dweller("eyes", (40, 1340, 60, 40), loop_s=3, rests_s=4),
        Dweller("eyes", (990, 1352, 60, 40), loop_s=3.4, rests_s=7),
    )

    def strips(self, _picture: Picture) -> Sequence[Strip]:
        """Return the strips of the paid spin; Hold and Win's cells are not drawn on the reels."""
        return REELS.strips

    @property
    def triggers(self) -> Sequence[Trigger]:
        """Six bonus symbols win Hold and Win."""
        return (Trigger(BONUS, LEAST_BONUSES),)

    def act(self, step: Step, before: Picture, after: Picture, stake: Stake) -> Act | None:
        """Return the act of one of the game's own steps."""
        return act_of(step, before, after, stake)

    def scene_of(self, picture: Picture, act: Act | None, offer: Step | None) -> str:
        """Return Hold and Win while it is played; the act that has won it still shows the reels."""
        return HOLD_AND_WIN if holding(picture.scene) else super().scene_of(picture, act, offer)

    def scene_in(self, state: str) -> str:
        """Return the question before the feature is bought."""
        return BUY if state == "confirm" else super().scene_in(state)

    def build(self, name: str, context: DrawContext) -> Scenery:
        """Build Hold and Win or the question; raises ValueError for a name that is not Mystery Elves'."""
        if name == HOLD_AND_WIN:
            return HoldScene(context, self)
        return BuyQuestion(context, self, RTP) if name == BUY else super().build(name, context)

    def overlay(self, context: DrawContext) -> GameOverlay:
        """Return what bonus symbols carry, the fixed awards and the button that buys."""
        return ElvesOverlay(context, self)

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return the symbol's line pays from the game's table."""
        return LINE_PAYS.get(symbol, {})

    def notes(self) -> Mapping[str, str]:
        """Return what the bonus symbol does instead of paying lines."""
        return {BONUS: text.say(words.NOTE_BONUS, least=LEAST_BONUSES)}

    def foot(self) -> str:
        """Say what the figures are multiplied by, and name the fixed awards."""
        return text.say(words.FOOT, awards=awards())

    def rules(self, gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules with their figures from the game's tables."""
        return rules(gamble_cap_cents)


THEME: Theme = MysteryElvesTheme()
