"""Mona Lisa Jewels' look: its names for the player, its strips and pays, jewel spins, the jackpot's show."""

from collections.abc import Mapping, Sequence

from gamekit.beats import JackpotWon
from gamekit.play import Beat, Scene, Stake, Step
from gamekit.reels import Strip
from games.mona_lisa_jewels import GAME
from games.mona_lisa_jewels.display import words
from games.mona_lisa_jewels.display.acts import act_of
from games.mona_lisa_jewels.display.jackpot_show import JackpotShow
from games.mona_lisa_jewels.display.overlay import MonaLisaOverlay
from games.mona_lisa_jewels.display.rules import EDITION, rules
from games.mona_lisa_jewels.display.state import amount, jewel_spin, scene_of
from games.mona_lisa_jewels.pays import (
    COINS_PER_LINE,
    JACKPOT,
    JACKPOT_AWARD,
    JACKPOT_COUNT,
    JEWEL,
    JEWEL_SPINS,
    LINE_PAYS,
    LINES,
    MONA_LISA,
    PALETTE,
    PALETTE_PAYS,
    WILD_MULTIPLIERS,
)
from games.mona_lisa_jewels.steps import FiveJackpots
from games.mona_lisa_jewels.strips import REELS
from ui import text
from ui.acts import Act, JackpotAct
from ui.draw_context import DrawContext, Scenery
from ui.picture import Drift, Dweller, HeldSymbol, Picture, WipeLook
from ui.protocol.messages import View
from ui.protocol.values import Bet
from ui.scenes.game_overlay import GameOverlay
from ui.spin_theme import SpinTheme
from ui.theme import Explained, Headline, Theme

_NAMES = {
    MONA_LISA: "Mona Lisa",
    JACKPOT: "Jackpot",
    PALETTE: "Palette",
    JEWEL: "Jewel",
    "leonardo": "Leonardo",
    "florence": "Florence",
    "goblet": "Goblet",
    "lute": "Lute",
    "ace": "A",
    "king": "K",
    "queen": "Q",
    "jack": "J",
    "ten": "10",
}
_JACKPOT_RULE = Explained("Jackpot", _NAMES[JACKPOT])
_EXPLAINED: Mapping[type[Beat], Explained] = {FiveJackpots: _JACKPOT_RULE, JackpotWon: _JACKPOT_RULE}

JACKPOT_SHOW = "jackpot_show"
_LOCKED_REEL = 0


