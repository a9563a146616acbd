"""Hold and Win: fifteen cells with a reel each, the orbs that stay, the respins left, and the settlement."""

import math

import pygame

from gamekit.beats import Cell, Continue
from games.mystery_elves import MysteryElvesScene
from games.mystery_elves.display import words
from games.mystery_elves.display.acts import (
    FLASH_S,
    CellsAct,
    CountAct,
    EndedAct,
    LandedAct,
    MultiplyAct,
    MysteryAct,
    PaidAct,
    RevealAct,
    TurnAct,
)
from games.mystery_elves.display.awards import paint_large
from games.mystery_elves.display.flurry import Burst, Snowfall
from games.mystery_elves.display.icicles import Icicles
from games.mystery_elves.display.orbs import Orbs, money_of
from games.mystery_elves.display.state import Orb, orbs, scene_of, total_bets
from games.mystery_elves.pays import FULL_MULTIPLIER, RESPINS
from games.mystery_elves.strips import HOLD_RULES
from ui import text
from ui.acts import Act
from ui.canvas import SoftwareCanvas
from ui.director import Director
from ui.draw_context import Control, DrawContext, Fountain, pill, put, put_centred
from ui.layout import Box, Point, centre
from ui.lettering import GOLD, INK, PEARL, TITLE, WHITE
from ui.protocol.messages import View
from ui.protocol.values import written
from ui.reels import Cells
from ui.scenes.hud import Hud
from ui.scenes.message_line import beside_prompt
from ui.stage import Stage
from ui.theme import Theme

FRAME_S = 1 / 20
PLAQUES: dict[str, Point] = {"grand": (112, 4), "major": (316, 4), "minor": (764, 4), "mini": (968, 4)}
"""Upper left corners on the stage of the plaques of the fixed awards."""
PORTRAIT_PLAQUES: dict[str, Point] = {"grand": (14, 300), "major": (14, 418), "minor": (806, 300), "mini": (806, 418)}
"""The same on a portrait canvas, where they are larger, as the counter is."""
COUNTER: Box = (530, 0, 220, 104)
PORTRAIT_COUNTER: Point = (375, 344)
PORTRAIT_BANNER = (540, 150)
"""The middle of the banner on the canvas of a portrait monitor, which has room for it over the cells."""
_TOTAL: tuple[Point, Point] = ((640, 330), (540, 930))
"""The middle of the panel of what has been paid, on the stage and on a portrait canvas."""
_LAMP_STEP = 54
_RIM = 5
_COINS = 56


