"""The music: one piece at a time, streamed from its file; it fades at changes and is lowered for stingers.

Every gain follows a ramp of the display's clock.
"""

import sys
from pathlib import Path

import pygame

from common.error_words import error_reason

DUCKED = 0.3
"""The music's gain under a stinger: 10 dB less."""
_DOWN_S, _UP_S, _HOLD = 0.06, 0.6, 0.75
"""How fast the music is lowered and raised, and after what part of a stinger, whose end is only reverberation."""
_OUT_S, _IN_S, _CUE_S = 0.3, 0.5, 0.03
"""How long music fades out and in, and how fast it gives way to music that begins on a beat, in seconds."""
ON_CUE = "win_music"
"""The music of a large win is synchronised with the screen: it begins at once, at the position due by then."""
_RATE = 44_100
_LAST_PAGE = 1 << 16
TICK_S = 1 / 60


def length_of(path: Path) -> float:
    """Return the seconds of an Ogg Vorbis file, by its last page; raises `OSError`, `ValueError`."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _LAST_PAGE))
        end = file.read()
    page = end.rindex(b"OggS")
    return int.from_bytes(end[page + 6 : page + 14], "little") / _RATE


class _Ramp:
    """A gain that moves to another; `per_s` is how much of full scale it moves in a second."""

    def __init__(self, gain: float) -> None:
        self.gain = self.goal = gain
        self._per_s = 1.0

    def to(self, goal: float, seconds: float) -> None:
        """Move to `goal`; a change of full scale would take `seconds`."""
        self.goal, self._per_s = goal, 1 / seconds

    def advance(self, elapsed: float) -> None:
        """Advance by `elapsed` seconds."""
        way = self._per_s * elapsed
        self.gain = min(self.goal, self.gain + way) if self.goal > self.gain else max(self.goal, self.gain - way)

    @property
    def moving(self) -> bool:
        """Whether it has not reached its goal."""
        return self.gain != self.goal


class Music:
    """The piece of music that plays, and the one that is wanted, streamed from its file.

    A piece that was left resumes at its position when it returns, so that the player hears more than its first bars.
    """

    def __init__(self) -> None:
        self._playing: Path | None = None
        self._wanted: Path | None = None
        self._wanted_at = 0.0
        self._now = 0.0
        self._began = 0.0
        self._left_at: dict[Path, float] = {}
        self._fade = _Ramp(0.0)
        self._duck = _Ramp(1.0)
        self._ducked_until = 0.0
        self._volume = -1.0
        self.level = 1.0
        """The player's volume for the music."""

    def want(self, path: Path | None) -> None:
        """Change to this piece; None for silence."""
        if path != self._wanted:
            self._wanted, self._wanted_at = path, self._now
            on_cue = path is not None and path.stem == ON_CUE
            self._fade.to(0.0, _CUE_S if on_cue else _OUT_S)
            if path == self._playing:
                self._fade.to(1.0, _IN_S)

    def duck(self, seconds: float) -> None:
        """Lower the music for a stinger of `seconds` that begins now."""
        self._ducked_until = max(self._ducked_until, self._now + seconds * _HOLD)
        self._duck.to(DUCKED, _DOWN_S)

    def advance(self, now: float) -> None:
        """Advance to `now`."""
        elapsed, self._now = max(0.0, now - self._now), now
        if self._duck.goal < 1 and now >= self._ducked_until:
            self._duck.to(1.0, _UP_S)
        self._fade.advance(elapsed)
        self._duck.advance(elapsed)
        if self._wanted != self._playing and (self._playing is None or not self._fade.gain):
            self._change(now)
        if self._playing is not None:
            volume = self._fade.gain * self._duck.gain * self.level
            if volume != self._volume:
                self._volume = volume
                pygame.mixer.music.set_volume(volume)

    def _change(self, now: float) -> None:
        if self._playing is not None:
            self._left_at[self._playing] = now - self._began
            pygame.mixer.music.stop()
            pygame.mixer.music.unload()
        self._playing = None
        path = self._wanted
        if path is None:
            return
        on_cue = path.stem == ON_CUE
        start = now - self._wanted_at if on_cue else self._left_at.get(path, 0.0)
        try:
            pygame.mixer.music.load(path)
            start %= length_of(path)
            pygame.mixer.music.set_volume(0)
            pygame.mixer.music.play(-1, start)
        except (pygame.error, OSError, ValueError) as error:
            sys.stderr.write(
                f"display: {path} cannot be played ({error_reason(error)}): bake again with `cabinet bake`\n"
            )
            self._wanted = None
            return
        self._playing, self._began, self._volume = path, now - start, 0.0
        self._fade.gain = 1.0 if on_cue else 0.0
        self._fade.to(1.0, _IN_S)

    @property
    def due(self) -> float:
        """When it must be advanced again: at once while a ramp moves, when a stinger ends, or never."""
        if self._wanted != self._playing or self._fade.moving or self._duck.moving:
            return self._now + TICK_S
        return self._ducked_until if self._duck.goal < 1 else float("inf")
