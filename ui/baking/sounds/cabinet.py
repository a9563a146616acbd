"""The cabinet's own sounds: reels, money, wins, calls; all in C major and its relatives, so that they agree."""

from collections.abc import Callable
from functools import partial

import numpy as np

from ui.baking.sounds.synthesis import (
    RATE,
    Signal,
    band,
    bell,
    fade,
    harp,
    horn,
    marimba,
    names,
    noise,
    pad,
    place,
    reverb,
    silence,
    struck,
    thud,
    times,
    tune,
)


def _reel_spin() -> Signal:
    """A soft mechanical whirr with a tick for each symbol that passes; one second, loops."""
    ground = band(noise(1.0, 1), 90, 900) * 0.5
    time = times(1.0)
    ground *= 0.75 + 0.25 * np.sin(2 * np.pi * 12 * time)
    for tick in range(12):
        place(ground, struck(520 + 40 * (tick % 3), 0.06, 60, ((1, 1), (2.7, 0.4))), tick / 12, 0.3, wrap=True)
    return ground


def _reel_stop() -> Signal:
    """A reel locking into its notch."""
    return reverb(thud(92), 0.3, 0.15)


def _anticipation() -> Signal:
    """A rising shimmer while the last reels keep turning."""
    ground = silence(2.6)
    rising = names("C5 E5 G5 B5 C6 E6 G6 B6")
    at, gap, number = 0.0, 0.2, 0
    while at < 2.4:  # noqa: PLR2004 - seconds: the shimmer ends where the sound does
        place(ground, harp(rising[number % len(rising)], 0.5), at, 0.35 + 0.25 * at / 2.4)
        at += gap
        gap = max(0.075, gap * 0.94)
        number += 1
    time = times(2.6)
    phase = 2 * np.pi * (110 * time + 42 * time**2)
    ground += 0.14 * (np.sin(phase) + 0.4 * np.sin(2 * phase)) * (time / 2.6) ** 1.5 * fade(len(time), 0.2, 0.15)
    return reverb(ground, 0.7, 0.3)


def line_win(notes: str, voice: str, step_s: float) -> Signal:
    """Return a win's tune, its notes so many seconds apart on one voice."""
    return reverb(tune(notes, step_s, voice, 0.7), 0.8, 0.25)


def _roll_up() -> Signal:
    """Coins counted up: quick bells climbing and falling over one bar; loops."""
    ground = silence(1.2)
    for step, name in enumerate(names("C6 E6 G6 E6 D6 F6 A6 F6 E6 G6 C7 G6")):
        place(ground, bell(name, 0.35), step * 0.1, 0.5 if step % 2 else 0.7, wrap=True)
        place(ground, marimba(name[0] + "4", 0.2), step * 0.1, 0.3, wrap=True)
    return reverb(ground, 0.5, 0.18, wrap=True)


def _scatter(number: int) -> Signal:
    """The n-th scatter lands: each a step higher and wider than the one before."""
    root = ("C5", "E5", "G5", "C6", "E6")[number - 1]
    ground = silence(1.2)
    place(ground, thud(70 + 10 * number), 0.0, 0.7)
    place(ground, bell(root, 1.1), 0.0)
    place(ground, harp(root, 1.1), 0.03, 0.7)
    for step, name in enumerate(("C6", "E6", "G6", "B6", "C7")[:number]):
        place(ground, bell(name, 0.6), 0.06 + 0.05 * step, 0.45)
    return reverb(ground, 1.0, 0.35)


def fanfare(phrase: tuple[tuple[str, float, float], ...], seconds: float, sparkle: str) -> Signal:
    """Return a phrase of chords (notes joined by `+`, start, length) on horns, with bells above."""
    ground = silence(seconds)
    for chord, at, length in phrase:
        for note in chord.split("+"):
            place(ground, horn(note, length), at)
        place(ground, thud(64), at, 0.8)
    sparks = names(sparkle)
    for step, name in enumerate(sparks):
        place(ground, bell(name, 0.7), seconds * 0.9 * step / len(sparks), 0.32)
    return reverb(ground, 1.4, 0.32)


def _feature_start() -> Signal:
    """Free spins or chests begin: a harp runs up into a warm chord."""
    ground = silence(3.0)
    for step, name in enumerate(names("C4 E4 G4 B4 C5 D5 E5 G5 B5 C6 D6 E6 G6 C7")):
        place(ground, harp(name, 1.2), 0.06 * step, 0.6)
    for note in ("C4", "G4", "E5", "C5"):
        place(ground, horn(note, 1.6), 0.9, 0.8)
    place(ground, pad(("C4", "E4", "G4", "D5"), 2.0), 0.9)
    for step, name in enumerate(names("E6 G6 C7 E7")):
        place(ground, bell(name, 1.0), 1.0 + 0.11 * step, 0.4)
    return reverb(ground, 1.4, 0.35)


