"""The witches' battle: both face each other, spells fly, and one of them is beaten."""

import math
import random
from typing import NamedTuple

import pygame

from games.bewitched.display import words
from games.bewitched.display.acts import BattleAct
from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, pill, put
from ui.layout import Box, Point, centre, on_portrait
from ui.lettering import GOLD, TITLE, WHITE
from ui.scenes.hud import Hud
from ui.stage import Stage
from ui.theme import Theme


class _Fighter(NamedTuple):
    """Where a witch stands, where her wand's tip is, and where a spell meets her; places of the stage."""

    left: float
    top: float
    tip: Point
    heart: Point
    beyond: float


class _Field(NamedTuple):
    """The battlefield of a shape of monitor, in places of the stage; witches are drawn `zoom` times as large.

    `foot` is where it ends: nobody is drawn over what lies below. `bushes` are the upper left corners of the bushes
    in front of the witches, which reach down to the HUD and fade towards their ends: a monitor that is no wider than
    they are has them twice. `arc` is how high a spell flies. The verdict of a lost battle
    stands `aside`, where the beaten witch was.
    """

    zoom: float
    fighters: tuple[_Fighter, _Fighter]
    foot: float
    bushes: tuple[Point, ...]
    names: tuple[Point, Point]
    banner: float
    aside: float
    won: float
    arc: float


_WIDE_FIELD = _Field(
    zoom=1,
    fighters=(_Fighter(116, 120, (529, 360), (302, 388), -460), _Fighter(704, 120, (726, 350), (968, 388), 460)),
    foot=600,
    bushes=((100, 553),),
    names=((286, 90), (974, 90)),
    banner=200,
    aside=150,
    won=300,
    arc=90,
)
_PORTRAIT_FIELD = _Field(
    zoom=1.3,
    fighters=(
        _Fighter(*on_portrait(-34, 690), on_portrait(503, 1002), on_portrait(208, 1038), -620),
        _Fighter(*on_portrait(528, 606), on_portrait(557, 905), on_portrait(871, 954), 620),
    ),
    foot=on_portrait(0, 1276)[1],
    bushes=(on_portrait(-480, 1196), on_portrait(480, 1196)),
    names=(on_portrait(240, 630), on_portrait(820, 546)),
    banner=on_portrait(0, 250)[1],
    aside=0,
    won=on_portrait(0, 410)[1],
    arc=230,
)
_ENTER_S = 0.7
_TITLE_S = 1.2
_SPELLS = ((1.2, 0), (1.9, 1), (2.6, 0), (3.3, 1))
"""When a spell is cast, and by whom."""
_FLIES_S = 0.5
_BURSTS_S = 0.35
_BEAM_S, _BEAM_ENDS_S = 4.0, 5.0
_FALLS_S = 0.45
_HAT_FALLS_S = 0.5
_HAT_RISE, _HAT_FALLS_BY = 150, 330
"""How high the middle of a fallen hat lies over the ground, and how far it falls."""
_VERDICT_S = 5.1
_PUFF_S, _FLARES_UNTIL = 1.1, 0.3
_MOTE = 20
_TRAIL = 7
_MOTES = 14
_BEAM_MOTES = 26


