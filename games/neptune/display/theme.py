"""Neptune's theme: its names for the player, its strips and pays from the game's own tables, its rules in words."""

from collections.abc import Mapping, Sequence

from gamekit.beats import PickOpened
from gamekit.play import Beat, Scene, Step
from gamekit.reels import Strip
from games.neptune import GAME
from games.neptune.display.rules import EDITION, rules
from games.neptune.display.treasure import Treasure
from games.neptune.pays import FREE_SPIN_MULTIPLIER, LINE_PAYS, LINES, MERMAID, MERMAID_PAYS, NEPTUNE, TREASURE
from games.neptune.scene import NeptuneScene
from games.neptune.strips import REELS
from ui import text
from ui.acts import Act, OpenAct, TotalAct
from ui.draw_context import DrawContext, Scenery
from ui.picture import Drift, Dweller, Opened, Picture, WipeLook
from ui.spin_theme import SpinTheme
from ui.theme import Explained, Theme

_NAMES = {
    NEPTUNE: "Neptune",
    "jewel_box": "Jewel box",
    "clam": "Clam",
    "sea_horse": "Sea horse",
    "ace": "A",
    "king": "K",
    "queen": "Q",
    "jack": "J",
    "ten": "10",
    MERMAID: "Mermaid",
    TREASURE: "Treasure",
}
_EXPLAINED: Mapping[type[Beat], Explained] = {PickOpened: Explained("Treasure", _NAMES[TREASURE])}

TREASURE_SCENE = "treasure"


class NeptuneTheme(SpinTheme):
    """Neptune: what its scene shows, and its treasure."""

    game = GAME
    world = "neptune"
    lines = LINES
    symbols = _NAMES
    edition = EDITION
    scatter = MERMAID
    bonus = TREASURE
    explains = _EXPLAINED
    wipe = WipeLook("up", ("bubble_large", "bubble", "bubble_small", "bubble"), 44)
    life = (
        Drift(("bubble_small", "bubble", "bubble_small"), 7, (0, 60, 38, 530), -52),
        Drift(("bubble_small", "bubble_small", "bubble"), 6, (106, 60, 34, 530), -44),
        Drift(("bubble_small", "bubble", "bubble_large"), 8, (1142, 60, 136, 232), -38),
        Dweller("fish", (0, 108, 140, 64), 34, rests_s=5),
        Dweller("fish_blue", (0, 166, 140, 68), -26, 1.2, 9),
        Dweller("fish_blue", (1142, 108, 136, 80), -28, 1.2, 6),
        Dweller("fish", (1142, 180, 136, 112), 36, rests_s=8),
    )
    portrait_life = (
        Drift(("bubble_small", "bubble", "bubble_large"), 14, (0, 222, 1080, 240), -38),
        Drift(("bubble_small", "bubble"), 9, (0, 1322, 1080, 96), -30),
        Dweller("fish", (0, 222, 1080, 90), 58, rests_s=3),
        Dweller("fish_blue", (0, 300, 1080, 80), -44, 1.2, 2),
        Dweller("fish", (0, 372, 1080, 70), 40, rests_s=1),
        Dweller("turtle", (0, 226, 1080, 224), 52, 2.4, 2),
        Dweller("fish_blue", (0, 1334, 1080, 80), -50, 1.2, 4),
    )
    free_multiplier = FREE_SPIN_MULTIPLIER

    def strips(self, _picture: Picture) -> Sequence[Strip]:
        """Return the strips, the same in the base game and in free spins."""
        return REELS.strips

    def picture(self, scene: Scene) -> Picture:
        """Return what a `NeptuneScene` shows; raises TypeError for another game's scene."""
        if not isinstance(scene, NeptuneScene):
            raise TypeError(f"Neptune's theme draws a NeptuneScene, not a {type(scene).__name__}")
        return (
            super()
            .picture(scene)
            ._replace(
                shown=scene.chests_shown,
                opened=tuple(Opened(chest.choice, chest.coins) for chest in scene.chests),
                picks_left=scene.picks_left,
                picks_win=scene.treasure_win,
            )
        )

    def scene_of(self, picture: Picture, act: Act | None, offer: Step | None) -> str:
        """Return the treasure while chests are shown; the act that has won them still shows the reels."""
        if picture.picking and (act is None or isinstance(act, OpenAct | TotalAct)):
            return TREASURE_SCENE
        return super().scene_of(picture, act, offer)

    def build(self, name: str, context: DrawContext) -> Scenery:
        """Build the treasure's scene; raises ValueError for a name that is not Neptune's."""
        return Treasure(context, self) if name == TREASURE_SCENE else super().build(name, context)

    def notes(self) -> Mapping[str, str]:
        """Return what the Treasure does instead of paying."""
        return {TREASURE: text.say(text.PAYTABLE_BONUS)}

    def foot(self) -> str:
        """Say what the figures are multiplied by."""
        return text.say(text.PAYTABLE_MERMAIDS)

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return the symbol's line pays from the game's table."""
        return LINE_PAYS.get(symbol, {})

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the Mermaid's pays from the game's table."""
        return MERMAID_PAYS

    def rules(self, _gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules with their figures from the game's tables."""
        return rules()


THEME: Theme = NeptuneTheme()
