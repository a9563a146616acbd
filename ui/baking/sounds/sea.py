"""Neptune's sea, which is heard wherever a world has no music of its own."""

from collections.abc import Callable

import numpy as np

from ui.baking.sounds.synthesis import (
    Signal,
    band,
    bell,
    fade,
    harp,
    names,
    noise,
    pad,
    place,
    reverb,
    silence,
    thud,
    times,
)


def _bubbles(seconds: float, count: int, seed: int) -> Signal:
    """Rising blips, as of air in water."""
    ground = silence(seconds)
    draw = np.random.default_rng(seed)
    for _ in range(count):
        length = draw.uniform(0.05, 0.12)
        time = times(float(length))
        start = draw.uniform(350, 1100)
        blip = np.sin(2 * np.pi * (start * time + start * 3.2 * time**2)) * np.sin(np.pi * time / length) ** 2
        place(ground, blip, float(draw.uniform(0, seconds)), float(draw.uniform(0.15, 0.6)), wrap=True)
    return ground


def _free_spins_music() -> Signal:
    """Eight bars for the free spins: plucked arpeggios over a bass and a light beat; loops without a seam."""
    beat = 0.27
    bars = ("C E G B", "A C E G", "F A C E", "G B D F", "C E G D", "E G B D", "F A C G", "G B D C")
    seconds = beat * 8 * len(bars)
    ground = silence(seconds)
    melody = names("E5 . G5 . B5 A5 G5 . C6 . B5 . A5 . G5 E5 F5 . A5 . C6 B5 A5 . B5 . D6 . B5 . G5 .")
    melody += names("E5 G5 C6 . B5 . G5 . B5 . E6 . D6 . B5 . C6 . A5 . F5 A5 C6 . B5 . G5 . D6 . . .")
    for bar, chord in enumerate(bars):
        notes = names(chord)
        for step in range(8):
            at = (bar * 8 + step) * beat
            octave = 4 if step < 4 else 5  # noqa: PLR2004 - the second half of a bar lies higher
            place(ground, harp(f"{notes[step % 4]}{octave}", 0.9), at, 0.42, wrap=True)
            if step % 4 == 0:
                place(ground, harp(f"{notes[0]}2", 1.2), at, 0.9, wrap=True)
                place(ground, thud(58), at, 0.55, wrap=True)
            place(ground, band(noise(0.05, 40 + step % 2), 5000, 9000) * fade(2205, 0.001, 0.04), at, 0.09, wrap=True)
            name = melody[bar * 8 + step]
            if name != ".":
                place(ground, bell(name, 1.0), at, 0.5, wrap=True)
        place(
            ground, pad(tuple(f"{note}4" for note in notes[:3]), beat * 8.5, 0.3, 0.3), bar * 8 * beat, 0.7, wrap=True
        )
    return reverb(ground, 1.2, 0.25, wrap=True)


def _background() -> Signal:
    """Calm sea: slow waves, air bubbles and a far harp; sixteen seconds that loop without a seam."""
    seconds = 16.0
    time = times(seconds)
    surf = band(noise(seconds, 51), 60, 700) * (0.35 + 0.25 * np.sin(2 * np.pi * time / 8))
    surf += band(noise(seconds, 52), 700, 2600) * 0.07 * (1 + np.sin(2 * np.pi * time / 8 + 0.8)) ** 2
    ground = surf * 0.55 + _bubbles(seconds, 46, 53) * 0.09
    for number, chord in enumerate((("C3", "G3", "E4"), ("A2", "E3", "C4"), ("F2", "C3", "A3"), ("G2", "D3", "B3"))):
        place(ground, pad(chord, 5.0, 1.0, 1.0), number * 4.0, 1.0, wrap=True)
    for step, name in enumerate(names("E5 . G5 . . C6 . . A5 . . E5 . G5 . . F5 . A5 . . C6 . . B5 . . G5 . D5 . .")):
        if name != ".":
            place(ground, harp(name, 2.0), step * 0.5, 0.2, wrap=True)
    return reverb(ground, 1.6, 0.35, wrap=True)


SOUNDS: dict[str, tuple[Callable[[], Signal], float]] = {
    "free_spins_music": (_free_spins_music, 0.57),
    "background": (_background, 0.23),
}
"""The music where a world has none of its own: who plays it, and the peak it is written at."""
