"""The instruments of the scores: those that play notes of a given length, and the drums."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ui.baking.sounds.synthesis import (
    Signal,
    band,
    bell,
    celesta,
    fade,
    glass,
    harp,
    hertz,
    horn,
    jingle,
    lute,
    marimba,
    noise,
    pad,
    pizzicato,
    recorder,
    struck,
    thud,
    times,
)

_TURN = 2 * np.pi
_TABLE = 1 << 15


@lru_cache(maxsize=200)
def _period(harmonics: int, brightness: float) -> Signal:
    """Return one period of a sawtooth with this many harmonics; less brightness weakens the higher ones."""
    angle = _TURN * np.arange(_TABLE) / _TABLE
    wave = np.zeros(_TABLE)
    for harmonic in range(1, harmonics + 1):
        wave += np.sin(angle * harmonic) * (brightness ** (harmonic - 1) / harmonic)
    return wave


def _sawtooth(frequency: float, time: Signal, brightness: float, phase: float = 0.0) -> Signal:
    """Return a sawtooth's harmonics below 9 kHz; `phase` is in turns."""
    period = _period(max(1, min(24, int(9000 / frequency))), brightness)
    wave: Signal = period[((frequency * time + phase) * _TABLE).astype(np.int64) & (_TABLE - 1)]
    return wave


def strings(note: str, seconds: float) -> Signal:
    """Return a section of bowed strings, three players a shade apart."""
    time = times(seconds)
    sway = 0.0012 * np.sin(_TURN * 5.1 * time) * np.minimum(time * 2, 1)
    tone = np.zeros_like(time)
    for number, detune in enumerate((0.9965, 1.0, 1.0041)):
        tone += _sawtooth(hertz(note) * detune, time + sway / 8, 0.8, 0.21 * number)
    return 0.13 * tone * fade(len(time), min(0.16, seconds / 3), min(0.3, seconds / 2))


def choir(note: str, seconds: float) -> Signal:
    """Return voices on an open vowel."""
    time = times(seconds)
    tone = np.zeros_like(time)
    for number, detune in enumerate((0.996, 1.0, 1.005)):
        sway = 0.004 * np.sin(_TURN * (4.3 + 0.4 * number) * time + number)
        tone += _sawtooth(hertz(note) * detune, time + sway / 40, 0.86, 0.14 * number)
    vowel = band(tone, 480, 900) + 0.5 * band(tone, 950, 1500) + 0.35 * tone
    return 0.12 * vowel * fade(len(time), min(0.22, seconds / 3), min(0.35, seconds / 2))


def synth(note: str, seconds: float) -> Signal:
    """Return a synthesiser's lead: two sawtooths that close as they ring."""
    time = times(seconds)
    opened, tone = np.exp(-time * 5), np.zeros_like(time)
    for detune, phase in ((0.997, 0.0), (1.003, 0.3)):
        bright, dark = (_sawtooth(hertz(note) * detune, time, brightness, phase) for brightness in (0.85, 0.45))
        tone += bright * opened + dark * (1 - opened)
    return 0.17 * tone * fade(len(time), 0.008, min(0.15, seconds / 3))


def pulse(note: str, seconds: float) -> Signal:
    """Return a short square tone, for arpeggios."""
    time = times(seconds)
    tone = np.zeros_like(time)
    for harmonic in range(1, max(2, min(16, int(9000 / hertz(note)))), 2):
        tone += np.sin(_TURN * hertz(note) * harmonic * time) * np.exp(-time * (4 + 2.2 * harmonic)) / harmonic
    return 0.42 * tone * fade(len(time), 0.003, 0.04)


def bass(note: str, seconds: float) -> Signal:
    """Return a round, plucked bass."""
    time = times(seconds)
    tone = np.sin(_TURN * hertz(note) * time) + 0.35 * np.sin(2 * _TURN * hertz(note) * time) * np.exp(-time * 6)
    tone += 0.16 * np.sin(3 * _TURN * hertz(note) * time) * np.exp(-time * 9)
    return 0.5 * tone * np.exp(-time * 1.6) * fade(len(time), 0.006, 0.06)


def organ(note: str, seconds: float) -> Signal:
    """Return a small pipe organ."""
    time = times(seconds)
    stops = ((0.5, 0.4), (1, 1.0), (2, 0.5), (3, 0.16), (4, 0.24), (8, 0.07))
    tone = sum((gain * np.sin(_TURN * hertz(note) * ratio * time) for ratio, gain in stops), np.zeros_like(time))
    return 0.2 * tone * fade(len(time), 0.03, min(0.12, seconds / 3))


