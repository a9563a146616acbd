"""Sample Game's theme: its names for the player, its strips and pays from the game's own tables."""

from collections.abc import Mapping, Sequence

from gamekit.reels import Strip
from games.sample_cascades import GAME
from games.sample_cascades.display.rules import EDITION, rules
from games.sample_cascades.pays import CASCADES, FREE_CASCADES, FREE_SPINS, PAYS, SCATTER, SCATTER_PAYS, WILD
from games.sample_cascades.strips import REELS
from ui import text
from ui.picture import Picture
from ui.theme import Theme
from ui.ways_theme import WaysTheme

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


class SampleGameTheme(WaysTheme):
    """What the shared screens ask of Sample Game; override more of `WaysTheme` for what it has of its own."""

    game = GAME
    world = GAME.name
    symbols = _NAMES
    edition = EDITION
    scatter = SCATTER
    steps = CASCADES.multipliers
    free_steps = FREE_CASCADES.multipliers

    def strips(self, _picture: Picture) -> Sequence[Strip]:
        """Return the strips, the same in the base game and in free spins."""
        return REELS.strips

    def shard(self, _symbol: str) -> str:
        """Return the shards, the same for every symbol."""
        return "shard"

    def foot(self) -> str:
        """Say what the figures are."""
        return text.say("What each way pays at your bet  ·  Stars pay anywhere")

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return what each way of the symbol pays, from the game's table."""
        return PAYS.get(symbol, {})

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
