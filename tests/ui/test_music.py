"""Nobody here can hear: the sounds are held to loudness, true peaks, lengths, seams, spectra and tunes."""

import itertools
import re
import string
from functools import cache

import numpy as np
import pyloudnorm
import pytest
from numpy.typing import NDArray

from gamekit import catalogue
from tests.ui.rehearsal import BAKED
from tests.ui.sound_figures import LOOPS, Figures, heard, measured, true_peak
from ui.baked_sounds import MUSIC_LUFS, PEAKS, STINGER_LUFS, sounds_in, worlds
from ui.baking.sounds import loudness
from ui.baking.sounds.music import MAJOR, Drum, Key, Part, Score, ScoreError, Section, play
from ui.baking.sounds.stereo import limited
from ui.baking.sounds.synthesis import RATE
from ui.baking.sounds.worlds import CASCADE_STEPS, Kind
from ui.music import length_of

MUSIC = ("background", "free_spins_music", "feature_music", "win_music")
OWN = {
    *MUSIC,
    *("reel_spin", "reel_stop", "anticipation", "button", "transition", "roll_up"),
    *(f"scatter_{number}" for number in range(1, 6)),
    *("line_win_small", "line_win_medium", "line_win_large", "big_win", "huge_win", "mega_win"),
    *("feature_start", "last_hit"),
}
"""What each of our games has of its own."""
WINS = ("line_win_small", "line_win_medium", "line_win_large", "big_win", "huge_win", "mega_win")
SMALL = ("", "neptune")
"""The worlds that every run of the tests measures; the proofs measure all."""
ALL = [pytest.param(world, marks=[] if world in SMALL else pytest.mark.proof) for world in ("", *worlds())]
MOST_DBTP = {kind: 20 * float(np.log10(peak)) + 1 for kind, peak in PEAKS.items()}
"""Between two samples, and by what the encoder changes, a peak may be a decibel higher."""
DECODED = 0.01
"""What Vorbis may leave of a step at the seam, besides what is in the music."""


@cache
def figures(world: str) -> dict[str, Figures]:
    """Return the figures of a world's sounds."""
    return {name: measured(world, name) for name in sounds_in(world)}


