"""Nobody here can hear: the sounds are held to levels, lengths, seams and spectra."""

import itertools
import wave
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from games import catalogue
from tests.ui.rehearsal import BAKED
from ui.baked_sounds import SOUNDS, names_of, sounds_in, worlds
from ui.baking.sounds.synthesis import RATE

LOOPS = ("background", "free_spins_music", "feature_music")
NEW = ("potion", "vial", "spell", "jewel", "card_flip", "card_won", "card_lost", "halve", "lock", "respin", "explosion")
DECIBELS = 2.0
"""Further apart than that, one world is heard to be louder than another."""


@cache
def heard(name: str) -> NDArray[np.float64]:
    """Return a baked sound, 1 being full scale."""
    with wave.open(str(BAKED / "sounds" / f"{name}.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32767


def own(world: str, name: str) -> str:
    """Return the sound that is played in a world: its own, or the shared one."""
    return f"{world}/{name}" if name in sounds_in(world) else name


def decibels(signal: NDArray[np.float64]) -> float:
    """Return how loud a signal is on average, below full scale."""
    return 20 * float(np.log10(np.sqrt(np.mean(signal**2))))


def tones(signal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much of a signal lies on each of the twelve semitones, whatever the octave, as a unit vector."""
    power = np.abs(np.fft.rfft(signal)) ** 2
    hertz = np.fft.rfftfreq(len(signal), 1 / RATE)
    inside = (hertz > 60) & (hertz < 2000)
    classes = np.rint(12 * np.log2(hertz[inside] / 440)).astype(int) % 12
    found = np.bincount(classes, power[inside], 12)
    return found / np.linalg.norm(found)


def test_every_game_has_a_world_of_sounds() -> None:
    """Each of the five is heard to be itself."""
    assert set(worlds()) == set(catalogue.names())


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_as_loud_in_every_world_and_long_enough(name: str) -> None:
    """Going from game to game nobody reaches for the volume, and no loop comes round within eleven seconds."""
    signals = [heard(own(world, name)) for world in worlds()]
    levels = [decibels(signal) for signal in signals]
    assert max(levels) - min(levels) < DECIBELS
    assert all(11 < len(signal) / RATE < 25 for signal in signals)
    assert all(float(np.abs(signal).max()) < 0.9 for signal in signals)


@pytest.mark.parametrize("name", ["line_win_small", "line_win_medium", "line_win_large", "big_win", "feature_start"])
def test_a_win_is_as_loud_in_every_world(name: str) -> None:
    """The same win sounds as large."""
    levels = [decibels(heard(own(world, name))) for world in worlds()]
    assert max(levels) - min(levels) < DECIBELS


@pytest.mark.parametrize("name", [own(world, name) for world in worlds() for name in LOOPS])
def test_a_loop_has_no_seam_and_no_hole(name: str) -> None:
    """From the last sample to the first it jumps no further than inside, and no tenth of it falls silent."""
    signal = heard(name)
    assert abs(signal[0] - signal[-1]) <= np.abs(np.diff(signal)).max()
    tenths = [decibels(part) for part in np.array_split(signal, 10)]
    assert min(tenths) > decibels(signal) - 6


def test_worlds_play_in_keys_of_their_own() -> None:
    """No two worlds' free-spin music lies on the same notes in the same measure."""
    found = {world: tones(heard(own(world, "free_spins_music"))) for world in worlds()}
    for one, other in itertools.combinations(found, 2):
        assert float(found[one] @ found[other]) < 0.93, (one, other)


@pytest.mark.parametrize("name", [*NEW, "jackpot", *SOUNDS])
def test_no_sound_is_cut_or_overdriven(name: str) -> None:
    """It ends in silence unless it is a loop, never reaches full scale, and isn't a mere rumble or hiss."""
    signal = heard(name)
    assert 0.1 < float(np.abs(signal).max()) < 0.97
    assert abs(float(signal.mean())) < 0.01
    power = np.abs(np.fft.rfft(signal)) ** 2
    hertz = np.fft.rfftfreq(len(signal), 1 / RATE)
    assert float(power[(hertz > 40) & (hertz < 9000)].sum() / power.sum()) > 0.9
    if name not in ("reel_spin", "roll_up", *LOOPS):
        assert float(np.abs(signal[-RATE // 100 :]).max()) < 0.02


def test_the_jackpot_is_the_longest_of_all_and_as_loud_as_the_largest_win() -> None:
    """Nothing else may be taken for it."""
    jackpot = heard("jackpot")
    others = [name for name in names_of() if name.rpartition("/")[2] not in ("jackpot", *LOOPS)]
    assert len(jackpot) > max(len(heard(name)) for name in others)
    assert decibels(jackpot) > max(decibels(heard(name)) for name in others if name.endswith("_win")) - 1