class MonaLisaJewelsTheme(SpinTheme):
    """Mona Lisa Jewels: what its scene shows, its jewel spins and its jackpot."""

    game = GAME
    world = "mona_lisa_jewels"
    lines = LINES
    symbols = _NAMES
    edition = EDITION
    scatter = PALETTE
    explains = _EXPLAINED
    wipe = WipeLook("apart", ("spark", "gem_ruby", "spark", "gem_emerald", "gem_gold"), 30)
    life = (
        Drift(("spark",), 5, (0, 60, 38, 530), -16),
        Drift(("spark",), 5, (106, 60, 34, 480), -20),
        Drift(("spark",), 8, (1142, 70, 136, 222), -12),
        Dweller("sunbeam", (6, 66, 128, 170), loop_s=6),
        Dweller("sunbeam", (1150, 110, 128, 180), loop_s=7),
    )
    portrait_life = (
        Drift(("spark",), 4, (0, 222, 104, 220), -16),
        Drift(("spark",), 4, (976, 222, 104, 220), -20),
        Drift(("spark",), 10, (0, 1322, 1080, 96), -12),
        Dweller("sunbeam", (0, 230, 104, 200), loop_s=6),
        Dweller("sunbeam", (976, 230, 104, 200), loop_s=7),
        Dweller("window_light", (120, 1330, 240, 80), loop_s=6),
        Dweller("window_light", (720, 1330, 240, 80), loop_s=7),
    )

    def strips(self, _picture: Picture) -> Sequence[Strip]:
        """Return the strips, the same in all kinds of spins."""
        return REELS.strips

    def picture(self, scene: Scene) -> Picture:
        """Return what a `MonaLisaScene` shows, held symbols and the locked reel included."""
        picture = super().picture(scene)
        own = scene_of(picture)
        return picture._replace(
            held=tuple(HeldSymbol(held.reel, held.row, held.symbol) for held in own.held),
            locked=(_LOCKED_REEL,) if own.jewels_total else (),
        )

    def backing(self, picture: Picture) -> str:
        """Return violet velvet for jewel spins, else the shared way."""
        return "reel_jewel" if picture.locked else super().backing(picture)

    def headline(self, picture: Picture, view: View, unshown: int = 0) -> Headline | None:
        """Return which jewel spin is played and what they have won; in other free spins their own counter."""
        scene = scene_of(picture)
        if not scene.jewels_total:
            return super().headline(picture, view, unshown)
        number = jewel_spin(scene)
        said = text.say(words.JEWEL_SPINS, total=scene.jewels_total)
        if number:
            said = text.say(words.JEWEL_SPIN_OF, number=number, total=scene.jewels_total)
        notes = [text.say(words.LOCKED)]
        if won := max(0, scene.jewel_win - unshown):
            notes.append(f"{text.say(words.JEWELS_WIN)} {amount(won, view)}")
        if scene.free_spins_left:
            notes.append(text.count(words.FREE_TO_COME, words.FREE_TO_COME_MANY, scene.free_spins_left))
        return Headline(said, "   ·   ".join(notes))

    def free_note(self) -> str:
        """Say what wilds multiply a line by."""
        counts = [str(count) for count in range(1, len(WILD_MULTIPLIERS) + 1)]
        counts[-1] += "+"
        times = " / ".join(map(str, WILD_MULTIPLIERS))
        return text.say(words.FREE_NOTE, wilds=" / ".join(counts), times=times)

    def act(self, step: Step, before: Picture, after: Picture, stake: Stake) -> Act | None:
        """Return the act of one of the game's own steps."""
        return act_of(step, before, after, stake)

    def scene_of(self, picture: Picture, act: Act | None, offer: Step | None) -> str:
        """Return the jackpot's show while the pool pays."""
        return JACKPOT_SHOW if isinstance(act, JackpotAct) else super().scene_of(picture, act, offer)

    def build(self, name: str, context: DrawContext) -> Scenery:
        """Build the jackpot's show; raises ValueError for a name that is not Mona Lisa Jewels'."""
        return JackpotShow(context, self) if name == JACKPOT_SHOW else super().build(name, context)

    def overlay(self, context: DrawContext) -> GameOverlay:
        """Return the jackpot's counter, the lock, the marks of what is held, and multiplied wins."""
        return MonaLisaOverlay(context, self)

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return the symbol's line pays from the game's table; the Jackpot's is what it pays where none is won."""
        return {JACKPOT_COUNT: JACKPOT_AWARD} if symbol == JACKPOT else LINE_PAYS.get(symbol, {})

    def pays_in_words(self, symbol: str, bet: Bet) -> str:
        """Return the jackpot for its symbols at the bet that plays for it."""
        played = (bet.lines, bet.coins_per_line) == (len(LINES), COINS_PER_LINE[-1])
        return text.say(words.JACKPOT) if symbol == JACKPOT and played else ""

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the Palette's pays from the game's table."""
        return PALETTE_PAYS

    def notes(self) -> Mapping[str, str]:
        """Return what the wild and the Jackpot do instead of paying by their number alone."""
        figures = {"lines": len(LINES), "coins": COINS_PER_LINE[-1]}
        return {MONA_LISA: text.say(words.NOTE_WILD), JACKPOT: text.say(words.NOTE_JACKPOT, **figures)}

    def foot(self) -> str:
        """Say what the figures are multiplied by, and what Jewels on reel 1 do."""
        return text.say(words.FOOT, spins=JEWEL_SPINS)

    def rules(self, _gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules with their figures from the game's tables."""
        return rules()


THEME: Theme = MonaLisaJewelsTheme()
