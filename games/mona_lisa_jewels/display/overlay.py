"""Around and over Mona Lisa Jewels' reels: the jackpot's counter, the locked reel, what is held, multiplied wins."""

import math

import pygame

from gamekit.beats import Cell, Continue, LineWin
from games.mona_lisa_jewels import MonaLisaScene
from games.mona_lisa_jewels.display import words
from games.mona_lisa_jewels.display.acts import (
    BANNER_AFTER_S,
    LOCK_S,
    FiveJackpotsAct,
    JewelsHeldAct,
    JewelsTotalAct,
    JewelsWonAct,
    NothingAct,
)
from games.mona_lisa_jewels.display.lights import Lights, Rim
from games.mona_lisa_jewels.display.state import amount, jackpot_note, jewel_spin, scene_of
from games.mona_lisa_jewels.pays import JEWEL, LINES
from games.mona_lisa_jewels.strips import REELS
from ui import text
from ui.acts import Act, FreeSpinsAct, TotalAct, WinsAct
from ui.director import Director
from ui.draw_context import DrawContext, put_centred
from ui.layout import Point
from ui.lettering import GOLD, PEARL, TITLE
from ui.picture import Picture
from ui.protocol.messages import View
from ui.protocol.values import written
from ui.scenes.game_overlay import GameOverlay
from ui.scenes.lines import Paylines
from ui.scenes.message_line import EACH_WIN_S, beside_wins, is_prompt_turn
from ui.scenes.wins import FRAME_S
from ui.stage import Stage
from ui.theme import Theme, shown

_COUNTER: Point = (1054, 31)
_NOTE: Point = (226, 31)
_COUNTERS: dict[str, Point] = {"portrait": (540, 338)}
"""Where the large counter's middle lies on the canvas, where there is room above the stage."""
_MIDDLE = 640
_ABOVE, _BELOW = 180, 480
_LOCK = (80, 8)
_LOCK_FRAME = 8
_LOCK_EDGE = 24
_SPARK_S = 1 / 20


