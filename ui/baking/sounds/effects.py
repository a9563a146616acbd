"""The sounds of features and of the card table."""

from collections.abc import Callable
from functools import partial

import numpy as np

from ui.baking.sounds.cabinet import coin, fanfare, line_win
from ui.baking.sounds.synthesis import (
    RATE,
    Signal,
    band,
    bell,
    fade,
    glass,
    marimba,
    names,
    noise,
    pad,
    pizzicato,
    place,
    reverb,
    silence,
    struck,
    sweep,
    thud,
    times,
    tune,
)


def _pick() -> Signal:
    """A chest is touched: a wooden knock and two notes."""
    ground = silence(0.7)
    place(ground, thud(140), 0.0, 0.7)
    place(ground, marimba("G5"), 0.0)
    place(ground, bell("C6", 0.6), 0.07, 0.6)
    return reverb(ground, 0.6, 0.22)


def _chest_open() -> Signal:
    """A lid creaks, and gold lights up."""
    ground = silence(1.9)
    time = times(0.4)
    creak = np.sign(np.sin(2 * np.pi * (38 + 50 * time) * time)) * np.exp(-((time - 0.22) ** 2) / 0.02)
    place(ground, band(creak, 250, 1800), 0.0, 0.25)
    for step, name in enumerate(names("G5 C6 D6 E6 G6 B6 C7 E7 G7")):
        place(ground, bell(name, 0.9), 0.34 + 0.05 * step, 0.5)
    place(ground, pad(("C5", "E5", "G5"), 1.3, 0.1, 0.6), 0.38, 0.9)
    return reverb(ground, 1.1, 0.35)


def _bubbling(seconds: float, low: float, count: int, seed: int) -> Signal:
    """A liquid that gulps: blips that fall and rise."""
    ground, draw = silence(seconds), np.random.default_rng(seed)
    for number in range(count):
        time = times(0.09)
        start = low * float(draw.uniform(0.8, 1.5))
        blip = np.sin(2 * np.pi * (start * time + start * 3 * time**2)) * np.sin(np.pi * time / 0.09) ** 2
        place(ground, blip, (seconds - 0.1) * number / count, float(draw.uniform(0.5, 1)))
    return ground


def _vial() -> Signal:
    """A vial is taken from the shelf: glass on wood, a drop in it."""
    ground = silence(1.1)
    place(ground, glass("E6", 0.7), 0.0, 0.8)
    place(ground, thud(180), 0.0, 0.35)
    place(ground, _bubbling(0.35, 520, 4, 31), 0.16, 0.5)
    return reverb(ground, 0.7, 0.25)


def _potion() -> Signal:
    """A potion is poured and takes: gulps, a hiss, a chord of glass."""
    ground = silence(2.3)
    place(ground, _bubbling(0.9, 300, 11, 32), 0.0, 0.7)
    place(ground, sweep(0.9, 700, 4200, 33), 0.55, 0.35)
    for step, name in enumerate(names("D5 F5 A5 D6 F6")):
        place(ground, glass(name, 1.3), 0.95 + 0.06 * step, 0.5)
    return reverb(ground, 1.1, 0.32)


def _spell() -> Signal:
    """A spell flies: air that rises, sparks behind it, a stroke at the end."""
    ground = silence(1.7)
    place(ground, sweep(0.9, 300, 5200, 34), 0.0, 0.9)
    for step, name in enumerate(names("A5 C6 E6 G#6 A6 C7 E7")):
        place(ground, bell(name, 0.6), 0.15 + 0.09 * step, 0.28)
    place(ground, thud(74), 0.86, 1.0)
    place(ground, glass("A5", 0.8), 0.86, 0.5)
    return reverb(ground, 1.2, 0.35)


def _jewel() -> Signal:
    """A jewel is set: two clear notes and their echo."""
    ground = silence(1.2)
    place(ground, thud(150), 0.0, 0.4)
    place(ground, glass("B5", 1.0), 0.0, 0.8)
    place(ground, glass("F#6", 1.0), 0.08, 0.6)
    return reverb(ground, 1.0, 0.35)