class BattleScene:
    """The battle of one spin; which witch wins is what the act says, seen from the player's own."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._layout = context.layout
        zoom = context.layout.feature_zoom
        self._scene = _PORTRAIT_FIELD if zoom > 1 else _WIDE_FIELD
        self._world = context.world(theme)
        self._large = context.world(theme, zoom)
        self._letters = context.sized(zoom).letters
        self._zoom = zoom
        self._hud = Hud(context)
        bushes = self._world.sprite("battle_bushes")
        room = round((context.layout.hud.box[1] - context.layout.at(*self._scene.bushes[0])[1]) * context.scale)
        self._bushes = bushes.subsurface((0, 0, bushes.get_width(), min(bushes.get_height(), room)))
        self._won_plate = pill((430 * zoom, 66 * zoom), context.scale)
        self._name = pill((230 * zoom, 62 * zoom), context.scale)
        self._line = pill(context.layout.hud.message[2:], context.scale)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()
        chance = random.Random(7)  # noqa: S311  decoration, not a draw of the game
        self._sparks = [
            (chance.uniform(0, math.tau), chance.uniform(60, 190), chance.uniform(0.6, 1.0)) for _ in range(_MOTES)
        ]

    def controls(self, _director: Director) -> list[Control]:
        """Return the HUD's buttons: there is nothing to choose in a battle."""
        return self._hud.controls()

    def due(self, _director: Director, now: float) -> float:
        """A battle moves all the time."""
        return now

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the battle at `now`; raises TypeError where no battle is performed."""
        act = None if director.performance is None else director.performance.act
        if not isinstance(act, BattleAct):
            raise TypeError("the battle is drawn from its act, and there is none")
        mine = director.view.terms.witch
        loser = 1 - mine if act.won else mine
        into = act.into(now)
        moved = [self._moved(witch, into, beaten=witch == loser) for witch in range(len(self._scene.fighters))]
        stage.begin(self._backdrop(director, tuple(away == 0 for away in moved)))
        for witch, away in enumerate(moved):
            if away:
                self._witch(stage, witch, away)
        if any(moved):
            for place in self._scene.bushes:
                stage.draw(self._bushes, *self._layout.at(*place))
        for witch, away in enumerate(moved):
            if away:
                self._hud.draw_over(stage, director, stage.pixels(self._stands(witch, away)))
        self._spells(stage, into)
        self._beams(stage, into, loser)
        self._puff(stage, into, loser)
        self._hat(stage, into, loser)
        for witch in range(len(self._scene.fighters)):
            if into < _BEAM_ENDS_S or witch != loser:
                self._named(stage, witch, mine=witch == mine and not director.demonstrates)
        self._banner(stage, act, into, loser)
        self._hud.draw(stage, director, now)
        stage.draw_centred(self._line, *centre(self._layout.hud.message))
        self._hud.message(stage, _said(act, mine, into, shown=director.demonstrates), gold=True)

    def _backdrop(self, director: Director, resting: tuple[bool, ...]) -> pygame.Surface:
        """Return the battlefield with the witches that do not move; it is painted anew as they come and go."""
        key = (self._hud.key(director), resting)
        if self._plate is None or key != self._plate_key:
            plate = self._context.scenery(self._world, "battle_background")
            for witch, rests in enumerate(resting):
                if rests:
                    figure = self._figure(witch)
                    left, top, _, _ = self._stands(witch, 0)
                    put(plate, figure, self._context.scale, left, top)
            for place in self._scene.bushes:
                put(plate, self._bushes, self._context.scale, *self._layout.at(*place))
            self._hud.paint(plate, director)
            self._plate, self._plate_key = plate, key
        return self._plate

    def _figure(self, witch: int) -> pygame.Surface:
        """Return a witch as far down as the stage reaches."""
        figure = self._large.sprite(f"witch_{witch}_battle")
        room = round((self._scene.foot - self._scene.fighters[witch].top) * self._context.scale)
        return figure.subsurface((0, 0, figure.get_width(), min(figure.get_height(), room)))

    def _stands(self, witch: int, away: float) -> Box:
        """Return the box on the canvas that a witch `away` from her place takes up."""
        width, height = (side / self._context.scale for side in self._figure(witch).get_size())
        fighter = self._scene.fighters[witch]
        return self._layout.moved((fighter.left + away, fighter.top, width, height))

    def _witch(self, stage: Stage, witch: int, away: float) -> None:
        stage.draw(self._figure(witch), *self._stands(witch, away)[:2])

    def _spells(self, stage: Stage, into: float) -> None:
        for when, caster in _SPELLS:
            flown = (into - when) / _FLIES_S
            start, end = self._scene.fighters[caster].tip, self._scene.fighters[1 - caster].heart
            if 0 <= flown < 1:
                for trail in range(_TRAIL, 0, -1):
                    behind = flown - 0.06 * trail
                    if behind > 0:
                        self._at(stage, f"mote_{caster}", _on_arc(start, end, behind, self._scene.arc))
                self._at(stage, f"spell_{caster}", _on_arc(start, end, flown, self._scene.arc))
            burst = (into - when - _FLIES_S) / _BURSTS_S
            if 0 <= burst < 1:
                for angle, reach, pace in self._sparks:
                    far = self._zoom * reach * min(1.0, burst * pace)
                    place = (end[0] + math.cos(angle) * far, end[1] + math.sin(angle) * far)
                    self._at(stage, f"mote_{caster}", place)

    def _beams(self, stage: Stage, into: float, loser: int) -> None:
        """Draw both beams meeting; the meeting point wavers and is pushed to the loser at the end."""
        if not _BEAM_S <= into < _BEAM_ENDS_S:
            return
        part = (into - _BEAM_S) / (_BEAM_ENDS_S - _BEAM_S)
        left, right = (fighter.tip for fighter in self._scene.fighters)
        push = 0.5 + 0.12 * math.sin(part * 9) * (1 - part)
        goal = 0.0 if loser == 0 else 1.0
        push += (goal - push) * max(0.0, part - 0.55) / 0.45
        meeting = (left[0] + (right[0] - left[0]) * push, left[1] + (right[1] - left[1]) * push)
        for place in range(_BEAM_MOTES):
            along = (place + 0.5) / _BEAM_MOTES
            wave = 7 * math.sin(along * 26 - into * 16)
            x = left[0] + (right[0] - left[0]) * along
            y = left[1] + (right[1] - left[1]) * along + wave
            self._at(stage, "mote_0" if along < push else "mote_1", (x, y))
        self._at(stage, "burst", meeting)

    def _puff(self, stage: Stage, into: float, loser: int) -> None:
        """Let sparks fly where the beaten witch stood."""
        part = (into - _BEAM_ENDS_S) / _PUFF_S
        if not 0 <= part < 1:
            return
        x, y = self._scene.fighters[loser].heart
        for angle, reach, pace in self._sparks:
            far = 1.6 * self._zoom * reach * (1 - (1 - part * pace) ** 2)
            place = (x + math.cos(angle) * far, y + math.sin(angle) * far + 120 * part * part)
            if place[1] < self._scene.foot - _MOTE:
                self._at(stage, f"mote_{1 - loser}", place)
        if part < _FLARES_UNTIL:
            self._at(stage, "burst", (x, y))

    def _at(self, stage: Stage, sprite: str, place: Point) -> None:
        stage.draw_centred(self._large.sprite(sprite), *self._layout.at(*place))

    def _named(self, stage: Stage, witch: int, *, mine: bool) -> None:
        letters, zoom = self._letters, self._zoom
        x, y = self._layout.at(*self._scene.names[witch])
        stage.draw_centred(self._name, x, y)
        down = 12 * zoom if mine else 0
        name = letters.text(text.say(words.WITCHES[witch]), 30, GOLD if mine else WHITE, TITLE)
        stage.draw_centred(name, x, y - down)
        if mine:
            stage.draw_centred(letters.text(text.say(words.YOURS), 16, WHITE), x, y + 17 * zoom)

    def _hat(self, stage: Stage, into: float, loser: int) -> None:
        """Let the beaten witch's hat fall where she stood: nothing else of her stays."""
        falls = (into - _BEAM_ENDS_S - _FALLS_S) / _HAT_FALLS_S
        if falls > 0:
            x, _ = self._scene.fighters[loser].heart
            rise = (1 - falls * falls) if falls < 1 else 0.08 * max(0.0, math.sin(math.pi * min(2.0, falls) - math.pi))
            self._at(stage, f"hat_{loser}", (x, self._scene.foot - (_HAT_RISE + _HAT_FALLS_BY * rise) * self._zoom))

    def _banner(self, stage: Stage, act: BattleAct, into: float, loser: int) -> None:
        if into < _TITLE_S:
            drop = max(0.0, 1 - into / 0.3) ** 2 * 220
            self._at(stage, "battle_title", (640, self._scene.banner - drop))
        elif into >= _VERDICT_S:
            drop = max(0.0, 1 - (into - _VERDICT_S) / 0.3) ** 2 * 240
            aside = 0 if act.won else math.copysign(self._scene.aside, self._scene.fighters[loser].beyond)
            self._at(stage, "battle_won" if act.won else "battle_lost", (640 + aside, self._scene.banner - drop))
            if act.won:
                said = text.count(words.SPIN_WON, words.SPINS_WON, act.spins)
                spins = self._letters.text(said, 50, GOLD, TITLE)
                place = self._layout.at(640, self._scene.won + drop)
                stage.draw_centred(self._won_plate, *place)
                stage.draw_centred(spins, *place)

    def _moved(self, witch: int, into: float, *, beaten: bool) -> float | None:
        """Return how far a witch is from her place, across; None once she is gone.

        She comes from her side, recoils where a spell meets her, and is swept away at the end where she is beaten.
        """
        beyond = self._scene.fighters[witch].beyond
        if into < _ENTER_S:
            return beyond * (1 - into / _ENTER_S) ** 2
        gone = (into - _BEAM_ENDS_S) / _FALLS_S
        if beaten and gone > 0:
            return None if gone >= 1 else beyond * gone * gone
        for when, caster in _SPELLS:
            hit = (into - when - _FLIES_S) / _BURSTS_S
            if caster != witch and 0 < hit < 1:
                return math.copysign(16 * math.sin(math.pi * hit), beyond)
        return 0.0


def _on_arc(start: Point, end: Point, part: float, arc: float) -> Point:
    """Return a place on the way of a spell, which rises by `arc` in its middle."""
    x = start[0] + (end[0] - start[0]) * part
    y = start[1] + (end[1] - start[1]) * part - arc * math.sin(math.pi * part)
    return x, y


def _said(act: BattleAct, mine: int, into: float, *, shown: bool) -> str:
    """Return the text `into` a battle of the witch `mine`; `shown` in a demonstration, it addresses no player."""
    name = text.say(words.WITCHES[mine])
    if into < _VERDICT_S:
        return "" if shown else text.say(words.BATTLE, name=name)
    return text.say(words.BATTLE_WON if act.won else words.BATTLE_LOST, name=name, spins=act.spins)
