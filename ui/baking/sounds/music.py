"""Loops written as degrees of a scale: keys, parts, scores, and how they are played."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from ui.baking.sounds.synthesis import VOICES, Signal, jingle, named, pad, place, reverb, silence, thud


class Key(NamedTuple):
    """A scale: the note of its first degree (69 is A4) and the semitones of its seven degrees above that."""

    tonic: int
    steps: tuple[int, int, int, int, int, int, int]

    def note(self, degree: int) -> str:
        """Return the note of a degree from 0, of any octave."""
        octave, place_in_scale = divmod(degree, 7)
        return named(self.tonic + 12 * octave + self.steps[place_in_scale])


MAJOR = (0, 2, 4, 5, 7, 9, 11)
LYDIAN = (0, 2, 4, 6, 7, 9, 11)
DORIAN = (0, 2, 3, 5, 7, 9, 10)
HARMONIC_MINOR = (0, 2, 3, 5, 7, 8, 11)


class Part(NamedTuple):
    """One instrument: its voice, how long its notes ring, how loud, and how many degrees higher it plays.

    `motifs` are its bars in turn: a digit or letter is a degree above the bar's chord (`0` its root, `a` is 10), `.` a
    rest.
    """

    voice: str
    rings_s: float
    gain: float
    motifs: tuple[str, ...]
    shift: int = 0


class Score(NamedTuple):
    """A loop: so many seconds a step, the degree of each bar's chord, and who plays."""

    key: Key
    step_s: float
    bars: tuple[int, ...]
    steps: int
    parts: tuple[Part, ...]
    pads: float = 0.5
    drums: str = ""
    bells: str = ""
    ambience: Callable[[float], Signal] | None = None
    ambience_gain: float = 0.3
    hall_s: float = 1.4
    wet: float = 0.3


def play(score: Score) -> Signal:
    """Return the loop of a score; its end runs into its start."""
    seconds = score.step_s * score.steps * len(score.bars)
    ground = silence(seconds)
    sounding = cache(lambda voice, note, rings_s: VOICES[voice](note, rings_s))
    for number, root in enumerate(score.bars):
        at = number * score.steps * score.step_s
        for part in score.parts:
            for step, sign in enumerate(part.motifs[number % len(part.motifs)]):
                if sign != ".":
                    sound = sounding(part.voice, score.key.note(root + int(sign, 16) + part.shift), part.rings_s)
                    place(ground, sound, at + step * score.step_s, part.gain, wrap=True)
        if score.pads:
            chord = tuple(score.key.note(root + third) for third in (0, 2, 4))
            place(ground, pad(chord, score.steps * score.step_s * 1.1, 0.3, 0.4), at, score.pads, wrap=True)
        for step in range(score.steps):
            if score.drums and score.drums[step % len(score.drums)] != ".":
                place(ground, thud(62), at + step * score.step_s, 0.45, wrap=True)
            if score.bells and score.bells[step % len(score.bells)] != ".":
                place(ground, jingle(), at + step * score.step_s, 0.3, wrap=True)
    ground = reverb(ground, score.hall_s, score.wet, wrap=True)
    if score.ambience is not None:
        air = score.ambience(seconds)[: len(ground)]
        ground += air * (score.ambience_gain * float(np.abs(ground).max()) / float(np.abs(air).max()))
    return ground
