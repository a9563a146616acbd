"""The cabinet's sounds, synthesised at bake time: those that all worlds share, and each world's own."""

from functools import cache
from pathlib import Path

import numpy as np

from games import catalogue
from ui.baking.sounds import cabinet, effects, sea
from ui.baking.sounds.synthesis import levelled, write_wav
from ui.baking.sounds.worlds import Sounds, sounds_of

SOUNDS = {**cabinet.SOUNDS, **effects.SOUNDS, **sea.SOUNDS}
"""The sounds that all worlds share, by name: who plays it, and the peak it is written at (1 is full scale)."""


@cache
def sounds_in(world: str) -> Sounds:
    """Return a world's own sounds, by name: those of its game's `display/music.py`."""
    music = catalogue.module(world, "display.music")
    return sounds_of(music.LOOPS, getattr(music, "VOICE", None))


def worlds() -> tuple[str, ...]:
    """Return the games that have sounds of their own, by name."""
    return tuple(sorted(name for name in catalogue.found() if catalogue.has_module(name, "display.music")))


MOST = 0.8
"""No sample of a world's own sounds goes beyond this."""


def names_of() -> list[str]:
    """Return the names of all sounds: shared ones as they are, a world's own as `<world>/<name>`."""
    own = (f"{world}/{name}" for world in worlds() for name in sounds_in(world))
    return [*sorted(SOUNDS), *sorted(own)]


def write(name: str, path: Path) -> int:
    """Synthesise the sound `name` (of `names_of`) into a WAV at `path`; return its size in bytes."""
    world, _, own = name.rpartition("/")
    if world:
        player, level = sounds_in(world)[own]
        return write_wav(levelled(player(), level, MOST), path)
    player, peak = SOUNDS[name]
    signal = player()
    return write_wav(signal * (peak / float(np.max(np.abs(signal)))), path)
