"""Ambient sound around a world's music: short sounds scattered over a loop, and air; all of it loops seamlessly."""

from collections.abc import Callable

import numpy as np

from ui.baking.sounds.synthesis import Signal, band, fade, noise, place, silence, struck, times


def _grains(seconds: float, count: int, seed: int, grain: Callable[[np.random.Generator], Signal]) -> Signal:
    """Return `count` short sounds scattered over a loop."""
    ground, chance = silence(seconds), np.random.default_rng(seed)
    for _ in range(count):
        place(ground, grain(chance), float(chance.uniform(0, seconds)), float(chance.uniform(0.2, 1)), wrap=True)
    return ground


def _bubble(chance: np.random.Generator) -> Signal:
    length, start = float(chance.uniform(0.04, 0.1)), float(chance.uniform(180, 620))
    time = times(length)
    blip: Signal = np.sin(2 * np.pi * (start * time + start * 4 * time**2)) * np.sin(np.pi * time / length) ** 2
    return blip


def _cricket(chance: np.random.Generator) -> Signal:
    pitch, chirp = float(chance.uniform(4200, 5200)), silence(0.32)
    for beat in range(3):
        time = times(0.05)
        place(chirp, np.sin(2 * np.pi * pitch * time) * fade(len(time), 0.012, 0.03), beat * 0.09)
    return chirp


def night(seconds: float) -> Signal:
    """Return a garden at night: crickets, an owl, a breath of wind."""
    ground = _grains(seconds, round(seconds * 2.2), 71, _cricket) * 0.3
    for at, length in ((seconds * 0.2, 0.32), (seconds * 0.2 + 0.5, 0.62), (seconds * 0.68, 0.55)):
        time = times(length)
        hoot = np.sin(2 * np.pi * (392 * time - 22 * time**2)) + 0.2 * np.sin(2 * np.pi * 2 * 392 * time)
        place(ground, hoot * fade(len(time), 0.1, 0.16), at, 0.55, wrap=True)
    slow = 1 + np.sin(2 * np.pi * times(seconds) * 2 / seconds)
    mixed: Signal = ground + band(noise(seconds, 72), 140, 620) * 0.5 * slow[: len(ground)]
    return mixed


def kitchen(seconds: float) -> Signal:
    """Return a cauldron that boils over a fire."""
    fire = _grains(seconds, round(seconds * 9), 82, lambda chance: _spark(float(chance.uniform(900, 2600))))
    return _grains(seconds, round(seconds * 16), 81, _bubble) + 0.35 * fire + band(noise(seconds, 83), 60, 300) * 0.5


def _spark(pitch: float) -> Signal:
    return band(noise(0.04, round(pitch)), pitch * 0.7, pitch * 1.6) * np.exp(-times(0.04) * 140)


def palace(seconds: float) -> Signal:
    """Return a courtyard: a fountain, far birds."""
    drops = _grains(
        seconds, round(seconds * 30), 91, lambda chance: struck(float(chance.uniform(1500, 3400)), 0.05, 40, ((1, 1),))
    )
    birds = _grains(seconds, round(seconds * 0.7), 92, _chirp)
    return drops * 0.25 + birds * 0.4 + band(noise(seconds, 93), 900, 5200) * 0.2


def _chirp(chance: np.random.Generator) -> Signal:
    start, song = float(chance.uniform(2500, 3600)), silence(0.5)
    for beat in range(int(chance.integers(2, 5))):
        time = times(0.07)
        slide = np.sin(2 * np.pi * (start * time + float(chance.uniform(-6000, 9000)) * time**2))
        place(song, slide * fade(len(time), 0.015, 0.03), beat * 0.1)
    return song


def winter(seconds: float) -> Signal:
    """Return wind over snow that rises and falls, with ringing ice."""
    time = times(seconds)
    rise = 1 + np.sin(2 * np.pi * time * 2 / seconds + 1.1)
    wind = band(noise(seconds, 101), 250, 900) * rise + 0.5 * band(noise(seconds, 102), 900, 2200) * rise**2
    ice = _grains(
        seconds,
        round(seconds),
        103,
        lambda chance: struck(float(chance.uniform(2400, 4200)), 0.6, 9, ((1, 1), (2.76, 0.4))),
    )
    mixed: Signal = wind + 0.3 * ice
    return mixed


def waves(seconds: float) -> Signal:
    """Return surf that comes and goes, with bubbles."""
    time = times(seconds)
    surf = band(noise(seconds, 111), 60, 700) * (1 + 0.7 * np.sin(2 * np.pi * time * 2 / seconds))
    return surf + 0.4 * _grains(seconds, round(seconds * 5), 112, _bubble)


def space(seconds: float) -> Signal:
    """Return a quarry in space: the hum of its hull, drills far off, a beacon."""
    time = times(seconds)
    hum = (
        np.sin(2 * np.pi * 55 * time) + 0.5 * np.sin(2 * np.pi * 82.5 * time) * np.sin(np.pi * time * 4 / seconds) ** 2
    )
    drills = band(noise(seconds, 121), 180, 700) * np.clip(np.sin(2 * np.pi * time * 6 / seconds), 0, 1) ** 2
    beacon = _grains(seconds, round(seconds * 0.25), 122, lambda _: struck(2093.0, 0.5, 8, ((1, 1), (2.01, 0.2))))
    mixed: Signal = 0.12 * hum + 0.5 * drills + 0.12 * beacon
    return mixed


AMBIENCES = {"kitchen": kitchen, "night": night, "palace": palace, "space": space, "waves": waves, "winter": winter}
"""The ambiences of a score, by name."""