def tones(signal: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return how much of a signal lies on each of the twelve semitones, whatever the octave, as a unit vector."""
    power = np.abs(np.fft.rfft(signal.mean(axis=0))) ** 2
    hertz = np.fft.rfftfreq(signal.shape[1], 1 / RATE)
    inside = (hertz > 60) & (hertz < 2000)
    classes = np.rint(12 * np.log2(hertz[inside] / 440)).astype(int) % 12
    found = np.bincount(classes, power[inside], 12)
    return found / np.linalg.norm(found)


def loudest_tones(world: str, sound: str, count: int) -> list[float]:
    """Return the frequency of the loudest tone in each of so many numbered sounds."""
    pitches = []
    for number in range(1, count + 1):
        signal = heard(world, f"{sound}_{number}").mean(axis=0)
        power = np.abs(np.fft.rfft(signal)) ** 2
        pitches.append(float(np.fft.rfftfreq(len(signal), 1 / RATE)[int(power[200:].argmax()) + 200]))
    return pitches


def test_every_game_has_a_world_of_sounds() -> None:
    """Each game is heard to be itself, in its music, reels, buttons, scatters and wins."""
    assert set(worlds()) == set(catalogue.names())
    for world in worlds():
        assert set(sounds_in(world)) >= OWN, world


@pytest.mark.parametrize("world", ALL)
def test_loudness_and_peaks(world: str) -> None:
    """Music at -23 LUFS within 1, what is played over it at -18 within 1, no true peak near full scale."""
    for name, found in figures(world).items():
        if found.kind in (Kind.MUSIC, Kind.STINGER):
            wanted = MUSIC_LUFS if found.kind is Kind.MUSIC else STINGER_LUFS
            assert abs(found.integrated - wanted) < 1, (name, found)
        assert found.true_peak < MOST_DBTP[found.kind], (name, found)


@pytest.mark.parametrize("world", ALL)
def test_loops_are_long_and_have_no_seam(world: str) -> None:
    """A minute of music at least; from the last sample to the first it jumps no further than inside."""
    for name, found in figures(world).items():
        if found.kind is Kind.MUSIC:
            assert 60 <= found.seconds < 90, (name, found)
        if found.kind in LOOPS:
            assert found.seam < found.steepest + (DECODED if found.kind is Kind.MUSIC else 0), (name, found)
        else:
            assert float(np.abs(heard(world, name)[:, -RATE // 200 :]).max()) < 0.02, name


@pytest.mark.parametrize("world", ALL)
def test_music_is_wide_varied_and_never_silent(world: str) -> None:
    """The loudspeakers differ, no two quarters are alike, and no second falls 20 dB below the whole."""
    for name in MUSIC:
        if name not in sounds_in(world):
            continue
        signal = heard(world, name)
        left, right = signal
        assert 0.2 < float(np.corrcoef(left, right)[0, 1]) < 0.98, name
        quarters = np.array_split(signal, 4, axis=1)
        for one, other in itertools.combinations(quarters, 2):
            length = min(one.shape[1], other.shape[1])
            assert float(np.corrcoef(one[0, :length], other[0, :length])[0, 1]) < 0.9, name
        seconds = [
            float(np.sqrt(np.mean(part**2))) for part in np.array_split(signal, int(figures(world)[name].seconds), 1)
        ]
        assert min(seconds) > 0.1 * float(np.sqrt(np.mean(signal**2))), name


def test_music_a_stinger_and_an_effect_together_do_not_clip() -> None:
    """Even where all three peak at once, before the music is turned down."""
    assert PEAKS[Kind.MUSIC] + PEAKS[Kind.STINGER] + PEAKS[Kind.EFFECT] < 1


@pytest.mark.parametrize("world", ALL)
def test_scatters_climb(world: str) -> None:
    """Each scatter that lands sounds a third higher than the one before: by its loudest tone."""
    ratios = [higher / lower for lower, higher in itertools.pairwise(loudest_tones(world, "scatter", 5))]
    assert all(1.15 < ratio < 1.3 for ratio in ratios), ratios


@pytest.mark.parametrize("world", ["", "star_quarry"])
@pytest.mark.parametrize("sound", ["burst", "step"])
def test_cascades_climb(world: str, sound: str) -> None:
    """Each cascade bursts a third higher than the one before, and so do the multiplier's steps: by the loudest tone."""
    ratios = [higher / lower for lower, higher in itertools.pairwise(loudest_tones(world, sound, CASCADE_STEPS))]
    assert all(1.15 < ratio < 1.3 for ratio in ratios), ratios


@pytest.mark.parametrize("world", ["", "star_quarry"])
def test_cascades_are_as_loud_as_other_effects(world: str) -> None:
    """Bursts and steps at -24 LUFS within 1 in their loudest 400 ms; what lands, up to five times in one, at -31."""
    for name in ("fall", *(f"{sound}_{step}" for sound in ("burst", "step") for step in range(1, CASCADE_STEPS + 1))):
        wanted = -31 if name == "fall" else -24
        found = measured(world, name)
        assert abs(found.momentary - wanted) < 1, (name, found)
        assert found.true_peak < MOST_DBTP[Kind.EFFECT], (name, found)


def test_a_burst_is_over_before_the_next() -> None:
    """A window's wins are lit for a second and more between two bursts; shared or a world's own."""
    for world in ("", "star_quarry"):
        for name in (f"{sound}_{step}" for sound in ("burst", "step") for step in range(1, CASCADE_STEPS + 1)):
            assert measured(world, name).seconds < 2, (world, name)


def test_a_game_of_cascades_without_music_has_the_shared_sounds() -> None:
    """What `cabinet new-game --kind cascades` writes is heard to burst, fall and climb."""
    wanted = {"fall", *(f"{sound}_{step}" for sound in ("burst", "step") for step in range(1, CASCADE_STEPS + 1))}
    assert wanted <= sounds_in("").keys()
    assert wanted <= sounds_in("star_quarry").keys()
    assert not wanted & sounds_in("neptune").keys(), "a game of lines needs none"


@pytest.mark.proof
def test_worlds_play_in_keys_of_their_own() -> None:
    """No two worlds' free-spin music lies on the same notes in the same measure."""
    found = {world: tones(heard(world, "free_spins_music")) for world in worlds()}
    for one, other in itertools.combinations(found, 2):
        assert float(found[one] @ found[other]) < 0.95, (one, other)


def test_wins_have_tunes_of_their_own() -> None:
    """No two worlds share a tune of any size, whatever the key: nor, of the large ones, a rhythm; nor do two sizes."""
    music = {world: catalogue.module(world, "display.music").WINS for world in worlds()}
    tunes: dict[str, list[str]] = {
        size: [getattr(wins, size) for wins in music.values()] for size in ("small", "medium", "large")
    }
    for size in ("big", "huge", "mega"):
        bars = [getattr(wins, size) for wins in music.values()]
        tunes[size] = ["".join(bar for _, bar in each) for each in bars]
        rhythms = {re.sub("[0-9a-f]", "x", tune) for tune in tunes[size]}
        assert len(rhythms) == len(bars), size
    every = [contour(tune) for of_size in tunes.values() for tune in of_size]
    assert len(set(every)) == len(every) == 6 * len(music)


def contour(tune: str) -> tuple[int, ...]:
    """Return by how many degrees each note of a tune is above the one before: the same in every transposition."""
    degrees = [int(sign, 16) for sign in tune if sign in string.hexdigits]
    return tuple(after - before for before, after in itertools.pairwise(degrees))


@pytest.mark.parametrize("name", ["neptune", "bewitched"])
def test_wins_grow_with_their_size(name: str) -> None:
    """A larger win is not shorter, and the largest tunes stay within four seconds."""
    lengths = [measured(name, win).seconds for win in WINS]
    assert lengths == sorted(lengths)
    assert lengths[-1] <= 4


def test_the_loudness_is_that_of_another_meter() -> None:
    """Within a tenth of what pyloudnorm measures, of music, of a stinger and of noise that comes and goes."""
    chance = np.random.default_rng(2)
    waxing = chance.normal(0, 0.1, (2, 5 * RATE)) * np.clip(np.sin(np.linspace(0, 9, 5 * RATE)), 0, 1)
    meter = pyloudnorm.Meter(RATE)
    for signal in (heard("neptune", "win_music"), heard("neptune", "big_win"), waxing):
        ours = loudness.integrated(signal)
        assert abs(ours - meter.integrated_loudness(signal.T)) < 0.1


def test_a_true_peak_lies_between_the_samples() -> None:
    """A tone at a quarter of the rate whose samples miss its peaks by 3 dB."""
    tone = np.sin(np.pi / 2 * np.arange(RATE) + np.pi / 4)[None] * np.hanning(RATE)
    assert abs(true_peak(tone)) < 0.01


def test_the_limiter_turns_down_ahead_and_cuts_nothing() -> None:
    """Nothing goes beyond the peak, and what is quiet stays as it is."""
    time = np.arange(RATE) / RATE
    signal = (np.sin(2 * np.pi * 220 * time) * np.where(time > 0.5, 0.9, 0.1)).astype(np.float32)
    found = limited(np.stack((signal, signal)), 0.3)
    assert 0.29 < float(np.abs(found).max()) <= 0.300001
    assert np.array_equal(found[:, : RATE // 3], np.stack((signal, signal))[:, : RATE // 3])
    steps = np.abs(np.diff(found[0])).max() / np.abs(found).max()
    assert steps < 1.1 * 2 * np.pi * 220 / RATE


@pytest.mark.parametrize(
    ("part", "drum", "words"),
    [
        (Part("fiddle", 1, 1, ("0...",)), Drum("kick", 1, ("x...",)), "no 'fiddle'"),
        (Part("harp", 1, 1, ("0..",)), Drum("kick", 1, ("x...",)), "harp '0..': a bar has 4 signs"),
        (Part("harp", 1, 1, ("0..z",)), Drum("kick", 1, ("x...",)), "harp '0..z'"),
        (Part("harp", 1, 1, ("0...",)), Drum("kick", 1, ("0...",)), "kick '0...'"),
    ],
)
def test_a_score_that_cannot_be_played_is_refused(part: Part, drum: Drum, words: str) -> None:
    """The bar is named, and what a bar is."""
    score = Score(Key(60, MAJOR), 0.2, 4, (Section((0,), (part,), (drum,)),))
    with pytest.raises(ScoreError, match=words):
        play(score)


def test_a_loop_runs_into_itself() -> None:
    """What rings beyond the end of a loop is in its start; played once it rings out in its tail."""
    late = Score(Key(60, MAJOR), 0.25, 4, (Section((0, 0), (Part("harp", 1.5, 1, ("....", "...0")),), pads=0),), wet=0)
    loop, once = play(late), play(late, tail_s=2.0)
    assert loop.shape[1] == 2 * RATE
    assert float(np.abs(loop[:, : RATE // 2]).max()) > 0.05
    assert not np.abs(once[:, : RATE // 2]).any()


def test_the_length_of_a_piece_is_read_from_its_file() -> None:
    """To the sample, from the last page."""
    found = figures("")["background"]
    assert length_of(BAKED / "sounds" / "background.ogg") == pytest.approx(found.seconds, abs=1 / RATE)
