"""The display's loop: receives messages and touches, and sends frames, acknowledgements and presses.

It sleeps in `select` until a message or a touch arrives or the next frame is due; if nothing moves, nothing is drawn.
"""

import gc
import select
import socket
import sys
import threading
import time
from weakref import WeakSet

import msgspec

from common.decoding import UnreadableError
from ui.atlas import World
from ui.canvas import GpuError
from ui.cues import Cues
from ui.director import Director
from ui.draw_context import DrawContext
from ui.heat import Heat
from ui.kept_language import KeptLanguage
from ui.link import Link, ProtocolMismatchError
from ui.protocol.messages import Frames, Press, Snapshot, ToDisplay, ToSupervisor, Touch, Unfit
from ui.scene_manager import SceneManager
from ui.scenes.service_patterns import CALIBRATE, TOUCHED
from ui.screen import POLL_S, Screen
from ui.sound import Sound
from ui.touch import TouchEvent, TouchSocket, calibrated, in_units
from ui.unfit_games import UnfitGames, passes_through

FRAME_S = 1 / 60
STATISTICS_S = 1.0
LONGEST_SLEEP_S = 1.0
PREPARE_S = 0.004
"""How long before a frame is due, in seconds, preparation may still run, and the interval between attempts."""
FIRST_PICTURE_S = 0.3
"""Seconds that the first picture waits for the first snapshot."""


