"""Bewitched's theme: its names for the player, its strips and pays, its rules in words, and its own scenes."""

from collections.abc import Callable, Mapping, Sequence

from gamekit.beats import JackpotWon
from gamekit.double_up import CardTurned
from gamekit.play import Beat, Claim, Stake, Step
from gamekit.reels import Strip
from games.bewitched import GAME, BewitchedScene
from games.bewitched.display import words
from games.bewitched.display.acts import BattleAct, BrewAct, PourAct, act_of
from games.bewitched.display.battle import BattleScene
from games.bewitched.display.overlay import BewitchedOverlay
from games.bewitched.display.rules import DOUBLE, EDITION, rules
from games.bewitched.display.vials import Vials
from games.bewitched.display.witches import WitchChoice
from games.bewitched.pays import FREE_SPIN_MULTIPLIER, LINE_PAYS, LINES, MERLIN, MERLINS, OWL, WITCHES, WITCHES_PAYS
from games.bewitched.steps import PotionBrewed
from games.bewitched.strips import REELS
from ui import text
from ui.acts import Act
from ui.anticipation import Trigger
from ui.draw_context import DrawContext, Scenery
from ui.picture import Drift, Dweller, Picture, WipeLook
from ui.protocol.messages import View
from ui.scenes.game_overlay import GameOverlay
from ui.spin_theme import SpinTheme
from ui.theme import Choice, Explained, Theme

_NAMES = {
    OWL: "Owl",
    "witch_house": "Witch's house",
    "treasure_creature": "Treasure dragon",
    "frog_prince": "Frog prince",
    "crystal_ball": "Crystal ball",
    "books": "Books",
    "boots": "Boots",
    "moon": "Moon",
    "ace": "A",
    "king": "K",
    "queen": "Q",
    "jack": "J",
    "ten": "10",
    WITCHES: "Witches",
    MERLIN: "Merlin",
}
_EXPLAINED: Mapping[type[Beat], Explained] = {
    PotionBrewed: Explained("Merlin's vials", _NAMES[MERLIN]),
    JackpotWon: Explained("The jackpot", "Jackpot"),
    CardTurned: Explained(DOUBLE, DOUBLE),
}

BATTLE = "battle"
VIALS = "vials"
WITCH = "witch"


class BewitchedTheme(SpinTheme):
    """Bewitched: what its scene shows, the witches and Merlin's vials."""

    game = GAME
    world = "bewitched"
    lines = LINES
    symbols = _NAMES
    edition = EDITION
    scatter = WITCHES
    explains = _EXPLAINED
    free_multiplier = FREE_SPIN_MULTIPLIER
    wipe = WipeLook("right", ("mote_0", "spark", "mote_1"), 48)
    life = (
        Drift(("mote_0", "spark"), 4, (0, 230, 38, 360), -18),
        Drift(("mote_1", "spark"), 4, (106, 215, 34, 380), -22),
        Drift(("mote_0", "mote_1", "spark"), 7, (1142, 40, 136, 250), -14),
        Dweller("lamplight", (132, 152, 60, 60), loop_s=1.3),
        Dweller("lamplight", (1086, 152, 60, 60), loop_s=1.1),
        Dweller("eyes", (2, 384, 36, 40), loop_s=3, rests_s=4),
        Dweller("eyes", (104, 440, 34, 40), loop_s=3.5, rests_s=9),
        Dweller("bat", (1142, 40, 136, 90), -46, 0.7, 5),
        Dweller("fog", (1142, 60, 136, 120), 14, 4, 2),
        Dweller("fog", (0, 550, 140, 48), 16, 4),
        Dweller("fog", (1140, 553, 140, 30), -14, 4),
    )
    portrait_life = (
        Drift(("mote_0", "mote_1", "spark"), 7, (830, 222, 250, 240), -16),
        Drift(("mote_0", "mote_1", "spark"), 9, (0, 1322, 1080, 96), -14),
        Dweller("bat", (830, 222, 250, 120), -60, 0.7, 4),
        Dweller("flight", (0, 370, 1080, 118), 66, 1.4, 3),
        Dweller("fog", (0, 1344, 1080, 70), 24, 4),
        Dweller("fog", (0, 1330, 1080, 60), -18, 4, 6),
        Dweller("lamplight", (930, 1358, 60, 60), loop_s=1.2),
        Dweller("eyes", (20, 1350, 60, 40), loop_s=3, rests_s=5),
    )

    def strips(self, _picture: Picture) -> Sequence[Strip]:
        """Return the strips, the same in the base game and in free spins."""
        return REELS.strips

    @property
    def triggers(self) -> Sequence[Trigger]:
        """Three Merlins, and three Witches: two come too often (one spin in 21) to make anybody wait for them."""
        return (*super().triggers, Trigger(MERLIN, MERLINS))

    def act(self, step: Step, before: Picture, after: Picture, _stake: Stake) -> Act | None:
        """Return the act of one of the game's own steps."""
        return act_of(step, before, after)

    def scene_of(self, picture: Picture, act: Act | None, offer: Step | None) -> str:
        """Return the battle while it is fought, and the vials until it is seen what they became."""
        if isinstance(act, BattleAct):
            return BATTLE
        scene = picture.scene
        waiting = act is None and isinstance(scene, BewitchedScene) and scene.vials_shown > 0
        if waiting or isinstance(act, PourAct | BrewAct) or (act is None and isinstance(offer, Claim)):
            return VIALS
        return super().scene_of(picture, act, offer)

    def scene_in(self, state: str) -> str:
        """Return the choice of a witch."""
        return WITCH if state == "witch" else super().scene_in(state)

    def build(self, name: str, context: DrawContext) -> Scenery:
        """Build one of Bewitched's scenes; raises ValueError for a name that is not its own."""
        scenes: dict[str, Callable[[DrawContext, Theme], Scenery]]
        scenes = {BATTLE: BattleScene, VIALS: Vials, WITCH: WitchChoice}
        return scenes[name](context, self) if name in scenes else super().build(name, context)

    def overlay(self, context: DrawContext) -> GameOverlay:
        """Return the jackpot's counter, the witch's medal, and what Merlin and the jackpot light up."""
        return BewitchedOverlay(context, self)

    def paytable_choices(self, view: View) -> tuple[Choice, ...]:
        """Let the player choose the other witch."""
        return tuple(
            Choice(f"witch:{witch}", text.say(words.WITCH_IS, name=text.say(name)), chosen=view.terms.witch == witch)
            for witch, name in enumerate(words.WITCHES)
        )

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return the symbol's line pays from the game's table."""
        return LINE_PAYS.get(symbol, {})

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the witches' pays from the game's table."""
        return WITCHES_PAYS

    def notes(self) -> Mapping[str, str]:
        """Return what witches and Merlin do beside paying."""
        return {WITCHES: text.say(words.NOTE_SCATTER), MERLIN: text.say(words.NOTE_MERLIN)}

    def foot(self) -> str:
        """Say what the figures are multiplied by."""
        return text.say(words.FOOT)

    def rules(self, gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules (RULES.md) with their figures from the game's tables."""
        return rules(gamble_cap_cents)


THEME: Theme = BewitchedTheme()
