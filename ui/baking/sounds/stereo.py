"""Two channels as arrays of 2 by samples: panning mono sounds, halls, levels, the limiter."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ui.baking.sounds import loudness
from ui.baking.sounds.synthesis import RATE, Signal, band, noise, times

Stereo = NDArray[np.float32]
_MILLISECOND = RATE // 1000
_LOOK_AHEAD_MS = 8


def quiet(seconds: float) -> Stereo:
    """Return `seconds` of silence."""
    return np.zeros((2, round(seconds * RATE)), np.float32)


def lay(ground: Stereo, sound: Signal, at_s: float, gain: float = 1.0, pan: float = 0.0) -> None:
    """Add a mono `sound` to `ground`, from -1 (left) to 1 (right); what exceeds the end wraps to the start."""
    angle = (pan + 1) * np.pi / 4
    sides = np.array([[np.cos(angle)], [np.sin(angle)]], np.float32) * np.float32(gain)
    start, length = round(at_s * RATE) % ground.shape[1], ground.shape[1]
    rest = sound.astype(np.float32, copy=False)
    while len(rest):
        count = min(len(rest), length - start)
        ground[:, start : start + count] += rest[:count] * sides
        start, rest = 0, rest[count:]


def hall(signal: Stereo, seconds: float, wet: float, *, wraps: bool = False) -> Stereo:
    """Return `signal` in a hall with different echoes on both sides; with `wraps` the tail is added to the start."""
    time = times(seconds)
    shape = np.exp(-time * 5.5 / seconds) * np.minimum(time / 0.012, 1)
    impulse = np.stack([band(noise(seconds, seed) * shape, 200, 5200) for seed in (7, 8)])
    impulse *= wet / np.sqrt(np.sum(impulse**2, axis=1, keepdims=True))
    echo = loudness.convolved(signal, impulse, wraps=wraps)
    echo[:, : signal.shape[1]] += signal
    return echo.astype(np.float32)


def limited(signal: Stereo, peak: float, *, wraps: bool = False) -> Stereo:
    """Return `signal` attenuated, some milliseconds ahead, wherever it would exceed `peak`."""
    length = signal.shape[1]
    whole = np.pad(np.abs(signal).max(axis=0), (0, -length % _MILLISECOND))
    highest = whole.reshape(-1, _MILLISECOND).max(axis=1)
    reach = 2 * _LOOK_AHEAD_MS
    around = np.pad(highest, reach, mode="wrap" if wraps else "edge")
    needed = np.minimum(1, peak / np.maximum(np.lib.stride_tricks.sliding_window_view(around, reach + 1).max(1), 1e-9))
    # Each mean covers a block and both its neighbours, so no sample between them exceeds the limit.
    gains = np.convolve(needed, np.full(reach - 1, 1 / (reach - 1)), mode="valid")[1:-1]
    at = (np.arange(len(gains)) + 0.5) * _MILLISECOND
    steady = np.interp(np.arange(length), at, gains, period=len(gains) * _MILLISECOND if wraps else None)
    return (signal * steady).astype(np.float32)


def mastered(
    signal: Stereo, lufs: float, peak: float, measure: Callable[[Stereo], float] = loudness.integrated, *, wraps: bool
) -> Stereo:
    """Return `signal` at `lufs` by `measure`, with no sample above `peak`; the limiter's loss is compensated."""
    for _ in range(3):
        signal = signal * np.float32(10 ** ((lufs - measure(signal)) / 20))
        if float(np.abs(signal).max()) <= peak:
            break
        signal = limited(signal, peak, wraps=wraps)
    return signal
