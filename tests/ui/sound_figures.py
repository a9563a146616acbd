"""Figures and spectrograms of the baked sounds, for those who cannot hear them.

`python -m tests.ui.sound_figures [WORLD ...] [--pictures FOLDER]` prints a line for each file: length, loudness by EBU
R128, true peak, and for loops the step from the last sample to the first beside the largest step inside.
"""

import itertools
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import soundfile
from numpy.typing import NDArray
from PIL import Image

from tests.ui.rehearsal import BAKED
from ui import baked_sounds
from ui.baking.sounds import loudness
from ui.baking.sounds.synthesis import RATE
from ui.baking.sounds.worlds import Kind

LOOPS = (Kind.MUSIC, Kind.LOOP)


class Figures(NamedTuple):
    """What is measured of a sound: seconds, LUFS, dBTP, and steps as parts of full scale."""

    kind: Kind
    seconds: float
    integrated: float
    momentary: float
    true_peak: float
    seam: float
    steepest: float


def heard(world: str, name: str) -> NDArray[np.float32]:
    """Return a baked sound as it is decoded, channels by samples."""
    recipe = baked_sounds.sounds_in(world)[name]
    path = baked_sounds.folder_of(world, BAKED) / baked_sounds.file_of(name, recipe)
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    assert (rate, samples.shape[1]) == (RATE, 2)
    return samples.T


def true_peak(signal: NDArray[np.floating]) -> float:
    """Return the highest magnitude in dB below full scale, at four times the sampling rate.

    Pieces whose samples stay 6 dB below the highest one are skipped.
    """
    highest = float(np.abs(signal).max(initial=1e-6))
    least, margin, size = highest / 2, 512, 1 << 13
    padded = np.pad(signal, ((0, 0), (margin, size)))
    quarters = np.exp(0.5j * np.pi * np.arange(1, 4)[:, None, None] * np.fft.rfftfreq(size))
    for start in range(0, signal.shape[1], size - 2 * margin):
        piece = padded[:, start : start + size]
        if float(np.abs(piece).max()) > least:
            between = np.fft.irfft(np.fft.rfft(piece) * quarters, size)[..., margin:-margin]
            highest = max(highest, float(np.abs(between).max()))
    return 20 * float(np.log10(highest))


def measured(world: str, name: str) -> Figures:
    """Return the figures of a baked sound."""
    kind, signal = baked_sounds.sounds_in(world)[name].kind, heard(world, name)
    return Figures(
        kind,
        signal.shape[1] / RATE,
        loudness.integrated(signal, loops=kind in LOOPS),
        loudness.momentary(signal),
        true_peak(signal),
        float(np.abs(signal[:, 0] - signal[:, -1]).max()),
        float(np.abs(np.diff(signal)).max()),
    )


def spectrogram(signal: NDArray[np.float32], width: int = 1200, height: int = 300) -> NDArray[np.uint8]:
    """Return a picture of `signal`: time to the right, 40 Hz to 16 kHz upwards, 90 dB from black to white.

    Below it the peaks of each column, left and right; full scale is the strip's height.
    """
    window = 4096
    starts = np.linspace(0, max(0, signal.shape[1] - window), width).astype(int)
    mono = np.pad(signal.mean(axis=0), (0, window))
    power = np.abs(np.fft.rfft([mono[at : at + window] * np.hanning(window) for at in starts], axis=1)) ** 2
    bands = np.geomspace(40, 16_000, height + 1) * window / RATE
    rows = [power[:, int(low) : max(int(low) + 1, int(high))].max(axis=1) for low, high in itertools.pairwise(bands)]
    decibels = 10 * np.log10(np.maximum(np.array(rows[::-1]), 1e-9))
    grey = np.clip((decibels - decibels.max() + 90) / 90 * 255, 0, 255)
    strips = [_peaks(side, starts, 60) for side in signal]
    picture = np.concatenate([np.stack([grey] * 3, axis=2), *strips])
    return np.concatenate([picture, np.full((*picture.shape[:2], 1), 255)], axis=2).astype(np.uint8)


def _peaks(side: NDArray[np.float32], starts: NDArray[np.int_], height: int) -> NDArray[np.float64]:
    hop = max(1, len(side) // len(starts))
    highest = np.array([float(np.abs(side[at : at + hop]).max(initial=0)) for at in starts])
    lit = np.arange(height)[::-1, None] / height < highest[None]
    return np.where(lit[..., None], np.array([90.0, 200.0, 255.0]), np.array([20.0, 20.0, 40.0]))


@click.command()
@click.argument("worlds", nargs=-1)
@click.option("--pictures", type=click.Path(path_type=Path), help="A folder for spectrograms of music and stingers.")
def main(worlds: tuple[str, ...], pictures: Path | None) -> None:
    """Print the figures of the sounds of WORLDS (all; `-` for the shared ones)."""
    for world in worlds or ("-", *baked_sounds.worlds()):
        of = world.strip("-")
        for name in baked_sounds.sounds_in(of):
            found = measured(of, name)
            seam = f" seam {found.seam:.4f} of {found.steepest:.4f}" if found.kind in LOOPS else ""
            click.echo(
                f"{f'{world}/{name}':36}{found.kind.value:8}{found.seconds:6.1f} s {found.integrated:6.1f} LUFS"
                f" (M {found.momentary:5.1f}) {found.true_peak:6.1f} dBTP{seam}"
            )
            if pictures is not None and found.kind in (Kind.MUSIC, Kind.STINGER):
                pictures.mkdir(parents=True, exist_ok=True)
                Image.fromarray(spectrogram(heard(of, name))).save(pictures / f"{world}_{name}.png")


if __name__ == "__main__":
    main()
