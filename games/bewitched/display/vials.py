"""Merlin's vials: three are combined in the cauldron, which shows what the potion has become."""

import math
from typing import NamedTuple

import pygame

from games.bewitched import BewitchedScene
from games.bewitched.display import words
from games.bewitched.display.acts import POUR_S, REVEAL_S, BrewAct, PourAct, brews_s
from games.bewitched.pays import VIALS_SHOWN, VIALS_TAKEN
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY
from games.bewitched.steps import PotionBrewed
from ui import text
from ui.acts import Act
from ui.director import Director
from ui.draw_context import Control, DrawContext, Fountain, pill, put_centred
from ui.layout import Box, Point, centre, on_portrait
from ui.lettering import GOLD, TITLE, WHITE
from ui.protocol.values import written
from ui.scenes.hud import Hud
from ui.scenes.message_line import beside_prompt
from ui.stage import Stage
from ui.theme import Theme

_BREATH_S = 1.1
_FRAME_S = 1 / 24


class _Room(NamedTuple):
    """The room of a shape of monitor, in places of the stage; all but the vials' rack is drawn `zoom` times as large.

    Vials are on the `shelves`, whose middles are given with that of the vials on each, `step` apart. `furniture` is
    drawn behind the cauldron: sprite, whether it is drawn larger, and middle. The vials taken are in the `slots`. A
    vial is held at `tip` while it is poured into the `mouth`. `result` is the middle of what the potion has become.
    """

    zoom: float
    step: float
    shelves: tuple[tuple[float, float], ...]
    cauldron: Point
    mouth: Point
    slots: tuple[Point, ...]
    furniture: tuple[tuple[str, bool, Point], ...]
    heading: Box
    tip: Point
    result: float


VIAL = (104, 148)
_WIDE_ROOM = _Room(
    zoom=1,
    step=114,
    shelves=((272, 184),),
    cauldron=(640, 428),
    mouth=(640, 350),
    slots=((198, 424), (302, 424), (406, 424)),
    furniture=(
        ("merlin_figure", True, (982, 446)),
        ("merlin_desk", True, (982, 634)),
        ("vial_stand", False, (302, 492)),
    ),
    heading=(340, 4, 600, 96),
    tip=(694, 268),
    result=250,
)
_PORTRAIT_ROOM = _Room(
    zoom=1.5,
    step=204,
    shelves=((-126, -258), (158, 26)),
    cauldron=on_portrait(566, 992),
    mouth=on_portrait(566, 875),
    slots=(on_portrait(72, 1094), on_portrait(176, 1094), on_portrait(280, 1094)),
    furniture=(
        ("merlin_figure", True, on_portrait(924, 1010)),
        ("merlin_desk", True, on_portrait(924, 1284)),
        ("vial_stand", False, on_portrait(176, 1162)),
    ),
    heading=(*on_portrait(90, 30), 900, 150),
    tip=on_portrait(647, 752),
    result=on_portrait(0, 620)[1],
)
_TILT = -118
_FLY_S, _POURED_S = 0.45, 1.05
_DROPS = 5
_PUFFS = 9
_RISE_S = 0.4
_BURST_S = 0.8


class _Drawn(NamedTuple):
    """What a frame of the vials is drawn from."""

    scene: BewitchedScene
    act: Act | None
    now: float


