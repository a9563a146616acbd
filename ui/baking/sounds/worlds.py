"""Each world's own sounds: its music, and its wins on its own instruments in its own scale."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from ui.baking.sounds.music import Key, Score, play
from ui.baking.sounds.synthesis import VOICES, Signal, harp, horn, pad, place, reverb, silence, sweep, thud

_LOUDNESS = {"background": 0.05, "free_spins_music": 0.085, "feature_music": 0.08}
"""How loud the loops are on average: the same in every world."""


Sounds = dict[str, tuple[Callable[[], Signal], float]]
"""What plays each sound, and how loud it is on average (1 is full scale)."""


class Voice(NamedTuple):
    """Who plays a world's wins: a scale, the instrument of the tune and the one that joins it."""

    key: Key
    voice: str
    joins: str
    shift: int = 0


_WINS = {
    "line_win_small": ("024", 0.1, 0.07),
    "line_win_medium": ("024797", 0.09, 0.09),
    "line_win_large": ("0472479b9e", 0.09, 0.11),
}
"""Degrees, seconds between them, loudness."""


def _win(world: Voice, degrees: str, step_s: float) -> Signal:
    ground = silence(step_s * len(degrees) + 1.0)
    for number, sign in enumerate(degrees):
        note = world.key.note(int(sign, 16) + world.shift)
        place(ground, VOICES[world.voice](note, 0.8), number * step_s)
        if number % 2 == 0:
            low = world.key.note(int(sign, 16) % 7 + world.shift - 7)
            place(ground, VOICES[world.joins](low, 0.4), number * step_s, 0.45)
    return reverb(ground, 0.9, 0.28)


def _opening(world: Voice) -> Signal:
    """A feature begins: a run up the scale into a chord."""
    ground = silence(3.0)
    for step in range(14):
        place(ground, VOICES[world.voice](world.key.note(step + world.shift - 7), 1.0), 0.06 * step, 0.55)
    for third in (0, 2, 4, 7):
        place(ground, horn(world.key.note(third), 1.6), 0.9, 0.6)
        place(ground, VOICES[world.joins](world.key.note(third + world.shift), 1.4), 0.95 + 0.11 * third, 0.5)
    place(ground, pad(tuple(world.key.note(third) for third in (0, 2, 4)), 2.0), 0.9)
    place(ground, sweep(0.9, 500, 5000, 121), 0.0, 0.4)
    return reverb(ground, 1.4, 0.35)


def _triumph(world: Voice, chords: tuple[int, ...], step_s: float) -> Signal:
    """A big win: horns step through the world's chords to its first one, its own instrument runs above them."""
    ground = silence(step_s * len(chords) + 1.6)
    for number, root in enumerate(chords):
        last = number == len(chords) - 1
        for third in (-7, 0, 2, 4):
            place(ground, horn(world.key.note(root + third), 1.5 if last else step_s * 0.85), number * step_s, 0.7)
        place(ground, thud(64), number * step_s, 0.9)
        for step in range(4 if not last else 10):
            note = world.key.note(root + (0, 2, 4, 7, 9, 11, 7, 9, 11, 14)[step] + world.shift)
            place(ground, VOICES[world.voice](note, 0.8), number * step_s + step * step_s / 4, 0.42)
            if last:
                place(ground, harp(note, 0.9), number * step_s + step * step_s / 4, 0.25)
    return reverb(ground, 1.5, 0.33)


def sounds_of(loops: Mapping[str, Score], voice: Voice | None) -> Sounds:
    """Return a world's sounds by name: its loops, and with a `voice` its wins on its own instruments."""
    found: Sounds = {name: (partial(play, score), _LOUDNESS[name]) for name, score in loops.items()}
    if voice is not None:
        found.update({name: (partial(_win, voice, tones, step), loud) for name, (tones, step, loud) in _WINS.items()})
        found["feature_start"] = (partial(_opening, voice), 0.13)
        found["big_win"] = (partial(_triumph, voice, (0, 3, 4, 0), 0.42), 0.17)
        found["huge_win"] = (partial(_triumph, voice, (0, 5, 3, 4, 5, 3, 4, 0), 0.42), 0.18)
    return found
