"""Chooses the scene for the director's state, draws it, and finds the control at a touch."""

import math
import random
import time
from collections.abc import Callable, Mapping

import pygame

from ui import text
from ui.atlas import blank
from ui.canvas import Canvas
from ui.director import HALTING, Director
from ui.draw_context import DrawContext, Scenery, pill
from ui.frame_budget import BudgetSpentError, StillComingError
from ui.layout import centre, inside
from ui.lettering import WHITE
from ui.protocol.values import Money, written
from ui.protocol.view_parts import Status
from ui.running_order import RunningOrder
from ui.scene_cache import MACHINE, SceneCache
from ui.scenes.attract import Attract
from ui.scenes.autospin import AutospinSettings
from ui.scenes.care import Care
from ui.scenes.combination import Combination
from ui.scenes.dialog import LowestBet
from ui.scenes.game import GameScreen
from ui.scenes.game_overlay import scenes_of
from ui.scenes.history import History, Replay
from ui.scenes.hud import PRESSED_S
from ui.scenes.lobby import Lobby
from ui.scenes.menu import Menu
from ui.scenes.paytable import Paytable
from ui.scenes.recall import Recall, RecalledRules
from ui.scenes.service import Service
from ui.scenes.service_patterns import PICTURES, Patterns
from ui.scenes.settings import Settings
from ui.scenes.state_overlay import STATES, StateOverlay
from ui.scenes.wipe import Wipes
from ui.stage import Stage
from ui.theme import Theme

MOST_ATTEMPTS = 40
"""After this many frames that ran out of time, the next one takes all the time it needs."""
PATIENCE_S = 2.0
"""Seconds without the supervisor after which the screen says so."""
DEMO_SIZE = (520.0, 30.0)
"""The size of the demo-mode mark at the top of every screen, in canvas units of a wide monitor."""
STATUS_HEIGHT = 28.0
STATUS_WIDTHS = (72.0, 372.0)
"""The width of the status at the upper left corner: the time of day alone, and with the session's time and net."""
STATUS_GROUND = (12, 20, 34)
DEMO_GROUND, DEMO_INK = (255, 214, 64), (24, 16, 0)
PAGES: Mapping[str, Callable[[DrawContext, Theme], Scenery]] = {
    "paytable": Paytable,
    "autospin": AutospinSettings,
    "menu": Menu,
    "settings": Settings,
    "history": History,
    "lowest_bet": LowestBet,
    "session": Care,
    "reality_check": Care,
    "loss_limit": Care,
    "break": Care,
}
"""The pages of a game, by the state in which they are shown."""


