"""A hand at the simulated cabinet's front, and the eyes above it.

It sees what a person sees (the front, the glass) and looks into the books read-only; it is connected to nothing else.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from controller.demo.books import Books, RoundInBooks
from controller.demo.settings import RunDirectory
from drivers.simulated.bench.frame_mirror import FrameMirror
from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontClient

T = TypeVar("T")

LOOK_S = 0.03
"""Pause between two looks at the books or the glass."""

_TURN_S = 0.1
_REST_S = 0.4
_IDLE_S = 1.0
_RESTLESS_S = 2.0
_BETWEEN_PRESSES_S = 0.3
_TAP_S = 3.0
_MOST_TAPS = 5


class StoryError(RuntimeError):
    """Something that must happen did not."""


class ScriptedPlayer:
    """Presses, inserts, waits, takes pictures into `pictures`; `report` receives each line.

    `now` and `pause` are its time (seconds). `hurry` brings every show to its end at once, as an impatient player
    does who presses SPIN again.
    """

    def __init__(
        self,
        run: RunDirectory,
        *,
        client: FrontClient,
        pictures: Path,
        report: Callable[[str], None],
        now: Callable[[], float],
        pause: Callable[[float], None],
        hurry: bool,
    ) -> None:
        self.client = client
        self.glass = FrameMirror(run.glass)
        self.books = Books(run.journal)
        self.pause = pause
        self._pictures = pictures
        self._report = report
        self._now = now
        self._hurry = hurry
        self._began = now()
        self._taken = 0

    def __repr__(self) -> str:
        return f"<Hand at {self.client!r}>"

    def report(self, text: str) -> None:
        """Tell one line, with the seconds since the start."""
        self._report(f"{self._now() - self._began:6.1f} s  {text}")

    def picture(self, name: str) -> None:
        """Save what the glass shows as the next picture."""
        self._taken += 1
        self.glass.save_png(self._pictures / f"{self._taken:02d}-{name}.png")

    def press(self, button: str) -> None:
        """Push a button and let it go."""
        self.client.do(f"tap {button}")

    def turn_key(self, key: str) -> None:
        """Turn a key switch and turn it back."""
        self.client.do(f"key {key} on")
        self.pause(_TURN_S)
        self.client.do(f"key {key} off")

    def until(self, what: str, look: Callable[[], T | None], seconds: float = 15.0) -> T:
        """Return the first thing that `look` sees; raise `StoryError` when it does not come in time."""
        deadline = self._now() + seconds
        while True:
            seen = look()
            if seen:
                return seen
            if self._now() > deadline:
                raise StoryError(f"not within {seconds:g} s: {what}; the front shows {self.client.front}")
            self.pause(LOOK_S)

    def until_front(self, what: str, shows: Callable[[Front], bool], seconds: float = 15.0) -> Front:
        """Return the first front that `shows` what is waited for, however short it stands."""
        try:
            return self.client.wait_until(shows, seconds)
        except TimeoutError as error:
            raise StoryError(f"{what}: {error}") from error

    @property
    def frame(self) -> int:
        """The number of the newest frame; 0 where the glass is dark."""
        frame = self.glass.frame() if self.glass.alive() else None
        return 0 if frame is None else frame.number

    def until_frames(self, frames: int) -> None:
        """Wait until the display has presented so many new frames, or the game has been idle for a while."""
        first, busy_at = self.frame, self._now()

        def seen() -> bool:
            nonlocal busy_at
            if not is_idle(self.client.front):
                busy_at = self._now()
            return self.frame >= first + frames or self._now() > busy_at + _IDLE_S

        self.until("the picture moves", seen)

    def still_picture(self, name: str, *, rest_s: float = _REST_S) -> None:
        """Save what the glass shows once it has rested so long; one that never does is taken after two seconds."""
        ends = self._now() + _RESTLESS_S
        shown, since = self.frame, self._now()
        while self._now() < min(ends, since + rest_s):
            self.pause(LOOK_S)
            if self.frame != shown:
                shown, since = self.frame, self._now()
        self.picture(name)

    def until_idle(self, seconds: float = 40.0, *, patient: bool = False) -> None:
        """Wait until the next round could begin, hurrying what is shown where that was asked for.

        A `patient` hand presses nothing: a press that comes too late begins another round.
        """
        deadline = self._now() + seconds
        while not self._rests():
            if self._now() > deadline:
                raise StoryError(f"the game is not idle after {seconds:g} s; the front shows {self.client.front}")
            if self._hurry and not patient and is_playing(self.client.front):
                self.press("spin")
            self.pause(_BETWEEN_PRESSES_S)

    def press_until_idle(self, seconds: float, look: Callable[[], None]) -> None:
        """Press SPIN, which goes on with whatever is asked or shown, until the round is over; `look` in between."""
        deadline = self._now() + seconds
        while not self._rests():
            if self._now() > deadline:
                raise StoryError(f"the round does not end in {seconds:g} s; the front shows {self.client.front}")
            look()
            self.press("spin")
            self.pause(_BETWEEN_PRESSES_S)

    def _rests(self) -> bool:
        """Whether no round is open and the next could begin; a win that waits to be gambled is collected instead."""
        if not is_idle(self.client.front):
            return False
        last = self.books.last_round
        if last is not None and last.state == "open":
            self.press("collect")
            return False
        return True

    def open_game(self) -> None:
        """Press SPIN in the lobby, again if nothing comes of it, until the game under its cursor is open."""
        for _ in range(_MOST_TAPS):
            self.press("spin")
            deadline = self._now() + _TAP_S
            while self._now() < deadline:
                if is_idle(self.client.front):
                    return
                self.pause(LOOK_S)
        raise StoryError(f"{_MOST_TAPS} taps on SPIN opened no game; the front shows {self.client.front}")

    def begin_round(self) -> RoundInBooks:
        """Press SPIN, again if nothing comes of it, and return the round as soon as it is durable.

        On a machine too busy to see both edges of a tap apart, the panel takes the tap for a contact's bounce.
        """
        before = self.books.rounds_played
        for _ in range(_MOST_TAPS):
            self.press("spin")
            deadline = self._now() + _TAP_S
            while self._now() < deadline:
                begun = _newer(self.books.last_round, before)
                if begun is not None:
                    return begun
                self.pause(LOOK_S)
        raise StoryError(f"{_MOST_TAPS} taps on SPIN brought no round; the front shows {self.client.front}")


def is_idle(front: Front) -> bool:
    """Whether SPIN would begin a round: only then, and on pages that the demo never opens, is MAX BET lit.

    A win that may be gambled may stand there: MAX BET is GAMBLE then, and SPIN would collect it first.
    """
    return front.lamps["max_bet"]


def is_in_lobby(front: Front) -> bool:
    """Whether a game can be chosen: LINES and BET move, SPIN takes, COLLECT pays out, and no bet can be made.

    In the service menu the same four are lit, but the attendant's call is not: he is there. The card table looks the
    same too, and this hand never gambles.
    """
    return (
        front.lamps["service"]
        and front.lamps["lines"]
        and front.lamps["collect"]
        and not (is_idle(front) or front.lamps["auto"])
    )


def is_playing(front: Front) -> bool:
    """Whether a round is being shown: SPIN is lit, to stop the reels, and nothing that chooses or leaves is."""
    return front.lamps["spin"] and not any(front.lamps[name] for name in ("max_bet", "lines", "info", "collect"))


def euros(cents: int) -> str:
    """Write an amount the way the script's lines do."""
    return f"{cents // 100}.{cents % 100:02d} €"


def _newer(last: RoundInBooks | None, than: int) -> RoundInBooks | None:
    return last if last is not None and last.id > than else None
