"""The cabinet's sounds: effects and stingers in memory, streamed music; silent without a sound device.

Files are baked at their loudness (docs/art.md), so each is played unchanged, at the player's volumes.
"""

import sys
import threading
from array import array
from pathlib import Path

import pygame

from common.error_words import error_reason
from ui.music import ON_CUE, Music
from ui.protocol.values import Volumes

_MUSIC = frozenset({"background", "free_spins_music", "feature_music", ON_CUE})
_WINS = frozenset({"big_win", "huge_win", "mega_win", "last_hit", ON_CUE, "roll_up", "jackpot", "card_won"})
TEST = "feature_start"
"""The sound of the loudspeaker test."""
_CALLS = frozenset({"door_alarm", "attendant_call"})
"""Calls for help, which are always played at full volume, whatever the player has chosen."""
_STINGERS = (_WINS | _CALLS | {"line_win_small", "line_win_medium", "line_win_large", TEST}) - {ON_CUE, "roll_up"}
"""The sounds for which the music is lowered; one plays at a time."""
_SLOTS = 2
"""The number of channels for stingers: one fades out while the next begins."""
_CUT_MS, _LOOP_MS = 60, 150
_RING_S = 0.1
"""The interval, in seconds, at which a looped call is checked for having ended."""


class Sound:
    """Plays sounds by name; before `load` has ended, and without a device, playing does nothing.

    A sound of `world`'s own, from the folder of that name, replaces the shared one; only one world's sounds are in
    memory. `volumes` are the player's: wins, game, background, and overall, which scales all three. `advance` moves the
    music on.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shared: dict[str, pygame.mixer.Sound] = {}
        self._own: dict[str, pygame.mixer.Sound] = {}
        self._looping: dict[str, pygame.mixer.Sound] = {}
        self._ready = threading.Event()
        self._tried = threading.Event()
        self._reading: threading.Thread | None = None
        self._music = Music()
        self._names: frozenset[str] = frozenset()
        self._piece = ("", "")
        self._slot = 0
        self._rings: frozenset[str] = frozenset()
        self._rung_at = 0.0
        self._volumes = Volumes()
        self._world = ""
        self.muted = False

    def __repr__(self) -> str:
        return f"<Sound {len(self._shared)} sounds, {len(self._own)} of {self._world or 'no world'}>"

    @property
    def volumes(self) -> Volumes:
        """The volume of each group of sounds."""
        return self._volumes

    @volumes.setter
    def volumes(self, volumes: Volumes) -> None:
        if volumes != self._volumes:
            self._volumes = volumes
            self._set_music()
            for name, sound in (*self._shared.items(), *self._own.items()):
                sound.set_volume(volume_of(name, volumes))

    @property
    def world(self) -> str:
        """The world whose own sounds are played, or an empty string."""
        return self._world

    @world.setter
    def world(self, world: str) -> None:
        if world == self._world or not self._ready.is_set():
            return
        self.loop(frozenset())
        self._world, self._own = world, {}
        if (self._folder / world).is_dir() and world:
            self._reading = threading.Thread(
                target=self._read_world, args=(world,), name=f"sounds {world}", daemon=True
            )
            self._reading.start()

    @property
    def is_open(self) -> bool | None:
        """Whether there is a sound device; None while it is still being opened."""
        return pygame.mixer.get_init() is not None if self._tried.is_set() else None

    def load(self) -> None:
        """Open the device and read the shared sounds; without a device report it once and stay silent."""
        try:
            pygame.mixer.init(44_100, -16, 2, 512)
        except pygame.error as error:
            sys.stderr.write(f"display: no sound ({error})\n")
            return
        finally:
            self._tried.set()
        pygame.mixer.set_num_channels(16)
        pygame.mixer.set_reserved(_SLOTS)
        self._shared = self._read(self._folder)
        self._ready.set()

    def play(self, name: str) -> None:
        """Play a sound once; calls for help are audible even if the player has muted the game."""
        audible = self._ready.is_set() and (not self.muted or name in _CALLS)
        sound = self._find(name) if audible else None
        if sound is None:
            return
        if name not in _STINGERS:
            sound.play()
            return
        pygame.mixer.Channel(self._slot).fadeout(_CUT_MS)
        self._slot = (self._slot + 1) % _SLOTS
        pygame.mixer.Channel(self._slot).play(sound)
        self._music.duck(sound.get_length())

    def advance(self, now: float) -> None:
        """Advance the music to `now`, and restart a looped call for help once it has ended."""
        if not self._ready.is_set():
            return
        if self._rings and not pygame.mixer.Channel(self._slot).get_busy():
            self.play(min(self._rings))
        self._rung_at = now
        self._music.advance(now)

    @property
    def due(self) -> float:
        """When `advance` is due again."""
        if not self._ready.is_set():
            return float("inf")
        return min(self._music.due, self._rung_at + _RING_S) if self._rings else self._music.due

    def test(self, channel: str, percent: int) -> None:
        """Play the test sound on the `left` or `right` loudspeaker or on `both`, at `percent`, even if muted."""
        sound = self._shared.get(TEST) if self._ready.is_set() else None
        if sound is None:
            return
        samples = array("h", sound.get_raw())  # left and right samples alternate
        if channel != "both":
            # Not by the channel's volumes: a sound that starts before they are set is heard on both sides.
            samples[channel == "left" :: 2] = array("h", bytes(len(samples)))
        alone = pygame.mixer.Sound(buffer=samples.tobytes())
        alone.set_volume(percent / 100)
        alone.play()

    def loop(self, names: frozenset[str]) -> None:
        """Loop exactly the sounds `names`; a call for help is played to its end, even if muted."""
        if not self._ready.is_set():
            return
        self._rings, names = names & _CALLS, names - _CALLS
        self._names = frozenset() if self.muted else names
        self._set_music()
        found = {name: self._find(name) for name in self._names - _MUSIC}
        wanted = {name: sound for name, sound in found.items() if sound is not None}
        if wanted == self._looping:
            return
        for name, sound in self._looping.items():
            if wanted.get(name) is not sound:
                sound.fadeout(_LOOP_MS)
        for name, sound in wanted.items():
            if self._looping.get(name) is not sound:
                sound.play(loops=-1)
        self._looping = wanted

    def _set_music(self) -> None:
        """Select the looped piece of music: the world's own, else its background music, else the shared one."""
        name = ON_CUE if ON_CUE in self._names else min(self._names & _MUSIC, default="")
        self._music.level = volume_of(name, self._volumes)
        if (name, self._world) == self._piece:
            return
        self._piece = (name, self._world)
        folders = (self._folder / self._world, self._folder) if self._world else (self._folder,)
        pieces = [folder / f"{each}.ogg" for each in (name, "background") for folder in folders]
        self._music.want(next((path for path in pieces if name and path.is_file()), None))

    def _find(self, name: str) -> pygame.mixer.Sound | None:
        """Return the world's own sound, or the shared one."""
        return self._own.get(name) or self._shared.get(name)

    def _read(self, folder: Path) -> dict[str, pygame.mixer.Sound]:
        sounds = {}
        for path in sorted(folder.glob("[!.]*.flac")):
            try:
                sounds[path.stem] = pygame.mixer.Sound(str(path))
            except (pygame.error, OSError) as error:
                sys.stderr.write(
                    f"display: {path} cannot be played ({error_reason(error)}): bake again with `cabinet bake`\n"
                )
                continue
            sounds[path.stem].set_volume(volume_of(path.stem, self._volumes))
        return sounds

    def _read_world(self, world: str) -> None:
        sounds = self._read(self._folder / world)
        if world == self._world:
            self._own = sounds
            for name, sound in sounds.items():  # the player may have changed the volumes in between
                sound.set_volume(volume_of(name, self._volumes))


def volume_of(name: str, volumes: Volumes) -> float:
    """Return the gain of a sound, from 0 to 1, at the player's volumes."""
    if name in _CALLS:
        return 1.0
    if name in _WINS or name.startswith("line_win_"):
        group = volumes.wins
    elif name in _MUSIC:
        group = volumes.background
    else:
        group = volumes.game
    return group * volumes.overall / 10_000
