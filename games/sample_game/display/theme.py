"""Sample Game's theme: its names for the player, its strips and pays from the game's own tables."""

from collections.abc import Mapping, Sequence

from gamekit.reels import Strip
from games.sample_game import GAME
from games.sample_game.display.rules import EDITION, rules
from games.sample_game.pays import FREE_SPIN_MULTIPLIER, FREE_SPINS, LINE_PAYS, LINES, SCATTER, SCATTER_PAYS, WILD
from games.sample_game.strips import REELS
from ui import text
from ui.picture import Picture
from ui.spin_theme import SpinTheme
from ui.theme import Theme

_NAMES = {
    WILD: "Wild",
    "ruby": "Ruby",
    "emerald": "Emerald",
    "sapphire": "Sapphire",
    "topaz": "Topaz",
    "ace": "A",
    "king": "K",
    "queen": "Q",
    "jack": "J",
    SCATTER: "Star",
}
WILD_NOTE = "Stands for all but Star"
STAR_NOTE = "{least} or more bring free spins"


class SampleGameTheme(SpinTheme):
    """What the shared screens ask of Sample Game; override more of `SpinTheme` for what it has of its own."""

    game = GAME
    world = GAME.name
    lines = LINES
    symbols = _NAMES
    edition = EDITION
    scatter = SCATTER
    free_multiplier = FREE_SPIN_MULTIPLIER

    def strips(self, _picture: Picture) -> Sequence[Strip]:
        """Return the strips, the same in the base game and in free spins."""
        return REELS.strips

    def foot(self) -> str:
        """Say what the figures are multiplied by."""
        return text.say("What is paid at your bet  ·  Stars pay anywhere")

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return the symbol's line pays from the game's table."""
        return LINE_PAYS.get(symbol, {})

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the Star's pays from the game's table."""
        return SCATTER_PAYS

    def notes(self) -> Mapping[str, str]:
        """Return what Wild and Star do besides paying."""
        return {WILD: text.say(WILD_NOTE), SCATTER: text.say(STAR_NOTE, least=min(FREE_SPINS))}

    def rules(self, _gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules with their figures from the game's tables."""
        return rules()


THEME: Theme = SampleGameTheme()