class MonaLisaOverlay(GameOverlay):
    """What Mona Lisa Jewels adds to the shared screen of reels."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        super().__init__(context, theme)
        self._layout = context.layout
        self._world = context.world(theme)
        self._zoom = context.layout.feature_zoom
        self._large = context.world(theme, self._zoom)
        self._letters = context.sized(self._zoom).letters
        self._lights = Lights(context, theme)
        self._lines = Paylines(context, theme)
        self._on_reels = context.on_reels(theme)
        self._reels_zoom = context.layout.reels_zoom
        lock_frame = self._on_reels.sprite("lock_frame")
        self._lock_frame = Rim(lock_frame, round(_LOCK_EDGE * self._reels_zoom * context.scale))

    def key(self, director: Director) -> tuple[object, ...]:
        """Return what is painted: whether there is a counter, and whether this bet plays for the jackpot."""
        view = director.view
        return (bool(view.terms.jackpot_cents), jackpot_note(view.bet))

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the counter's plaque and what must be bet to play for the jackpot."""
        view, letters, scale = director.view, self.context.letters, self.context.scale
        if not view.terms.jackpot_cents:
            return
        first, second = jackpot_note(view.bet)
        title = text.say(words.JACKPOT)
        if self._layout.shape in _COUNTERS:
            x, y = _COUNTERS[self._layout.shape]
            letters, zoom = self._letters, self._zoom
            put_centred(plate, self._large.sprite("jackpot_plaque_large"), scale, x, y)
            put_centred(plate, letters.text(title, 28, GOLD, TITLE), scale, x, y - 46 * zoom)
            note = text.say(words.NOTE, first=first, second=second)
            put_centred(plate, letters.fitted(note, 17, 540, PEARL), scale, x, y + 50 * zoom)
            return
        x, y = self._layout.at(*_COUNTER)
        put_centred(plate, self._world.sprite("jackpot_plaque"), scale, x, y)
        put_centred(plate, letters.text(title, 16, PEARL, TITLE), scale, x, y - 15)
        x, y = self._layout.at(*_NOTE)
        put_centred(plate, self._world.sprite("note_plaque"), scale, x, y)
        put_centred(plate, letters.fitted(first, 16, 204, PEARL), scale, x, y - 11)
        put_centred(plate, letters.fitted(second, 18, 204, GOLD), scale, x, y + 10)

    def draw(self, stage: Stage, director: Director, picture: Picture, act: Act | None, now: float) -> None:
        """Draw the jackpot's figure, what the game's own acts show, and the marks of locked and held symbols."""
        self._counter(stage, director.view)
        scene = scene_of(picture)
        match act:
            case JewelsWonAct():
                self._won(stage, act, now)
            case JewelsHeldAct():
                self._marks(stage, picture, now)
                self._lights.shine(stage, picture, [(held.reel, held.row) for held in act.new], now - act.began)
                self._lights.frame(stage, [(held.reel, held.row) for held in act.new], now)
            case FiveJackpotsAct():
                self._five(stage, act.picture, act.line, now - act.began)
                if act.coins:
                    self._award(stage, act, amount(act.rolled(now), director.view))
            case WinsAct() if act.celebrated(now) is None:
                self._lock(stage, picture)
                self._over_frames(stage, picture, act.lines)
            case TotalAct() | FreeSpinsAct() | WinsAct():
                pass
            case _:
                self._marks(stage, picture, now)
                if act is None:
                    self._draw_idle(stage, director, picture, scene, now)

    def covers(self, act: Act) -> bool:
        """Whether all cells are painted dimmed or lit."""
        return isinstance(act, JewelsWonAct | FiveJackpotsAct)

    def words(self, director: Director, picture: Picture, act: Act | None, now: float) -> str:
        """Say what the game's own acts show, and which spin the player's press will start."""
        scene, view, said = scene_of(picture), director.view, ""
        match act:
            case JewelsWonAct():
                said = text.say(words.LOCKING)
            case JewelsHeldAct():
                said = text.count(words.HOLDING, words.HOLDING_MANY, len(act.new))
            case JewelsTotalAct():
                said = text.say(words.JEWELS_PAID, amount=amount(act.total, view))
            case NothingAct():
                said = text.say(words.JEWELS_PAID_NOTHING)
            case FiveJackpotsAct():
                said = text.say(words.FIVE, line=act.line)
            case None if scene.claiming:
                said = text.say(words.CLAIMING)
            case None if scene.jewels_left and not jewel_spin(scene):
                asked = isinstance(director.offer, Continue) and is_prompt_turn(director, now)
                said = text.say(words.PRESS_JEWELS) if asked else ""
            case None if scene.jewels_left and not view.message:
                said = text.say(words.NEXT_JEWEL)
            case None if self._five_stand(picture, scene) and scene.jackpot_win:
                coins = text.count(text.COIN, text.COINS, scene.jackpot_win, view.locale.money.thousands)
                figures = {"coins": coins, "amount": amount(scene.jackpot_win, view)}
                won = text.say(words.FIVE_PAY, line=scene.jackpot_line, **figures)
                said, _ = beside_wins(view, won, now - director.picture_since, 1)
        return said

    def due(self, director: Director, now: float) -> float:
        """Sparks run round what is held, and five jackpot symbols shine on."""
        picture = director.picture
        if picture is None:
            return math.inf
        if picture.locked:
            return now + _SPARK_S
        return now + FRAME_S if self._five_stand(picture, scene_of(picture)) else math.inf

    def _counter(self, stage: Stage, view: View) -> None:
        if not view.terms.jackpot_cents:
            return
        pool = written(view.terms.jackpot_cents, view.locale.money)
        letters = self.context.letters
        if self._layout.shape in _COUNTERS:
            x, y = _COUNTERS[self._layout.shape]
            stage.draw_centred(self._letters.number(pool, "digits_gold"), x, y + 4 * self._zoom)
        else:
            x, y = self._layout.at(*_COUNTER)
            stage.draw_centred(letters.fitted(pool, 26, 204, GOLD, TITLE), x, y + 9)

    def _marks(self, stage: Stage, picture: Picture, now: float) -> None:
        """Draw the frame and lock of reel 1 and the frames of what is held, while jewel spins last."""
        if picture.locked:
            self._lights.frame(stage, [(held.reel, held.row) for held in picture.held], now)
            self._lock(stage, picture)

    def _lock(self, stage: Stage, picture: Picture, lift: float = 0) -> None:
        """Draw the golden lock on each locked reel, `lift` above its place; its frame once it has fallen."""
        for reel in picture.locked:
            left, top = self._lights.corner((reel, 0))
            if not lift:
                reach = _LOCK_FRAME * self._reels_zoom
                self._lock_frame.draw(stage, left - reach, top - reach)
            across, down = (side * self._reels_zoom for side in _LOCK)
            stage.draw_centred(self._on_reels.sprite("lock"), left + across, top + down - lift)

    def _won(self, stage: Stage, act: JewelsWonAct, now: float) -> None:
        """Light what stays, let the lock fall onto reel 1, then drop the banner."""
        picture, elapsed = act.picture, act.elapsed(now)
        window = shown(self.theme, picture)
        jewels: list[Cell] = [(reel, row) for reel in picture.locked for row in _rows_of(window[reel])]
        held: list[Cell] = [(place.reel, place.row) for place in picture.held]
        self._lights.dim(stage, picture, [*jewels, *held])
        self._lights.shine(stage, picture, [*jewels, *held], elapsed)
        self._lights.frame(stage, held, now)
        self._lock(stage, picture, max(0.0, 1 - elapsed / LOCK_S) ** 2 * 240)
        since = elapsed - BANNER_AFTER_S
        if since >= 0:
            drop = max(0.0, 1 - since / 0.35) ** 2 * 260
            x, y = self._layout.on_reels(_MIDDLE, 330 - drop)
            stage.draw_centred(self._world.sprite("jewel_spins_banner"), x, y)
            stage.draw_centred(self.context.letters.number(str(act.spins), "digits_gold", 2.0), x, y + 58)

    def _five(self, stage: Stage, picture: Picture, line: int, elapsed: float) -> None:
        """Light the five jackpot symbols on `line`."""
        self._lights.dim(stage, picture, list(enumerate(LINES[line - 1])))
        stage.draw(*self._lines.overlay([line]))
        self._lights.shine(stage, picture, list(enumerate(LINES[line - 1])), elapsed)
        self._lines.light_badges(stage, [line])

    def _award(self, stage: Stage, act: FiveJackpotsAct, figure: str) -> None:
        """Show what the paytable pays for five jackpot symbols, below their line or, where there is no room, above."""
        x, y = self._layout.on_reels(_MIDDLE, _ABOVE if LINES[act.line - 1][2] == REELS.rows - 1 else _BELOW)
        stage.draw_centred(self._world.sprite("jackpot_plaque_large"), x, y)
        stage.draw_centred(self.context.letters.number(figure, "digits_gold", 1.7), x, y)

    def _draw_idle(self, stage: Stage, director: Director, picture: Picture, scene: MonaLisaScene, now: float) -> None:
        """Draw what belongs to the win that the loop shows just now."""
        elapsed = now - director.picture_since
        if self._five_stand(picture, scene):
            self._five(stage, picture, scene.jackpot_line, elapsed)
        elif picture.line_wins and not _offered(director):
            wins = len(picture.line_wins) + (picture.scatter_win is not None)
            place = int(elapsed / EACH_WIN_S) % wins
            self._over_frames(stage, picture, picture.line_wins[place : place + 1])

    @staticmethod
    def _five_stand(picture: Picture, scene: MonaLisaScene) -> bool:
        """Return whether five jackpot symbols are all that has been won."""
        return bool(scene.jackpot_line and not picture.line_wins and picture.scatter_win is None)

    def _over_frames(self, stage: Stage, picture: Picture, wins: tuple[LineWin, ...]) -> None:
        """Show what the frames of locked and held symbols would hide: the lines' numbers, and their multipliers."""
        if picture.locked:
            self._lines.light_badges(stage, [win.line for win in wins])
        self._multipliers(stage, wins)

    def _multipliers(self, stage: Stage, wins: tuple[LineWin, ...]) -> None:
        """Show by how much wilds have multiplied a line: at its last paid symbol, the largest where several end."""
        ends: dict[Cell, int] = {}
        for win in wins:
            cell = (win.count - 1, LINES[win.line - 1][win.count - 1])
            ends[cell] = max(ends.get(cell, 1), win.multiplier)
        width, height = self._layout.cell(REELS.rows)
        for cell, times in ends.items():
            if times > 1:
                left, top = self._lights.corner(cell)
                x, y = left + width - 30 * self._reels_zoom, top + height - 34 * self._reels_zoom
                stage.draw_centred(self._on_reels.sprite(f"multiplier_{times}"), x, y)


def _rows_of(column: tuple[str, ...]) -> list[int]:
    """Return the rows in which a reel shows a Jewel."""
    return [row for row, symbol in enumerate(column) if symbol == JEWEL]


def _offered(director: Director) -> bool:
    """Return whether the play waits for the player's press: then no win is looped."""
    return director.offer is not None
