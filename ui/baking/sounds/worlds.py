"""Each world's own sounds: music, wins, reels and buttons, with their scale, instruments and materials."""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from typing import NamedTuple

import numpy as np

from ui.baking.sounds.music import Drum, Key, Part, Score, Section, play
from ui.baking.sounds.stereo import Stereo, hall, lay, quiet
from ui.baking.sounds.synthesis import RATE, Signal, band, fade, noise, struck, sweep, times
from ui.baking.sounds.voices import drum, sounding

_STEP_S = 0.125
"""A step of the large wins' tunes, in seconds: a quarter of a beat at 120 beats a minute, as in `win_music`."""


class Wins(NamedTuple):
    """A world's win tunes: their instruments, their key, and the tunes themselves.

    `small`, `medium` and `large` are degrees above the first of the key (`Part.motifs`), a twelfth of a second each.
    `big`, `huge` and `mega` are bars of four steps: the degree of the chord, and the tune's bar in degrees of the key;
    the last chord is held. `lead` plays those tunes, `brass` the chords.
    """

    key: Key
    voice: str
    joins: str
    small: str
    medium: str
    large: str
    big: tuple[tuple[int, str], ...]
    huge: tuple[tuple[int, str], ...]
    mega: tuple[tuple[int, str], ...]
    shift: int = 0
    lead: str = "horn"
    brass: str = "horn"


class Material(NamedTuple):
    """The sound of a material: partials (ratio, strength), their decay, and the noise of a touch."""

    partials: tuple[tuple[float, float], ...]
    decay: float
    low_hz: float
    high_hz: float


MATERIALS = {
    "crystal": Material(((1, 1), (2.76, 0.34), (5.4, 0.2)), 12, 3000, 9000),
    "engine": Material(((0.5, 0.6), (1, 1), (2, 0.4), (3, 0.3)), 20, 300, 2200),
    "ice": Material(((1, 1), (2.32, 0.5), (4.25, 0.35), (6.6, 0.2)), 26, 4500, 11_000),
    "iron": Material(((1, 0.8), (1.48, 0.7), (2.09, 0.5), (2.56, 0.35), (3.4, 0.2)), 16, 1500, 6000),
    "shell": Material(((1, 1), (1.71, 0.6), (2.9, 0.25)), 22, 700, 2600),
    "stone": Material(((1, 1), (1.58, 0.5), (2.24, 0.3)), 34, 400, 2400),
    "wood": Material(((1, 1), (3.93, 0.3), (9.2, 0.1)), 24, 800, 2800),
}


class Reels(NamedTuple):
    """The sound of a world's reels and buttons: their materials, and the pitches of a reel's notch and a button."""

    material: str
    notch_hz: float
    button: str
    button_hz: float


class Cascades(NamedTuple):
    """The sound of a world's cascades: the materials of bursting symbols and of those that falling ones land on."""

    bursts: str
    lands: str


CASCADE_STEPS = 5
"""How many cascades of a chain, and multiplier steps, have their own sounds; further ones use the last."""


class Kind(Enum):
    """The kind of a sound, which determines its level."""

    MUSIC = "music"
    STINGER = "stinger"
    LOOP = "loop"
    EFFECT = "effect"


class Recipe(NamedTuple):
    """How one sound is made, and its kind."""

    kind: Kind
    player: Callable[[], Stereo]
    key: str
    """Changes whenever the sound changes, as long as the synthesiser is the same."""


def _tap(material: Material, frequency: float, seconds: float, seed: int) -> Signal:
    """Return a touch of something made of `material`."""
    rubbed = band(noise(seconds, seed), material.low_hz, material.high_hz) * np.exp(-times(seconds) * 90)
    tone = struck(frequency, seconds, material.decay, material.partials)
    return (tone + 1.1 * rubbed) * fade(len(tone), 0.001, seconds / 3)


