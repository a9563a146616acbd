"""The cabinet's sounds, synthesised at bake time: those that all worlds share, and each world's own."""

from importlib import import_module
from pathlib import Path

import numpy as np

from ui import games
from ui.baking.sounds import cabinet, effects, sea
from ui.baking.sounds.synthesis import levelled, write_wav
from ui.baking.sounds.worlds import Sounds, sounds_of

SOUNDS = {**cabinet.SOUNDS, **effects.SOUNDS, **sea.SOUNDS}
"""The sounds that all worlds share, by name: who plays it, and the peak it is written at (1 is full scale)."""

WORLDS: dict[str, Sounds] = {}
for _file in sorted(Path(games.__file__).parent.glob("*/music.py")):
    _music = import_module(f"{games.__name__}.{_file.parent.name}.music")
    WORLDS[_file.parent.name] = sounds_of(_music.LOOPS, getattr(_music, "VOICE", None))
"""Every world's own sounds, by name."""

MOST = 0.8
"""No sample of a world's own sounds goes beyond this."""


def names_of() -> list[str]:
    """Return the names of all sounds: shared ones as they are, a world's own as `<world>/<name>`."""
    own = (f"{world}/{name}" for world, found in WORLDS.items() for name in found)
    return [*sorted(SOUNDS), *sorted(own)]


def write(name: str, path: Path) -> int:
    """Synthesise the sound `name` (of `names_of`) into a WAV at `path`; return its size in bytes."""
    world, _, own = name.rpartition("/")
    if world:
        player, level = WORLDS[world][own]
        return write_wav(levelled(player(), level, MOST), path)
    player, peak = SOUNDS[name]
    signal = player()
    return write_wav(signal * (peak / float(np.max(np.abs(signal)))), path)