class Vials:
    """As many vials as the step says are on the shelf; what was not taken is never opened."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._layout = context.layout
        self._zoom = zoom = context.layout.feature_zoom
        self._places = _PORTRAIT_ROOM if zoom > 1 else _WIDE_ROOM
        self._world = context.world(theme)
        self._large = context.world(theme, zoom)
        self._letters = context.sized(zoom).letters
        self._hud = Hud(context)
        self._fountain = Fountain(context.layout, 40, seed=5)
        self._line = pill(context.layout.hud.message[2:], context.scale)
        self._tilted: dict[int, pygame.Surface] = {}
        self._glow = self._large.sprite("cauldron_glow").copy()
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, director: Director) -> list[Control]:
        """Return the vials still on the shelf and the HUD's buttons."""
        scene = self._scene(director)
        vials: list[Control] = [
            (f"choice:{place}", self.vial_box(place, scene.vials_shown))
            for place in range(scene.vials_shown)
            if place not in scene.vials
        ]
        return [*vials, *self._hud.controls()]

    def due(self, director: Director, now: float) -> float:
        """The cauldron simmers all the time."""
        if director.performance is not None and not director.performance.ended:
            return now
        return min(now + _FRAME_S, self._hud.due(now))

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the scene at `now`."""
        act = None if director.performance is None else director.performance.act
        drawn = _Drawn(self._scene(director), act, now)
        stage.begin(self._backdrop(director, drawn))
        self._lit(stage, director, drawn)
        self._steam(stage, drawn)
        if isinstance(act, PourAct):
            self._pouring(stage, act, now)
        potion = _revealed(drawn)
        if potion is not None:
            self._result(stage, director, drawn, potion)
        self._hud.draw(stage, director, now)
        stage.draw_centred(self._line, *centre(self._layout.hud.message))
        said, gold = self._words(director, drawn)
        if act is None and _revealed(drawn) is None:
            said, gold = beside_prompt(director, said, now, gold=gold)
        elif message := text.message(director.view):
            said, gold = message, False
        self._hud.message(stage, said, gold=gold)

    def vial_box(self, place: int, shown: int = VIALS_SHOWN) -> Box:
        """Return the box of vial `place` of so many, as large as a finger may touch it."""
        x, y = self._place(place, shown)
        width, height = (side * self._zoom for side in VIAL)
        return (*self._layout.at(x - width / 2, y - height / 2), width, height)

    @staticmethod
    def _scene(director: Director) -> BewitchedScene:
        scene = None if director.picture is None else director.picture.scene
        if not isinstance(scene, BewitchedScene):
            raise TypeError(f"the vials are drawn from a BewitchedScene, not from a {type(scene).__name__}")
        return scene

    def _place(self, place: int, shown: int) -> Point:
        """Return the middle of a vial's place: the upper shelf is filled first."""
        shelves = self._places.shelves
        each = -(-shown // len(shelves))
        row = place // each
        count = min(each, shown - row * each)
        return 640 + (place - row * each - (count - 1) / 2) * self._places.step, shelves[row][1]

    def _backdrop(self, director: Director, drawn: _Drawn) -> pygame.Surface:
        """Return the room with all that does not move: title, vials on the shelf, those taken, the cauldron."""
        poured = drawn.act.choice if isinstance(drawn.act, PourAct) else None
        title = _title(drawn, shown=director.demonstrates)
        key = (self._hud.key(director), drawn.scene.vials_shown, drawn.scene.vials, poured, title)
        if self._plate is None or key != self._plate_key:
            plate = self._room(director)
            self._title(plate, drawn, title)
            self._draw_vials(plate, drawn, poured)
            self._plate, self._plate_key = plate, key
        return self._plate

    def _room(self, director: Director) -> pygame.Surface:
        """Return a new plate with the room, its furniture and the HUD."""
        plate, scale, at = self._context.scenery(self._world, "vials_background"), self._context.scale, self._layout.at
        for down, _ in self._places.shelves:
            put_centred(plate, self._world.sprite("vial_shelf"), scale, *at(640, down))
        for sprite, larger, place in self._places.furniture:
            put_centred(plate, (self._large if larger else self._world).sprite(sprite), scale, *at(*place))
        self._hud.paint(plate, director)
        heading = self._layout.moved(self._places.heading)
        put_centred(plate, pill(heading[2:], scale), scale, *centre(heading))
        return plate

    def _title(self, plate: pygame.Surface, drawn: _Drawn, title: str) -> None:
        letters, scale, zoom = self._letters, self._context.scale, self._zoom
        x, top = self._layout.centre[0], self._layout.moved(self._places.heading)[1]
        left = drawn.scene.vials_left - (1 if isinstance(drawn.act, PourAct) else 0)
        left = 0 if _boils(drawn) else left
        heading = letters.fitted(text.say(title), 44, 560, GOLD, TITLE)
        put_centred(plate, heading, scale, x, top + (32 if left else 48) * zoom)
        if left:
            said = text.count(words.VIAL_LEFT, words.VIALS_LEFT, left)
            put_centred(plate, letters.text(said, 23, WHITE), scale, x, top + 74 * zoom)

    def _draw_vials(self, plate: pygame.Surface, drawn: _Drawn, poured: int | None) -> None:
        """Paint the vials on the shelf, those taken in the order they were taken, and the cauldron."""
        scene, scale, at = drawn.scene, self._context.scale, self._layout.at
        boils = _boils(drawn)
        for place in range(scene.vials_shown):
            if place not in scene.vials and place != poured:
                sprite = self._large.sprite(f"vial_{place % VIALS_SHOWN}")
                put_centred(plate, sprite, scale, *at(*self._place(place, scene.vials_shown)))
        for number, (x, y) in enumerate(self._places.slots):
            if number < len(scene.vials) and not boils:
                sprite = self._world.sprite(f"vial_{scene.vials[number] % VIALS_SHOWN}")
                put_centred(plate, sprite, scale, *at(x, y))
            elif not boils:
                put_centred(plate, self._world.sprite("vial_ring"), scale, *at(x, y + 56))
                figure = self._context.letters.text(str(number + 1), 40, GOLD, TITLE)
                put_centred(plate, figure, scale, *at(x, y + 14))
        put_centred(
            plate, self._large.sprite("cauldron_boiling" if boils else "cauldron"), scale, *at(*self._places.cauldron)
        )

    def _lit(self, stage: Stage, director: Director, drawn: _Drawn) -> None:
        """Light the vial under the cursor or, where there is none, one after another."""
        scene, view = drawn.scene, director.view
        if drawn.act is not None or not director.linked:
            return
        pointed = view.focus.startswith("choice:")
        for place in range(scene.vials_shown):
            name = f"choice:{place}"
            lit = view.focus == name if pointed else _breathes(place, scene.vials_shown, drawn.now)
            if lit and name in view.controls and place not in scene.vials:
                x, y = self._layout.at(*self._place(place, scene.vials_shown))
                stage.draw_centred(self._large.sprite("vial_lit"), x, y)
                stage.draw_centred(self._large.sprite(f"vial_{place % VIALS_SHOWN}"), x, y)

    def _steam(self, stage: Stage, drawn: _Drawn) -> None:
        """Let the cauldron glow and steam, the more the fuller it is."""
        boils, zoom, (x, y) = _boils(drawn), self._zoom, self._places.mouth
        heat = len(drawn.scene.vials) + (VIALS_TAKEN if boils else 0)
        if heat and _revealed(drawn) is None:
            self._glow.set_alpha(round(36 * heat + 24 * (0.5 + 0.5 * math.sin(drawn.now * 3.2))))
            stage.draw_centred(self._glow, *self._layout.at(x, y - 60 * zoom))
        for puff in range(_PUFFS if boils else 3):
            part = (drawn.now * 0.35 + puff / _PUFFS * 1.9) % 1
            aside = 110 * zoom * math.sin(puff * 2.4) * (0.5 + part * 0.5)
            stage.draw_centred(self._large.sprite("steam"), *self._layout.at(x + aside, y - 150 * zoom * part))

    def _pouring(self, stage: Stage, act: PourAct, now: float) -> None:
        """Let the vial fly to the cauldron, be poured, and come to its place."""
        scene = act.picture.scene
        shown, number = (scene.vials_shown, len(scene.vials)) if isinstance(scene, BewitchedScene) else (1, 0)
        into = min(act.into(now), POUR_S)
        slots, tip, mouth = self._places.slots, self._places.tip, self._places.mouth
        home, slot = self._place(act.choice, shown), slots[min(number, len(slots) - 1)]
        upright = self._large.sprite(f"vial_{act.choice % VIALS_SHOWN}")
        if into < _FLY_S:
            self._vial(stage, upright, _eased(home, tip, into / _FLY_S))
        elif into < _POURED_S:
            self._vial(stage, self._tilted_vial(act.choice % VIALS_SHOWN), tip)
            for drop in range(_DROPS):
                part = ((into - _FLY_S) * 2.2 + drop / _DROPS) % 1
                place = (tip[0] - 52 * self._zoom, tip[1] + 14 + (mouth[1] - tip[1] - 20) * part)
                stage.draw_centred(self._large.sprite("mote_0"), *self._layout.at(*place))
        else:
            self._vial(stage, upright, _eased(tip, slot, (into - _POURED_S) / (POUR_S - _POURED_S)))

    def _vial(self, stage: Stage, sprite: pygame.Surface, place: Point) -> None:
        stage.draw_centred(sprite, *self._layout.at(*place))

    def _tilted_vial(self, kind: int) -> pygame.Surface:
        """Return a vial as it is held while it is poured; turned once and kept."""
        if kind not in self._tilted:
            upright = pygame.transform.flip(self._large.sprite(f"vial_{kind}"), flip_x=True, flip_y=False)
            self._tilted[kind] = pygame.transform.rotozoom(upright, -_TILT, 1)
        return self._tilted[kind]

    def _result(self, stage: Stage, director: Director, drawn: _Drawn, potion: PotionBrewed) -> None:
        """Let what the potion has become rise out of the cauldron."""
        act, letters, at, zoom, sprite = drawn.act, self._letters, self._layout.at, self._zoom, self._large.sprite
        rested = brews_s(potion) + drawn.now - director.picture_since
        since = (act.into(drawn.now) if isinstance(act, BrewAct) else rested) - REVEAL_S
        rise = max(0.0, 1 - since / _RISE_S) ** 2
        y = self._places.result + 100 * rise
        if potion.kind in (MONEY, JACKPOT):
            self._fountain.draw(stage, self._context.shared, max(0.0, since))
        if since < _BURST_S:
            stage.draw_centred(sprite("burst"), *at(640, y + 40 * zoom))
        if potion.kind == FREE_SPINS:
            stage.draw_centred(sprite("free_spins_banner"), *at(640, y))
            stage.draw_centred(letters.number(str(potion.amount), "digits_gold", 2.0), *at(640, y + 58 * zoom))
            return
        if potion.kind == JACKPOT:
            stage.draw_centred(sprite("jackpot"), *at(640, y + 30 * zoom))
            return
        stage.draw_centred(sprite("potion_plaque"), *at(640, y + 20 * zoom))
        times = text.say(words.TIMES_BET, times=potion.amount)
        stage.draw_centred(letters.text(times, 46, GOLD, TITLE), *at(640, y - 28 * zoom))
        coins = act.rolled(drawn.now) if isinstance(act, BrewAct) else potion.coins
        stage.draw_centred(letters.number(_money(coins, director), "digits_gold", 1.5), *at(640, y + 60 * zoom))

    def _words(self, director: Director, drawn: _Drawn) -> tuple[str, bool]:
        potion = _revealed(drawn)
        if potion is not None:
            figures = {"times": potion.amount, "spins": potion.amount, "amount": _money(potion.coins, director)}
            said = {MONEY: words.POTION_MONEY, FREE_SPINS: words.POTION_SPINS, JACKPOT: words.POTION_JACKPOT}
            return text.say(said[potion.kind], **figures), True
        if isinstance(drawn.act, PourAct):
            return text.say(words.POURING), False
        return ("", False) if isinstance(drawn.act, BrewAct) else (text.say(words.VIAL_BUTTONS), False)


def _boils(drawn: _Drawn) -> bool:
    """Whether all vials are in the cauldron."""
    return isinstance(drawn.act, BrewAct) or drawn.scene.potion is not None


def _title(drawn: _Drawn, *, shown: bool) -> str:
    """Return the title over the scene; `shown` in a demonstration, it addresses no player."""
    if not _boils(drawn):
        return words.SHOWN_COMBINE if shown else words.COMBINE
    if _revealed(drawn) is None:
        return words.BREWING
    return words.SHOWN_BREWED if shown else words.BREWED


def _revealed(drawn: _Drawn) -> PotionBrewed | None:
    """Return the potion once it may be seen."""
    if isinstance(drawn.act, BrewAct):
        return drawn.act.potion if drawn.act.into(drawn.now) >= REVEAL_S else None
    return drawn.scene.potion if drawn.act is None else None


def _money(coins: int, director: Director) -> str:
    view = director.view
    return written(coins * (1 if view.reels_bet is None else view.reels_bet.coin_value_cents), view.locale.money)


def _breathes(place: int, shown: int, now: float) -> bool:
    """One vial after another lights up for a moment, to invite the hand."""
    return int(now / _BREATH_S) * 4 % shown == place and now % _BREATH_S < _BREATH_S / 2


def _eased(start: Point, end: Point, part: float) -> Point:
    """Return a place on the way, left and reached gently."""
    gentle = part * part * (3 - 2 * part)
    return start[0] + (end[0] - start[0]) * gentle, start[1] + (end[1] - start[1]) * gentle
