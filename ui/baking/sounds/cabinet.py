"""The cabinet's own sounds, for money and calls; all in C major and related keys, so that they match."""

from collections.abc import Callable

import numpy as np

from ui.baking.sounds.synthesis import (
    RATE,
    Signal,
    band,
    bell,
    fade,
    harp,
    horn,
    names,
    noise,
    place,
    reverb,
    silence,
    struck,
    thud,
    times,
    tune,
)


def line_win(notes: str, voice: Callable[[str, float], Signal], step_s: float) -> Signal:
    """Return a win's tune, its notes so many seconds apart on one voice."""
    return reverb(tune(notes, step_s, voice, 0.7), 0.8, 0.25)


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
    return reverb(tune("G5 . E5 . C5 .", 0.22, bell, 1.2), 1.2, 0.35)


SOUNDS: dict[str, Callable[[], Signal]] = {
    "coin_in": _coin_in,
    "note_in": _note_in,
    "cash_out": _cash_out,
    "door_alarm": _door_alarm,
    "attendant_call": _attendant_call,
}
"""The cabinet's own sounds, by name: the function that plays each."""
