"""A game's screen: reels, lines, wins, features over the reels, and the HUD."""

import pygame

from games.beats import Continue
from ui import text
from ui.acts import Act, FreeSpinsAct, PicksWonAct, SpinAct, TotalAct, WinsAct
from ui.director import Director
from ui.layout import HEADLINE, LOGO, MESSAGE, REELS, centre
from ui.lettering import GOLD, TITLE, WHITE
from ui.messages import View
from ui.money import written
from ui.reels import Cells, draw_reels
from ui.scenes.hud import Hud
from ui.scenes.lines import Paylines
from ui.scenes.overlays import STATES
from ui.scenes.props import Control, Props, pill, put, put_centred
from ui.scenes.wins import WinShow
from ui.stage import Stage
from ui.worlds.look import Look, Picture


class GameScreen:
    """The main screen of the game that `look` describes."""

    def __init__(self, props: Props, look: Look) -> None:
        self._props = props
        self._look = look
        self._world = props.world(look)
        self._world.fetch("background", "frame", "logo")
        self._hud = Hud(props)
        self._lines = Paylines(props, self._world.sprite("line_badge"), look.lines)
        self._wins = WinShow(props, look, self._lines, self._cells_of)
        self._cells: dict[bool, Cells] = {}
        self._grounds: dict[bool, pygame.Surface] = {}
        self._lip = _Lip(self._world.sprite("frame"), props.scale)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()

    def controls(self, _director: Director) -> list[Control]:
        """Return the HUD's buttons."""
        return self._hud.controls()

    def due(self, director: Director, now: float) -> float:
        """While something is performed every frame is due; wins that stand blink on slowly."""
        if director.performance is not None and not director.performance.ended:
            return now
        picture = director.picture
        if isinstance(director.offer, Continue):
            return self._hud.due(now)
        if picture is not None and (picture.line_wins or picture.scatter_win):
            return min(self._wins.due(now), self._hud.due(now))
        return self._hud.due(now)

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the screen."""
        picture = director.picture
        if picture is None:
            picture = self._look.picture(self._look.game.idle)
        act = None if director.performance is None else director.performance.act
        stage.begin(self._backdrop(director, picture))
        self._reels(stage, picture, act, now)
        self._headline(stage, director, picture)
        words, gold = self._over_reels(stage, director, picture, act, now)
        self._hud.draw(stage, director, now)
        if director.view.state not in STATES:
            self._hud.message(stage, words, gold=gold)

    def _backdrop(self, director: Director, picture: Picture) -> pygame.Surface:
        bet = director.view.bet
        key = (picture.free, self._hud.key(director))
        if self._plate is None or key != self._plate_key:
            plate = self._ground(free=picture.free).copy()
            self._lines.paint_badges(plate, bet.lines if bet else len(self._look.lines))
            self._hud.paint(plate, director)
            self._plate, self._plate_key = plate, key
        return self._plate

    def _ground(self, *, free: bool) -> pygame.Surface:
        """Return background, frame and logo, which never change while the mode stands."""
        if free not in self._grounds:
            plate = self._props.plate(self._world.sprite("background_free" if free else "background"))
            scale = self._props.scale
            put(plate, self._world.sprite("frame"), scale, 0, 0)
            if free:
                put_centred(plate, pill(HEADLINE[2:], scale), scale, *centre(HEADLINE))
            else:
                put(plate, self._world.sprite("logo"), scale, LOGO[0], LOGO[1])
            put_centred(plate, pill(MESSAGE[2:], scale), scale, *centre(MESSAGE))
            self._grounds = {free: plate}
        return self._grounds[free]

    def _cells_of(self, picture: Picture) -> Cells:
        if picture.free not in self._cells:
            backing = "reel_free" if picture.free and "reel_free" in self._world else "reel"
            self._cells[picture.free] = Cells(self._world, backing)
        return self._cells[picture.free]

    def _reels(self, stage: Stage, picture: Picture, act: Act | None, now: float) -> None:
        cells, strips = self._cells_of(picture), self._look.strips(picture)
        if isinstance(act, SpinAct):
            places = [act.spin.position(reel, now) for reel in range(len(strips))]
        else:
            places = [(float(stop), False) for stop in picture.stops]
        draw_reels(stage, cells, strips, places)
        if isinstance(act, SpinAct):
            waiting = act.spin.waiting_reel(now)
            if waiting is not None:
                self._wins.suspense(stage, waiting, now - act.spin.stop_at[waiting - 1])
        self._lip.draw(stage)

    def _headline(self, stage: Stage, director: Director, picture: Picture) -> None:
        """In free spins the counter and what they have won stand where the logo was."""
        if not picture.free:
            return
        letters = self._props.letters
        number = max(1, picture.free_played)
        words = text.say(text.FREE_SPIN_OF, number=number, total=picture.free_total)
        if picture.free_played == 0:
            words = text.count(text.FREE_SPIN_LEFT, text.FREE_SPINS_LEFT, picture.free_left)
        times = text.say(text.FREE_SPINS_TRIPLED, times=self._look.free_multiplier)
        middle, _ = centre(HEADLINE)
        stage.draw_centred(letters.text(words, 40, GOLD, TITLE), middle, 32)
        won = ""
        if director.view.bet is not None:
            amount = written(picture.free_win * director.view.bet.coin_value_cents, director.view.money)
            won = f"{text.say(text.FREE_SPINS_WIN)} {amount}"
        stage.draw_centred(letters.text(f"{times}   ·   {won}", 21, WHITE), middle, 72)

    def _over_reels(
        self, stage: Stage, director: Director, picture: Picture, act: Act | None, now: float
    ) -> tuple[str, bool]:
        """Draw what is shown over the reels; return the message line and whether it is golden."""
        view = director.view
        match act:
            case WinsAct():
                words = self._wins.all_lit(stage, picture, act, director, now)
                return words, True
            case PicksWonAct():
                self._wins.picks_won(stage, picture, act, now)
                return text.say(text.TREASURE_WON, count=act.count), True
            case FreeSpinsAct():
                self._wins.free_spins(stage, picture, act, now)
                return "", False
            case TotalAct():
                self._wins.total(stage, act, director, now)
                return "", False
            case SpinAct():
                return text.message(view.message) or _autospin_left(view) or text.say(text.GOOD_LUCK), False
            case _:
                return self._standing(stage, director, picture, now)

    def _standing(self, stage: Stage, director: Director, picture: Picture, now: float) -> tuple[str, bool]:
        """Nothing is performed: wins loop line by line, or the player is told what to do."""
        view = director.view
        if isinstance(director.offer, Continue):
            if picture.free_played == 0:
                self._wins.free_offer(stage, picture)
            prompt = text.FREE_SPINS_START if picture.free_played == 0 else text.FREE_SPINS_ON
            return text.message(view.message) or text.say(prompt), True
        if picture.line_wins or picture.scatter_win:
            words = self._wins.loop(stage, picture, director, now - director.picture_since)
            return (text.message(view.message) or words, not view.message)
        return (text.message(view.message), False) if view.message else self._invitation(director)

    @staticmethod
    def _invitation(director: Director) -> tuple[str, bool]:
        """Return what the player might do next, or should know."""
        view = director.view
        if not director.linked:
            return "", False
        penniless = view.credit_cents == 0 and (view.accepts_coins or view.accepts_notes)
        candidates = (
            (bool(view.notices), view.notices[0].text if view.notices else "", False),
            (view.resumed, text.RESUMED, True),
            (view.autospin_of > 0, _autospin_left(view), False),
            ("spin" in view.controls, text.PRESS_SPIN, False),
            (penniless, text.INSERT_MONEY, True),
        )
        return next(((text.say(words), gold) for holds, words, gold in candidates if holds), ("", False))


def _autospin_left(view: View) -> str:
    """Return how many spins autospin has left, or nothing where it doesn't run."""
    return text.say(text.AUTO_LEFT, left=view.autospin_left, of=view.autospin_of) if view.autospin_of else ""


class _Lip:
    """The inner edge of the frame, where it reaches over the reels; the rest of the window is left out."""

    def __init__(self, frame: pygame.Surface, scale: float) -> None:
        box = pygame.Rect(*(round(value * scale) for value in REELS))
        window = frame.subsurface(box)
        edge = round(24 * scale)
        strips = (
            pygame.Rect(0, 0, box.width, edge),
            pygame.Rect(0, box.height - edge, box.width, edge),
            pygame.Rect(0, edge, edge, box.height - 2 * edge),
            pygame.Rect(box.width - edge, edge, edge, box.height - 2 * edge),
        )
        self._pieces: list[tuple[pygame.Surface, tuple[int, int]]] = []
        for strip in strips:
            used = window.subsurface(strip).get_bounding_rect(min_alpha=1)
            if used.width and used.height:
                used.move_ip(strip.topleft)
                self._pieces.append((window.subsurface(used), (box.left + used.left, box.top + used.top)))

    def draw(self, stage: Stage) -> None:
        """Draw the edge over the reels, which are drawn anew each frame."""
        stage.canvas.fblits(self._pieces)
