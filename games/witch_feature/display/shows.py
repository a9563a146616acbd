"""What is shown over the dimmed reels: the cauldron that brews, a card that loses its lock, a feature that begins."""

import math
import random
from collections.abc import Callable

from games.witch_feature.display import words
from games.witch_feature.display.acts import BrewAct, FeatureAct, UnlockAct
from games.witch_feature.display.cards import LIT, LOCKED, NORMAL, Cards
from games.witch_feature.display.shelf import Shelf, bottle
from games.witch_feature.pays import MULTIPLIER_TABLE
from games.witch_feature.potions import EXPLOSION, FEATURES
from ui import text
from ui.acts import Act
from ui.canvas import Still
from ui.draw_context import DrawContext
from ui.layout import Point
from ui.lettering import GOLD, TITLE
from ui.picture import Picture
from ui.stage import Stage
from ui.theme import Theme

MIDDLE = 640
POT_Y = 400
RIM_Y = 330
POUR_EACH = 0.09
POUR_FROM, POUR_LASTS = 0.08, 0.24
OUT_FROM = 0.62
"""The part of the brewing at which its outcome shows."""

OPENS = 0.35
"""The part of unlocking at which the lock opens."""

LOCK_GONE = 0.6
"""The part of what follows after which the lock has fallen out of sight."""

SMOKE_FRAMES, BLAST_FRAMES = 6, 4
TIMES = tuple(sorted(MULTIPLIER_TABLE.weights))
_REVEALED = 0.6
_BUBBLES = 14

Dim = Callable[[Stage, Picture], None]
"""Darkens the reels of a picture."""


def between(start: Point, end: Point, part: float, arc: float) -> Point:
    """Return a point of the way from `start` to `end`, which rises by `arc` units in its middle."""
    x = start[0] + (end[0] - start[0]) * part
    return x, start[1] + (end[1] - start[1]) * part - arc * math.sin(math.pi * part)


def eased(part: float) -> float:
    """Return `part` (held to 0 to 1) so that a way begins and ends gently."""
    part = min(1.0, max(0.0, part))
    return part * part * (3 - 2 * part)