def coin(seed: int) -> Signal:
    """Return one coin that strikes metal; each seed is another coin."""
    draw = np.random.default_rng(seed)
    root = float(draw.uniform(2350, 2900))
    return struck(root, 0.35, 9, ((1, 0.8), (1.48, 0.7), (2.09, 0.5), (2.56, 0.35), (3.4, 0.2)))


def _coin_in() -> Signal:
    """A coin drops and is credited: metal on metal, then a friendly third."""
    ground = silence(0.9)
    place(ground, coin(4), 0.0, 0.7)
    place(ground, coin(5), 0.07, 0.4)
    place(ground, bell("E6", 0.6), 0.12, 0.8)
    place(ground, bell("G6", 0.6), 0.2, 0.8)
    return reverb(ground, 0.5, 0.2)


def _note_in() -> Signal:
    """A banknote is drawn in and credited."""
    ground = silence(1.5)
    whirr = band(noise(0.55, 9), 300, 2600) * fade(round(0.55 * RATE), 0.12, 0.1)
    whirr *= 0.7 + 0.3 * np.sin(2 * np.pi * 46 * times(0.55))
    place(ground, whirr, 0.0, 0.4)
    for step, name in enumerate(("C5", "G5", "C6", "E6")):
        place(ground, bell(name, 0.8), 0.48 + 0.09 * step, 0.6)
    return reverb(ground, 0.7, 0.25)


def _cash_out() -> Signal:
    """Coins run into the tray under a closing cadence."""
    ground = silence(2.4)
    draw = np.random.default_rng(21)
    for number in range(26):
        place(ground, coin(30 + number), float(draw.uniform(0, 1.8)), float(draw.uniform(0.2, 0.5)))
    for at, chord in ((0.0, "F4+A4+C5"), (0.5, "G4+B4+D5"), (1.0, "C4+E4+G4+C5")):
        for note in chord.split("+"):
            place(ground, harp(note, 1.3), at, 0.6)
    return reverb(ground, 0.8, 0.25)


def _door_alarm() -> Signal:
    """A door is open, or somebody cheats: two urgent tones by turns for two seconds (D2), clear but not shrill."""
    ground = silence(2.1)
    for step in range(7):
        place(ground, horn(("A5", "F5")[step % 2], 0.26, 0.01), 0.3 * step)
    return ground


def _attendant_call() -> Signal:
    """A chime like a hotel bell, three notes down."""
    return reverb(tune("G5 . E5 . C5 .", 0.22, "bell", 1.2), 1.2, 0.35)


def _button() -> Signal:
    """A short wooden click with a drop of water in it."""
    ground = silence(0.16)
    place(ground, marimba("C6", 0.14), 0.0, 0.7)
    time = times(0.07)
    place(ground, np.sin(2 * np.pi * (600 * time + 5200 * time**2)) * np.sin(np.pi * time / 0.07) ** 2, 0.01, 0.35)
    return ground


_BIG = (("C4+E4+G4", 0.0, 0.22), ("C4+E4+G4", 0.25, 0.22), ("D4+F#4+A4", 0.5, 0.4), ("G4+B4+D5+G5", 0.95, 1.2))
_HUGE = (
    ("C4+G4+C5", 0.0, 0.28),
    ("D4+A4+D5", 0.3, 0.28),
    ("E4+B4+E5", 0.6, 0.4),
    ("F4+A4+C5+F5", 1.05, 0.5),
    ("G4+B4+D5+G5", 1.6, 0.6),
    ("C4+G4+E5+C5+G5", 2.25, 1.9),
)


SOUNDS: dict[str, tuple[Callable[[], Signal], float]] = {
    "reel_spin": (_reel_spin, 0.28),
    "reel_stop": (_reel_stop, 0.6),
    "anticipation": (_anticipation, 0.6),
    "line_win_small": (partial(line_win, "E5 G5 C6", "marimba", 0.09), 0.55),
    "line_win_medium": (partial(line_win, "C5 E5 G5 C6 E6 G6", "harp", 0.085), 0.65),
    "line_win_large": (partial(line_win, "C5 G5 E5 C6 G5 E6 C6 G6 C7 E7", "bell", 0.085), 0.75),
    "roll_up": (_roll_up, 0.45),
    **{f"scatter_{number}": (partial(_scatter, number), 0.6 + 0.06 * number) for number in range(1, 6)},
    "feature_start": (_feature_start, 0.85),
    "big_win": (partial(fanfare, _BIG, 2.6, "G5 B5 D6 G6 B6 D7 G6 B6 D7 G7"), 0.85),
    "huge_win": (partial(fanfare, _HUGE, 4.6, "C6 E6 G6 C7 D6 F6 A6 D7 E6 G6 B6 E7 G6 C7 E7 G7 C7 E7 G7"), 0.95),
    "coin_in": (_coin_in, 0.6),
    "note_in": (_note_in, 0.6),
    "cash_out": (_cash_out, 0.75),
    "door_alarm": (_door_alarm, 0.8),
    "attendant_call": (_attendant_call, 0.8),
    "button": (_button, 0.4),
}
"""What every game and the cabinet itself sound like: who plays it, and the peak it is written at (1 is full scale)."""