class SceneManager:
    """Draws the director's state on the stage; scenes are built when first shown.

    One frame spends at most about `share_s` of `clock` on new content (`ui/frame_budget.py`). Attract shows games in
    `order`, or in a random order of its own.
    """

    def __init__(
        self,
        stage: Stage,
        director: Director,
        context: DrawContext,
        *,
        share_s: float = math.inf,
        clock: Callable[[], float] = time.perf_counter,
        order: RunningOrder | None = None,
    ) -> None:
        self.stage = stage
        self._director = director
        self._context = context
        self._scene_cache = SceneCache(context)
        self._overlay = StateOverlay(context)
        self._spoken = (director.view.locale.language, director.view.locale.money, director.view.locale.dates)
        self._reconnecting_plate = pill(context.layout.hud.message[2:], context.scale)
        size = (round(side * context.layout.hud.message_zoom * context.scale) for side in DEMO_SIZE)
        self._demo = blank((next(size), next(size)))
        self._demo.fill(DEMO_GROUND)
        self._status_plates = tuple(_plate(context, width) for width in STATUS_WIDTHS)
        self._share_s = share_s
        self._clock = clock
        self._attempts = 0
        self._frame_complete = True
        self._wipes = Wipes(context)
        self._order = order or RunningOrder(random.Random())  # noqa: S311 - what is shown, not what is drawn
        self._attracted = False

    def rebuild_scenes(self) -> None:
        """Build every scene again after an error in one of them."""
        self._scene_cache.clear()
        self._wipes.skip()
        self.stage.canvas.set_clip(None)
        self.stage.forget()

    def draw_on(self, canvas: Canvas) -> None:
        """Draw on another canvas from the next frame on."""
        self.stage.draw_on(canvas)
        self.rebuild_scenes()

    @property
    def game(self) -> str:
        """The game whose own code is drawing: the open one, or the one that attract demonstrates."""
        opened = self._director.view.game
        shown = None if opened else self.demonstrated
        return opened if shown is None else shown.view.game

    @property
    def demonstrated(self) -> Director | None:
        """The director of attract's demonstration, or None."""
        if not self._attracted:
            return None
        scene = self._attract()
        moment = scene.shown[1] if isinstance(scene, Attract) else None
        return None if moment is None else moment.playback.director

    @property
    def frame_complete(self) -> bool:
        """Whether the last `draw` was completed; if not, the canvas must not be shown."""
        return self._frame_complete

    def draw(self, now: float) -> None:
        """Draw the screen at `now`, or as much of it as one frame has time for (see `frame_complete`)."""
        share_s = self._share_s if self._attempts < MOST_ATTEMPTS else math.inf
        self._context.budget.renew(share_s, self._clock)
        try:
            self._draw(now)
            self._attempts, self._frame_complete = 0, True
        except BudgetSpentError as spent:
            self._attempts += not isinstance(spent, StillComingError)
            self._frame_complete = False
            self.stage.canvas.set_clip(None)
            self.stage.forget()
        finally:
            self._context.budget.renew(math.inf, self._clock)

    def _draw(self, now: float) -> None:
        director = self._director
        self._speak()
        self._wipes.follow(self.stage, director, calm=self._overlaid or not self._in_play, whole=self._frame_complete)
        attracts = director.view.state == "attract"
        if self._attracted and not attracts:
            self._scene_cache.drop("attract")  # with the game that it shows
        if director.theme is not None:
            self._scene_cache.open(director.theme.world)
        elif attracts and not self._attracted:
            self._scene_cache.open(MACHINE)
        self._attracted = attracts
        beneath = self._beneath()
        if self._overlaid:
            if not self._overlay.prepared(director):
                beneath.draw(self.stage, director, now)
                self._overlay.prepare(self.stage.canvas.copy(), director)
            self._overlay.draw(self.stage, director, now)
        else:
            beneath.draw(self.stage, director, now)
        self._wipes.draw(self.stage, director, now)
        if director.lost_at is not None and now >= director.lost_at + PATIENCE_S:
            self._draw_reconnecting_notice()
        if director.view.status.demo_mode:
            self._draw_demo_mark()
        if director.view.status.clock or director.view.status.session is not None:
            self._draw_clock(now)

    def _draw_demo_mark(self) -> None:
        """Draw the demo-mode mark over every screen: no money counts (requirements.md M12)."""
        layout, zoom = self._context.layout, self._context.layout.hud.message_zoom
        letters = self._context.sized(zoom).letters
        words = letters.fitted(text.say(text.DEMO_MODE), 20, round(DEMO_SIZE[0]) - 20, DEMO_INK)
        for surface in (self._demo, words):
            self.stage.draw_centred(surface, layout.canvas[0] / 2, DEMO_SIZE[1] * zoom / 2)

    def _draw_clock(self, now: float) -> None:
        """Draw the time of day and the session's time and net over every screen, if the configuration shows them."""
        view, zoom = self._director.view, self._context.layout.hud.message_zoom
        letters, width = self._context.sized(zoom).letters, STATUS_WIDTHS[view.status.session is not None]
        words = letters.fitted(_status(view.status, view.locale.money, now), 19, round(width) - 12, WHITE)
        plate = self._status_plates[view.status.session is not None]
        for surface in (plate, words):
            self.stage.draw_centred(surface, width * zoom / 2, STATUS_HEIGHT * zoom / 2)

    def _draw_reconnecting_notice(self) -> None:
        """Say in the message line that the supervisor does not answer."""
        layout = self._context.layout
        letters = self._context.sized(layout.hud.message_zoom).letters
        words = letters.fitted(
            text.say(text.RECONNECTING), 22, round(layout.hud.message[2] / layout.hud.message_zoom) - 40
        )
        for surface in (
            self._reconnecting_plate,
            self._reconnecting_plate,
            words,
        ):  # twice, because other words are beneath
            self.stage.draw_centred(surface, *centre(layout.hud.message))

    def prepare(self) -> bool:
        """Prepare part of what the open game will need next, between two frames; return whether there may be more."""
        scene = self._beneath() if self.frame_complete and not self._overlaid else None
        self._context.budget.renew(self._share_s, self._clock)
        try:
            return isinstance(scene, GameScreen | Attract) and scene.prepare(self._director)
        except BudgetSpentError:
            return True  # its atlas is still being decoded
        finally:
            self._context.budget.renew(math.inf, self._clock)

    def due(self, now: float) -> float:
        """Return when the next frame is due; infinity if nothing moves."""
        if not self.frame_complete:
            return now
        director = self._director
        self._speak()
        scene = self._overlay if self._overlaid else self._beneath()
        due = now if self._wipes.running(now) else scene.due(director, now)
        performance = director.performance
        if performance is not None and performance.act is not None and not director.halted:
            due = min(due, performance.act.ends_at())
        if director.lost_at is not None and now < director.lost_at + PATIENCE_S:
            due = min(due, director.lost_at + PATIENCE_S)
        status, care = director.view.status, director.view.pages.care
        session = status.session if care is None else care.figures
        if session is not None and session.began_s is not None:
            due = min(due, session.began_s + session.seconds(now) + 1)
        return due

    def touch(self, x: float, y: float, now: float) -> str:
        """Handle a finger put down: return the live control under it, or an empty string.

        The controls of an incomplete screen are not visible yet, so none answers.
        """
        if not self.frame_complete:
            return ""
        self._wipes.skip()
        director = self._director
        self._speak()
        scene = self._overlay if self._overlaid else self._beneath()
        hits = [name for name, box in scene.controls(director) if inside(box, x, y)]
        if isinstance(scene, Paytable):
            for name in hits:
                if scene.turn(name):
                    self._press(name, now)
                    return ""
        if not director.linked:
            return ""
        for name in hits:
            if name in director.view.controls:
                self._press(name, now)
                return name
        return ""

    @property
    def _overlaid(self) -> bool:
        """Whether the state covers the scene; spinning reels come to rest first, visibly."""
        state = self._director.view.state
        return state in STATES and (state not in HALTING or self._director.halted)

    @property
    def _in_play(self) -> bool:
        """Whether the reels or a scene of the game itself is shown, rather than a page."""
        state = self._director.view.state
        return self._director.theme is not None and state not in (*PAGES, "attract", "lobby", "service_menu")

    def _speak(self) -> None:
        """Switch to the view's language; scenes built in another language are built again."""
        view = self._director.view
        spoken = (view.locale.language, view.locale.money, view.locale.dates)
        self._context.speak(*spoken)
        if self._spoken != spoken:
            self._spoken = spoken
            self._scene_cache.clear()
            self._overlay = StateOverlay(self._context)

    def _press(self, name: str, now: float) -> None:
        self._context.pressed, self._context.pressed_until = name, now + PRESSED_S

    def _beneath(self) -> Scenery:
        """Return the scene of the state or, under an overlay, of the interrupted state."""
        director = self._director
        theme = director.theme
        if director.view.state == "service_menu" and director.view.past.replay is None:
            if director.view.pages.service is not None and director.view.pages.service.picture in PICTURES:
                return self._scene_cache.scene(MACHINE, "patterns", lambda: Patterns(self._context))
            return self._scene_cache.scene(MACHINE, "service", lambda: Service(self._context))
        if director.view.state == "lobby":
            return self._lobby()
        if theme is None or director.view.state == "attract":
            return self._attract()
        recalled_rules = director.view.state == "service_menu" and director.view.focus.startswith("page:")
        page = RecalledRules if recalled_rules else PAGES.get(director.view.state)
        if page is not None:
            return self._scene_cache.scene(theme.world, director.view.state, lambda: page(self._context, theme))
        name = director.scene_name
        scene = self._special(theme, name) if name else self._game(theme)
        return scene if director.view.past.replay is None else self._replay_scene(theme, name, scene)

    def _attract(self) -> Scenery:
        return self._scene_cache.scene(MACHINE, "attract", lambda: Attract(self._context, self._order))

    def _lobby(self) -> Scenery:
        return self._scene_cache.scene(MACHINE, "lobby", lambda: Lobby(self._context))

    def _game(self, theme: Theme) -> Scenery:
        return self._scene_cache.scene(theme.world, "reels", lambda: GameScreen(self._context, theme))

    def _special(self, theme: Theme, scene: str) -> Scenery:
        scenes = scenes_of(theme)
        return self._scene_cache.scene(theme.world, f"own {scene}", lambda: scenes.build(scene, self._context))

    def _replay_scene(self, theme: Theme, name: str, scene: Scenery) -> Scenery:
        """Return a past round's scene under the player's ribbon, in recall, or the scene of a chosen combination."""
        view = self._director.view
        recalled = view.past.replay is not None and view.past.replay.state != "test"
        kind = Replay if view.pages.service is None else Recall if recalled else Combination
        return self._scene_cache.scene(theme.world, f"{kind.__name__} of {name}", lambda: kind(self._context, scene))


def _status(status: Status, money: Money, now: float) -> str:
    """Return the words of the upper left corner."""
    if status.session is None:
        return status.clock
    spent = text.elapsed(status.session.seconds(now))
    net = text.say(text.NET, amount=written(status.session.net_cents, money))
    return "  ·  ".join(filter(None, (status.clock, spent, net)))


def _plate(context: DrawContext, width: float) -> pygame.Surface:
    zoom = context.layout.hud.message_zoom * context.scale
    plate = blank((round(width * zoom), round(STATUS_HEIGHT * zoom)))
    plate.fill(STATUS_GROUND)
    return plate