class Shows:
    """Draws the acts that have the whole window to themselves, over the reels that `dim` has darkened.

    What does not move in a part of an act is drawn once and kept as one opaque picture of the window.
    """

    def __init__(self, context: DrawContext, theme: Theme, shelf: Shelf, cards: Cards, dim: Dim) -> None:
        self._letters = context.letters
        self._world = context.world(theme)
        self._at = context.layout.on_reels
        self._window = context.layout.window(theme.game.rows)
        self._shelf = shelf
        self._cards = cards
        self._dim = dim
        self._still: tuple[Act, int] | None = None
        self._kept: Still | None = None
        chance = random.Random(4)  # noqa: S311  decoration, not a draw of the game
        self._bubbles = [
            (chance.uniform(-110, 110), chance.random(), chance.choice(("bubble_small", "bubble", "bubble_large")))
            for _ in range(_BUBBLES)
        ]

    def brew(self, stage: Stage, act: BrewAct, now: float) -> None:
        """Three potions go into the cauldron one after another; then its outcome comes out."""
        part = act.part(now)
        rise = (1 - eased(part / 0.12)) * 120
        out = (part - OUT_FROM) / (1 - OUT_FROM)
        if out >= 0 and act.feature in FEATURES:
            self._card_comes(stage, act, out)
        elif rise > 0:
            self._dim(stage, act.picture)
            self._clipped(stage, lambda: self._put(stage, "cauldron_big", POT_Y + rise))
        else:
            self._stand(stage, act, 0, lambda: self._put(stage, "cauldron_big", POT_Y))
        for place, potion in enumerate(act.potions):
            way = (part - POUR_FROM - POUR_EACH * place) / POUR_LASTS
            if way < 1:
                start, end = self._shelf.place(place), self._at(MIDDLE + 46 * (place - 1), RIM_Y)
                stage.draw_centred(self._world.sprite(bottle(potion)), *between(start, end, eased(way), 150))
        if part > POUR_FROM + POUR_LASTS:
            self._boil(stage, part)
        if out >= 0:
            self._outcome(stage, act, out)

    def unlock(self, stage: Stage, act: UnlockAct, now: float) -> None:
        """The card's lock opens and falls off."""
        part = act.part(now)
        if part < OPENS:
            self._stand(stage, act, 0, lambda: self._large(stage, act.feature, LOCKED, (MIDDLE, 344)))
            return
        self._stand(stage, act, 1, lambda: self._unlocked(stage, act.feature))
        fallen = (part - OPENS) / (1 - OPENS)
        if fallen < LOCK_GONE:
            place = self._at(MIDDLE + 120 * fallen, 300 + 700 * fallen * fallen - 60 * fallen)
            stage.draw_centred(self._world.sprite("padlock_open"), *place)
        self._sparks(stage, (MIDDLE, 344), fallen)

    def feature(self, stage: Stage, act: FeatureAct, now: float) -> None:
        """The feature's name drops in, with its card; Multiplier reveals what it multiplies by."""
        part = act.part(now)
        drop = (1 - eased(part / 0.15)) * 150
        if drop > 0:
            self._dim(stage, act.picture)
            self._clipped(stage, lambda: self._named(stage, act, drop))
        else:
            self._stand(stage, act, 0, lambda: self._named(stage, act, 0))
        if act.features[0] == EXPLOSION:
            frame = min(BLAST_FRAMES - 1, int(part * 2 * BLAST_FRAMES))
            stage.draw_centred(self._world.sprite(f"blast_{frame}"), *self._at(MIDDLE, 384))
            stage.draw_centred(self._world.sprite("question_mark"), *self._at(MIDDLE, 384))
        elif "multiplier" in act.features:
            self._reveal(stage, act.multiplier, part)

    def _stand(self, stage: Stage, act: Act, phase: int, draw: Callable[[], None]) -> None:
        """Show the dimmed reels with what `draw` draws over them, drawn once for this phase of the act."""
        if self._kept is None or self._still != (act, phase):
            self._dim(stage, act.picture)
            self._clipped(stage, draw)
            self._still, self._kept = (act, phase), stage.still(self._window)
        else:
            self._kept.lay(self._kept.box)

    def _clipped(self, stage: Stage, draw: Callable[[], None]) -> None:
        stage.canvas.set_clip(stage.pixels(self._window))
        draw()
        stage.canvas.set_clip(None)

    def _card_comes(self, stage: Stage, act: BrewAct, out: float) -> None:
        """The card rises out of the cauldron, before the light."""
        up = eased(out * 2)
        if up >= 1:
            self._stand(stage, act, 2, lambda: self._risen(stage, act.feature, 1, light=True))
        else:
            self._stand(stage, act, 1, lambda: self._light(stage, (MIDDLE, 280)))
            self._clipped(stage, lambda: self._risen(stage, act.feature, up, light=False))

    def _risen(self, stage: Stage, feature: str, up: float, *, light: bool) -> None:
        if light:
            self._light(stage, (MIDDLE, 280))
        self._large(stage, feature, LIT, (MIDDLE, POT_Y - 120 * up))
        self._put(stage, "cauldron_big", POT_Y)

    def _unlocked(self, stage: Stage, feature: str) -> None:
        self._light(stage, (MIDDLE, 330))
        self._large(stage, feature, LIT, (MIDDLE, 376))
        heading = self._letters.text(text.say(words.UNLOCKED), 58, GOLD, TITLE)
        stage.draw_centred(heading, *self._at(MIDDLE, 156))

    def _named(self, stage: Stage, act: FeatureAct, drop: float) -> None:
        """Draw the feature's name and card, or the Explosion's cauldron."""
        title = act.features[0]
        self._light(stage, (MIDDLE, 350))
        self._put(stage, f"title_{title}", 180 - drop)
        if title == EXPLOSION:
            self._put(stage, "cauldron_big", POT_Y)
            return
        state = LIT if len(act.features) > 1 else NORMAL
        aside = 150 if "multiplier" in act.features else 0
        self._large(stage, title, state, (MIDDLE - aside, 390))

    def _large(self, stage: Stage, feature: str, state: str, place: Point) -> None:
        stage.draw_centred(self._cards.card(feature, state, large=True), *self._at(*place))

    def _put(self, stage: Stage, sprite: str, y: float) -> None:
        stage.draw_centred(self._world.sprite(sprite), *self._at(MIDDLE, y))

    def _reveal(self, stage: Stage, multiplier: int, part: float) -> None:
        """Multipliers pass by, ever slower, until the one that was drawn stays."""
        place = self._at(MIDDLE + 130, 390)
        shown = multiplier
        if part < _REVEALED:
            # The last one before the halt is the drawn one's neighbour, whatever it is: it only turns round.
            steps = int(9 * (1 - (1 - part / _REVEALED) ** 2))
            shown = TIMES[(TIMES.index(multiplier) + steps + 1) % len(TIMES)]
        stage.draw_centred(self._world.sprite(f"times_{shown}"), *place)
        if part >= _REVEALED:
            self._sparks(stage, (MIDDLE + 130, 390), (part - _REVEALED) / (1 - _REVEALED))

    def _outcome(self, stage: Stage, act: BrewAct, part: float) -> None:
        if act.feature in FEATURES:
            self._sparks(stage, (MIDDLE, 270), part)
        elif act.feature == EXPLOSION:
            frame = min(BLAST_FRAMES - 1, int(part * BLAST_FRAMES))
            stage.draw_centred(self._world.sprite(f"blast_{frame}"), *self._at(MIDDLE, RIM_Y))
        else:
            frame = min(SMOKE_FRAMES - 1, int(part * SMOKE_FRAMES))
            stage.draw_centred(self._world.sprite(f"smoke_{frame}"), *self._at(MIDDLE, RIM_Y - 60 - 40 * part))

    def _boil(self, stage: Stage, part: float) -> None:
        for x, delay, sprite in self._bubbles:
            way = (part * 2.4 + delay) % 1
            sway = 10 * math.sin(6.28 * (way + delay))
            stage.draw_centred(
                self._world.sprite(sprite), *self._at(MIDDLE + x * (1 - 0.3 * way) + sway, RIM_Y - 130 * way)
            )

    def _light(self, stage: Stage, place: Point) -> None:
        stage.draw_centred(self._world.sprite("rays"), *self._at(*place))

    def _sparks(self, stage: Stage, place: Point, part: float) -> None:
        """Sparks fly outwards from a place and are gone at the end."""
        if part >= 1:
            return
        for number in range(12):
            angle = number * math.pi / 6 + 0.3
            far = 60 + 190 * part * (1 - 0.25 * (number % 3))
            x, y = place[0] + far * math.cos(angle), place[1] + 0.7 * far * math.sin(angle)
            stage.draw_centred(self._world.sprite("spark"), *self._at(x, y))