class HoldScene:
    """The feature from the press for its first respin until it has paid."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._theme = theme
        self._layout = context.layout
        self._zoom = zoom = context.layout.feature_zoom
        self._large = context.world(theme, zoom)
        self._sprites, self._letters = context.sized(zoom)
        corner = context.layout.either(COUNTER[:2], PORTRAIT_COUNTER)
        self._counter_box: Box = (*corner, COUNTER[2] * zoom, COUNTER[3] * zoom)
        self._world = context.world(theme)
        self._on_reels = context.on_reels(theme)
        self._world.fetch("background_hold")
        self._on_reels.fetch("frame", "hold_cell")
        self._hud = Hud(context)
        self._orbs = Orbs(context, theme, "hold_cell")
        self._empty = Cells(self._on_reels, "hold_cell", round(context.layout.cell(HOLD_RULES.rows)[1] * context.scale))
        self._glow = self._world.sprite("glow").copy()
        self._fountain = Fountain(context.layout, _COINS, seed=_COINS)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()
        self._board: pygame.Surface | None = None
        self._board_key: tuple[object, ...] = ()
        self._icicles = Icicles(context, theme)
        self._burst = Burst(seed=12)
        self._snow = Snowfall(context.layout, seed=7)

    def controls(self, _director: Director) -> list[Control]:
        """Return the HUD's buttons: SPIN starts the next respin."""
        return self._hud.controls()

    def due(self, director: Director, now: float) -> float:
        """While something is performed every frame is due; snow falls on slowly."""
        if director.performance is not None and not director.performance.ended:
            return now
        return min(now + FRAME_S, self._hud.due(now))

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the scene at `now`."""
        picture = director.picture
        if picture is None:
            raise ValueError("Hold and Win is drawn from a picture, and there is none")
        scene = scene_of(picture.scene)
        act = None if director.performance is None else director.performance.act
        placed = act.orbs(now) if isinstance(act, RevealAct) else orbs(scene)
        if isinstance(act, PaidAct):
            stage.begin(self._settled(director, scene, placed))
        else:
            stage.begin(self._backdrop(director))
            self._cells(stage, director.view, scene, placed, act=act, now=now)
        self._snow.draw(stage, self._world, now)
        self._counter(stage, director, scene, act, now)
        if self._layout.shape == "portrait":
            filled = text.say(words.CELLS_FILLED, filled=len(placed), cells=len(HOLD_RULES.cells))
            x, y = PORTRAIT_BANNER
            stage.draw_centred(self._letters.fitted(filled, 26, 300, WHITE, TITLE), x, y + 62)
        if isinstance(act, RevealAct):
            self._flashes(stage, act, now)
            if isinstance(act, CountAct) and 0 <= act.flown(now) < 1:
                self._flight(stage, act, director.view, now)
        if isinstance(act, MysteryAct) and now >= act.changed_at(0):
            left, top = self._plaque(act.award)
            reach = 8 * self._layout.reels_zoom
            stage.draw(self._on_reels.sprite("plaque_lit"), left - reach, top - reach)
        if isinstance(act, PaidAct):
            self._paid(stage, act, director, now)
        self._hud.draw(stage, director, now)
        said, gold = _message(director, act), True
        if act is None:
            said, gold = beside_prompt(director, said, now)
        elif message := text.message(director.view):
            said, gold = message, False
        self._hud.message(stage, said, gold=gold)

    def _backdrop(self, director: Director) -> pygame.Surface:
        key = (self._hud.key(director), director.view.reels_bet)
        if self._plate is None or key != self._plate_key:
            context, scale, layout = self._context, self._context.scale, self._layout
            plate = context.scenery(self._world, "background_hold")
            put(plate, self._on_reels.sprite("frame"), scale, *layout.frame)
            for name in PLAQUES:
                at = self._plaque(name)
                paint_large(plate, context, self._theme, director.view, name=name, at=at)
            put(plate, self._large.sprite("respin_counter"), scale, *self._counter_box[:2])
            if layout.shape == "portrait":
                put_centred(plate, self._world.sprite("hold_and_win_banner"), scale, *PORTRAIT_BANNER)
            put_centred(plate, pill(layout.hud.message[2:], scale), scale, *centre(layout.hud.message))
            self._hud.paint(plate, director)
            self._plate, self._plate_key = plate, key
        return self._plate

    def _settled(self, director: Director, scene: MysteryElvesScene, placed: tuple[Orb, ...]) -> pygame.Surface:
        """Return the backdrop with the cells as they are at the end, when none of them moves any more."""
        plate = self._backdrop(director)
        key = (plate, placed, scene.respin)
        if self._board is None or key != self._board_key:
            board = SoftwareCanvas(plate.get_size())
            board.blit(plate, (0, 0))
            self._cells(Stage(board, self._context.scale), director.view, scene, placed, act=None, now=0)
            self._board, self._board_key = board, key
        return self._board

    def _plaque(self, name: str) -> Point:
        """Return the upper left corner of an award's plaque."""
        return self._layout.either(PLAQUES[name], PORTRAIT_PLAQUES[name])

    def _box(self, cell: Cell) -> Box:
        return self._layout.cell_box(*cell, HOLD_RULES.rows)

    def _cells(
        self,
        stage: Stage,
        view: View,
        scene: MysteryElvesScene,
        placed: tuple[Orb, ...],
        *,
        act: Act | None,
        now: float,
    ) -> None:
        """Draw all fifteen cells: orbs that stay, empty cells with their reels at rest or spinning."""
        held = {orb.cell: orb for orb in placed}
        stops = {} if scene.respin is None else dict(zip(scene.respin.cells, scene.respin.stops, strict=True))
        spinning = {} if not isinstance(act, CellsAct) else {cell: reel for reel, cell in enumerate(act.cells)}
        pairs = []
        for cell in HOLD_RULES.cells:
            if cell in held:
                surface = self._orbs.cell(held[cell], view)
            elif cell in stops and cell not in spinning:
                surface = self._empty.cell(HOLD_RULES.strip[stops[cell]])
            else:
                surface = self._empty.bare()
            pairs.append((surface, stage.pixels(self._box(cell)).topleft))
        stage.canvas.fblits(pairs)
        if isinstance(act, CellsAct):
            for cell, reel in spinning.items():
                self._reel(stage, cell, act.spin.position(reel, now))
        self._icicles.draw(stage)

    def _reel(self, stage: Stage, cell: Cell, place: tuple[float, bool]) -> None:
        """Draw an empty cell's reel at its place (position, blurred), inside the cell's rim."""
        position, blurred = place
        left, top, width, height = self._box(cell)
        inner = stage.pixels((left + _RIM, top + _RIM, width - 2 * _RIM, height - 2 * _RIM))
        whole = stage.pixels((left, top, width, height))
        first = math.floor(position)
        y = whole.top - round((position - first) * whole.height)
        canvas = stage.canvas
        canvas.set_clip(inner)
        while y < inner.bottom:
            symbol = HOLD_RULES.strip[first % len(HOLD_RULES.strip)]
            canvas.blit(self._on_reels.sprite(f"{symbol}_blur" if blurred else symbol), (whole.left, y))
            first += 1
            y += whole.height
        canvas.set_clip(None)

    def _counter(self, stage: Stage, director: Director, scene: MysteryElvesScene, act: Act | None, now: float) -> None:
        """Draw the respins left, as lamps; once none is left, what has been counted."""
        letters, zoom, view = self._letters, self._zoom, director.view
        x, y = centre(self._counter_box)
        left = act.left if isinstance(act, CellsAct) else scene.respins_left
        if not left and not isinstance(act, CellsAct):
            counted = act.total_bets(now) if isinstance(act, RevealAct) else total_bets(scene)
            if isinstance(act, PaidAct) and act.full:
                counted *= FULL_MULTIPLIER
            stage.draw_centred(letters.text(text.say(words.SO_FAR), 18, PEARL), x, y - 22 * zoom)
            stage.draw_centred(letters.fitted(money_of(counted, view), 34, 190, GOLD, TITLE), x, y + 14 * zoom)
            return
        stage.draw_centred(letters.fitted(text.say(words.RESPINS), 17, 180, PEARL), x, y - 22 * zoom)
        for number in range(1, RESPINS + 1):
            lit = number <= left
            place = x + (number - (RESPINS + 1) / 2) * _LAMP_STEP * zoom
            stage.draw_centred(self._large.sprite("respin_lamp_lit" if lit else "respin_lamp"), place, y + 16 * zoom)
            stage.draw_centred(letters.text(str(number), 28, INK if lit else PEARL, TITLE), place, y + 15 * zoom)

    def _flashes(self, stage: Stage, act: RevealAct, now: float) -> None:
        """Light every orb that is about to change or has just changed."""
        for place, cell in enumerate(act.cells):
            strength = 1 - abs(now - act.changed_at(place)) / FLASH_S
            if strength > 0:
                self._glow.set_alpha(round(255 * strength))
                stage.draw_centred(self._glow, *centre(self._box(cell)))
            self._burst.draw(stage, self._world, *centre(self._box(cell)), now - act.changed_at(place))

    def _flight(self, stage: Stage, act: CountAct, view: View, now: float) -> None:
        """Let the amount fly from its orb to the total, slower at both ends."""
        eased = (1 - math.cos(math.pi * act.flown(now))) / 2
        left, top = centre(self._box(act.cells[0]))
        x, y = centre(self._counter_box)
        figure = self._letters.text(money_of(act.bets, view), 34, GOLD, TITLE)
        stage.draw_centred(figure, left + (x - left) * eased, top + (y + 14 * self._zoom - top) * eased)

    def _paid(self, stage: Stage, act: PaidAct, director: Director, now: float) -> None:
        view, layout = director.view, self._layout
        value = 1 if view.reels_bet is None else view.reels_bet.coin_value_cents
        if act.climb is not None:
            self._fountain.climb(stage, self._context.shared, act.climb, now - act.began)
        letters, zoom, (x, y) = self._letters, self._zoom, layout.either(*_TOTAL)
        stage.draw_centred(self._sprites.sprite("panel_dialog"), x, y)
        stage.draw_centred(letters.text(text.say(words.TOTAL), 30, WHITE, TITLE), x, y - 160 * zoom)
        stage.draw_centred(self._large.sprite("total_win"), x, y - 62 * zoom)
        amount = written(act.shown_total(now) * value, view.locale.money)
        stage.draw_centred(letters.fitted_number(amount, "digits_gold", 620, 1.7), x, y + 80 * zoom)
        if act.full:
            filled = text.say(words.FILLED, cells=len(HOLD_RULES.cells), times=FULL_MULTIPLIER)
            stage.draw_centred(letters.fitted(filled, 24, 620, GOLD), x, y + 160 * zoom)


def _message(director: Director, act: Act | None) -> str:
    """Return what the message line says of the moment."""
    view, said = director.view, ""
    match act:
        case None:
            offer = director.offer
            if isinstance(offer, Continue):
                said = text.say(words.PRESS_FIRST, left=offer.left)
        case CellsAct():
            said = text.say(words.RESPINNING)
        case LandedAct():
            cells = len(HOLD_RULES.cells)
            full = len(scene_of(act.picture.scene).bonuses) == cells  # then no respin follows
            said = text.say(words.FILLED if full else words.LANDED, left=RESPINS, cells=cells, times=FULL_MULTIPLIER)
        case EndedAct():
            full = act.filled == len(HOLD_RULES.cells)
            said = text.say(words.FILLED if full else words.ENDED, cells=act.filled, times=FULL_MULTIPLIER)
        case MysteryAct():
            said = text.say(words.MYSTERY, award=text.say(words.AWARDS[act.award]), amount=money_of(act.bets, view))
        case MultiplyAct():
            said = text.say(words.MULTIPLYING, times=act.multiplier)
        case TurnAct():
            said = text.say(words.TURNED, bets=act.bets, amount=money_of(act.bets, view))
    return said