def _reel_spin(reels: Reels) -> Stereo:
    """Return the whirr of the reels with a tick for each symbol that passes; one second, loops."""
    material, ground = MATERIALS[reels.material], quiet(1.0)
    whirr = band(noise(1.0, 1), material.low_hz * 0.25, material.high_hz * 0.4)
    whirr *= 0.75 + 0.25 * np.sin(2 * np.pi * 12 * times(1.0))
    lay(ground, whirr, 0.0, 0.5)
    for tick in range(12):
        pitch = reels.notch_hz * (5 + 0.4 * (tick % 3))
        lay(ground, _tap(material, pitch, 0.06, 11 + tick), tick / 12, 0.3, (tick % 5 - 2) / 4)
    return ground


def _reel_stop(reels: Reels) -> Stereo:
    """Return a reel that locks into its notch."""
    ground, time = quiet(0.3), times(0.22)
    drop = np.sin(2 * np.pi * (reels.notch_hz * time + 0.06 * reels.notch_hz * (1 - np.exp(-time * 30)))) * np.exp(
        -time * 20
    )
    lay(ground, drop * fade(len(time), 0.001, 0.05), 0.0)
    lay(ground, _tap(MATERIALS[reels.material], reels.notch_hz * 4, 0.2, 31), 0.0, 0.7)
    return hall(ground, 0.3, 0.15)


def _button(reels: Reels) -> Stereo:
    """Return a button that is touched."""
    ground = quiet(0.16)
    lay(ground, _tap(MATERIALS[reels.button], reels.button_hz, 0.14, 32), 0.0)
    lay(ground, struck(reels.button_hz * 1.5, 0.1, 30, ((1, 1),)), 0.02, 0.4)
    return ground


def _scatter(wins: Wins, reels: Reels, number: int) -> Stereo:
    """Return the landing of the n-th scatter, each a third higher and wider than the one before."""
    ground = quiet(1.2)
    degree = 2 * (number - 1)
    lay(ground, _tap(MATERIALS[reels.material], reels.notch_hz * (2 + number / 2), 0.2, 33), 0.0, 0.7)
    lay(ground, sounding(wins.voice, wins.key.note(degree + wins.shift), 1.1), 0.0)
    lay(
        ground, sounding(wins.joins, wins.key.note(degree + wins.shift), 1.1), 0.0, 0.7
    )  # later, it would cancel some notes
    for step in range(number):
        note = wins.key.note(degree + 2 * step + 9 + wins.shift)  # the octave would be louder than the note itself
        lay(ground, sounding(wins.voice, note, 0.6), 0.06 + 0.05 * step, 0.25, (-1) ** step * 0.5)
    return hall(ground, 1.0, 0.35)


def _burst(wins: Wins, cascades: Cascades, number: int) -> Stereo:
    """Return the burst of winning symbols in the n-th cascade: shards, and a note a third higher each time."""
    ground, material, chance = quiet(0.9), MATERIALS[cascades.bursts], np.random.default_rng(37)
    crack = band(noise(0.12, 38), material.low_hz, material.high_hz) * np.exp(-times(0.12) * 40)
    lay(ground, crack * fade(len(crack), 0.001, 0.04), 0.0, 0.8)
    for shard in range(12):
        pitch = float(chance.uniform(1500, 3600)) * 1.06**number
        strength, pan = float(chance.uniform(0.06, 0.16)), float(chance.uniform(-0.8, 0.8))
        lay(ground, _tap(material, pitch, 0.2, 40 + shard), float(chance.uniform(0.0, 0.3)), strength, pan)
    note = wins.key.note(2 * (number - 1) + wins.shift)
    lay(ground, sounding(wins.voice, note, 0.8), 0.0)
    return hall(ground, 0.6, 0.25)


def _landing(cascades: Cascades, notch_hz: float) -> Stereo:
    """Return a reel's fallen symbols landing on each other."""
    ground = quiet(0.3)
    for knock, strength in enumerate((1.0, 0.45, 0.2)):
        pitch = notch_hz * (2.2 + 0.25 * knock)
        lay(ground, _tap(MATERIALS[cascades.lands], pitch, 0.16, 52 + knock), 0.06 * knock, strength, 0.2 * knock)
    return hall(ground, 0.3, 0.15)


