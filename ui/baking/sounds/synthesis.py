"""The synthesiser's parts: tones, envelopes, noise, filters, reverb. Signals are float64 arrays at 44,100 Hz."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

RATE = 44_100
Signal = NDArray[np.float64]

_SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}


def hertz(note: str) -> float:
    """Return the frequency of a note such as `A4` or `F#5`, in equal temperament with A4 at 440 Hz."""
    semitone = _SEMITONES[note[0]] + note.count("#") + 12 * (int(note[-1]) + 1)
    return float(440.0 * 2 ** ((semitone - 69) / 12))


def times(seconds: float) -> Signal:
    """Return the instants of `seconds` of signal."""
    return np.arange(round(seconds * RATE)) / RATE


def silence(seconds: float) -> Signal:
    """Return `seconds` of silence."""
    return np.zeros(round(seconds * RATE))


def fade(length: int, attack_s: float, release_s: float) -> Signal:
    """Return an envelope of `length` samples that rises and falls along a cosine, so that nothing clicks."""
    envelope = np.ones(length)
    rise, fall = min(length // 2, round(attack_s * RATE)), min(length // 2, round(release_s * RATE))
    if rise:
        envelope[:rise] = 0.5 - 0.5 * np.cos(np.pi * np.arange(rise) / rise)
    if fall:
        envelope[-fall:] = 0.5 + 0.5 * np.cos(np.pi * np.arange(fall) / fall)
    return envelope


def struck(frequency: float, seconds: float, decay: float, partials: tuple[tuple[float, float], ...]) -> Signal:
    """Return a struck sound; the higher a partial (ratio, strength), the faster it decays."""
    time = times(seconds)
    tone = np.zeros_like(time)
    for ratio, strength in partials:
        if frequency * ratio < RATE / 2:
            tone += strength * np.sin(2 * np.pi * frequency * ratio * time) * np.exp(-time * decay * ratio**0.7)
    return tone * fade(len(time), 0.003, 0.04)


def bell(note: str, seconds: float = 1.0) -> Signal:
    """Return a small bell, used for coin tunes."""
    partials = ((1, 1), (2.0, 0.5), (3.01, 0.3), (4.2, 0.16), (5.43, 0.1), (8.2, 0.04))
    return 0.5 * struck(hertz(note), seconds, 4.2, partials)


def harp(note: str, seconds: float = 1.2) -> Signal:
    """Return a plucked string, warmer than the bell."""
    partials = ((1, 1), (2, 0.55), (3, 0.3), (4, 0.18), (5, 0.1), (6, 0.05), (7, 0.03))
    return 0.5 * struck(hertz(note), seconds, 3.4, partials)


def marimba(note: str, seconds: float = 0.5) -> Signal:
    """Return a wooden bar."""
    return 0.6 * struck(hertz(note), seconds, 8.0, ((1, 1), (3.93, 0.28), (9.2, 0.08)))


def horn(note: str, seconds: float, attack_s: float = 0.05) -> Signal:
    """Return a soft brass tone with a slight vibrato, for fanfares."""
    time = times(seconds)
    phase = 2 * np.pi * hertz(note) * time - 0.3 * np.cos(2 * np.pi * 5.2 * time) * np.minimum(time * 2, 1)
    swell = 1 - np.exp(-time * 18)
    tone = sum((np.sin(phase * n) * swell**n / n**1.25 for n in range(1, 9)), np.zeros_like(time))
    return 0.3 * tone * fade(len(time), attack_s, min(0.18, seconds / 3))


def pad(notes: tuple[str, ...], seconds: float, attack_s: float = 0.4, release_s: float = 0.5) -> Signal:
    """Return a soft chord of detuned tones."""
    time = times(seconds)
    tone = np.zeros_like(time)
    for number, note in enumerate(notes):
        for detune in (0.997, 1.0, 1.0035):
            phase = 2 * np.pi * hertz(note) * detune * time + number * 1.7 + detune * 40
            tone += np.sin(phase) + 0.28 * np.sin(2 * phase) + 0.1 * np.sin(3 * phase)
    return 0.12 * tone / len(notes) * fade(len(time), attack_s, release_s)


def noise(seconds: float, seed: int) -> Signal:
    """Return white noise, the same for the same `seed`: a bake is reproducible."""
    return np.random.default_rng(seed).uniform(-1, 1, round(seconds * RATE))


def band(signal: Signal, low_hz: float, high_hz: float) -> Signal:
    """Return `signal` between the two frequencies, with soft shoulders; it wraps, so loops stay loops."""
    spectrum = np.fft.rfft(signal)
    frequencies = np.fft.rfftfreq(len(signal), 1 / RATE)
    gain = 1 / (1 + (frequencies / high_hz) ** 4)
    gain *= 1 - 1 / (1 + (frequencies / low_hz) ** 4) if low_hz > 0 else 1
    return np.fft.irfft(spectrum * gain, len(signal))


def place(ground: Signal, sound: Signal, at_s: float, gain: float = 1.0, *, wrap: bool = False) -> None:
    """Add `sound` to `ground` at `at_s`; with `wrap`, what exceeds the end is added to the start (loops)."""
    start = round(at_s * RATE)
    placed = sound * gain
    while len(placed):
        start %= len(ground)
        length = min(len(placed), len(ground) - start)
        ground[start : start + length] += placed[:length]
        start, placed = start + length, placed[length:] if wrap else placed[:0]


def thud(frequency: float) -> Signal:
    """Return a short low knock, such as a reel makes in its notch."""
    time = times(0.22)
    drop = np.sin(2 * np.pi * (frequency * time + 18 * (1 - np.exp(-time * 30)) / 30 * 3)) * np.exp(-time * 20)
    click = band(noise(0.22, 3), 800, 4500) * np.exp(-time * 120)
    return (drop + 0.5 * click) * fade(len(time), 0.001, 0.05)


def celesta(note: str, seconds: float = 1.2) -> Signal:
    """Return a struck steel bar with its wooden box: clear, small, a little eerie."""
    return 0.55 * struck(hertz(note), seconds, 4.6, ((1, 1), (2, 0.1), (4, 0.34), (8, 0.05)))


def pizzicato(note: str, seconds: float = 0.5) -> Signal:
    """Return a plucked violin string: short, dry, with the finger on it."""
    tone = struck(hertz(note), seconds, 8.5, ((1, 1), (2, 0.7), (3, 0.4), (4, 0.25), (5, 0.14), (6, 0.08)))
    finger = band(noise(0.03, 17), 1200, 5000) * fade(round(0.03 * RATE), 0.001, 0.02)
    place(tone, finger, 0.0, 0.25)
    return 0.45 * tone


def lute(note: str, seconds: float = 1.3) -> Signal:
    """Return a pair of gut strings, one a shade sharper than the other."""
    partials = ((1, 1), (2, 0.75), (3, 0.5), (4, 0.3), (5, 0.22), (6, 0.12), (7, 0.08), (8, 0.05))
    pitch = hertz(note)
    return 0.26 * (struck(pitch, seconds, 3.1, partials) + struck(pitch * 1.0025, seconds, 3.4, partials))


def glass(note: str, seconds: float = 1.8) -> Signal:
    """Return a bell of ice or glass: high inharmonic partials over a long tone."""
    return 0.5 * struck(hertz(note), seconds, 2.4, ((1, 1), (2.76, 0.34), (5.4, 0.16), (8.93, 0.06)))


def recorder(note: str, seconds: float, attack_s: float = 0.04) -> Signal:
    """Return a wooden flute with a breath of air in it."""
    time = times(seconds)
    phase = 2 * np.pi * hertz(note) * time - 0.12 * np.cos(2 * np.pi * 4.6 * time) * np.minimum(time * 1.5, 1)
    tone = np.sin(phase) + 0.16 * np.sin(2 * phase) + 0.09 * np.sin(3 * phase)
    tone += 0.05 * band(noise(seconds, 23), 1500, 6000)
    return 0.34 * tone * fade(len(time), attack_s, min(0.12, seconds / 3))


def jingle(seconds: float = 0.16) -> Signal:
    """Return one shake of sleigh bells."""
    time = times(seconds)
    ring = sum((np.sin(2 * np.pi * pitch * time) for pitch in (5230.0, 6110.0, 6980.0, 8240.0)), np.zeros_like(time))
    return (
        (0.12 * ring + 0.5 * band(noise(seconds, 29), 5000, 11_000)) * np.exp(-time * 26) * fade(len(time), 0.004, 0.03)
    )


def sweep(seconds: float, from_hz: float, to_hz: float, seed: int) -> Signal:
    """Return air rushing by, its pitch sliding from one frequency to another."""
    time = times(seconds)
    part, air = time / seconds, noise(seconds, seed)
    low, middle, high = (band(air, centre * 0.7, centre * 1.4) for centre in _between(from_hz, to_hz))
    early, late = np.clip(1 - 2 * part, 0, 1), np.clip(2 * part - 1, 0, 1)
    return (low * early + middle * (1 - early - late) + high * late) * np.sin(np.pi * part) ** 1.3


def _between(from_hz: float, to_hz: float) -> tuple[float, float, float]:
    return from_hz, (from_hz * to_hz) ** 0.5, to_hz


def named(semitone: int) -> str:
    """Return the name of a note by its number: 69 is `A4`."""
    names_of = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
    return f"{names_of[semitone % 12]}{semitone // 12 - 1}"


def reverb(signal: Signal, seconds: float = 0.9, wet: float = 0.28, *, wrap: bool = False) -> Signal:
    """Return `signal` in a hall: convolution with decaying noise. With `wrap` the tail is added to the start."""
    time = times(seconds)
    impulse = noise(seconds, 7) * np.exp(-time * 5.5 / seconds) * np.minimum(time / 0.012, 1)
    impulse = band(impulse, 200, 5200)
    impulse /= np.sqrt(np.sum(impulse**2))
    length = len(signal) if wrap else len(signal) + len(impulse)
    if wrap and len(impulse) > length:
        impulse = impulse[:length]
    echo = np.fft.irfft(np.fft.rfft(signal, length) * np.fft.rfft(impulse, length), length)
    dry = np.zeros(length)
    dry[: len(signal)] = signal
    return dry + wet * echo


def names(notes: str) -> list[str]:
    """Return the note names in `notes`, written with spaces between; `.` is a rest."""
    return notes.split()


def tune(notes: str, step_s: float, voice: Callable[[str, float], Signal], tail_s: float = 0.8) -> Signal:
    """Return `notes` (as `names` reads them) played a step apart on a voice."""
    sequence = names(notes)
    ground = silence(step_s * len(sequence) + tail_s)
    for number, name in enumerate(sequence):
        if name != ".":
            place(ground, voice(name, tail_s), number * step_s)
    return ground