class Display:
    """The complete display process."""

    def __init__(
        self,
        *,
        screen: Screen,
        link: Link,
        touch: TouchSocket | None,
        context: DrawContext,
        director: Director,
        scene_manager: SceneManager,
        sound: Sound,
        heat: Heat,
        kept: KeptLanguage | None = None,
    ) -> None:
        self._screen = screen
        self._link = link
        self._touch = touch
        self._context = context
        self._director = director
        self._scene_manager = scene_manager
        self._sound = sound
        self._heat = heat
        self._kept = kept or KeptLanguage()
        self._cues = Cues(sound)
        self._unfit = UnfitGames(context)
        self._due = 0.0
        self._cpu_ms: list[float] = []
        self._statistics_at = 0.0
        self._first = True
        self._loaded: WeakSet[World] = WeakSet()
        self._frozen: set[str] = set()
        self._seen: set[str] = set()
        self._started: float | None = None
        self._ending = False
        self._unprepared = False

    def run(self) -> None:
        """Run until `end`; raises `ProtocolMismatchError`."""
        try:
            while not self._ending:
                self.turn(time.monotonic())
                self._sleep()
        finally:
            self._link.close()
            if self._touch is not None:
                self._touch.close()
            self._screen.close()

    def end(self) -> None:
        """Stop `run` at its next turn."""
        self._ending = True

    def turn(self, now: float) -> None:
        """Do everything that is due at `now` (seconds of CLOCK_MONOTONIC).

        An error from a game's own code or art ends that game here: the display shows it no more and reports it, so that
        the supervisor does not offer it, and continues. Other errors are raised.
        """
        for game, reason in self._unfit.new():
            self._send([Unfit(game, reason)], now)
            self._sanitise(now)
        try:
            self._turn(now)
        except ProtocolMismatchError:
            raise
        except Exception as error:
            on_stage = msgspec.structs.replace(self._director.view, game=self._scene_manager.game)
            # An error of a monitor, mirror or socket is not a game's fault, unless the game's code opened it.
            if isinstance(error, OSError) and not passes_through(on_stage.game, error):
                raise
            if not self._unfit.blame(on_stage, error):
                raise
            self._scene_manager.rebuild_scenes()
            self._sanitise(now)

    def _sanitise(self, now: float) -> None:
        """Apply the newest view without the games that cannot be shown."""
        view = self._unfit.without(self._director.view)
        self._send(self._director.handle(Snapshot(self._director.turn, view), now), now)
        self._due = now

    def _turn(self, now: float) -> None:
        changed = self._obey(now)
        self._send(self._director.advance(now), now)
        changed |= self._feel(now)
        self._sound.advance(now)
        if self._started is None:
            # A display that was killed during a game returns with the game, without showing "starting" first.
            self._started = now
            self._due = now + FIRST_PICTURE_S
        if (changed and not self._waits()) or now >= self._due:
            self._draw(now)
        elif self._unprepared and self._due - now > PREPARE_S:
            self._unprepared = self._scene_manager.prepare()
        if now >= self._statistics_at:
            self._report(now)

    def _waits(self) -> bool:
        """Whether nothing has been drawn yet and the first snapshot may still arrive soon."""
        return self._first and not self._director.linked

    def _obey(self, now: float) -> bool:
        messages = self._link.poll(now)
        for message in messages:
            try:
                self._send(self._obeyed(message, now), now)
            except (UnreadableError, ImportError) as error:
                # A message that cannot be shown must not stop the display: a new connection brings a new snapshot.
                sys.stderr.write(f"display: {type(message).__name__} cannot be shown: {error}\n")
                self._link.drop(now, str(error))
                break
        if self._link.lost:
            self._director.connection_lost(now)
        return bool(messages) or self._link.lost

    def _obeyed(self, message: ToDisplay, now: float) -> list[ToSupervisor]:
        """Return the director's answers to a message; a game that causes an error is reported and left out."""
        if not isinstance(message, Snapshot):
            return self._director.handle(message, now)
        self._kept.keep(message.view.locale.language)
        try:
            clean = Snapshot(message.turn, self._unfit.without(message.view))
            return self._director.handle(clean, now)
        except UnreadableError:
            raise
        except Exception as error:
            if not self._unfit.blame(message.view, error):
                raise
            return self._director.handle(Snapshot(message.turn, self._unfit.without(message.view)), now)

    def _feel(self, now: float) -> bool:
        touches: list[TouchEvent] = self._screen.touches()
        if self._touch is not None:
            touches += self._touch.poll()
        view, canvas = self._director.view, self._context.layout.canvas
        picture = "" if view.pages.service is None else view.pages.service.picture
        for raw in touches:
            touch = calibrated(raw, canvas, view.output.touch)
            if picture in TOUCHED:
                sent = in_units(raw if picture == CALIBRATE else touch, canvas)
                self._send([Touch(sent.x, sent.y, sent.down)], now)
            control = self._scene_manager.touch(touch.x, touch.y, now) if touch.down else ""
            if control:
                self._cues.pressed()
                self._send([Press(control, self._director.turn)], now)
        lost = self._screen.lost()
        if lost:
            self._scene_manager.rebuild_scenes()
        return bool(touches) or lost

    def _send(self, messages: list[ToSupervisor], now: float) -> None:
        for message in messages:
            self._link.send(message, now)

    def _draw(self, now: float) -> None:
        self._context.calm = self._heat.hot(now)
        started = time.thread_time()
        try:
            whole = self._show(now)
        except GpuError as error:
            self._screen.compose_in_memory(str(error))
            self._scene_manager.draw_on(self._screen.canvas)
            whole = False
        self._cpu_ms.append((time.thread_time() - started) * 1000)
        if not whole:
            # The former picture stays; messages and touches are handled before the next attempt.
            self._due = now
            return
        self._cues.follow(self._director, now, self._scene_manager.demonstrated)
        # While something moves, the next frame is due a sixtieth of a second after this one.
        self._due = max(self._scene_manager.due(now), now + FRAME_S)
        self._unprepared = True
        if self._director.linked:
            self._load_rest()

    def _show(self, now: float) -> bool:
        """Draw and present the picture at `now`; return False if it could not be completed in time."""
        self._scene_manager.draw(now)
        if self._scene_manager.frame_complete:
            self._screen.present(self._director.view.output.brightness_percent)
        return self._scene_manager.frame_complete

    def _load_rest(self) -> None:
        """After the first complete picture, and when a game is opened, load in a thread what may be needed soon.

        A game's pictures are released when another one is opened (`DrawContext.open`), and loaded again when it is
        reopened.
        """
        theme = self._director.theme
        world = self._context.shared if theme is None else self._context.world(theme)
        first, self._first = self._first, False
        games, language = self._director.view.lobby.games, self._director.view.locale.language
        if world in self._loaded and self._seen.issuperset(games):
            return
        self._loaded.add(world)
        self._seen |= set(games)  # more games arrive while they are being baked

        def load() -> None:
            world.preload()
            if first:
                self._sound.load()
            for game in games:
                self._context.themes.fetch(game).join()
                self._unfit.look_at(game, language)

        threading.Thread(target=load, name="loader", daemon=True).start()
        if world.name not in self._frozen:
            # A game's code and tables stay in memory, so the garbage collector need not scan them again.
            self._frozen.add(world.name)
            gc.collect()
            gc.freeze()

    def _report(self, now: float) -> None:
        self._statistics_at = now + STATISTICS_S
        page = self._director.view.pages.service
        if self._link.up and (self._cpu_ms or (page is not None and page.testing)):
            median, longest = sorted(self._cpu_ms or [0.0])[len(self._cpu_ms) // 2], max(self._cpu_ms, default=0.0)
            frames = Frames(len(self._cpu_ms), round(median, 3), round(longest, 3), self._sound.is_open)
            self._send([frames], now)
        self._cpu_ms.clear()

    def _sleep(self) -> None:
        now = time.monotonic()
        longest = PREPARE_S if self._unprepared else LONGEST_SLEEP_S
        wake = min(self._due, self._statistics_at, self._sound.due, now + longest)
        if self._link.sock is None:
            wake = min(wake, self._link.retry_at)
        if self._screen.polls:
            wake = min(wake, now + POLL_S)
        sockets: list[socket.socket] = [] if self._touch is None else self._touch.sockets()
        if self._link.sock is not None:
            sockets.append(self._link.sock)
        select.select(sockets, [], [], max(0.0, wake - now))