def _card_flip() -> Signal:
    """A card is turned over: paper through air, then its edge on the table."""
    ground = silence(0.75)
    place(ground, sweep(0.42, 900, 3600, 35), 0.05, 0.9)
    place(ground, band(noise(0.05, 36), 1500, 7000) * fade(round(0.05 * RATE), 0.001, 0.04), 0.52, 0.8)
    place(ground, thud(210), 0.52, 0.3)
    return reverb(ground, 0.3, 0.12)


def _card_lost() -> Signal:
    """A wrong guess: three soft notes down, no mockery."""
    return reverb(tune("E4 C4 A3", 0.2, marimba, 0.8), 0.8, 0.25)


def _halve() -> Signal:
    """One half is put aside: coins to one hand, a step down."""
    ground = silence(1.0)
    for number in range(4):
        place(ground, coin(60 + number), 0.07 * number, 0.35)
    place(ground, bell("C6", 0.6), 0.1, 0.7)
    place(ground, bell("G5", 0.7), 0.24, 0.7)
    return reverb(ground, 0.6, 0.22)


def _lock() -> Signal:
    """A symbol freezes to its place."""
    ground = silence(0.9)
    place(ground, thud(120), 0.0, 0.8)
    place(ground, band(noise(0.12, 37), 3000, 9000) * fade(round(0.12 * RATE), 0.001, 0.1), 0.01, 0.35)
    place(ground, glass("C6", 0.8), 0.02, 0.6)
    place(ground, glass("G6", 0.7), 0.07, 0.35)
    return reverb(ground, 0.8, 0.3)


def _respin() -> Signal:
    """The empty places spin again."""
    ground = silence(0.8)
    place(ground, sweep(0.7, 400, 2200, 38), 0.0, 0.7)
    for step, name in enumerate(names("C5 E5 G5")):
        place(ground, pizzicato(name, 0.3), 0.08 * step, 0.5)
    return reverb(ground, 0.5, 0.18)


def _explosion() -> Signal:
    """A cauldron goes up: a boom, shards, a hiss that dies away."""
    ground = silence(2.4)
    time = times(1.6)
    boom = np.sin(2 * np.pi * (58 * time + 26 * (1 - np.exp(-time * 9)) / 9)) * np.exp(-time * 3.4)
    place(ground, boom, 0.0, 1.0)
    place(ground, band(noise(1.6, 39), 80, 1400) * np.exp(-time * 5), 0.0, 1.1)
    place(ground, band(noise(2.0, 40), 2500, 8000) * np.exp(-times(2.0) * 3.2), 0.04, 0.18)
    draw = np.random.default_rng(41)
    for _ in range(12):
        shard = struck(float(draw.uniform(1800, 4200)), 0.4, 12, ((1, 1), (2.76, 0.4)))
        place(ground, shard, float(draw.uniform(0.1, 1.2)), float(draw.uniform(0.05, 0.2)))
    ground[: round(0.004 * RATE)] *= np.linspace(0, 1, round(0.004 * RATE))
    return reverb(ground, 1.3, 0.3)


_JACKPOT = (
    ("C4+G4+C5", 0.0, 0.3),
    ("C4+G4+C5", 0.34, 0.3),
    ("F4+A4+C5+F5", 0.68, 0.6),
    ("G4+B4+D5+G5", 1.36, 0.6),
    ("A4+C5+E5+A5", 2.04, 0.6),
    ("F4+A4+C5+F5", 2.72, 0.6),
    ("G4+B4+D5+G5", 3.4, 0.9),
    ("C4+E4+G4+C5+E5+G5", 4.4, 2.6),
)
_JACKPOT_SPARKS = "C6 E6 G6 C7 F6 A6 C7 F7 G6 B6 D7 G7 A6 C7 E7 A7 F6 A6 C7 F7 G6 B6 D7 G7 C7 E7 G7 C7 E7 G7"


SOUNDS: dict[str, Callable[[], Signal]] = {
    "pick": _pick,
    "chest_open": _chest_open,
    "jackpot": partial(fanfare, _JACKPOT, 7.2, _JACKPOT_SPARKS),
    "vial": _vial,
    "potion": _potion,
    "spell": _spell,
    "jewel": _jewel,
    "card_flip": _card_flip,
    "card_won": partial(line_win, "G5 C6 E6 G6 C7", bell, 0.08),
    "card_lost": _card_lost,
    "halve": _halve,
    "lock": _lock,
    "respin": _respin,
    "explosion": _explosion,
}
"""The sounds of features and the card table, by name: the function that plays each."""