def _multiplier_step(wins: Wins, number: int) -> Stereo:
    """Return the sound of the multiplier's n-th step: two rising notes, both a third higher each time."""
    ground = quiet(1.0)
    degree = 2 * (number - 1) + wins.shift
    lay(ground, sounding(wins.joins, wins.key.note(degree), 0.4), 0.0, 0.5, -0.3)
    lay(ground, sounding(wins.voice, wins.key.note(degree + 2), 0.9), 0.09, 1.0, 0.2)
    return hall(ground, 0.8, 0.3)


def _anticipation(wins: Wins) -> Stereo:
    """Return a run up the world's scale, accelerating, while the last reels keep turning."""
    ground, at, gap, number = quiet(2.6), 0.0, 0.2, 0
    while at < 2.4:  # noqa: PLR2004 - seconds: the run ends where the sound does
        note = wins.key.note((0, 2, 4, 6)[number % 4] + number // 4 + wins.shift)
        lay(ground, sounding(wins.joins, note, 0.5), at, 0.35 + 0.25 * at / 2.4, (number % 5 - 2) / 3)
        at, gap, number = at + gap, max(0.075, gap * 0.94), number + 1
    lay(ground, sweep(2.5, 200, 3600, 34), 0.0, 0.25)
    return hall(ground, 0.7, 0.3)


def _transition(wins: Wins) -> Stereo:
    """Return the wipe between the reels and a feature's scene: air, and a run across both loudspeakers."""
    ground = quiet(0.6)
    lay(ground, sweep(0.55, 400, 5200, 35), 0.0, 0.9)
    for step in range(8):
        lay(ground, sounding(wins.voice, wins.key.note(step + wins.shift), 0.3), 0.035 * step, 0.4, step / 4 - 0.9)
    return hall(ground, 0.5, 0.2)[:, : round(0.9 * RATE)] * fade(round(0.9 * RATE), 0.0, 0.2).astype(np.float32)


def _last_hit(wins: Wins) -> Stereo:
    """Return the stroke on the last digit."""
    ground = quiet(0.6)
    for third, pan in ((-7, 0.0), (0, -0.4), (4, 0.4), (7, 0.0)):
        lay(ground, sounding(wins.brass, wins.key.note(third), 0.5), 0.0, 0.7, pan)
    lay(ground, sounding(wins.voice, wins.key.note(7 + wins.shift), 0.6), 0.0, 0.8)
    lay(ground, drum("kick"), 0.0, 0.9)
    return hall(ground, 0.4, 0.25)[:, : round(0.8 * RATE)] * fade(round(0.8 * RATE), 0.0, 0.2).astype(np.float32)


def _roll_up(wins: Wins) -> Stereo:
    """Return a counter's quick figure, up and down; loops."""
    ground = quiet(1.2)
    for step, degree in enumerate((0, 2, 4, 2, 1, 3, 5, 3, 2, 4, 7, 4)):
        pan = (step % 4 - 1.5) / 3
        lay(ground, sounding(wins.voice, wins.key.note(degree + 7 + wins.shift), 0.35), 0.1 * step, 0.6, pan)
        lay(ground, sounding("marimba", wins.key.note(degree), 0.2), 0.1 * step, 0.3, -pan)
    return hall(ground, 0.5, 0.18, wraps=True)


def _line_win(wins: Wins, tune: str) -> Stereo:
    """Return the tune of a win on its instrument, with another below every second note."""
    ground, step_s = quiet(0.085 * len(tune) + 1.0), 0.085
    for number, sign in enumerate(tune):
        if sign == ".":
            continue
        degree = int(sign, 16)
        lay(ground, sounding(wins.voice, wins.key.note(degree + wins.shift), 0.8), number * step_s, 1.0, 0.2)
        if number % 2 == 0:
            low = wins.key.note(degree % 7 + wins.shift - 7)
            lay(ground, sounding(wins.joins, low, 0.4), number * step_s, 0.45, -0.4)
    return hall(ground, 0.9, 0.28)


def _opening(wins: Wins) -> Stereo:
    """Return the beginning of a feature: a run up the scale into a chord."""
    ground = quiet(3.0)
    for step in range(14):
        note = wins.key.note(step + wins.shift - 7)
        lay(ground, sounding(wins.voice, note, 1.0), 0.06 * step, 0.55, step / 7 - 0.9)
    for third, pan in ((0, -0.5), (2, 0.5), (4, -0.2), (7, 0.2)):
        lay(ground, sounding(wins.brass, wins.key.note(third), 1.6), 0.9, 0.6, pan)
        lay(ground, sounding(wins.joins, wins.key.note(third + wins.shift), 1.4), 0.95 + 0.11 * third, 0.5, -pan)
        lay(ground, sounding("pad", wins.key.note(third), 2.0), 0.9, 0.33, pan)
    lay(ground, sweep(0.9, 500, 5000, 36), 0.0, 0.4)
    return hall(ground, 1.4, 0.35)


def _triumph(wins: Wins, bars: tuple[tuple[int, str], ...]) -> Stereo:
    """Return a large win: the tune over the brass's chords, the world's own instrument running above them."""
    tune = tuple(bar for _, bar in bars)
    held = len(bars) - 1
    runs = ("0247",) * held + ("79be",)
    parts = (
        Part(wins.lead, 0.3, 0.8, tune, 0, 0.15, follows=False),
        *(
            Part(wins.brass, 0.42, 0.42, ("0...",) * held + ("0---",), third, pan)
            for third, pan in ((-7, 0.0), (0, -0.5), (2, 0.5), (4, -0.2))
        ),
        Part(wins.voice, 0.6, 0.34, runs, wins.shift, -0.3),
    )
    drums = (Drum("kick", 0.9, ("x...",)), Drum("snare", 0.28, ("..x.",), 0.2))
    score = Score(wins.key, _STEP_S, 4, (Section(tuple(root for root, _ in bars), parts, drums, pads=0.0),), wet=0.3)
    return play(score, tail_s=0.6)[:, : round(4 * RATE)]


def sounds_of(
    loops: Mapping[str, Score], wins: Wins | None, reels: Reels | None, cascades: Cascades | None
) -> dict[str, Recipe]:
    """Return how a world's sounds are made, by name: its music, and its wins, reels and cascades if it has its own.

    Cascades use the key of the wins and the pitch of the reels.
    """
    found = {name: Recipe(Kind.MUSIC, partial(play, score), repr(score)) for name, score in loops.items()}
    if wins is not None:
        tunes = {"line_win_small": wins.small, "line_win_medium": wins.medium, "line_win_large": wins.large}
        large = {"big_win": wins.big, "huge_win": wins.huge, "mega_win": wins.mega}
        stingers: dict[str, Callable[[], Stereo]] = {
            **{name: partial(_line_win, wins, tune) for name, tune in tunes.items()},
            **{name: partial(_triumph, wins, bars) for name, bars in large.items()},
            "feature_start": partial(_opening, wins),
            "last_hit": partial(_last_hit, wins),
        }
        found |= {name: Recipe(Kind.STINGER, player, repr(wins)) for name, player in stingers.items()}
        found["anticipation"] = Recipe(Kind.EFFECT, partial(_anticipation, wins), repr(wins))
        found["transition"] = Recipe(Kind.EFFECT, partial(_transition, wins), repr(wins))
        found["roll_up"] = Recipe(Kind.LOOP, partial(_roll_up, wins), repr(wins))
    if reels is not None:
        found["reel_spin"] = Recipe(Kind.LOOP, partial(_reel_spin, reels), repr(reels))
        found["reel_stop"] = Recipe(Kind.EFFECT, partial(_reel_stop, reels), repr(reels))
        found["button"] = Recipe(Kind.EFFECT, partial(_button, reels), repr(reels))
    if wins is not None and reels is not None:
        for number in range(1, 6):
            player = partial(_scatter, wins, reels, number)
            found[f"scatter_{number}"] = Recipe(Kind.EFFECT, player, repr((wins, reels)))
    if wins is not None and reels is not None and cascades is not None:
        key = repr((wins, reels, cascades))
        found["fall"] = Recipe(Kind.EFFECT, partial(_landing, cascades, reels.notch_hz), key)
        for number in range(1, CASCADE_STEPS + 1):
            found[f"burst_{number}"] = Recipe(Kind.EFFECT, partial(_burst, wins, cascades, number), key)
            found[f"step_{number}"] = Recipe(Kind.EFFECT, partial(_multiplier_step, wins, number), key)
    return found