def kalimba(note: str, seconds: float) -> Signal:
    """Return a tongue of metal on a wooden box."""
    return 0.55 * struck(hertz(note), seconds, 5.2, ((1, 1), (2, 0.16), (5.6, 0.2), (10.9, 0.05)))


def vibraphone(note: str, seconds: float) -> Signal:
    """Return a metal bar whose loudness sways."""
    sway: Signal = 0.41 + 0.09 * np.sin(_TURN * 5.5 * times(seconds))
    return struck(hertz(note), seconds, 2.2, ((1, 1), (4, 0.25), (10, 0.04))) * sway


def flute(note: str, seconds: float) -> Signal:
    """Return a flute, rounder than the recorder, that sways late."""
    time = times(seconds)
    phase = _TURN * hertz(note) * time - 0.2 * np.cos(_TURN * 5.3 * time) * np.clip(time * 2.5 - 0.4, 0, 1)
    tone = (
        np.sin(phase) + 0.3 * np.sin(2 * phase) + 0.05 * np.sin(3 * phase) + 0.03 * band(noise(seconds, 24), 900, 4000)
    )
    return 0.32 * tone * fade(len(time), min(0.06, seconds / 4), min(0.14, seconds / 3))


VOICES: dict[str, Callable[[str, float], Signal]] = {
    "bass": bass,
    "bell": bell,
    "celesta": celesta,
    "choir": choir,
    "flute": flute,
    "glass": glass,
    "harp": harp,
    "horn": horn,
    "kalimba": kalimba,
    "lute": lute,
    "marimba": marimba,
    "organ": organ,
    "pad": lambda note, seconds: pad((note,), seconds, min(0.4, seconds / 3), min(0.5, seconds / 2)),
    "pizzicato": pizzicato,
    "pulse": pulse,
    "recorder": recorder,
    "strings": strings,
    "synth": synth,
    "vibraphone": vibraphone,
}
"""The instruments that play a note of a given length."""


@lru_cache(maxsize=600)
def sounding(voice: str, note: str, seconds: float) -> Signal:
    """Return a note of an instrument; a note is synthesised only once."""
    return VOICES[voice](note, seconds)


def _burst(seconds: float, low_hz: float, high_hz: float, decay: float, seed: int) -> Signal:
    return (
        band(noise(seconds, seed), low_hz, high_hz)
        * np.exp(-times(seconds) * decay)
        * fade(len(times(seconds)), 0.001, seconds / 3)
    )


def _kick() -> Signal:
    time = times(0.3)
    return (
        np.sin(_TURN * (48 * time + 90 * (1 - np.exp(-time * 40)) / 40))
        * np.exp(-time * 11)
        * fade(len(time), 0.001, 0.1)
    )


def _tom(frequency: float) -> Signal:
    time = times(0.4)
    drop = np.sin(_TURN * (frequency * time + frequency * 0.6 * (1 - np.exp(-time * 18)) / 18))
    return drop * np.exp(-time * 9) * fade(len(time), 0.002, 0.12)


DRUMS: dict[str, Callable[[], Signal]] = {
    "clap": lambda: _burst(0.18, 900, 3200, 26, 61) * 1.6,
    "hat": lambda: _burst(0.07, 6500, 13_000, 60, 62),
    "jingle": jingle,
    "kick": _kick,
    "rim": lambda: struck(1650, 0.08, 55, ((1, 1), (1.52, 0.6))),
    "shaker": lambda: _burst(0.11, 4200, 9000, 30, 63) * np.minimum(times(0.11) / 0.03, 1),
    "snare": lambda: _burst(0.2, 1200, 6500, 22, 64) + 0.5 * struck(196, 0.2, 20, ((1, 1), (1.6, 0.5))),
    "taiko": lambda: _tom(64),
    "thud": lambda: thud(62),
    "tom": lambda: _tom(118),
    "triangle": lambda: struck(4180, 0.9, 5, ((1, 1), (1.52, 0.7), (2.21, 0.4))) * 0.5,
}


@lru_cache(maxsize=len(DRUMS))
def drum(name: str) -> Signal:
    """Return one stroke of a drum."""
    return DRUMS[name]()
