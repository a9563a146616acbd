"""Witch Feature around and over its reels: the potions' shelf, the cards, and what happens with them."""

import pygame

from gamekit.beats import Cell, Continue
from games.witch_feature import GAME
from games.witch_feature.display import words
from games.witch_feature.display.acts import BrewAct, CollectAct, FeatureAct, MarkedSpinAct, UnlockAct
from games.witch_feature.display.cards import Cards
from games.witch_feature.display.marks import FALL_FROM, Marks
from games.witch_feature.display.shelf import Shelf, bottle, potions
from games.witch_feature.display.shows import OUT_FROM, Shows, between, eased
from games.witch_feature.pays import EXPLOSION_MARKS, RANDOM_WILDS_TABLE
from games.witch_feature.scene import WitchScene
from ui import text
from ui.acts import Act, FreeSpinsAct, SpinAct, TotalAct, WinsAct
from ui.director import Director
from ui.draw_context import DrawContext
from ui.picture import Picture
from ui.scenes.game_overlay import GameOverlay
from ui.scenes.message_line import EACH_WIN_S
from ui.stage import Stage
from ui.theme import Theme

_FLIGHT = 0.72
_ARC = 70


class Kitchen(GameOverlay):
    """Draws the carried potions and the four cards before the stake, and what happens to them afterwards."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        super().__init__(context, theme)
        self.pay_glass = context.layout.shape != "portrait"  # there the room is the cards' and the potions'
        self._world = context.world(theme)
        self._shelf = Shelf(context, theme)
        self._cards = Cards(context, theme)
        self._marks = Marks(context, theme)
        self._shows = Shows(context, theme, self._shelf, self._cards, self._marks.dim)

    def key(self, director: Director) -> tuple[object, ...]:
        """Return how many cards are unlocked, and the language of their names; the potions are drawn, not painted."""
        return (_scene(director.picture).unlocked, director.view.locale.language)

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the empty shelf and the cards."""
        self._shelf.paint(plate)
        self._cards.paint(plate, _scene(director.picture).unlocked)

    def draw(self, stage: Stage, director: Director, picture: Picture, act: Act | None, now: float) -> None:
        """Draw mega wilds, the potions, the lit cards, and the act that is on."""
        scene = _scene(picture)
        if _reels_are_clear(act, director, picture, now):
            self._marks.mega(stage, scene, self._lit(director, picture, act, now))
        lit = scene.features
        if isinstance(act, BrewAct) and act.part(now) >= OUT_FROM:
            lit = (act.feature,)
        for feature in lit:
            self._cards.light(stage, feature)
        self._shelf.draw(stage, potions(scene))
        match act:
            case CollectAct():
                self._collect(stage, act, now)
            case MarkedSpinAct():
                self._marks.landing(stage, act, now)
            case BrewAct():
                self._shows.brew(stage, act, now)
            case UnlockAct():
                self._shows.unlock(stage, act, now)
            case FeatureAct():
                self._shows.feature(stage, act, now)

    def words(self, _director: Director, picture: Picture, act: Act | None, _now: float) -> str:
        """Say what happens, in a line."""
        scene = _scene(picture)
        match act:
            case CollectAct():
                return text.say(words.COLLECTED, potion=text.say(words.SYMBOLS[act.potion]))
            case BrewAct():
                return words.potions(act.potions)
            case UnlockAct():
                return text.say(words.UNLOCKED_AT, feature=words.feature((act.feature,)))
            case TotalAct() if scene.features:
                return text.say(words.PAID, feature=words.feature(scene.features))
            case FeatureAct() | SpinAct() if scene.features:
                return _doing(scene, at_random=picture.free and isinstance(act, FeatureAct))
        return ""

    def _lit(self, director: Director, picture: Picture, act: Act | None, now: float) -> set[Cell] | None:
        """Return the cells of the wins that are shown just now, or None while none are."""
        wins = act.lines if isinstance(act, WinsAct) else ()
        if act is None and picture.line_wins and not isinstance(director.offer, Continue):
            turn = int((now - director.picture_since) / EACH_WIN_S)
            wins = (picture.line_wins[turn % len(picture.line_wins)],)
        if not wins:
            return None
        return {(reel, self.theme.lines[win.line - 1][reel]) for win in wins for reel in range(win.count)}

    def _collect(self, stage: Stage, act: CollectAct, now: float) -> None:
        """The potion leaves its cell, flies to its place on the shelf, and stays there."""
        self._marks.falling(stage, act, now)
        way = (act.part(now) - FALL_FROM) / _FLIGHT
        if way < 0:
            return
        left, top, width, height = self.context.layout.cell_box(*act.cell, self.theme.game.rows)
        start, end = (left + width / 2, top + height / 2), self._shelf.place(act.slot)
        place = between(start, end, eased(way), _ARC)
        stage.draw_centred(self._world.sprite("glow"), *place)
        stage.draw_centred(self._world.sprite(bottle(act.potion)), *place)


def _doing(scene: WitchScene, *, at_random: bool) -> str:
    """Return what the features that run do; a free spin's come at random."""
    name = words.feature(scene.features)
    least, most = min(RANDOM_WILDS_TABLE.weights), max(RANDOM_WILDS_TABLE.weights)
    does = text.say(words.DOES[scene.features[0]], least=least, most=most, marks=EXPLOSION_MARKS)
    said = text.say(words.DOING, feature=name, what=does)
    return text.say(words.AT_RANDOM, feature=said) if at_random else said


def _scene(picture: Picture | None) -> WitchScene:
    """Return the game's own scene, or that of nothing played yet."""
    scene = None if picture is None else picture.scene
    if scene is None:
        scene = GAME.idle
    if not isinstance(scene, WitchScene):
        raise TypeError(f"Witch Feature is drawn from a WitchScene, not from a {type(scene).__name__}")
    return scene


def _reels_are_clear(act: Act | None, director: Director, picture: Picture, now: float) -> bool:
    """Return whether nothing large is shown over the reels, so that mega wilds are drawn on top of them."""
    match act:
        case None:
            return not (isinstance(director.offer, Continue) and picture.free_played == 0)
        case WinsAct():
            return act.celebrated(now) is None
        case TotalAct() | FreeSpinsAct() | MarkedSpinAct() | BrewAct() | UnlockAct() | FeatureAct():
            return False
    return True
