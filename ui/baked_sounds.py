"""The cabinet's sounds, synthesised at bake time: the shared ones, and each world's own."""

import hashlib
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from time import perf_counter

import numpy as np
import soundfile

from gamekit import catalogue
from ui.baking import sounds
from ui.baking.sounds import cabinet, effects, house, loudness
from ui.baking.sounds.stereo import Stereo, lay, mastered
from ui.baking.sounds.synthesis import RATE, Signal
from ui.baking.sounds.worlds import Kind, Recipe, sounds_of
from ui.own_files import refuse_foreign

MUSIC_LUFS, STINGER_LUFS = -23.0, -18.0
"""Integrated loudness by EBU R128 of a music loop, and of a stinger played over it."""
_LOUDEST_LUFS = {"button": -32.0, "fall": -31.0, "reel_spin": -36.0, "reel_stop": -29.0, "roll_up": -27.0}
_EFFECT_LUFS = -24.0
"""The loudness of the loudest 400 ms of any other sound."""
PEAKS = {Kind.MUSIC: 0.3, Kind.STINGER: 0.45, Kind.LOOP: 0.1, Kind.EFFECT: 0.22}
"""The highest sample of each kind; music, a stinger and an effect together stay below full scale."""
_STINGERS = frozenset({"jackpot", "card_won", "door_alarm", "attendant_call"})
_VORBIS = 0.4
"""The encoder's compression: about 150 kbit/s."""
MANIFEST = "manifest.json"
_ENDS = (".ogg", ".flac")


def _shared() -> dict[str, Recipe]:
    """Return the sounds that all worlds share: default, cabinet and feature sounds."""
    found = sounds_of(house.LOOPS, house.WINS, house.REELS, house.CASCADES)
    for name, player in {**cabinet.SOUNDS, **effects.SOUNDS}.items():
        found[name] = Recipe(Kind.STINGER if name in _STINGERS else Kind.EFFECT, partial(_widened, player), "")
    return found


def _widened(player: Callable[[], Signal]) -> Stereo:
    """Return a mono sound in the centre of both channels."""
    signal = player()
    ground = np.zeros((2, len(signal)), np.float32)
    lay(ground, signal, 0.0)
    return ground


@cache
def sounds_in(world: str) -> dict[str, Recipe]:
    """Return a world's own sounds by name, from its game's `display/music.py`; the shared ones if `world` is empty."""
    if not world:
        return _shared()
    music = catalogue.module(world, "display.music")
    wins, reels, cascades = (getattr(music, name, None) for name in ("WINS", "REELS", "CASCADES"))
    return sounds_of(music.LOOPS, wins, reels, cascades)


def worlds() -> tuple[str, ...]:
    """Return the games that have sounds of their own, by name."""
    return tuple(sorted(name for name in catalogue.found() if catalogue.has_module(name, "display.music")))


def file_of(name: str, recipe: Recipe) -> str:
    """Return a sound's file name: music is streamed from Ogg Vorbis, the others are FLAC."""
    return f"{name}.ogg" if recipe.kind is Kind.MUSIC else f"{name}.flac"


def folder_of(world: str, out: Path) -> Path:
    """Return the folder of a world's sounds below the baked folder; the shared ones if `world` is empty."""
    return out / "sounds" / world


@cache
def _code() -> str:
    """Return the hash of the synthesiser."""
    code = [Path(__file__), *sorted(Path(sounds.__file__).resolve().parent.glob("*.py"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in code)).hexdigest()


def made(name: str, recipe: Recipe) -> Stereo:
    """Return a sound at its intended loudness."""
    loops, peak = recipe.kind in (Kind.MUSIC, Kind.LOOP), PEAKS[recipe.kind]
    if recipe.kind in (Kind.MUSIC, Kind.STINGER):
        lufs = MUSIC_LUFS if loops else STINGER_LUFS
        return mastered(recipe.player(), lufs, peak, partial(loudness.integrated, loops=loops), wraps=loops)
    return mastered(recipe.player(), _LOUDEST_LUFS.get(name, _EFFECT_LUFS), peak, loudness.momentary, wraps=loops)


def write(signal: Stereo, path: Path) -> None:
    """Write a sound to `path` (`.ogg` or `.flac`), under another name until it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    for written in (path, fresh):
        refuse_foreign(written)
    vorbis = path.suffix == ".ogg"
    form, coding = ("OGG", "VORBIS") if vorbis else ("FLAC", "PCM_16")
    level = _VORBIS if vorbis else None
    with soundfile.SoundFile(fresh, "w", RATE, 2, format=form, subtype=coding, compression_level=level) as file:
        for start in range(0, signal.shape[1], RATE):  # the encoder's stack is too small for a minute
            file.write(signal[:, start : start + RATE].T)
    fresh.replace(path)


def _due(world: str, out: Path) -> tuple[dict[str, str], list[str]]:
    """Return the hash of each sound file's inputs, and the files that must be made."""
    folder = folder_of(world, out)
    stamps = {
        file_of(name, recipe): hashlib.sha256(f"{_code()} {name} {recipe.key}".encode()).hexdigest()
        for name, recipe in sounds_in(world).items()
    }
    known = _known(folder / MANIFEST)
    return stamps, [file for file in stamps if known.get(file) != stamps[file] or not (folder / file).is_file()]


def is_whole(world: str, out: Path) -> bool:
    """Whether a world's sounds are baked and unchanged since."""
    stamps, due = _due(world, out)
    return not due and _known(folder_of(world, out) / MANIFEST) == stamps


def bake(world: str, out: Path) -> str:
    """Synthesise a world's changed sounds (the shared ones if `world` is empty); return a line of report.

    `manifest.json` names the files and the hash of each one's inputs. It is written last and atomically.
    """
    folder, start = folder_of(world, out), perf_counter()
    called = f"sounds of {world}" if world else "shared sounds"
    if is_whole(world, out):
        return f"{called}: unchanged"
    stamps, due = _due(world, out)
    for name, recipe in sounds_in(world).items():
        if file_of(name, recipe) in due:
            write(made(name, recipe), folder / file_of(name, recipe))
    for path in folder.iterdir():
        if path.suffix in _ENDS and path.name not in stamps:
            refuse_foreign(path)
            path.unlink()
    fresh = folder / f"{MANIFEST}.new"
    for written in (folder / MANIFEST, fresh):
        refuse_foreign(written)
    fresh.write_text(json.dumps({"sounds": stamps}, indent=1), "utf-8")
    fresh.replace(folder / MANIFEST)
    return f"{called}: {len(due)} files, {perf_counter() - start:.1f} s"


def _known(manifest: Path) -> dict[str, str]:
    """Return the hashes of the sounds that were baked before; none if they cannot be read."""
    try:
        return dict(json.loads(manifest.read_text("utf-8"))["sounds"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}  # they are baked again
