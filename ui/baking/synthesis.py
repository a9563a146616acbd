"""The synthesiser's parts: tones, envelopes, noise, filters, reverb. Signals are float64 arrays, 44,100 a second."""

import wave
from pathlib import Path

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
    """Return `seconds` of nothing."""
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
    """Return a struck sound: each partial (ratio, strength) dies away the faster the higher it is."""
    time = times(seconds)
    tone = np.zeros_like(time)
    for ratio, strength in partials:
        if frequency * ratio < RATE / 2:
            tone += strength * np.sin(2 * np.pi * frequency * ratio * time) * np.exp(-time * decay * ratio**0.7)
    return tone * fade(len(time), 0.003, 0.04)


def bell(note: str, seconds: float = 1.0) -> Signal:
    """Return a small bell, such as a coin tune is played on."""
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
    """Add `sound` to `ground` at `at_s`; with `wrap`, what hangs over the end goes to the start (loops)."""
    start = round(at_s * RATE)
    if wrap:
        np.add.at(ground, (start + np.arange(len(sound))) % len(ground), sound * gain)
        return
    length = min(len(sound), len(ground) - start)
    ground[start : start + length] += sound[:length] * gain


def reverb(signal: Signal, seconds: float = 0.9, wet: float = 0.28, *, wrap: bool = False) -> Signal:
    """Return `signal` in a hall: convolution with decaying noise. With `wrap` its tail enters at the start."""
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


def tune(notes: str, step_s: float, voice: str, tail_s: float = 0.8) -> Signal:
    """Return `notes` (as `names` reads them) played a step apart on `bell`, `harp` or `marimba`."""
    play = {"bell": bell, "harp": harp, "marimba": marimba}[voice]
    sequence = names(notes)
    ground = silence(step_s * len(sequence) + tail_s)
    for number, name in enumerate(sequence):
        if name != ".":
            place(ground, play(name, tail_s), number * step_s)
    return ground


def write_wav(signal: Signal, path: Path, peak: float) -> int:
    """Write `signal`, scaled so that its largest sample is `peak` of full scale; return the bytes written."""
    loudest = float(np.max(np.abs(signal)))
    samples = np.rint(signal / loudest * peak * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())
    return path.stat().st_size
