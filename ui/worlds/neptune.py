"""Neptune's look: its names for the player, its strips and pays from the game's own tables, its rules in words."""

from collections.abc import Mapping, Sequence

from games.neptune import GAME
from games.neptune.pays import (
    CHEST_TABLE,
    CHESTS_SHOWN,
    FREE_SPIN_MULTIPLIER,
    FREE_SPINS,
    LINE_PAYS,
    LINES,
    MERMAID,
    MERMAID_PAYS,
    NEPTUNE,
    TREASURE,
)
from games.neptune.scene import NeptuneScene
from games.neptune.strips import REELS
from games.play import Game, Scene
from games.reels import Strip
from ui.worlds.look import Look, Opened, Picture

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


class NeptuneLook:
    """`ui.worlds.look.Look` for Neptune."""

    world = "neptune"
    scatter = MERMAID
    bonus = TREASURE
    free_multiplier = FREE_SPIN_MULTIPLIER

    @property
    def game(self) -> Game:
        """The game itself."""
        return GAME

    @property
    def lines(self) -> Sequence[Sequence[int]]:
        """The game's own payline table."""
        return LINES

    @property
    def symbols(self) -> Mapping[str, str]:
        """Symbols as the player calls them."""
        return _NAMES

    def strips(self, _picture: Picture) -> Sequence[Strip]:
        """Return the strips, the same in the base game and in free spins."""
        return REELS.strips

    def picture(self, scene: Scene) -> Picture:
        """Return what a `NeptuneScene` shows; raises TypeError for another game's scene."""
        if not isinstance(scene, NeptuneScene):
            raise TypeError(f"Neptune's look draws a NeptuneScene, not a {type(scene).__name__}")
        return Picture(
            stops=scene.stops,
            free=scene.mode == "free",
            line_wins=scene.line_wins,
            scatter_win=scene.scatter_win,
            free_left=scene.free_spins_left,
            free_played=scene.free_spins_played,
            free_total=scene.free_spins_total,
            free_win=scene.free_spin_win,
            shown=scene.chests_shown,
            opened=tuple(Opened(chest.choice, chest.coins) for chest in scene.chests),
            picks_left=scene.picks_left,
            picks_win=scene.treasure_win,
        )

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return the symbol's line pays from the game's table."""
        return LINE_PAYS.get(symbol, {})

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the Mermaid's pays from the game's table."""
        return MERMAID_PAYS

    def rules(self) -> Sequence[tuple[str, str]]:
        """Return the rules (rules/neptune.txt) with their figures from the game's tables."""
        least, most = min(CHEST_TABLE.weights), max(CHEST_TABLE.weights)
        coins = max(GAME.coins_per_line)
        wild = (
            "Neptune stands for every symbol except Mermaid and Treasure, and pays on his own. "
            "Only the highest win on each line is paid."
        )
        mermaid = (
            f"{min(MERMAID_PAYS)} or more Mermaids anywhere pay their figure times the total bet. {min(FREE_SPINS)} or "
            f"more also give {FREE_SPINS[min(FREE_SPINS)]} free spins. In free spins all line wins are multiplied by "
            f"{FREE_SPIN_MULTIPLIER}; Mermaid and treasure wins are not. More free spins can be won in them."
        )
        treasure = (
            "Three or more Treasures in a row on a played line, beginning on reel 1, open the treasure: as many of the "
            f"{CHESTS_SHOWN} chests may be opened as there are Treasures. Each holds {least} to {most} coins for each "
            f"coin bet on a line: up to {GAME.reels * most * coins:,} coins in all."
        )
        paying = (
            "Line wins pay from left to right, beginning on reel 1, times the coins bet on the line. Line, Mermaid and "
            "treasure wins are added up. Coins times coin value is the amount paid. "
            "Malfunction voids all plays and pays."
        )
        return (
            ("Neptune is wild", wild),
            ("Mermaid: scatter and free spins", mermaid),
            ("Treasure", treasure),
            ("Paying", paying),
        )


LOOK: Look = NeptuneLook()
