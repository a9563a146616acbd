"""Music loops written as degrees of a scale: keys, parts, sections, scores, and how they are played."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from ui.baking.sounds.ambience import AMBIENCES
from ui.baking.sounds.stereo import Stereo, hall, lay, quiet
from ui.baking.sounds.synthesis import named
from ui.baking.sounds.voices import DRUMS, VOICES, drum, sounding

LEAST_S = 60.0
"""The shortest music loop, in seconds."""
_SIGNS, _STROKES = frozenset("0123456789abcdef.-"), frozenset("xo.")
_LOOSE_S = 0.006
"""How far a note may deviate from its step, in seconds, as human players do."""
_SOFT = 0.5
_STRESS = 1.12
"""How much louder the first step of a bar is."""


class ScoreError(ValueError):
    """A score cannot be played; the message names the bar and the remedy."""


class Key(NamedTuple):
    """A scale: the note of its first degree (69 is A4) and the semitones of its seven degrees above it."""

    tonic: int
    steps: tuple[int, int, int, int, int, int, int]

    def note(self, degree: int) -> str:
        """Return the note of a degree, counted from 0, in any octave."""
        octave, place_in_scale = divmod(degree, 7)
        return named(self.tonic + 12 * octave + self.steps[place_in_scale])


MAJOR = (0, 2, 4, 5, 7, 9, 11)
LYDIAN = (0, 2, 4, 6, 7, 9, 11)
DORIAN = (0, 2, 3, 5, 7, 9, 10)
MINOR = (0, 2, 3, 5, 7, 8, 10)
HARMONIC_MINOR = (0, 2, 3, 5, 7, 8, 11)


class Part(NamedTuple):
    """One instrument: its voice, the length and loudness of its notes, and how many degrees higher it plays.

    `motifs` are its bars in turn, with a sign for each step: a digit or letter is a degree above the bar's chord (`0`
    its root, `7` the octave, `a` is 10), `.` a rest, `-` extends by a step. A part that does not follow the chords is a
    melody in degrees of the key. `pan` is its position from -1 (left) to 1 (right).
    """

    voice: str
    rings_s: float
    gain: float
    motifs: tuple[str, ...]
    shift: int = 0
    pan: float = 0.0
    follows: bool = True


class Drum(NamedTuple):
    """One of `voices.DRUMS`: `strokes` are its bars in turn, `x` a stroke, `o` a soft one, `.` a rest."""

    name: str
    gain: float
    strokes: tuple[str, ...]
    pan: float = 0.0


class Section(NamedTuple):
    """Some bars: the degree of each bar's chord, the parts, the drums, and a chord held behind them."""

    chords: tuple[int, ...]
    parts: tuple[Part, ...]
    drums: tuple[Drum, ...] = ()
    pads: float = 0.4
    pad_voice: str = "pad"


class Score(NamedTuple):
    """A loop: the seconds per step and steps per bar, its sections in order, and its ambience."""

    key: Key
    step_s: float
    steps: int
    form: tuple[Section, ...]
    ambience: str = ""
    ambience_gain: float = 0.3
    hall_s: float = 1.4
    wet: float = 0.3

    @property
    def seconds(self) -> float:
        """The loop's length in seconds."""
        return self.step_s * self.steps * sum(len(section.chords) for section in self.form)


def check(score: Score) -> None:
    """Raise `ScoreError` if a bar has a wrong number of signs, or for an unknown sign, voice or drum."""
    for section in score.form:
        for part in section.parts:
            _check(part.voice, part.motifs, VOICES, _SIGNS, score.steps)
        for each in section.drums:
            _check(each.name, each.strokes, DRUMS, _STROKES, score.steps)
        _check(section.pad_voice, (), VOICES, _SIGNS, score.steps)
    if score.ambience:
        _check(score.ambience, (), AMBIENCES, _SIGNS, score.steps)


def _check(name: str, bars: tuple[str, ...], names: Collection[str], signs: frozenset[str], steps: int) -> None:
    if name not in names:
        raise ScoreError(f"there is no {name!r}; there are {', '.join(names)}")
    for bar in bars:
        if len(bar) != steps or not signs.issuperset(bar):
            raise ScoreError(f"{name} {bar!r}: a bar has {steps} signs of {''.join(sorted(signs))}")


def play(score: Score, tail_s: float | None = None) -> Stereo:
    """Return the loop of a score, whose end overlaps its start; with a tail it is played once and rings out in it.

    Raises `ScoreError`.
    """
    check(score)
    ground = _Performance(score, tail_s or 0.0).ground
    ground = hall(ground, score.hall_s, score.wet, wraps=tail_s is None)
    if score.ambience:
        air = AMBIENCES[score.ambience](score.seconds)[: ground.shape[1]].astype(np.float32)
        gain = np.float32(score.ambience_gain * float(np.std(ground)) / float(np.std(air)))
        # The same air, shifted in time, on the other side gives a surround effect.
        ground += gain * np.stack((air, np.roll(air, len(air) // 3)))
    return ground


class _Performance:
    """A score as it is played, without hall: each player is slightly off the beat, the same at each bake."""

    def __init__(self, score: Score, tail_s: float) -> None:
        self._score = score
        self._chance = np.random.default_rng(5)
        self.ground = quiet(score.seconds + tail_s)
        at = 0.0
        for section in score.form:
            for number, root in enumerate(section.chords):
                for part in section.parts:
                    self._bar(part, part.motifs[number % len(part.motifs)], root, at)
                for each in section.drums:
                    self._strokes(each, each.strokes[number % len(each.strokes)], at)
                self._held(section, root, at)
                at += score.step_s * score.steps

    def _bar(self, part: Part, signs: str, root: int, at: float) -> None:
        step_s, chance = self._score.step_s, self._chance
        for step, sign in enumerate(signs):
            if sign in ".-":
                continue
            held = len(signs[step + 1 :]) - len(signs[step + 1 :].lstrip("-"))
            degree = int(sign, 16) + part.shift + (root if part.follows else 0)
            sound = sounding(part.voice, self._score.key.note(degree), round(part.rings_s + held * step_s, 3))
            gain = part.gain * float(chance.uniform(0.86, 1.0)) * (_STRESS if step == 0 else 1.0)
            lay(self.ground, sound, at + step * step_s + float(chance.uniform(0, _LOOSE_S)), gain, part.pan)

    def _strokes(self, each: Drum, signs: str, at: float) -> None:
        for step, sign in enumerate(signs):
            if sign != ".":
                gain = each.gain * (_SOFT if sign == "o" else 1.0) * float(self._chance.uniform(0.88, 1.0))
                lay(self.ground, drum(each.name), at + step * self._score.step_s, gain, each.pan)

    def _held(self, section: Section, root: int, at: float) -> None:
        bar_s = round(self._score.step_s * self._score.steps * 1.15, 3)
        for third, pan in ((0, -0.5), (2, 0.5), (4, 0.0)) if section.pads else ():
            note = self._score.key.note(root + third)
            lay(self.ground, sounding(section.pad_voice, note, bar_s), at, section.pads / 3, pan)
