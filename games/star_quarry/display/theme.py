"""Star Quarry's theme: its names for the player, its strips, pays and multipliers from the game's own tables."""

from collections.abc import Mapping, Sequence

import pygame

from gamekit.reels import Strip
from games.star_quarry import GAME
from games.star_quarry.display import words
from games.star_quarry.display.rules import EDITION, comet_reels, rules
from games.star_quarry.pays import CASCADES, FREE_CASCADES, FREE_SPINS, PAYS, SCATTER, SCATTER_PAYS, WILD
from games.star_quarry.strips import REELS
from ui import text
from ui.director import Director
from ui.draw_context import DrawContext, put_centred
from ui.picture import Drift, Dweller, Picture, WipeLook
from ui.scenes.game_overlay import GameOverlay
from ui.scenes.ladder import Ladder
from ui.theme import Theme
from ui.ways_theme import WaysTheme

_GEMS = ("ruby", "emerald", "sapphire", "topaz", "amber", "crystal")
_SIGN = (1087, 331)
_SIGN_PORTRAIT = (880, 340)
"""The middle of the sign that says how many ways there are: on the stage upright, on a portrait canvas across."""


class StarQuarryTheme(WaysTheme):
    """Star Quarry: 243 ways, cascades, two ladders of multipliers."""

    game = GAME
    world = "star_quarry"
    symbols = words.SYMBOLS
    edition = EDITION
    scatter = SCATTER
    steps = CASCADES.multipliers
    free_steps = FREE_CASCADES.multipliers
    wipe = WipeLook("together", tuple(f"shard_{gem}_{number}" for gem in _GEMS for number in range(2)), 48)
    life = (
        Drift(("shard_steel_0", "shard_steel_1", "spark"), 5, (0, 60, 38, 530), 14),
        Drift(("shard_steel_1", "shard_steel_2"), 4, (106, 60, 34, 530), 18),
        Drift(("shard_steel_0", "shard_steel_1", "spark"), 7, (1142, 60, 136, 232), 11),
        Dweller("shuttle", (0, 60, 140, 60), 30, rests_s=6),
        Dweller("shuttle", (1142, 150, 136, 70), 26, rests_s=4),
        Dweller("signal", (44, 206, 28, 30), loop_s=1.6),
    )
    portrait_life = (
        Drift(("shard_steel_0", "shard_steel_1", "shard_steel_2", "spark"), 6, (380, 222, 420, 240), 12),
        Drift(("shard_steel_0", "shard_steel_1", "shard_steel_2", "spark"), 10, (0, 1322, 1080, 96), 10),
        Dweller("shuttle", (0, 222, 1080, 70), 60, rests_s=3),
        Dweller("shuttle", (0, 1330, 1080, 70), 44, rests_s=2),
    )

    def strips(self, _picture: Picture) -> Sequence[Strip]:
        """Return the strips, the same in the base game and in free spins."""
        return REELS.strips

    def overlay(self, context: DrawContext) -> GameOverlay:
        """Return the ladder and the sign opposite."""
        return _Towers(context, self)

    def shard(self, symbol: str) -> str:
        """Return the shards of a gem's own colour, or those of steel."""
        return f"shard_{symbol if symbol in _GEMS else 'steel'}"

    def line_pays(self, symbol: str) -> Mapping[int, int]:
        """Return what each way of the symbol pays, from the game's table."""
        return PAYS.get(symbol, {})

    def scatter_pays(self) -> Mapping[int, int]:
        """Return the Beacon's pays from the game's table."""
        return SCATTER_PAYS

    def notes(self) -> Mapping[str, str]:
        """Return what Comet and Beacon do."""
        first, last = comet_reels()
        return {
            WILD: text.say(words.COMET_NOTE, first=first, last=last),
            SCATTER: text.say(words.BEACON_NOTE, least=min(FREE_SPINS), spins=FREE_SPINS[min(FREE_SPINS)]),
        }

    def foot(self) -> str:
        """Say what the figures are."""
        return text.say(words.FOOT)

    def rules(self, _gamble_cap_cents: int) -> Sequence[tuple[str, str]]:
        """Return the rules with their figures from the game's tables."""
        return rules()


class _Towers(Ladder):
    """The ladder in the left tower, and in the right one the sign of the ways."""

    def __init__(self, context: DrawContext, theme: StarQuarryTheme) -> None:
        foot, rise = theme.ladder_foot, theme.ladder_rise
        super().__init__(context, theme, theme.steps, theme.free_steps, foot=foot, rise=rise)

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the steps and the sign."""
        super().paint(plate, director)
        layout = self.context.layout
        sign = self.context.world(self.theme).sprite("ways_sign_across" if layout.shape == "portrait" else "ways_sign")
        put_centred(plate, sign, self.context.scale, *layout.either(_SIGN, _SIGN_PORTRAIT))


THEME: Theme = StarQuarryTheme()
