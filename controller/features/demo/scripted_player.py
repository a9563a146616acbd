"""A player at the simulated cabinet's front.

It sees what a person sees (the front, the screen) and reads the journal; it has no other connection.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from controller.features.demo.books import Books, RoundInBooks
from controller.features.demo.settings import RunDirectory
from drivers.simulated.bench.frame_mirror import FrameMirror
from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontClient

T = TypeVar("T")

LOOK_S = 0.03
"""The pause between two reads of the journal or the screen."""

_TURN_S = 0.1
_REST_S = 0.4
_IDLE_S = 1.0
_RESTLESS_S = 2.0
_LOADING_PICTURES = 2
_BETWEEN_PRESSES_S = 0.3
_TAP_S = 3.0
_MOST_TAPS = 5


class StoryError(RuntimeError):
    """An expected event of the story did not happen."""


class ScriptedPlayer:
    """Presses, inserts, waits, saves pictures into `pictures`; `report` receives each line.

    `now` and `pause` are its time (seconds). `hurry` ends every show at once by pressing SPIN again.
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
        self.mirror = FrameMirror(run.frame_mirror)
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
        """Report a line, with the seconds since the start."""
        self._report(f"{self._now() - self._began:6.1f} s  {text}")

    def picture(self, name: str) -> None:
        """Save the screen as the next picture."""
        self._taken += 1
        self.mirror.save_png(self._pictures / f"{self._taken:02d}-{name}.png")

    def press(self, button: str) -> None:
        """Push a button and let it go."""
        self.client.do(f"tap {button}")

    def turn_key(self, key: str) -> None:
        """Turn a key switch on and off."""
        self.client.do(f"key {key} on")
        self.pause(_TURN_S)
        self.client.do(f"key {key} off")

    def until(self, what: str, look: Callable[[], T | None], seconds: float = 15.0) -> T:
        """Return the first true value of `look`; raise `StoryError` after `seconds`."""
        deadline = self._now() + seconds
        while True:
            seen = look()
            if seen:
                return seen
            if self._now() > deadline:
                raise StoryError(f"not within {seconds:g} s: {what}; the front shows {self.client.front}")
            self.pause(LOOK_S)

    def until_front(self, what: str, shows: Callable[[Front], bool], seconds: float = 15.0) -> Front:
        """Return the first front for which `shows` is true, however briefly."""
        try:
            return self.client.wait_until(shows, seconds)
        except TimeoutError as error:
            raise StoryError(f"{what}: {error}") from error

    @property
    def frame(self) -> int:
        """The number of the newest frame; 0 while the screen is dark."""
        frame = self.mirror.frame() if self.mirror.alive() else None
        return 0 if frame is None else frame.number

    def until_frames(self, frames: int) -> None:
        """Wait until the display has presented that many new frames, or the game has been idle for a while."""
        first, busy_at = self.frame, self._now()

        def seen() -> bool:
            nonlocal busy_at
            if not is_idle(self.client.front):
                busy_at = self._now()
            return self.frame >= first + frames or self._now() > busy_at + _IDLE_S

        self.until("the picture moves", seen)

    def until_loaded(self, seconds: float = 30.0) -> None:
        """Wait until a started display shows the cabinet's state, at most `seconds`.

        Before that it shows only the loading picture, with and without the message that it has no link yet; so a third
        picture shows the state.
        """
        seen: set[bytes] = set()
        ends = self._now() + seconds
        while len(seen) < _LOADING_PICTURES + 1 and self._now() < ends:
            frame = self.mirror.frame()
            seen |= {frame.pixels} if frame is not None else set()
            self.pause(LOOK_S)

    def still_picture(self, name: str, *, rest_s: float = _REST_S) -> None:
        """Save the screen once it has not changed for `rest_s`, or after two seconds."""
        ends = self._now() + _RESTLESS_S
        shown, since = self.frame, self._now()
        while self._now() < min(ends, since + rest_s):
            self.pause(LOOK_S)
            if self.frame != shown:
                shown, since = self.frame, self._now()
        self.picture(name)

    def until_idle(self, seconds: float = 40.0, *, patient: bool = False) -> None:
        """Wait until the next round can begin, with shows cut short if `hurry` is set.

        A `patient` player presses nothing: a late press would begin another round.
        """
        deadline = self._now() + seconds
        while not self._rests():
            if self._now() > deadline:
                raise StoryError(f"the game is not idle after {seconds:g} s; the front shows {self.client.front}")
            if self._hurry and not patient and is_playing(self.client.front):
                self.press("spin")
            self.pause(_BETWEEN_PRESSES_S)

    def press_until_idle(self, seconds: float, look: Callable[[], None]) -> None:
        """Press SPIN at each show or offer until the round is over; call `look` in between."""
        deadline = self._now() + seconds
        while not self._rests():
            if self._now() > deadline:
                raise StoryError(f"the round does not end in {seconds:g} s; the front shows {self.client.front}")
            look()
            self.press("spin")
            self.pause(_BETWEEN_PRESSES_S)

    def _rests(self) -> bool:
        """Whether no round is open and the next can begin; a win that could be gambled is collected."""
        if not is_idle(self.client.front):
            return False
        last = self.books.last_round
        if last is not None and last.state == "open":
            self.press("collect")
            return False
        return True

    def open_game(self) -> None:
        """Press SPIN in the lobby until the selected game is open."""
        self._tap("spin", lambda: is_idle(self.client.front) or None, "opened no game")

    def begin_round(self) -> RoundInBooks:
        """Press SPIN, and return the round once it is durable."""
        before = self.books.rounds_played
        return self._tap("spin", lambda: _newer(self.books.last_round, before), "brought no round")

    def begin_payout(self) -> None:
        """Press COLLECT until a payout is in the books."""
        before = self.books.last_payout
        self._tap("collect", lambda: self.books.last_payout != before or None, "brought no payout")

    def _tap(self, control: str, seen: Callable[[], T | None], otherwise: str) -> T:
        """Press a control, repeatedly if needed, until `seen` returns a value; return that value.

        On a busy machine the panel may mistake both edges of a tap for contact bounce.
        """
        for _ in range(_MOST_TAPS):
            self.press(control)
            deadline = self._now() + _TAP_S
            while self._now() < deadline:
                found = seen()
                if found is not None:
                    return found
                self.pause(LOOK_S)
        raise StoryError(f"{_MOST_TAPS} taps on {control.upper()} {otherwise}; the front shows {self.client.front}")


def is_idle(front: Front) -> bool:
    """Whether SPIN would begin a round: MAX BET is lit only then, and on pages that the demo never opens.

    With a win that can be gambled, MAX BET is GAMBLE, and SPIN collects the win first.
    """
    return front.lamps["max_bet"]


def is_in_lobby(front: Front) -> bool:
    """Whether a game can be chosen: LINES and BET move, SPIN opens it, COLLECT pays out, and no bet can be made.

    In the service menu the same four are lit, but not the attendant's call. The card table looks the same too, but the
    script never gambles.
    """
    return (
        front.lamps["service"]
        and front.lamps["lines"]
        and front.lamps["collect"]
        and not (is_idle(front) or front.lamps["auto"])
    )


def is_playing(front: Front) -> bool:
    """Whether a round is being shown: SPIN is lit, to stop the reels, and no button that chooses or leaves."""
    return front.lamps["spin"] and not any(front.lamps[name] for name in ("max_bet", "lines", "info", "collect"))


def euros(cents: int) -> str:
    """Return an amount as the script's lines show it."""
    return f"{cents // 100}.{cents % 100:02d} €"


def _newer(last: RoundInBooks | None, than: int) -> RoundInBooks | None:
    return last if last is not None and last.id > than else None
